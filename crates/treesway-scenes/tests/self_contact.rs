//! The scenes `contact-…` in the four winds of their paper: no frame ends with two of their parts in each other.

use treesway::elements::intersecting_pairs;
use treesway::{StepReport, TreeId};

const WINDS: [&str; 4] = ["[0,0,0]", "[10,0,0]", "[-7,0,5]", "[-4,0,0]"];

/// Runs a scene in all winds and looks at the end of every frame.
fn stays_clean(name: &str, frames: usize) {
    for wind in WINDS {
        let set = [format!("wind.velocity={wind}")];
        let scene = treesway_scenes::find(name).unwrap().load(&set).unwrap();
        let mut simulation = scene.build().unwrap();
        let mut sum = StepReport::default();
        let mut points = Vec::new();
        for frame in 0..frames {
            sum += simulation.step();
            let tree = simulation.world().tree(TreeId(0));
            let elements = tree.contact_elements().expect("it is kept apart");
            elements.pose_of_tree(tree, &mut points);
            let pairs = intersecting_pairs(elements, &points);
            assert!(
                pairs.is_empty(),
                "{name}, wind {wind}, frame {frame}: {pairs:?}"
            );
        }
        assert_eq!(sum.healed, 0);
        println!(
            "{name}, wind {wind}: {frames} clean frames, {} contacts, {} joints returned, {:.2} ms a frame",
            sum.touching,
            sum.returned,
            sum.times.total().as_secs_f64() * 1e3 / frames as f64
        );
    }
}

#[test]
fn small_tree_stays_clean() {
    stays_clean("contact-small", 600);
}

#[test]
fn medium_tree_stays_clean() {
    stays_clean("contact-medium", 40);
}

#[test]
#[ignore = "600 frames of 558 elements in four winds; cargo xtask soak"]
fn medium_tree_stays_clean_for_long() {
    stays_clean("contact-medium", 600);
}

#[test]
#[ignore = "600 frames of 6,001 elements in four winds; cargo xtask soak"]
fn large_tree_stays_clean_for_long() {
    stays_clean("contact-large", 600);
}
