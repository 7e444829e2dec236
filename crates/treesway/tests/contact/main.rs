//! What must hold where trees meet other things.

#[allow(dead_code, reason = "shared with other tests")]
#[path = "../common/mod.rs"]
mod common;

mod ball;
mod branches;
mod collider;
mod pile;
mod rays;
mod search;
