//! A curve over the radius of branches, drawn and dragged (Quigley 2017, Fig. 12).
//!
//! Both axes are logarithmic. Behind the curve is how many joints of the tree have which radius, so that one sees what a control point reaches.

use crate::theme::palette;
use eframe::egui::{
    self, Align2, FontId, Pos2, Rect, Response, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2,
};
use treesway::{BodyKind, ControlPoint, Curve, CurveMode, QuantityCurve, Tree};

/// Columns of a histogram.
const COLUMNS: usize = 48;

/// How many joints of a tree have which radius.
#[derive(Clone, Debug, PartialEq)]
pub struct Radii {
    /// Least and greatest, log₁₀ m, with some room.
    span: [f32; 2],
    /// Share of the largest column, 0 to 1.
    columns: Vec<f32>,
}

impl Radii {
    /// Of the wood of a tree.
    pub fn of(tree: &Tree) -> Self {
        let wood = tree.ids().map(|id| tree.body(id));
        let wood = wood.filter(|body| body.kind == BodyKind::Segment);
        let logs: Vec<f32> = wood.map(|body| body.radius[0].log10()).collect();
        let least = logs.iter().copied().fold(f32::INFINITY, f32::min);
        let most = logs.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let span = [least - 0.15, most + 0.15];
        let mut counts = [0.0_f32; COLUMNS];
        for log in logs {
            let share = (log - span[0]) / (span[1] - span[0]);
            counts[((share * COLUMNS as f32) as usize).min(COLUMNS - 1)] += 1.0;
        }
        // Twigs outnumber limbs a thousandfold: by the square root both are seen.
        let largest = counts.iter().copied().fold(1.0, f32::max);
        Self {
            span,
            columns: counts.iter().map(|n| (n / largest).sqrt()).collect(),
        }
    }
}

/// Between points of the plot and (radius, value).
struct Scale {
    plot: Rect,
    x: [f32; 2],
    /// log₁₀ of the value.
    y: [f32; 2],
}

impl Scale {
    fn of(plot: Rect, curve: &QuantityCurve, radii: &Radii) -> Self {
        let y = match curve.mode {
            CurveMode::Multiplier => [-2.0, 2.0],
            CurveMode::Absolute => {
                let values = curve
                    .points
                    .points()
                    .iter()
                    .map(|p| p.value.max(1e-9).log10());
                let (least, most) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(a, b), v| {
                    (a.min(v), b.max(v))
                });
                [least.floor() - 1.0, most.ceil() + 1.0]
            }
        };
        Self {
            plot,
            x: radii.span,
            y,
        }
    }

    fn at(&self, radius: f32, value: f32) -> Pos2 {
        let part = |[least, most]: [f32; 2], v: f32| (v - least) / (most - least);
        let y = part(self.y, value.max(1e-12).log10()).clamp(-0.02, 1.02);
        pos2(
            self.plot.left() + part(self.x, radius.log10()) * self.plot.width(),
            self.plot.bottom() - y * self.plot.height(),
        )
    }

    fn point(&self, at: Pos2) -> ControlPoint {
        let along = |[least, most]: [f32; 2], part: f32| {
            10_f32.powf(least + part.clamp(0.0, 1.0) * (most - least))
        };
        ControlPoint {
            radius: along(self.x, (at.x - self.plot.left()) / self.plot.width()),
            value: along(self.y, (self.plot.bottom() - at.y) / self.plot.height()),
        }
    }
}

/// How near the pointer must be to a control point, points.
const REACH: f32 = 12.0;

/// Draws a curve and lets it be edited; the new curve once there is one. `name` and `unit` are of the value.
pub fn show(
    ui: &mut Ui,
    name: &str,
    unit: &str,
    curve: &QuantityCurve,
    radii: &Radii,
) -> Option<QuantityCurve> {
    let size = vec2(ui.available_width(), 132.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    response.widget_info(|| WidgetInfo::labeled(Role::Canvas, true, name));
    let plot = rect.shrink2(vec2(8.0, 16.0)).translate(vec2(0.0, -4.0));
    let scale = Scale::of(plot, curve, radii);
    let edited = edit(ui, &response, curve, &scale);
    paint(
        ui,
        rect,
        edited.as_ref().unwrap_or(curve),
        &scale,
        radii,
        name,
        unit,
    );
    response.on_hover_ui_at_pointer(|ui| {
        if let Some(at) = ui.ctx().pointer_hover_pos() {
            let here = scale.point(at);
            let value = curve.points.at(here.radius);
            ui.label(format!(
                "radius {:.3} cm, {name} {value:.3}{unit}",
                here.radius * 100.0
            ));
        }
        ui.small("Click: new point. Drag: move. Right-click or double-click: remove.");
    });
    edited
}

fn edit(
    ui: &Ui,
    response: &Response,
    curve: &QuantityCurve,
    scale: &Scale,
) -> Option<QuantityCurve> {
    let points = curve.points.points();
    let nearest = |at: Pos2| {
        let near = points.iter().enumerate().map(|(i, p)| {
            let distance = scale.at(p.radius, p.value).distance(at);
            (i, distance)
        });
        let nearest = near.min_by(|a, b| a.1.total_cmp(&b.1));
        nearest
            .filter(|&(_, distance)| distance < REACH)
            .map(|(i, _)| i)
    };
    let with = |points: Vec<ControlPoint>| {
        Curve::new(points).ok().map(|points| QuantityCurve {
            mode: curve.mode,
            points,
        })
    };
    let held = response.id.with("held");
    if response.drag_started_by(egui::PointerButton::Primary) {
        let origin = ui.input(|i| i.pointer.press_origin())?;
        ui.data_mut(|data| data.insert_temp(held, nearest(origin)));
    }
    let at = response.interact_pointer_pos();
    if response.dragged_by(egui::PointerButton::Primary) {
        let which: Option<usize> = ui.data(|data| data.get_temp(held).flatten());
        let which = which.filter(|&i| i < points.len())?;
        let mut moved = scale.point(at?);
        // A point stays between its neighbours, so that it keeps its place in the list.
        if let Some(before) = which.checked_sub(1).map(|i| points[i].radius) {
            moved.radius = moved.radius.max(before * 1.02);
        }
        if let Some(after) = points.get(which + 1) {
            moved.radius = moved.radius.min(after.radius / 1.02);
        }
        let mut points = points.to_vec();
        points[which] = moved;
        return with(points);
    }
    if response.clicked() && nearest(at?).is_none() {
        let mut points = points.to_vec();
        // The only point of a curve that was never edited stands for all radii: it becomes the end of the other side.
        points.push(scale.point(at?));
        return with(points);
    }
    let removes = response.secondary_clicked() || response.double_clicked();
    if removes && points.len() > 1 {
        let mut points = points.to_vec();
        points.remove(nearest(at?)?);
        return with(points);
    }
    None
}

fn paint(
    ui: &Ui,
    rect: Rect,
    curve: &QuantityCurve,
    scale: &Scale,
    radii: &Radii,
    name: &str,
    unit: &str,
) {
    let colours = palette(ui);
    let painter = ui.painter_at(rect.expand(1.0));
    let plot = scale.plot;
    painter.rect_filled(rect, 6, colours.panel);
    let width = plot.width() / COLUMNS as f32;
    for (i, height) in radii.columns.iter().enumerate() {
        let left = plot.left() + i as f32 * width;
        let top = plot.bottom() - height * plot.height() * 0.85;
        let column = Rect::from_min_max(pos2(left, top), pos2(left + width - 1.0, plot.bottom()));
        painter.rect_filled(column, 0, colours.line.gamma_multiply(0.55));
    }
    let small = FontId::proportional(9.5);
    let thin = Stroke::new(0.5, colours.line);
    for decade in scale.y[0].ceil() as i32..=scale.y[1].floor() as i32 {
        let y = scale.at(1.0, 10_f32.powi(decade)).y;
        painter.hline(plot.x_range(), y, thin);
        let text = plain(10_f64.powi(decade));
        painter.text(
            pos2(plot.left(), y),
            Align2::LEFT_BOTTOM,
            text,
            small.clone(),
            colours.faint,
        );
    }
    for decade in scale.x[0].ceil() as i32..=scale.x[1].floor() as i32 {
        let x = scale.at(10_f32.powi(decade), 1.0).x;
        painter.vline(x, plot.y_range(), thin);
        let text = format!("{} cm", plain(10_f64.powi(decade) * 100.0));
        let at = pos2(x, plot.bottom() + 2.0);
        painter.text(at, Align2::CENTER_TOP, text, small.clone(), colours.faint);
    }
    let title = if unit == " ×" {
        format!("{name}, factor")
    } else {
        format!("{name},{unit}")
    };
    painter.text(
        rect.right_top() + vec2(-8.0, 3.0),
        Align2::RIGHT_TOP,
        title,
        FontId::proportional(12.0),
        colours.text,
    );
    let line = (0..=64).map(|i| {
        let log = scale.x[0] + (scale.x[1] - scale.x[0]) * i as f32 / 64.0;
        let radius = 10_f32.powf(log);
        scale.at(radius, curve.points.at(radius))
    });
    painter.line(line.collect(), Stroke::new(2.0, colours.accent));
    let pointer = ui.ctx().pointer_hover_pos();
    for p in curve.points.points() {
        let at = scale.at(p.radius, p.value);
        let near = pointer.is_some_and(|pointer| pointer.distance(at) < REACH);
        let radius = if near { 6.0 } else { 4.5 };
        painter.circle(at, radius, colours.card, Stroke::new(2.0, colours.accent));
    }
}

/// A power of ten without an exponent where it is short.
fn plain(power: f64) -> String {
    if (1e-3..1e5).contains(&power) {
        format!("{power}")
    } else {
        format!("{power:e}")
    }
}
