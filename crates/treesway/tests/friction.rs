//! Friction where a tree touches itself is Coulomb's: a branch that is pressed down on another and pulled along it stays while the pull is less than μ times what
//! presses, and beyond that goes as far as its spring takes up the rest.

#[allow(dead_code, reason = "shared with other tests")]
mod common;

use common::crossing::{ABOVE, LENGTH, crossing};
use common::{run, segment, unloaded, world_of};
use treesway::glam::Vec3;
use treesway::{Load, Solver, TreeId};

const TREE: TreeId = TreeId(0);

/// Radius of the branch below, m.
const THICK: f32 = 0.016;

/// Presses the end of the branch down, N.
const LOAD: f32 = 4.0;

/// Frames in which a load grows, and in which it then lasts.
const GROWS: u16 = 60;

/// A branch that was pressed on another, and then pulled along it.
struct Dragged {
    /// How far the pull has taken its end along the one below, m.
    way: f32,
    /// Of the force between the two, what is along the one below over what presses: what load and spring leave to be held on the joint of the branch.
    slope: f32,
}

/// Pulled by `pull` times what presses.
fn dragged(solver: Solver, friction: f32, pull: f32) -> Dragged {
    let mut options = unloaded();
    options.settings.solver = solver;
    options.settings.self_contact.enabled = Some(true);
    options.settings.self_contact.friction = friction;
    options.params.wood.youngs_modulus = 3e9;
    let below = segment(LENGTH, THICK, THICK);
    let mut world = world_of(&crossing(below, THICK), options);
    world.gravity = Vec3::ZERO;
    let (mut from, mut force) = (Vec3::ZERO, Vec3::ZERO);
    for frame in 0..4 * GROWS {
        if frame == 2 * GROWS {
            from = world.tree(TREE).tip(ABOVE);
        }
        let grown = |since: u16| {
            let frames = frame.saturating_sub(since).min(GROWS);
            f32::from(frames) / f32::from(GROWS)
        };
        force = Vec3::new(0.0, -grown(0), pull * grown(2 * GROWS)) * LOAD;
        let tree = world.tree_mut(TREE);
        tree.add_load(Load::force(ABOVE, Vec3::Z * LENGTH, force));
        run(&mut world, 1);
    }
    let tree = world.tree(TREE);
    let branch = tree.body(ABOVE);
    let spring = branch.pose.rotation * (branch.stiffness * branch.theta);
    let lever = tree.tip(ABOVE) - branch.pose.position;
    // About the joint, from a point on the branch, which lies along x.
    let held = spring - lever.cross(force);
    Dragged {
        way: (tree.tip(ABOVE) - from).z,
        slope: held.y / held.z,
    }
}

#[test]
fn branches_hold_up_to_the_cone_of_friction_and_slide_beyond_it() {
    for solver in [Solver::Contact, Solver::Coupled, Solver::Analytic] {
        for pull in [0.15, 0.25, 0.6] {
            let [free, rough] = [0.0, 0.3].map(|friction| dragged(solver, friction, pull));
            println!(
                "{solver:?}, pulled by {pull} of what presses: {:.2} mm with a slope of {:.3} without friction, {:.2} mm and {:.3} with μ = 0.3",
                free.way * 1e3,
                free.slope,
                rough.way * 1e3,
                rough.slope
            );
            assert!(free.slope.abs() < 0.01);
            if pull < 0.3 {
                assert!(rough.way < 0.1 * free.way && rough.slope < 0.3);
            } else {
                assert!(rough.way > 0.5 * free.way && (0.285..0.305).contains(&rough.slope));
            }
        }
    }
}
