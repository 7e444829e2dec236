//! What must hold of the engine, by the physics it is about.

#[path = "../common/mod.rs"]
mod common;
#[path = "../reference/mod.rs"]
mod reference;

mod cantilever;
mod gravity_pose;
mod oscillator;
mod reference_step;
mod spring_kernel;
