//! Wood that can carry what grows on it.
//!
//! The published radii know lengths only: a branch near the tip of its parent is no thicker than the parent is there, whatever it bears itself,
//! and would hang like a thread. Deviation: no wood is thinner than the pipe model lets it be (Shinozaki et al. 1964; Leonardo's rule),
//!
//!   r ≥ r₁ √n,
//!
//! with n the stems of the last level beyond a point and r₁ the least radius. Most wood is thicker than that as it is.

use super::grow::Wood;

/// Thickens wood that is too thin. A stem of level `last` counts as `weight` stems.
pub(crate) fn support(wood: &mut Wood, last: usize, least_radius: f32, weight: f32) {
    // What leaves each branch: m along it, and stems of the last level on it.
    let mut borne: Vec<Vec<(f32, f32)>> = vec![Vec::new(); wood.branches.len()];
    // Children come after their parents.
    for (i, branch) in wood.branches.iter_mut().enumerate().rev() {
        let mut children = core::mem::take(&mut borne[i]);
        children.sort_by(|a, b| b.0.total_cmp(&a.0));
        let own = if usize::from(wood.shoots[i].level) == last {
            weight
        } else {
            0.0
        };
        let mut beyond = own;
        let mut next = 0;
        let mut along = wood.shoots[i].length;
        for n in (0..branch.nodes.len()).rev() {
            // Wood between two nodes bears what leaves it there, so the upper node does.
            along -= match n.checked_sub(1) {
                Some(lower) => branch.nodes[lower]
                    .position
                    .distance(branch.nodes[n].position),
                None => f32::INFINITY,
            };
            while let Some((_, stems)) = children.get(next).filter(|c| c.0 >= along) {
                beyond += stems;
                next += 1;
            }
            let node = &mut branch.nodes[n];
            node.radius = node.radius.max(least_radius * beyond.sqrt());
        }
        if let Some(on) = branch.parent {
            borne[on.branch].push((on.along, beyond));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weber_penn::grow::Shoot;
    use treesway::Branch;
    use treesway::glam::Vec3;

    #[test]
    fn sections_add_up_where_wood_is_thin() {
        let shoot = |level| Shoot {
            level,
            length: 2.0,
            upper: Vec3::Y,
            offset_ratio: 0.5,
            share: 1.0,
            stream: 0,
        };
        let thin = |base: Vec3| [base, base + Vec3::X, base + Vec3::X * 2.0].map(|p| (p, 0.001));
        let mut wood = Wood {
            branches: vec![Branch::trunk(thin(Vec3::ZERO))],
            shoots: vec![shoot(0)],
        };
        for along in [0.5, 1.5, 1.6, 1.7] {
            wood.branches
                .push(Branch::on(0, along, thin(Vec3::X * along)));
            wood.shoots.push(shoot(1));
        }
        support(&mut wood, 1, 0.002, 1.0);
        let radii: Vec<f32> = wood.branches[0].nodes.iter().map(|n| n.radius).collect();
        // Four stems beyond the base, and on the first piece; three on the second.
        assert!((radii[0] - 0.004).abs() < 1e-6, "{radii:?}");
        assert!((radii[1] - 0.004).abs() < 1e-6, "{radii:?}");
        assert!((radii[2] - 0.002 * 3_f32.sqrt()).abs() < 1e-6, "{radii:?}");
        assert!(wood.branches[1].nodes.iter().all(|n| n.radius == 0.002));
    }
}
