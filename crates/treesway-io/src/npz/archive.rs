//! An `.npz` file (an uncompressed ZIP64 archive of `.npy` arrays) that is written while its arrays grow.
//!
//! The shape of an array stands before its data, so growing arrays go to files of their own beside the output and are put
//! together at the end. All files end in `.part` until the archive is whole and takes its name; dropped before that, it
//! leaves nothing behind.

use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// A number that NumPy knows.
pub(crate) trait Element: Copy {
    /// NumPy's name of its type.
    const DTYPE: &'static str;
    /// Appends its bytes, little endian.
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! element {
    ($($number:ty = $dtype:literal),*) => {$(
        impl Element for $number {
            const DTYPE: &'static str = $dtype;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )*};
}

element!(f32 = "<f4", f64 = "<f8", i32 = "<i4", u8 = "|u1");

/// Names an array that grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stream(usize);

/// An archive in the making.
pub(crate) struct Archive {
    output: PathBuf,
    zip: Option<ZipWriter<BufWriter<File>>>,
    streams: Vec<Growing>,
    bytes: Vec<u8>,
}

struct Growing {
    name: &'static str,
    dtype: &'static str,
    row_shape: Vec<usize>,
    rows: usize,
    file: BufWriter<File>,
    path: PathBuf,
}

/// Whether to go on; asked every few megabytes.
pub(crate) type GoOn<'a> = &'a dyn Fn() -> bool;

impl Archive {
    /// Starts an archive that will be called `output`.
    pub(crate) fn create(output: &Path) -> io::Result<Self> {
        let file = File::create(part_of(output, None))?;
        Ok(Self {
            output: output.into(),
            zip: Some(ZipWriter::new(BufWriter::new(file))),
            streams: Vec::new(),
            bytes: Vec::new(),
        })
    }

    /// Adds a whole array.
    pub(crate) fn put<T: Element>(
        &mut self,
        name: &str,
        shape: &[usize],
        data: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        self.bytes.clear();
        data.into_iter().for_each(|x| x.put(&mut self.bytes));
        debug_assert_eq!(
            self.bytes.len(),
            size_of::<T>() * shape.iter().product::<usize>()
        );
        let zip = self
            .zip
            .as_mut()
            .expect("an archive is open until it is finished");
        start(zip, name, T::DTYPE, shape)?;
        zip.write_all(&self.bytes)
    }

    /// Adds an array that grows row by row along its first axis.
    pub(crate) fn stream<T: Element>(
        &mut self,
        name: &'static str,
        row_shape: &[usize],
    ) -> io::Result<Stream> {
        let path = part_of(&self.output, Some(name));
        self.streams.push(Growing {
            name,
            dtype: T::DTYPE,
            row_shape: row_shape.into(),
            rows: 0,
            file: BufWriter::new(File::create(&path)?),
            path,
        });
        Ok(Stream(self.streams.len() - 1))
    }

    /// Appends a row.
    pub(crate) fn push<T: Element>(
        &mut self,
        stream: Stream,
        row: impl IntoIterator<Item = T>,
    ) -> io::Result<()> {
        let growing = &mut self.streams[stream.0];
        debug_assert_eq!(growing.dtype, T::DTYPE);
        self.bytes.clear();
        row.into_iter().for_each(|x| x.put(&mut self.bytes));
        debug_assert_eq!(
            self.bytes.len(),
            size_of::<T>() * growing.row_shape.iter().product::<usize>()
        );
        growing.rows += 1;
        growing.file.write_all(&self.bytes)
    }

    /// Puts everything together and gives the file its name.
    pub(crate) fn finish(mut self, go_on: GoOn) -> io::Result<()> {
        let mut zip = self.zip.take().expect("an archive is finished once");
        for growing in &mut self.streams {
            growing.file.flush()?;
            let shape: Vec<usize> = core::iter::once(growing.rows)
                .chain(growing.row_shape.iter().copied())
                .collect();
            start(&mut zip, growing.name, growing.dtype, &shape)?;
            copy(&mut File::open(&growing.path)?, &mut zip, go_on)?;
            // Gone as soon as it is copied, so that the disk holds little twice.
            fs::remove_file(&growing.path)?;
        }
        zip.finish().map_err(io::Error::from)?.flush()?;
        fs::rename(part_of(&self.output, None), &self.output)
    }
}

impl Drop for Archive {
    fn drop(&mut self) {
        self.zip = None;
        let streams = self.streams.drain(..).map(|s| s.path);
        for path in streams.chain([part_of(&self.output, None)]) {
            // What was finished is no longer there; there is nobody to tell about the rest.
            let _ = fs::remove_file(path);
        }
    }
}

fn part_of(output: &Path, array: Option<&str>) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    if let Some(array) = array {
        name.push(".");
        name.push(array);
    }
    name.push(".part");
    name.into()
}

fn copy(from: &mut impl Read, to: &mut impl Write, go_on: GoOn) -> io::Result<()> {
    let mut chunk = vec![0; 1 << 22];
    loop {
        if !go_on() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        match from.read(&mut chunk)? {
            0 => return Ok(()),
            n => to.write_all(&chunk[..n])?,
        }
    }
}

/// Opens an entry and writes its header (NumPy's format 1.0).
fn start(
    zip: &mut ZipWriter<BufWriter<File>>,
    name: &str,
    dtype: &str,
    shape: &[usize],
) -> io::Result<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(true);
    zip.start_file(format!("{name}.npy"), options)?;
    let sizes: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut header =
        format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // Magic, version and length take 10 bytes, the line end one; data starts at a multiple of 64.
    let padding = (64 - (header.len() + 11) % 64) % 64;
    header.extend(core::iter::repeat_n(' ', padding));
    header.push('\n');
    zip.write_all(b"\x93NUMPY\x01\x00")?;
    zip.write_all(&(header.len() as u16).to_le_bytes())?;
    zip.write_all(header.as_bytes())
}
