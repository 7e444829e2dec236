//! Animated WebP: lossless frames in a RIFF container (Google's "WebP Container Specification").
//!
//! ```text
//! RIFF size WEBP
//!   VP8X  flags, canvas width − 1, height − 1
//!   ANIM  background, loop count (0: for ever)
//!   ANMF  x / 2, y / 2, width − 1, height − 1, ms, flags; VP8L   for each frame
//! ```
//! A frame holds only the rectangle that differs from the last one. Frames come out of `image`'s encoder for stills, whose file is one VP8L
//! chunk after twelve bytes of header.

use super::{Encoder, FilmError, encode_error, io_error};
use image::ExtendedColorType;
use image::codecs::webp::WebPEncoder;
use std::fs::File;
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use treesway_skin::texture::Image;

const ANIMATED: u8 = 1 << 1;
const HAS_ALPHA: u8 = 1 << 4;
/// Of a frame: pixels replace what was there, alpha included.
const REPLACE: u8 = 1 << 1;
/// RIFF, size, WEBP.
const HEADER: usize = 12;

pub(super) struct Webp {
    writer: BufWriter<File>,
    file: PathBuf,
    fps: f64,
    frames: u32,
    last: Option<Image>,
}

/// A part of a picture, pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rectangle {
    x: u32,
    y: u32,
    width: u32,
    height: u32,
}

impl Webp {
    pub(super) fn create(
        file: &Path,
        [width, height]: [u32; 2],
        fps: f64,
    ) -> Result<Self, FilmError> {
        let start = || {
            let mut writer = BufWriter::new(File::create(file)?);
            // The size is filled in at the end.
            writer.write_all(b"RIFF\0\0\0\0WEBP")?;
            let mut canvas = vec![ANIMATED | HAS_ALPHA, 0, 0, 0];
            canvas.extend(three_bytes(width - 1));
            canvas.extend(three_bytes(height - 1));
            put_chunk(&mut writer, b"VP8X", &canvas)?;
            put_chunk(&mut writer, b"ANIM", &[0; 6])?;
            Ok(writer)
        };
        Ok(Self {
            writer: start().map_err(io_error(file))?,
            file: file.into(),
            fps,
            frames: 0,
            last: None,
        })
    }

    /// Milliseconds from the start to a frame, so that rounding does not add up.
    fn milliseconds(&self, frame: u32) -> u32 {
        (f64::from(frame) * 1000.0 / self.fps).round() as u32
    }
}

impl Encoder for Webp {
    fn add(&mut self, picture: &Image) -> Result<(), FilmError> {
        let part = changed(self.last.as_ref(), picture);
        let pixels = cut_out(picture, part);
        let mut still = Vec::new();
        WebPEncoder::new_lossless(&mut still)
            .encode(&pixels, part.width, part.height, ExtendedColorType::Rgba8)
            .map_err(encode_error(&self.file))?;
        let shown = self.milliseconds(self.frames + 1) - self.milliseconds(self.frames);
        let mut frame = Vec::with_capacity(still.len() + 16);
        for number in [
            part.x / 2,
            part.y / 2,
            part.width - 1,
            part.height - 1,
            shown,
        ] {
            frame.extend(three_bytes(number));
        }
        frame.push(REPLACE);
        frame.extend_from_slice(&still[HEADER..]);
        self.frames += 1;
        self.last = Some(picture.clone());
        put_chunk(&mut self.writer, b"ANMF", &frame).map_err(io_error(&self.file))
    }

    fn finish(mut self: Box<Self>) -> Result<(), FilmError> {
        let mut end = || {
            let size = self.writer.stream_position()? - 8;
            let size = u32::try_from(size)
                .map_err(|_| io::Error::other("a WebP file holds at most 4 GB"))?;
            self.writer.seek(SeekFrom::Start(4))?;
            self.writer.write_all(&size.to_le_bytes())?;
            self.writer.flush()
        };
        end().map_err(io_error(&self.file))
    }
}

fn three_bytes(number: u32) -> [u8; 3] {
    let [a, b, c, _] = number.to_le_bytes();
    [a, b, c]
}

fn put_chunk(writer: &mut impl Write, name: &[u8; 4], data: &[u8]) -> io::Result<()> {
    writer.write_all(name)?;
    writer.write_all(&(data.len() as u32).to_le_bytes())?;
    writer.write_all(data)?;
    // Chunks start at even places.
    writer.write_all(&[0][..data.len() % 2])
}

/// The least rectangle with all pixels that differ, from an even corner; a pixel if none does.
fn changed(last: Option<&Image>, now: &Image) -> Rectangle {
    let whole = Rectangle {
        x: 0,
        y: 0,
        width: now.width,
        height: now.height,
    };
    let Some(last) = last else { return whole };
    let row_bytes = 4 * now.width as usize;
    let rows = || {
        let pairs = last
            .rgba
            .chunks_exact(row_bytes)
            .zip(now.rgba.chunks_exact(row_bytes));
        pairs.enumerate().filter(|(_, (a, b))| a != b)
    };
    let (Some((top, _)), Some((bottom, _))) = (rows().next(), rows().next_back()) else {
        return Rectangle {
            width: 1,
            height: 1,
            ..whole
        };
    };
    let (mut left, mut right) = (now.width, 0);
    for (_, (a, b)) in rows() {
        let differs = |x: &u32| {
            let at = 4 * *x as usize;
            a[at..at + 4] != b[at..at + 4]
        };
        left = left.min((0..now.width).find(differs).unwrap_or(left));
        right = right.max((0..now.width).rev().find(differs).unwrap_or(right));
    }
    let (x, y) = (left & !1, top as u32 & !1);
    Rectangle {
        x,
        y,
        width: right + 1 - x,
        height: bottom as u32 + 1 - y,
    }
}

fn cut_out(picture: &Image, part: Rectangle) -> Vec<u8> {
    let rows = picture.rgba.chunks_exact(4 * picture.width as usize);
    let rows = rows.skip(part.y as usize).take(part.height as usize);
    let (from, to) = (4 * part.x as usize, 4 * (part.x + part.width) as usize);
    rows.flat_map(|row| &row[from..to]).copied().collect()
}
