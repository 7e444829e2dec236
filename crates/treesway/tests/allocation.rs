//! A step allocates nothing. Alone in its program, because the counter sees every thread.

#[allow(dead_code, reason = "the helpers serve the physics tests")]
mod common;

use common::{analytic, run, trees, world_of};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering};
use treesway::glam::{DVec3, Vec3};
use treesway::{BodyId, Load, Pull, RootPose, Solver, TreeId, Wind, World};

struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// A tree on a shaken root in the wind, pulled, loaded and restored.
fn busy(solver: Solver) -> World {
    let mut options = analytic();
    options.settings.solver = solver;
    options.settings.substeps = 2;
    options.settings.sleep_error = 1e-3;
    options.motion = Some(std::sync::Arc::new(|t: f64| RootPose {
        position: DVec3::X * 0.01 * (3.0 * t).sin(),
        ..RootPose::default()
    }));
    let mut world = world_of(&trees::random_tree(5000, 6), options);
    world.fields.push(Box::new(Wind::steady(Vec3::X * 8.0)));
    let tree = world.tree_mut(TreeId(0));
    let target = tree.pose(BodyId(1000)).position + Vec3::Y * 0.1;
    tree.add_pull(Pull::new(BodyId(1000), Vec3::ZERO, target, 300.0));
    tree.add_load(Load::force(BodyId(50), Vec3::ZERO, Vec3::X).held());
    world
}

#[test]
fn step_allocates_nothing() {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a thread can be made");
    for solver in [Solver::Analytic, Solver::Coupled, Solver::Particles] {
        let mut world = busy(solver);
        let snapshot = world.snapshot();
        let (steps, restore) = pool.install(|| {
            run(&mut world, 3);
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            run(&mut world, 50);
            let stepped = ALLOCATIONS.load(Ordering::Relaxed);
            world.restore(&snapshot);
            (
                stepped - before,
                ALLOCATIONS.load(Ordering::Relaxed) - stepped,
            )
        });
        println!("restoring a snapshot: {restore} allocations");
        assert_eq!(steps, 0, "{solver:?}");
    }
}
