//! A window of a desktop.

mod export;

use crate::app::Studio;
use crate::platform::{Answer, Export, Platform, Progress};
use crate::project::Project;
use eframe::egui::{ViewportBuilder, vec2};
use eframe::egui_wgpu::{WgpuConfiguration, WgpuSetup};
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use treesway_io::{read_text, write_whole};
use treesway_render::wgpu::Backends;

/// A desktop: files, threads, and a place for unsaved work.
pub struct Desktop {
    answers: Vec<Answer>,
    /// Where unsaved work is kept; none where there is no such place.
    unsaved: Option<PathBuf>,
}

impl Desktop {
    /// Keeps unsaved work in the user's folder for such things.
    pub fn new() -> Self {
        let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty());
        let state = variable("XDG_STATE_HOME")
            .or_else(|| variable("LOCALAPPDATA"))
            .map(PathBuf::from);
        let home = || variable("HOME").map(|home| Path::new(&home).join(".local/state"));
        Self::keeping(
            state
                .or_else(home)
                .map(|folder| folder.join("treesway/unsaved.toml")),
        )
    }

    /// Keeps unsaved work in a file.
    pub fn keeping(unsaved: Option<PathBuf>) -> Self {
        Self {
            answers: Vec::new(),
            unsaved,
        }
    }
}

impl Default for Desktop {
    fn default() -> Self {
        Self::new()
    }
}

impl Platform for Desktop {
    fn spawn(&self, work: Box<dyn FnOnce() + Send>) {
        std::thread::spawn(work);
    }

    fn read(&mut self, name: &str) {
        let text = read_text(Path::new(name)).map_err(|error| error.to_string());
        let name = name.into();
        self.answers.push(Answer::Read { name, text });
    }

    fn write(&mut self, name: &str, text: &str) {
        let done = write_whole(Path::new(name), |file| file.write_all(text.as_bytes()));
        let done = done.map_err(|error| format!("{name}: cannot be written: {error}"));
        let name = name.into();
        self.answers.push(Answer::Written { name, done });
    }

    fn answers(&mut self) -> Vec<Answer> {
        core::mem::take(&mut self.answers)
    }

    fn keep(&mut self, unsaved: Option<&str>) {
        let Some(path) = &self.unsaved else {
            return;
        };
        // Nothing is lost but the safety net where this fails.
        let _ = match unsaved {
            Some(text) => path
                .parent()
                .map_or(Ok(()), fs::create_dir_all)
                .and_then(|()| write_whole(path, |file| file.write_all(text.as_bytes()))),
            None => fs::remove_file(path),
        };
    }

    fn kept(&mut self) -> Option<String> {
        fs::read_to_string(self.unsaved.as_ref()?).ok()
    }

    fn export(&mut self, project: &Project, export: &Export) -> Option<Arc<Progress>> {
        let progress = Arc::new(Progress::default());
        let (project, export) = (project.clone(), export.clone());
        let shared = Arc::clone(&progress);
        self.spawn(Box::new(move || {
            let end = export::write(&project, &export, &shared);
            *shared.end.lock().unwrap_or_else(|e| e.into_inner()) = Some(end);
        }));
        Some(progress)
    }
}

/// Whether there is a display to open a window on.
pub fn has_display() -> bool {
    if cfg!(all(unix, not(target_os = "macos"))) {
        let set = |name| std::env::var_os(name).is_some_and(|v| !v.is_empty());
        set("DISPLAY") || set("WAYLAND_DISPLAY")
    } else {
        true
    }
}

/// Opens the studio and returns when its window is closed. `path` is where the project was read from, if it was a file.
pub fn open(project: Project, path: Option<String>) -> Result<(), String> {
    if !has_display() {
        let why =
            "there is no display to open a window on: DISPLAY and WAYLAND_DISPLAY are not set";
        return Err(why.into());
    }
    let mut wgpu = WgpuConfiguration::default();
    if let WgpuSetup::CreateNew(setup) = &mut wgpu.wgpu_setup {
        // Vulkan, Metal and Direct3D, as for pictures.
        setup.instance_descriptor.backends = Backends::PRIMARY;
    }
    let options = eframe::NativeOptions {
        viewport: ViewportBuilder::default()
            .with_title("Treesway")
            .with_app_id("treesway")
            .with_inner_size(vec2(1280.0, 720.0))
            .with_min_inner_size(vec2(900.0, 560.0))
            .with_drag_and_drop(true),
        wgpu_options: wgpu,
        ..eframe::NativeOptions::default()
    };
    let create: eframe::AppCreator<'_> = Box::new(move |context| {
        let gpu = context.wgpu_render_state.clone();
        let gpu = gpu.ok_or("no graphics adapter; install a Vulkan driver")?;
        let platform = Box::new(Desktop::new());
        let mut studio = Studio::new(&context.egui_ctx, gpu, platform, project);
        if let Some(path) = path {
            studio.set_path(path);
        }
        Ok(Box::new(studio))
    });
    eframe::run_native("treesway", options, create).map_err(|error| error.to_string())
}
