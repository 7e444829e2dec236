//! What the app asks of where it runs: files, memory that survives it, and work that must not hold up the window.
//!
//! The app asks and goes on; answers come with a later frame.

use crate::project::Project;
use eframe::egui;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::sync::{Arc, Mutex};
use treesway_render::{Camera, Settings};

/// A computer or a browser.
pub trait Platform {
    /// Runs work beside the window where there are threads, at once where there are none.
    fn spawn(&self, work: Box<dyn FnOnce() + Send>);

    /// Whether there are threads.
    fn has_threads(&self) -> bool;

    /// Asks what lies in a folder, or in the one to start in where none is named.
    fn list(&mut self, folder: Option<&str>);

    /// Asks for a text file.
    fn read(&mut self, name: &str);

    /// Asks to write a text file, whole or not at all.
    fn write(&mut self, name: &str, text: &str);

    /// What has been done since the last call.
    fn answers(&mut self) -> Vec<Answer>;

    /// Keeps unsaved work in case the app dies; none once there is none.
    fn keep(&mut self, unsaved: Option<&str>);

    /// Unsaved work of an app that died.
    fn kept(&mut self) -> Option<String>;

    /// Starts to write a project for other programs, beside the window; none where that cannot be done.
    fn export(&mut self, project: &Project, export: &Export) -> Option<Arc<Progress>>;
}

/// What is to be written for other programs.
#[derive(Clone, Debug, PartialEq)]
pub struct Export {
    /// Its ending says what is written.
    pub file: String,
    /// Of motion, s.
    pub seconds: f64,
    /// Whether a model's motion leads back to its start.
    pub looped: bool,
    /// Joints of a model, at most; none for all bodies.
    pub joints: Option<usize>,
    /// Of pictures, pixels.
    pub size: [u32; 2],
    /// Where pictures are taken from, and in which light.
    pub view: (Camera, Settings),
}

/// How far an export is.
#[derive(Default)]
pub struct Progress {
    /// Frames that are done, and all of them.
    pub done: AtomicU64,
    /// See `done`.
    pub all: AtomicU64,
    /// The user has changed their mind.
    pub cancelled: AtomicBool,
    /// What became of it, in one line.
    pub end: Mutex<Option<Result<String, String>>>,
}

/// A file or a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Folders come first.
    pub is_file: bool,
    /// Without the folder that it lies in.
    pub name: String,
}

/// What lies in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// Its whole path; empty where files have none.
    pub folder: String,
    /// The folder that it lies in.
    pub parent: Option<String>,
    /// Sorted, or one line that says why not.
    pub entries: Result<Vec<Entry>, String>,
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Of [`Platform::list`].
    Listed(Listing),
    /// Of [`Platform::read`]: the text, or one line that says why not.
    Read {
        /// The file.
        name: String,
        /// What it holds.
        text: Result<String, String>,
    },
    /// Of [`Platform::write`].
    Written {
        /// The file.
        name: String,
        /// One line that says why not.
        done: Result<(), String>,
    },
}

/// Work that was handed to [`Platform::spawn`] and will have a result.
pub struct Job<T>(Receiver<T>);

impl<T: Send + 'static> Job<T> {
    /// Starts it; the window is drawn again when it is done.
    pub fn start(
        platform: &dyn Platform,
        window: &egui::Context,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Self {
        let (sender, receiver) = channel();
        let window = window.clone();
        platform.spawn(Box::new(move || {
            // Nobody waits for it once the app is gone.
            let _ = sender.send(work());
            window.request_repaint();
        }));
        Self(receiver)
    }

    /// The result once it is there. `Some(None)`: the work died without one.
    pub fn poll(&self) -> Option<Option<T>> {
        match self.0.try_recv() {
            Ok(result) => Some(Some(result)),
            Err(TryRecvError::Disconnected) => Some(None),
            Err(TryRecvError::Empty) => None,
        }
    }
}
