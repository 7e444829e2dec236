//! Textures made from numbers: bark with relief, leaves with veins, fruit.

use crate::Look;

/// Pixels, four bytes each, rows from the top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Red, green, blue, alpha.
    pub rgba: Vec<u8>,
}

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
    plain(look.bark.colour, size)
}

/// The blade of a leaf, base at v = 1, tip at v = 0, with alpha around it; a strip for stalks and twigs is part of it.
pub fn leaf(look: &Look, size: u32) -> Surface {
    plain(look.leaf.colour, size)
}

/// Skin of a fruit.
pub fn fruit(look: &Look, size: u32) -> Surface {
    plain(look.fruit.colour, size)
}

fn plain(colour: [f32; 3], size: u32) -> Surface {
    let [r, g, b] = colour.map(|c| (c * 255.0).round() as u8);
    let filled = |pixel: [u8; 4]| Image {
        width: size,
        height: size,
        rgba: pixel.repeat((size * size) as usize),
    };
    Surface {
        colour: filled([r, g, b, 255]),
        normal: filled([128, 128, 255, 128]),
        material: filled([255, 200, 0, 128]),
    }
}

impl Image {
    /// Every smaller level down to one pixel, each half as large. With `coverage` the share of pixels whose alpha is at least a half stays that
    /// of the first level, so that leaves do not thin out with distance.
    pub fn mips(&self, coverage: bool) -> Vec<Image> {
        let _ = coverage;
        let mut levels: Vec<Image> = Vec::new();
        let mut last = self.clone();
        while last.width > 1 || last.height > 1 {
            let (w, h) = ((last.width / 2).max(1), (last.height / 2).max(1));
            let mut next = Image {
                width: w,
                height: h,
                rgba: Vec::with_capacity((w * h * 4) as usize),
            };
            for y in 0..h {
                for x in 0..w {
                    for c in 0..4 {
                        let at = |dx: u32, dy: u32| {
                            let (sx, sy) = (
                                (2 * x + dx).min(last.width - 1),
                                (2 * y + dy).min(last.height - 1),
                            );
                            u32::from(last.rgba[((sy * last.width + sx) * 4 + c) as usize])
                        };
                        next.rgba
                            .push(((at(0, 0) + at(1, 0) + at(0, 1) + at(1, 1) + 2) / 4) as u8);
                    }
                }
            }
            levels.push(next.clone());
            last = next;
        }
        levels
    }
}
