//! Lengths, radii and numbers of children (paper §4.3, 4.4, 4.6).

use super::params::WeberPenn;
use super::shape::Outline;

/// A stem as its children need it, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parent {
    pub(crate) level: usize,
    pub(crate) length: f64,
    /// At its base, without flare.
    pub(crate) radius: f64,
    /// `length_child,max` of its children: `nLength ± nLengthV`, drawn once per parent.
    pub(crate) child_length_max: f64,
    /// Where it leaves its own parent, over that parent's length.
    pub(crate) offset_ratio: f64,
    /// Its length over its parent's, over `length_child,max` there.
    pub(crate) relative_length: f64,
}

impl WeberPenn {
    /// Length of the bare base of the trunk, m: `length_base` = BaseSize · scale_tree, and never all of it.
    pub(crate) fn base_length(&self, scale_tree: f64, trunk_length: f64) -> f64 {
        (f64::from(self.base_size) * scale_tree).min(0.98 * trunk_length)
    }

    /// Length of a child that leaves its parent at `offset` m.
    pub(crate) fn child_length(&self, parent: &Parent, offset: f64, base_length: f64) -> f64 {
        if parent.level == 0 {
            let ratio = (parent.length - offset) / (parent.length - base_length);
            parent.length * parent.child_length_max * self.outline(self.shape, ratio)
        } else {
            parent.child_length_max * (parent.length - 0.6 * offset)
        }
    }

    /// Radius of a child at its base, no more than its parent's where it leaves it.
    pub(crate) fn child_radius(
        &self,
        parent: &Parent,
        length: f64,
        parent_radius_there: f64,
    ) -> f64 {
        let power = f64::from(self.ratio_power);
        (parent.radius * libm::pow(length / parent.length, power)).min(parent_radius_there)
    }

    /// How many children a stem has; the fraction is for whoever rounds.
    pub(crate) fn child_count(&self, parent: &Parent) -> f64 {
        let most = f64::from(self.level(parent.level + 1).branches);
        match parent.level {
            0 => most,
            1 => most * (0.2 + 0.8 * parent.relative_length),
            _ => most * (1.0 - 0.5 * parent.offset_ratio),
        }
    }

    /// `ShapeRatio` of this tree.
    pub(crate) fn outline(&self, outline: Outline, ratio: f64) -> f64 {
        outline.at(ratio, &self.prune.unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::weber_penn::Level;

    fn tree() -> WeberPenn {
        WeberPenn {
            base_size: 0.25,
            ratio_power: 1.5,
            levels: vec![
                Level::default(),
                Level {
                    branches: 40,
                    ..Level::default()
                },
                Level {
                    branches: 30,
                    ..Level::default()
                },
                Level {
                    branches: 20,
                    ..Level::default()
                },
            ],
            ..WeberPenn::default()
        }
    }

    fn stem(level: usize) -> Parent {
        Parent {
            level,
            length: 8.0,
            radius: 0.2,
            child_length_max: 0.5,
            offset_ratio: 0.4,
            relative_length: 0.75,
        }
    }

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-12, "{found}, not {expected}");
    }

    #[test]
    fn first_branches_are_as_long_as_the_outline_says() {
        let tree = tree();
        let base = tree.base_length(10.0, 8.0);
        near(base, 2.5);
        // Conical: 0.2 + 0.8·(8 − 5.25)/(8 − 2.5) = 0.6.
        near(tree.child_length(&stem(0), 5.25, base), 8.0 * 0.5 * 0.6);
        near(tree.child_length(&stem(0), 2.5, base), 4.0);
        near(tree.child_length(&stem(0), 8.0, base), 0.8);
    }

    #[test]
    fn later_branches_are_shorter_towards_the_tip_of_their_parent() {
        near(tree().child_length(&stem(1), 5.0, 0.0), 0.5 * (8.0 - 3.0));
        near(tree().child_length(&stem(3), 0.0, 0.0), 4.0);
    }

    #[test]
    fn radii_follow_the_ratio_of_lengths_and_never_exceed_the_parent() {
        near(tree().child_radius(&stem(0), 2.0, 1.0), 0.2 * 0.125);
        near(tree().child_radius(&stem(0), 2.0, 0.01), 0.01);
    }

    #[test]
    fn long_branches_and_those_near_the_base_bear_more() {
        near(tree().child_count(&stem(0)), 40.0);
        near(tree().child_count(&stem(1)), 30.0 * 0.8);
        near(tree().child_count(&stem(2)), 20.0 * 0.8);
    }
}
