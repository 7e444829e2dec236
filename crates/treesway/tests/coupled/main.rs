//! What the coupled solver must hold: true frequencies, exact sag, little loss, stability at any stiffness.

mod beam;
mod damping;
mod modes;
mod reproducible;
mod stability;
