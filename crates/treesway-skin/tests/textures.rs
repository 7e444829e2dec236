//! Textures of every species: silhouettes as botany has them, bark that tiles, nothing random.

use treesway_grow::species::{ALL, named};
use treesway_skin::texture::{self, Image, Surface};
use treesway_skin::{LeafShape, Look};

const SIZE: u32 = 128;

fn looks() -> Vec<(&'static str, Look)> {
    let look = |name| Look::of(&named(name).unwrap());
    ALL.iter().map(|(name, _)| (*name, look(name))).collect()
}

fn pixel(image: &Image, x: u32, y: u32) -> [f32; 4] {
    let at = ((y * image.width + x) * 4) as usize;
    [0, 1, 2, 3].map(|c| f32::from(image.rgba[at + c]) / 255.0)
}

/// Alpha of the blade's part, as rows, the box of the blade filling it.
fn blade(leaf: &Image) -> Vec<Vec<f32>> {
    // The margin and the end of the blade's part, as `texture::layout` has them.
    let (first, end) = (leaf.width / 64, leaf.width * 55 / 64);
    let rows = leaf.height / 64..leaf.height * 63 / 64;
    let row = |y| (first..end).map(|x| pixel(leaf, x, y)[3]).collect();
    rows.map(row).collect()
}

/// Blade area over length × width: 0.69 on average over 3125 leaves of 780 species, 0.79 of round ones, less of lobed and
/// dissected ones (Schrader et al. 2021, Annals of Botany 128).
fn share_of_box(shape: LeafShape) -> [f32; 2] {
    match shape {
        LeafShape::Ovate => [0.62, 0.78],
        LeafShape::Lobed => [0.48, 0.68],
        LeafShape::Palmate => [0.38, 0.58],
        LeafShape::Lanceolate => [0.55, 0.72],
        LeafShape::Rhombic => [0.5, 0.79],
        LeafShape::Needles | LeafShape::Tuft => [0.2, 0.6],
        LeafShape::Leaflet => [0.6, 0.85],
        LeafShape::Blossom => [0.45, 0.75],
    }
}

#[test]
fn silhouettes_fill_their_box_as_leaves_do() {
    for (name, look) in looks() {
        let rows = blade(&texture::leaf(&look, SIZE).colour);
        let (height, width) = (rows.len(), rows[0].len());
        let area: f32 = rows.iter().flatten().sum::<f32>() / (height * width) as f32;
        let [least, most] = share_of_box(look.leaf.shape);
        assert!((least..most).contains(&area), "{name}: {area}");
        // About as much left as right.
        let left: f32 = rows.iter().flat_map(|r| &r[..width / 2]).sum();
        let right: f32 = rows.iter().flat_map(|r| &r[width / 2..]).sum();
        assert!((left / right - 1.0).abs() < 0.12, "{name}: {left} {right}");
        // The box is filled: something within a few texels of each of its sides.
        let column = |x: usize| rows.iter().map(|r| r[x]).fold(0.0, f32::max);
        let row = |y: usize| rows[y].iter().copied().fold(0.0, f32::max);
        let near =
            |at: &dyn Fn(usize) -> f32, ends: [usize; 5]| ends.into_iter().any(|i| at(i) > 0.1);
        let last = width - 1;
        assert!(near(&column, [0, 1, 2, 3, 4]), "{name}: left");
        assert!(
            near(&column, [last, last - 1, last - 2, last - 3, last - 4]),
            "{name}: right"
        );
        assert!(near(&row, [0, 1, 2, 3, 4]), "{name}: tip");
        assert!(
            near(
                &row,
                [height - 1, height - 2, height - 3, height - 4, height - 5]
            ),
            "{name}: base"
        );
    }
}

#[test]
fn a_maple_is_lobed_and_an_apple_leaf_is_not() {
    // Lobes of a row: how often the silhouette is entered.
    let runs = |row: &[f32]| {
        let starts = row.windows(2).filter(|w| w[0] < 0.5 && w[1] >= 0.5);
        starts.count()
    };
    let most = |name: &str| {
        let look = Look::of(&named(name).unwrap());
        let rows = blade(&texture::leaf(&look, 256).colour);
        rows.iter().map(|r| runs(r)).max().unwrap()
    };
    assert!(most("maple") >= 3);
    assert_eq!(most("apple"), 1);
    assert_eq!(most("willow"), 1);
}

#[test]
fn foliage_is_as_dark_as_real_leaves_and_petals_are_bright() {
    let linear = |c: f32| ((c + 0.055) / 1.055).powf(2.4);
    for (name, look) in looks() {
        let leaf = texture::leaf(&look, SIZE).colour;
        let (mut sum, mut weight) = ([0.0; 3], 0.0);
        for y in 0..SIZE {
            for x in 0..SIZE * 3 / 4 {
                let [r, g, b, a] = pixel(&leaf, x, y);
                for (s, c) in sum.iter_mut().zip([r, g, b]) {
                    *s += linear(c) * a;
                }
                weight += a;
            }
        }
        let [red, green, blue] = sum.map(|s| s / weight);
        if look.leaf.petals > 0 {
            assert!(green > 0.35 && red > green, "{name}");
        } else {
            // Reflectance of leaves at 550 nm is 5 to 20 % (PROSPECT, Jacquemoud & Baret 1990); less in red, least in blue.
            assert!((0.03..0.25).contains(&green), "{name}: {green}");
            assert!(green > red && green > blue, "{name}: {red} {green} {blue}");
        }
    }
}

/// Mean difference between neighbouring pixels across a border and everywhere.
fn steps(image: &Image, across: bool) -> (f32, f32) {
    let n = image.width;
    let at = |i: u32, j: u32| {
        if across {
            pixel(image, i, j)
        } else {
            pixel(image, j, i)
        }
    };
    let step = |i: u32| {
        let of = |j: u32| {
            let (a, b) = (at(i, j), at((i + 1) % n, j));
            a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum::<f32>()
        };
        (0..n).map(of).sum::<f32>() / n as f32
    };
    let inside: Vec<f32> = (0..n - 1).map(step).collect();
    (step(n - 1), inside.iter().copied().fold(0.0, f32::max))
}

#[test]
fn bark_tiles_both_ways() {
    for (name, look) in looks() {
        let Surface {
            colour,
            normal,
            material,
        } = texture::bark(&look, SIZE);
        for image in [colour, normal, material] {
            for across in [true, false] {
                let (border, inside) = steps(&image, across);
                // The border is a line like any other: it may be the greatest step, but not by much.
                assert!(border < 1.2 * inside, "{name}: {border} > {inside}");
            }
        }
    }
}

#[test]
fn what_does_not_tile_is_found() {
    let look = Look::of(&named("willow").unwrap());
    let mut bark = texture::bark(&look, SIZE).colour;
    // Darker to the left: right and left end no longer meet.
    for (i, byte) in bark.rgba.iter_mut().enumerate() {
        *byte = (u32::from(*byte) * (i as u32 / 4 % SIZE) / SIZE) as u8;
    }
    let (border, inside) = steps(&bark, true);
    assert!(border > 1.2 * inside, "{border} {inside}");
}

#[test]
fn bark_has_the_mean_colour_of_its_species_and_relief() {
    for (name, look) in looks() {
        let bark = texture::bark(&look, SIZE);
        let count = (SIZE * SIZE) as f32;
        let mean = |image: &Image, c: usize| {
            image
                .rgba
                .iter()
                .skip(c)
                .step_by(4)
                .map(|b| f32::from(*b) / 255.0)
                .sum::<f32>()
                / count
        };
        for c in 0..3 {
            let (low, high) = (look.bark.dark[c], look.bark.colour[c]);
            let found = mean(&bark.colour, c);
            assert!(
                found > low - 0.05 && found < high + 0.1,
                "{name}: {found} of {low} to {high}"
            );
        }
        // A height field averages to a plane: normals lean no way on the whole.
        for c in 0..2 {
            assert!((mean(&bark.normal, c) - 0.502).abs() < 0.02, "{name}");
        }
        let heights: Vec<u8> = bark
            .normal
            .rgba
            .iter()
            .skip(3)
            .step_by(4)
            .copied()
            .collect();
        let (least, most) = (heights.iter().min().unwrap(), heights.iter().max().unwrap());
        assert!(most - least > 60, "{name}: {least} to {most}");
    }
}

#[test]
fn the_same_look_gives_the_same_texels() {
    let look = Look::of(&named("oak").unwrap());
    assert_eq!(texture::bark(&look, 64), texture::bark(&look, 64));
    assert_eq!(texture::leaf(&look, 64), texture::leaf(&look, 64));
    assert_eq!(texture::fruit(&look, 64), texture::fruit(&look, 64));
}
