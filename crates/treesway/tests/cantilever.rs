//! wip
use treesway::glam::{Quat, Vec3};
use treesway::*;

fn beam(n: usize, scale: f32) -> (TreeDesc, TreeOptions) {
    let s = Skeleton {
        branches: vec![Branch::trunk([(Vec3::ZERO, 0.04), (Vec3::X * 4.0, 0.01)])],
        ..Default::default()
    };
    let c = CutOptions {
        segment_length: 4.0 / n as f32,
        most_segments: 1000,
        ..Default::default()
    };
    let d = cut(&s, &c).unwrap();
    let mut o = TreeOptions::default();
    o.params.gravity_pose = GravityPose::Unloaded;
    o.params.multipliers.branch_stiffness = scale;
    let _ = Quat::IDENTITY;
    (d, o)
}

#[test]
fn sag() {
    for n in [5, 10, 20, 40, 80] {
        for k in [1.0, 100.0, 1e4] {
            let (d, mut o) = beam(n, k);
            o.params.multipliers.branch_damping = 20.0;
            let mut w = World::default();
            let t = w.add(Tree::build(&d, o).unwrap());
            let mut rep = StepReport::default();
            for _ in 0..1200 {
                rep += w.step();
            }
            let tip = w.tree(t).tip(BodyId(n as u32 - 1));
            println!("n {n} k {k}: {tip} {:?} {}", rep.healed, rep.limited);
        }
    }
}
