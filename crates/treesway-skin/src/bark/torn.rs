//! Ends of wood that broke: fibres of different length around a hollow.

use super::axis::Station;
use super::tube::{Carriers, Corner, Tube};
use crate::texture::mix;

/// Shortest and longest fibres, in radii.
const FIBRES: [f32; 2] = [0.1, 1.6];
/// How deep the hollow between them is, in radii.
const HOLLOW: f32 = 0.2;

impl Tube<'_> {
    /// Starts a tube with torn wood instead of a ring in its parent. Its hollow is [`Tube::close_torn_base`], once all rings are there.
    pub(super) fn torn_base(&mut self, base: &Station, carriers: Carriers) {
        self.fibres(base, carriers, -1.0);
        self.rim(base, carriers, -1.0);
        self.round(base, carriers);
    }

    pub(super) fn close_torn_base(&mut self, base: &Station) {
        let middle = base.position - base.tangent * (HOLLOW * base.radius);
        let [rim, sides] = [self.first(), self.circle().len() - 1];
        let apex = self.add_like(rim, middle, -base.tangent);
        let corners = (0..sides).map(|k| (rim + k) as u32);
        self.add_triangles(corners.map(|k| [k + 1, k, apex]));
    }

    /// Ends a tube with torn wood.
    pub(super) fn torn_tip(&mut self, tip: &Station, carriers: Carriers) {
        self.rim(tip, carriers, 1.0);
        self.fibres(tip, carriers, 1.0);
        let middle = tip.position + tip.tangent * (HOLLOW * tip.radius);
        let sides = self.circle().len() - 1;
        let rim = self.end() - sides - 1;
        let apex = self.add_like(rim, middle, tip.tangent);
        let corners = (0..sides).map(|k| (rim + k) as u32);
        self.add_triangles(corners.map(|k| [k, k + 1, apex]));
    }

    /// Where the bark ends, in bare wood.
    fn rim(&mut self, at: &Station, carriers: Carriers, way: f32) {
        self.bare_ring(at, carriers, |_| (1.0, 0.02 * way));
    }

    /// The ends of the fibres; which are long depends on where the break is.
    fn fibres(&mut self, at: &Station, carriers: Carriers, way: f32) {
        let seed = at.position.to_array().map(f32::to_bits);
        let seed = seed.iter().fold(0, |s: u32, b| mix(s ^ b));
        self.bare_ring(at, carriers, |corner| {
            let share =
                mix(seed ^ (corner as u32).wrapping_mul(0x9e37_79b9)) as f32 / u32::MAX as f32;
            let [short, long] = FIBRES;
            (
                0.9 - 0.3 * share,
                way * (short + (long - short) * share * share),
            )
        });
    }

    /// A ring whose corners are (outwards, along the axis) of the radius from the middle. A negative radius tells bare wood.
    fn bare_ring(&mut self, at: &Station, carriers: Carriers, place: impl Fn(usize) -> (f32, f32)) {
        let circle = self.circle();
        let sides = circle.len() - 1;
        self.ring(|corner| {
            let out = at.side * circle[corner].x + at.other_side() * circle[corner].y;
            let (across, along) = place(corner % sides);
            let corner = Corner {
                position: at.position + (out * across + at.tangent * along) * at.radius,
                normal: out,
                radius: -at.radius,
                turns: at.turns + along / core::f32::consts::TAU,
            };
            (corner, carriers, 1.0)
        });
    }
}
