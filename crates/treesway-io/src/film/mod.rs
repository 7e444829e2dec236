//! Pictures and films as files: PNG, animated WebP and GIF, and MP4 through ffmpeg.
//!
//! A [`Film`] is there whole or not at all: it is written under a temporary name (`.part` at its end), which [`Film::finish`] takes off.

mod ffmpeg;
mod gif;
mod webp;

use crate::write_whole;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder, ImageError};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use treesway_skin::texture::Image;

/// Why a picture or film was not written.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum FilmError {
    #[error("{}: cannot be written: {error}", file.display())]
    Io { file: PathBuf, error: io::Error },
    #[error("{}: cannot be encoded: {error}", file.display())]
    Encode { file: PathBuf, error: ImageError },
    #[error(
        "{}: films in this format are made by ffmpeg, which was not found; install it (Debian, Ubuntu: apt-get install ffmpeg) or write .webp, .gif or numbered .png files",
        file.display()
    )]
    NoFfmpeg { file: PathBuf },
    #[error("{}: ffmpeg failed: {what}", file.display())]
    Ffmpeg { file: PathBuf, what: String },
}

impl FilmError {
    /// The same about the file that was asked for, instead of its temporary name.
    fn about(mut self, output: &Path) -> Self {
        let (Self::Io { file, .. }
        | Self::Encode { file, .. }
        | Self::NoFfmpeg { file }
        | Self::Ffmpeg { file, .. }) = &mut self;
        *file = output.into();
        self
    }
}

/// Formats of films.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilmFormat {
    /// Animated WebP, without loss.
    Webp,
    /// 256 colours a frame.
    Gif,
    /// H.264, by ffmpeg.
    Mp4,
}

impl FilmFormat {
    /// By the ending of a name.
    pub fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "webp" => Some(Self::Webp),
            "gif" => Some(Self::Gif),
            "mp4" => Some(Self::Mp4),
            _ => None,
        }
    }
}

/// What takes the frames of one format.
trait Encoder {
    /// One more picture, all of one size.
    fn add(&mut self, picture: &Image) -> Result<(), FilmError>;

    /// No more pictures.
    fn finish(self: Box<Self>) -> Result<(), FilmError>;
}

/// A film while it is written. Dropped before [`finish`](Self::finish), it leaves no file.
pub struct Film {
    encoder: Option<Box<dyn Encoder>>,
    part: PathBuf,
    output: PathBuf,
}

impl Film {
    /// Starts a film of pictures of one size, pixels, at so many frames per second.
    pub fn create(
        output: &Path,
        format: FilmFormat,
        size: [u32; 2],
        fps: f64,
    ) -> Result<Self, FilmError> {
        let mut part = output.as_os_str().to_owned();
        part.push(".part");
        let part = PathBuf::from(part);
        let start = || -> Result<Box<dyn Encoder>, FilmError> {
            Ok(match format {
                FilmFormat::Webp => Box::new(webp::Webp::create(&part, size, fps)?),
                FilmFormat::Gif => Box::new(gif::Gif::create(&part, fps)?),
                FilmFormat::Mp4 => Box::new(ffmpeg::Ffmpeg::start(&part, size, fps)?),
            })
        };
        let encoder = start().map_err(|e| e.about(output))?;
        Ok(Self {
            encoder: Some(encoder),
            part,
            output: output.into(),
        })
    }

    /// One more picture.
    pub fn add(&mut self, picture: &Image) -> Result<(), FilmError> {
        let encoder = self.encoder.as_mut().expect("there until it is finished");
        encoder.add(picture).map_err(|e| e.about(&self.output))
    }

    /// Gives the film its name.
    pub fn finish(mut self) -> Result<(), FilmError> {
        let encoder = self.encoder.take().expect("finished once");
        encoder.finish().map_err(|e| e.about(&self.output))?;
        fs::rename(&self.part, &self.output).map_err(io_error(&self.output))
    }
}

impl Drop for Film {
    fn drop(&mut self) {
        // Closed first; after `finish` there is none any more.
        self.encoder = None;
        let _ = fs::remove_file(&self.part);
    }
}

/// Writes one picture as PNG, whole or not at all.
pub fn save_png(path: &Path, picture: &Image) -> Result<(), FilmError> {
    enum Failed {
        Io(io::Error),
        Encode(ImageError),
    }
    impl From<io::Error> for Failed {
        fn from(error: io::Error) -> Self {
            Self::Io(error)
        }
    }
    let written = write_whole(path, |file| {
        let encoder =
            PngEncoder::new_with_quality(file, CompressionType::Default, FilterType::Adaptive);
        let (width, height) = (picture.width, picture.height);
        encoder
            .write_image(&picture.rgba, width, height, ExtendedColorType::Rgba8)
            .map_err(Failed::Encode)
    });
    written.map_err(|failed| match failed {
        Failed::Io(error) | Failed::Encode(ImageError::IoError(error)) => io_error(path)(error),
        Failed::Encode(error) => encode_error(path)(error),
    })
}

fn io_error(file: &Path) -> impl Fn(io::Error) -> FilmError + '_ {
    move |error| FilmError::Io {
        file: file.into(),
        error,
    }
}

fn encode_error(file: &Path) -> impl Fn(ImageError) -> FilmError + '_ {
    move |error| FilmError::Encode {
        file: file.into(),
        error,
    }
}
