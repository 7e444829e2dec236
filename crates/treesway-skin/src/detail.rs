//! How finely a tree is drawn.

/// Level of detail of a skin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detail {
    /// Sides of a ring of the thickest branch (default: 16).
    pub most_sides: u32,
    /// Sides of a ring of a twig, at least 3 (default: 4).
    pub least_sides: u32,
    /// Rings between two joints of a thick branch (default: 3).
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
            most_sides: 16,
            least_sides: 4,
            curve_steps: 3,
            least_radius: 0.0,
            leaf_share: 1.0,
            most_leaves: 8,
        }
    }
}
