//! Time per stage, per step, per change of parameters and per build, on one thread and a tree of ten thousand bodies.
//!
//! `cargo bench -p treesway`. Stages are timed by the step's own report, so their sum is the step.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::hint::black_box;
use std::time::Instant;
use treesway::glam::{Quat, Vec3};
use treesway::{
    Attachment, Branch, CutOptions, Leaf, Skeleton, Solver, StageTimes, StepReport, Tree, TreeDesc,
    TreeOptions, Wind, World, cut,
};

/// Radians between neighbouring shoots: the golden angle, so that no two grow in line.
const GOLDEN_ANGLE: f32 = 2.399_963;

/// Branches of each order on one of the order below, their length and radius at the base, m.
const ORDERS: [(usize, f32, f32); 3] = [(24, 3.5, 0.06), (12, 1.2, 0.015), (6, 0.5, 0.004)];
const LEAVES_PER_SHOOT: usize = 3;

/// A trunk, three orders of branches, leaves on the last: 10 k bodies with [`CutOptions::segment_length`] at 0.3 m.
fn skeleton() -> Skeleton {
    let mut skeleton = Skeleton::default();
    let trunk = [(Vec3::ZERO, 0.25), (Vec3::Y * 12.0, 0.05)];
    skeleton.branches.push(Branch::trunk(trunk));
    let mut last_order = 0..1;
    for (count, length, radius) in ORDERS {
        let first = skeleton.branches.len();
        for parent in last_order {
            for i in 0..count {
                let shoot = shoot(&skeleton, parent, i, count, length, radius);
                skeleton.branches.push(shoot);
            }
        }
        last_order = first..skeleton.branches.len();
    }
    for branch in last_order {
        for i in 0..LEAVES_PER_SHOOT {
            let leaf = leaf(&skeleton, branch, i);
            skeleton.leaves.push(leaf);
        }
    }
    skeleton
}

/// The `i`-th of `count` straight branches, in the outer three quarters of its parent, at 45° to it.
fn shoot(
    skeleton: &Skeleton,
    parent: usize,
    i: usize,
    count: usize,
    length: f32,
    radius: f32,
) -> Branch {
    let share = 0.25 + 0.75 * (i as f32 + 0.5) / count as f32;
    let (on, from) = place(skeleton, parent, share);
    let along = axis(skeleton, parent);
    let side =
        Quat::from_axis_angle(along, GOLDEN_ANGLE * i as f32) * along.any_orthonormal_vector();
    let to = from + (along + side).normalize() * length;
    Branch::on(parent, on.along, [(from, radius), (to, 0.3 * radius)])
}

fn leaf(skeleton: &Skeleton, branch: usize, i: usize) -> Leaf {
    let share = (i as f32 + 1.0) / LEAVES_PER_SHOOT as f32;
    let (on, position) = place(skeleton, branch, share);
    let along = axis(skeleton, branch);
    let aside = Quat::from_axis_angle(along, GOLDEN_ANGLE * i as f32);
    let rotation = aside * Quat::from_rotation_arc(Vec3::Z, along.any_orthonormal_vector());
    Leaf {
        on,
        position,
        rotation,
        length: 0.08,
        width: 0.05,
    }
}

/// The point at a share of a straight branch.
fn place(skeleton: &Skeleton, branch: usize, share: f32) -> (Attachment, Vec3) {
    let nodes = &skeleton.branches[branch].nodes;
    let (from, to) = (nodes[0].position, nodes[1].position);
    let along = from.distance(to) * share;
    (Attachment { branch, along }, from.lerp(to, share))
}

fn axis(skeleton: &Skeleton, branch: usize) -> Vec3 {
    let nodes = &skeleton.branches[branch].nodes;
    (nodes[1].position - nodes[0].position).normalize()
}

fn bodies() -> TreeDesc {
    cut(&skeleton(), &CutOptions::default()).expect("the skeleton is sound")
}

fn tree(desc: &TreeDesc, solver: Solver) -> Tree {
    let mut options = TreeOptions::default();
    options.settings.solver = solver;
    Tree::build(desc, options).expect("the bodies are sound")
}

/// The tree in a breeze, after its first second.
fn world(solver: Solver) -> World {
    let mut world = World::default();
    world.add(tree(&bodies(), solver));
    world
        .fields
        .push(Box::new(Wind::steady(Vec3::new(6.0, 0.0, 1.0))));
    for _ in 0..30 {
        world.step();
    }
    world
}

/// Stage times of so many frames, on the one thread of `pool`.
fn run(pool: &ThreadPool, world: &mut World, frames: u64) -> StageTimes {
    pool.install(|| {
        let mut sum = StepReport::default();
        for _ in 0..frames {
            sum += world.step();
        }
        sum.times
    })
}

fn analytic(c: &mut Criterion) {
    stages(
        c,
        "analytic step",
        Solver::Analytic,
        &["up", "springs", "down"],
    );
}

/// A frame of two substeps.
fn coupled(c: &mut Criterion) {
    stages(c, "coupled frame", Solver::Coupled, &["up", "down"]);
}

fn stages(c: &mut Criterion, name: &str, solver: Solver, shown: &[&str]) {
    let pool = ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.expect("one thread can be started");
    let mut world = world(solver);
    let mut group = c.benchmark_group(name);
    group.throughput(Throughput::Elements(world.trees()[0].len() as u64));
    for (i, (name, _)) in StageTimes::default().named().into_iter().enumerate() {
        if !shown.contains(&name) {
            continue; // nothing pulls; its cost goes with the depth of a body, not with the tree
        }
        group.bench_function(name, |b| {
            b.iter_custom(|frames| run(&pool, &mut world, frames).named()[i].1);
        });
    }
    group.bench_function("whole", |b| {
        b.iter_custom(|frames| {
            let start = Instant::now();
            run(&pool, &mut world, frames);
            start.elapsed()
        });
    });
    group.finish();
}

fn editing(c: &mut Criterion) {
    let desc = bodies();
    let mut group = c.benchmark_group("edit");
    group.throughput(Throughput::Elements(desc.bodies.len() as u64));
    group.bench_function("cut", |b| {
        let skeleton = skeleton();
        b.iter(|| cut(black_box(&skeleton), &CutOptions::default()));
    });
    group.bench_function("build", |b| {
        b.iter(|| tree(black_box(&desc), Solver::Coupled))
    });
    let mut tree = tree(&desc, Solver::Coupled);
    let mut params = tree.params().clone();
    let mut set = |name: &str, change: fn(&mut treesway::TreeParams)| {
        group.bench_function(name, |b| {
            b.iter(|| {
                change(&mut params);
                tree.set_params(params.clone())
            });
        });
    };
    set("set_params", |p| p.multipliers.branch_stiffness *= 1.000_1);
    // Another density also weighs all bodies and measures gravity's torques again.
    set("set_params, density", |p| p.wood.density *= 1.000_1);
    group.finish();
}

criterion_group!(benches, analytic, coupled, editing);
criterion_main!(benches);
