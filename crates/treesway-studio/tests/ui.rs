//! What is clicked and dragged is done, undone, saved and found again.

mod common;

use common::*;
use eframe::egui::{
    DroppedFile, Event, Key, Modifiers, Pos2, Role, Theme, TouchDeviceId, TouchId, TouchPhase,
    Vec2, ViewportCommand, ViewportEvent, ViewportId, vec2,
};
use egui_kittest::kittest::Queryable as _;
use std::path::PathBuf;
use std::sync::Arc;
use treesway::BodyId;
use treesway_io::Scene;
use treesway_io::gltf::{GlbOptions, GlbTree, ThingClip, write_glb};
use treesway_skin::{Detail, Skin};
use treesway_studio::Project;

#[test]
fn wood_that_is_dragged_is_pulled_and_swings_back() {
    let (mut window, _) = window();
    let from = trunk(&window);
    drag(&mut window, from, from + vec2(160.0, -20.0));
    window.run_steps(6);
    let forces = studio(&window).pull_forces();
    assert_eq!(forces.len(), 1, "the hand holds wood");
    assert!((1.0..=400.1).contains(&forces[0]), "{forces:?} N");
    shot(&mut window, "pull");
    button(&window, from + vec2(160.0, -20.0), false);
    window.run_steps(2);
    assert!(studio(&window).pull_forces().is_empty(), "it is let go");
    assert!(!studio(&window).is_unsaved(), "a pull is no edit");
}

fn touch(window: &Window, finger: usize, phase: TouchPhase, pos: Pos2) {
    window.event(Event::Touch {
        device_id: TouchDeviceId(0),
        id: TouchId(finger as u64),
        phase,
        pos,
        force: None,
    });
}

#[test]
fn a_finger_beside_the_tree_turns_the_camera_and_two_move_and_zoom_it() {
    let (mut window, _) = window();
    let sky = window.get_by_label("Viewport").rect().right_top() + vec2(-160.0, 60.0);
    let places = |window: &Window| {
        [1, 300].map(|id| {
            studio(window)
                .place_of(BodyId(id))
                .expect("in front of the camera")
        })
    };
    let before = places(&window);
    // A window lets the first finger move the pointer, too.
    window.event(Event::PointerMoved(sky));
    touch(&window, 0, TouchPhase::Start, sky);
    button(&window, sky, true);
    window.step();
    for step in 1..=6 {
        let at = sky + vec2(-20.0 * step as f32, 0.0);
        touch(&window, 0, TouchPhase::Move, at);
        window.event(Event::PointerMoved(at));
        window.step();
    }
    let end = sky + vec2(-120.0, 0.0);
    touch(&window, 0, TouchPhase::End, end);
    button(&window, end, false);
    window.run_steps(2);
    let turned = places(&window);
    assert!(studio(&window).pull_forces().is_empty());
    assert!(
        turned[1].distance(before[1]) > 10.0,
        "{before:?} {turned:?}"
    );
    // A turn moves what is near otherwise than what is far.
    let off = (turned[1] - before[1]) - (turned[0] - before[0]);
    assert!(off.length() > 5.0, "{before:?} {turned:?}");

    let fingers = [sky, sky + vec2(-80.0, 0.0)];
    let lead = |window: &mut Window, by: [Vec2; 2]| {
        for (finger, at) in fingers.into_iter().enumerate() {
            touch(window, finger, TouchPhase::Start, at);
        }
        window.step();
        for step in 1..=5 {
            for (finger, at) in fingers.into_iter().enumerate() {
                let share = step as f32 / 5.0;
                touch(window, finger, TouchPhase::Move, at + by[finger] * share);
            }
            window.step();
        }
        for (finger, at) in fingers.into_iter().enumerate() {
            touch(window, finger, TouchPhase::End, at + by[finger]);
        }
        window.run_steps(2);
        places(window)
    };
    let moved = lead(&mut window, [vec2(-50.0, 30.0); 2]);
    for (from, to) in turned.into_iter().zip(moved) {
        let off = (to - from) - vec2(-50.0, 30.0);
        // What is nearer than the middle of the tree moves farther.
        assert!(off.length() < 25.0, "{from} {to}");
    }
    let spread = lead(&mut window, [vec2(40.0, 0.0), vec2(-40.0, 0.0)]);
    let apart = |[a, b]: [Pos2; 2]| a.distance(b);
    let factor = apart(spread) / apart(moved);
    assert!((1.5..2.8).contains(&factor), "{factor}");
}

#[test]
fn two_fingers_pull_two_branches_and_one_lets_go() {
    let (mut window, _) = window();
    let places = [1, 300].map(|id| studio(&window).place_of(BodyId(id)).unwrap());
    for (finger, &at) in places.iter().enumerate() {
        touch(&window, finger, TouchPhase::Start, at);
        window.step();
    }
    for step in 1..=4 {
        for (finger, &at) in places.iter().enumerate() {
            let to = at + vec2(30.0 * step as f32, 0.0);
            touch(&window, finger, TouchPhase::Move, to);
        }
        window.step();
    }
    window.run_steps(4);
    let forces = studio(&window).pull_forces();
    assert_eq!(forces.len(), 2);
    assert!(
        forces.iter().all(|f| (1.0..=400.1).contains(f)),
        "{forces:?}"
    );
    touch(&window, 0, TouchPhase::End, places[0] + vec2(120.0, 0.0));
    window.run_steps(2);
    assert_eq!(studio(&window).pull_forces().len(), 1);
}

#[test]
fn wood_that_is_bent_stays_bent_and_undo_straightens_it() {
    let (mut window, _) = window();
    press(&mut window, Modifiers::NONE, Key::B);
    // In the crown, where 400 N bend something.
    let from = studio(&window).place_of(BodyId(300)).unwrap();
    drag(&mut window, from, from + vec2(120.0, 0.0));
    window.run_steps(4);
    button(&window, from + vec2(120.0, 0.0), false);
    window.run_steps(3);
    assert!(text(&window).contains("[[tree.pose]]"), "{}", text(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!text(&window).contains("pose"), "{}", text(&window));
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert!(text(&window).contains("[[tree.pose]]"));
}

#[test]
fn a_ring_turns_the_chosen_joint() {
    let (mut window, _) = window();
    press(&mut window, Modifiers::NONE, Key::B);
    assert!(
        studio(&window).ring_places().is_empty(),
        "nothing is chosen"
    );
    let at = trunk(&window);
    click_at(&mut window, at);
    let rings = studio(&window).ring_places();
    assert_eq!(rings.len(), 3);
    drag(&mut window, rings[0], rings[0] + vec2(0.0, 40.0));
    shot(&mut window, "ring");
    button(&window, rings[0] + vec2(0.0, 40.0), false);
    window.run_steps(3);
    let poses = studio(&window).project().get("tree.0.pose").cloned();
    let poses = poses.and_then(|p| p.as_array().map(Vec::len));
    assert_eq!(poses, Some(1), "one joint: {}", text(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(studio(&window).project().get("tree.0.pose").is_none());
}

#[test]
fn a_curve_gets_a_point_loses_it_and_moves_the_tree() {
    let (mut window, _) = window();
    let before = motion(&mut window);
    tab(&mut window, "Wood");
    let plot = window.get_by_label("Bending stiffness").rect();
    let at = plot.left_center() + vec2(0.3 * plot.width(), 0.25 * plot.height());
    click_at(&mut window, at);
    let path = "tree.0.params.curves.bend.points";
    let points = |window: &Window| {
        let value = studio(window).project().get(path).cloned();
        value.and_then(|v| v.as_array().map(Vec::len))
    };
    assert_eq!(points(&window), Some(2), "{}", text(&window));
    let one = text(&window);
    // The new point is dragged, in many frames and one edit.
    drag(&mut window, at, at + vec2(30.0, 12.0));
    button(&window, at + vec2(30.0, 12.0), false);
    window.run_steps(2);
    let two = text(&window);
    assert_ne!(one, two);
    press(&mut window, Modifiers::NONE, Key::Home);
    steps(&mut window);
    assert_ne!(
        studio(&window).state_hash(),
        Some(before),
        "another stiffness, another motion"
    );
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(text(&window), one, "a drag is one edit");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(points(&window), None);
    press(&mut window, Modifiers::COMMAND, Key::Y);
    press(&mut window, Modifiers::COMMAND, Key::Y);
    assert_eq!(text(&window), two);
}

#[test]
fn a_branch_gets_curves_of_its_own_and_loses_them() {
    let (mut window, _) = window();
    let at = trunk(&window);
    tab(&mut window, "Wood");
    click_at(&mut window, at);
    click(&mut window, "Give it curves of its own");
    assert!(text(&window).contains("overrides"), "{}", text(&window));
    window.get_by_label("Remove").scroll_to_me();
    window.run_steps(4);
    click(&mut window, "Remove");
    assert!(!text(&window).contains("overrides"), "{}", text(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(text(&window).contains("overrides"));
}

#[test]
fn weather_is_switched_on_moves_the_tree_and_is_switched_off() {
    let (mut window, _) = window();
    let before = motion(&mut window);
    tab(&mut window, "World");
    for (switch, table) in [
        ("It snows", "[snow]"),
        ("It rains", "[rain]"),
        ("Breaks", "[tree.params.breakage]"),
    ] {
        window.get_by_label(switch).scroll_to_me();
        window.run_steps(4);
        click(&mut window, switch);
        assert!(text(&window).contains(table), "{}", text(&window));
    }
    press(&mut window, Modifiers::NONE, Key::Home);
    steps(&mut window);
    assert_ne!(studio(&window).state_hash(), Some(before));
    for _ in 0..3 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    press(&mut window, Modifiers::NONE, Key::Home);
    steps(&mut window);
    assert_eq!(studio(&window).state_hash(), Some(before));
}

#[test]
fn wind_is_painted_cell_by_cell() {
    let (mut window, _) = window();
    tab(&mut window, "Wind");
    click(&mut window, "Paint it cell by cell");
    let velocities = |window: &Window| -> Vec<toml::Value> {
        let cells = studio(window).project().get("wind.grid.cells").cloned();
        let cells = cells
            .and_then(|c| c.as_array().cloned())
            .unwrap_or_default();
        cells.iter().map(|cell| cell["velocity"].clone()).collect()
    };
    let before = velocities(&window);
    assert_eq!(before.len(), 36);
    click(&mut window, "8");
    window.get_by_label("Wind map").scroll_to_me();
    window.run_steps(20);
    let map = window.get_by_label("Wind map").rect();
    // Two cells in one stroke.
    let from = map.min + map.size() * vec2(1.5 / 6.0, 2.5 / 6.0);
    drag(&mut window, from, from + vec2(map.width() / 6.0, 0.0));
    button(&window, from + vec2(map.width() / 6.0, 0.0), false);
    window.run_steps(2);
    let after = velocities(&window);
    let painted: Vec<usize> = (0..36).filter(|&i| before[i] != after[i]).collect();
    assert_eq!(painted, [13, 14]);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(velocities(&window), before, "a stroke is one edit");
}

#[test]
fn a_squirrel_runs_to_where_is_clicked() {
    let (mut window, _) = window();
    press(&mut window, Modifiers::NONE, Key::S);
    window.run_steps(40);
    let before = studio(&window).seconds();
    assert!(before > 1.0, "{before}");
    for body in [1, 300] {
        let at = studio(&window).place_of(BodyId(body)).unwrap();
        window.event(Event::PointerMoved(at));
        window.step();
        button(&window, at, true);
        window.step();
        button(&window, at, false);
        window.run_steps(3);
    }
    let run = |place: usize, key: &str| {
        let path = format!("creature.0.run.{place}.{key}");
        studio(&window).project().get(&path).cloned()
    };
    assert_eq!(run(0, "from"), Some("root".into()), "{}", text(&window));
    assert_eq!(run(0, "to"), run(1, "from"), "it goes on from there");
    assert!(run(1, "to").is_some());
    assert!(!studio(&window).is_growing(), "the same trees go on");
    assert_eq!(studio(&window).shown(), 2, "a tree and a squirrel");
    assert!(studio(&window).seconds() > before, "and so does time");
    window.run_steps(40);
    shot(&mut window, "squirrel");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(studio(&window).shown(), 1);
    assert!(
        studio(&window).seconds() > before + 1.0,
        "the tree sways on"
    );
}

#[test]
fn a_view_that_is_kept_is_the_projects() {
    let (mut window, _) = window();
    let sky = window.get_by_label("Viewport").rect().right_top() + vec2(-40.0, 40.0);
    drag(&mut window, sky, sky + vec2(-90.0, 60.0));
    button(&window, sky, false);
    window.run_steps(2);
    assert!(!studio(&window).is_unsaved(), "looking around is no edit");
    tab(&mut window, "View");
    window.get_by_label("Keep this view").scroll_to_me();
    window.run_steps(4);
    click(&mut window, "Keep this view");
    assert!(text(&window).contains("[camera]"), "{}", text(&window));
    let trunk_here = trunk(&window);
    let again = window_on(&text(&window), &Memory::default(), DESKTOP, Theme::Dark);
    // The wind has moved it since.
    let apart = (trunk(&again) - trunk_here).length();
    assert!(apart < 2.0, "{apart} points");
}

#[test]
fn what_is_saved_and_opened_again_moves_the_same_to_the_last_bit() {
    let (mut window, memory) = window();
    tab(&mut window, "Wind");
    click(&mut window, "6");
    press(&mut window, Modifiers::COMMAND, Key::S);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(!studio(&window).is_unsaved());
    let saved = memory
        .files
        .borrow()
        .values()
        .next()
        .cloned()
        .expect("a file");
    let here = motion(&mut window);
    let mut again = window_on(&saved, &Memory::default(), DESKTOP, Theme::Dark);
    assert_eq!(motion(&mut again), here);
    let plain = motion(&mut window_on(
        OAK,
        &Memory::default(),
        DESKTOP,
        Theme::Dark,
    ));
    assert_ne!(plain, here, "the wind is in the file");
}

#[test]
fn a_broken_file_is_named_and_nothing_is_lost() {
    let (mut window, memory) = window();
    let before = text(&window);
    memory
        .files
        .borrow_mut()
        .insert("broken.toml".into(), "version = 1\nwnd = 3\n".into());
    for name in ["broken.toml", "gone.toml"] {
        press(&mut window, Modifiers::COMMAND, Key::O);
        window.event(Event::Text(name.into()));
        window.run_steps(2);
        press(&mut window, Modifiers::NONE, Key::Enter);
        window.run_steps(2);
        let said = studio(&window).last_message().expect("a message");
        assert!(said.contains(name), "{said}");
        assert_eq!(text(&window), before);
    }
}

#[test]
fn what_was_not_saved_is_offered_after_a_crash() {
    let (mut window, memory) = window();
    tab(&mut window, "Wind");
    click(&mut window, "8");
    // More than the time between two safekeepings, with frames that take long.
    for _ in 0..4 {
        window.input_mut().time = Some(window.input().time.unwrap_or(0.0) + 1.0);
        window.step();
    }
    let edited = text(&window);
    drop(window);
    assert!(memory.unsaved.borrow().is_some(), "it was kept in time");
    let mut again = window_on(OAK, &memory, DESKTOP, Theme::Dark);
    assert_ne!(text(&again), edited, "nobody was asked yet");
    click(&mut again, "Go on with it");
    assert_eq!(text(&again), edited);
    assert!(studio(&again).is_unsaved());
}

#[test]
fn a_ball_is_thrown_at_what_is_clicked_and_a_restart_takes_it_away() {
    let (mut window, _) = window();
    press(&mut window, Modifiers::NONE, Key::T);
    let at = trunk(&window);
    click_at(&mut window, at);
    assert_eq!(studio(&window).balls(), 1);
    window.run_steps(12);
    shot(&mut window, "throw");
    let sky = window.get_by_label("Viewport").rect().right_top() + vec2(-30.0, 90.0);
    click_at(&mut window, sky);
    assert_eq!(studio(&window).balls(), 2, "also where there is nothing");
    assert!(!studio(&window).is_unsaved(), "a throw is no edit");
    press(&mut window, Modifiers::NONE, Key::Home);
    assert_eq!(studio(&window).balls(), 0);
}

#[test]
fn two_solvers_stand_side_by_side() {
    let (mut window, _) = window();
    tab(&mut window, "World");
    choose(&mut window, "Beside them", "Analytic");
    assert_eq!(studio(&window).shown(), 2);
    assert!(!studio(&window).is_unsaved(), "looking at it is no edit");
    press(&mut window, Modifiers::NONE, Key::G);
    window.run_steps(40);
    shot(&mut window, "beside");
    choose(&mut window, "Beside them", "nobody");
    assert_eq!(studio(&window).shown(), 1);
}

#[test]
fn a_file_is_chosen_from_a_list_or_dropped() {
    let (mut window, memory) = window();
    let gale = OAK.replace("3.0", "17.0");
    let files = [("gale.toml", gale.as_str()), ("notes.md", "")];
    for (name, text) in files {
        memory.files.borrow_mut().insert(name.into(), text.into());
    }
    press(&mut window, Modifiers::COMMAND, Key::O);
    window.run_steps(4);
    shot(&mut window, "files");
    assert!(
        window.query_by_label("notes.md").is_none(),
        "it does not fit"
    );
    click(&mut window, "gale.toml");
    window
        .get_all_by_label("Open")
        .last()
        .expect("a button")
        .click();
    window.run_steps(4);
    assert_eq!(text(&window), Project::parse(&gale, "x").unwrap().to_toml());
    // The first one again, dropped.
    memory
        .files
        .borrow_mut()
        .insert("calm.toml".into(), OAK.into());
    let dropped = Arc::new(Dropped("calm.toml".into()));
    window.input_mut().dropped_files.push(dropped);
    window.run_steps(4);
    assert_eq!(text(&window), Project::parse(OAK, "x").unwrap().to_toml());
}

#[derive(Debug)]
struct Dropped(PathBuf);

impl DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }

    fn bytes(&self) -> Result<Vec<u8>, String> {
        Ok(OAK.into())
    }
}

#[test]
fn a_preset_sets_several_things_and_is_one_edit() {
    let (mut window, memory) = window();
    let before = text(&window);
    choose(&mut window, "Weather", "Snowfall");
    assert!(text(&window).contains("[snow]"), "{}", text(&window));
    choose(&mut window, "Wood", "Supple");
    assert!(text(&window).contains("branch_stiffness = 0.25"));
    for _ in 0..2 {
        press(&mut window, Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(text(&window), before);
    // Any project is one.
    let other = OAK.replace("3.0", "12.0").replace("oak", "pine");
    memory.files.borrow_mut().insert("mine.toml".into(), other);
    window.get_by_label("Settings of a file …").scroll_to_me();
    window.run_steps(4);
    click(&mut window, "Settings of a file …");
    click(&mut window, "mine.toml");
    click(&mut window, "Take over");
    window.run_steps(2);
    assert!(text(&window).contains("speed = 12.0"), "{}", text(&window));
    assert!(text(&window).contains("oak"), "the tree is the same");
}

#[test]
fn a_branch_keeps_the_pose_that_it_has_and_is_straightened_with_all_it_carries() {
    let (mut window, _) = window();
    window.run_steps(30);
    tab(&mut window, "Wood");
    let at = trunk(&window);
    click_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::Space);
    click(&mut window, "Keep its pose as it is now");
    let poses = |window: &Window| {
        let poses = studio(window).project().get("tree.0.pose").cloned();
        poses.and_then(|p| p.as_array().map(Vec::len)).unwrap_or(0)
    };
    let kept = poses(&window);
    assert!(kept > 20, "the wind bends many joints: {kept}");
    window.run_steps(2);
    let text = format!("Straighten it and all it carries ({kept})");
    window.get_by_label(&text).scroll_to_me();
    window.run_steps(4);
    click(&mut window, &text);
    assert_eq!(poses(&window), 0);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(poses(&window), kept);
}

#[test]
fn a_grammar_gets_deeper_while_it_moves_and_is_drawn_as_curves() {
    let plant = "version = 1\n[[tree]]\ngrammar = 'binary'\ndepth = 6\nsolver = 'particles'\n[wind]\nspeed = 9.0\n";
    let mut window = window_on(plant, &Memory::default(), DESKTOP, Theme::Dark);
    window.run_steps(30);
    tab(&mut window, "View");
    click(&mut window, "Curves through joints");
    window.run_steps(3);
    shot(&mut window, "curves");
    for (display, name) in [
        ("Flat", "flat"),
        ("Wireframe", "wire"),
        ("Skeleton", "skeleton"),
    ] {
        choose(&mut window, "Show", display);
        shot(&mut window, &format!("curves-{name}"));
    }
    choose(&mut window, "Show", "Smooth");
    tab(&mut window, "Tree");
    let before = studio(&window).seconds();
    assert!(before > 0.5, "{before}");
    let slider = window.get_by_role_and_label(Role::Slider, "Depth");
    slider.focus();
    window.run_steps(1);
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    window.run_steps(3);
    assert!(text(&window).contains("depth = 7"), "{}", text(&window));
    let after = studio(&window).seconds();
    assert!(after > before, "time goes on: {before} {after}");
    shot(&mut window, "deeper");
    tab(&mut window, "World");
    shot(&mut window, "particles-world");
}

#[test]
fn wind_is_set_by_its_parts_and_stopped() {
    let (mut window, _) = window();
    tab(&mut window, "Wind");
    let slider = window.get_by_role_and_label(Role::Slider, "Up, y");
    slider.focus();
    window.run_steps(1);
    press(&mut window, Modifiers::NONE, Key::ArrowRight);
    assert!(text(&window).contains("velocity = ["), "{}", text(&window));
    window.get_by_label("Stop the wind").scroll_to_me();
    window.run_steps(4);
    click(&mut window, "Stop the wind");
    assert!(text(&window).contains("speed = 0.0"), "{}", text(&window));
    assert!(!text(&window).contains("velocity"));
}

/// Constants of the solver `contact` are rows of its panel, and what is set there is in the project and moves the tree.
#[test]
fn constants_of_contacts_are_set_while_the_tree_moves() {
    let plant = "version = 1\n[[tree]]\nbuiltin = 'stems'\nsolver = 'contact'\n[tree.stems]\nstems = 14\nleaves = 21\n[wind]\nspeed = 8.0\n";
    let mut window = window_on(plant, &Memory::default(), DESKTOP, Theme::Dark);
    window.run_steps(10);
    tab(&mut window, "World");
    for (row, key) in [
        ("Rigidity Kr", "rigidity"),
        ("Transfer Kt", "transfer"),
        ("Damping Kd", "damping"),
        ("Leaf wind Cw", "leaf_wind"),
        ("Blade stiffness", "blade_stiffness"),
        ("Angle limit", "angle"),
        ("Response Cr", "force"),
        ("Gap", "gap"),
        ("Rounds", "responses"),
    ] {
        let slider = window.get_by_role_and_label(Role::Slider, row);
        slider.scroll_to_me();
        slider.focus();
        window.run_steps(3);
        press(&mut window, Modifiers::NONE, Key::ArrowRight);
        assert!(
            text(&window).contains(&format!("{key} = ")),
            "{row}: {}",
            text(&window)
        );
    }
    choose(&mut window, "Responses", "cases of the paper");
    assert!(text(&window).contains("directions = \"cases\""));
    let before = studio(&window).seconds();
    window.run_steps(5);
    assert!(studio(&window).seconds() > before, "time goes on");
    shot(&mut window, "contact-world");
    choose(&mut window, "Step of stems", "as printed");
    assert!(text(&window).contains("scheme = \"as-printed\""));
}

#[test]
fn a_file_that_does_not_grow_is_named_and_the_project_stays() {
    let (mut window, _) = window();
    let before = (text(&window), studio(&window).shown());
    for name in ["no-such-scan.csv", "no-such-grammar.lsys"] {
        let dropped = Arc::new(Dropped(name.into()));
        window.input_mut().dropped_files.push(dropped);
        window.run_steps(4);
        let said = studio(&window).last_message().expect("a message");
        assert!(said.contains(name), "{said}");
        assert_eq!((text(&window), studio(&window).shown()), before);
        assert!(!studio(&window).is_unsaved());
    }
}

#[test]
fn what_is_recovered_is_saved_where_it_came_from_and_an_undone_opening_is_not_saved_over_another_file()
 {
    let memory = Memory::default();
    let edited = OAK.replace("3.0", "8.5");
    *memory.unsaved.borrow_mut() = Some(format!("# Unsaved edits of /trees/oak.toml\n{edited}"));
    let same = Memory::default();
    *same.unsaved.borrow_mut() = Some(OAK.into());
    let saved = window_on(OAK, &same, DESKTOP, Theme::Dark);
    assert!(saved.query_by_label("Go on with it").is_none());
    let mut window = window_on(OAK, &memory, DESKTOP, Theme::Dark);
    // Neither a key nor a click beside it throws work away.
    press(&mut window, Modifiers::NONE, Key::Escape);
    click(&mut window, "Go on with it");
    press(&mut window, Modifiers::COMMAND, Key::S);
    window.run_steps(2);
    let saved = memory.files.borrow().get("/trees/oak.toml").cloned();
    assert!(saved.expect("saved there").contains("speed = 8.5"));
    assert!(!studio(&window).is_unsaved());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::S);
    window.run_steps(2);
    assert_eq!(memory.files.borrow().len(), 1, "it asks where");
    assert!(
        window.query_by_label("Replace").is_some() || window.query_by_label("Cancel").is_some()
    );
}

#[test]
fn a_window_with_unsaved_edits_asks_before_it_closes() {
    let (mut window, memory) = window();
    tab(&mut window, "Wind");
    click(&mut window, "6");
    let close = |window: &mut Window| {
        let root = window.input_mut().viewports.entry(ViewportId::ROOT);
        root.or_default().events.push(ViewportEvent::Close);
        window.step();
        let root = window.input_mut().viewports.entry(ViewportId::ROOT);
        root.or_default().events.clear();
        let output = &window.output().viewport_output[&ViewportId::ROOT];
        output.commands.contains(&ViewportCommand::CancelClose)
    };
    assert!(close(&mut window), "it stays open");
    window.run_steps(2);
    // The first one is in the bar above.
    let save = window.get_all_by_label("Save").last();
    save.expect("a button").click();
    window.run_steps(3);
    // Where to is asked first, and then it closes.
    press(&mut window, Modifiers::NONE, Key::Enter);
    window.run_steps(2);
    assert_eq!(memory.files.borrow().len(), 1);
    assert!(!studio(&window).is_unsaved());
    assert!(!close(&mut window), "nothing is lost any more");
}

/// What takes long on a large tree does not hold up the window.
#[test]
fn another_part_of_a_large_tree_is_chosen_beside_the_window() {
    let large = OAK.replace("600", "120000");
    let memory = Memory::default();
    let mut window = window_on(&large, &memory, DESKTOP, Theme::Dark);
    window.run_steps(2);
    let [moving, all] = studio(&window).moving().expect("it has grown");
    assert!(all > 100_000 && moving < all / 2, "{moving} of {all}");
    let said = studio(&window).last_message().expect("it says so");
    assert!(said.contains("hold the frame rate"), "{said}");
    memory.wait();
    window.get_by_label("Up to an order").scroll_to_me();
    window.run_steps(6);
    click(&mut window, "Up to an order");
    assert!(studio(&window).is_busy(), "the trees are away");
    // Meanwhile the camera is led, another tab looked at, and an edit made.
    let sky = window.get_by_label("Viewport").rect().right_top() + vec2(-40.0, 40.0);
    drag(&mut window, sky, sky + vec2(-90.0, 60.0));
    button(&window, sky, false);
    for panel in ["Wind", "View", "Tree"] {
        tab(&mut window, panel);
    }
    shot(&mut window, "busy");
    click(&mut window, "Another");
    assert!(studio(&window).is_busy());
    press(&mut window, Modifiers::COMMAND, Key::Z);
    memory.go_on();
    window.run_steps(3);
    assert!(!studio(&window).is_busy());
    assert!(
        text(&window).contains("most_order = 2"),
        "{}",
        text(&window)
    );
    assert!(studio(&window).moving().expect("back")[0] < all);
    // What is under the pointer is found, however many there are.
    let at = trunk(&window);
    drag(&mut window, at, at + vec2(90.0, 0.0));
    window.run_steps(3);
    assert_eq!(studio(&window).pull_forces().len(), 1);
    shot(&mut window, "large");
}

#[test]
fn a_tree_without_state_is_tuned_while_it_moves() {
    let (mut window, _) = window();
    tab(&mut window, "World");
    choose(&mut window, "Method", "Spectral");
    window.run_steps(6);
    choose(&mut window, "Level", "limbs");
    window.run_steps(2);
    window
        .get_by_label("Fold Levels of branches")
        .scroll_to_me();
    window.run_steps(4);
    shot(&mut window, "spectral");
    assert!(
        window.query_by_label("leaves").is_some()
            && window.query_by_label("across, one way").is_some(),
        "textures are shown"
    );
    let before = motion(&mut window);
    choose(&mut window, "Bending", "positions only");
    assert!(text(&window).contains("simple"), "{}", text(&window));
    assert_ne!(motion(&mut window), before, "it moves otherwise at once");
    let wood = trunk(&window);
    click_at(&mut window, wood);
    for name in ["Fold Painted places", "Hold the chosen place"] {
        window.get_by_label(name).scroll_to_me();
        window.run_steps(4);
        click(&mut window, name);
    }
    window.run_steps(2);
    assert!(text(&window).contains("weight"), "{}", text(&window));
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!text(&window).contains("weight"), "{}", text(&window));
}

/// Plain triangles, as any program writes them.
#[test]
fn a_model_without_bones_is_dropped_and_moves() {
    let scene = "version = 1\n[[tree]]\nspecies = \"birch\"\nbodies = 500\nseed = 3\n";
    let scene = Scene::parse(scene, "birch.toml").unwrap();
    let model = scene.build_to_draw().unwrap().1.remove(0);
    let detail = Detail::within(20_000, &model.bodies, &model.look);
    let skin = Skin::new(&model.bodies, &model.look, &detail);
    let tree = GlbTree {
        name: "birch".into(),
        bodies: &model.bodies,
        skin: &skin,
        look: &model.look,
        at: treesway::glam::Vec3::ZERO,
        motion: None,
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("birch.glb");
    let mut bytes = Vec::new();
    let (balls, options) = (ThingClip::default(), GlbOptions::default());
    write_glb(&[tree], &balls, &options, &mut bytes, &|_| true).unwrap();
    std::fs::write(&file, bytes).unwrap();
    let (mut window, _) = window();
    window
        .input_mut()
        .dropped_files
        .push(Arc::new(Dropped(file)));
    window.run_steps(6);
    assert!(text(&window).contains("birch.glb"), "{}", text(&window));
    let [_, bodies] = studio(&window).moving().expect("it has grown");
    assert!(bodies > 200, "{bodies} bodies were found");
    tab(&mut window, "World");
    choose(&mut window, "Method", "Spectral");
    let still = motion(&mut window);
    steps(&mut window);
    assert_ne!(studio(&window).state_hash(), Some(still), "it sways");
    shot(&mut window, "foreign");
    press(&mut window, Modifiers::COMMAND, Key::Z);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert!(!text(&window).contains("birch.glb"), "{}", text(&window));
}
