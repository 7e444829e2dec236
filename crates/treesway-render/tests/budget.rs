//! Speed on the processor, and memory that does not grow. Optimised builds only.
#![cfg(not(debug_assertions))]

mod common;

use common::Set;
use std::time::{Duration, Instant};
use treesway_io::Scene;
use treesway_render::{Quality, Settings};
use treesway_skin::Detail;

const OAK: &str = r#"
    version = 1
    [[tree]]
    species = "oak"
    bodies = 10000
"#;

fn oak() -> Set {
    let models = Scene::parse(OAK, "test")
        .unwrap()
        .build_to_draw()
        .unwrap()
        .1;
    let detail = Detail::within(Quality::Low.triangles(), &models[0].bodies, &models[0].look);
    Set::new(OAK, [640, 360], Quality::Low, &detail)
}

#[test]
fn ten_thousand_bodies_are_drawn_ten_times_a_second_and_leave_no_memory_behind() {
    let mut set = oak();
    assert_eq!(set.simulation.bodies(), 10_000);
    let triangles = set.trees[0].skin().triangles();
    assert!((25_000..=100_000).contains(&triangles), "{triangles}");
    let camera = set.camera(90.0, 2.0);
    let frame = |set: &mut Set| {
        let start = Instant::now();
        set.follow();
        set.studio
            .draw(&set.trees, &camera, &Settings::default())
            .unwrap();
        start.elapsed()
    };
    let memory = |set: &Set| {
        let renderer = set.studio.renderer();
        let report = renderer.device().generate_allocator_report();
        let report = report.expect("this backend counts its memory");
        let kept = (report.allocations.len(), report.total_allocated_bytes);
        (renderer.memory_made(), kept)
    };
    let loaded = memory(&set);
    frame(&mut set);
    let before = memory(&set);
    assert_ne!(loaded, before, "the first frame makes what it draws into");
    let mut times: [Duration; 5] = core::array::from_fn(|_| frame(&mut set));
    assert_eq!(
        before,
        memory(&set),
        "buffers and textures made, number and bytes of allocations"
    );
    times.sort_unstable();
    println!("{triangles} triangles in {:?}", times[2]);
    assert!(times[2] <= Duration::from_millis(100), "{times:?}");
}
