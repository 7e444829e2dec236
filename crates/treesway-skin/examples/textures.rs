//! Writes every texture of every species as one picture: `cargo run --release --example textures -- sheet.png [SIZE]`.
//! A row for each species: bark twice side by side, its normals, its occlusion; leaf on white, normals, translucency; fruit.

use image::{Rgba, RgbaImage};
use std::time::Instant;
use treesway_skin::{Look, texture};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let to = arguments.next().unwrap_or_else(|| "textures.png".into());
    let size: u32 = arguments.next().map_or(Ok(256), |s| s.parse())?;
    let only = arguments.next();
    let all = treesway_grow::species::ALL;
    let species: Vec<_> = all
        .iter()
        .filter(|(name, _)| only.as_deref().is_none_or(|o| o == *name))
        .collect();
    let mut sheet = RgbaImage::from_pixel(8 * size, species.len() as u32 * size, WHITE);
    for (row, (name, _)) in species.iter().enumerate() {
        let look = Look::of(&treesway_grow::species::named(name)?);
        let start = Instant::now();
        let [bark, leaf, fruit] = [
            texture::bark(&look, size),
            texture::leaf(&look, size),
            texture::fruit(&look, size),
        ];
        println!("{name}: {:.0} ms", start.elapsed().as_secs_f64() * 1e3);
        let shown = [
            (&bark.colour, Show::Colour),
            (&bark.colour, Show::Colour),
            (&bark.normal, Show::Opaque),
            (&bark.material, Show::Red),
            (&leaf.colour, Show::Colour),
            (&leaf.normal, Show::Opaque),
            (&leaf.material, Show::Alpha),
            (&fruit.colour, Show::Colour),
        ];
        for (column, (image, show)) in shown.into_iter().enumerate() {
            put(
                &mut sheet,
                [column as u32 * size, row as u32 * size],
                image,
                show,
            );
        }
    }
    sheet.save(to)?;
    Ok(())
}

const WHITE: Rgba<u8> = Rgba([255; 4]);

#[derive(Clone, Copy)]
enum Show {
    Colour,
    Opaque,
    Red,
    Alpha,
}

fn put(sheet: &mut RgbaImage, [x0, y0]: [u32; 2], image: &texture::Image, show: Show) {
    for (i, p) in image.rgba.chunks_exact(4).enumerate() {
        let (x, y) = (i as u32 % image.width, i as u32 / image.width);
        let over = |c: u8| {
            let a = u32::from(p[3]);
            ((u32::from(c) * a + 255 * (255 - a)) / 255) as u8
        };
        let pixel = match show {
            Show::Colour => [over(p[0]), over(p[1]), over(p[2]), 255],
            Show::Opaque => [p[0], p[1], p[2], 255],
            Show::Red => [p[0], p[0], p[0], 255],
            Show::Alpha => [p[3], p[3], p[3], 255],
        };
        sheet.put_pixel(x0 + x, y0 + y, Rgba(pixel));
    }
}
