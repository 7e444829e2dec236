//! What happened in the last seconds: how far a tip moved, how often, and how much energy there is.

use crate::stage::Stage;
use crate::theme::palette;
use crate::widgets::prefixed;
use core::f32::consts::TAU;
use eframe::egui::{
    Align2, FontId, Pos2, Rect, Role, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2,
};
use std::collections::VecDeque;
use treesway::glam::Vec3;
use treesway::{BodyId, BodyKind, Tree, TreeId};

/// From this width on a plot has room for a figure beside its title, points.
const ROOMY: f32 = 190.0;

/// Frames that are remembered, a power of two: 17 s at 30 frames a second.
const FRAMES: usize = 512;

/// The last frames of one tip.
#[derive(Default)]
pub struct Trace {
    /// Whose tip, and where it was at the start, m.
    of: Option<(TreeId, BodyId, Vec3)>,
    /// Distance from there, m.
    sway: VecDeque<Vec3>,
    /// The same of the tree beside it.
    sway_beside: VecDeque<Vec3>,
    /// Kinetic and elastic, J.
    energy: VecDeque<[f32; 2]>,
}

/// What a trace looks at.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    tree: TreeId,
    body: BodyId,
    /// Where its tip was at the start, m.
    start: Vec3,
}

/// What a trace remembers of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    sway: Vec3,
    sway_beside: Option<Vec3>,
    energy: [f32; 2],
}

impl Probe {
    /// Looks at a frame.
    pub fn sample(&self, stage: &Stage) -> Sample {
        let world = stage.simulation.world();
        let tree = world.tree(self.tree);
        let beside = stage.twin.as_ref().map(|twin| {
            let tree = twin.simulation.world().tree(self.tree);
            tree.tip(self.body) - self.start
        });
        let energy = tree.energy(world.gravity);
        Sample {
            sway: tree.tip(self.body) - self.start,
            sway_beside: beside,
            energy: [energy.kinetic as f32, energy.elastic as f32],
        }
    }
}

impl Trace {
    /// Starts anew, with the highest wood of the first tree or with a body that is chosen.
    pub fn start(&mut self, stage: &Stage, chosen: Option<(TreeId, BodyId)>) {
        let world = stage.simulation.world();
        let highest = || (TreeId(0), highest(world.tree(TreeId(0))));
        let (tree, body) = chosen.unwrap_or_else(highest);
        self.of = Some((tree, body, world.tree(tree).tip(body)));
        self.sway.clear();
        self.sway_beside.clear();
        self.energy.clear();
    }

    /// What is looked at in every frame.
    pub fn probe(&self) -> Option<Probe> {
        self.of
            .map(|(tree, body, start)| Probe { tree, body, start })
    }

    /// A frame is done.
    pub fn note(&mut self, sample: &Sample) {
        push(&mut self.sway, sample.sway);
        if let Some(beside) = sample.sway_beside {
            push(&mut self.sway_beside, beside);
        }
        push(&mut self.energy, sample.energy);
    }

    /// Distance of the tip from where it was in the direction in which it moved most, m.
    fn displacement(&self) -> Vec<f32> {
        let axis = self.axis();
        self.sway.iter().map(|v| v.dot(axis)).collect()
    }

    /// The direction in which the tip moved most.
    fn axis(&self) -> Vec3 {
        let mean = self.sway.iter().sum::<Vec3>() / self.sway.len().max(1) as f32;
        let away = |v: &&Vec3| (**v - mean).length_squared();
        let farthest = self.sway.iter().max_by(|a, b| away(a).total_cmp(&away(b)));
        farthest.map_or(Vec3::X, |v| (*v - mean).normalize_or(Vec3::X))
    }

    /// Amplitude by frequency, (Hz, m), of what was recorded, after a Hann window.
    pub fn spectrum(&self, frame_secs: f32) -> Vec<(f32, f32)> {
        let values = self.displacement();
        let count = values.len();
        if count < 64 {
            return Vec::new();
        }
        let mean = values.iter().sum::<f32>() / count as f32;
        let duration = count as f32 * frame_secs;
        // Up to 5 Hz: what trees sway with.
        let most = ((5.0 * duration) as usize).min(count / 2);
        (1..most)
            .map(|k| {
                let (mut re, mut im) = (0.0, 0.0);
                for (n, v) in values.iter().enumerate() {
                    let window = 1.0 - (TAU * n as f32 / count as f32).cos();
                    let phase = TAU * ((k * n) % count) as f32 / count as f32;
                    re += (v - mean) * window * phase.cos();
                    im += (v - mean) * window * phase.sin();
                }
                (k as f32 / duration, 2.0 * re.hypot(im) / count as f32)
            })
            .collect()
    }

    /// Draws all of it side by side, and where the time goes; `sway_hz` is marked in the spectrum.
    pub fn show(&self, ui: &mut Ui, frame_secs: f32, sway_hz: Option<f32>, times: &Times) {
        let width = (ui.available_width() - 3.0 * ui.spacing().item_spacing.x) / 4.0;
        let size = vec2(width, ui.available_height());
        let displacement = self.displacement();
        let seconds = displacement.len() as f32 * frame_secs;
        ui.horizontal(|ui| {
            let line = |values: &[f32]| -> Vec<(f32, f32)> {
                let at = |(i, v): (usize, &f32)| (i as f32 * frame_secs, *v);
                values.iter().enumerate().map(at).collect()
            };
            let axis = self.axis();
            let beside: Vec<f32> = self.sway_beside.iter().map(|v| v.dot(axis)).collect();
            let first = if beside.is_empty() { "" } else { "these" };
            Plot {
                title: &format!("Tip, last {seconds:.0} s"),
                units: ["s", "m"],
                lines: &[(first, line(&displacement)), ("beside", line(&beside))],
                mark: None,
                tip: "How far the tip of the chosen branch, or of the highest one, is from where it was at the start",
            }
            .show(ui, size);
            let title = match sway_hz {
                Some(hz) => format!("Spectrum, sway {hz:.2} Hz"),
                None => "Spectrum".into(),
            };
            Plot {
                title: &title,
                units: ["Hz", "m"],
                lines: &[("", self.spectrum(frame_secs))],
                mark: sway_hz,
                tip: "Amplitude of the tip by frequency; the line is the first mode of the tree (up to 100,000 bodies)",
            }
            .show(ui, size);
            let [kinetic, elastic] = [0, 1].map(|which| {
                let values: Vec<f32> = self.energy.iter().map(|e| e[which]).collect();
                line(&values)
            });
            Plot {
                title: "Energy",
                units: ["s", "J"],
                lines: &[("motion", kinetic), ("springs", elastic)],
                mark: None,
                tip: "Of motion, and in bent wood",
            }
            .show(ui, size);
            times.show(ui, size);
        });
    }
}

/// Where the time of a frame goes.
pub struct Times {
    /// Names of stages of the simulation, and ms of the trees and of those beside them.
    pub stages: Vec<(&'static str, [f32; 2])>,
    /// ms of drawing.
    pub draw: f32,
    /// Bodies that move, and all.
    pub bodies: [usize; 2],
}

impl Times {
    fn show(&self, ui: &mut Ui, size: Vec2) {
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        let title = "Time of a frame, ms";
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, title));
        response
            .on_hover_text("Stages of the simulation, and drawing; orange: of the trees beside");
        let colours = palette(ui);
        let painter = ui.painter_at(rect);
        painter.rect_filled(rect, 6, colours.card);
        let small = FontId::proportional(10.5);
        let text = |at, align, text: String, colour| {
            painter.text(at, align, text, small.clone(), colour);
        };
        text(
            rect.left_top() + vec2(8.0, 5.0),
            Align2::LEFT_TOP,
            title.into(),
            colours.faint,
        );
        let moving = if self.bodies[0] == self.bodies[1] {
            format!("{} bodies", self.bodies[1])
        } else {
            format!("{} of {} bodies", self.bodies[0], self.bodies[1])
        };
        if rect.width() > ROOMY {
            text(
                rect.right_top() + vec2(-8.0, 5.0),
                Align2::RIGHT_TOP,
                moving,
                colours.faint,
            );
        }
        let used = self.stages.iter().filter(|(_, ms)| ms[0] + ms[1] > 1e-4);
        let rows: Vec<(&str, [f32; 2])> =
            used.copied().chain([("draw", [self.draw, 0.0])]).collect();
        // Drawing may take many times as long, by software: its bar is grey and ends at the edge.
        let most = self
            .stages
            .iter()
            .flat_map(|row| row.1)
            .fold(1e-3, f32::max);
        let high = ((rect.height() - 30.0) / rows.len() as f32).min(17.0);
        for (i, (name, ms)) in rows.iter().enumerate() {
            let y = rect.top() + 26.0 + (i as f32 + 0.5) * high;
            text(
                pos2(rect.left() + 8.0, y),
                Align2::LEFT_CENTER,
                (*name).into(),
                colours.text,
            );
            let (left, right) = (rect.left() + 58.0, rect.right() - 62.0);
            let bars = match *name {
                "draw" => [colours.faint; 2],
                _ => [colours.accent, colours.force],
            };
            for (k, (ms, colour)) in ms.iter().zip(bars).enumerate() {
                let width = (right - left).max(1.0) * (ms / most).min(1.0);
                let top = y - 4.0 + 4.0 * k as f32;
                let bar = Rect::from_min_size(pos2(left, top), vec2(width, 3.0));
                painter.rect_filled(bar, 1, colour);
            }
            let shown = if ms[1] > 0.0 {
                format!("{:.2} | {:.2}", ms[0], ms[1])
            } else {
                format!("{:.2}", ms[0])
            };
            text(
                pos2(rect.right() - 8.0, y),
                Align2::RIGHT_CENTER,
                shown,
                colours.text,
            );
        }
    }
}

fn push<T>(list: &mut VecDeque<T>, value: T) {
    if list.len() == FRAMES {
        list.pop_front();
    }
    list.push_back(value);
}

fn highest(tree: &Tree) -> BodyId {
    let wood = tree
        .ids()
        .filter(|&id| tree.body(id).kind == BodyKind::Segment);
    wood.max_by(|&a, &b| tree.tip(a).y.total_cmp(&tree.tip(b).y))
        .unwrap_or(BodyId(0))
}

/// Lines over a common axis, with a mark.
pub struct Plot<'a> {
    /// Above it.
    pub title: &'a str,
    /// Across and up.
    pub units: [&'a str; 2],
    /// Names, where there are several, and points.
    pub lines: &'a [(&'a str, Vec<(f32, f32)>)],
    /// A place across.
    pub mark: Option<f32>,
    /// Where the pointer rests.
    pub tip: &'a str,
}

/// Least and greatest.
fn span(values: impl Iterator<Item = f32>) -> [f32; 2] {
    values.fold([f32::INFINITY, f32::NEG_INFINITY], |[a, b], v| {
        [a.min(v), b.max(v)]
    })
}

impl Plot<'_> {
    /// Draws it.
    pub fn show(&self, ui: &mut Ui, size: Vec2) {
        let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
        response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, self.title));
        let colours = palette(ui);
        let painter = ui.painter_at(rect);
        let small = FontId::proportional(10.5);
        let write = |at: Pos2, align, text: &str, colour| {
            painter.text(at, align, text, small.clone(), colour)
        };
        painter.rect_filled(rect, 6, colours.card);
        let corner = rect.left_top() + vec2(8.0, 5.0);
        let written = write(corner, Align2::LEFT_TOP, self.title, colours.faint);
        let all = || self.lines.iter().flat_map(|(_, line)| line);
        let x = span(all().map(|p| p.0));
        let y = span(all().map(|p| p.1).chain([0.0]));
        if all().count() < 2 || x[1] <= x[0] {
            let text = "wait a moment";
            write(rect.center(), Align2::CENTER_CENTER, text, colours.faint);
            return;
        }
        let inner = Rect::from_min_max(rect.min + vec2(8.0, 24.0), rect.max - vec2(8.0, 18.0));
        let height = (y[1] - y[0]).max(1e-6);
        let at = |px: f32, py: f32| {
            pos2(
                inner.left() + (px - x[0]) / (x[1] - x[0]) * inner.width(),
                inner.bottom() - (py - y[0]) / height * inner.height(),
            )
        };
        let thin = Stroke::new(1.0, colours.line);
        painter.hline(inner.x_range(), at(x[0], 0.0).y, thin);
        if let Some(mark) = self.mark.filter(|m| (x[0]..=x[1]).contains(m)) {
            let x = at(mark, 0.0).x;
            painter.vline(x, inner.y_range(), Stroke::new(1.0, colours.force));
        }
        let inks = [colours.accent, colours.force];
        let mut left = written.right() + 10.0;
        for ((name, line), ink) in self.lines.iter().zip(inks) {
            let points = line.iter().map(|&(px, py)| at(px, py)).collect();
            painter.line(points, Stroke::new(1.5, ink));
            if !line.is_empty() && !name.is_empty() && left + 44.0 < rect.right() {
                let name = write(pos2(left, corner.y), Align2::LEFT_TOP, name, ink);
                left = name.right() + 8.0;
            }
        }
        let [across, up] = self.units;
        let bottom = inner.bottom() + 3.0;
        let texts = [
            (pos2(inner.left(), bottom), Align2::LEFT_TOP, x[0], across),
            (pos2(inner.right(), bottom), Align2::RIGHT_TOP, x[1], across),
        ];
        for (at, align, value, unit) in texts {
            let text = format!("{value:.0} {unit}");
            write(at, align, &text, colours.faint);
        }
        if rect.width() > ROOMY {
            let most = prefixed(f64::from(y[1]), up);
            let place = rect.right_top() + vec2(-8.0, 5.0);
            if left + 40.0 < place.x {
                write(place, Align2::RIGHT_TOP, &most, colours.faint);
            }
        }
        if let Some(pointer) = response.hover_pos().filter(|p| inner.contains(*p)) {
            painter.vline(pointer.x, inner.y_range(), thin);
        }
        response.on_hover_ui_at_pointer(|ui| {
            if let Some(pointer) = ui.ctx().pointer_hover_pos() {
                let here = x[0] + (pointer.x - inner.left()) / inner.width() * (x[1] - x[0]);
                for (name, line) in self.lines {
                    let off = |p: &&(f32, f32)| (p.0 - here).abs();
                    let near = line.iter().min_by(|a, b| off(a).total_cmp(&off(b)));
                    if let Some((px, py)) = near {
                        let value = prefixed((*py).into(), up);
                        ui.label(format!("{px:.2} {across}: {value} {name}"));
                    }
                }
            }
            ui.small(self.tip);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pure_tone_has_its_amplitude_at_its_frequency() {
        let frame = 1.0 / 30.0;
        let mut trace = Trace::default();
        for n in 0..FRAMES + 100 {
            let t = n as f32 * frame;
            push(
                &mut trace.sway,
                Vec3::X * (2.0 + 0.3 * (TAU * 0.82 * t).sin()),
            );
        }
        let spectrum = trace.spectrum(frame);
        let peak = spectrum.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert!((peak.0 - 0.82).abs() < 0.06, "{peak:?}");
        assert!((peak.1 - 0.3).abs() < 0.06, "{peak:?}");
    }
}
