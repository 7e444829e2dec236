//! The app without a window, and hands for it. `TREESWAY_SHOTS=folder` keeps pictures of what is asked for.
#![allow(dead_code, reason = "no test uses all of it")]

use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Role, Theme, Vec2, vec2};
use eframe::egui_wgpu::RendererOptions;
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use egui_kittest::wgpu::{WgpuTestRenderer, create_render_state, default_wgpu_setup};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use treesway::BodyId;
use treesway_studio::{Answer, Entry, Export, Listing, Platform, Progress, Project, Studio};

pub const OAK: &str = "version = 1\n[[tree]]\nspecies = 'oak'\nbodies = 600\n[wind]\nspeed = 3.0\n";
pub const DESKTOP: Vec2 = vec2(1280.0, 720.0);
pub const TABLET: Vec2 = vec2(1024.0, 768.0);

/// Files that nobody else sees, and work that is done at once.
#[derive(Clone, Default)]
pub struct Memory {
    pub files: Rc<RefCell<BTreeMap<String, String>>>,
    pub unsaved: Rc<RefCell<Option<String>>>,
    pub answers: Rc<RefCell<Vec<Answer>>>,
    /// Work that waits to be done, where it is not to be done at once.
    pub late: Rc<RefCell<Option<Vec<Work>>>>,
    /// Whether there are threads: what does not wait is done in one of its own.
    pub threads: Rc<Cell<bool>>,
}

pub type Work = Box<dyn FnOnce() + Send>;

impl Memory {
    /// From now on work waits.
    pub fn wait(&self) {
        *self.late.borrow_mut() = Some(Vec::new());
    }

    /// All of it is done, and from now on at once.
    pub fn go_on(&self) {
        for work in self.late.take().unwrap_or_default() {
            work();
        }
    }
}

impl Platform for Memory {
    fn spawn(&self, work: Work) {
        match &mut *self.late.borrow_mut() {
            Some(late) => late.push(work),
            None if self.threads.get() => _ = std::thread::spawn(work),
            None => work(),
        }
    }

    fn has_threads(&self) -> bool {
        self.threads.get()
    }

    fn list(&mut self, _folder: Option<&str>) {
        let files = self.files.borrow();
        let entries = files.keys().map(|name| Entry {
            is_file: true,
            name: name.clone(),
        });
        self.answers.borrow_mut().push(Answer::Listed(Listing {
            folder: String::new(),
            parent: None,
            entries: Ok(entries.collect()),
        }));
    }

    fn read(&mut self, name: &str) {
        let text = self.files.borrow().get(name).cloned();
        self.answers.borrow_mut().push(Answer::Read {
            name: name.into(),
            text: text.ok_or_else(|| format!("{name}: there is no such file")),
        });
    }

    fn write(&mut self, name: &str, text: &str) {
        self.files.borrow_mut().insert(name.into(), text.into());
        self.answers.borrow_mut().push(Answer::Written {
            name: name.into(),
            done: Ok(()),
        });
    }

    fn answers(&mut self) -> Vec<Answer> {
        self.answers.take()
    }

    fn keep(&mut self, unsaved: Option<&str>) {
        *self.unsaved.borrow_mut() = unsaved.map(Into::into);
    }

    fn kept(&mut self) -> Option<String> {
        self.unsaved.borrow().clone()
    }

    fn export(&mut self, _: &Project, _: &Export) -> Option<Arc<Progress>> {
        None
    }
}

pub type Window = Harness<'static, Option<Studio>>;

pub fn window_on(text: &str, memory: &Memory, size: Vec2, theme: Theme) -> Window {
    let gpu = create_render_state(default_wgpu_setup(), RendererOptions::PREDICTABLE);
    let project = Project::parse(text, "oak.toml").unwrap();
    let (platform, own) = (memory.clone(), gpu.clone());
    let mut window = Harness::builder()
        .with_size(size)
        .with_theme(theme)
        .with_step_dt(1.0 / 30.0)
        .renderer(WgpuTestRenderer::from_render_state(gpu))
        .build_ui_state(
            move |ui, state: &mut Option<Studio>| {
                let open = || {
                    let platform = Box::new(platform.clone());
                    Studio::new(ui.ctx(), own.clone(), platform, project.clone())
                };
                state.get_or_insert_with(open).ui(ui);
            },
            None,
        );
    window.run_steps(2);
    window
}

pub fn window() -> (Window, Memory) {
    let memory = Memory::default();
    (window_on(OAK, &memory, DESKTOP, Theme::Dark), memory)
}

pub fn studio(window: &Window) -> &Studio {
    window
        .state()
        .as_ref()
        .expect("opened with the first frame")
}

pub fn text(window: &Window) -> String {
    studio(window).project().to_toml()
}

pub fn click(window: &mut Window, label: &str) {
    window.get_by_label(label).click();
    window.run_steps(2);
}

pub fn press(window: &mut Window, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(2);
}

pub fn button(window: &Window, at: Pos2, pressed: bool) {
    window.event(Event::PointerButton {
        pos: at,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    });
}

/// Presses at one place and moves to another, without letting go.
pub fn drag(window: &mut Window, from: Pos2, to: Pos2) {
    window.event(Event::PointerMoved(from));
    window.step();
    button(window, from, true);
    window.step();
    for i in 1..=4 {
        window.event(Event::PointerMoved(from + (to - from) * (i as f32 / 4.0)));
        window.step();
    }
}

/// Presses and lets go at one place.
pub fn click_at(window: &mut Window, at: Pos2) {
    window.event(Event::PointerMoved(at));
    window.step();
    button(window, at, true);
    window.step();
    button(window, at, false);
    window.run_steps(2);
}

/// Shows a panel.
pub fn tab(window: &mut Window, name: &str) {
    window.get_all_by_label(name).next().expect("a tab").click();
    window.run_steps(2);
}

/// Takes an entry of the list of a row.
pub fn choose(window: &mut Window, row: &str, entry: &str) {
    let list = window.get_by_role_and_label(Role::ComboBox, row);
    list.scroll_to_me();
    window.run_steps(4);
    window.get_by_role_and_label(Role::ComboBox, row).click();
    window.run_steps(2);
    window
        .get_all_by_label(entry)
        .last()
        .expect("an entry")
        .click();
    window.run_steps(3);
}

/// Keeps a picture where they are asked for.
pub fn shot(window: &mut Window, name: &str) {
    if let Some(folder) = std::env::var_os("TREESWAY_SHOTS") {
        let file = std::path::Path::new(&folder).join(format!("{name}.png"));
        window.render().expect("drawn").save(file).expect("saved");
    }
}

/// Where the trunk is seen.
pub fn trunk(window: &Window) -> Pos2 {
    let place = studio(window).place_of(BodyId(1));
    place.expect("it is in front of the camera")
}

/// A few frames of a stopped clock.
pub fn steps(window: &mut Window) {
    for _ in 0..5 {
        window.key_press(Key::Period);
        window.step();
    }
}

/// Steps of a stopped clock from the start, and the motion after them.
pub fn motion(window: &mut Window) -> u64 {
    press(window, Modifiers::NONE, Key::Space);
    press(window, Modifiers::NONE, Key::Home);
    steps(window);
    studio(window).state_hash().expect("it has grown")
}
