//! Documents and tracked files keep their promises.

use std::fs;
use std::path::Path;
use std::process::Command;

fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies in the workspace")
}

/// Words between backquotes outside code fences.
fn quoted(markdown: &str) -> Vec<&str> {
    let prose = markdown.split("```").step_by(2);
    prose
        .flat_map(|text| text.split('`').skip(1).step_by(2))
        .collect()
}

/// A quoted word is a path if it has a slash or a known ending, and nothing that a path has not.
fn is_path(word: &str) -> bool {
    let plain = word
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c));
    let ending = [".rs", ".md", ".toml"]
        .iter()
        .any(|end| word.ends_with(end) && word != *end);
    plain && (word.contains('/') || ending)
}

#[test]
fn architecture_names_only_paths_that_exist() {
    let document = root().join("docs/ARCHITECTURE.md");
    let text = fs::read_to_string(&document).expect("docs/ARCHITECTURE.md can be read");
    let paths: Vec<&str> = quoted(&text).into_iter().filter(|w| is_path(w)).collect();
    assert!(!paths.is_empty(), "no path was recognised");
    let missing: Vec<&&str> = paths.iter().filter(|p| !root().join(p).exists()).collect();
    assert!(
        missing.is_empty(),
        "docs/ARCHITECTURE.md names paths that do not exist from the workspace's root: {missing:?}"
    );
}

/// Folders in which people and machines keep their checkouts, as they would begin an absolute path.
fn machine_folders() -> Vec<String> {
    // Written apart, so that this file passes its own test.
    let mut folders: Vec<String> = ["home", "root", "Users", "work", "tmp", "builds"]
        .iter()
        .map(|name| format!("/{name}/"))
        .collect();
    folders.push(format!("{}Users{}", ":\\", '\\'));
    folders
}

/// The first machine path in a line; one that goes on from a word, as in an address, is none.
fn machine_path<'a>(line: &'a str, folders: &[String]) -> Option<&'a str> {
    folders.iter().find_map(|folder| {
        line.match_indices(folder.as_str())
            .find(|(at, _)| {
                let before = line[..*at].chars().next_back();
                folder.starts_with(':')
                    || !before.is_some_and(|c| c.is_alphanumeric() || "._-/}".contains(c))
            })
            .map(|(at, _)| &line[at..])
    })
}

#[test]
fn tracked_files_hold_no_machine_paths() {
    let listed = Command::new("git")
        .args(["ls-files", "-z"])
        .current_dir(root())
        .output()
        .expect("git lists the tracked files");
    assert!(listed.status.success(), "git ls-files: {}", listed.status);
    let names = String::from_utf8(listed.stdout).expect("file names are UTF-8");
    let folders = machine_folders();
    let mut found = Vec::new();
    for name in names.split('\0').filter(|name| !name.is_empty()) {
        // Binary files and files that are being deleted have no lines to look at.
        let Ok(text) = fs::read_to_string(root().join(name)) else {
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            if let Some(path) = machine_path(line, &folders) {
                found.push(format!("{name}:{}: {path}", number + 1));
            }
        }
    }
    assert!(
        found.is_empty(),
        "machine paths in tracked files:\n{}",
        found.join("\n")
    );
}

#[test]
fn machine_paths_are_told_from_addresses() {
    let folders = machine_folders();
    let own = format!("see /{}/me/x", "home");
    assert!(machine_path(&own, &folders).is_some());
    assert!(machine_path("https://example.org/home/page", &folders).is_none());
    assert!(machine_path("a frame of 1/30 s", &folders).is_none());
}
