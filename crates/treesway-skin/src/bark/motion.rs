//! What moves a place of the bark: two bodies, and the share of the second.
//!
//! At a joint both bodies have half a share and in the middle of a body that body all of it, so that a bent chain is a smooth curve (a quadratic
//! B-spline of the bodies' frames). A branch turns about a joint in the middle of its parent. Its bark is held by the parent's up to where it
//! comes out, and let go of within one radius of the parent.

use super::axis::Station;
use super::tube::Carriers;
use super::wood::{Held, Wood};

impl Wood<'_> {
    /// What moves a ring of a chain.
    pub(super) fn carriers(&self, chain: usize, at: &Station) -> Carriers {
        let own = blended(self.chains.bodies(chain), at.joint);
        let Some(fork) = self.chains.chain(chain).fork else {
            return own;
        };
        let share = self.held[chain].share(at.along);
        if share >= 1.0 {
            return own;
        }
        Carriers {
            bodies: [fork.body, own.bodies[usize::from(own.weight > 0.5)]],
            weight: share,
        }
    }

    /// What moves something that sits on the bark of a chain, which is straight between rings. Of a body that has no more than two, they are on
    /// its axis, so that what is between them moves with that body; but in its first stretch a collar lags behind, and the less the further out.
    pub(super) fn carriers_on(&self, chain: usize, at: &Station) -> Carriers {
        let [below, above] = self.axes[chain].around(at.joint);
        let held = &self.held[chain];
        // Rings within a collar are those of the collar.
        let collared = below.along <= held.collar && held.collar > 0.0 && self.has_collar(chain);
        let collar = if collared { held.collar } else { 0.0 };
        let first = below.along <= collar;
        if !first && above.joint - below.joint < 0.45 {
            return self.carriers(chain, at);
        }
        let bodies = self.chains.bodies(chain);
        let body = bodies[(at.joint.max(0.0) as usize).min(bodies.len() - 1)];
        let lag = if !first {
            // As much as the rings on both sides, where a thick parent still holds them.
            let between = (at.along - below.along) / (above.along - below.along).max(1e-9);
            let [from, to] = [below, above].map(|ring| 1.0 - held.share(ring.along));
            from + (to - from) * between.clamp(0.0, 1.0)
        } else {
            let from = collar.min(at.along);
            let along = (at.along - from) / (above.along - from).max(1e-9);
            (1.0 - held.share(from)) * (1.0 - along) * from / at.along.max(1e-9)
        };
        match self.chains.chain(chain).fork {
            Some(fork) if lag > 0.0 => Carriers {
                bodies: [fork.body, body],
                weight: 1.0 - lag,
            },
            _ => Carriers {
                bodies: [body; 2],
                weight: 0.0,
            },
        }
    }
}

impl Held {
    /// Of the branch itself in the motion of its bark.
    fn share(&self, along: f32) -> f32 {
        let t = ((along - self.until) / self.over.max(1e-9)).clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }
}

/// The bodies of a chain at a place along it.
fn blended(bodies: &[u32], joint: f32) -> Carriers {
    let from_middle = (joint - 0.5).clamp(0.0, (bodies.len() - 1) as f32);
    let first = from_middle as usize;
    Carriers {
        bodies: [bodies[first], bodies[(first + 1).min(bodies.len() - 1)]],
        weight: from_middle.fract(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_are_shared_and_middles_are_not() {
        let at = |joint: f32| {
            let c = blended(&[7, 8, 9], joint);
            (c.bodies[0], c.bodies[1], c.weight)
        };
        assert_eq!(at(0.0), (7, 8, 0.0));
        assert_eq!(at(0.5), (7, 8, 0.0));
        assert_eq!(at(1.0), (7, 8, 0.5));
        assert_eq!(at(1.75), (8, 9, 0.25));
        assert_eq!(at(2.5), (9, 9, 0.0));
        assert_eq!(at(3.0), (9, 9, 0.0));
    }
}
