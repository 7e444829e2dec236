//! What must hold of the engine, by the physics it is about.

#[allow(dead_code, reason = "shared with other tests")]
#[path = "../common/mod.rs"]
mod common;
#[path = "../reference/mod.rs"]
mod reference;

mod build_errors;
mod cantilever;
mod cutting;
mod free_root;
mod frequency;
mod gravity_pose;
mod healing;
mod oscillator;
mod parameters;
mod reference_step;
mod root_motion;
mod spring_kernel;
mod stability;
mod wind;
