//! Twigs and leaves of a species for bare wood that came from elsewhere: scans, models, grammars.
//!
//! A scan ends where wood is as thick as a finger. On all wood thinner than a quarter of the trunk, most densely where it is thinnest, grow
//! twigs as the species has them at its last level, and one at every tip; they bear its leaves. There are as many as a trunk so thick
//! feeds: their number goes with its section (pipe model), compared with that of a tree which the species grows itself.

use super::Species;
use super::detail::natural_size;
use super::measure::Size;
use crate::GrowError;
use crate::frame::unit_or;
use crate::weber_penn::frame::Frame;
use crate::weber_penn::grow::Shoot;
use crate::weber_penn::stem::Stem;
use core::cell::Cell;
use treesway::glam::DVec3;
use treesway::math::Rng;
use treesway::{Attachment, Skeleton};

/// Apart from the streams of grown trees.
const STREAM: u64 = 1 << 62;

/// How twigs are placed.
struct Twigs {
    /// m.
    length: f64,
    /// m.
    radius: f64,
    /// How many.
    count: f64,
}

impl Species {
    /// Adds twigs and leaves. With `bodies`, about so many: fewer twigs, and fewer and larger leaves with the same area; none are added
    /// beyond it where the wood alone has as many branches.
    pub fn foliate(
        &self,
        skeleton: &mut Skeleton,
        seed: u64,
        bodies: Option<u32>,
    ) -> Result<(), GrowError> {
        self.validate().map_err(|(_, e)| e)?;
        let (own, wood, own_leaves) = natural_size(self, seed)?;
        let size = Size::of(skeleton);
        // A plant below breast height is taken for as slender as the species.
        let ratio = if size.dbh > 0.0 && own.dbh > 0.0 {
            size.dbh / own.dbh
        } else {
            size.height / own.height
        };
        let section = ratio * ratio;
        let last = self.tree.levels.len() - 1;
        let bearing = wood.shoots.iter().zip(&wood.branches);
        let bearing: Vec<_> = bearing
            .filter(|(s, _)| usize::from(s.level) == last)
            .collect();
        let mean = |of: &dyn Fn(usize) -> f64| {
            (0..bearing.len()).map(of).sum::<f64>() / bearing.len().max(1) as f64
        };
        let natural = own_leaves * section;
        let mut twigs = Twigs {
            length: mean(&|i| bearing[i].0.length.into()).min(0.25 * size.height.max(0.1)),
            radius: mean(&|i| bearing[i].1.nodes[0].radius.into()),
            count: bearing.len() as f64 * section,
        };
        let mut leaves = natural;
        if let Some(bodies) = bodies {
            let room = f64::from(bodies) - skeleton.branches.len() as f64;
            let wood_share = f64::from(self.detail.wood_share);
            twigs.count = twigs.count.min(room * wood_share).max(0.0);
            leaves = leaves.min(room - twigs.count).max(0.0);
        }
        let shoots = self.grow_twigs(skeleton, seed, &twigs, own.dbh * ratio);
        self.leaf_out(skeleton, seed, &shoots, (leaves.round() as usize, natural));
        Ok(())
    }

    /// Twigs at evenly shared places; each with its number.
    fn grow_twigs(
        &self,
        skeleton: &mut Skeleton,
        seed: u64,
        twigs: &Twigs,
        dbh: f64,
    ) -> Vec<(usize, Shoot)> {
        let sites = sites(skeleton, dbh);
        let total: f64 = sites.iter().map(|s| s.weight).sum();
        let (mut sum, mut given) = (0.0, 0);
        let mut shoots = Vec::new();
        for (k, site) in sites.iter().enumerate() {
            sum += site.weight;
            let until = (sum / total * twigs.count).round() as u64;
            let mut rng = Rng::new(seed, STREAM + k as u64);
            for i in 0..until - given {
                let share = if site.tip && i == 0 { 1.0 } else { rng.unit() };
                let stream = STREAM ^ ((k as u64) << 20 | i);
                shoots.push(self.grow_twig(skeleton, (site, share), twigs, &mut rng, stream));
            }
            given = until;
        }
        shoots
    }

    fn grow_twig(
        &self,
        skeleton: &mut Skeleton,
        (site, share): (&Site, f64),
        twigs: &Twigs,
        rng: &mut Rng,
        stream: u64,
    ) -> (usize, Shoot) {
        let last = self.tree.levels.len() - 1;
        let level = self.tree.level(last);
        let down =
            f64::from(level.down_angle_deg + level.down_angle_v_deg.max(0.0) * rng.signed() as f32);
        // A twig at the tip goes on where the branch ends.
        let down = if share == 1.0 { 0.2 * down } else { down };
        let frame = Frame::along(site.way, DVec3::Y);
        let frame = frame.child(core::f64::consts::TAU * rng.unit(), down.to_radians());
        let work = Cell::new(0);
        let stem = Stem {
            work: &work,
            tree: &self.tree,
            level: last,
            position: site.start + site.way * (site.length * share),
            frame,
            length: twigs.length * (1.0 + 0.3 * rng.signed()),
            radius: twigs.radius.min(site.radius),
        };
        let number = skeleton.branches.len();
        let axes = stem.grow(rng).unwrap_or_default();
        let nodes = axes
            .first()
            .map(|axis| stem.nodes(axis))
            .unwrap_or_default();
        skeleton.branches.push(treesway::Branch {
            parent: Some(Attachment {
                branch: site.branch,
                along: (site.along + site.length * share) as f32,
            }),
            nodes,
            ..treesway::Branch::default()
        });
        let shoot = Shoot {
            level: last as u8,
            length: stem.length as f32,
            upper: frame.y.as_vec3(),
            offset_ratio: 0.5,
            share: 1.0,
            stream,
        };
        (number, shoot)
    }

    /// Exactly `count` leaves with the area of `natural` ones on the twigs.
    fn leaf_out(
        &self,
        skeleton: &mut Skeleton,
        seed: u64,
        shoots: &[(usize, Shoot)],
        (count, natural): (usize, f64),
    ) {
        let scale = (natural / count.max(1) as f64).sqrt();
        let mut given = 0;
        for (k, (number, shoot)) in shoots.iter().enumerate() {
            let until = (k + 1) * count / shoots.len();
            let on = (*number, &skeleton.branches[*number], shoot);
            self.leaf.put(
                &self.tree,
                on,
                until - given,
                (seed, scale),
                &mut skeleton.leaves,
            );
            given = until;
        }
    }
}

/// A straight piece of wood that twigs grow from.
struct Site {
    branch: usize,
    /// m, world.
    start: DVec3,
    way: DVec3,
    /// Of its start along the branch, and its own, m.
    along: f64,
    length: f64,
    /// m.
    radius: f64,
    /// Whether the branch ends here.
    tip: bool,
    /// How many twigs it gets, in comparison.
    weight: f64,
}

fn sites(skeleton: &Skeleton, dbh: f64) -> Vec<Site> {
    let mut sites = Vec::new();
    for (branch, wood) in skeleton.branches.iter().enumerate() {
        let mut along = 0.0;
        let pieces = wood.nodes.windows(2);
        let last = pieces.len().saturating_sub(1);
        for (i, pair) in pieces.enumerate() {
            let (a, b) = (pair[0].position.as_dvec3(), pair[1].position.as_dvec3());
            let length = a.distance(b);
            let radius = f64::from(pair[0].radius.min(pair[1].radius));
            if radius < 0.125 * dbh || i == last {
                sites.push(Site {
                    branch,
                    start: a,
                    way: unit_or(b - a, DVec3::Y),
                    along,
                    length,
                    radius,
                    tip: i == last,
                    weight: length / radius.max(0.002).sqrt(),
                });
            }
            along += length;
        }
    }
    sites
}
