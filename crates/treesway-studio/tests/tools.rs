//! Tools, camera, help, and panels whose rows move the trees.

mod common;

use common::*;
use eframe::egui::{Key, Modifiers, Pos2, Rect, Role, Theme, vec2};
use egui_kittest::kittest::Queryable as _;
use treesway::BodyId;

/// The motion of a stopped clock from the start on.
fn motion_again(window: &mut Window) -> u64 {
    press(window, Modifiers::NONE, Key::Home);
    steps(window);
    studio(window).state_hash().expect("it has grown")
}

#[test]
fn a_branch_is_cut_off_and_a_restart_brings_it_back() {
    let (mut window, _) = window();
    let whole = motion(&mut window);
    press(&mut window, Modifiers::NONE, Key::C);
    let at = studio(&window).place_of(BodyId(300)).unwrap();
    click_at(&mut window, at);
    let said = studio(&window).last_message().expect("it is said");
    let off: usize = said.split(' ').next().unwrap().parse().expect(said);
    assert!((1..600).contains(&off), "{said}");
    steps(&mut window);
    shot(&mut window, "cut");
    assert!(!studio(&window).is_unsaved(), "a cut is no edit");
    let falling = studio(&window).place_of(BodyId(300)).unwrap();
    assert!(falling.y > at.y, "it falls: {at} {falling}");
    assert_eq!(motion_again(&mut window), whole);
    // The trunk stays.
    let trunk = studio(&window).place_of(BodyId(0)).unwrap();
    click_at(&mut window, trunk);
    steps(&mut window);
    assert_eq!(studio(&window).moving().map(|[_, all]| all), Some(600));
}

#[test]
fn the_ground_shakes_for_a_second() {
    let (mut window, _) = window();
    let calm = motion(&mut window);
    press(&mut window, Modifiers::NONE, Key::Home);
    let root = |window: &Window| studio(window).place_of(BodyId(0)).unwrap();
    let rests = root(&window);
    press(&mut window, Modifiers::NONE, Key::K);
    let mut farthest = 0.0_f32;
    for _ in 0..5 {
        window.key_press(Key::Period);
        window.step();
        farthest = farthest.max(root(&window).distance(rests));
    }
    assert_ne!(studio(&window).state_hash(), Some(calm));
    assert!(farthest > 1.0, "the trunk moves: {farthest} points");
    for _ in 0..40 {
        window.key_press(Key::Period);
        window.step();
    }
    let off = root(&window).distance(rests);
    assert!(off < 0.5, "and stands again: {off} points");
    assert!(!studio(&window).is_unsaved(), "a shake is no edit");
    assert_eq!(motion_again(&mut window), calm, "a restart forgets it");
}

fn places(window: &Window) -> [Pos2; 3] {
    [0, 1, 300].map(|id| studio(window).place_of(BodyId(id)).expect("in front"))
}

fn apart(a: [Pos2; 3], b: [Pos2; 3]) -> f32 {
    let all = a.into_iter().zip(b).map(|(a, b)| a.distance(b));
    all.fold(0.0, f32::max)
}

#[test]
fn the_camera_is_reset_however_it_was_led() {
    let (mut window, _) = window();
    press(&mut window, Modifiers::NONE, Key::Space);
    // What is framed is the tree as it stands, and it stood otherwise when it was framed first.
    press(&mut window, Modifiers::NONE, Key::Home);
    let before = places(&window);
    let sky = window.get_by_label("Viewport").rect().right_top() + vec2(-40.0, 40.0);
    drag(&mut window, sky, sky + vec2(-120.0, 50.0));
    button(&window, sky, false);
    tab(&mut window, "View");
    let roll = window.get_by_role_and_label(Role::Slider, "Roll");
    roll.focus();
    window.run_steps(1);
    for _ in 0..4 {
        press(&mut window, Modifiers::NONE, Key::ArrowRight);
    }
    let led = places(&window);
    assert!(apart(led, before) > 30.0, "{before:?} {led:?}");
    shot(&mut window, "rolled");
    window.get_by_label("Reset camera").scroll_to_me();
    window.run_steps(4);
    click(&mut window, "Reset camera");
    let reset = places(&window);
    assert!(apart(reset, before) < 0.5, "{before:?} {reset:?}");
    assert!(!studio(&window).is_unsaved(), "looking around is no edit");
}

#[test]
fn the_chosen_branch_is_framed_and_then_everything() {
    let (mut window, _) = window();
    press(&mut window, Modifiers::NONE, Key::Space);
    let view: Rect = window.get_by_label("Viewport").rect();
    let before = places(&window);
    let at = before[2];
    click_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::F);
    shot(&mut window, "framed");
    let near = studio(&window).place_of(BodyId(300)).expect("in front");
    assert!(view.contains(near), "{near}");
    let larger = |now: [Pos2; 3]| now[0].distance(now[1]) / before[0].distance(before[1]);
    let near = [0, 1, 300].map(|id| studio(&window).place_of(BodyId(id)));
    if let [Some(a), Some(b), Some(c)] = near {
        assert!(larger([a, b, c]) > 1.5, "{near:?}");
    }
    press(&mut window, Modifiers::NONE, Key::Escape);
    press(&mut window, Modifiers::NONE, Key::F);
    let all = places(&window);
    assert!(all.iter().all(|place| view.contains(*place)), "{all:?}");
    assert!((0.5..1.5).contains(&larger(all)), "{all:?} {before:?}");
}

#[test]
fn help_lies_over_everything_until_it_is_closed() {
    let (mut window, _) = window();
    for key in [Key::F1, Key::Questionmark] {
        press(&mut window, Modifiers::NONE, key);
        assert!(window.query_by_label("Keys and gestures").is_some());
        // What it explains is not done meanwhile.
        press(&mut window, Modifiers::COMMAND, Key::S);
        press(&mut window, Modifiers::NONE, Key::Num3);
        assert!(window.query_by_label("Stop the wind").is_none());
        press(&mut window, Modifiers::NONE, Key::Escape);
        assert!(window.query_by_label("Keys and gestures").is_none());
    }
    press(&mut window, Modifiers::NONE, Key::Num3);
    assert!(window.query_by_label("Stop the wind").is_some());
}

#[test]
fn a_pose_is_undone_to_the_last_bit() {
    let (mut window, _) = window();
    let straight = motion(&mut window);
    press(&mut window, Modifiers::NONE, Key::B);
    let from = studio(&window).place_of(BodyId(300)).unwrap();
    drag(&mut window, from, from + vec2(120.0, 0.0));
    window.run_steps(20);
    button(&window, from + vec2(120.0, 0.0), false);
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Space);
    let bent = motion_again(&mut window);
    assert_ne!(bent, straight);
    press(&mut window, Modifiers::COMMAND, Key::Z);
    assert_eq!(motion_again(&mut window), straight);
    press(&mut window, Modifiers::COMMAND | Modifiers::SHIFT, Key::Z);
    assert_eq!(motion_again(&mut window), bent);
}

/// A row of a panel, the one further down where there are two: an arrow key changes the project and the motion, and undo brings both back.
fn row_moves_the_trees(window: &mut Window, row: &str, key: &str) {
    let before = motion_again(window);
    let sliders = window.get_all_by_role_and_label(Role::Slider, row);
    let slider = sliders.last().expect("a row");
    slider.scroll_to_me();
    slider.focus();
    window.run_steps(3);
    for _ in 0..3 {
        press(window, Modifiers::NONE, Key::ArrowRight);
    }
    assert!(text(window).contains(key), "{row}: {}", text(window));
    assert_ne!(motion_again(window), before, "{row}");
    while text(window).contains(key) {
        press(window, Modifiers::COMMAND, Key::Z);
    }
    assert_eq!(motion_again(window), before, "{row}");
}

#[test]
fn how_leaves_flap_sway_and_twist_is_seen_in_their_motion() {
    let (mut window, _) = window();
    motion(&mut window);
    tab(&mut window, "Wood");
    for (row, key) in [
        ("Flapping", "flap_hz"),
        ("Swaying", "sway_hz"),
        ("Twisting", "twist_hz"),
    ] {
        row_moves_the_trees(&mut window, row, key);
    }
}

#[test]
fn a_wind_that_turns_and_the_lee_of_a_tree_are_seen_in_the_motion() {
    let two = "version = 1\n[[tree]]\nspecies = 'oak'\nbodies = 300\n[[tree]]\nspecies = 'oak'\nbodies = 300\nat = [9.0, 0.0, 0.0]\n[wind]\nspeed = 9.0\n";
    let mut window = window_on(two, &Memory::default(), DESKTOP, Theme::Dark);
    motion(&mut window);
    // Its own strength is not shown with this tool.
    press(&mut window, Modifiers::NONE, Key::L);
    tab(&mut window, "Wind");
    row_moves_the_trees(&mut window, "Wiggle", "[wind.wiggle]");
    row_moves_the_trees(&mut window, "Strength", "[wind.shelter]");
}
