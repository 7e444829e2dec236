//! Lparser's turtle: forward up, left +z, up −x (its own axes are forward +Z, left +Y, up +X), so that heading × left = −up until
//! the first `$`.

use super::{Lparser, MARK};
use crate::lsystem::error::{Wrong, wrong};
use crate::lsystem::hierarchy::{Hierarchy, Particle, blade_of};
use crate::lsystem::interpret::MOST_DISTANCE;
use crate::lsystem::turtle::Turtle;
use crate::lsystem::{Counts, Growth};
use core::f64::consts::PI;
use treesway::glam::DVec3;
use treesway::math::Rng;

/// Length of `F`; `Z` is half of it.
const STEP: f64 = 100.0;
/// Of `t` without an argument.
const TROPISM: f64 = 0.2;
/// Factors of `!`, `:` and `'` without an argument; `?`, `;` and `"` divide by them.
const THINNER: f64 = 0.7;
const LESS: f64 = 0.9;
/// Apart from the streams of derivations.
const STREAM: u64 = 3 << 40;

/// What a fractional step scales.
#[derive(Clone, Copy)]
struct Sizes {
    step: f64,
    half_step: f64,
    /// rad.
    angle: f64,
    /// Over the length of a line.
    thickness: f64,
}

/// What `[` saves.
#[derive(Clone, Copy)]
struct State {
    turtle: Turtle,
    on: Particle,
    sizes: Sizes,
}

struct Drawing<'a> {
    string: &'a [u8],
    /// Of the next character.
    next: usize,
    state: State,
    stack: Vec<State>,
    /// Corners of the polygons that are open, the innermost last.
    polygons: Vec<Vec<DVec3>>,
    /// Sizes before a part that is scaled by `fraction`.
    unscaled: Option<Sizes>,
    fraction: f64,
    rng: Rng,
    nesting: usize,
    hierarchy: Hierarchy,
    counts: Counts,
}

impl Lparser {
    /// Follows the string; lengths are in Lparser's units.
    pub(super) fn draw(
        &self,
        string: &[u8],
        fraction: f64,
        growth: &Growth,
    ) -> Result<(Hierarchy, Counts), Wrong> {
        let mut drawing = Drawing {
            string,
            next: 0,
            state: State {
                turtle: Turtle {
                    position: DVec3::ZERO,
                    heading: DVec3::Y,
                    left: DVec3::Z,
                    up: DVec3::NEG_X,
                },
                on: Particle::ROOT,
                sizes: Sizes {
                    step: STEP,
                    half_step: STEP / 2.0,
                    angle: self.angle_deg.to_radians(),
                    thickness: self.thickness,
                },
            },
            stack: Vec::new(),
            polygons: Vec::new(),
            unscaled: None,
            fraction,
            rng: Rng::new(growth.seed, STREAM),
            nesting: growth.limits.nesting,
            hierarchy: Hierarchy::default(),
            counts: Counts::default(),
        };
        while let Some(&c) = string.get(drawing.next) {
            let number = drawing.next + 1;
            drawing.next += 1;
            drawing.obey(c).map_err(|what| {
                let c = char::from(c).escape_debug();
                wrong(format!(
                    "letter {number} of the derived string, `{c}`: {what}"
                ))
            })?;
        }
        Ok((drawing.hierarchy, drawing.counts))
    }
}

impl Drawing<'_> {
    fn obey(&mut self, c: u8) -> Result<(), String> {
        let turtle = &mut self.state.turtle;
        match c {
            MARK => self.scale_or_restore(),
            b'|' => turtle.turn(PI),
            b'%' => turtle.roll(PI),
            b'$' => turtle.level(),
            b'[' => {
                self.check_nesting(self.stack.len())?;
                self.stack.push(self.state);
            }
            b']' => self.state = self.stack.pop().unwrap_or(self.state),
            b'{' => {
                self.check_nesting(self.polygons.len())?;
                self.polygons.push(vec![self.state.turtle.position]);
            }
            b'}' => self.close_polygon(),
            b'.' => self.record(),
            b'F' | b'Z' | b'f' | b'z' | b'g' => return self.go(c),
            b'+' | b'-' | b'&' | b'^' | b'<' | b'>' => self.turn(c),
            b't' => self.bend(),
            b'~' => self.wobble(),
            b'!' | b'?' | b':' | b';' | b'\'' | b'"' => return self.resize(c),
            // Colours say nothing about form; their number is taken so that its dot records no corner.
            b'c' => {
                self.argument();
            }
            _ => (),
        }
        Ok(())
    }

    /// The number in parentheses behind a letter, if there is one; what is no number is 0.
    fn argument(&mut self) -> Option<f64> {
        let rest = &self.string[self.next..];
        if rest.first() != Some(&b'(') {
            return None;
        }
        let end = rest.iter().position(|c| *c == b')').unwrap_or(rest.len());
        self.next += (end + 1).min(rest.len());
        let inside = rest[1..end].iter().copied().filter(|c| *c != MARK);
        let text: String = inside.map(char::from).collect();
        let sign = |c: char| c == '+' || c == '-';
        let digits = text.trim_start_matches(sign);
        let number = digits.find(|c: char| !(c.is_ascii_digit() || c == '.'));
        let number = number.map_or(text.as_str(), |n| &text[..text.len() - digits.len() + n]);
        Some(
            number
                .parse()
                .ok()
                .filter(|n: &f64| n.is_finite())
                .unwrap_or(0.0),
        )
    }

    /// The same for an angle or a length, which a fractional step scales.
    fn scaled_argument(&mut self) -> Option<f64> {
        let factor = self.unscaled.map_or(1.0, |_| self.fraction);
        self.argument().map(|a| a * factor)
    }

    fn scale_or_restore(&mut self) {
        let sizes = &mut self.state.sizes;
        match self.unscaled.take() {
            Some(before) => *sizes = before,
            None => {
                self.unscaled = Some(*sizes);
                for size in [
                    &mut sizes.step,
                    &mut sizes.half_step,
                    &mut sizes.angle,
                    &mut sizes.thickness,
                ] {
                    *size *= self.fraction;
                }
            }
        }
    }

    fn go(&mut self, c: u8) -> Result<(), String> {
        let length = self.scaled_argument().unwrap_or(match c {
            b'Z' | b'z' => self.state.sizes.half_step,
            _ => self.state.sizes.step,
        });
        let State { turtle, on, sizes } = &mut self.state;
        let start = turtle.position;
        turtle.forward(length);
        let end = turtle.position;
        if end.abs().max_element() >= MOST_DISTANCE {
            return Err(format!(
                "leads to {end}; expected a place within {MOST_DISTANCE}"
            ));
        }
        match c {
            b'F' | b'Z' => {
                self.counts.drawn += 1;
                if end != start {
                    let radius = (length * sizes.thickness / 2.0).abs();
                    *on = self
                        .hierarchy
                        .grow(*on, (start, end), radius, self.stack.len());
                }
            }
            b'f' | b'z' => self.record(),
            _ => (),
        }
        Ok(())
    }

    /// The turtle's place becomes a corner of the innermost open polygon.
    fn record(&mut self) {
        if let Some(corners) = self.polygons.last_mut() {
            corners.push(self.state.turtle.position);
        }
    }

    /// Counts a polygon; one without area becomes no leaf.
    fn close_polygon(&mut self) {
        let Some(corners) = self.polygons.pop() else {
            return;
        };
        self.counts.polygons += 1;
        if let Some(blade) = blade_of(self.state.on, &corners) {
            self.hierarchy.bear_leaf(blade);
        }
    }

    fn turn(&mut self, c: u8) {
        let given = self.scaled_argument().map(f64::to_radians);
        let angle = given.unwrap_or(self.state.sizes.angle);
        let turtle = &mut self.state.turtle;
        match c {
            b'+' => turtle.turn(-angle),
            b'-' => turtle.turn(angle),
            b'&' => turtle.pitch(angle),
            b'^' => turtle.pitch(-angle),
            b'>' => turtle.roll(angle),
            _ => turtle.roll(-angle),
        }
    }

    /// Tropism: a pitch in proportion to how far the turtle is from upright.
    fn bend(&mut self) {
        let factor = self.unscaled.map_or(1.0, |_| self.fraction);
        let strength = self.scaled_argument().unwrap_or(TROPISM * factor);
        let turtle = &mut self.state.turtle;
        let (x, z) = (turtle.heading.x, turtle.heading.z);
        turtle.pitch(strength * (x * x + z * z).sqrt());
    }

    /// Turns at random about all three axes, by up to the argument in degrees, or any way.
    fn wobble(&mut self) {
        let most = self.scaled_argument().map_or(PI, f64::to_radians);
        let turtle = &mut self.state.turtle;
        turtle.turn(most * self.rng.signed());
        turtle.pitch(most * self.rng.signed());
        turtle.roll(most * self.rng.signed());
    }

    /// Changes thickness, angle or length; an argument multiplies, whatever the letter.
    fn resize(&mut self, c: u8) -> Result<(), String> {
        let usual = match c {
            b'!' | b'?' => THINNER,
            _ => LESS,
        };
        let (given, divides) = (self.argument(), matches!(c, b'?' | b';' | b'"'));
        let fraction = self.unscaled.map_or(1.0, |_| self.fraction);
        let factor = 1.0 + fraction * (given.unwrap_or(usual) - 1.0);
        let factor = if divides && given.is_none() {
            1.0 / factor
        } else {
            factor
        };
        let sizes = &mut self.state.sizes;
        let changed: &mut [&mut f64] = match c {
            b'!' | b'?' => &mut [&mut sizes.thickness],
            b':' | b';' => &mut [&mut sizes.angle],
            _ => &mut [&mut sizes.step, &mut sizes.half_step],
        };
        for size in changed {
            **size *= factor;
            if size.abs() >= MOST_DISTANCE {
                return Err(format!(
                    "makes a size {size}; expected less than {MOST_DISTANCE}"
                ));
            }
        }
        Ok(())
    }

    fn check_nesting(&self, depth: usize) -> Result<(), String> {
        if depth < self.nesting {
            return Ok(());
        }
        let most = self.nesting;
        Err(format!(
            "is inside of {most} others; expected no deeper nesting"
        ))
    }
}
