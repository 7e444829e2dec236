//! Which file: folders are looked through in the window, on every platform in the same way. What is in them is the platform's answer.

use crate::app::{Closing, Studio};
use crate::dialogs::Dialog;
use crate::platform::{Answer, Entry, Listing, Platform};
use crate::presets::settings_of;
use crate::theme::{Icon, icon_button, palette, primary_button, title};
use eframe::egui::{
    self, Align, Context, Key, Layout, RichText, ScrollArea, Sense, TextEdit, Ui, vec2,
};
use std::path::Path;
use treesway_grow::species::is_species;

/// What a file is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// To open a project, or to grow a tree from it.
    Open,
    /// To save the project.
    Save,
    /// To take over its wind, weather and wood.
    Settings,
    /// To write for other programs.
    Export,
}

/// Endings of what can be opened.
const READ: [&str; 13] = [
    "toml", "lsys", "ls", "csv", "mat", "txt", "swc", "npz", "glb", "gltf", "xml", "json", "ply",
];

impl Purpose {
    /// Heading, and what the button says.
    fn name(self) -> &'static str {
        match self {
            Self::Open => "Open or import",
            Self::Save => "Save",
            Self::Settings => "Take settings from",
            Self::Export => "Export to",
        }
    }

    fn tip(self) -> &'static str {
        match self {
            Self::Open => {
                "A scene or species (.toml), a grammar (.lsys, .ls), a scanned or modelled tree (.csv .mat .txt .swc .npz .glb …). Files can also be dropped into the window."
            }
            Self::Save => "A scene file; every command of treesway reads it.",
            Self::Settings => {
                "A scene whose wind, weather, solver and wood your trees are to have. Any project can serve as a preset."
            }
            Self::Export => "Its ending says what is written.",
        }
    }

    fn fits(self, name: &str) -> bool {
        let ending = Path::new(name).extension().and_then(|e| e.to_str());
        let ending = ending.unwrap_or_default().to_lowercase();
        match self {
            Self::Open => READ.contains(&&*ending),
            Self::Save | Self::Settings => ending == "toml",
            Self::Export => true,
        }
    }

    fn writes(self) -> bool {
        matches!(self, Self::Save | Self::Export)
    }
}

/// A question for a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Files {
    /// What for.
    pub purpose: Purpose,
    /// As far as it has been looked at.
    listing: Option<Listing>,
    /// What is typed or chosen.
    name: String,
    /// Files that do not fit, too.
    all: bool,
}

/// What was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileReply {
    /// This one.
    Chosen(String),
    /// None.
    Cancelled,
}

impl Files {
    /// Asks for a file, at first in the folder of `near`.
    pub fn ask(purpose: Purpose, platform: &mut dyn Platform, near: Option<&str>) -> Self {
        let path = near.map(Path::new);
        let folder = path.and_then(Path::parent).and_then(Path::to_str);
        platform.list(folder.filter(|folder| !folder.is_empty()));
        let name = path
            .and_then(Path::file_name)
            .and_then(|name| name.to_str());
        let name = name.filter(|_| purpose.writes()).unwrap_or_default();
        Self {
            purpose,
            listing: None,
            name: name.into(),
            all: false,
        }
    }

    /// What lies in the folder that was asked for.
    pub fn take(&mut self, listing: Listing) {
        self.listing = Some(listing);
    }

    /// Shows it.
    pub fn show(&mut self, ui: &mut Ui, platform: &mut dyn Platform) -> Option<FileReply> {
        title(ui, self.purpose.name());
        ui.weak(self.purpose.tip());
        ui.add_space(4.0);
        self.folder_bar(ui, platform);
        let mut chosen = self.list(ui, platform);
        let hint = if self.purpose.writes() {
            "name of the file"
        } else {
            "name or path of a file"
        };
        let field = TextEdit::singleline(&mut self.name)
            .hint_text(hint)
            .desired_width(f32::INFINITY);
        let field = ui.add(field);
        let entered = field.lost_focus() && ui.input(|i| i.key_pressed(Key::Enter));
        if ui.memory(|memory| memory.focused().is_none()) && !entered {
            field.request_focus();
        }
        let mut cancelled = false;
        ui.add_space(6.0);
        ui.horizontal(|ui| {
            if !self.purpose.writes() {
                ui.checkbox(&mut self.all, "All files")
                    .on_hover_text("Also those that are not known to fit");
            }
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                let verb = match self.purpose {
                    Purpose::Open => "Open",
                    Purpose::Save | Purpose::Export if self.is_there() => "Replace",
                    Purpose::Save => "Save",
                    Purpose::Export => "Choose",
                    Purpose::Settings => "Take over",
                };
                let able = !self.name.is_empty();
                chosen |= primary_button(ui, verb, able).clicked();
                cancelled = ui.button("Cancel").clicked();
            });
        });
        if cancelled {
            return Some(FileReply::Cancelled);
        }
        ((chosen || entered) && !self.name.is_empty()).then(|| FileReply::Chosen(self.path()))
    }

    /// Where it is, and a way up.
    fn folder_bar(&mut self, ui: &mut Ui, platform: &mut dyn Platform) {
        ui.horizontal(|ui| {
            let parent = self.listing.as_ref().and_then(|l| l.parent.clone());
            let up = icon_button(
                ui,
                Icon::Up,
                "Up",
                "The folder above",
                false,
                parent.is_some(),
            );
            if let Some(parent) = parent.filter(|_| up.clicked()) {
                platform.list(Some(&parent));
            }
            let folder = self.listing.as_ref().map_or("…", |l| &*l.folder);
            // The end of a long path says more than its start.
            let shown: String = match folder.char_indices().rev().nth(52) {
                Some((at, _)) => format!("…{}", &folder[at..]),
                None => folder.into(),
            };
            ui.label(RichText::new(shown).color(palette(ui).faint))
                .on_hover_text(folder);
        });
    }

    /// Folders and files; whether one was chosen for good.
    fn list(&mut self, ui: &mut Ui, platform: &mut dyn Platform) -> bool {
        let colours = palette(ui);
        let mut done = false;
        let frame = egui::Frame::new()
            .fill(colours.panel)
            .corner_radius(6)
            .inner_margin(6);
        frame.show(ui, |ui| {
            ui.set_width(ui.available_width());
            let area = ScrollArea::vertical()
                .auto_shrink([false, false])
                .max_height(250.0);
            area.show(ui, |ui| {
                ui.spacing_mut().item_spacing.y = 1.0;
                let Some(listing) = &self.listing else {
                    ui.weak("…");
                    return;
                };
                let entries = match &listing.entries {
                    Ok(entries) => entries,
                    Err(error) => {
                        ui.colored_label(colours.wrong, error);
                        return;
                    }
                };
                let shown =
                    |entry: &&Entry| !entry.is_file || self.all || self.purpose.fits(&entry.name);
                let mut into = None;
                let mut named = None;
                let mut none = true;
                for entry in entries.iter().filter(shown) {
                    none = false;
                    let row = entry_row(ui, entry, self.name == entry.name);
                    if row.clicked() && entry.is_file {
                        named = Some(entry.name.clone());
                    } else if row.clicked() {
                        into = Some(entry.name.clone());
                    }
                    done |= row.double_clicked() && entry.is_file;
                }
                if none {
                    ui.weak("Nothing here that fits.");
                }
                if let Some(name) = into {
                    platform.list(Path::new(&listing.folder).join(name).to_str());
                }
                if let Some(name) = named {
                    self.name = name;
                }
            });
        });
        done
    }

    /// Whether a file of that name lies in the folder.
    fn is_there(&self) -> bool {
        let entries = self.listing.as_ref().and_then(|l| l.entries.as_ref().ok());
        entries.is_some_and(|all| all.iter().any(|e| e.is_file && e.name == self.name))
    }

    /// What was chosen, with its folder.
    fn path(&self) -> String {
        let name = self.name.trim();
        let folder = self
            .listing
            .as_ref()
            .map(|l| &*l.folder)
            .unwrap_or_default();
        Path::new(folder).join(name).display().to_string()
    }
}

/// A row of the list; the whole width can be clicked.
fn entry_row(ui: &mut Ui, entry: &Entry, chosen: bool) -> egui::Response {
    let size = vec2(ui.available_width(), 26.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click());
    response
        .widget_info(|| egui::WidgetInfo::selected(egui::Role::Button, true, chosen, &entry.name));
    let colours = palette(ui);
    let painter = ui.painter_at(rect);
    let fill = match (chosen, response.hovered()) {
        (true, _) => colours.accent.gamma_multiply(0.45),
        (false, true) => colours.hovered,
        (false, false) => egui::Color32::TRANSPARENT,
    };
    painter.rect_filled(rect, 4, fill);
    let square =
        egui::Rect::from_center_size(rect.left_center() + vec2(13.0, 0.0), vec2(13.0, 13.0));
    let icon = if entry.is_file {
        Icon::File
    } else {
        Icon::Open
    };
    let ink = if entry.is_file {
        colours.faint
    } else {
        colours.accent
    };
    icon.paint(&painter, square, egui::Stroke::new(1.4, ink));
    painter.text(
        rect.left_center() + vec2(28.0, 0.0),
        egui::Align2::LEFT_CENTER,
        &entry.name,
        egui::FontId::proportional(13.5),
        colours.text,
    );
    response
}

impl Studio {
    /// Asks which file.
    pub(crate) fn ask_for_file(&mut self, purpose: Purpose, near: Option<&str>) {
        let files = Files::ask(purpose, &mut *self.platform, near.or(self.path.as_deref()));
        self.dialog = Dialog::Files(files, None);
    }

    /// A file was chosen.
    pub(crate) fn use_file(&mut self, window: &Context, purpose: Purpose, path: &str) {
        match purpose {
            Purpose::Open => self.bring(window, path),
            Purpose::Save => self.save_as(path),
            Purpose::Settings => {
                self.wants_settings = true;
                self.platform.read(path);
            }
            // The dialog that asked goes on with it.
            Purpose::Export => {}
        }
    }

    fn take_settings(&mut self, window: &Context, text: &str, name: &str) {
        let trees = self.facts().map_or(0, |facts| facts.file.trees.len());
        let mut project = self.project.clone();
        match settings_of(&mut project, trees, text, name) {
            Ok(()) => {
                self.edit(window, "Settings of a file", |present| *present = project);
                self.say(format!("Wind, weather and wood of {name}"));
            }
            Err(error) => self.complain(error),
        }
    }

    pub(crate) fn take_answers(&mut self, window: &Context) {
        for answer in self.platform.answers() {
            match answer {
                Answer::Listed(listing) => {
                    if let Dialog::Files(files, _) = &mut self.dialog {
                        files.take(listing);
                    }
                }
                Answer::Read {
                    name,
                    text: Ok(text),
                } => {
                    if core::mem::take(&mut self.wants_settings) {
                        self.take_settings(window, &text, &name);
                        continue;
                    }
                    if is_species(&text) {
                        self.import(window, "species", &name);
                        continue;
                    }
                    self.open(window, &text, &name);
                    if self.project.name() == name {
                        self.path = Some(name);
                    }
                }
                Answer::Written { name, done: Ok(()) } => {
                    self.project.rename(&name);
                    self.saved = self.project.clone();
                    self.forget_kept();
                    self.say(format!("Saved {name}"));
                    self.path = Some(name);
                }
                Answer::Read {
                    text: Err(error), ..
                } => {
                    self.wants_settings = false;
                    self.complain(error);
                }
                Answer::Written {
                    done: Err(error), ..
                } => {
                    self.closing = Closing::No;
                    self.complain(error);
                }
            }
        }
    }

    pub(crate) fn take_dropped(&mut self, window: &Context) {
        let dropped = window.input(|i| i.raw.dropped_files.clone());
        for file in dropped {
            let name = file.path().display().to_string();
            self.bring(window, &name);
        }
    }

    /// Opens a scene file, or grows the tree of any other.
    pub(crate) fn bring(&mut self, window: &Context, name: &str) {
        if name.ends_with(".toml") {
            self.platform.read(name);
            return;
        }
        let grammar = treesway_io::scene::is_grammar_file(name);
        self.import(window, if grammar { "grammar" } else { "file" }, name);
    }

    /// Grows the tree of a species, a grammar or any other file, in place of all trees.
    fn import(&mut self, window: &Context, key: &str, name: &str) {
        self.selected = None;
        self.unframed = true;
        let tree = toml::Table::from_iter([(key.to_owned(), toml::Value::from(name))]);
        self.edit(window, "Import", |project| project.set("tree", vec![tree]));
    }
}
