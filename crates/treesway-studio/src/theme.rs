//! Colours, sizes and icons.

use eframe::egui::epaint::{CornerRadius, Shadow};
use eframe::egui::{
    self, Color32, Context, FontFamily, FontId, Margin, Painter, Rect, Response, Sense, Stroke,
    Style, TextStyle, Theme, Ui, Visuals, pos2, vec2,
};

/// What is touched is at least so high, points: a finger's width on a tablet.
pub const TOUCH: f32 = 28.0;

/// Colours of one of the two themes.
#[derive(Clone, Copy)]
pub struct Palette {
    /// Behind panels.
    pub panel: Color32,
    /// Behind groups within panels.
    pub card: Color32,
    /// Lines between things.
    pub line: Color32,
    /// What can be pressed.
    pub control: Color32,
    /// The same under the pointer.
    pub hovered: Color32,
    /// Boxes to tick, and rails of sliders.
    pub rail: Color32,
    /// Text.
    pub text: Color32,
    /// Text that matters less.
    pub faint: Color32,
    /// What is chosen, and curves.
    pub accent: Color32,
    /// Forces.
    pub force: Color32,
    /// Errors.
    pub wrong: Color32,
}

const DARK: Palette = Palette {
    panel: Color32::from_rgb(27, 31, 28),
    card: Color32::from_rgb(35, 40, 36),
    line: Color32::from_rgb(53, 60, 54),
    control: Color32::from_rgb(48, 55, 49),
    rail: Color32::from_rgb(72, 82, 73),
    hovered: Color32::from_rgb(62, 71, 63),
    text: Color32::from_rgb(223, 228, 218),
    faint: Color32::from_rgb(150, 160, 147),
    accent: Color32::from_rgb(134, 196, 92),
    force: Color32::from_rgb(255, 173, 72),
    wrong: Color32::from_rgb(240, 113, 98),
};

const LIGHT: Palette = Palette {
    panel: Color32::from_rgb(244, 245, 239),
    card: Color32::from_rgb(254, 254, 251),
    line: Color32::from_rgb(214, 218, 206),
    control: Color32::from_rgb(229, 232, 222),
    rail: Color32::from_rgb(200, 207, 190),
    hovered: Color32::from_rgb(214, 220, 205),
    text: Color32::from_rgb(40, 46, 38),
    faint: Color32::from_rgb(105, 113, 100),
    accent: Color32::from_rgb(72, 132, 38),
    force: Color32::from_rgb(204, 102, 0),
    wrong: Color32::from_rgb(184, 50, 36),
};

/// Colours of the theme in use.
pub fn palette(ui: &Ui) -> &'static Palette {
    if ui.visuals().dark_mode {
        &DARK
    } else {
        &LIGHT
    }
}

/// Dresses a window, in both themes.
pub fn apply(window: &Context) {
    window.set_style_of(Theme::Dark, style(&DARK, Visuals::dark()));
    window.set_style_of(Theme::Light, style(&LIGHT, Visuals::light()));
}

fn style(colours: &Palette, visuals: Visuals) -> Style {
    let mut style = Style {
        visuals,
        ..Style::default()
    };
    let font = |size| FontId::new(size, FontFamily::Proportional);
    style.text_styles = [
        (TextStyle::Heading, font(16.0)),
        (TextStyle::Body, font(13.5)),
        (TextStyle::Button, font(13.5)),
        (TextStyle::Small, font(11.5)),
        (TextStyle::Monospace, FontId::monospace(12.0)),
    ]
    .into();
    let spacing = &mut style.spacing;
    spacing.item_spacing = vec2(8.0, 6.0);
    spacing.button_padding = vec2(10.0, 5.0);
    spacing.interact_size = vec2(36.0, TOUCH);
    spacing.slider_width = 120.0;
    spacing.slider_rail_height = 4.0;
    spacing.combo_width = 150.0;
    spacing.window_margin = Margin::same(16);
    spacing.menu_margin = Margin::same(8);
    let v = &mut style.visuals;
    v.panel_fill = colours.panel;
    v.window_fill = colours.card;
    v.extreme_bg_color = colours.panel;
    v.faint_bg_color = colours.card;
    v.window_stroke = Stroke::new(1.0, colours.line);
    v.window_corner_radius = CornerRadius::same(10);
    v.menu_corner_radius = CornerRadius::same(8);
    v.window_shadow = Shadow {
        offset: [0, 6],
        blur: 24,
        spread: 0,
        color: Color32::from_black_alpha(90),
    };
    v.popup_shadow = v.window_shadow;
    v.selection.bg_fill = colours.accent.gamma_multiply(0.45);
    v.selection.stroke = Stroke::new(1.0, colours.text);
    v.hyperlink_color = colours.accent;
    v.error_fg_color = colours.wrong;
    v.warn_fg_color = colours.force;
    v.weak_text_color = Some(colours.faint);
    v.slider_trailing_fill = true;
    v.handle_shape = egui::style::HandleShape::Circle;
    let states = [
        (&mut v.widgets.noninteractive, colours.card, colours.text),
        (&mut v.widgets.inactive, colours.control, colours.text),
        (&mut v.widgets.hovered, colours.hovered, colours.text),
        (
            &mut v.widgets.active,
            colours.accent.gamma_multiply(0.6),
            colours.text,
        ),
        (&mut v.widgets.open, colours.hovered, colours.text),
    ];
    for (state, fill, text) in states {
        state.bg_fill = fill;
        state.weak_bg_fill = fill;
        state.fg_stroke = Stroke::new(1.2, text);
        state.bg_stroke = Stroke::NONE;
        state.corner_radius = CornerRadius::same(6);
        state.expansion = 0.0;
    }
    // Boxes to tick and rails stand out from what they lie on.
    v.widgets.inactive.bg_fill = colours.rail;
    v.widgets.noninteractive.bg_stroke = Stroke::new(1.0, colours.line);
    style
}

/// The title of a dialog.
pub fn title(ui: &mut Ui, text: &str) {
    ui.label(egui::RichText::new(text).size(18.0).strong());
    ui.add_space(4.0);
}

/// The button that does what a dialog is for.
pub fn primary_button(ui: &mut Ui, text: &str, enabled: bool) -> Response {
    let fill = palette(ui).accent.gamma_multiply(0.45);
    let button = egui::Button::new(egui::RichText::new(text).strong());
    ui.add_enabled(enabled, button.fill(fill))
}

/// A group of rows with a heading, which folds it away and back.
pub fn card(ui: &mut Ui, heading: &str, rows: impl FnOnce(&mut Ui)) {
    fold(ui, heading, true, rows);
}

/// A group of rows for those who look for them: folded away at first.
pub fn folded_card(ui: &mut Ui, heading: &str, rows: impl FnOnce(&mut Ui)) {
    fold(ui, heading, false, rows);
}

fn fold(ui: &mut Ui, heading: &str, at_first: bool, rows: impl FnOnce(&mut Ui)) {
    let colours = palette(ui);
    let frame = egui::Frame::new()
        .fill(colours.card)
        .stroke(Stroke::new(1.0, colours.line))
        .corner_radius(8)
        .inner_margin(Margin::symmetric(10, 6));
    frame.show(ui, |ui| {
        ui.set_width(ui.available_width());
        let id = ui.scope_id().with(("card", heading));
        let open = ui.data(|data| data.get_temp(id)).unwrap_or(at_first);
        let (rect, bar) = ui.allocate_exact_size(vec2(ui.available_width(), 24.0), Sense::click());
        bar.widget_info(|| {
            egui::WidgetInfo::selected(egui::Role::Button, true, open, format!("Fold {heading}"))
        });
        if bar.clicked() {
            ui.data_mut(|data| data.insert_temp(id, !open));
        }
        let ink = if bar.hovered() {
            colours.accent
        } else {
            colours.text
        };
        let font = FontId::new(13.5, FontFamily::Proportional);
        let painter = ui.painter();
        painter.text(
            rect.left_center(),
            egui::Align2::LEFT_CENTER,
            heading,
            font,
            ink,
        );
        let middle = rect.right_center() - vec2(8.0, 0.0);
        let (wide, high) = if open { (4.0, 2.5) } else { (2.5, 4.0) };
        let chevron = if open {
            [vec2(-wide, -high), vec2(0.0, high), vec2(wide, -high)]
        } else {
            [vec2(-wide, -high), vec2(wide, 0.0), vec2(-wide, high)]
        };
        let chevron = chevron.map(|at| middle + at).to_vec();
        painter.line(chevron, Stroke::new(1.5, colours.faint));
        if open {
            rows(ui);
            ui.add_space(2.0);
        }
    });
    ui.add_space(2.0);
}

/// Pictures on buttons, of lines in a square from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Icon {
    /// A hand's pull.
    Pull,
    /// A branch that is bent for good.
    Bend,
    /// A ball on its way.
    Throw,
    /// Shears.
    Cut,
    /// A squirrel.
    Squirrel,
    /// Looking around.
    Look,
    /// Back.
    Undo,
    /// Forth.
    Redo,
    /// Time goes on.
    Play,
    /// Time stands still.
    Pause,
    /// One frame.
    Step,
    /// From the start.
    Restart,
    /// To a file.
    Save,
    /// From a file.
    Open,
    /// To other programs.
    Export,
    /// What keys do.
    Help,
    /// The light theme.
    Sun,
    /// All of the trees.
    Frame,
    /// The ground to and fro.
    Shake,
    /// To the folder above.
    Up,
    /// A file.
    File,
}

type Line = &'static [(f32, f32)];

impl Icon {
    fn lines(self) -> &'static [Line] {
        match self {
            Self::Pull => &[
                &[(0.15, 0.85), (0.8, 0.2)],
                &[(0.45, 0.2), (0.8, 0.2), (0.8, 0.55)],
                &[(0.1, 0.68), (0.32, 0.9)],
            ],
            Self::Bend => &[
                &[
                    (0.25, 0.92),
                    (0.25, 0.6),
                    (0.34, 0.38),
                    (0.52, 0.24),
                    (0.85, 0.2),
                ],
                &[(0.68, 0.05), (0.86, 0.2), (0.7, 0.36)],
                &[(0.1, 0.92), (0.4, 0.92)],
            ],
            Self::Throw => &[
                &[
                    (0.72, 0.1),
                    (0.86, 0.16),
                    (0.92, 0.3),
                    (0.86, 0.44),
                    (0.72, 0.5),
                    (0.58, 0.44),
                    (0.52, 0.3),
                    (0.58, 0.16),
                    (0.72, 0.1),
                ],
                &[(0.1, 0.9), (0.2, 0.68), (0.4, 0.5)],
                &[(0.36, 0.92), (0.42, 0.74), (0.56, 0.6)],
            ],
            Self::Up => &[
                &[(0.5, 0.9), (0.5, 0.14)],
                &[(0.2, 0.44), (0.5, 0.14), (0.8, 0.44)],
            ],
            Self::File => &[
                &[
                    (0.2, 0.06),
                    (0.6, 0.06),
                    (0.84, 0.3),
                    (0.84, 0.94),
                    (0.2, 0.94),
                    (0.2, 0.06),
                ],
                &[(0.6, 0.06), (0.6, 0.3), (0.84, 0.3)],
            ],
            Self::Cut => &[
                &[(0.1, 0.15), (0.68, 0.66)],
                &[(0.9, 0.15), (0.32, 0.66)],
                &[
                    (0.68, 0.66),
                    (0.84, 0.68),
                    (0.88, 0.82),
                    (0.74, 0.9),
                    (0.64, 0.8),
                    (0.68, 0.66),
                ],
                &[
                    (0.32, 0.66),
                    (0.16, 0.68),
                    (0.12, 0.82),
                    (0.26, 0.9),
                    (0.36, 0.8),
                    (0.32, 0.66),
                ],
            ],
            Self::Squirrel => &[
                &[
                    (0.36, 0.9),
                    (0.16, 0.78),
                    (0.1, 0.5),
                    (0.2, 0.22),
                    (0.4, 0.16),
                    (0.48, 0.3),
                    (0.38, 0.42),
                    (0.4, 0.58),
                ],
                &[
                    (0.36, 0.9),
                    (0.78, 0.9),
                    (0.72, 0.62),
                    (0.92, 0.46),
                    (0.78, 0.3),
                    (0.7, 0.14),
                    (0.62, 0.34),
                    (0.52, 0.6),
                    (0.36, 0.9),
                ],
            ],
            Self::Look => &[
                &[
                    (0.05, 0.5),
                    (0.27, 0.28),
                    (0.5, 0.21),
                    (0.73, 0.28),
                    (0.95, 0.5),
                ],
                &[
                    (0.05, 0.5),
                    (0.27, 0.72),
                    (0.5, 0.79),
                    (0.73, 0.72),
                    (0.95, 0.5),
                ],
                &[
                    (0.5, 0.37),
                    (0.62, 0.43),
                    (0.62, 0.57),
                    (0.5, 0.63),
                    (0.38, 0.57),
                    (0.38, 0.43),
                    (0.5, 0.37),
                ],
            ],
            Self::Undo => &[
                &[(0.35, 0.12), (0.12, 0.35), (0.35, 0.58)],
                &[
                    (0.12, 0.35),
                    (0.62, 0.35),
                    (0.82, 0.45),
                    (0.88, 0.62),
                    (0.8, 0.8),
                    (0.62, 0.88),
                    (0.35, 0.88),
                ],
            ],
            Self::Redo => &[
                &[(0.65, 0.12), (0.88, 0.35), (0.65, 0.58)],
                &[
                    (0.88, 0.35),
                    (0.38, 0.35),
                    (0.18, 0.45),
                    (0.12, 0.62),
                    (0.2, 0.8),
                    (0.38, 0.88),
                    (0.65, 0.88),
                ],
            ],
            Self::Play => &[&[(0.25, 0.12), (0.85, 0.5), (0.25, 0.88), (0.25, 0.12)]],
            Self::Pause => &[&[(0.32, 0.14), (0.32, 0.86)], &[(0.68, 0.14), (0.68, 0.86)]],
            Self::Step => &[
                &[(0.2, 0.14), (0.62, 0.5), (0.2, 0.86), (0.2, 0.14)],
                &[(0.8, 0.14), (0.8, 0.86)],
            ],
            Self::Restart => &[
                &[(0.8, 0.14), (0.38, 0.5), (0.8, 0.86), (0.8, 0.14)],
                &[(0.2, 0.14), (0.2, 0.86)],
            ],
            Self::Save => &[
                &[(0.5, 0.08), (0.5, 0.6)],
                &[(0.28, 0.4), (0.5, 0.62), (0.72, 0.4)],
                &[(0.1, 0.62), (0.1, 0.9), (0.9, 0.9), (0.9, 0.62)],
            ],
            Self::Open => &[
                &[
                    (0.08, 0.82),
                    (0.08, 0.2),
                    (0.36, 0.2),
                    (0.46, 0.32),
                    (0.9, 0.32),
                    (0.9, 0.46),
                ],
                &[
                    (0.08, 0.82),
                    (0.24, 0.46),
                    (0.98, 0.46),
                    (0.84, 0.82),
                    (0.08, 0.82),
                ],
            ],
            Self::Export => &[
                &[(0.5, 0.62), (0.5, 0.1)],
                &[(0.28, 0.32), (0.5, 0.1), (0.72, 0.32)],
                &[(0.1, 0.55), (0.1, 0.9), (0.9, 0.9), (0.9, 0.55)],
            ],
            Self::Help => &[
                &[
                    (0.3, 0.32),
                    (0.34, 0.18),
                    (0.5, 0.12),
                    (0.66, 0.18),
                    (0.7, 0.33),
                    (0.62, 0.46),
                    (0.5, 0.54),
                    (0.5, 0.68),
                ],
                &[(0.5, 0.84), (0.5, 0.9)],
            ],
            Self::Sun => &[
                &[
                    (0.5, 0.3),
                    (0.64, 0.36),
                    (0.7, 0.5),
                    (0.64, 0.64),
                    (0.5, 0.7),
                    (0.36, 0.64),
                    (0.3, 0.5),
                    (0.36, 0.36),
                    (0.5, 0.3),
                ],
                &[(0.5, 0.04), (0.5, 0.16)],
                &[(0.5, 0.84), (0.5, 0.96)],
                &[(0.04, 0.5), (0.16, 0.5)],
                &[(0.84, 0.5), (0.96, 0.5)],
                &[(0.17, 0.17), (0.26, 0.26)],
                &[(0.74, 0.74), (0.83, 0.83)],
                &[(0.17, 0.83), (0.26, 0.74)],
                &[(0.74, 0.26), (0.83, 0.17)],
            ],
            Self::Frame => &[
                &[(0.1, 0.34), (0.1, 0.1), (0.34, 0.1)],
                &[(0.66, 0.1), (0.9, 0.1), (0.9, 0.34)],
                &[(0.9, 0.66), (0.9, 0.9), (0.66, 0.9)],
                &[(0.34, 0.9), (0.1, 0.9), (0.1, 0.66)],
            ],
            Self::Shake => &[
                &[(0.5, 0.1), (0.5, 0.6)],
                &[(0.08, 0.76), (0.92, 0.76)],
                &[(0.24, 0.6), (0.08, 0.76), (0.24, 0.92)],
                &[(0.76, 0.6), (0.92, 0.76), (0.76, 0.92)],
            ],
        }
    }

    /// Draws it into a square.
    pub fn paint(self, painter: &Painter, square: Rect, stroke: Stroke) {
        for line in self.lines() {
            let at = |&(x, y): &(f32, f32)| {
                pos2(
                    square.left() + x * square.width(),
                    square.top() + y * square.height(),
                )
            };
            painter.line(line.iter().map(at).collect(), stroke);
        }
    }
}

/// A button with an icon; `name` is for screen readers and tests, `tip` says what it does and with which key.
pub fn icon_button(
    ui: &mut Ui,
    icon: Icon,
    name: &str,
    tip: &str,
    chosen: bool,
    enabled: bool,
) -> Response {
    let size = vec2(TOUCH + 4.0, TOUCH + 4.0);
    let (response, ink) = bare_button(ui, size, name, chosen, enabled);
    let square = Rect::from_center_size(response.rect.center(), vec2(16.0, 16.0));
    icon.paint(ui.painter(), square, Stroke::new(1.6, ink));
    response.on_hover_text(tip)
}

/// Width of a button of a tool, points.
pub const TOOL: f32 = 48.0;

/// A button with an icon and its name below.
pub fn tool_button(ui: &mut Ui, icon: Icon, name: &str, tip: &str, chosen: bool) -> Response {
    let (response, ink) = bare_button(ui, vec2(TOOL, 42.0), name, chosen, true);
    let rect = response.rect;
    let square = Rect::from_center_size(rect.center() - vec2(0.0, 7.0), vec2(16.0, 16.0));
    icon.paint(ui.painter(), square, Stroke::new(1.6, ink));
    let (at, align) = (
        rect.center_bottom() - vec2(0.0, 4.0),
        egui::Align2::CENTER_BOTTOM,
    );
    let font = FontId::new(10.5, FontFamily::Proportional);
    ui.painter().text(at, align, name, font, ink);
    response.on_hover_text(tip)
}

/// A button without anything on it, and the colour of what is to be drawn there.
fn bare_button(
    ui: &mut Ui,
    size: egui::Vec2,
    name: &str,
    chosen: bool,
    enabled: bool,
) -> (Response, Color32) {
    let sense = if enabled {
        Sense::click()
    } else {
        Sense::hover()
    };
    let (rect, response) = ui.allocate_exact_size(size, sense);
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, enabled, chosen, name));
    let colours = palette(ui);
    let fill = match (chosen, enabled && response.hovered()) {
        (true, _) => colours.accent.gamma_multiply(0.45),
        (false, true) => colours.hovered,
        (false, false) => Color32::TRANSPARENT,
    };
    ui.painter().rect_filled(rect, 6, fill);
    let ink = if enabled { colours.text } else { colours.line };
    (response, ink)
}
