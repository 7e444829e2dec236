//! Species of Arbaro (`.xml`): the parameters of Weber and Penn with a few of its own.
//!
//! `Smooth` shapes a mesh and is read but not used. `nBranchDist` above 1 becomes a whorl of so many. Wood, leaves and fruit
//! get default properties, since the file says nothing of them. `LeafQuality` q gives q times as many leaves, smaller by √q. What Arbaro leaves
//! out of a file has Arbaro's meaning of "nothing": zero, or one for sizes.

use super::{Species, SpeciesError};
use crate::text::nearest;
use crate::weber_penn::{Level, Outline, Prune, WeberPenn};
use std::collections::BTreeMap;

/// Names of parameters of the whole tree.
const GLOBAL: [&str; 27] = [
    "Shape",
    "Levels",
    "Scale",
    "ScaleV",
    "BaseSize",
    "Ratio",
    "RatioPower",
    "Flare",
    "Lobes",
    "LobeDepth",
    "Smooth",
    "Leaves",
    "LeafShape",
    "LeafScale",
    "LeafScaleX",
    "LeafQuality",
    "LeafStemLen",
    "LeafDistrib",
    "LeafBend",
    "AttractionUp",
    "PruneRatio",
    "PrunePowerLow",
    "PrunePowerHigh",
    "PruneWidth",
    "PruneWidthPeak",
    "ZScale",
    "ZScaleV",
];

/// Names of parameters of a level, after its number.
const LEVEL: [&str; 19] = [
    "Scale",
    "ScaleV",
    "BaseSplits",
    "DownAngle",
    "DownAngleV",
    "Rotate",
    "RotateV",
    "Branches",
    "BranchDist",
    "Length",
    "LengthV",
    "Taper",
    "SegSplits",
    "SplitAngle",
    "SplitAngleV",
    "CurveRes",
    "Curve",
    "CurveBack",
    "CurveV",
];

/// Numbers by name.
struct Numbers {
    values: BTreeMap<String, f64>,
    leaf_shape: String,
}

/// Reads a species.
pub fn parse(text: &str, name: &str) -> Result<Species, SpeciesError> {
    let document = roxmltree::Document::parse(text).map_err(|e| SpeciesError {
        file: name.into(),
        line: Some(e.pos().row as usize),
        what: format!("is no XML: {e}").replace('\n', " "),
    })?;
    let wrong = |node: &roxmltree::Node, what: String| SpeciesError {
        file: name.into(),
        line: Some(document.text_pos_at(node.range().start).row as usize),
        what,
    };
    let root = document.root_element();
    let species = root.descendants().find(|n| n.has_tag_name("species"));
    let Some(species) = species.filter(|_| root.has_tag_name("arbaro")) else {
        let what = format!(
            "starts with <{}>; expected <arbaro> with a <species> in it",
            root.tag_name().name()
        );
        return Err(wrong(&root, what));
    };
    let mut numbers = Numbers {
        values: BTreeMap::new(),
        leaf_shape: String::new(),
    };
    for node in species.children().filter(roxmltree::Node::is_element) {
        let (Some(key), Some(value)) = (node.attribute("name"), node.attribute("value")) else {
            let what = format!(
                "<{}> without name or value; expected <param name='…' value='…'/>",
                node.tag_name().name()
            );
            return Err(wrong(&node, what));
        };
        check_name(key).map_err(|what| wrong(&node, what))?;
        if key == "LeafShape" {
            numbers.leaf_shape = value.into();
            continue;
        }
        match value.trim().parse::<f64>() {
            Ok(number) if number.is_finite() => numbers.values.insert(key.into(), number),
            _ => {
                let what = format!("{key}: is `{value}`; expected a finite number");
                return Err(wrong(&node, what));
            }
        };
    }
    let title = species.attribute("name").unwrap_or("").replace('_', " ");
    let mut made = numbers.species().map_err(|what| wrong(&species, what))?;
    made.title = title;
    made.validate().map_err(|(path, e)| {
        wrong(
            &species,
            format!("{path}: is {}; expected {}", e.value, e.expected),
        )
    })?;
    Ok(made)
}

fn check_name(key: &str) -> Result<(), String> {
    let of_level = key.strip_prefix(|c: char| ('0'..='3').contains(&c));
    let (found, known) = match of_level {
        Some(rest) => (rest, LEVEL.as_slice()),
        None => (key, GLOBAL.as_slice()),
    };
    if known.contains(&found) {
        return Ok(());
    }
    let near = nearest(found, known.iter().copied()).unwrap_or("Scale");
    let near = key.replace(found, near);
    Err(format!("unknown parameter `{key}`, did you mean `{near}`?"))
}

impl Numbers {
    fn get(&self, name: &str, otherwise: f64) -> f32 {
        self.values.get(name).copied().unwrap_or(otherwise) as f32
    }

    /// A count: not negative, not absurd.
    fn count(&self, name: &str, otherwise: f64, most: f64) -> Result<u32, String> {
        let value = f64::from(self.get(name, otherwise)).round();
        if (0.0..=most).contains(&value) {
            return Ok(value as u32);
        }
        Err(format!(
            "{name}: is {value}; expected a whole number from 0 to {most}"
        ))
    }

    fn outline(&self, name: &str, otherwise: f64) -> Result<Outline, String> {
        let value = self.get(name, otherwise);
        Outline::numbered(value as i64)
            .ok_or_else(|| format!("{name}: is {value}; expected a whole number from 0 to 8"))
    }

    fn species(&self) -> Result<Species, String> {
        let levels = self.count("Levels", 3.0, 4.0)?.max(1) as usize;
        let mut species = Species::default();
        let ratio = self.get("PruneRatio", 0.0);
        let prune = Prune {
            ratio,
            width: self.get("PruneWidth", 0.5),
            width_peak: self.get("PruneWidthPeak", 0.5).clamp(1e-3, 0.999),
            power_low: self.get("PrunePowerLow", 0.5),
            power_high: self.get("PrunePowerHigh", 0.5),
        };
        let scale = self.get("Scale", 10.0);
        species.tree = WeberPenn {
            shape: self.outline("Shape", 0.0)?,
            scale,
            scale_v: self.get("ScaleV", 0.0).min(0.9 * scale),
            base_size: self.get("BaseSize", 0.2),
            ratio: self.get("Ratio", 0.02),
            ratio_power: self.get("RatioPower", 1.2),
            trunk_scale: self.get("0Scale", 1.0),
            trunk_scale_v: self.get("0ScaleV", 0.0),
            flare: self.get("Flare", 0.0),
            lobes: self.count("Lobes", 0.0, 100.0)?,
            lobe_depth: self.get("LobeDepth", 0.0),
            base_splits: self.count("0BaseSplits", 0.0, 20.0)?,
            attraction_up: self.get("AttractionUp", 0.0),
            prune: (ratio > 0.0 || self.get("Shape", 0.0) == 8.0).then_some(prune),
            levels: (0..levels)
                .map(|n| self.level(n))
                .collect::<Result<_, String>>()?,
            ..WeberPenn::default()
        };
        self.leaves(&mut species, levels.min(3))?;
        Ok(species)
    }

    fn level(&self, n: usize) -> Result<Level, String> {
        let get = |name: &str, otherwise: f64| self.get(&format!("{n}{name}"), otherwise);
        let length = get("Length", 1.0);
        Ok(Level {
            down_angle_deg: get("DownAngle", 0.0),
            down_angle_v_deg: get("DownAngleV", 0.0),
            rotate_deg: get("Rotate", 0.0),
            rotate_v_deg: get("RotateV", 0.0),
            branches: self.count(&format!("{n}Branches"), 1.0, 5000.0)?,
            whorl: get("BranchDist", 1.0).round().clamp(1.0, 100.0) as u32,
            length,
            length_v: get("LengthV", 0.0).clamp(0.0, 0.95 * length.max(0.0)),
            taper: get("Taper", 1.0),
            seg_splits: get("SegSplits", 0.0),
            split_angle_deg: get("SplitAngle", 0.0),
            split_angle_v_deg: get("SplitAngleV", 0.0),
            curve_res: self.count(&format!("{n}CurveRes"), 3.0, 100.0)?.max(1),
            curve_deg: get("Curve", 0.0),
            curve_back_deg: get("CurveBack", 0.0),
            curve_v_deg: get("CurveV", 0.0),
        })
    }

    /// Leaves take their angles from the level after the last.
    fn leaves(&self, species: &mut Species, level: usize) -> Result<(), String> {
        let get = |name: &str, otherwise: f64| self.get(&format!("{level}{name}"), otherwise);
        let quality = self.get("LeafQuality", 1.0).clamp(0.01, 100.0);
        let leaf = &mut species.leaf;
        leaf.per_stem = self.get("Leaves", 0.0) * quality;
        leaf.distribution = self.outline("LeafDistrib", 4.0)?;
        leaf.length = self.get("LeafScale", 0.2) / quality.sqrt();
        leaf.aspect = self.get("LeafScaleX", 1.0);
        leaf.stalk_length = (self.get("LeafStemLen", 0.0) * leaf.length).max(0.0);
        leaf.bend = self.get("LeafBend", 0.0).clamp(0.0, 1.0);
        leaf.down_angle_deg = get("DownAngle", 45.0);
        leaf.down_angle_v_deg = get("DownAngleV", 0.0);
        leaf.rotate_deg = get("Rotate", 140.0);
        leaf.rotate_v_deg = get("RotateV", 0.0);
        if self.leaf_shape.contains("palm") || self.leaf_shape == "9" {
            species.leaf_material.shape = super::LeafShape::Leaflet;
        }
        Ok(())
    }
}
