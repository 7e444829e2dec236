//! Questions in the middle of the window.

use crate::app::{Closing, RECOVER, Studio, path_of_kept};
use crate::files::{FileReply, Files, Purpose};
use crate::panels::KEYS;
use crate::platform::Export;
use crate::project::Project;
use crate::theme::{palette, primary_button, title};
use crate::widgets::Number;
use eframe::egui::{self, Context, Grid, Id, Modal, TextEdit, Ui};

/// What is asked.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Dialog {
    /// Nothing.
    #[default]
    None,
    /// Which file; where one is to be written for other programs, what is written.
    Files(Files, Option<Export>),
    /// What to write for other programs.
    Export(Export),
    /// Whether to go on with unsaved work of a program that died.
    Recover(String),
    /// Whether to save before the window is closed.
    Close,
    /// Nothing: keys are explained.
    Help,
}

impl Dialog {
    /// Whether something is asked.
    pub fn is_open(&self) -> bool {
        *self != Self::None
    }
}

/// What was answered.
enum Reply {
    Ok,
    Cancel,
    File(FileReply),
    /// Another folder is wanted.
    Browse,
    /// Neither yes nor no.
    Other,
}

impl Studio {
    /// Shows the dialog that is open.
    pub(crate) fn dialogs(&mut self, window: &Context) {
        let mut dialog = core::mem::take(&mut self.dialog);
        if !dialog.is_open() {
            return;
        }
        let frame = egui::Frame::popup(&window.global_style()).inner_margin(20);
        let modal = Modal::new(Id::unique("dialog")).frame(frame);
        let shown = modal.show(window, |ui| {
            ui.set_width(match dialog {
                Dialog::Files(..) => 480.0,
                Dialog::Help => 800.0,
                _ => 420.0,
            });
            match &mut dialog {
                Dialog::None => None,
                Dialog::Files(files, _) => files.show(ui, &mut *self.platform).map(Reply::File),
                Dialog::Export(export) => self.export_question(ui, export),
                Dialog::Recover(text) => {
                    title(ui, "Unsaved work");
                    let of = path_of_kept(text).map_or("a new project", file_name);
                    ui.label(format!(
                        "The studio ended before edits of {of} were saved. Go on with them? Your files stay as they are until you save."
                    ));
                    let entered = ui.input(|i| i.key_pressed(egui::Key::Enter));
                    buttons(ui, "Go on with it", "Throw it away").or(entered.then_some(Reply::Ok))
                }
                Dialog::Close => {
                    title(ui, "Save before closing?");
                    let name = self.title();
                    ui.label(format!("{name} has edits that no file holds."));
                    let other = ui.button("Close without saving").clicked();
                    let entered = ui.input(|i| i.key_pressed(egui::Key::Enter));
                    let reply = buttons(ui, "Save", "Go on working");
                    reply
                        .or(other.then_some(Reply::Other))
                        .or(entered.then_some(Reply::Ok))
                }
                Dialog::Help => {
                    help(ui);
                    None
                }
            }
        });
        if shown.inner.is_none() && !shown.should_close() {
            self.dialog = dialog;
            return;
        }
        match (shown.inner, dialog) {
            (Some(Reply::File(FileReply::Chosen(path))), Dialog::Files(_, Some(export))) => {
                self.dialog = Dialog::Export(Export {
                    file: path,
                    ..export
                });
            }
            (_, Dialog::Files(_, Some(export))) => self.dialog = Dialog::Export(export),
            (Some(Reply::File(FileReply::Chosen(path))), Dialog::Files(files, None)) => {
                self.use_file(window, files.purpose, &path);
            }
            // No file, no closing.
            (_, Dialog::Files(_, None)) => self.closing = Closing::No,
            (Some(Reply::Browse), Dialog::Export(export)) => {
                self.ask_for_file(Purpose::Export, Some(&export.file));
                if let Dialog::Files(_, known) = &mut self.dialog {
                    *known = Some(export);
                }
            }
            (Some(Reply::Ok), Dialog::Export(export)) => self.start_export(&export),
            (Some(Reply::Ok), Dialog::Recover(text)) => self.recover(window, &text),
            (Some(Reply::Cancel), Dialog::Recover(_)) => self.platform.keep(None),
            // Nothing is thrown away by a key or by a click beside the dialog.
            (_, Dialog::Recover(text)) => self.dialog = Dialog::Recover(text),
            (Some(Reply::Ok), Dialog::Close) => {
                self.closing = Closing::WhenSaved;
                self.save();
            }
            (Some(Reply::Other), Dialog::Close) => self.close(window),
            _ => {}
        }
    }

    fn recover(&mut self, window: &Context, text: &str) {
        let path = path_of_kept(text);
        match Project::parse(text, path.unwrap_or("recovered.toml")) {
            Ok(project) => {
                self.edit(window, RECOVER, |present| *present = project);
                self.history.close();
                self.path = path.map(Into::into);
                self.unframed = true;
                self.say("Recovered; it is not saved yet");
            }
            Err(error) => self.complain(error),
        }
    }

    /// Asks what to write for other programs.
    pub(crate) fn ask_for_export(&mut self) {
        self.dialog = Dialog::Export(Export {
            file: format!("{}.glb", self.title()),
            seconds: 4.0,
            looped: false,
            joints: Some(256),
            size: [1280, 720],
            view: (self.orbit.camera(), self.view.settings),
        });
    }

    fn export_question(&mut self, ui: &mut Ui, export: &mut Export) -> Option<Reply> {
        title(ui, "Export");
        ui.horizontal_wrapped(|ui| {
            for (ending, _) in ENDINGS {
                let chosen = ending_of(&export.file) == ending;
                if ui.selectable_label(chosen, format!(".{ending}")).clicked() {
                    let stem = export.file.rsplit_once('.').map(|parts| parts.0);
                    export.file = format!("{}.{ending}", stem.unwrap_or(&export.file));
                }
            }
        });
        let ending = ending_of(&export.file);
        let known = ENDINGS.iter().find(|known| known.0 == ending);
        ui.weak(
            known.map_or("The ending says what is written: choose one above.", |k| {
                k.1
            }),
        );
        let (mut browse, mut entered) = (false, false);
        ui.horizontal(|ui| {
            let field = TextEdit::singleline(&mut export.file);
            let field = ui.add(field.desired_width(ui.available_width() - 92.0));
            entered = field.lost_focus() && ui.input(|i| i.key_pressed(egui::Key::Enter));
            if ui.memory(|memory| memory.focused().is_none()) && !entered {
                field.request_focus();
            }
            let tip = "Another folder";
            browse = ui.button("Browse …").on_hover_text(tip).clicked();
        });
        let pictures = ["png", "webp", "gif", "mp4"].contains(&&*ending);
        if ending != "xml" {
            let (name, tip) = if ending == "png" {
                (
                    "Taken after",
                    "Simulated time from the start until the picture is taken",
                )
            } else {
                ("Motion", "Simulated time from the start")
            };
            let seconds = Number::linear(0.0..=60.0, " s");
            if let Some(seconds) = seconds.row(ui, name, tip, export.seconds as f32) {
                export.seconds = f64::from(seconds);
            }
        }
        if ending == "glb" {
            ui.checkbox(&mut export.looped, "The motion leads back to its start")
                .on_hover_text("For viewers that repeat it");
            let mut all = export.joints.is_none();
            ui.checkbox(&mut all, "A joint for every body")
                .on_hover_text("Exact and large; else nearby bodies share a joint");
            export.joints = (!all).then(|| export.joints.unwrap_or(256));
            if let Some(joints) = &mut export.joints {
                let tip = "At most; engines move meshes by a few hundred";
                let number = Number::count(16.0..=4096.0);
                if let Some(most) = number.row(ui, "Joints", tip, *joints as f32) {
                    *joints = most as usize;
                }
            }
        }
        if pictures {
            ui.horizontal(|ui| {
                for edge in &mut export.size {
                    ui.add(egui::DragValue::new(edge).range(16..=7680).suffix(" px"));
                }
                for size in [[1280, 720], [1920, 1080], [1024, 1024]] {
                    let name = format!("{}×{}", size[0], size[1]);
                    ui.selectable_value(&mut export.size, size, name);
                }
            });
            ui.weak("Seen and lit as in the viewport.");
        }
        buttons(ui, "Export", "Cancel")
            .or(browse.then_some(Reply::Browse))
            .or(entered.then_some(Reply::Ok))
    }
}

/// What can be written, by ending.
const ENDINGS: [(&str, &str); 7] = [
    ("glb", "A model that moves, for viewers and engines (glTF)."),
    ("npz", "The motion of every body, for numpy.load."),
    ("png", "A picture."),
    ("webp", "A clip that every browser shows."),
    ("gif", "A clip for old programs, large."),
    ("mp4", "A film; needs ffmpeg."),
    (
        "xml",
        "The first tree as a model for MuJoCo (MJCF), at rest.",
    ),
];

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn ending_of(file: &str) -> String {
    let ending = file.rsplit_once('.').map(|parts| parts.1);
    ending.unwrap_or_default().to_lowercase()
}

fn buttons(ui: &mut Ui, yes: &str, no: &str) -> Option<Reply> {
    ui.add_space(6.0);
    let mut reply = None;
    ui.horizontal(|ui| {
        ui.with_layout(egui::Layout::right_to_left(egui::Align::Center), |ui| {
            if primary_button(ui, yes, true).clicked() {
                reply = Some(Reply::Ok);
            }
            if ui.button(no).clicked() {
                reply = Some(Reply::Cancel);
            }
        });
    });
    reply
}

fn help(ui: &mut Ui) {
    title(ui, "Keys and gestures");
    let colours = palette(ui);
    // Two columns, for low windows.
    let rows = KEYS.len().div_ceil(2);
    Grid::new("keys")
        .num_columns(4)
        .min_row_height(24.0)
        .spacing([16.0, 2.0])
        .show(ui, |ui| {
            for row in 0..rows {
                for (keys, what) in [row, row + rows].iter().filter_map(|&i| KEYS.get(i)) {
                    ui.colored_label(colours.accent, *keys);
                    ui.label(*what);
                }
                ui.end_row();
            }
        });
    ui.add_space(6.0);
    ui.weak("Esc closes this.");
}
