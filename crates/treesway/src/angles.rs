//! How far the joints of a tree are bent.

use crate::block::NOBODY;
use crate::desc::BodyKind;
use crate::math::simd::{ROW, Rows};
use crate::tree::Tree;

/// Largest angles over the joints of a tree, rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LargestAngles {
    /// Bend of wood, across its axis.
    pub bend: f32,
    /// Twist of wood about its axis.
    pub twist: f32,
    /// Of leaves and fruit, bend and twist together.
    pub leaves: f32,
}

impl LargestAngles {
    /// The larger of both.
    pub fn max(self, other: Self) -> Self {
        Self {
            bend: self.bend.max(other.bend),
            twist: self.twist.max(other.twist),
            leaves: self.leaves.max(other.leaves),
        }
    }
}

impl Tree {
    /// Of all bodies on the tree, in the order in which they lie in memory: a small part of the time of a step.
    pub fn largest_angles(&self) -> LargestAngles {
        // Squares, of which one root each is taken in the end.
        let mut squares = LargestAngles::default();
        for block in &self.blocks {
            for tile in block.tiles() {
                let (ids, kinds) = (&block.links[tile].id, &block.models[tile].kind);
                for lane in (0..ROW).filter(|&lane| ids[lane] != NOBODY) {
                    let theta = block.joints[tile].get(lane).theta;
                    let (across, along) =
                        (theta.x * theta.x + theta.y * theta.y, theta.z * theta.z);
                    let of_body = match BodyKind::of_number(kinds.0[lane]) {
                        BodyKind::Segment => LargestAngles {
                            bend: across,
                            twist: along,
                            leaves: 0.0,
                        },
                        BodyKind::Leaf | BodyKind::Fruit => LargestAngles {
                            leaves: across + along,
                            ..LargestAngles::default()
                        },
                    };
                    squares = squares.max(of_body);
                }
            }
        }
        LargestAngles {
            bend: squares.bend.sqrt(),
            twist: squares.twist.sqrt(),
            leaves: squares.leaves.sqrt(),
        }
    }
}
