//! One stem: segments that curve, split, turn up or down, wind, and end at the envelope (paper §4.1, 4.2, 4.7, 4.9).
//!
//! Left open by the paper and chosen here: random curvature bends about a random axis across the stem; attraction up turns about
//! the horizontal axis across it, by AttractionUp·declination·sin(declination)/CurveRes, which is the published angle where x lies level, and
//! never beyond the vertical; no branch grows into the ground; a helix makes one turn from base to tip; the error that decides about
//! splits starts at random on every line.

use super::angles::{split_angle, split_turn};
use super::frame::Frame;
use super::params::WeberPenn;
use super::taper::radius_at;
use crate::frame::{across, turned, unit_or};
use core::cell::Cell;
use core::f64::consts::TAU;
use treesway::glam::DVec3;
use treesway::math::Rng;

/// Of all lines of a stem: beyond this its splits are taken for a mistake.
const MOST_AXES: usize = 2048;

/// Segments that a tree may try, pruned ones included: some ten seconds.
const MOST_WORK: u64 = 50_000_000;

/// A stem before it grows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stem<'a> {
    pub(crate) tree: &'a WeberPenn,
    pub(crate) level: usize,
    /// m.
    pub(crate) position: DVec3,
    pub(crate) frame: Frame,
    /// m.
    pub(crate) length: f64,
    /// At its base, without flare, m.
    pub(crate) radius: f64,
    /// Segments that all stems of the tree have tried so far.
    pub(crate) work: &'a Cell<u64>,
}

/// A line of a stem: the stem itself, or a clone that split off and runs beside it to the tip.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    /// Where it splits off: number of an earlier line, segments along it. None for the stem itself.
    pub(crate) on: Option<(usize, usize)>,
    /// Segments of the stem below it.
    pub(crate) first: usize,
    /// Ends of its segments, m; one more than `frames`.
    pub(crate) points: Vec<DVec3>,
    /// Of its segments.
    pub(crate) frames: Vec<Frame>,
    /// Turn that brings it back to its course after splits, rad per segment about x.
    correction: f64,
}

impl Stem<'_> {
    /// Length of a segment, m.
    pub(crate) fn step(&self) -> f64 {
        self.length / f64::from(self.tree.level(self.level).curve_res)
    }

    /// Radius at so many m from the base.
    pub(crate) fn radius_at(&self, along: f64) -> f64 {
        let z = (along / self.length).clamp(0.0, 1.0);
        let taper = f64::from(self.tree.level(self.level).taper);
        let even = radius_at(z, taper, self.radius, self.length);
        let flare = if self.level == 0 {
            self.tree.flare_factor(z)
        } else {
            1.0
        };
        (even * flare).max(f64::from(self.tree.least_radius))
    }

    /// All lines, each after the one it splits from; none if the splits or the whole tree get out of hand.
    pub(crate) fn grow(&self, rng: &mut Rng) -> Option<Vec<Axis>> {
        let level = self.tree.level(self.level);
        let (segments, step) = (level.curve_res as usize, self.step());
        let trunk = Axis {
            on: None,
            first: 0,
            points: vec![self.position],
            frames: Vec::with_capacity(segments),
            correction: 0.0,
        };
        let mut axes = vec![trunk];
        let phase = TAU * rng.unit();
        let mut number = 0;
        let mut next = Some(self.frame);
        while let Some(mut frame) = next.take() {
            let first = axes[number].first;
            let mut error = rng.unit() - 0.5;
            for s in first..segments {
                if s > first || first > 0 {
                    frame = self.curved(frame, s, axes[number].correction, rng);
                }
                let axis = &mut axes[number];
                axis.frames.push(frame);
                let ahead = self.wound(frame, s, phase);
                let here = axis.points[axis.points.len() - 1];
                axis.points.push(here + ahead * step);
                if s + 1 < segments {
                    let splits = if self.level == 0 && s == 0 && self.tree.base_splits > 0 {
                        self.tree.base_splits as usize
                    } else {
                        let wanted = f64::from(level.seg_splits) + error;
                        let splits = (wanted + 0.5).floor().max(0.0);
                        error = wanted - splits;
                        splits as usize
                    };
                    if splits > 0 {
                        frame = self.split(&mut axes, number, (s, splits), frame, rng);
                    }
                }
                if axes.len() > MOST_AXES {
                    return None;
                }
            }
            self.work.set(self.work.get() + (segments - first) as u64);
            if self.work.get() > MOST_WORK {
                return None;
            }
            number += 1;
            // A clone keeps its first frame in place of a segment until it grows.
            next = axes.get_mut(number).and_then(|axis| axis.frames.pop());
        }
        Some(axes)
    }

    /// Direction of segment `s` from that of the one before it.
    fn curved(&self, frame: Frame, s: usize, correction: f64, rng: &mut Rng) -> Frame {
        let level = self.tree.level(self.level);
        let segments = f64::from(level.curve_res);
        let curve = if level.curve_back_deg == 0.0 {
            f64::from(level.curve_deg) / segments
        } else if (s as f64) < 0.5 * segments {
            f64::from(level.curve_deg) * 2.0 / segments
        } else {
            f64::from(level.curve_back_deg) * 2.0 / segments
        };
        let mut frame = frame.about(frame.x, curve.to_radians() + correction);
        let vary = f64::from(level.curve_v_deg);
        if vary > 0.0 {
            let axis = turned(frame.x, frame.z, TAU * rng.unit());
            frame = frame.about(axis, (vary / segments * rng.signed()).to_radians());
        }
        if self.level >= 2 && self.tree.attraction_up != 0.0 {
            frame = self.attracted(frame, segments);
        }
        frame
    }

    fn attracted(&self, frame: Frame, segments: f64) -> Frame {
        let declination = frame.declination();
        let strength = f64::from(self.tree.attraction_up);
        let wanted = strength * declination * libm::sin(declination) / segments;
        // Up to the vertical, or down to it.
        let turn = wanted.clamp(declination - core::f64::consts::PI, declination);
        let axis = unit_or(frame.z.cross(DVec3::Y), across(frame.z));
        frame.about(axis, turn)
    }

    /// Where segment `s` points: along its frame, or inclined to it and one turn around it from base to tip.
    fn wound(&self, frame: Frame, s: usize, phase: f64) -> DVec3 {
        let level = self.tree.level(self.level);
        if level.curve_v_deg >= 0.0 {
            return frame.z;
        }
        let (sin, cos) = libm::sincos(f64::from(-level.curve_v_deg).to_radians());
        let around = phase + TAU * (s as f64 + 0.5) / f64::from(level.curve_res);
        let (ay, ax) = libm::sincos(around);
        unit_or(frame.z * cos + (frame.x * ax + frame.y * ay) * sin, frame.z)
    }

    /// Leaves clones at the end of a segment and gives the new direction of the stem.
    fn split(
        &self,
        axes: &mut Vec<Axis>,
        number: usize,
        (s, splits): (usize, usize),
        frame: Frame,
        rng: &mut Rng,
    ) -> Frame {
        let level = self.tree.level(self.level);
        let left = (level.curve_res as usize - s - 1) as f64;
        let declination = frame.declination();
        let around_base = self.level == 0 && s == 0;
        let start = if around_base { TAU * rng.unit() } else { 0.0 };
        let frame = frame.about(frame.z, start);
        for k in 0..splits {
            let angle = split_angle(level, declination, rng);
            let turn = if around_base {
                // Stems from the base stand evenly around it.
                TAU * (k + 1) as f64 / (splits + 1) as f64
            } else {
                split_turn(declination, rng)
            };
            let way = frame.about(frame.x, angle).about(DVec3::Y, turn);
            let from = &axes[number];
            let point = from.points[from.points.len() - 1];
            axes.push(Axis {
                on: Some((number, from.frames.len())),
                first: s + 1,
                points: vec![point],
                frames: vec![way],
                correction: axes[number].correction - angle / left,
            });
        }
        let angle = split_angle(level, declination, rng);
        axes[number].correction -= angle / left;
        frame.about(frame.x, angle)
    }
}

impl Axis {
    /// Point and frame at so many segments of the stem from its base; the line must reach there.
    pub(crate) fn at(&self, segments: f64) -> (DVec3, Frame) {
        let here = (segments - self.first as f64).max(0.0);
        let i = (here as usize).min(self.frames.len() - 1);
        let (a, b) = (self.points[i], self.points[i + 1]);
        (
            a + (b - a) * (here - i as f64).clamp(0.0, 1.0),
            self.frames[i],
        )
    }
}

/// Stems for tests.
#[cfg(test)]
pub(crate) mod trial {
    use super::*;
    use crate::weber_penn::Level;

    pub(crate) fn tree(level: Level) -> WeberPenn {
        WeberPenn {
            levels: vec![level.clone(), level.clone(), level],
            ..WeberPenn::default()
        }
    }

    pub(crate) fn stem(tree: &WeberPenn, level: usize, frame: Frame) -> Stem<'_> {
        Stem {
            work: Box::leak(Box::new(Cell::new(0))),
            tree,
            level,
            position: DVec3::ZERO,
            frame,
            length: 4.0,
            radius: 0.1,
        }
    }

    pub(crate) fn level_frame() -> Frame {
        // A branch that leaves an upright trunk at a right angle: along −y of the trunk, its y up.
        Frame::UPRIGHT.child(0.0, core::f64::consts::FRAC_PI_2)
    }
}

#[cfg(test)]
mod tests {
    use super::trial::{level_frame, stem, tree};
    use super::*;
    use crate::weber_penn::Level;

    #[test]
    fn children_of_an_upright_trunk_have_y_up() {
        let frame = level_frame();
        assert!((frame.z - DVec3::Z).length() < 1e-12, "{frame:?}");
        assert!((frame.y - DVec3::Y).length() < 1e-12, "{frame:?}");
    }

    #[test]
    fn curves_add_up_to_their_angle_and_go_back() {
        let level = Level {
            curve_res: 10,
            curve_deg: 50.0,
            ..Level::default()
        };
        let tree_down = tree(level.clone());
        let axes = stem(&tree_down, 1, level_frame())
            .grow(&mut Rng::new(0, 0))
            .unwrap();
        let last = axes[0].frames[9];
        // The first segment keeps its direction: nine of ten turns, downwards.
        assert!((last.declination().to_degrees() - (90.0 + 45.0)).abs() < 1e-9);
        let tree_back = tree(Level {
            curve_back_deg: -50.0,
            ..level
        });
        let axes = stem(&tree_back, 1, level_frame())
            .grow(&mut Rng::new(0, 0))
            .unwrap();
        let middle = axes[0].frames[4].declination().to_degrees();
        let last = axes[0].frames[9].declination().to_degrees();
        assert!((middle - 130.0).abs() < 1e-9, "{middle}");
        assert!((last - 80.0).abs() < 1e-9, "{last}");
    }

    #[test]
    fn a_helix_winds_once_and_keeps_its_inclination() {
        let tree = tree(Level {
            curve_res: 40,
            curve_v_deg: -30.0,
            ..Level::default()
        });
        let axes = stem(&tree, 1, Frame::UPRIGHT)
            .grow(&mut Rng::new(3, 0))
            .unwrap();
        let points = &axes[0].points;
        for pair in points.windows(2) {
            let up = (pair[1] - pair[0]).y / (pair[1] - pair[0]).length();
            assert!((libm::acos(up).to_degrees() - 30.0).abs() < 1e-6);
        }
        let end = points[40];
        assert!(
            (end - DVec3::Y * 4.0 * libm::cos(30_f64.to_radians())).length() < 1e-9,
            "{end}"
        );
        // Half a turn away: two radii of a helix whose turn is as high as the stem, r = L·sin/τ.
        let across = DVec3::new(points[20].x, 0.0, points[20].z).length();
        let radius = 4.0 * libm::sin(30_f64.to_radians()) / TAU;
        assert!((across / (2.0 * radius) - 1.0).abs() < 0.01, "{across}");
    }

    #[test]
    fn attraction_turns_stems_up_from_level_two_on() {
        let level = Level {
            curve_res: 8,
            ..Level::default()
        };
        for (strength, rises) in [(1.0, true), (-1.0, false)] {
            let mut tree = tree(level.clone());
            tree.attraction_up = strength;
            let straight = stem(&tree, 1, level_frame())
                .grow(&mut Rng::new(0, 0))
                .unwrap();
            assert!(straight[0].points[8].y.abs() < 1e-9);
            let curved = stem(&tree, 2, level_frame())
                .grow(&mut Rng::new(0, 0))
                .unwrap();
            assert_eq!(curved[0].points[8].y > 0.5, rises);
            // The first turn: strength · π/2 · sin(π/2)/8.
            let turn = curved[0].frames[1].declination() - curved[0].frames[0].declination();
            let expected = -f64::from(strength) * core::f64::consts::FRAC_PI_2 / 8.0;
            assert!((turn - expected).abs() < 1e-9, "{turn}");
        }
        let mut tree = tree(level);
        tree.attraction_up = 50.0;
        let curved = stem(&tree, 2, level_frame())
            .grow(&mut Rng::new(0, 0))
            .unwrap();
        assert!(
            curved[0].frames[7].declination() < 1e-6,
            "never beyond the vertical"
        );
    }

    #[test]
    fn splits_are_as_many_as_asked_for_on_average() {
        let tree = tree(Level {
            curve_res: 5,
            seg_splits: 0.25,
            split_angle_deg: 30.0,
            ..Level::default()
        });
        let lines: usize = (0..4000)
            .map(|i| {
                let stem = stem(&tree, 1, Frame::UPRIGHT);
                stem.grow(&mut Rng::new(9, i)).unwrap().len()
            })
            .sum();
        // Every line that reaches the end of a segment becomes 1.25 lines there on average: 1.25⁴ = 2.44 at the tip.
        let mean = lines as f64 / 4000.0;
        assert!((mean - 2.44).abs() < 0.05, "{mean}");
    }

    #[test]
    fn base_splits_stand_evenly_around_and_run_to_the_tip() {
        let mut tree = tree(Level {
            curve_res: 6,
            split_angle_deg: 20.0,
            ..Level::default()
        });
        tree.base_splits = 2;
        let axes = stem(&tree, 0, Frame::UPRIGHT)
            .grow(&mut Rng::new(1, 1))
            .unwrap();
        assert_eq!(axes.len(), 3);
        let ways: Vec<DVec3> = axes
            .iter()
            .map(|a| {
                assert_eq!(a.first + a.frames.len(), 6);
                let way = a.points[a.points.len() - 1];
                unit_or(DVec3::new(way.x, 0.0, way.z), DVec3::X)
            })
            .collect();
        for (a, b) in [(0, 1), (1, 2), (2, 0)] {
            assert!(
                (ways[a].dot(ways[b]) + 0.5).abs() < 1e-6,
                "120 degrees apart"
            );
        }
    }

    #[test]
    fn splits_that_explode_give_up() {
        let tree = tree(Level {
            curve_res: 100,
            seg_splits: 3.0,
            ..Level::default()
        });
        assert!(
            stem(&tree, 1, Frame::UPRIGHT)
                .grow(&mut Rng::new(0, 0))
                .is_none()
        );
    }
}
