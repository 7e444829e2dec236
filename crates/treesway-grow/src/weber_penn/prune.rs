//! Stems that end at the ground or at the pruning envelope (paper §4.7).

use super::stem::Stem;
use treesway::glam::DVec3;
use treesway::math::Rng;

impl Stem<'_> {
    /// The length of this stem that stays out of the ground, and inside the pruning envelope by as much as the pruning ratio says.
    pub(crate) fn pruned_length(&self, rng: &Rng, scale_tree: f64) -> f64 {
        if self.level == 0 {
            return self.length;
        }
        // A hand above the ground; only those that can reach it are asked.
        let low = 0.01 * scale_tree;
        let mut length = self.length;
        if self.position.y < length + low {
            length = self.shortened(length, rng, |p| p.y > low);
        }
        let Some(prune) = self.tree.prune.filter(|p| p.ratio > 0.0) else {
            return length;
        };
        let fitting = self.shortened(length, rng, |p| {
            let radius = (p.x * p.x + p.z * p.z).sqrt();
            prune.holds(radius, p.y, scale_tree, self.tree.base_size.into())
        });
        let ratio = f64::from(prune.ratio);
        fitting * ratio + length * (1.0 - ratio)
    }

    /// The largest length, in steps, with which all of the stem is where it may be; nothing if there is none.
    fn shortened(&self, length: f64, rng: &Rng, inside: impl Fn(&DVec3) -> bool) -> f64 {
        let mut fitting = length;
        // 0.85^28 is 1 %.
        for _ in 0..28 {
            let shorter = Self {
                length: fitting,
                ..*self
            };
            let axes = shorter.grow(&mut rng.clone());
            if axes.is_some_and(|axes| axes.iter().flat_map(|a| &a.points[1..]).all(&inside)) {
                return fitting;
            }
            fitting *= 0.85;
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weber_penn::stem::trial::{level_frame, stem, tree};
    use crate::weber_penn::{Level, Prune, WeberPenn};

    #[test]
    fn pruning_ends_branches_at_the_envelope() {
        let mut tree = tree(Level::default());
        tree.prune = Some(Prune {
            ratio: 1.0,
            width: 0.2,
            ..Prune::default()
        });
        // 10 m high, widest 6 m up with 2 m: a level branch there.
        let pruned = |tree: &WeberPenn| {
            let at = Stem {
                position: DVec3::Y * 6.0,
                ..stem(tree, 1, level_frame())
            };
            at.pruned_length(&Rng::new(0, 0), 10.0)
        };
        let length = pruned(&tree);
        assert!(length < 2.0 && length > 2.0 * 0.85, "{length}");
        tree.prune.as_mut().unwrap().ratio = 0.5;
        assert!((pruned(&tree) - 0.5 * (4.0 + length)).abs() < 1e-9);
    }

    #[test]
    fn nothing_grows_into_the_ground() {
        let tree = tree(Level {
            curve_deg: 90.0,
            ..Level::default()
        });
        let low = Stem {
            position: DVec3::Y,
            ..stem(&tree, 1, level_frame())
        };
        let length = low.pruned_length(&Rng::new(0, 0), 10.0);
        assert!(length < low.length && length > 0.5, "{length}");
        let axes = Stem { length, ..low }.grow(&mut Rng::new(0, 0)).unwrap();
        assert!(axes[0].points.iter().all(|p| p.y > 0.0));
    }
}
