//! A window of a desktop.

mod export;

use crate::app::Studio;
use crate::platform::{Answer, Entry, Export, Listing, Platform, Progress};
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
    /// Threads for what is done beside the window; none where there are no more to be had.
    beside: Option<Arc<rayon::ThreadPool>>,
    /// Where unsaved work is kept; none where there is no such place.
    unsaved: Option<Slot>,
}

/// Where one window keeps its unsaved work: no two have the same, and that of one that died is the next one's.
struct Slot {
    file: PathBuf,
    /// Locked as long as the window lives, however it ends.
    _lock: fs::File,
}

impl Slot {
    /// Most windows that keep their work at once.
    const MOST: usize = 64;

    /// The first one that nobody has and that holds the work of a window that died, or the first one that nobody has.
    fn take(folder: &Path) -> Option<Self> {
        fs::create_dir_all(folder).ok()?;
        let file = |number: &usize| folder.join(format!("unsaved-{number}.toml"));
        let left = (0..Self::MOST).filter(|number| file(number).exists());
        left.chain(0..Self::MOST).find_map(|number| {
            let lock = fs::File::create(folder.join(format!("window-{number}.lock"))).ok()?;
            lock.try_lock().ok()?;
            Some(Self {
                file: file(&number),
                _lock: lock,
            })
        })
    }
}

impl Desktop {
    /// Keeps unsaved work in the user's folder for such things.
    pub fn new() -> Self {
        let variable = |name| std::env::var_os(name).filter(|v| !v.is_empty());
        let state = variable("XDG_STATE_HOME")
            .or_else(|| variable("LOCALAPPDATA"))
            .map(PathBuf::from);
        let home = || variable("HOME").map(|home| Path::new(&home).join(".local/state"));
        let folder = state.or_else(home).map(|folder| folder.join("treesway"));
        Self::keeping(folder.as_deref())
    }

    /// Keeps unsaved work in a folder.
    pub fn keeping(folder: Option<&Path>) -> Self {
        Self {
            answers: Vec::new(),
            beside: beside_the_window().map(Arc::new),
            unsaved: folder.and_then(Slot::take),
        }
    }
}

/// Threads for what is done beside the window, to which one core is left.
fn beside_the_window() -> Option<rayon::ThreadPool> {
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = (cores - 1).max(1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build().ok()
}

/// Where files are looked for first: where the program was started or, where that is no place for files, the user's folder.
fn start_folder() -> PathBuf {
    let here = std::env::current_dir().ok();
    let here = here.filter(|folder| folder.parent().is_some());
    let home = || std::env::var_os("HOME").or_else(|| std::env::var_os("USERPROFILE"));
    here.or_else(|| home().map(PathBuf::from))
        .unwrap_or_else(|| PathBuf::from("."))
}

/// Folders, then files, by name; not those that are hidden.
fn entries(folder: &Path) -> std::io::Result<Vec<Entry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            // Also of what a link leads to.
            let is_file = !entry.path().is_dir();
            entries.push(Entry { is_file, name });
        }
    }
    entries.sort();
    Ok(entries)
}

impl Default for Desktop {
    fn default() -> Self {
        Self::new()
    }
}

impl Platform for Desktop {
    fn spawn(&self, work: Box<dyn FnOnce() + Send>) {
        // In the threads that steps are taken on, a step would wait for the whole of a tree that grows.
        let beside = self.beside.clone();
        std::thread::spawn(move || match beside {
            Some(threads) => threads.install(work),
            None => work(),
        });
    }

    fn has_threads(&self) -> bool {
        true
    }

    fn list(&mut self, folder: Option<&str>) {
        let wanted = folder.map_or_else(start_folder, PathBuf::from);
        let folder = wanted.canonicalize().unwrap_or(wanted);
        self.answers.push(Answer::Listed(Listing {
            entries: entries(&folder)
                .map_err(|error| format!("{}: cannot be read: {error}", folder.display())),
            parent: folder.parent().map(|parent| parent.display().to_string()),
            folder: folder.display().to_string(),
        }));
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
        let Some(Slot { file, .. }) = &self.unsaved else {
            return;
        };
        // Nothing is lost but the safety net where this fails.
        let _ = match unsaved {
            Some(text) => write_whole(file, |file| file.write_all(text.as_bytes())),
            None => fs::remove_file(file),
        };
    }

    fn kept(&mut self) -> Option<String> {
        fs::read_to_string(&self.unsaved.as_ref()?.file).ok()
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    /// All threads that work beside the window may have are busy, and a step goes on.
    #[test]
    fn steps_do_not_wait_for_what_is_done_beside_the_window() {
        const SOON: Duration = Duration::from_secs(60);
        let (started, busy) = channel();
        let (free, wait) = channel::<()>();
        let wait = std::sync::Mutex::new(wait);
        Desktop::keeping(None).spawn(Box::new(move || {
            rayon::broadcast(|_| {
                started.send(rayon::current_num_threads()).unwrap();
                // Until the other end is dropped.
                _ = wait.lock().unwrap().recv();
            });
        }));
        let all = busy.recv_timeout(SOON).expect("the first starts");
        for _ in 1..all {
            busy.recv_timeout(SOON).expect("the others start");
        }
        let (stepped, done) = channel();
        std::thread::spawn(move || {
            rayon::broadcast(|_| ());
            stepped.send(()).unwrap();
        });
        done.recv_timeout(SOON).expect("the step is taken");
        drop(free);
    }

    #[test]
    fn a_folder_is_listed_folders_first_and_a_missing_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("scans")).unwrap();
        for name in ["b.toml", "a.csv", ".hidden"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        let mut desktop = Desktop::keeping(None);
        let path = folder.path().display().to_string();
        desktop.list(Some(&path));
        desktop.list(Some(&format!("{path}/gone")));
        let answers = desktop.answers();
        let [Answer::Listed(there), Answer::Listed(gone)] = &answers[..] else {
            panic!("{answers:?}");
        };
        let names: Vec<_> = there
            .entries
            .as_ref()
            .unwrap()
            .iter()
            .map(|e| &*e.name)
            .collect();
        assert_eq!(names, ["scans", "a.csv", "b.toml"]);
        assert!(there.parent.is_some());
        assert!(
            gone.entries.as_ref().unwrap_err().contains("gone"),
            "{gone:?}"
        );
    }

    #[test]
    fn unsaved_work_of_a_window_that_died_is_the_next_ones_and_of_one_that_lives_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Desktop::keeping(Some(folder.path()));
        let mut first = open();
        first.keep(Some("first"));
        let mut second = open();
        assert_eq!(second.kept(), None, "the first one lives");
        second.keep(Some("second"));
        drop(first);
        assert_eq!(open().kept().as_deref(), Some("first"));
        drop(second);
        let mut third = open();
        assert_eq!(third.kept().as_deref(), Some("first"));
        third.keep(None);
        assert_eq!(open().kept().as_deref(), Some("second"));
    }
}
