//! Films, read back by `image`'s decoders and by ffmpeg.

use image::AnimationDecoder;
use image::codecs::gif::GifDecoder;
use image::codecs::webp::WebPDecoder;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use treesway_io::film::{Film, FilmFormat, save_png};
use treesway_skin::texture::Image;

/// A square that wanders over a gradient, of odd size so that nothing is even by chance.
fn picture(frame: u32) -> Image {
    let (width, height) = (61, 43);
    let pixel = |x: u32, y: u32| {
        let inside = x.abs_diff(11 + 3 * frame) < 5 && y.abs_diff(20) < 6;
        if inside {
            [250, 40, 10, 255]
        } else {
            [x as u8 * 3, y as u8 * 4, 90, 255]
        }
    };
    let pixels = (0..height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y)));
    Image {
        width,
        height,
        rgba: pixels.collect(),
    }
}

fn write(path: &Path, frames: u32, fps: f64) {
    let format = FilmFormat::of(path).unwrap();
    let mut film = Film::create(path, format, [61, 43], fps).unwrap();
    for frame in 0..frames {
        film.add(&picture(frame)).unwrap();
    }
    assert!(!path.exists(), "half a film has its name already");
    film.finish().unwrap();
}

#[test]
fn webp_gives_every_pixel_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.webp");
    write(&path, 7, 30.0);
    let decoder = WebPDecoder::new(BufReader::new(File::open(&path).unwrap())).unwrap();
    let frames = decoder.into_frames().collect_frames().unwrap();
    assert_eq!(frames.len(), 7);
    let mut milliseconds = 0;
    for (i, frame) in frames.iter().enumerate() {
        assert!(
            frame.buffer().as_raw() == &picture(i as u32).rgba,
            "frame {i}"
        );
        milliseconds += frame.delay().numer_denom_ms().0 / frame.delay().numer_denom_ms().1;
    }
    assert_eq!(milliseconds, 233, "7 frames at 30 a second");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn gif_keeps_frames_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("film.gif");
    write(&path, 6, 30.0);
    let decoder = GifDecoder::new(BufReader::new(File::open(&path).unwrap())).unwrap();
    let frames = decoder.into_frames().collect_frames().unwrap();
    assert_eq!(frames.len(), 6);
    let milliseconds: u32 = frames.iter().map(|f| f.delay().numer_denom_ms().0).sum();
    assert_eq!(milliseconds, 200);
    // 256 colours: near, not equal.
    let (found, meant) = (frames[5].buffer().as_raw(), picture(5).rgba);
    let off = found
        .iter()
        .zip(&meant)
        .map(|(a, b)| f64::from(a.abs_diff(*b)));
    assert!(off.sum::<f64>() / (meant.len() as f64) < 6.0);
}

#[test]
fn a_film_that_is_given_up_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["film.webp", "film.gif"] {
        let path = folder.path().join(name);
        let format = FilmFormat::of(&path).unwrap();
        let mut film = Film::create(&path, format, [61, 43], 30.0).unwrap();
        film.add(&picture(0)).unwrap();
        drop(film);
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn png_gives_every_pixel_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("still.png");
    save_png(&path, &picture(3)).unwrap();
    let read = image::open(&path).unwrap().into_rgba8();
    assert!(read.as_raw() == &picture(3).rgba);
}
