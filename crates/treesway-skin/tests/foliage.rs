//! Leaves and fruit of every species as they are drawn.

use treesway::glam::{Vec2, Vec3};
use treesway::{Shape, TreeDesc, cut};
use treesway_grow::species::{ALL, Wanted, named};
use treesway_skin::skinning::piece;
use treesway_skin::{BodyTransform, Detail, LeafShape, Look, Pieces, Skin};

const COARSE: Detail = Detail {
    tolerance: 0.02,
    most_sides: 6,
    least_sides: 3,
    curve_steps: 1,
    least_radius: 0.0,
    leaf_share: 1.0,
    most_leaves: 4,
};

fn tree(name: &str, bodies: u32) -> (TreeDesc, Look) {
    let species = named(name).unwrap();
    let wanted = Wanted {
        bodies: Some(bodies),
        ..Wanted::default()
    };
    let grown = species.grow(7, &wanted).unwrap();
    let bodies = cut(&grown.skeleton, &grown.cut).unwrap();
    (bodies, Look::of(&species))
}

/// Area of what is mapped to the blade's part of the texture, m², all transforms at rest.
fn blade_area(pieces: &[Pieces], still: &[BodyTransform]) -> f64 {
    let mut area = 0.0;
    for p in pieces {
        for instance in &p.instances {
            for triangle in &p.mesh.triangles {
                let corner = triangle.map(|i| &p.mesh.vertices[i as usize]);
                if corner.iter().any(|v| v.uv[0] > 0.88) {
                    continue;
                }
                let [a, b, c] = corner.map(|v| piece(v, instance, still).position);
                area += 0.5 * f64::from((b - a).cross(c - a).length());
            }
        }
    }
    area
}

#[test]
fn blades_cover_the_area_of_their_bodies() {
    for (name, _) in ALL {
        let (bodies, look) = tree(name, 2000);
        let still = vec![BodyTransform::default(); bodies.bodies.len()];
        let wanted: f64 = bodies
            .bodies
            .iter()
            .map(|b| match b.shape {
                Shape::Leaf { length, width, .. } => f64::from(length * width),
                _ => 0.0,
            })
            .sum();
        for (share, most_leaves, bound) in [(1.0, 4, 0.06), (1.0, 16, 0.06), (0.4, 8, 0.06)] {
            let detail = Detail {
                leaf_share: share,
                most_leaves,
                ..COARSE
            };
            let skin = Skin::new(&bodies, &look, &detail);
            // A shoot with needles is two cards that cross: from any side about as much as one.
            let shoots = matches!(look.leaf.shape, LeafShape::Needles | LeafShape::Tuft);
            let cards = if shoots { 2.0 } else { 1.0 };
            let drawn = blade_area(&skin.leaves, &still) / cards;
            let ratio = drawn / wanted;
            assert!((ratio - 1.0).abs() < bound, "{name}: {ratio} of the area");
        }
    }
}

#[test]
fn every_mesh_is_sound() {
    for (name, _) in ALL {
        let (bodies, look) = tree(name, 2000);
        for (tolerance, most_leaves) in [(0.02, 4), (0.002, 8), (0.001, 24)] {
            let detail = Detail {
                tolerance,
                most_leaves,
                ..COARSE
            };
            let skin = Skin::new(&bodies, &look, &detail);
            for p in skin.leaves.iter().chain(&skin.fruit) {
                for v in &p.mesh.vertices {
                    let normal = Vec3::from(v.normal);
                    assert!((normal.length() - 1.0).abs() < 1e-4, "{name}");
                    assert!(Vec3::from(v.position).is_finite(), "{name}");
                    let uv = Vec2::from(v.uv);
                    assert!(
                        uv.min_element() >= 0.0 && uv.max_element() <= 1.0,
                        "{name}: {uv}"
                    );
                    assert!((0.0..=1.0).contains(&v.which));
                    // A spray stays about its body, which is 1 long.
                    assert!(
                        Vec3::from(v.position).length() < 2.3,
                        "{name}: {:?}",
                        v.position
                    );
                }
                for t in &p.mesh.triangles {
                    let [a, b, c] = t.map(|i| Vec3::from(p.mesh.vertices[i as usize].position));
                    let area = 0.5 * (b - a).cross(c - a).length();
                    assert!(area > 1e-7, "{name}: triangle of {area}");
                    let normal = (b - a).cross(c - a);
                    let shown: Vec3 = t
                        .iter()
                        .map(|i| Vec3::from(p.mesh.vertices[*i as usize].normal))
                        .sum();
                    assert!(normal.dot(shown) > 0.0, "{name}: inside out");
                }
                for i in &p.instances {
                    assert!(
                        (Vec3::from(i.outward).length() - 1.0).abs() < 1e-3,
                        "{name}"
                    );
                    assert!(
                        (0.0..=1.0).contains(&i.openness) && (0.0..=1.0).contains(&i.variation)
                    );
                    assert!(i.scale.iter().all(|s| *s > 0.0));
                }
            }
        }
    }
}

#[test]
fn a_tree_of_ten_thousand_bodies_is_light_when_coarse() {
    for (name, _) in ALL {
        let (bodies, look) = tree(name, 10_000);
        let skin = Skin::new(&bodies, &look, &COARSE);
        let foliage: usize = skin
            .leaves
            .iter()
            .chain(&skin.fruit)
            .map(|p| p.mesh.triangles.len() * p.instances.len())
            .sum();
        assert!(foliage < 72_000, "{name}: {foliage}");
        // Variants hide repetition, but each costs a draw call.
        assert!(
            skin.leaves.len() >= 4 && skin.leaves.len() <= 24,
            "{name}: {}",
            skin.leaves.len()
        );
    }
}

#[test]
fn faces_of_leaves_are_turned_to_the_light() {
    for (name, _) in ALL {
        let (bodies, look) = tree(name, 3000);
        if matches!(
            look.leaf.shape,
            LeafShape::Needles | LeafShape::Tuft | LeafShape::Leaflet
        ) {
            continue;
        }
        let skin = Skin::new(&bodies, &look, &COARSE);
        let all: Vec<f32> = skin
            .leaves
            .iter()
            .flat_map(|p| &p.instances)
            .map(|i| {
                let up = treesway::glam::Quat::from_array(i.rotation) * Vec3::Y;
                up.dot((Vec3::Y + 0.5 * Vec3::from(i.outward)).normalize())
            })
            .collect();
        let facing = all.iter().filter(|u| **u > 0.0).count() as f32 / all.len() as f32;
        let mean = all.iter().sum::<f32>() / all.len() as f32;
        assert!(facing > 0.9, "{name}: {facing}");
        // But not all alike.
        assert!((0.3..0.97).contains(&mean), "{name}: {mean}");
    }
}

#[test]
fn fruit_hang_below_their_stalks() {
    let (bodies, look) = tree("apple", 4000);
    let skin = Skin::new(&bodies, &look, &Detail::default());
    let [balls, stalks] = skin.fruit.as_slice() else {
        panic!("balls and stalks");
    };
    assert_eq!(balls.instances.len(), stalks.instances.len());
    for (ball, stalk) in balls.instances.iter().zip(&stalks.instances) {
        assert!(ball.position[1] < stalk.position[1]);
    }
}
