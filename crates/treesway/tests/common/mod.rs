//! Trees and measurements that the tests share.

pub mod crossing;
pub mod trees;

use treesway::glam::{DQuat, DVec3, Mat3, Quat, Vec3};
use treesway::{
    BodyDesc, BodyId, GravityPose, RootPose, Shape, Solver, StepReport, Tree, TreeDesc,
    TreeOptions, World,
};

/// Options of a tree that the analytic solver moves.
pub fn analytic() -> TreeOptions {
    let mut options = TreeOptions::default();
    options.settings.solver = Solver::Analytic;
    options
}

/// The same for a tree whose given pose is the unloaded one.
pub fn unloaded() -> TreeOptions {
    let mut options = analytic();
    options.params.gravity_pose = GravityPose::Unloaded;
    options
}

/// A world with one tree.
pub fn world_of(desc: &TreeDesc, options: TreeOptions) -> World {
    let mut world = World::default();
    world.add(Tree::build(desc, options).expect("the tree is valid"));
    world
}

/// x, y and z of a body in the world; that of the root is upright.
pub fn axes(x: Vec3, y: Vec3, z: Vec3) -> Quat {
    Quat::from_mat3(&Mat3::from_cols(x, y, z))
}

pub fn upright() -> Quat {
    axes(Vec3::X, -Vec3::Z, Vec3::Y)
}

/// A body given in the world, on a parent given in the world.
pub fn placed(
    parent: (u32, Vec3, Quat),
    shape: Shape,
    at: Vec3,
    turn: Quat,
    branch: i32,
) -> BodyDesc {
    let (number, from, below) = parent;
    let back = below.inverse();
    let mut body = BodyDesc::new(Some(number), shape, back * (at - from), back * turn);
    body.branch = branch;
    body
}

/// Steps `frames` times; the reports added up.
pub fn run(world: &mut World, frames: usize) -> StepReport {
    let mut sum = StepReport::default();
    for _ in 0..frames {
        sum += world.step();
    }
    sum
}

/// The frame of a body in double precision.
#[derive(Clone, Copy, Debug)]
pub struct Frame64 {
    /// Joint in the world, m.
    pub position: DVec3,
    /// World from body.
    pub rotation: DQuat,
}

/// Rotation vector → quaternion in double precision.
pub fn turn(theta: DVec3) -> DQuat {
    DQuat::from_scaled_axis(theta)
}

/// Poses of all bodies from the joint angles alone, in double precision.
pub fn recompose(tree: &Tree, anchor: RootPose) -> Vec<Frame64> {
    let mut frames: Vec<Frame64> = Vec::with_capacity(tree.len());
    for id in tree.ids() {
        let body = tree.body(id);
        let parent = body.parent.map_or(
            Frame64 {
                position: anchor.position,
                rotation: anchor.rotation,
            },
            |p| frames[p.index()],
        );
        let joint = parent.rotation * body.joint_rotation.as_dquat().normalize();
        frames.push(Frame64 {
            position: parent.position + parent.rotation * body.joint_in_parent.as_dvec3(),
            rotation: (joint * turn(body.theta.as_dvec3())).normalize(),
        });
    }
    frames
}

/// Far end of a body in double precision, m.
pub fn tip64(tree: &Tree, id: BodyId) -> DVec3 {
    let frame = recompose(tree, RootPose::default())[id.index()];
    frame.position + frame.rotation * (DVec3::Z * f64::from(tree.body(id).length))
}

/// Largest extent of the given pose, m.
pub fn height(tree: &Tree) -> f64 {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for id in tree.ids() {
        for y in [tree.pose(id).position.y, tree.tip(id).y] {
            low = low.min(f64::from(y));
            high = high.max(f64::from(y));
        }
    }
    high - low
}

/// Largest distance of a joint from where double precision puts it, m.
pub fn largest_drift(tree: &Tree) -> f64 {
    recompose(tree, RootPose::default())
        .iter()
        .zip(tree.ids())
        .map(|(frame, id)| frame.position.distance(tree.pose(id).position.as_dvec3()))
        .fold(0.0, f64::max)
}

/// Largest |θ| of a tree, rad.
pub fn largest_bend(tree: &Tree) -> f32 {
    tree.ids()
        .map(|id| tree.body(id).theta.length())
        .fold(0.0, f32::max)
}

/// Everything a body reports is finite.
pub fn all_finite(tree: &Tree) -> bool {
    tree.ids().all(|id| {
        let b = tree.body(id);
        b.theta.is_finite()
            && b.theta_rate.is_finite()
            && b.pose.position.is_finite()
            && b.pose.rotation.is_finite()
            && b.velocity.is_finite()
            && b.angular_velocity.is_finite()
    })
}

/// Shape of a segment.
pub fn segment(length: f32, base: f32, tip: f32) -> Shape {
    Shape::Segment { length, base, tip }
}

/// A body of which a good part of the tree grows, but not most.
pub fn limb(desc: &TreeDesc) -> BodyId {
    let mut carried = vec![1; desc.bodies.len()];
    for id in (1..carried.len()).rev() {
        carried[desc.bodies[id].parent.unwrap() as usize] += carried[id];
    }
    let fits = |&id: &usize| (carried.len() / 20..carried.len() / 5).contains(&carried[id]);
    BodyId((1..carried.len()).find(fits).unwrap() as u32)
}
