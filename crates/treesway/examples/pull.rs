//! A hand pulls the tip of a sapling aside and lets go. Any strength is stable, even an infinite one.
//!
//! `cargo run --release -p treesway --example pull`

use treesway::glam::Vec3;
use treesway::{
    BodyId, Branch, BuildError, CutOptions, Pull, Skeleton, Tree, TreeId, TreeOptions, World, cut,
};

fn main() -> Result<(), BuildError> {
    let sapling = Skeleton {
        branches: vec![Branch::trunk([(Vec3::ZERO, 0.012), (Vec3::Y * 2.0, 0.004)])],
        ..Skeleton::default()
    };
    let bodies = cut(&sapling, &CutOptions::default())?;
    let tip = BodyId(bodies.bodies.len() as u32 - 1);
    for stiffness in [10.0, 1e3, f32::INFINITY] {
        let mut world = World::default();
        let tree = world.add(Tree::build(&bodies, TreeOptions::default())?);
        println!("\na pull of {stiffness} N/m to (0.6, 1.8, 0) m, released after 3 s");
        bend_and_let_go(&mut world, tree, tip, stiffness);
    }
    Ok(())
}

fn bend_and_let_go(world: &mut World, tree: TreeId, tip: BodyId, stiffness: f32) {
    let end = Vec3::Z * world.tree(tree).body(tip).length;
    let target = Vec3::new(0.6, 1.8, 0.0);
    let hand = world
        .tree_mut(tree)
        .add_pull(Pull::new(tip, end, target, stiffness));
    for half_second in 0..10 {
        if half_second == 6 {
            world.tree_mut(tree).release(hand);
        }
        for _ in 0..15 {
            world.step();
        }
        let force = world.tree(tree).pull_force(hand).unwrap_or(Vec3::ZERO);
        println!(
            "{:4.1} s  tip {:6.3} m  force {:6.2} N",
            world.seconds(),
            world.tree(tree).tip(tip),
            force.length()
        );
    }
}
