//! MP4 through ffmpeg, which is given raw pictures.

use super::{Encoder, FilmError, io_error};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use treesway_skin::texture::Image;

pub(super) struct Ffmpeg {
    child: Child,
    file: PathBuf,
}

impl Ffmpeg {
    pub(super) fn start(
        file: &Path,
        [width, height]: [u32; 2],
        fps: f64,
    ) -> Result<Self, FilmError> {
        let mut command = Command::new("ffmpeg");
        command
            .args(["-loglevel", "error", "-nostdin", "-y"])
            .args(["-f", "rawvideo", "-pixel_format", "rgba"])
            .args(["-video_size", &format!("{width}x{height}")])
            .args(["-framerate", &fps.to_string(), "-i", "pipe:0"])
            // Players want even sizes, colours at half the resolution and their index at the start.
            .args(["-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2"])
            .args(["-c:v", "libx264", "-crf", "18", "-pix_fmt", "yuv420p"])
            .args(["-movflags", "+faststart", "-f", "mp4"])
            .arg(file)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        match command.spawn() {
            Ok(child) => Ok(Self {
                child,
                file: file.into(),
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Err(FilmError::NoFfmpeg { file: file.into() })
            }
            Err(error) => Err(io_error(file)(error)),
        }
    }

    /// What ffmpeg said last, once it has ended.
    fn complaint(&mut self) -> FilmError {
        let mut said = String::new();
        if let Some(mut stderr) = self.child.stderr.take() {
            // What cannot be read is not told.
            let _ = stderr.read_to_string(&mut said);
        }
        let last = said.lines().rfind(|line| !line.trim().is_empty());
        FilmError::Ffmpeg {
            file: self.file.clone(),
            what: last.unwrap_or("it gave no reason").trim().into(),
        }
    }
}

impl Encoder for Ffmpeg {
    fn add(&mut self, picture: &Image) -> Result<(), FilmError> {
        let input = self.child.stdin.as_mut().expect("piped");
        if input.write_all(&picture.rgba).is_ok() {
            return Ok(());
        }
        Err(self.complaint())
    }

    fn finish(mut self: Box<Self>) -> Result<(), FilmError> {
        // The end of the input is the end of the film.
        drop(self.child.stdin.take());
        let status = self.child.wait().map_err(io_error(&self.file))?;
        if status.success() {
            return Ok(());
        }
        Err(self.complaint())
    }
}

impl Drop for Ffmpeg {
    fn drop(&mut self) {
        // Of a film that was given up; one that is finished has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
