//! Drawings are to scale and show every part.

use treesway::glam::{Quat, Vec3};
use treesway::{Attachment, Branch, Fruit, Leaf, Skeleton};
use treesway_io::svg::{SvgOptions, write_svg};

fn drawn(skeleton: &Skeleton, options: &SvgOptions) -> String {
    let mut text = Vec::new();
    write_svg(skeleton, options, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn pole() -> Skeleton {
    let on = Attachment {
        branch: 0,
        along: 10.0,
    };
    Skeleton {
        branches: vec![Branch::trunk([(Vec3::ZERO, 0.5), (Vec3::Y * 10.0, 0.25)])],
        leaves: vec![Leaf {
            on,
            position: Vec3::Y * 9.0,
            rotation: Quat::IDENTITY,
            length: 0.5,
            width: 0.3,
        }],
        fruit: vec![Fruit {
            on,
            position: Vec3::Y * 8.0,
            rotation: Quat::IDENTITY,
            radius: 0.1,
            stem_length: 0.1,
            stem_radius: 0.01,
        }],
    }
}

/// Corners of the last outline of a path of this colour, in the given view.
fn outline(svg: &str, colour: &str, view: usize) -> Vec<[f32; 2]> {
    let marker = format!("<path fill=\"{colour}\"");
    let line = svg
        .lines()
        .filter(|l| l.starts_with(&marker))
        .nth(view)
        .unwrap();
    let path = line
        .split(" d=\"")
        .nth(1)
        .unwrap()
        .split('M')
        .next_back()
        .unwrap();
    path.trim_end_matches("Z\"/>")
        .split('L')
        .map(|p| {
            let (x, y) = p.split_once(' ').unwrap();
            [x.parse().unwrap(), y.parse().unwrap()]
        })
        .collect()
}

#[test]
fn wood_is_as_wide_as_its_diameter_and_as_high_as_the_tree() {
    let options = SvgOptions {
        height: 1025.0,
        ..SvgOptions::default()
    };
    let svg = drawn(&pole(), &options);
    // From −0 to 10.25 m (the node's own radius counts) in 1025 pixels: 100 pixels per metre.
    let corners = outline(&svg, "#5a4636", 0);
    assert_eq!(corners.len(), 4);
    let width = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).abs();
    assert!(
        (width(corners[0], corners[3]) - 97.6).abs() < 2.5,
        "{corners:?}"
    );
    assert!(
        (width(corners[1], corners[2]) - 48.8).abs() < 1.5,
        "{corners:?}"
    );
    let high = corners[0][1] - corners[1][1];
    assert!(
        (high / width(corners[0], corners[3]) - 10.0).abs() < 0.02,
        "{high}"
    );
}

#[test]
fn leaves_and_fruit_are_drawn_in_both_views_unless_bare() {
    let options = SvgOptions::default();
    let svg = drawn(&pole(), &options);
    for colour in [&options.leaf_colour, &options.fruit_colour] {
        assert_eq!(
            svg.matches(&format!("<path fill=\"{colour}\"")).count(),
            2,
            "{colour}"
        );
    }
    let bare = drawn(
        &pole(),
        &SvgOptions {
            foliage: false,
            ..options.clone()
        },
    );
    assert!(!bare.contains(&options.leaf_colour) && !bare.contains(&options.fruit_colour));
}

#[test]
fn too_many_leaves_are_thinned_out_and_the_drawing_says_so() {
    let mut skeleton = pole();
    skeleton.leaves = vec![skeleton.leaves[0]; 100];
    let svg = drawn(
        &skeleton,
        &SvgOptions {
            most_shapes: 25,
            ..SvgOptions::default()
        },
    );
    assert!(svg.contains("one leaf in 4 is drawn"));
}

#[test]
fn a_title_cannot_break_the_drawing() {
    let svg = drawn(
        &pole(),
        &SvgOptions {
            title: "<oak> & son".into(),
            ..SvgOptions::default()
        },
    );
    assert!(svg.contains("&lt;oak> &amp; son"));
}
