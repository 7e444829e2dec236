//! Blades that bend in the wind: of every leaf both sides about its midrib, and the midrib.
//!
//!   p = C_W (w·n),  n at the ends of midrib and venations             (7), per area
//!   φ∞ = p/k,  φ ← φ∞ + (φ − φ∞) e^(−h/T)
//!
//! p [Pa] is the mean over the ends of a side, or at the end of the midrib; k [Pa/rad] is [`super::StemSettings::blade_stiffness`]. A blade is so light against the air
//! which it has to push aside that it follows the wind without swinging, within T. As it bends, n turns, and the wind has less to press on.

use crate::desc::{BodyId, BodyKind};
use crate::elements::BladeBend;
use crate::math::V3;
use crate::tree::Tree;

/// T, s.
const FOLLOWS_IN: f64 = 0.08;

/// Most that a side turns about the midrib, and that the midrib curls, rad: further the pattern would lose its size.
const MOST_TURN: f64 = 0.6;
const MOST_CURL: f64 = 0.3;

/// What is bent less is straight, rad: else blades would take numbers too small for the processor's speed on after a wind.
const STRAIGHT: f64 = 1e-9;

impl Tree {
    /// How the blade of a leaf is bent: straight but with the solver `contact`.
    pub fn blade_bend(&self, id: BodyId) -> BladeBend {
        let known = self.blade_bend.get(id.index());
        known.copied().unwrap_or_default()
    }

    /// Leaves whose blades are not straight.
    pub(crate) fn bent_blades(&self) -> impl Iterator<Item = (BodyId, BladeBend)> {
        let all = self.blade_bend.iter().enumerate();
        let bent = all.filter(|(_, bend)| **bend != BladeBend::default());
        bent.map(|(i, bend)| (BodyId(i as u32), *bend))
    }

    /// After `h` s under these pressures on the sides and on the end of the midrib, Pa.
    pub(super) fn bend_blade(&mut self, id: BodyId, pressure: V3<f64>, h: f64) {
        let (block, slot) = self.slot(id);
        if block.model(slot).kind() != BodyKind::Leaf || !pressure.length().is_finite() {
            return;
        }
        let stiffness = f64::from(self.settings.stems.blade_stiffness);
        let stays = libm::exp(-h / FOLLOWS_IN);
        let now = &mut self.blade_bend[id.index()];
        for (angle, pressure, most) in [
            (&mut now.left, pressure.x, MOST_TURN),
            (&mut now.right, pressure.y, MOST_TURN),
            (&mut now.curl, pressure.z, MOST_CURL),
        ] {
            let wanted = (pressure / stiffness).clamp(-most, most);
            let bent = wanted + (f64::from(*angle) - wanted) * stays;
            *angle = if bent.abs() < STRAIGHT {
                0.0
            } else {
                bent as f32
            };
        }
    }
}
