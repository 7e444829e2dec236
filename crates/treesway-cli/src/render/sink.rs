//! Where pictures go: one file, numbered files or a film.

use crate::arguments::Render;
use anyhow::{Context, Result, bail, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use treesway_io::film::{Film, FilmFormat, save_png};
use treesway_skin::texture::Image;

/// What the name of the output asks for.
pub enum Output {
    /// One picture.
    Still(PathBuf),
    /// A picture for each frame.
    Sequence(Numbered),
    /// All frames in one file.
    Film(PathBuf, FilmFormat),
}

/// Names with a number.
pub struct Numbered {
    before: String,
    digits: usize,
    after: String,
}

impl Output {
    /// From the arguments.
    pub fn of(arguments: &Render) -> Result<Self> {
        let path = &arguments.output;
        if let Some(format) = FilmFormat::of(path) {
            ensure!(
                !arguments.resume,
                "--resume continues numbered pictures; expected `%04d` in the name or a folder, found {}",
                path.display()
            );
            return Ok(Self::Film(path.clone(), format));
        }
        let folder = path.is_dir() || path.as_os_str().to_string_lossy().ends_with('/');
        if folder {
            return Ok(Self::Sequence(Numbered::within(path)));
        }
        ensure!(
            path.extension().is_some_and(|e| e == "png"),
            "{}: pictures cannot be written in this format; expected a name that ends in .png, .webp, .gif or .mp4, or a folder",
            path.display()
        );
        if let Some(numbered) = Numbered::parse(&path.to_string_lossy()) {
            return Ok(Self::Sequence(numbered));
        }
        let time = &arguments.time;
        let several = time.frames.is_some_and(|n| n > 1) || time.seconds.is_some();
        if several || arguments.turntable || arguments.resume {
            bail!(
                "{}: one name for several pictures; expected `%04d` in it, a folder, .webp, .gif or .mp4",
                path.display()
            );
        }
        Ok(Self::Still(path.clone()))
    }

    /// Whether there may be more than one picture.
    pub fn moves(&self) -> bool {
        !matches!(self, Self::Still(_))
    }
}

impl Numbered {
    /// Finds `%d` or `%04d`.
    fn parse(name: &str) -> Option<Self> {
        let (before, rest) = name.split_once('%')?;
        let (digits, after) = rest.split_once('d')?;
        let digits = if digits.is_empty() {
            1
        } else {
            digits.parse().ok().filter(|&n: &usize| n <= 12)?
        };
        Some(Self {
            before: before.into(),
            digits,
            after: after.into(),
        })
    }

    fn within(folder: &Path) -> Self {
        Self {
            before: folder.join("frame-").to_string_lossy().into(),
            digits: 4,
            after: ".png".into(),
        }
    }

    fn path(&self, frame: u64) -> PathBuf {
        let digits = self.digits;
        format!("{}{frame:0digits$}{}", self.before, self.after).into()
    }

    /// Makes the folder that the names are in.
    fn prepare(&self) -> Result<()> {
        let path = self.path(0);
        let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
        folder.map_or(Ok(()), |folder| {
            fs::create_dir_all(folder)
                .with_context(|| format!("{}: the folder cannot be made", folder.display()))
        })
    }
}

/// Takes pictures in the order of their frames.
pub enum Sink {
    /// One picture.
    Still(PathBuf),
    /// A picture for each frame; those that exist are kept where `resume` says so.
    Sequence { names: Numbered, resume: bool },
    /// All frames in one file.
    Film(Film),
}

impl Sink {
    /// Ready for the first frame.
    pub fn open(output: Output, size: [u32; 2], fps: f64, resume: bool) -> Result<Self> {
        Ok(match output {
            Output::Still(path) => Self::Still(path),
            Output::Sequence(names) => {
                names.prepare()?;
                Self::Sequence { names, resume }
            }
            Output::Film(path, format) => Self::Film(Film::create(&path, format, size, fps)?),
        })
    }

    /// Whether that frame is to be drawn.
    pub fn wants(&self, frame: u64) -> bool {
        match self {
            Self::Sequence {
                names,
                resume: true,
            } => !names.path(frame).exists(),
            _ => true,
        }
    }

    /// One more picture.
    pub fn add(&mut self, frame: u64, picture: &Image) -> Result<()> {
        match self {
            Self::Still(path) => save_png(path, picture)?,
            Self::Sequence { names, .. } => save_png(&names.path(frame), picture)?,
            Self::Film(film) => film.add(picture)?,
        }
        Ok(())
    }

    /// No more pictures.
    pub fn finish(self) -> Result<()> {
        match self {
            Self::Film(film) => Ok(film.finish()?),
            Self::Still(_) | Self::Sequence { .. } => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_put_into_names() {
        let path = |name: &str| Numbered::parse(name).map(|n| n.path(7));
        assert_eq!(path("a-%04d.png"), Some("a-0007.png".into()));
        assert_eq!(path("a-%d.png"), Some("a-7.png".into()));
        assert_eq!(path("a-%x.png"), None);
        assert_eq!(path("100%.png"), None);
    }
}
