//! What a model is painted with: the base colour of the material that most of its wood, and most of its leaves, have.

use super::super::gltf::{fits_view, uri};
use super::Owner;
use super::soup::Soup;
use gltf::Document;
use gltf::image::Source;
use gltf::material::AlphaMode;
use image::imageops::{FilterType, resize};
use image::{DynamicImage, Rgba, RgbaImage};
use std::collections::BTreeMap;
use std::path::Path;
use treesway_skin::Look;
use treesway_skin::texture::Image;

/// Largest edge of a texture that is taken as it is, pixels; larger ones are made smaller.
const MOST_PIXELS: u32 = 2048;

/// Pictures of wood and leaves, and what a user should know of them.
pub(super) struct Paint {
    pub(super) bark: Image,
    pub(super) leaf: Image,
    pub(super) notes: Vec<String>,
}

impl Paint {
    pub(super) fn of(
        document: &Document,
        buffers: &[Vec<u8>],
        folder: Option<&Path>,
        soup: &Soup,
        owners: &[Owner],
    ) -> Self {
        // Area of each material on wood and on leaves, m².
        let mut areas = [BTreeMap::<Option<usize>, f64>::new(), BTreeMap::new()];
        for t in &soup.triangles {
            let [a, b, c] = t.map(|i| soup.positions[i as usize]);
            let first = t[0] as usize;
            let on_leaf = matches!(owners[first], Owner::Leaf(_));
            let area = areas[usize::from(on_leaf)]
                .entry(soup.materials[soup.primitives[first] as usize])
                .or_default();
            *area += 0.5 * (b - a).cross(c - a).length();
        }
        let usual = Look::default();
        let mut notes = Vec::new();
        let mut picture = |of: &BTreeMap<Option<usize>, f64>, what: &str, plain: [f32; 3]| {
            let largest = of.iter().max_by(|a, b| a.1.total_cmp(b.1));
            if of.len() > 1 {
                notes.push(format!(
                    "{what} has {} materials; it is drawn with that of most of it",
                    of.len()
                ));
            }
            let material = largest.and_then(|(&m, _)| document.materials().nth(m?));
            let painted = material.map(|m| painted(&m, buffers, folder));
            match painted {
                Some(Ok(Some(picture))) => picture,
                Some(Err(why)) => {
                    notes.push(format!("the texture of {what} is left out: {why}"));
                    one(plain)
                }
                _ => one(plain),
            }
        };
        let bark = picture(&areas[0], "wood", usual.bark.colour);
        let leaf = picture(&areas[1], "foliage", usual.leaf.colour);
        Self { bark, leaf, notes }
    }
}

/// One pixel of an sRGB colour.
fn one(colour: [f32; 3]) -> Image {
    let [r, g, b] = colour.map(|c| (255.0 * c).round() as u8);
    Image {
        width: 1,
        height: 1,
        rgba: vec![r, g, b, 255],
    }
}

/// The picture of a material; none if it is plain white, as materials are that nobody painted.
fn painted(
    material: &gltf::Material,
    buffers: &[Vec<u8>],
    folder: Option<&Path>,
) -> Result<Option<Image>, String> {
    let pbr = material.pbr_metallic_roughness();
    let factor = pbr.base_color_factor();
    let Some(texture) = pbr.base_color_texture() else {
        let srgb = [factor[0], factor[1], factor[2]].map(encoded);
        return Ok((srgb != [1.0; 3]).then(|| one(srgb)));
    };
    let bytes = match texture.texture().source().source() {
        Source::View { view, .. } => fits_view(&view, buffers)?.to_vec(),
        Source::Uri { uri: at, .. } => uri(at, folder)?,
    };
    let mut limits = image::Limits::default();
    (limits.max_image_width, limits.max_image_height) = (Some(1 << 14), Some(1 << 14));
    let mut reader = image::ImageReader::new(std::io::Cursor::new(bytes));
    reader.limits(limits);
    let reader = reader.with_guessed_format().map_err(|e| e.to_string())?;
    let mut picture = reader.decode().map_err(|e| e.to_string()).map(squared)?;
    for Rgba(pixel) in picture.pixels_mut() {
        for (channel, by) in pixel.iter_mut().zip(&factor[..3]) {
            if *by != 1.0 {
                let light = decoded(f32::from(*channel) / 255.0) * by;
                *channel = (255.0 * encoded(light.clamp(0.0, 1.0))).round() as u8;
            }
        }
        pixel[3] = match material.alpha_mode() {
            AlphaMode::Opaque => 255,
            // The renderer cuts at a half.
            _ => {
                let cutoff = material.alpha_cutoff().unwrap_or(0.5).clamp(0.01, 1.0);
                let alpha = f32::from(pixel[3]) / 255.0 * factor[3] * 0.5 / cutoff;
                (255.0 * alpha.clamp(0.0, 1.0)).round() as u8
            }
        };
    }
    Ok(Some(Image {
        width: picture.width(),
        height: picture.height(),
        rgba: picture.into_raw(),
    }))
}

/// With edges that are powers of two, as smaller levels need them.
fn squared(picture: DynamicImage) -> RgbaImage {
    let picture = picture.into_rgba8();
    let edge = |pixels: u32| pixels.next_power_of_two().min(MOST_PIXELS);
    let (width, height) = (edge(picture.width()), edge(picture.height()));
    if (width, height) == picture.dimensions() {
        return picture;
    }
    resize(&picture, width, height, FilterType::Triangle)
}

fn encoded(linear: f32) -> f32 {
    if linear <= 0.003_130_8 {
        12.92 * linear
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    }
}

fn decoded(srgb: f32) -> f32 {
    if srgb <= 0.040_45 {
        srgb / 12.92
    } else {
        ((srgb + 0.055) / 1.055).powf(2.4)
    }
}
