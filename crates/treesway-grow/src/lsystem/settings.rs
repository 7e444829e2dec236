//! What a grammar says beside its productions.

use super::error::{Wrong, wrong_at};
use super::expression::{Expression, unknown};
use super::scan::Scanner;
use crate::Appearance;
use crate::species::{Colour, LeafShape};
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};
use std::collections::BTreeMap;
use treesway::glam::DVec3;

/// Version of `.lsys` files that this library reads.
const VERSION: u32 = 1;

/// Deepest derivation that is tried; the length of the string is limited apart from it.
pub(super) const MOST_DEPTH: u32 = 10_000;

/// Settings of a grammar; the defaults are those of `docs/GRAMMAR.md`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Settings {
    pub(super) title: String,
    /// Derivation steps.
    pub(super) depth: u32,
    /// Of a turn, pitch or roll without an argument, degrees.
    pub(super) angle_deg: f64,
    /// Of a move without an argument, m.
    pub(super) step: f64,
    /// Of the line that is drawn first; only ratios count.
    pub(super) width: f64,
    /// Factor of a width or step scaling without an argument.
    pub(super) taper: f64,
    /// Of the thinnest twig, m.
    pub(super) tip_radius: f64,
    /// m.
    pub(super) leaf_length: f64,
    /// m.
    pub(super) leaf_width: f64,
    /// m.
    pub(super) leaf_thickness: f64,
    /// m.
    pub(super) fruit_radius: f64,
    /// m.
    pub(super) stem_length: f64,
    /// Where tropism bends branches to.
    pub(super) tropism: DVec3,
    /// How strongly at the start: 0 not at all.
    pub(super) elasticity: f64,
    /// Wanted length of a body, m; 0 for the mean length that was drawn.
    pub(super) segment_length: f64,
    /// Of stems, where it is not wood, Pa.
    pub(super) modulus: Option<f64>,
    /// kg/m³.
    pub(super) density: Option<f64>,
    /// What it looks like.
    pub(super) appearance: Appearance,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            title: String::new(),
            depth: 0,
            angle_deg: 90.0,
            step: 1.0,
            width: 1.0,
            taper: 0.7,
            tip_radius: 0.002,
            leaf_length: 0.06,
            leaf_width: 0.035,
            leaf_thickness: 0.0003,
            fruit_radius: 0.03,
            stem_length: 0.03,
            tropism: DVec3::NEG_Y,
            elasticity: 0.0,
            segment_length: 0.0,
            modulus: None,
            density: None,
            appearance: Appearance::default(),
        }
    }
}

/// Every key, `axiom` and `const` included.
const KEYS: [&str; 23] = [
    "version",
    "title",
    "depth",
    "angle",
    "step",
    "width",
    "taper",
    "tip_radius",
    "leaf_length",
    "leaf_width",
    "leaf_thickness",
    "fruit_radius",
    "stem_length",
    "tropism",
    "elasticity",
    "segment_length",
    "modulus",
    "density",
    "stem_colour",
    "leaf_colour",
    "leaf_shape",
    "axiom",
    "const",
];

impl Settings {
    /// Reads the value of `key`, behind its name.
    pub(super) fn read(
        &mut self,
        key: &str,
        scanner: &mut Scanner,
        constants: &BTreeMap<String, f64>,
    ) -> Result<(), Wrong> {
        scanner.expect("=")?;
        match key {
            "title" => self.title = scanner.string()?.into(),
            "version" => {
                let expected = format!("{VERSION}");
                let version = f64::from(VERSION);
                number(scanner, constants, version, version, &expected)?;
            }
            "depth" => self.depth = read_depth(scanner, constants)?,
            "tropism" => {
                let mut axes = [0.0; 3];
                for (i, axis) in axes.iter_mut().enumerate() {
                    if i > 0 {
                        scanner.expect(",")?;
                    }
                    *axis = number(scanner, constants, -1e6, 1e6, "a number")?;
                }
                let way = DVec3::from_array(axes);
                let length = way.dot(way).sqrt();
                if length == 0.0 {
                    return Err(scanner.expected("a direction other than 0, 0, 0"));
                }
                self.tropism = way / length;
            }
            "angle" => self.angle_deg = number(scanner, constants, -1e6, 1e6, "degrees")?,
            "elasticity" => self.elasticity = number(scanner, constants, -1e3, 1e3, "a number")?,
            "step" => self.step = length(scanner, constants)?,
            "width" => self.width = length(scanner, constants)?,
            "taper" => self.taper = length(scanner, constants)?,
            "tip_radius" => self.tip_radius = length(scanner, constants)?,
            "leaf_length" => self.leaf_length = length(scanner, constants)?,
            "leaf_width" => self.leaf_width = length(scanner, constants)?,
            "leaf_thickness" => self.leaf_thickness = length(scanner, constants)?,
            "fruit_radius" => self.fruit_radius = length(scanner, constants)?,
            "stem_length" => self.stem_length = length(scanner, constants)?,
            "segment_length" => self.segment_length = length(scanner, constants)?,
            "modulus" => {
                let expected = "a modulus from 1e3 to 1e13 Pa";
                self.modulus = Some(number(scanner, constants, 1e3, 1e13, expected)?);
            }
            "density" => {
                let expected = "a density from 1 to 1e5 kg/m³";
                self.density = Some(number(scanner, constants, 1.0, 1e5, expected)?);
            }
            "stem_colour" => self.appearance.stem_colour = Some(colour(scanner)?),
            "leaf_colour" => self.appearance.leaf_colour = Some(colour(scanner)?),
            "leaf_shape" => self.appearance.leaf_shape = Some(leaf_shape(scanner)?),
            _ => unreachable!("`check_key` lets no other key pass"),
        }
        Ok(())
    }

    /// Says which keys there are if `key` is none of them.
    pub(super) fn check_key(key: &str) -> Result<(), String> {
        if KEYS.contains(&key) {
            return Ok(());
        }
        Err(unknown("key", key, &KEYS))
    }
}

fn colour(scanner: &mut Scanner) -> Result<Colour, Wrong> {
    scanner.peek();
    let at = scanner.at();
    let text = scanner.string()?.to_owned();
    Colour::try_from(text).map_err(|what| wrong_at(at, what))
}

fn leaf_shape(scanner: &mut Scanner) -> Result<LeafShape, Wrong> {
    scanner.peek();
    let at = scanner.at();
    let name: StrDeserializer<Error> = scanner.string()?.into_deserializer();
    LeafShape::deserialize(name).map_err(|e| wrong_at(at, e.to_string()))
}

fn length(scanner: &mut Scanner, constants: &BTreeMap<String, f64>) -> Result<f64, Wrong> {
    number(scanner, constants, 1e-6, 1e6, "a number from 1e-6 to 1e6")
}

fn read_depth(scanner: &mut Scanner, constants: &BTreeMap<String, f64>) -> Result<u32, Wrong> {
    scanner.peek();
    let at = scanner.at();
    let expected = format!("a whole number from 0 to {MOST_DEPTH}");
    let depth = number(scanner, constants, 0.0, MOST_DEPTH.into(), &expected)?;
    if depth != libm::floor(depth) {
        return Err(wrong_at(at, format!("is {depth}; expected {expected}")));
    }
    Ok(depth as u32)
}

fn number(
    scanner: &mut Scanner,
    constants: &BTreeMap<String, f64>,
    least: f64,
    most: f64,
    expected: &str,
) -> Result<f64, Wrong> {
    scanner.peek();
    let at = scanner.at();
    let value = Expression::parse_constant(scanner, constants)?;
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(wrong_at(at, format!("is {value}; expected {expected}")))
}
