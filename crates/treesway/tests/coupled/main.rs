//! What the coupled solver must hold: true frequencies, exact sag, little loss, stability at any stiffness.

mod beam;
mod damping;
mod healing;
mod leaves;
mod modes;
mod root_motion;
mod stability;
