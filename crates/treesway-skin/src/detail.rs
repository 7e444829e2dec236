//! How finely a tree is drawn.

use core::f32::consts::PI;

/// Level of detail of a skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// How far the bark may be from the smooth surface that it stands for, m (default: 0.002). It decides on sides and rings within the
    /// limits below.
    pub tolerance: f32,
    /// Most sides of a ring (default: 32).
    pub most_sides: u32,
    /// Least sides of a ring, at least 3 (default: 4).
    pub least_sides: u32,
    /// Most rings from one joint to the next (default: 4).
    pub curve_steps: u32,
    /// Branches thinner than this at their base are not drawn, m (default: 0).
    pub least_radius: f32,
    /// Share of the leaf bodies that are drawn, the drawn ones larger to cover as much (default: 1).
    pub leaf_share: f32,
    /// Most leaves of a spray, the mesh that stands for one leaf body (default: 8).
    pub most_leaves: u32,
}

impl Default for Detail {
    fn default() -> Self {
        Self {
            tolerance: 0.002,
            most_sides: 32,
            least_sides: 4,
            curve_steps: 4,
            least_radius: 0.0,
            leaf_share: 1.0,
            most_leaves: 8,
        }
    }
}

impl Detail {
    /// Sides of a ring: even, so that opposite corners mirror each other, and so many that flat sides are within the tolerance,
    /// r (1 − cos(π/n)) ≤ tolerance.
    pub(crate) fn sides(&self, radius: f32) -> u32 {
        let least = self.least_sides.max(3);
        let flat = (1.0 - self.tolerance / radius).max(-1.0);
        let wanted = (PI / flat.acos()).ceil().min(1e6) as u32;
        let even = wanted.next_multiple_of(2);
        even.clamp(least, self.most_sides.max(least))
    }

    /// Rings of a branch's collar beyond its first; none of a twig that would not show it.
    pub(crate) fn collar_rings(&self, radius: f32) -> u32 {
        let size = radius / self.tolerance;
        if size < 2.0 {
            0
        } else if size < 8.0 {
            2
        } else {
            4
        }
    }
}
