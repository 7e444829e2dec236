//! The figure that is drawn for a creature: a squirrel of a few bodies, with a tail that swings.
//!
//! It is a tree whose root goes where the creature goes, so that skin, renderer and exporters know it already.

use super::build::Model;
use treesway::glam::{Quat, Vec3};
use treesway::{
    BodyDesc, Creature, RootKind, Shape, SolverSettings, Tree, TreeDesc, TreeOptions, TreeParams,
};
use treesway_skin::{BarkLook, Look};

/// A piece of it: a frustum at the tip of the one before it, or somewhere on another.
struct Piece {
    parent: Option<u32>,
    branch: i32,
    /// In the parent's frame, m.
    at: Vec3,
    /// Nods down about x from the parent's direction, degrees, then turns aside.
    pitch: f32,
    yaw: f32,
    /// m.
    length: f32,
    radius: [f32; 2],
}

/// z is forward, y up; feet at the origin.
fn pieces() -> Vec<Piece> {
    let piece = |parent, branch, at, [pitch, yaw]: [f32; 2], length, radius| Piece {
        parent,
        branch,
        at,
        pitch,
        yaw,
        length,
        radius,
    };
    let tip = |z: f32| Vec3::new(0.0, 0.0, z);
    let mut all = vec![
        // Hips, chest, neck, head and snout.
        piece(
            None,
            0,
            Vec3::new(0.0, 0.065, -0.09),
            [-12.0, 0.0],
            0.07,
            [0.034, 0.052],
        ),
        piece(Some(0), 0, tip(0.07), [14.0, 0.0], 0.08, [0.052, 0.040]),
        piece(Some(1), 0, tip(0.08), [-38.0, 0.0], 0.035, [0.040, 0.032]),
        piece(Some(2), 0, tip(0.035), [48.0, 0.0], 0.03, [0.034, 0.033]),
        piece(Some(3), 0, tip(0.03), [8.0, 0.0], 0.04, [0.033, 0.010]),
    ];
    let mut branch = 1;
    for side in [-1.0, 1.0] {
        // Ears, hind and fore legs.
        let limbs = [
            (
                3,
                Vec3::new(0.016 * side, 0.022, 0.01),
                [-105.0, 14.0 * side],
                0.035,
                [0.009, 0.002],
            ),
            (
                0,
                Vec3::new(0.03 * side, -0.01, 0.02),
                [80.0, 12.0 * side],
                0.065,
                [0.024, 0.010],
            ),
            (
                1,
                Vec3::new(0.024 * side, -0.02, 0.06),
                [75.0, 8.0 * side],
                0.055,
                [0.014, 0.008],
            ),
        ];
        for (parent, at, turn, length, radius) in limbs {
            all.push(piece(Some(parent), branch, at, turn, length, radius));
            branch += 1;
        }
    }
    // The tail: backwards and up, bushy in the middle.
    let radii = [0.014, 0.030, 0.040, 0.043, 0.038, 0.026, 0.006];
    let turns = [-150.0, 22.0, 16.0, 8.0, -14.0, -26.0];
    for (i, pitch) in turns.into_iter().enumerate() {
        let parent = if i == 0 { 0 } else { all.len() as u32 - 1 };
        let at = if i == 0 { tip(0.004) } else { tip(0.042) };
        let radius = [radii[i], radii[i + 1]];
        all.push(piece(Some(parent), branch, at, [pitch, 0.0], 0.042, radius));
    }
    all
}

/// The figure of a creature, where that is now, and what it is drawn from.
pub(super) fn figure(creature: &Creature) -> (Tree, Model) {
    let bodies = TreeDesc {
        bodies: pieces().iter().map(body).collect(),
    };
    let mut params = TreeParams::default();
    // Soft enough for the tail to trail in a leap.
    params.wood.youngs_modulus = 4e5;
    params.wood.density = 300.0;
    params.wood.damping_beta = 0.04;
    let options = TreeOptions {
        params,
        settings: SolverSettings::default(),
        root: RootKind::Rigid,
        motion: Some(creature.motion()),
        ..TreeOptions::default()
    };
    let tree = Tree::build(&bodies, options).expect("the figure is a tree");
    let look = Look {
        bark: BarkLook {
            colour: [0.62, 0.33, 0.17],
            dark: [0.40, 0.19, 0.09],
            tile: 0.12,
            relief: 0.002,
            ..BarkLook::default()
        },
        ..Look::default()
    };
    let name = "squirrel".into();
    let model = Model {
        name,
        bodies,
        look,
        known: None,
    };
    (tree, model)
}

fn body(piece: &Piece) -> BodyDesc {
    let shape = Shape::Segment {
        length: piece.length,
        base: piece.radius[0],
        tip: piece.radius[1],
    };
    let turn = Quat::from_rotation_x(piece.pitch.to_radians())
        * Quat::from_rotation_y(piece.yaw.to_radians());
    BodyDesc {
        branch: piece.branch,
        ..BodyDesc::new(piece.parent, shape, piece.at, turn)
    }
}
