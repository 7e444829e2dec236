//! A potted tree is pushed to and fro (Fig. 6 of the paper): with fictitious forces it bends against the acceleration, without
//! them it stays upright.
//!
//! `cargo run --release -p treesway --example root_shake`

use std::sync::Arc;
use treesway::glam::{DQuat, DVec3, Vec3};
use treesway::{
    BodyId, Branch, BuildError, CutOptions, Fictitious, RootPose, Skeleton, Solver, SolverSettings,
    Tree, TreeOptions, World, cut,
};

/// 0.3 m to both sides, once in two seconds.
fn shaken(seconds: f64) -> RootPose {
    RootPose {
        position: DVec3::X * 0.3 * libm::sin(std::f64::consts::PI * seconds),
        rotation: DQuat::IDENTITY,
    }
}

fn shaken_world(fictitious: Fictitious) -> Result<(World, BodyId), BuildError> {
    let tree = Skeleton {
        branches: vec![Branch::trunk([(Vec3::ZERO, 0.015), (Vec3::Y * 2.5, 0.006)])],
        ..Skeleton::default()
    };
    let bodies = cut(&tree, &CutOptions::default())?;
    let options = TreeOptions {
        settings: SolverSettings {
            solver: Solver::Analytic,
            fictitious,
            ..SolverSettings::default()
        },
        motion: Some(Arc::new(shaken)),
        ..TreeOptions::default()
    };
    let mut world = World::default();
    world.add(Tree::build(&bodies, options)?);
    Ok((world, BodyId(bodies.bodies.len() as u32 - 1)))
}

fn main() -> Result<(), BuildError> {
    let (mut with, tip) = shaken_world(Fictitious::default())?;
    let (mut without, _) = shaken_world(Fictitious::off())?;
    println!("   time    root x    lean of the tip, m: with, without fictitious forces");
    for frame in 0..=120 {
        if frame % 10 == 0 {
            let root = shaken(with.seconds()).position.x as f32;
            let lean = |world: &World| world.trees()[0].tip(tip).x - root;
            println!(
                "{:5.2} s  {root:7.3}   {:7.3} {:7.3}",
                with.seconds(),
                lean(&with),
                lean(&without)
            );
        }
        with.step();
        without.step();
    }
    Ok(())
}
