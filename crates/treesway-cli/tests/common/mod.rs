//! The program from outside.
#![allow(dead_code, reason = "not every test uses all of it")]

use assert_cmd::cargo::cargo_bin_cmd;
use std::fs;
use std::path::Path;
use std::process::{Child, Command as Process, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How a run ended.
pub struct Outcome {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

/// Runs the program in a folder, without a display.
pub fn treesway(folder: &Path, arguments: &[&str]) -> Outcome {
    let output = cargo_bin_cmd!("treesway")
        .current_dir(folder)
        .args(arguments)
        .env_remove("DISPLAY")
        .env_remove("WAYLAND_DISPLAY")
        .output()
        .unwrap();
    Outcome {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What it prints.
pub fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let outcome = treesway(folder, arguments);
    assert_eq!(outcome.code, Some(0), "{arguments:?}: {}", outcome.stderr);
    outcome.stdout
}

/// Exit code 2, one line on stderr with the given parts, and no new file.
pub fn assert_refused(folder: &Path, arguments: &[&str], parts: &[&str]) {
    let before = files(folder);
    let Outcome { code, stderr, .. } = treesway(folder, arguments);
    assert_eq!(code, Some(2), "{arguments:?}: {stderr}");
    assert_eq!(stderr.trim_end().lines().count(), 1, "{stderr}");
    for part in parts {
        assert!(stderr.contains(part), "{part} is missing from: {stderr}");
    }
    assert_eq!(files(folder), before, "{arguments:?} left files");
}

/// One that vanishes.
pub fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// Names, sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Starts the program, and sends it a signal once there are so many files in its folder. Returns its exit code.
#[cfg(unix)]
pub fn interrupted(folder: &Path, arguments: &[&str], count: usize, signal: &str) -> Option<i32> {
    let mut child: Child = Process::new(assert_cmd::cargo::cargo_bin!("treesway"))
        .current_dir(folder)
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let start = Instant::now();
    while files(folder).len() < count {
        assert!(start.elapsed() < Duration::from_secs(300), "{arguments:?}");
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = Process::new("kill")
        .args([&format!("-{signal}"), &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    child.wait().unwrap().code()
}
