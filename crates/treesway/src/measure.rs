//! What a forester measures on a [`Skeleton`]: volume, length, height, diameter at breast height, and all of it by branch order.

use crate::skeleton::{Branch, Skeleton};
use crate::solid::Solid;

/// Breast height, m along the trunk.
const BREAST_HEIGHT: f64 = 1.3;

/// Measures of the wood of a skeleton.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measure {
    /// m³.
    pub volume: f64,
    /// Of all axes, m.
    pub length: f64,
    /// Of the highest node above the base of the trunk, m.
    pub height: f64,
    /// Diameter of the trunk 1.3 m from its base along its axis, m; none if it is shorter.
    pub dbh: Option<f64>,
    /// By branch order, the trunk's first.
    pub orders: Vec<OrderMeasure>,
}

/// The branches of one order.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct OrderMeasure {
    /// How many axes; one that is interrupted counts once.
    pub branches: usize,
    /// m.
    pub length: f64,
    /// m³.
    pub volume: f64,
}

impl Skeleton {
    /// Order of every branch: 0 for the trunk, one more at every fork. Branches that never reach a trunk have none.
    pub fn orders(&self) -> Vec<Option<usize>> {
        let n = self.branches.len();
        let mut children = vec![Vec::new(); n];
        let mut orders = vec![None; n];
        let mut reached = Vec::with_capacity(n);
        for (b, branch) in self.branches.iter().enumerate() {
            match branch.parent {
                None => {
                    orders[b] = Some(0);
                    reached.push(b);
                }
                Some(on) if on.branch < n => children[on.branch].push(b),
                Some(_) => {}
            }
        }
        let mut next = 0;
        while let Some(&b) = reached.get(next) {
            for &child in &children[b] {
                let forks = usize::from(!self.branches[child].continues);
                orders[child] = orders[b].map(|order: usize| order + forks);
                reached.push(child);
            }
            next += 1;
        }
        orders
    }

    /// Measures the wood. Branches that never reach the trunk, which [`crate::cut`] refuses, do not count.
    pub fn measure(&self) -> Measure {
        let mut sum = Measure::default();
        let heights = |b: &Branch| b.nodes.first().map(|n| n.position.y);
        let trunk = self.branches.iter().find(|b| b.parent.is_none());
        let ground = trunk.and_then(heights).unwrap_or(0.0);
        for (branch, order) in self.branches.iter().zip(self.orders()) {
            let Some(order) = order else { continue };
            if sum.orders.len() <= order {
                sum.orders.resize(order + 1, OrderMeasure::default());
            }
            let arcs = branch.arc_lengths();
            let length = arcs[arcs.len() - 1];
            let volume: f64 = arcs
                .windows(2)
                .enumerate()
                .map(|(i, a)| {
                    let [base, tip] = branch.radii(i);
                    Solid::frustum(a[1] - a[0], base, tip).volume
                })
                .sum();
            let of = &mut sum.orders[order];
            of.branches += usize::from(!branch.continues);
            of.length += length;
            of.volume += volume;
            sum.length += length;
            sum.volume += volume;
            for node in &branch.nodes {
                sum.height = sum.height.max(f64::from(node.position.y - ground));
            }
        }
        sum.dbh = self.diameter_along_trunk(BREAST_HEIGHT);
        sum
    }

    /// Diameter of the trunk at a distance from its base along its axis, m.
    fn diameter_along_trunk(&self, distance: f64) -> Option<f64> {
        let mut at = self.branches.iter().position(|b| b.parent.is_none())?;
        let mut left = distance;
        // An axis cannot go on more often than there are branches; a cycle could.
        for _ in 0..self.branches.len() {
            let branch = &self.branches[at];
            let arcs = branch.arc_lengths();
            if let Some(i) = arcs.iter().skip(1).position(|&a| a >= left) {
                let [base, tip] = branch.radii(i);
                let t = (left - arcs[i]) / (arcs[i + 1] - arcs[i]);
                return Some(2.0 * (base + (tip - base) * t));
            }
            left -= arcs[arcs.len() - 1];
            let goes_on = |b: &Branch| b.continues && b.parent.is_some_and(|on| on.branch == at);
            at = self.branches.iter().position(goes_on)?;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::{Attachment, Profile};
    use core::f64::consts::PI;
    use glam::Vec3;

    /// A trunk of two cylinders and a gap of 10 cm, then more trunk; on it a limb and on that a twig.
    fn scan() -> Skeleton {
        let stepped = |branch: Branch, continues| Branch {
            profile: Profile::Stepped,
            continues,
            ..branch
        };
        let y = |h: f32| Vec3::Y * h;
        let x = |r: f32| Vec3::new(r, 1.0, 0.0);
        let trunk = Branch::trunk([(y(0.0), 0.1), (y(0.5), 0.08), (y(1.0), 0.08)]);
        let more = Branch::on(0, 1.0, [(y(1.1), 0.06), (y(2.0), 0.06)]);
        let limb = Branch::on(0, 1.0, [(x(0.08), 0.02), (x(1.08), 0.02)]);
        let twig = Branch::on(2, 1.0, [(x(1.08), 0.004), (x(1.58), 0.002)]);
        Skeleton {
            branches: vec![
                stepped(trunk, false),
                stepped(more, true),
                stepped(limb, false),
                twig,
            ],
            ..Skeleton::default()
        }
    }

    #[test]
    fn cylinders_are_measured_as_cylinders() {
        let m = scan().measure();
        let trunk = PI * (0.1f64.powi(2) * 0.5 + 0.08f64.powi(2) * 0.5 + 0.06f64.powi(2) * 0.9);
        let limb = PI * 0.02f64.powi(2);
        let twig = PI * 0.5 / 3.0 * (16e-6 + 8e-6 + 4e-6);
        let close = |got: f64, want: f64| assert!((got - want).abs() < 1e-6 * want, "{got} {want}");
        close(m.volume, trunk + limb + twig);
        close(m.length, 1.9 + 1.0 + 0.5);
        close(m.height, 2.0);
        close(m.dbh.unwrap(), 0.12);
        let by_order: Vec<usize> = m.orders.iter().map(|o| o.branches).collect();
        assert_eq!(by_order, [1, 1, 1]);
        close(m.orders[0].length, 1.9);
        close(m.orders[1].volume, limb);
    }

    #[test]
    fn branches_in_a_cycle_have_no_order() {
        let mut skeleton = scan();
        skeleton.branches[2].parent = Some(Attachment {
            branch: 3,
            along: 0.0,
        });
        assert_eq!(skeleton.orders(), [Some(0), Some(0), None, None]);
        assert_eq!(skeleton.measure().orders.len(), 1);
    }

    #[test]
    fn a_short_trunk_has_no_breast_height() {
        let mut skeleton = scan();
        skeleton.branches[1].nodes[1].position.y = 1.2;
        assert_eq!(skeleton.measure().dbh, None);
    }
}
