//! Two branches in a gust: grow, cut, build, step, look at the tip.
//!
//! `cargo run --release -p treesway --example hello_tree`

use treesway::glam::Vec3;
use treesway::{
    BodyId, Branch, BuildError, CutOptions, Skeleton, Tree, TreeOptions, Wind, World, cut,
};

fn main() -> Result<(), BuildError> {
    // A trunk of 3 m, and a limb that leaves it 2 m above the ground; each node has its radius.
    let fork = Vec3::Y * 2.0;
    let trunk = Branch::trunk([(Vec3::ZERO, 0.05), (fork, 0.03), (Vec3::Y * 3.0, 0.01)]);
    let limb = Branch::on(0, 2.0, [(fork, 0.02), (Vec3::new(1.0, 3.0, 0.0), 0.005)]);
    let skeleton = Skeleton {
        branches: vec![trunk, limb],
        ..Skeleton::default()
    };

    let bodies = cut(&skeleton, &CutOptions::default())?;
    let tip = BodyId(bodies.bodies.len() as u32 - 1);
    let mut world = World::default();
    let tree = world.add(Tree::build(&bodies, TreeOptions::default())?);

    println!("   time      tip of the limb, m");
    for second in 0..=6 {
        let blows = (1..4).contains(&second);
        println!(
            "{:5.1} s  {:7.3}  {}",
            world.seconds(),
            world.tree(tree).tip(tip),
            if blows { "wind 15 m/s" } else { "" }
        );
        world.fields.clear();
        if blows {
            world.fields.push(Box::new(Wind::steady(Vec3::Z * 15.0)));
        }
        for _ in 0..30 {
            world.step();
        }
    }
    Ok(())
}
