//! Trees to test with, the same on every platform: no function of std that rounds as it likes, no SIMD quaternions.

use treesway::glam::{Quat, Vec3};
use treesway::math::{Quaternion, V3};
use treesway::{
    Attachment, Branch, CutOptions, Fruit, Leaf, Skeleton, TreeDesc, cut, next_segment,
};
use treesway::{BodyDesc, Shape};

/// A beam along +x of `n` segments, m: clamped at the origin.
pub fn beam(n: usize, length: f32, base: f32, tip: f32) -> TreeDesc {
    straight(n, Vec3::X * length, base, tip)
}

/// An upright chain of `n` segments, m.
pub fn pole(n: usize, length: f32, base: f32, tip: f32) -> TreeDesc {
    straight(n, Vec3::Y * length, base, tip)
}

fn straight(n: usize, to: Vec3, base: f32, tip: f32) -> TreeDesc {
    let skeleton = Skeleton {
        branches: vec![Branch::trunk([(Vec3::ZERO, base), (to, tip)])],
        ..Skeleton::default()
    };
    let options = CutOptions {
        segment_length: to.length() / n as f32,
        most_segments: 1000,
        ..CutOptions::default()
    };
    let desc = cut(&skeleton, &options).expect("a straight branch can be cut");
    assert_eq!(desc.bodies.len(), n);
    desc
}

/// One segment that points where `joint_rotation` turns +z.
pub fn single(shape: Shape, joint_rotation: Quat) -> TreeDesc {
    TreeDesc {
        bodies: vec![BodyDesc::new(None, shape, Vec3::ZERO, joint_rotation)],
    }
}

/// +z of the body along +y of the world, x kept.
pub fn upright() -> Quat {
    exactly(V3 {
        x: -core::f64::consts::FRAC_PI_2,
        y: 0.0,
        z: 0.0,
    })
}

/// A chain of equal segments with a leaf at its tip.
pub fn leafy_chain(n: u32, shape: Shape, length: f32, leaf: Shape) -> TreeDesc {
    let mut desc = single(shape, upright());
    for parent in 0..n - 1 {
        desc.bodies.push(next_segment(parent, length, shape));
    }
    desc.bodies.push(next_segment(n - 1, length, leaf));
    desc
}

/// A rotation vector as a glam quaternion, with the same bits everywhere.
pub fn exactly(theta: V3<f64>) -> Quat {
    Quaternion::from_rotation_vector(theta).narrow().into()
}

/// Random numbers (SplitMix64).
pub struct Dice(pub u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform between two numbers.
    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        let unit = (self.next() >> 40) as f32 / (1_u64 << 24) as f32;
        low + (high - low) * unit
    }

    /// A vector in the cube from −1 to 1, not near the origin.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
            );
            if v.length_squared() > 0.1 {
                return v / v.length();
            }
        }
    }

    /// A rotation.
    pub fn rotation(&mut self) -> Quat {
        let axis = self.direction();
        let angle = self.between(0.0, core::f32::consts::PI);
        exactly(V3::from(axis * angle).widen())
    }
}

/// Children per branch, length [m], nodes and least radius [m] of each order of a [`random_tree`].
const ORDERS: [(usize, f32, usize, f32); 4] = [
    (18, 8.0, 12, 0.0),
    (7, 2.6, 6, 0.025),
    (5, 1.0, 4, 0.012),
    (0, 0.4, 3, 0.006),
];

/// A tree of about 8 m and exactly `bodies` bodies, at least 3,000: four orders of crooked branches, leaves on all twigs, some fruit.
pub fn random_tree(bodies: usize, seed: u64) -> TreeDesc {
    let mut skeleton = random_wood(seed);
    let options = CutOptions {
        segment_length: 0.2,
        ..CutOptions::default()
    };
    let wood = cut(&skeleton, &options)
        .expect("the wood is valid")
        .bodies
        .len();
    let mut dice = Dice(seed ^ 0xfeed);
    let twigs: Vec<usize> = (0..skeleton.branches.len())
        .filter(|&b| skeleton.branches[b].nodes.len() == ORDERS[3].2)
        .collect();
    let fruit = 20;
    for i in 0..bodies
        .checked_sub(wood + fruit)
        .expect("more bodies than wood")
    {
        let (on, position) = place_on(&skeleton, twigs[i % twigs.len()], &mut dice);
        skeleton.leaves.push(Leaf {
            on,
            position,
            rotation: dice.rotation(),
            length: dice.between(0.05, 0.1),
            width: dice.between(0.03, 0.06),
        });
    }
    for i in 0..fruit {
        let (on, position) = place_on(&skeleton, twigs[(i * 37) % twigs.len()], &mut dice);
        skeleton.fruit.push(Fruit {
            on,
            position,
            // z down: a fruit hangs.
            rotation: exactly(V3 {
                x: core::f64::consts::FRAC_PI_2,
                y: 0.0,
                z: 0.0,
            }),
            radius: 0.03,
            stem_length: 0.03,
            stem_radius: 0.0015,
        });
    }
    let desc = cut(&skeleton, &options).expect("the tree is valid");
    assert_eq!(desc.bodies.len(), bodies);
    desc
}

/// A place on a branch and its position in the world.
fn place_on(skeleton: &Skeleton, branch: usize, dice: &mut Dice) -> (Attachment, Vec3) {
    let nodes = &skeleton.branches[branch].nodes;
    let t = dice.between(0.2, 1.0);
    let first = nodes[0].position.distance(nodes[1].position);
    let along = first * t;
    let position = nodes[0].position + (nodes[1].position - nodes[0].position) * t;
    (Attachment { branch, along }, position)
}

/// The branches of a [`random_tree`].
pub fn random_wood(seed: u64) -> Skeleton {
    let mut dice = Dice(seed);
    let mut skeleton = Skeleton::default();
    let trunk = crooked(&mut dice, 0, Vec3::ZERO, Vec3::Y, 0.16);
    skeleton.branches.push(Branch::trunk(trunk));
    // (branch, order)
    let mut todo = vec![(0, 0)];
    while let Some((parent, order)) = todo.pop() {
        for child in 0..ORDERS[order].0 {
            let nodes = skeleton.branches[parent].nodes.clone();
            // Forks on the upper two thirds, at a node.
            let low = nodes.len() / 3;
            let at = low + child % (nodes.len() - low);
            let along: f32 = nodes[..=at]
                .windows(2)
                .map(|n| n[0].position.distance(n[1].position))
                .sum();
            let up = (nodes[at].position - nodes[at - 1].position).normalize();
            let way = (up + dice.direction() * 1.5 + Vec3::Y * 0.2).normalize();
            let radius = nodes[at].radius * dice.between(0.4, 0.7);
            let polyline = crooked(&mut dice, order + 1, nodes[at].position, way, radius);
            skeleton.branches.push(Branch::on(parent, along, polyline));
            todo.push((skeleton.branches.len() - 1, order + 1));
        }
    }
    skeleton
}

fn crooked(
    dice: &mut Dice,
    order: usize,
    from: Vec3,
    direction: Vec3,
    radius: f32,
) -> Vec<(Vec3, f32)> {
    let (_, length, count, least) = ORDERS[order];
    let radius = radius.max(least);
    let step = length * dice.between(0.8, 1.2) / (count - 1) as f32;
    let mut nodes = vec![(from, radius)];
    let (mut position, mut way) = (from, direction);
    for i in 1..count {
        way = (way + dice.direction() * 0.15).normalize();
        position += way * step;
        let taper = 1.0 - 0.6 * i as f32 / (count - 1) as f32;
        nodes.push((position, radius * taper));
    }
    nodes
}

/// A small tree with everything: trunk, two limbs, leaves and fruit.
pub fn fork() -> TreeDesc {
    let top = Vec3::Y * 2.0;
    let trunk = Branch::trunk([(Vec3::ZERO, 0.06), (top, 0.04)]);
    let left = Branch::on(0, 2.0, [(top, 0.03), (Vec3::new(-1.0, 3.0, 0.3), 0.01)]);
    let right = Branch::on(
        0,
        1.2,
        [(Vec3::Y * 1.2, 0.03), (Vec3::new(1.2, 2.0, -0.2), 0.008)],
    );
    let mut skeleton = Skeleton {
        branches: vec![trunk, left, right],
        ..Skeleton::default()
    };
    let mut dice = Dice(3);
    for branch in [1, 2, 1, 2, 2] {
        let (on, position) = place_on(&skeleton, branch, &mut dice);
        skeleton.leaves.push(Leaf {
            on,
            position,
            rotation: dice.rotation(),
            length: 0.1,
            width: 0.06,
        });
        skeleton.fruit.push(Fruit {
            on,
            position,
            rotation: dice.rotation(),
            radius: 0.04,
            stem_length: 0.03,
            stem_radius: 0.002,
        });
    }
    cut(&skeleton, &CutOptions::default()).expect("the fork is valid")
}
