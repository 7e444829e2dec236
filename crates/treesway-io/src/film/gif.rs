//! Animated GIF: 256 colours a frame, times in hundredths of a second.

use super::{Encoder, FilmError, encode_error, io_error};
use image::codecs::gif::{GifEncoder, Repeat};
use image::{Delay, Frame, RgbaImage};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use treesway_skin::texture::Image;

/// Of the search for colours, 1 (best) to 30: as good as can be told apart.
const SPEED: i32 = 10;

pub(super) struct Gif {
    encoder: GifEncoder<BufWriter<File>>,
    file: PathBuf,
    fps: f64,
    frames: u32,
}

impl Gif {
    pub(super) fn create(file: &Path, fps: f64) -> Result<Self, FilmError> {
        let writer = BufWriter::new(File::create(file).map_err(io_error(file))?);
        let mut encoder = GifEncoder::new_with_speed(writer, SPEED);
        encoder
            .set_repeat(Repeat::Infinite)
            .map_err(encode_error(file))?;
        Ok(Self {
            encoder,
            file: file.into(),
            fps,
            frames: 0,
        })
    }

    /// Hundredths of a second from the start to a frame, so that rounding does not add up.
    fn hundredths(&self, frame: u32) -> u32 {
        (f64::from(frame) * 100.0 / self.fps).round() as u32
    }
}

impl Encoder for Gif {
    fn add(&mut self, picture: &Image) -> Result<(), FilmError> {
        let shown = self.hundredths(self.frames + 1) - self.hundredths(self.frames);
        // Most viewers show anything shorter at a tenth of a second.
        let delay = Delay::from_numer_denom_ms(shown.max(2) * 10, 1);
        let pixels = RgbaImage::from_raw(picture.width, picture.height, picture.rgba.clone())
            .expect("four bytes a pixel");
        self.frames += 1;
        self.encoder
            .encode_frame(Frame::from_parts(pixels, 0, 0, delay))
            .map_err(encode_error(&self.file))
    }

    fn finish(self: Box<Self>) -> Result<(), FilmError> {
        Ok(())
    }
}
