//! Textures made from numbers: bark with relief, leaves with veins, fruit.
//!
//! Everything is drawn from the look alone: the same look gives the same texels. Bark tiles both ways. The leaf texture holds one blade (or
//! shoot with needles, or flower) that fills its part of the square, and a strip for stalks and twigs; under its transparent texels
//! the colour goes on, so that smaller levels have no dark fringe.

mod bark;
mod blossom;
mod canvas;
mod colour;
mod fruit;
mod image;
mod layout;
mod leaf;
mod needles;
mod noise;
mod plan;
mod raster;

pub use image::Image;
pub(crate) use layout::{blade_uv, fruit_stalk_uv, fruit_uv, strip_uv};
pub(crate) use noise::{hash, mix};
pub(crate) use plan::junction;

use crate::Look;

/// What a surface is painted with. All tile (bark) or fill one unit square (leaf, fruit).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// sRGB; alpha is coverage.
    pub colour: Image,
    /// Tangent-space normal (x along u, y along −v as glTF has it, z out), 0 to 255 for −1 to 1; alpha is height, 0 to 255.
    pub normal: Image,
    /// glTF's packing: red occlusion, green roughness, blue metallic (0); alpha is translucency of leaves.
    pub material: Image,
}

/// Bark, tiling both ways. `size` is the edge in pixels, a power of two.
pub fn bark(look: &Look, size: u32) -> Surface {
    match &look.own {
        Some(own) => plain(&own.bark, size, 0),
        None => bark::paint(look, size),
    }
}

/// The blade of a leaf, base at v = 1, tip at v = 0, with alpha around it; a strip for stalks and twigs is part of it.
pub fn leaf(look: &Look, size: u32) -> Surface {
    match &look.own {
        Some(own) => plain(&own.leaf, size, 128),
        None => leaf::paint(look, size),
    }
}

/// A picture as it is, no larger than `size`, on a smooth and dull surface that lets so much light through, 0 to 255.
fn plain(picture: &Image, size: u32, translucency: u8) -> Surface {
    let smaller = picture.mips(true);
    let mut levels = core::iter::once(picture).chain(&smaller);
    let fits = |i: &&Image| i.width.max(i.height) <= size;
    let flat = |texel: [u8; 4]| Image {
        width: 1,
        height: 1,
        rgba: texel.to_vec(),
    };
    Surface {
        colour: levels.find(fits).unwrap_or(picture).clone(),
        normal: flat([128, 128, 255, 128]),
        material: flat([255, 200, 0, translucency]),
    }
}

/// Skin of a fruit.
pub fn fruit(look: &Look, size: u32) -> Surface {
    fruit::paint(look, size)
}
