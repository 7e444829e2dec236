//! Long work that says how far it is and can be stopped.

use super::GlbError;

/// Someone who watches a part of the work.
#[derive(Clone, Copy)]
pub(super) struct Watch<'a> {
    /// Told the share of everything that is done; answers whether to go on.
    told: &'a (dyn Fn(f32) -> bool + Sync),
    start: f32,
    length: f32,
}

impl<'a> Watch<'a> {
    pub(super) fn new(told: &'a (dyn Fn(f32) -> bool + Sync)) -> Self {
        Self {
            told,
            start: 0.0,
            length: 1.0,
        }
    }

    /// The same over a part of this one's work.
    #[must_use]
    pub(super) fn part(&self, from: f32, to: f32) -> Self {
        Self {
            told: self.told,
            start: self.start + from * self.length,
            length: (to - from) * self.length,
        }
    }

    /// Says that a share of its part is done.
    pub(super) fn go_on(&self, share: f32) -> Result<(), GlbError> {
        if (self.told)(self.start + share * self.length) {
            Ok(())
        } else {
            Err(GlbError::Interrupted)
        }
    }
}
