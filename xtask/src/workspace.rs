//! What cargo knows of the workspace.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// `cargo metadata` of the members.
pub struct Workspace(Value);

impl Workspace {
    /// Asks cargo.
    pub fn read() -> Result<Self, String> {
        let arguments = ["metadata", "--no-deps", "--format-version", "1"];
        let text = output(&program(), &arguments)?;
        let value = serde_json::from_str(&text)
            .map_err(|error| format!("cargo metadata is not JSON: {error}"))?;
        Ok(Self(value))
    }

    /// Names of the packages with a library.
    pub fn libraries(&self) -> Vec<&str> {
        self.packages()
            .filter(|package| targets(package).any(|target| is(target, "lib")))
            .filter_map(|package| package["name"].as_str())
            .collect()
    }

    /// Whether a package has an integration test of that name.
    pub fn has_test(&self, package: &str, test: &str) -> bool {
        self.packages()
            .filter(|p| p["name"] == package)
            .flat_map(targets)
            .any(|target| is(target, "test") && target["name"] == test)
    }

    /// Where cargo puts what it builds.
    pub fn target_folder(&self) -> Result<PathBuf, String> {
        let folder = self.0["target_directory"].as_str();
        folder
            .map(PathBuf::from)
            .ok_or_else(|| "cargo metadata names no target folder".into())
    }

    fn packages(&self) -> impl Iterator<Item = &Value> {
        self.0["packages"].as_array().into_iter().flatten()
    }
}

fn targets(package: &Value) -> impl Iterator<Item = &Value> {
    package["targets"].as_array().into_iter().flatten()
}

fn is(target: &Value, kind: &str) -> bool {
    let mut kinds = target["kind"].as_array().into_iter().flatten();
    kinds.any(|k| k == kind)
}

/// The folder that holds the workspace.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask lies in the workspace")
}

/// The cargo that runs us.
pub fn cargo() -> Command {
    Command::new(program())
}

fn program() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".into())
}

/// A command as one would type it.
pub fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name();
    let words = program.into_iter().chain(command.get_args());
    let words: Vec<_> = words.map(|w| w.to_string_lossy()).collect();
    words.join(" ")
}

/// What a program prints.
pub fn output(program: &str, arguments: &[&str]) -> Result<String, String> {
    printed(Command::new(program).args(arguments))
}

/// What a command prints.
pub fn printed(command: &mut Command) -> Result<String, String> {
    let shown = shown(command);
    let output = command
        .current_dir(root())
        .output()
        .map_err(|error| format!("`{shown}` did not start: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let last = said.lines().last().unwrap_or_default();
        return Err(format!("`{shown}`: {}; {last}", output.status));
    }
    String::from_utf8(output.stdout).map_err(|error| format!("`{shown}`: {error}"))
}
