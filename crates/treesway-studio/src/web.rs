//! A canvas of a browser.

use crate::app::Studio;
use crate::platform::{Answer, Export, Listing, Platform, Progress};
use crate::project::Project;
use eframe::wasm_bindgen::JsValue;
use eframe::web_sys::HtmlCanvasElement;
use std::sync::Arc;

/// A browser: no files but those that are dropped, no threads.
#[derive(Default)]
struct Browser {
    answers: Vec<Answer>,
}

impl Platform for Browser {
    fn spawn(&self, work: Box<dyn FnOnce() + Send>) {
        work();
    }

    fn has_threads(&self) -> bool {
        false
    }

    fn list(&mut self, _folder: Option<&str>) {
        self.answers.push(Answer::Listed(Listing {
            folder: String::new(),
            parent: None,
            entries: Err("A browser shows no folders: drop files into the window".into()),
        }));
    }

    fn read(&mut self, name: &str) {
        self.answers.push(Answer::Read {
            name: name.into(),
            text: Err(format!("{name}: files cannot be read in a browser yet")),
        });
    }

    fn write(&mut self, name: &str, _text: &str) {
        self.answers.push(Answer::Written {
            name: name.into(),
            done: Err(format!("{name}: files cannot be written in a browser yet")),
        });
    }

    fn answers(&mut self) -> Vec<Answer> {
        core::mem::take(&mut self.answers)
    }

    fn keep(&mut self, _unsaved: Option<&str>) {}

    fn kept(&mut self) -> Option<String> {
        None
    }

    fn export(&mut self, _project: &Project, _export: &Export) -> Option<Arc<Progress>> {
        None
    }
}

/// Opens the studio in a canvas.
pub async fn start(canvas: HtmlCanvasElement, project: Project) -> Result<(), JsValue> {
    let options = eframe::WebOptions::default();
    let runner = eframe::WebRunner::new();
    let app: eframe::AppCreator<'static> = Box::new(|context| {
        let gpu = context
            .wgpu_render_state
            .clone()
            .ok_or("this browser has no WebGPU")?;
        Ok(Box::new(Studio::new(
            &context.egui_ctx,
            gpu,
            Box::new(Browser::default()),
            project,
        )))
    });
    runner.start(canvas, options, app).await
}
