//! `treesway info`: counts and measures of the trees of a scene.

use crate::arguments::Info;
use crate::scene;
use anyhow::{Result, ensure};
use serde::Serialize;
use treesway::elements::{Elements, LeafPattern, intersecting_pairs};
use treesway::{BodyKind, Mode, Shape};
use treesway_io::npz::write_modes;
use treesway_io::scene::Planted;

/// Of one tree, or of all trees of a scene.
#[derive(Clone, Debug, Default, Serialize)]
struct Measures {
    bodies: usize,
    segments: usize,
    leaves: usize,
    fruit: usize,
    /// Joints between the ground and the farthest body.
    depth: usize,
    mass_kg: f64,
    /// Of all bodies.
    volume_m3: f64,
    /// Of all segments.
    length_m: f64,
    /// Of the highest point above the root.
    height_m: f64,
    /// Diameter of the trunk 1.3 m from its base; of several trees, the thickest.
    dbh_m: Option<f64>,
    /// Joints made stiffer than their wood is, for a scan to stand.
    braced: usize,
    /// Pairs of stems, base stems of leaves and blades that go through each other at rest, counted by trying all; none of a tree with more than
    /// [`MOST_TRIED`] bodies.
    intersecting_pairs: Option<usize>,
    /// Wood by branch order, the trunk's first.
    orders: Vec<Order>,
    /// Of a tree that grew from a grammar.
    #[serde(flatten)]
    derived: Option<Derivation>,
    /// The slowest ones, if asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    modes: Vec<Sway>,
}

/// Bodies of a tree whose pairs are all tried, within seconds.
const MOST_TRIED: usize = 50_000;

/// How a grammar was derived and drawn.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Derivation {
    /// Length of the derived string.
    letters: usize,
    /// Steps that the turtle drew.
    drawn: usize,
    /// Polygons or leaves that it drew.
    polygons: usize,
}

impl Derivation {
    fn with(self, other: Self) -> Self {
        Self {
            letters: self.letters + other.letters,
            drawn: self.drawn + other.drawn,
            polygons: self.polygons + other.polygons,
        }
    }
}

/// The branches of one order.
#[derive(Clone, Copy, Debug, Default, Serialize)]
struct Order {
    order: usize,
    branches: usize,
    length_m: f64,
    volume_m3: f64,
}

/// A mode without its shape.
#[derive(Clone, Copy, Debug, Serialize)]
struct Sway {
    frequency_hz: f64,
    damping_ratio: f64,
}

#[derive(Serialize)]
struct Report<'a> {
    scene: &'a str,
    title: &'a str,
    #[serde(flatten)]
    whole: Measures,
    trees: Vec<Measures>,
}

/// Prints the measures as a table or as JSON.
pub fn print(arguments: &Info) -> Result<()> {
    let scene = scene::load(&arguments.scene, &[])?;
    let planted = scene.plant()?;
    let mut trees = Vec::with_capacity(planted.len());
    for p in &planted {
        let modes = p.tree.modes(arguments.modes);
        if let Some(shapes) = &arguments.shapes {
            ensure!(
                planted.len() == 1,
                "--shapes: {} has {} trees; expected one",
                arguments.scene.scene,
                planted.len()
            );
            write_modes(shapes, &modes)?;
        }
        trees.push(Measures::of(p, &modes));
    }
    let none = Measures {
        intersecting_pairs: Some(0),
        ..Measures::default()
    };
    let mut whole = trees.iter().fold(none, Measures::with);
    whole.modes.truncate(arguments.modes);
    let report = Report {
        scene: &arguments.scene.scene,
        title: &scene.file.title,
        whole,
        trees,
    };
    if arguments.json {
        println!("{}", serde_json::to_string_pretty(&report)?);
    } else {
        report.print();
    }
    Ok(())
}

impl Measures {
    fn of(planted: &Planted, modes: &[Mode]) -> Self {
        let Planted {
            skeleton,
            bodies,
            braced,
            tree,
            derived,
            ..
        } = planted;
        let wood = skeleton.measure();
        let orders = wood.orders.iter().enumerate();
        let mut sum = Self {
            bodies: tree.len(),
            dbh_m: wood.dbh,
            braced: braced.joints,
            intersecting_pairs: (tree.len() <= MOST_TRIED).then(|| {
                let elements = Elements::new(bodies, &LeafPattern::default());
                intersecting_pairs(&elements, elements.rest()).len()
            }),
            orders: orders
                .map(|(order, o)| Order {
                    order,
                    branches: o.branches,
                    length_m: o.length,
                    volume_m3: o.volume,
                })
                .collect(),
            derived: derived.map(|d| Derivation {
                letters: d.letters,
                drawn: d.drawn,
                polygons: d.polygons,
            }),
            modes: modes
                .iter()
                .map(|m| Sway {
                    frequency_hz: m.frequency_hz,
                    damping_ratio: m.damping_ratio,
                })
                .collect(),
            ..Self::default()
        };
        let mut depths = Vec::with_capacity(tree.len());
        let ground = f64::from(tree.pose(treesway::BodyId(0)).position.y);
        for (id, desc) in tree.ids().zip(&bodies.bodies) {
            let above = desc.parent.map_or(0, |p| depths[p as usize]);
            depths.push(above + 1);
            sum.depth = sum.depth.max(above + 1);
            match desc.shape.kind() {
                BodyKind::Segment => sum.segments += 1,
                BodyKind::Leaf => sum.leaves += 1,
                BodyKind::Fruit => sum.fruit += 1,
            }
            if let Shape::Segment { length, .. } = desc.shape {
                sum.length_m += f64::from(length);
            }
            sum.mass_kg += f64::from(tree.body(id).mass);
            sum.volume_m3 += desc.solid.volume;
            sum.height_m = sum.height_m.max(f64::from(tree.tip(id).y) - ground);
        }
        sum
    }

    fn with(self, other: &Self) -> Self {
        let mut modes = self.modes;
        modes.extend(&other.modes);
        modes.sort_by(|a, b| a.frequency_hz.total_cmp(&b.frequency_hz));
        let derived = self.derived.into_iter().chain(other.derived);
        let mut orders = self.orders;
        for of in &other.orders {
            if orders.len() <= of.order {
                orders.resize(of.order + 1, Order::default());
            }
            let sum = &mut orders[of.order];
            sum.order = of.order;
            sum.branches += of.branches;
            sum.length_m += of.length_m;
            sum.volume_m3 += of.volume_m3;
        }
        let dbh = self.dbh_m.into_iter().chain(other.dbh_m);
        Self {
            modes,
            orders,
            braced: self.braced + other.braced,
            intersecting_pairs: self
                .intersecting_pairs
                .zip(other.intersecting_pairs)
                .map(|(a, b)| a + b),
            dbh_m: dbh.max_by(f64::total_cmp),
            derived: derived.reduce(Derivation::with),
            bodies: self.bodies + other.bodies,
            segments: self.segments + other.segments,
            leaves: self.leaves + other.leaves,
            fruit: self.fruit + other.fruit,
            depth: self.depth.max(other.depth),
            mass_kg: self.mass_kg + other.mass_kg,
            volume_m3: self.volume_m3 + other.volume_m3,
            length_m: self.length_m + other.length_m,
            height_m: self.height_m.max(other.height_m),
        }
    }
}

impl Report<'_> {
    fn print(&self) {
        let m = &self.whole;
        println!("{}: {}", self.scene, self.title);
        if self.trees.len() > 1 {
            println!("  trees     {}", self.trees.len());
        }
        println!(
            "  bodies    {} ({} segments, {} leaves, {} fruit)",
            m.bodies, m.segments, m.leaves, m.fruit
        );
        println!("  depth     {} joints", m.depth);
        println!("  mass      {:.3} kg", m.mass_kg);
        println!("  volume    {:.5} m³", m.volume_m3);
        println!("  length    {:.2} m of wood", m.length_m);
        println!("  height    {:.2} m", m.height_m);
        if let Some(dbh) = m.dbh_m {
            println!("  DBH       {:.1} cm", 100.0 * dbh);
        }
        if let Some(pairs) = m.intersecting_pairs {
            println!("  crossing  {pairs} pairs of stems and leaves");
        }
        if m.braced > 0 {
            println!("  braced    {} joints too weak to stand", m.braced);
        }
        for o in &m.orders {
            println!(
                "  order {:<3} {} branches, {:.2} m, {:.5} m³",
                o.order, o.branches, o.length_m, o.volume_m3
            );
        }
        if let Some(d) = &m.derived {
            println!(
                "  grammar   {} letters, {} steps drawn, {} polygons",
                d.letters, d.drawn, d.polygons
            );
        }
        for (i, mode) in m.modes.iter().enumerate() {
            println!(
                "  mode {:<4} {:.4} Hz, {:.2} % of critical damping",
                i + 1,
                mode.frequency_hz,
                100.0 * mode.damping_ratio
            );
        }
    }
}
