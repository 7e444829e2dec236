//! A walk through everything that can be seen, at both sizes and in both themes: nothing is cut off. `TREESWAY_SHOTS=folder` keeps pictures.

mod common;

use common::*;
use eframe::egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, Theme, TouchPhase, Vec2, vec2,
};
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use treesway::BodyId;

/// Every card has something to show.
const EVERYTHING: &str = "version = 1
[[tree]]
species = 'apple'
bodies = 700
solver = 'analytic'
[tree.params.shedding.leaf]
hold = 30.0
rate = 0.01
[tree.params.breakage]
factor = 1.0
[[tree.params.overrides]]
body = 9
[wind]
speed = 6.0
[wind.grid]
corner = [-12.0, -12.0]
cell_size = 8.0
columns = 3
cells = [
  { velocity = [6.0, 0.0, 0.0] }, { velocity = [5.0, 0.0, 2.0] }, { velocity = [6.0, 0.0, 0.0] },
  { velocity = [3.0, 0.0, 4.0] }, { velocity = [2.0, 0.0, 5.0] }, { velocity = [6.0, 0.0, 0.0] },
  { velocity = [6.0, 0.0, 0.0] }, { velocity = [6.0, 0.0, -3.0] }, { velocity = [7.0, 0.0, -4.0] },
]
[snow]
rate = 100.0
[rain]
rate = 20.0
";

/// Most pages of a panel.
const PAGES: usize = 8;

/// Whatever has a name lies between the left and the right edge of the window.
fn nothing_is_cut_off(window: &Window, size: Vec2, place: &str) {
    for node in window.root().children_recursive() {
        let Some(label) = node.accesskit_node().label() else {
            continue;
        };
        let rect = node.rect();
        let inside = rect.left() >= -0.5 && rect.right() <= size.x + 0.5;
        assert!(inside, "{place}: {label} is at {rect:?}");
    }
}

/// Turns the wheel over the panel.
fn scroll(window: &mut Window, size: Vec2, points: f32) {
    window.event(Event::PointerMoved((size - vec2(160.0, 200.0)).to_pos2()));
    window.event(Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        source: MouseWheelSource::Wheel,
        delta: vec2(0.0, points),
        phase: TouchPhase::Move,
        modifiers: Modifiers::NONE,
    });
    window.run_steps(9);
}

fn tour(size: Vec2, theme: Theme, name: &str) {
    let memory = Memory::default();
    for file in ["apple.toml", "gale.toml", "scan.csv"] {
        memory.files.borrow_mut().insert(file.into(), OAK.into());
    }
    let mut window = window_on(EVERYTHING, &memory, size, theme);
    let name = format!("{name}-{theme:?}").to_lowercase();
    let view = window.get_by_label("Viewport").rect();
    for panel in ["Tree", "Wood", "Wind", "World", "View"] {
        tab(&mut window, panel);
        if panel == "Wood" {
            let at = trunk(&window);
            click_at(&mut window, at);
        }
        let picture = window.render().expect("drawn");
        // Sky, ground, bark and leaves: many colours in the middle of the viewport.
        let mut colours = std::collections::BTreeSet::new();
        for y in (view.top() as u32 + 60)..(view.top() as u32 + 300) {
            for x in (view.left() as u32 + 100)..(view.right() as u32 - 100) {
                colours.insert(picture.get_pixel(x, y).0);
            }
        }
        assert!(colours.len() > 1000, "{name} {panel}: {}", colours.len());
        for page in 0..PAGES {
            nothing_is_cut_off(&window, size, &format!("{name} {panel}"));
            shot(&mut window, &format!("{name}-{panel}-{page}"));
            let before = ends(&window);
            scroll(&mut window, size, -size.y * 0.75);
            if before == ends(&window) {
                break;
            }
            assert!(page + 1 < PAGES, "{name} {panel} goes on and on");
        }
        scroll(&mut window, size, 1e5);
    }
    let in_crown = studio(&window).place_of(BodyId(120)).expect("seen");
    let tools = [Key::P, Key::B, Key::T, Key::C, Key::S, Key::L];
    for (tool, key) in ["pull", "bend", "throw", "cut", "squirrel", "look"]
        .iter()
        .zip(tools)
    {
        press(&mut window, Modifiers::NONE, key);
        window.event(Event::PointerMoved(in_crown));
        window.run_steps(3);
        nothing_is_cut_off(&window, size, &format!("{name} {tool}"));
        shot(&mut window, &format!("{name}-tool-{tool}"));
    }
    press(&mut window, Modifiers::NONE, Key::G);
    window.run_steps(70);
    nothing_is_cut_off(&window, size, &format!("{name} plots"));
    shot(&mut window, &format!("{name}-plots"));
    press(&mut window, Modifiers::NONE, Key::G);
    let dialogs = [
        (Modifiers::NONE, Key::F1, "help"),
        (Modifiers::COMMAND, Key::O, "open"),
        (Modifiers::COMMAND, Key::S, "save"),
        (Modifiers::COMMAND, Key::E, "export"),
    ];
    for (modifiers, key, dialog) in dialogs {
        press(&mut window, modifiers, key);
        window.run_steps(8);
        nothing_is_cut_off(&window, size, &format!("{name} {dialog}"));
        shot(&mut window, &format!("{name}-{dialog}"));
        if dialog == "help" {
            let top = window.get_by_label("Keys and gestures").rect().top();
            let bottom = window.get_by_label("Esc closes this.").rect().bottom();
            assert!(top >= 0.0 && bottom <= size.y, "{name}: {top} to {bottom}");
        }
        press(&mut window, Modifiers::NONE, Key::Escape);
        window.run_steps(8);
    }
}

/// Where everything ends that has a name: it changes as long as a panel can be scrolled.
fn ends(window: &Window) -> Vec<i32> {
    let all = window.root().children_recursive();
    all.filter(|node| node.accesskit_node().label().is_some())
        .map(|node| node.rect().bottom() as i32)
        .collect()
}

/// Whatever the trees are shown as, they are seen, and no two look the same.
#[test]
fn every_display_shows_the_trees_otherwise() {
    let mut window = window_on(EVERYTHING, &Memory::default(), DESKTOP, Theme::Dark);
    let view = window.get_by_label("Viewport").rect();
    window.run_steps(20);
    press(&mut window, Modifiers::NONE, Key::Space);
    tab(&mut window, "View");
    let names = [
        "Smooth",
        "Flat",
        "Wireframe",
        "Skeleton",
        "Stiffness",
        "Radius",
        "Stress",
        "Branch order",
        "Speed",
        "Overrides",
    ];
    let mut seen: Vec<(&str, Vec<[u8; 4]>)> = Vec::new();
    for name in names {
        choose(&mut window, "Show", name);
        shot(&mut window, &format!("display-{}", name.replace(' ', "-")));
        let picture = window.render().expect("drawn");
        let rows = (view.top() as u32 + 120)..(view.bottom() as u32 - 60);
        let pixels = rows.flat_map(|y| {
            let columns = (view.left() as u32 + 100)..(view.right() as u32 - 100);
            columns.map(move |x| (x, y))
        });
        let pixels: Vec<[u8; 4]> = pixels.map(|(x, y)| picture.get_pixel(x, y).0).collect();
        for (other, before) in &seen {
            let both = pixels.iter().zip(before);
            let apart = both.filter(|(a, b)| a != b).count();
            // A hundredth of the picture; lines are thin.
            assert!(apart * 100 > pixels.len(), "{name} and {other}: {apart}");
        }
        seen.push((name, pixels));
    }
}

#[test]
fn every_solver_has_its_card() {
    for (solver, card) in [
        ("particles", "Particles"),
        ("contact", "Contact with itself"),
        ("spectral", "Levels of branches"),
    ] {
        let scene = EVERYTHING.replace("analytic", solver);
        let mut window = window_on(&scene, &Memory::default(), DESKTOP, Theme::Dark);
        tab(&mut window, "World");
        let fold = format!("Fold {card}");
        window.get_by_label(&fold).scroll_to_me();
        window.run_steps(9);
        nothing_is_cut_off(&window, DESKTOP, solver);
        shot(&mut window, &format!("solver-{solver}"));
    }
}

#[test]
fn everything_is_seen_in_a_small_window_in_the_dark() {
    tour(DESKTOP, Theme::Dark, "desktop");
}

#[test]
fn everything_is_seen_in_a_small_window_in_the_light() {
    tour(DESKTOP, Theme::Light, "desktop");
}

#[test]
fn everything_is_seen_on_a_tablet_in_the_dark() {
    tour(TABLET, Theme::Dark, "tablet");
}

#[test]
fn everything_is_seen_on_a_tablet_in_the_light() {
    tour(TABLET, Theme::Light, "tablet");
}
