//! The window answers, however long a step takes.

mod common;

use common::*;
use eframe::egui::{Key, Modifiers, Theme, vec2};
use egui_kittest::kittest::Queryable as _;

const STEMS: &str = "version = 1\n[[tree]]\nbuiltin = 'stems'\nsolver = 'contact'\n[tree.stems]\nstems = 14\nleaves = 21\n[wind]\nspeed = 8.0\n";

/// Its frames take most of a second: fifty steps of a tree that meets itself.
const APPLE: &str = "version = 1\n[[tree]]\nspecies = 'apple'\nbodies = 700\nsubsteps = 50\nsolver = 'contact'\n[wind]\nspeed = 8.0\n";

/// Steps that may take long are taken beside the window, which goes on: what is done meanwhile is done to what is shown, and not lost when the steps are there.
#[test]
fn a_step_that_takes_long_does_not_hold_up_the_window() {
    let memory = Memory::default();
    let mut window = window_on(STEMS, &memory, DESKTOP, Theme::Dark);
    memory.threads.set(true);
    memory.wait();
    window.run_steps(3);
    let before = studio(&window).seconds();
    window.run_steps(30);
    assert_eq!(studio(&window).seconds(), before, "the step takes its time");
    // Meanwhile the camera is led, a stem held, a ball thrown and the wind turned up.
    let sky = window.get_by_label("Viewport").rect().right_top() + vec2(-40.0, 40.0);
    let place = trunk(&window);
    drag(&mut window, sky, sky + vec2(-90.0, 60.0));
    button(&window, sky, false);
    window.run_steps(2);
    assert_ne!(trunk(&window), place, "the camera turns");
    tab(&mut window, "Wind");
    click(&mut window, "6");
    press(&mut window, Modifiers::NONE, Key::T);
    let at = trunk(&window);
    click_at(&mut window, at);
    press(&mut window, Modifiers::NONE, Key::P);
    let at = trunk(&window);
    drag(&mut window, at, at + vec2(60.0, 0.0));
    let held = |window: &Window| (studio(window).balls(), studio(window).pull_forces().len());
    assert_eq!(held(&window), (1, 1));
    for _ in 0..4 {
        memory.go_on();
        memory.wait();
        window.run_steps(3);
    }
    let after = studio(&window).seconds();
    assert!(after > before, "{before} {after}");
    assert_eq!(held(&window), (1, 1), "nothing is lost");
    let force = studio(&window).pull_forces()[0];
    assert!(force > 0.1, "the hand pulls: {force} N");
    button(&window, at + vec2(60.0, 0.0), false);
    window.run_steps(2);
    press(&mut window, Modifiers::NONE, Key::Home);
    for _ in 0..2 {
        memory.go_on();
        memory.wait();
        window.run_steps(2);
    }
    let restarted = studio(&window).seconds();
    assert!(restarted < after, "{after} {restarted}");
    assert_eq!(held(&window), (0, 0));
}

/// The same steps, beside the window or in it.
#[test]
fn steps_beside_the_window_are_the_same_to_the_last_bit() {
    let here = motion(&mut window_on(
        STEMS,
        &Memory::default(),
        DESKTOP,
        Theme::Dark,
    ));
    let memory = Memory::default();
    let mut window = window_on(STEMS, &memory, DESKTOP, Theme::Dark);
    press(&mut window, Modifiers::NONE, Key::Space);
    press(&mut window, Modifiers::NONE, Key::Home);
    memory.threads.set(true);
    memory.wait();
    for _ in 0..5 {
        window.key_press(Key::Period);
        window.run_steps(2);
        memory.go_on();
        memory.wait();
        window.run_steps(2);
    }
    assert_eq!(studio(&window).state_hash(), Some(here));
}

/// An apple tree that meets itself: no drawn frame takes nearly as long as one of its steps.
#[test]
#[ignore = "a measurement, for a quiet machine and a release build"]
fn a_tree_that_meets_itself_moves_while_the_window_answers() {
    let memory = Memory::default();
    memory.threads.set(true);
    let mut window = window_on(APPLE, &memory, DESKTOP, Theme::Dark);
    let start = std::time::Instant::now();
    let (mut worst, mut drawn) = (0.0_f32, 0);
    while studio(&window).seconds() == 0.0 && start.elapsed().as_secs() < 120 {
        let frame = std::time::Instant::now();
        window.step();
        worst = worst.max(frame.elapsed().as_secs_f32() * 1e3);
        drawn += 1;
    }
    let step = studio(&window).step_ms();
    println!("{drawn} frames, at worst {worst} ms; a step takes {step} ms");
    assert!(studio(&window).seconds() > 0.0, "it moves");
    assert!(worst < 0.5 * step, "{worst} of {step} ms");
}

/// Where there are no threads a step that holds up the window stops the clock, and the user says how to go on.
#[test]
fn without_threads_a_step_that_takes_long_stops_the_clock() {
    let mut window = window_on(APPLE, &Memory::default(), DESKTOP, Theme::Dark);
    window.run_steps(10);
    let stopped = studio(&window).seconds();
    shot(&mut window, "too-slow");
    window.run_steps(5);
    assert_eq!(studio(&window).seconds(), stopped);
    click(&mut window, "Go on all the same");
    window.run_steps(1);
    let slowly = studio(&window).seconds();
    assert!(slowly > stopped, "it goes on");
    press(&mut window, Modifiers::NONE, Key::Space);
}

/// The way out is another solver where trees meet themselves, and fewer bodies where they do not.
#[test]
fn without_threads_slow_trees_are_made_faster() {
    let mut window = window_on(APPLE, &Memory::default(), DESKTOP, Theme::Dark);
    window.run_steps(5);
    let stopped = studio(&window).seconds();
    click(&mut window, "Let them pass through themselves");
    assert!(text(&window).contains("solver = \"coupled\""));
    window.run_steps(5);
    assert!(studio(&window).seconds() > stopped, "it goes on");

    let many = OAK.replace("600", "90000\nsubsteps = 60");
    let mut window = window_on(&many, &Memory::default(), DESKTOP, Theme::Dark);
    window.run_steps(5);
    let stopped = studio(&window).seconds();
    let [moving, all] = studio(&window).moving().unwrap();
    assert_eq!(moving, all);
    click(&mut window, "Move fewer bodies");
    window.run_steps(3);
    assert!(studio(&window).seconds() > stopped, "it goes on");
    let [fewer, _] = studio(&window).moving().unwrap();
    assert!(fewer < moving / 2, "{fewer} of {moving}");
}
