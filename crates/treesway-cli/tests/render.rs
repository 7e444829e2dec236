//! Pictures from outside: whole files only, whenever the program is stopped.
#![cfg(unix)]

mod common;

use common::{assert_refused, files, folder, interrupted, succeed, treesway};
use std::fs;
use std::path::Path;

const SMALL: [&str; 8] = [
    "--set",
    "bodies=300",
    "--size",
    "96x64",
    "--quality",
    "low",
    "--set",
    "wind.speed=6",
];

fn sequence<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&["render", "oak", "-o", "%03d.png"], &SMALL[..], more].concat()
}

fn bytes(folder: &Path, name: &str) -> Vec<u8> {
    fs::read(folder.join(name)).unwrap()
}

#[test]
fn an_interrupted_sequence_is_whole_pictures_and_goes_on() {
    for signal in ["INT", "TERM"] {
        let folder = folder();
        let here = folder.path();
        let code = interrupted(here, &sequence(&["--frames", "900"]), 3, signal);
        assert_eq!(code, Some(130), "{signal}");
        let taken = files(here);
        let expected: Vec<String> = (0..taken.len()).map(|i| format!("{i:03}.png")).collect();
        assert_eq!(taken, expected, "{signal}: the first ones and nothing else");
        assert!(taken.len() < 900);
        for name in &taken {
            let picture = image::open(here.join(name)).unwrap();
            assert_eq!((picture.width(), picture.height()), (96, 64), "{name}");
        }
        // One that is there is not taken again.
        fs::write(here.join("000.png"), "mine").unwrap();
        let all = (taken.len() + 2).to_string();
        succeed(here, &sequence(&["--frames", &all, "--resume"]));
        assert_eq!(files(here).len(), taken.len() + 2);
        assert_eq!(bytes(here, "000.png"), b"mine");
        // What was added is what a run without a break shows.
        let straight = common::folder();
        succeed(straight.path(), &sequence(&["--frames", &all]));
        let last = format!("{:03}.png", taken.len() + 1);
        assert!(
            bytes(here, &last) == bytes(straight.path(), &last),
            "{last}"
        );
        assert!(bytes(here, &last) != bytes(here, "001.png"), "it moves");
    }
}

#[test]
fn an_interrupted_film_leaves_nothing() {
    let folder = folder();
    let film = ["render", "oak", "-o", "a.webp", "--frames", "100000"];
    let code = interrupted(folder.path(), &[&film, &SMALL[..]].concat(), 1, "INT");
    assert_eq!(code, Some(130));
    assert!(files(folder.path()).is_empty());
}

#[test]
fn pictures_that_cannot_be_are_refused_in_one_line() {
    let folder = folder();
    let cases: [(&[&str], &str); 4] = [
        (&["-o", "a.png", "--frames", "0"], "--frames is 0; expected"),
        (
            &["-o", "a.png", "--frames", "2"],
            "a.png: one name for several pictures",
        ),
        (
            &["-o", "a.bmp"],
            "a.bmp: pictures cannot be written in this format",
        ),
        (
            &["-o", "a.png", "--camera", "1,2"],
            "--camera: found 2 numbers; expected 3",
        ),
    ];
    for (arguments, part) in cases {
        let arguments = [&["render", "oak"], arguments, &SMALL[..]].concat();
        assert_refused(folder.path(), &arguments, &[part]);
    }
}

/// Every way to show the particle tree and every part that can be left out gives another picture, as curves and as bark.
#[test]
fn every_display_is_a_picture_of_its_own() {
    let folder = folder();
    let here = folder.path();
    let displays: [&[&str]; 9] = [
        &[],
        &["--mode", "flat"],
        &["--mode", "wireframe"],
        &["--mode", "skeleton"],
        &["--no-textures"],
        &["--no-background"],
        &["--no-shadow"],
        &["--no-lighting"],
        &["--curves", "1"],
    ];
    let common = [
        "render",
        "particles",
        "--at",
        "1",
        "--size",
        "96x96",
        "--quality",
        "low",
    ];
    let mut seen: Vec<(Vec<u8>, String)> = Vec::new();
    for curves in [&[][..], &["--curves", "3"]] {
        for display in displays {
            if !curves.is_empty() && display.contains(&"--curves") {
                continue;
            }
            let name = format!("{}.png", seen.len());
            succeed(
                here,
                &[&common[..], curves, display, &["-o", &name]].concat(),
            );
            let picture = bytes(here, &name);
            let what = format!("{curves:?} {display:?}");
            let same = seen.iter().find(|(other, _)| *other == picture);
            assert!(same.is_none(), "{what} looks as {}", same.unwrap().1);
            seen.push((picture, what));
        }
    }
    let wrong = ["render", "particles", "-o", "a.png", "--curves", "0"];
    let outcome = treesway(here, &wrong);
    assert_eq!(outcome.code, Some(2), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("--curves"), "{}", outcome.stderr);
}
