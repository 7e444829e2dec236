//! Materials with the procedural textures, as PNG within the file.

use super::GlbError;
use super::document::Document;
use super::mesh::Paint;
use gltf::json::image::MimeType;
use gltf::json::material::{
    AlphaCutoff, AlphaMode, Material, NormalTexture, OcclusionTexture, PbrBaseColorFactor,
    PbrMetallicRoughness, StrengthFactor,
};
use gltf::json::texture::{Info, MagFilter, MinFilter, Sampler, Texture};
use gltf::json::validation::Checked;
use gltf::json::{Image, Index};
use std::io;
use treesway_skin::Look;
use treesway_skin::texture::{self, Image as Pixels, Surface};

/// Share of coverage below which a leaf is not there.
const CUTOFF: f32 = 0.5;

/// Materials that are in the file already: trees that look the same share them.
#[derive(Default)]
pub(super) struct Materials {
    known: Vec<(Look, Paint, Index<Material>)>,
}

impl Materials {
    /// The material of a surface of a tree, made when it is first asked for.
    pub(super) fn of(
        &mut self,
        document: &mut Document,
        look: &Look,
        paint: Paint,
        size: u32,
    ) -> Result<Index<Material>, GlbError> {
        let known = self.known.iter().find(|k| k.1 == paint && k.0 == *look);
        if let Some(&(_, _, material)) = known {
            return Ok(material);
        }
        let material = make(document, look, paint, size)?;
        self.known.push((look.clone(), paint, material));
        Ok(material)
    }
}

fn make(
    document: &mut Document,
    look: &Look,
    paint: Paint,
    size: u32,
) -> Result<Index<Material>, GlbError> {
    let (name, surface): (_, Surface) = match paint {
        Paint::Bark => ("bark", texture::bark(look, size)),
        Paint::Leaf => ("leaves", texture::leaf(look, size)),
        Paint::Fruit => ("fruit", texture::fruit(look, size)),
        Paint::Snow => return Ok(snow(document, None)),
        Paint::SnowOnLeaf => {
            let mut blade = texture::leaf(look, size).colour;
            for texel in blade.rgba.chunks_exact_mut(4) {
                texel[..3].fill(255);
            }
            let cutout = add(document, "snow on leaves", &blade, true)?;
            return Ok(snow(document, Some(cutout)));
        }
    };
    let leaf = paint == Paint::Leaf;
    let colour = add(document, &format!("{name} colour"), &surface.colour, leaf)?;
    let normal = add(document, &format!("{name} normal"), &surface.normal, false)?;
    let packed = format!("{name} occlusion, roughness, metallic");
    let packed = add(document, &packed, &surface.material, false)?;
    let info = |index| Info {
        index,
        tex_coord: 0,
        extensions: None,
        extras: None,
    };
    Ok(document.root.push(Material {
        name: Some(name.into()),
        alpha_mode: Checked::Valid(if leaf {
            AlphaMode::Mask
        } else {
            AlphaMode::Opaque
        }),
        alpha_cutoff: leaf.then_some(AlphaCutoff(CUTOFF)),
        double_sided: leaf,
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_texture: Some(info(colour)),
            metallic_factor: StrengthFactor(1.0),
            roughness_factor: StrengthFactor(1.0),
            metallic_roughness_texture: Some(info(packed)),
            ..PbrMetallicRoughness::default()
        },
        normal_texture: Some(NormalTexture {
            index: normal,
            scale: 1.0,
            tex_coord: 0,
            extensions: None,
            extras: None,
        }),
        occlusion_texture: Some(OcclusionTexture {
            index: packed,
            strength: StrengthFactor(1.0),
            tex_coord: 0,
            extensions: None,
            extras: None,
        }),
        ..Material::default()
    }))
}

/// Linear, as pictures have it.
const WHITE: [f32; 4] = [0.83, 0.86, 0.92, 1.0];

/// Dull and white, cut out by a texture where there is one.
fn snow(document: &mut Document, cutout: Option<Index<Texture>>) -> Index<Material> {
    let leaf = cutout.is_some();
    document.root.push(Material {
        name: Some(if leaf { "snow on leaves" } else { "snow" }.into()),
        alpha_mode: Checked::Valid(if leaf {
            AlphaMode::Mask
        } else {
            AlphaMode::Opaque
        }),
        alpha_cutoff: leaf.then_some(AlphaCutoff(CUTOFF)),
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor(WHITE),
            base_color_texture: cutout.map(|index| Info {
                index,
                tex_coord: 0,
                extensions: None,
                extras: None,
            }),
            metallic_factor: StrengthFactor(0.0),
            roughness_factor: StrengthFactor(0.95),
            ..PbrMetallicRoughness::default()
        },
        ..Material::default()
    })
}

fn add(
    document: &mut Document,
    name: &str,
    pixels: &Pixels,
    alpha: bool,
) -> Result<Index<Texture>, GlbError> {
    let view = document.view(&encode(pixels, alpha)?, None);
    let source = document.root.push(Image {
        buffer_view: Some(view),
        mime_type: Some(MimeType("image/png".into())),
        name: Some(name.into()),
        uri: None,
        extensions: None,
        extras: None,
    });
    if document.root.samplers.is_empty() {
        document.root.push(Sampler {
            mag_filter: Some(Checked::Valid(MagFilter::Linear)),
            min_filter: Some(Checked::Valid(MinFilter::LinearMipmapLinear)),
            ..Sampler::default()
        });
    }
    Ok(document.root.push(Texture {
        name: Some(name.into()),
        sampler: Some(Index::new(0)),
        source,
        extensions: None,
        extras: None,
    }))
}

/// PNG of red, green, blue and, where it means something to viewers, alpha.
fn encode(pixels: &Pixels, alpha: bool) -> Result<Vec<u8>, GlbError> {
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, pixels.width, pixels.height);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(if alpha {
        png::ColorType::Rgba
    } else {
        png::ColorType::Rgb
    });
    encoder.set_compression(png::Compression::Balanced);
    let write = |data: &[u8]| encoder.write_header()?.write_image_data(data);
    let done = if alpha {
        write(&pixels.rgba)
    } else {
        let texels = pixels.rgba.chunks_exact(4);
        write(&texels.flat_map(|t| [t[0], t[1], t[2]]).collect::<Vec<u8>>())
    };
    done.map_err(io::Error::from)?;
    Ok(out)
}
