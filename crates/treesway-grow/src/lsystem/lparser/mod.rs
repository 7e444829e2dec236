//! Grammars of Lparser (`.ls`), Laurens Lapré's L-system parser: deterministic, one character at a time.
//!
//! `#` and blank lines are skipped; then come recursion, angle in degrees, thickness in % of length, axiom, rules `X=…`, and `@`.
//! Each line is cut at its first blank or `#`. The first rule of a letter wins; a letter with neither rule nor default is erased.
//! Where Lparser's own program deviates from its description, this follows the description: arguments of a fractional last
//! step are scaled once.

mod draw;

use super::derive::{Limits, explosion};
use super::error::{GrammarError, Place, Wrong, wrong, wrong_at};
use super::hierarchy::Radii;
use super::settings::MOST_DEPTH;
use super::{Counts, Growth};
use crate::Grown;

/// Lparser has no unit of length: a form is made this large, m.
const EXTENT: f64 = 10.0;
/// Thickness shrinks by powers along branches; below this radius wood would be hair, m.
const LEAST_RADIUS: f64 = 0.002;
/// Letters that stay as they are if no rule replaces them: the turtle's, digits and parentheses.
const KEPT: &[u8] = b"+-&^<>%|!?:;'\"c[]{}FftgZz$~.0123456789()";
/// Rules of letters that draw or move are not scaled in a fractional last step.
const UNSCALED: &[u8] = b"FfZz";
/// Stands around what a fractional last step made; the parser lets none pass.
const MARK: u8 = 0;

/// A grammar of Lparser that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Lparser {
    pub(super) file: String,
    /// May be fractional: the last step is scaled.
    recursion: f64,
    angle_deg: f64,
    /// Of the lines, over their length.
    thickness: f64,
    axiom: Vec<u8>,
    /// In the order of the file.
    rules: Vec<(u8, Vec<u8>)>,
}

impl Lparser {
    /// Reads a grammar; `file` is what messages call it. Comments may be in any encoding.
    pub fn parse(bytes: &[u8], file: &str) -> Result<Self, GrammarError> {
        read(bytes, file).map_err(|e| GrammarError::new(file, e))
    }

    pub(super) fn grow(&self, growth: &Growth) -> Result<Grown, Wrong> {
        let recursion = growth.depth.map_or(self.recursion, f64::from);
        let string = self.derive(recursion, &growth.limits)?;
        let fraction = recursion - libm::floor(recursion);
        let (hierarchy, counts) = self.draw(&string, fraction, growth)?;
        let letters = string.iter().filter(|c| **c != MARK).count();
        drop(string);
        let scale = EXTENT / hierarchy.extent().max(1e-9);
        let mut grown = hierarchy.finish(scale, Radii::AtLeast(LEAST_RADIUS))?;
        grown.derived = Some(Counts { letters, ..counts });
        Ok(grown)
    }

    /// The string after all steps; what a fractional last one made stands between marks.
    fn derive(&self, recursion: f64, limits: &Limits) -> Result<Vec<u8>, Wrong> {
        let mut successors: [&[u8]; 256] = [&[]; 256];
        let own: Vec<u8> = (0..=255).collect();
        KEPT.iter()
            .for_each(|&c| successors[usize::from(c)] = &own[usize::from(c)..][..1]);
        let mut ruled = [false; 256];
        for (letter, successor) in &self.rules {
            let letter = usize::from(*letter);
            if !ruled[letter] {
                (ruled[letter], successors[letter]) = (true, successor);
            }
        }
        let steps = libm::ceil(recursion) as u32;
        let (mut string, mut next, mut work) = (self.axiom.clone(), Vec::new(), 0);
        for step in 1..=steps {
            let marked = step == steps && f64::from(steps) > recursion;
            next.clear();
            for &c in &string {
                let successor = successors[usize::from(c)];
                let mark = marked && ruled[usize::from(c)] && !UNSCALED.contains(&c);
                next.extend(mark.then_some(MARK));
                next.extend_from_slice(successor);
                next.extend(mark.then_some(MARK));
                if next.len() > limits.letters {
                    return Err(explosion(step, limits.letters, "letters"));
                }
            }
            if next == string {
                break;
            }
            work += next.len();
            if work > limits.work {
                let most = limits.work;
                return Err(wrong(format!(
                    "step {step} goes beyond {most} letters in all; expected a lower recursion"
                )));
            }
            core::mem::swap(&mut string, &mut next);
        }
        Ok(string)
    }
}

/// Lines that say something, each with its number and cut at its first blank or `#`.
struct Lines<'a, I: Iterator<Item = (usize, &'a [u8])>> {
    lines: I,
    last: usize,
}

/// What is left of a line, and where it starts.
struct Line<'a> {
    text: &'a [u8],
    at: Place,
}

impl<'a, I: Iterator<Item = (usize, &'a [u8])>> Lines<'a, I> {
    fn next(&mut self, expected: &str) -> Result<Line<'a>, Wrong> {
        for (i, line) in self.lines.by_ref() {
            self.last = i + 1;
            let start = line.iter().take_while(|c| c.is_ascii_whitespace()).count();
            let text = &line[start..];
            let end = text
                .iter()
                .position(|c| c.is_ascii_whitespace() || *c == b'#');
            let text = &text[..end.unwrap_or(text.len())];
            if !text.is_empty() {
                let column = start + 1;
                let at = Place {
                    line: i + 1,
                    column,
                };
                return Ok(Line { text, at });
            }
        }
        let at = Place {
            line: self.last.max(1),
            column: 1,
        };
        Err(wrong_at(
            at,
            format!("found the end of the file; expected {expected}"),
        ))
    }

    fn number(&mut self, name: &str, least: f64, most: f64) -> Result<f64, Wrong> {
        let expected = format!("{name}, a number from {least} to {most}");
        let line = self.next(&expected)?;
        let text = core::str::from_utf8(line.text).ok();
        let value = text.and_then(|t| t.parse::<f64>().ok());
        value.filter(|v| (least..=most).contains(v)).ok_or_else(|| {
            let found = shown(line.text);
            wrong_at(line.at, format!("found `{found}`; expected {expected}"))
        })
    }
}

fn read(bytes: &[u8], file: &str) -> Result<Lparser, Wrong> {
    if let Some(zero) = bytes.iter().position(|b| *b == MARK) {
        let line = 1 + bytes[..zero].iter().filter(|b| **b == b'\n').count();
        let at = Place { line, column: 1 };
        return Err(wrong_at(at, "found the byte 0x00; expected text"));
    }
    let mut lines = Lines {
        lines: bytes.split(|c| *c == b'\n').enumerate(),
        last: 0,
    };
    let recursion = lines.number("recursion", 0.0, MOST_DEPTH.into())?;
    let angle_deg = lines.number("angle in degrees", -360.0, 360.0)?;
    let thickness = lines.number("thickness in % of length", 1e-6, 1e6)? / 100.0;
    let axiom = lines.next("an axiom")?.text.to_vec();
    let mut rules = Vec::new();
    loop {
        let line = lines.next("a rule such as `A=F[+A]`, or `@`")?;
        match line.text {
            [b'@', ..] => break,
            [letter, b'=', successor @ ..] => rules.push((*letter, successor.to_vec())),
            [_, rest @ ..] => {
                let at = Place {
                    column: line.at.column + 1,
                    ..line.at
                };
                let found = match rest.first() {
                    Some(_) => format!("`{}`", shown(&rest[..1])),
                    None => "the end of the line".into(),
                };
                return Err(wrong_at(at, format!("found {found}; expected `=`")));
            }
            [] => unreachable!("lines that say nothing are skipped"),
        }
    }
    Ok(Lparser {
        file: file.into(),
        recursion,
        angle_deg,
        thickness,
        axiom,
        rules,
    })
}

/// The start of a text for a message.
fn shown(text: &[u8]) -> String {
    text[..text.len().min(40)].escape_ascii().to_string()
}
