//! MATLAB's file format, version 5 (MAT-File Format, R2019b, chapter 1), as much of it as structs of numbers need.
//!
//! A file is a header of 128 bytes and elements; an element is a tag (type, number of bytes) and data, padded to 8 bytes. A matrix is an
//! element whose data are elements again: flags, dimensions, name, then numbers, or of a struct the names of its fields and a matrix for
//! each. Elements may be packed with zlib. No crate that is kept reads structs, hence this reader: it borrows from the bytes, never goes
//! deeper than [`DEEPEST`] and never unpacks more than [`MOST_BYTES`].

use super::MOST_BYTES;
use super::error::Wrong;
use flate2::read::ZlibDecoder;
use std::io::Read;

/// Structs within structs.
const DEEPEST: usize = 16;

const HEADER: usize = 128;
const INT8: u32 = 1;
const INT32: u32 = 5;
const UINT32: u32 = 6;
const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
const CELL_CLASS: u8 = 1;
const STRUCT_CLASS: u8 = 2;

/// Numbers, column after column.
pub(super) struct Matrix {
    pub rows: usize,
    pub data: Vec<f64>,
}

fn broken(what: &str) -> Wrong {
    Wrong::new(format!("is no whole MATLAB file: {what}"))
}

/// The named fields of the first struct of that name, a variable or a field of one, wherever it is.
pub(super) fn read_struct(bytes: &[u8], name: &str, fields: &[&str]) -> Result<Vec<Matrix>, Wrong> {
    match bytes.get(126..HEADER) {
        None => return Err(broken("it ends within its header")),
        Some(b"IM") => {}
        Some(_) => return Err(broken("its numbers are not little-endian; save it on a PC")),
    }
    let mut left = &bytes[HEADER..];
    while !left.is_empty() {
        let (kind, data, rest) = element(left)?;
        left = rest;
        let unpacked;
        let matrix = match kind {
            MATRIX => data,
            COMPRESSED => {
                unpacked = unpack(data)?;
                match element(&unpacked)? {
                    (MATRIX, matrix, _) => matrix,
                    _ => continue,
                }
            }
            _ => continue,
        };
        if let Some(found) = find(matrix, None, name, 0)? {
            return read_fields(found, name, fields);
        }
    }
    Err(Wrong::new(format!(
        "has no struct `{name}`; expected a model of TreeQSM 2.4"
    )))
}

fn unpack(data: &[u8]) -> Result<Vec<u8>, Wrong> {
    let mut unpacked = Vec::new();
    ZlibDecoder::new(data)
        .take(MOST_BYTES + 1)
        .read_to_end(&mut unpacked)
        .map_err(|e| broken(&e.to_string()))?;
    if unpacked.len() as u64 > MOST_BYTES {
        return Err(broken("it unpacks to more than 1 GiB"));
    }
    Ok(unpacked)
}

/// Type and data of the first element, and what follows it.
fn element(bytes: &[u8]) -> Result<(u32, &[u8], &[u8]), Wrong> {
    let word = |at: usize| -> Result<u32, Wrong> {
        let four = bytes
            .get(at..at + 4)
            .ok_or_else(|| broken("it ends within an element's tag"))?;
        Ok(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
    };
    let tag = word(0)?;
    let short = || broken("it ends within an element's data");
    if tag >> 16 != 0 {
        // Up to four bytes within the tag.
        let size = (tag >> 16) as usize;
        let data = bytes
            .get(4..4 + size)
            .filter(|_| size <= 4)
            .ok_or_else(short)?;
        return Ok((tag & 0xffff, data, bytes.get(8..).unwrap_or_default()));
    }
    let size = word(4)? as usize;
    let data = bytes
        .get(8..)
        .and_then(|b| b.get(..size))
        .ok_or_else(short)?;
    let padded = if tag == COMPRESSED {
        size
    } else {
        size.next_multiple_of(8)
    };
    // The last element's padding may be missing.
    Ok((tag, data, bytes.get(8 + padded..).unwrap_or_default()))
}

/// The parts that every matrix begins with.
struct Head<'a> {
    class: u8,
    dimensions: Vec<usize>,
    name: &'a [u8],
    rest: &'a [u8],
}

fn head(matrix: &[u8]) -> Result<Head<'_>, Wrong> {
    let (UINT32, flags, rest) = element(matrix)? else {
        return Err(broken("a matrix has no flags"));
    };
    let (INT32, sizes, rest) = element(rest)? else {
        return Err(broken("a matrix has no dimensions"));
    };
    let (INT8, name, rest) = element(rest)? else {
        return Err(broken("a matrix has no name"));
    };
    let dimensions = sizes
        .chunks_exact(4)
        .map(|d| u32::from_le_bytes([d[0], d[1], d[2], d[3]]) as usize)
        .collect();
    Ok(Head {
        class: flags.first().copied().unwrap_or_default(),
        dimensions,
        name,
        rest,
    })
}

/// Names of the fields of a struct, each as long as the first element of `rest` says, and the matrices after them.
fn field_names(rest: &[u8]) -> Result<(Vec<&[u8]>, &[u8]), Wrong> {
    let (_, width, rest) = element(rest)?;
    let (_, names, rest) = element(rest)?;
    let width = match width {
        [a, b, c, d] => u32::from_le_bytes([*a, *b, *c, *d]) as usize,
        _ => 0,
    };
    if width == 0 {
        return Err(broken("a struct has no length of its field names"));
    }
    let ended = |name: &'_ [u8]| name.iter().position(|&c| c == 0).unwrap_or(name.len());
    let names = names.chunks_exact(width).map(|n| &n[..ended(n)]);
    Ok((names.collect(), rest))
}

/// The data of the struct of that name: this matrix, or what one of its fields or cells holds.
fn find<'a>(
    matrix: &'a [u8],
    called: Option<&[u8]>,
    name: &str,
    depth: usize,
) -> Result<Option<&'a [u8]>, Wrong> {
    // An empty matrix is an element without data.
    if matrix.is_empty() || depth > DEEPEST {
        return Ok(None);
    }
    let Head {
        class,
        name: own,
        mut rest,
        ..
    } = head(matrix)?;
    let mut names = Vec::new();
    if class == STRUCT_CLASS {
        if called.unwrap_or(own) == name.as_bytes() {
            return Ok(Some(matrix));
        }
        (names, rest) = field_names(rest)?;
    } else if class != CELL_CLASS {
        return Ok(None);
    }
    let mut number = 0;
    while !rest.is_empty() {
        let (kind, inner, after) = element(rest)?;
        let field = names.get(number % names.len().max(1)).copied();
        if kind == MATRIX
            && let Some(found) = find(inner, field.or(Some(b"")), name, depth + 1)?
        {
            return Ok(Some(found));
        }
        (rest, number) = (after, number + 1);
    }
    Ok(None)
}

fn read_fields(matrix: &[u8], name: &str, fields: &[&str]) -> Result<Vec<Matrix>, Wrong> {
    let (names, mut rest) = field_names(head(matrix)?.rest)?;
    let mut found: Vec<Option<Matrix>> = fields.iter().map(|_| None).collect();
    for own in names {
        if rest.is_empty() {
            break;
        }
        let (_, inner, after) = element(rest)?;
        rest = after;
        if let Some(k) = fields.iter().position(|f| f.as_bytes() == own) {
            found[k] = Some(numbers(inner, fields[k])?);
        }
    }
    let all = found.into_iter().zip(fields);
    all.map(|(matrix, field)| {
        matrix.ok_or_else(|| {
            Wrong::new(format!(
                "the struct {name} has no field `{field}`; expected a model of TreeQSM 2.4"
            ))
        })
    })
    .collect()
}

/// A matrix of numbers of any type.
fn numbers(matrix: &[u8], field: &str) -> Result<Matrix, Wrong> {
    if matrix.is_empty() {
        let (rows, data) = (0, Vec::new());
        return Ok(Matrix { rows, data });
    }
    let head = head(matrix)?;
    let (kind, bytes, _) = element(head.rest)?;
    macro_rules! read {
        ($number:ty) => {
            bytes
                .chunks_exact(size_of::<$number>())
                .map(|c| {
                    let mut own = [0; size_of::<$number>()];
                    own.copy_from_slice(c);
                    <$number>::from_le_bytes(own) as f64
                })
                .collect()
        };
    }
    let data: Vec<f64> = match kind {
        1 => read!(i8),
        2 => read!(u8),
        3 => read!(i16),
        4 => read!(u16),
        5 => read!(i32),
        6 => read!(u32),
        7 => read!(f32),
        9 => read!(f64),
        12 => read!(i64),
        13 => read!(u64),
        _ => {
            let what = format!("field `{field}` is no matrix of numbers; expected one");
            return Err(Wrong::new(what));
        }
    };
    let rows = head.dimensions.first().copied().unwrap_or_default();
    Ok(Matrix { rows, data })
}
