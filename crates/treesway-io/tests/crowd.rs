//! Crowds of scene files: where their trees stand, and what is refused.

use treesway_io::Scene;
use treesway_skin::Plant;

fn scene(crowd: &str) -> Scene {
    let text = format!(
        "version = 1\n[[tree]]\nbuiltin = \"beam\"\nat = [10.0, 0.0, 0.0]\n[[crowd]]\nbodies = 200\n{crowd}"
    );
    Scene::parse(&text, "forest.toml").unwrap()
}

fn plants(crowd: &str) -> Vec<Plant> {
    scene(crowd).plant_crowds().unwrap().plants
}

#[test]
fn trees_keep_their_distance() {
    let crowd = "species = [\"oak\", \"birch\"]\ncount = 400\narea = [100.0, 60.0]\nspacing = 2.5\nclearing = 8.0\nat = [3.0, 0.0, -2.0]\n";
    let all = plants(crowd);
    assert_eq!(all.len(), 400);
    for (i, a) in all.iter().enumerate() {
        let from_middle = a.position - treesway::glam::Vec3::new(3.0, 0.0, -2.0);
        assert!(from_middle.x.abs() <= 50.0 && from_middle.z.abs() <= 30.0);
        assert!(a.position.distance(treesway::glam::Vec3::X * 10.0) > 7.999);
        assert!((0.75..=1.25).contains(&a.size) && a.species < 2);
        for b in &all[..i] {
            assert!(a.position.distance(b.position) > 2.499, "{a:?} {b:?}");
        }
    }
    let birches = all.iter().filter(|p| p.species == 1).count();
    assert!((140..260).contains(&birches), "{birches} of 400");
    assert_eq!(all, plants(crowd), "the same seed places the same trees");
    assert_ne!(all, plants(&format!("{crowd}seed = 2\n")));
}

#[test]
fn bad_crowds_are_refused_in_one_line() {
    for (crowd, part) in [
        ("count = 500\narea = [10.0, 10.0]\n", "crowd.0.count"),
        ("species = []\n", "the list is empty"),
        ("species = [\"oka\"]\n", "oak"),
        ("size_spread = 2.0\n", "expected a number from 0 to 0.9"),
    ] {
        let Err(error) = scene(crowd).plant_crowds() else {
            panic!("{crowd} was taken");
        };
        let line = error.to_string();
        assert!(line.contains(part), "{line}");
        assert_eq!(line.lines().count(), 1, "{line}");
    }
}
