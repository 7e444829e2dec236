//! scratch
use treesway::glam::Vec3;
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
    o.settings.solver = Solver::Coupled;
    (d, o)
}

#[test]
fn sag() {
    for n in [5, 10, 20, 40, 80] {
        for k in [1.0, 1e4] {
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

#[test]
fn freq() {
    for solver in [Solver::Coupled, Solver::Analytic] {
        for sub in [1, 2, 20] {
            for n in [5, 10, 20, 40] {
                let (d, mut o) = beam(n, 1.0);
                o.settings.solver = solver;
                o.params.multipliers.branch_damping = 0.0;
                o.settings.substeps = sub;
                let mut w = World::default();
                w.gravity = Vec3::ZERO;
                let t = w.add(Tree::build(&d, o).unwrap());
                let mut rep = StepReport::default();
                let tip = BodyId(n as u32 - 1);
                let mut o2 = w.tree(t).params().clone();
                o2.multipliers.branch_damping = 20.0;
                w.tree_mut(t).set_params(o2.clone()).unwrap();
                w.tree_mut(t)
                    .add_load(Load::force(tip, Vec3::new(0., 0., 0.1), Vec3::Y * 2.0).held());
                for _ in 0..300 {
                    rep += w.step();
                }
                let y0 = w.tree(t).tip(tip).y;
                o2.multipliers.branch_damping = 0.0;
                w.tree_mut(t).set_params(o2).unwrap();
                w.tree_mut(t).clear_loads();
                let mut ys = vec![y0];
                for _ in 0..900 {
                    rep += w.step();
                    ys.push(w.tree(t).tip(tip).y);
                }
                let mut cross = vec![];
                for i in 1..ys.len() {
                    if ys[i - 1] > 0.0 && ys[i] <= 0.0 {
                        cross.push(i as f32 - 1.0 + ys[i - 1] / (ys[i - 1] - ys[i]));
                    }
                }
                let f = (cross.len() - 1) as f32 / (cross[cross.len() - 1] - cross[0]) * 30.0;
                let m = |a: &[f32]| a.iter().fold(0f32, |m, y| m.max(y.abs()));
                println!(
                    "{solver:?} sub {sub} n {n}: f {f} ({:+.2} %) y0 {y0} amp {} {} healed {} lim {}",
                    (f / 3.6629 - 1.0) * 100.0,
                    m(&ys[0..60]),
                    m(&ys[840..]),
                    rep.healed,
                    rep.limited
                );
            }
        }
    }
}

#[test]
fn speed() {
    let mut branches = vec![Branch::trunk([(Vec3::ZERO, 0.3), (Vec3::Y * 6.0, 0.1)])];
    let mut leaves = vec![];
    for i in 0..40 {
        let p = Vec3::Y * (1.0 + 0.12 * i as f32);
        let a = i as f32 * 2.4;
        let dir = Vec3::new(a.cos(), 0.4, a.sin());
        let bi = branches.len();
        branches.push(Branch::on(0, p.y, [(p, 0.04), (p + dir * 3.0, 0.01)]));
        for j in 0..12 {
            let q = p + dir * (0.2 + 0.22 * j as f32);
            let b = a + if j % 2 == 0 { 1.0 } else { -1.0 };
            let dir2 = Vec3::new(b.cos(), 0.3, b.sin());
            let bj = branches.len();
            branches.push(Branch::on(
                bi,
                (q - p).length(),
                [(q, 0.008), (q + dir2, 0.002)],
            ));
            for k in 0..15 {
                let pos = q + dir2 * (0.2 + 0.05 * k as f32);
                leaves.push(Leaf {
                    on: Attachment {
                        branch: bj,
                        along: (pos - q).length(),
                    },
                    position: pos,
                    rotation: treesway::glam::Quat::from_rotation_y(k as f32),
                    length: 0.1,
                    width: 0.05,
                });
            }
        }
    }
    let s = Skeleton {
        branches,
        leaves,
        fruit: vec![],
    };
    let d = cut(&s, &CutOptions::default()).unwrap();
    for (solver, sub) in [(Solver::Analytic, 1), (Solver::Coupled, 1)] {
        for wind in [0.0, 10.0, 60.0] {
            let mut o = TreeOptions::default();
            o.settings.solver = solver;
            o.settings.substeps = sub;
            let mut w = World::default();
            if wind > 0.0 {
                w.fields.push(Box::new(UniformWind {
                    velocity: Vec3::X * wind,
                    ..Default::default()
                }));
            }
            let t = w.add(Tree::build(&d, o).unwrap());
            for _ in 0..30 {
                w.step();
            }
            let mut rep = StepReport::default();
            for _ in 0..200 {
                rep += w.step();
            }
            let tip = BodyId(w.tree(t).len() as u32 - 1);
            println!(
                "{solver:?} wind {wind} bodies {} {:.2} M/s healed {} limited {} tip {}",
                w.tree(t).len(),
                rep.bodies as f64 / rep.times.total().as_secs_f64() / 1e6,
                rep.healed,
                rep.limited,
                w.tree(t).tip(tip)
            );
            for (n, t) in rep.times.named() {
                println!("   {n} {:.1} ns", t.as_secs_f64() * 1e9 / rep.bodies as f64);
            }
        }
    }
}

#[test]
fn modes() {
    for n in [10, 20, 40] {
        let (d, o) = beam(n, 1.0);
        let t = Tree::build(&d, o).unwrap();
        let start = std::time::Instant::now();
        let m = t.modes(6);
        println!(
            "n {n}: {:?} {:?}",
            m.iter()
                .map(|m| (m.frequency_hz, m.damping_ratio, m.residual))
                .collect::<Vec<_>>(),
            start.elapsed()
        );
    }
    println!(
        "theory {:?}",
        [23.289f64, 73.9, 165.23]
            .map(|l| l * 0.005 * (8e9f64 / 800.).sqrt() / 16.0 / std::f64::consts::TAU)
    );
}
