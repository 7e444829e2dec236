//! What happened in the last seconds: how far a tip moved, how often, and how much energy there is.

use crate::stage::Stage;
use crate::theme::palette;
use crate::widgets::compact;
use core::f32::consts::TAU;
use eframe::egui::{Align2, FontId, Rect, Stroke, Ui, pos2, vec2};
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

    /// A frame is done.
    pub fn note(&mut self, stage: &Stage) {
        let Some((id, body, start)) = self.of else {
            return;
        };
        let world = stage.simulation.world();
        let tree = world.tree(id);
        push(&mut self.sway, tree.tip(body) - start);
        if let Some(twin) = &stage.twin {
            let beside = twin.simulation.world().tree(id).tip(body);
            push(&mut self.sway_beside, beside - start);
        }
        let energy = tree.energy(world.gravity);
        push(
            &mut self.energy,
            [energy.kinetic as f32, energy.elastic as f32],
        );
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
            let title = format!("Tip, m, last {seconds:.0} s");
            let axis = self.axis();
            let beside: Vec<f32> = self.sway_beside.iter().map(|v| v.dot(axis)).collect();
            plot(
                ui,
                size,
                &title,
                &[line(&displacement), line(&beside)],
                None,
            );
            let spectrum = self.spectrum(frame_secs);
            let title = match sway_hz {
                Some(hz) => format!("To 5 Hz, m; mode {hz:.2} Hz"),
                None => "To 5 Hz, m".into(),
            };
            plot(ui, size, &title, &[spectrum], sway_hz);
            let [kinetic, elastic] = [0, 1].map(|which| {
                let values: Vec<f32> = self.energy.iter().map(|e| e[which]).collect();
                line(&values)
            });
            plot(ui, size, "Motion and springs, J", &[kinetic, elastic], None);
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
    fn show(&self, ui: &mut Ui, size: eframe::egui::Vec2) {
        let (rect, response) = ui.allocate_exact_size(size, eframe::egui::Sense::hover());
        let title = "Time of a frame, ms";
        response.widget_info(|| {
            eframe::egui::WidgetInfo::labeled(eframe::egui::Role::Canvas, true, title)
        });
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
        // Drawing may take many times as long, by software: its bar ends at the edge.
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
            for (k, (ms, colour)) in ms.iter().zip([colours.accent, colours.force]).enumerate() {
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
fn plot(
    ui: &mut Ui,
    size: eframe::egui::Vec2,
    title: &str,
    lines: &[Vec<(f32, f32)>],
    mark: Option<f32>,
) {
    let (rect, response) = ui.allocate_exact_size(size, eframe::egui::Sense::hover());
    response
        .widget_info(|| eframe::egui::WidgetInfo::labeled(eframe::egui::Role::Canvas, true, title));
    let colours = palette(ui);
    let painter = ui.painter_at(rect);
    painter.rect_filled(rect, 6, colours.card);
    let small = FontId::proportional(10.5);
    painter.text(
        rect.left_top() + vec2(8.0, 5.0),
        Align2::LEFT_TOP,
        title,
        small.clone(),
        colours.faint,
    );
    let all = || lines.iter().flatten();
    let span = |values: &mut dyn Iterator<Item = f32>| {
        values.fold([f32::INFINITY, f32::NEG_INFINITY], |[a, b], v| {
            [a.min(v), b.max(v)]
        })
    };
    let x = span(&mut all().map(|p| p.0));
    let y = span(&mut all().map(|p| p.1).chain([0.0]));
    if all().count() < 2 || x[1] <= x[0] {
        let at = rect.center();
        painter.text(
            at,
            Align2::CENTER_CENTER,
            "wait a moment",
            small,
            colours.faint,
        );
        return;
    }
    let inner = Rect::from_min_max(rect.min + vec2(8.0, 24.0), rect.max - vec2(8.0, 8.0));
    let height = (y[1] - y[0]).max(1e-6);
    let at = |px: f32, py: f32| {
        pos2(
            inner.left() + (px - x[0]) / (x[1] - x[0]) * inner.width(),
            inner.bottom() - (py - y[0]) / height * inner.height(),
        )
    };
    painter.hline(
        inner.x_range(),
        at(x[0], 0.0).y,
        Stroke::new(1.0, colours.line),
    );
    if let Some(mark) = mark.filter(|m| (x[0]..=x[1]).contains(m)) {
        painter.vline(
            at(mark, 0.0).x,
            inner.y_range(),
            Stroke::new(1.0, colours.force),
        );
    }
    for (line, colour) in lines.iter().zip([colours.accent, colours.force]) {
        let points = line.iter().map(|&(px, py)| at(px, py)).collect();
        painter.line(points, Stroke::new(1.5, colour));
    }
    if rect.width() < ROOMY {
        return;
    }
    let top = compact(f64::from(y[1]));
    painter.text(
        rect.right_top() + vec2(-8.0, 5.0),
        Align2::RIGHT_TOP,
        top,
        small,
        colours.faint,
    );
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
