//! Rows of panels: a name, a value, and what it means.

use crate::theme::{TOUCH, palette};
use core::f32::consts::TAU;
use core::ops::RangeInclusive;
use eframe::egui::{
    self, Align, DragValue, Layout, Pos2, Response, Sense, Slider, SliderClamping, Stroke, Ui, vec2,
};

/// Width of names, points.
const NAME: f32 = 100.0;

/// Width of numbers, points.
const VALUE: f32 = 80.0;

/// Height of a slider, points: its handle is 2/5 of that in radius.
const SLIDER: f32 = 20.0;

/// Three digits are enough to see, and a number has room in its row.
pub fn compact(value: f64) -> String {
    let size = value.abs();
    if size >= 1e5 {
        format!("{value:.2e}")
    } else if value == value.round() || size >= 100.0 {
        format!("{value:.0}")
    } else if size >= 0.1 {
        format!("{value:.2}")
    } else if size >= 1e-3 {
        let text = format!("{value:.4}");
        text.trim_end_matches('0').into()
    } else {
        format!("{value:.1e}")
    }
}

/// A quantity with the prefix that leaves one to three digits before the point: 1150000 is 1.15 M.
pub fn prefixed(value: f64, unit: &str) -> String {
    const PREFIXES: [&str; 7] = ["µ", "m", "", "k", "M", "G", "T"];
    // Less than the smallest prefix shows.
    if value.abs() < 5e-9 {
        return format!("0 {unit}");
    }
    let thousands = (value.abs().max(1e-9).log10() / 3.0)
        .floor()
        .clamp(-2.0, 4.0) as i32;
    let digits = value / 1000_f64.powi(thousands);
    let decimals = match digits.abs() {
        size if size >= 99.95 => 0,
        size if size >= 9.995 => 1,
        _ => 2,
    };
    let prefix = PREFIXES[(thousands + 2) as usize];
    format!("{digits:.decimals$} {prefix}{unit}")
}

/// A whole number with its thousands apart.
pub fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        let left = digits.len() - i;
        if i > 0 && left % 3 == 0 && digits.len() > 4 {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// How far something is, 0 to 1, with a few words on it.
pub fn bar(ui: &mut Ui, width: f32, share: f32, text: &str) {
    let (rect, response) = ui.allocate_exact_size(vec2(width, 18.0), Sense::hover());
    response.widget_info(|| egui::WidgetInfo::labeled(egui::Role::ProgressIndicator, true, text));
    let colours = palette(ui);
    ui.painter().rect_filled(rect, 4, colours.control);
    let done = rect.with_max_x(rect.left() + width * share.clamp(0.0, 1.0));
    let inside = ui.painter().with_clip_rect(done);
    inside.rect_filled(rect, 4, colours.accent.gamma_multiply(0.45));
    let font = egui::TextStyle::Small.resolve(ui.style());
    let middle = egui::Align2::CENTER_CENTER;
    ui.painter()
        .text(rect.center(), middle, text, font, colours.text);
}

/// A row: its name, with an explanation where the pointer rests, and what is right of it.
pub fn row<R>(ui: &mut Ui, name: &str, tip: &str, value: impl FnOnce(&mut Ui, egui::Id) -> R) -> R {
    let label = |ui: &mut Ui| ui.add(egui::Label::new(name).truncate());
    row_of(ui, |ui| label(ui).on_hover_text(tip).id, value)
}

/// A row of something in the place of a name, and what is right of it.
fn row_of<R>(
    ui: &mut Ui,
    name: impl FnOnce(&mut Ui) -> egui::Id,
    value: impl FnOnce(&mut Ui, egui::Id) -> R,
) -> R {
    ui.horizontal(|ui| {
        let left = Layout::left_to_right(Align::Center);
        let label = ui.allocate_ui_with_layout(vec2(NAME, TOUCH), left, |ui| {
            ui.set_min_width(NAME);
            ui.set_max_width(NAME);
            name(ui)
        });
        value(ui, label.inner)
    })
    .inner
}

/// How a number is edited.
pub struct Number {
    /// Least and greatest value of the slider; others can be typed.
    pub range: RangeInclusive<f32>,
    /// Unit, with a blank before it.
    pub unit: &'static str,
    /// What one of that unit is.
    pub size: f32,
    /// Whether equal steps are equal factors.
    pub log: bool,
    /// Whether only whole numbers make sense.
    pub whole: bool,
}

impl Number {
    /// Equal steps are equal differences.
    pub fn linear(range: RangeInclusive<f32>, unit: &'static str) -> Self {
        Self {
            range,
            unit,
            size: 1.0,
            log: false,
            whole: false,
        }
    }

    /// A count.
    pub fn whole(range: RangeInclusive<f32>) -> Self {
        Self {
            whole: true,
            ..Self::linear(range, "")
        }
    }

    /// A count over several powers of ten.
    pub fn count(range: RangeInclusive<f32>) -> Self {
        Self {
            log: true,
            ..Self::whole(range)
        }
    }

    /// Equal steps are equal factors.
    pub fn log(range: RangeInclusive<f32>, unit: &'static str) -> Self {
        Self {
            log: true,
            ..Self::linear(range, unit)
        }
    }

    /// Shown in another unit, which is so many of its own.
    pub fn shown_in(self, unit: &'static str, size: f32) -> Self {
        Self { unit, size, ..self }
    }

    /// A row with a slider; the new value once there is one.
    pub fn row(self, ui: &mut Ui, name: &str, tip: &str, value: f32) -> Option<f32> {
        row(ui, name, tip, |ui, label| self.edit(ui, label, tip, value))
    }

    /// What is right of its name.
    fn edit(self, ui: &mut Ui, label: egui::Id, tip: &str, value: f32) -> Option<f32> {
        let mut edited = value;
        let changed = {
            ui.spacing_mut().slider_width = ui.available_width() - VALUE - 10.0;
            ui.spacing_mut().interact_size.y = SLIDER;
            let slider = Slider::new(&mut edited, self.range.clone())
                .logarithmic(self.log)
                .smallest_positive(1e-4)
                .clamping(SliderClamping::Edits)
                .show_value(false);
            let slider = if self.whole && !self.log {
                slider.step_by(1.0)
            } else {
                slider
            };
            let slid = ui.add(slider).labelled_by(label).on_hover_text(tip);
            let speed = if self.whole && !self.log {
                0.05
            } else if self.log {
                f64::from(edited.abs()) * 0.01 + 1e-4
            } else {
                f64::from(self.range.end() - self.range.start()) * 0.004
            };
            let size = f64::from(self.size);
            // Of metres nobody sets tenths of a millimetre.
            let is_wide = !self.log && self.range.end() - self.range.start() >= 10.0;
            let number = DragValue::new(&mut edited)
                .speed(speed)
                .range(self.range.start().min(0.0)..=f32::MAX)
                .custom_formatter(|value, _| {
                    if self.whole {
                        grouped(value)
                    } else {
                        let text = if is_wide && value != 0.0 && value.abs() < 0.1 {
                            format!("{:.2}", value / size)
                        } else {
                            compact(value / size)
                        };
                        text.replace('-', "−")
                    }
                })
                .custom_parser(|text| {
                    let plain = text.replace([' ', '\u{202f}'], "").replace('−', "-");
                    plain.parse::<f64>().ok().map(|value| value * size)
                })
                .suffix(self.unit);
            ui.spacing_mut().button_padding.x = 4.0;
            let typed = ui.add_sized(vec2(VALUE, TOUCH), number).on_hover_text(tip);
            slid.changed() || typed.changed()
        };
        if self.whole {
            edited = edited.round().max(*self.range.start());
        }
        (changed && edited != value && edited.is_finite()).then_some(edited)
    }
}

/// A row with a switch; the new state once there is one.
pub fn switch(ui: &mut Ui, name: &str, tip: &str, on: bool) -> Option<bool> {
    let mut edited = on;
    ui.checkbox(&mut edited, name).on_hover_text(tip);
    (edited != on).then_some(edited)
}

/// A switch, and while it is on a number, which is `start` at first; the new value once there is one.
pub fn optional(
    ui: &mut Ui,
    name: &str,
    tip: &str,
    number: Number,
    value: Option<f32>,
    start: f32,
) -> Option<Option<f32>> {
    let mut on = value.is_some();
    let label = |ui: &mut Ui| ui.checkbox(&mut on, name).on_hover_text(tip).id;
    let edited = row_of(ui, label, |ui, label| number.edit(ui, label, tip, value?));
    if on == value.is_some() {
        edited.map(Some)
    } else {
        Some(on.then_some(start))
    }
}

/// A row with a list to choose from; the choice once it is another one.
pub fn choice<T: PartialEq + Clone>(
    ui: &mut Ui,
    name: &str,
    tip: &str,
    chosen: &T,
    all: impl IntoIterator<Item = (T, String)>,
) -> Option<T> {
    let all: Vec<_> = all.into_iter().collect();
    let current = all.iter().find(|(value, _)| value == chosen);
    let current = current.map_or("choose …", |(_, name)| name);
    let mut edited = None;
    row(ui, name, tip, |ui, label| {
        let list = egui::ComboBox::from_id_salt(name)
            .selected_text(current)
            .truncate()
            // Ten entries without scrolling.
            .height(360.0)
            .width(ui.available_width() - 8.0);
        let shown = list.show_ui(ui, |ui| {
            for (value, name) in &all {
                if ui
                    .selectable_label(value == chosen, name.as_str())
                    .clicked()
                {
                    edited = Some(value.clone());
                }
            }
        });
        shown.response.labelled_by(label).on_hover_text(tip);
    });
    edited.filter(|value| value != chosen)
}

/// A compass on which a direction is drawn: `degrees` 0 to the right and 90 down, as on a map of x and z. The new angle once there is one.
pub fn compass(ui: &mut Ui, degrees: f32, strength: f32) -> Option<f32> {
    let size = 108.0;
    let (rect, response) = ui.allocate_exact_size(vec2(size, size), Sense::click_and_drag());
    response.widget_info(|| egui::WidgetInfo::slider(true, f64::from(degrees), "Wind direction"));
    let colours = palette(ui);
    let (middle, radius) = (rect.center(), size / 2.0 - 12.0);
    let painter = ui.painter();
    painter.circle(
        middle,
        radius,
        colours.panel,
        Stroke::new(1.0, colours.line),
    );
    for i in 0..24 {
        let way = egui::Vec2::angled(TAU * i as f32 / 24.0);
        let inner = if i % 6 == 0 {
            radius - 9.0
        } else {
            radius - 4.0
        };
        let tick = [middle + way * inner, middle + way * radius];
        painter.line_segment(tick, Stroke::new(1.0, colours.faint));
    }
    for (name, angle) in [("+x", 0.0), ("+z", 0.25), ("−x", 0.5), ("−z", 0.75)] {
        let at = middle + egui::Vec2::angled(TAU * angle) * (radius + 7.0);
        let font = egui::FontId::proportional(9.5);
        painter.text(at, egui::Align2::CENTER_CENTER, name, font, colours.faint);
    }
    let way = egui::Vec2::angled(degrees.to_radians());
    let reach = radius * (0.45 + 0.45 * (strength / 20.0).clamp(0.0, 1.0));
    arrow(
        painter,
        middle - way * reach,
        middle + way * reach,
        Stroke::new(2.5, colours.accent),
    );
    let response =
        response.on_hover_text("Where the wind blows to, seen from above: drag to turn it");
    let at: Pos2 = response.interact_pointer_pos()?;
    let to = at - middle;
    if to.length() < 4.0 || !(response.dragged() || response.clicked()) {
        return None;
    }
    let turned = to.angle().to_degrees().rem_euclid(360.0).round();
    (turned != degrees).then_some(turned)
}

/// A line with a point at its end.
pub fn arrow(painter: &egui::Painter, from: Pos2, to: Pos2, stroke: Stroke) {
    let along = to - from;
    let length = along.length();
    painter.line_segment([from, to], stroke);
    if length > 2.0 {
        let head = along / length * (4.0 * stroke.width).min(length);
        for turn in [-0.45, 0.45] {
            let back = egui::emath::Rot2::from_angle(turn) * head;
            painter.line_segment([to, to - back], stroke);
        }
    }
}

/// A wide button.
pub fn wide_button(ui: &mut Ui, text: &str, tip: &str) -> Response {
    let size = vec2(ui.available_width(), TOUCH);
    ui.add_sized(size, egui::Button::new(text))
        .on_hover_text(tip)
}

#[cfg(test)]
mod tests {
    use super::{compact, grouped};

    #[test]
    fn numbers_are_short() {
        let shown = [8.6e9, 1500.0, 123.4, 5.0, 0.25, 0.0123, 0.0003].map(compact);
        let expected = ["8.60e9", "1500", "123", "5", "0.25", "0.0123", "3.0e-4"];
        assert_eq!(shown, expected);
        let counts = [7.0, 1500.0, 10_000.0, 3_270_000.0].map(grouped);
        assert_eq!(
            counts,
            ["7", "1500", "10\u{202f}000", "3\u{202f}270\u{202f}000"]
        );
    }
}
