//! The studio's window, opened on a display that only exists in memory and driven with a real mouse and keyboard: a branch is bent, the bend is
//! seen, saved, and there when the window is opened again; the program is killed in the middle of an edit, and offers it when it is started again; files that are no
//! projects are refused, and nothing is lost; a clip is written while branches are pulled, another one is cancelled and leaves nothing.

use crate::adapter::install;
use crate::steps::{self, Outcome};
use crate::workspace::{Workspace, output};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A display in memory, and a hand, on Debian and Ubuntu.
const PACKAGES: [&str; 2] = ["xvfb", "xdotool"];

/// Size of the display, pixels.
const SIZE: [usize; 2] = [1280, 720];

/// Longest wait for anything, busy machines included.
const PATIENCE: Duration = Duration::from_secs(120);

/// The same for 120 pictures that software draws.
const LONG_PATIENCE: Duration = Duration::from_secs(480);

/// In the middle of the crown: the tools are 60 pixels wide, the panel 334.
const CROWN: [i32; 2] = [504, 300];

/// The button that cancels an export.
const CANCEL: [i32; 2] = [1182, 706];

/// Its bar: a row of pixels above what is written on it, from there up to there.
const BAR: [usize; 3] = [699, 1030, 1140];

/// Pixels that change when a question darkens the viewport, or no longer does.
const DIMMED: Range<usize> = 100_000..usize::MAX;

const SCENE: &str = "version = 1\n[[tree]]\nspecies = \"oak\"\nbodies = 1500\n";

/// A process that ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Opens the window and uses it.
pub fn drive() -> Outcome {
    if !has_programs() {
        PACKAGES.iter().try_for_each(|package| install(package))?;
    }
    let folder = Workspace::read()?.target_folder()?;
    // One that is there already may be named.
    let program = match std::env::var_os("TREESWAY_PROGRAM") {
        Some(program) => PathBuf::from(program),
        None => steps::program("treesway")?,
    };
    let desk = Desk::set_up(&folder.join("studio-window"))?;
    let scene = desk.folder.join("oak.toml");
    fs::write(&scene, SCENE).map_err(|e| format!("{}: {e}", scene.display()))?;

    bend_and_save(&desk, &program, &scene)?;
    die_and_recover(&desk, &program, &scene)?;
    refuse_what_is_no_project(&desk, &program, &scene)?;
    export_and_cancel(&desk, &program, &scene)
}

/// A branch is bent, the bend is seen, saved, and there when the window is opened again.
fn bend_and_save(desk: &Desk, program: &Path, scene: &Path) -> Outcome {
    let window = desk.open(program, scene)?;
    desk.hand(&["key", "b"])?;
    // Nothing moves by itself: the scene has no wind.
    let straight = desk.still()?;
    desk.drag(CROWN, [144, 0])?;
    expect("under a pull", &straight, &desk.screen()?, 2000..usize::MAX)?;
    desk.hand(&["mouseup", "1"])?;
    pause(1500);
    desk.hand(&["key", "ctrl+s"])?;
    let saved = || fs::read_to_string(scene).is_ok_and(|text| text.contains("[[tree.pose]]"));
    wait_for("the bend in the saved file", saved)?;
    drop(window);
    let _window = desk.open(program, scene)?;
    let bent = desk.still()?;
    expect("after it was bent", &straight, &bent, 2000..usize::MAX)
}

/// The program is killed in the middle of an edit: the file is as it was saved, the edit is offered, taken, seen and saved.
fn die_and_recover(desk: &Desk, program: &Path, scene: &Path) -> Outcome {
    let saved = fs::read(scene).map_err(|e| e.to_string())?;
    let window = desk.open(program, scene)?;
    desk.hand(&["key", "b"])?;
    desk.drag(CROWN, [-120, 60])?;
    desk.hand(&["mouseup", "1"])?;
    let kept = desk.folder.join("treesway/unsaved-0.toml");
    wait_for("unsaved work to be kept", || kept.exists())?;
    desk.hand(&["mousemove", "504", "690"])?;
    let edited = desk.still()?;
    // In the middle of the next one; ended as `kill -9` does.
    desk.drag(CROWN, [60, 60])?;
    drop(window);
    desk.hand(&["mouseup", "1"])?;
    if fs::read(scene).map_err(|e| e.to_string())? != saved {
        return Err("the file changed though nobody saved it".into());
    }
    let window = desk.open(program, scene)?;
    let asked = desk.still()?;
    // Behind the question everything is darker.
    expect("behind the question", &edited, &asked, DIMMED)?;
    desk.hand(&["key", "Return"])?;
    desk.hand(&["mousemove", "504", "690"])?;
    pause(1500);
    let recovered = desk.still()?;
    expect("by the answer", &asked, &recovered, DIMMED)?;
    desk.hand(&["key", "ctrl+s"])?;
    let changed = || fs::read(scene).is_ok_and(|now| now != saved);
    wait_for("the edit in the file", changed)?;
    wait_for("the kept work to go", || !kept.exists())?;
    drop(window);
    let _window = desk.open(program, scene)?;
    let opened = desk.still()?;
    expect("from recovery to opening", &recovered, &opened, 0..2000)
}

/// Files that are broken, foreign or missing: one line in red below the trees, which stay.
fn refuse_what_is_no_project(desk: &Desk, program: &Path, scene: &Path) -> Outcome {
    let saved = fs::read(scene).map_err(|e| e.to_string())?;
    let files: [(&str, &[u8]); 3] = [
        ("broken.toml", b"version = 1\n[[tree]\n"),
        ("foreign.toml", b"[package]\nname = \"no scene\"\n"),
        ("picture.toml", b"\x89PNG\r\n\x1a\n\xff\xfe"),
    ];
    for (name, bytes) in files {
        fs::write(desk.folder.join(name), bytes).map_err(|e| format!("{name}: {e}"))?;
    }
    let _window = desk.open(program, scene)?;
    let before = desk.still()?;
    if red_pixels(&before) > 0 {
        return Err("something went wrong before any file was opened".into());
    }
    for name in files
        .map(|(name, _)| name)
        .into_iter()
        .chain(["missing.toml"])
    {
        desk.hand(&["key", "ctrl+o"])?;
        pause(1500);
        desk.hand(&["type", name])?;
        pause(500);
        desk.hand(&["key", "Return"])?;
        wait_for(&format!("a message about {name}"), || {
            desk.screen().is_ok_and(|pixels| red_pixels(&pixels) > 100)
        })?;
        expect(&format!("by {name}"), &before, &desk.still()?, 0..500)?;
        desk.hand(&["key", "Escape"])?;
        wait_for("the message to go", || {
            desk.screen().is_ok_and(|pixels| red_pixels(&pixels) == 0)
        })?;
    }
    desk.hand(&["key", "ctrl+s"])?;
    pause(1500);
    if fs::read(scene).map_err(|e| e.to_string())? != saved {
        return Err("what is saved afterwards is not what was there before".into());
    }
    Ok(())
}

/// A clip is written while the window is used: its bar is seen, a branch bends under the hand, the file is whole. Another one is cancelled and leaves no file.
fn export_and_cancel(desk: &Desk, program: &Path, scene: &Path) -> Outcome {
    let _window = desk.open(program, scene)?;
    let before = desk.still()?;
    let clip = desk.folder.join("clip.gif");
    desk.start_export(&clip)?;
    let straight = desk.screen()?;
    desk.drag(CROWN, [144, 0])?;
    let pulled = desk.screen()?;
    expect(
        "while a clip is written",
        &straight,
        &pulled,
        2000..usize::MAX,
    )?;
    if !shows_bar(&pulled) || clip.exists() {
        return Err("the clip was written before the window was used: nothing was tried".into());
    }
    desk.hand(&["mouseup", "1"])?;
    wait_within(LONG_PATIENCE, "the clip", || clip.exists())?;
    wait_for("the bar to go", || {
        desk.screen().is_ok_and(|now| !shows_bar(&now))
    })?;
    let bytes = fs::read(&clip).map_err(|e| e.to_string())?;
    // A GIF ends with this byte.
    if !bytes.starts_with(b"GIF89a") || bytes.last() != Some(&0x3b) {
        return Err(format!("{}: not a whole clip", clip.display()));
    }
    fs::remove_file(&clip).map_err(|e| e.to_string())?;
    desk.hand(&["mousemove", "504", "690"])?;
    expect("by the export", &before, &desk.still()?, 0..2000)?;

    let files = || -> Result<Vec<PathBuf>, String> {
        let all = fs::read_dir(&desk.folder).map_err(|e| e.to_string())?;
        let mut all: Vec<PathBuf> = all.flatten().map(|entry| entry.path()).collect();
        all.sort();
        Ok(all)
    };
    let known = files()?;
    desk.start_export(&clip)?;
    pause(1500);
    let [x, y] = CANCEL.map(|at| at.to_string());
    desk.hand(&["mousemove", &x, &y, "click", "1"])?;
    wait_for("the bar to go", || {
        desk.screen().is_ok_and(|now| !shows_bar(&now))
    })?;
    pause(500);
    if files()? != known {
        return Err(format!("what was cancelled left files: {:?}", files()?));
    }
    Ok(())
}

/// Whether the bar of an export is seen: below, left of the button that cancels it, nothing else is as green.
fn shows_bar(pixels: &[[u8; 4]]) -> bool {
    let [row, from, to] = BAR;
    let row = &pixels[row * SIZE[0]..][..SIZE[0]];
    let rail = |[b, g, r, _]: &&[u8; 4]| *g > 40 && g > b && g >= r;
    row[from..to].iter().filter(rail).count() > (to - from) * 9 / 10
}

/// Pixels of the bar below that are as red as what goes wrong.
fn red_pixels(pixels: &[[u8; 4]]) -> usize {
    let bar = pixels.chunks(SIZE[0]).skip(SIZE[1] - 28).flatten();
    // Blue, green, red, nothing.
    bar.filter(|[b, g, r, _]| *r > 150 && *r > g.saturating_add(60) && *r > b.saturating_add(60))
        .count()
}

/// How many pixels of the viewport differ between two pictures.
fn changed(a: &[[u8; 4]], b: &[[u8; 4]]) -> usize {
    let rows = a.chunks(SIZE[0]).zip(b.chunks(SIZE[0])).skip(60).take(600);
    let pixels = rows.flat_map(|(a, b)| a[70..930].iter().zip(&b[70..930]));
    pixels.filter(|(a, b)| a != b).count()
}

fn expect(when: &str, a: &[[u8; 4]], b: &[[u8; 4]], range: Range<usize>) -> Outcome {
    let changed = changed(a, b);
    if range.contains(&changed) {
        return Ok(());
    }
    Err(format!(
        "{changed} pixels of the tree changed {when}; expected {range:?}"
    ))
}

fn has_programs() -> bool {
    let there = |program: &str| output("which", &[program]).is_ok();
    there("Xvfb") && there("xdotool")
}

/// A display, and files beside it.
struct Desk {
    folder: PathBuf,
    display: String,
    _server: Running,
}

impl Desk {
    fn set_up(folder: &Path) -> Result<Self, String> {
        let _ = fs::remove_dir_all(folder);
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let screen = format!("{}x{}x24", SIZE[0], SIZE[1]);
        let mut server = Command::new("Xvfb")
            // It goes on as it is when the last window is gone.
            .args([
                "-noreset",
                "-displayfd",
                "1",
                "-screen",
                "0",
                &screen,
                "-fbdir",
            ])
            .arg(folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| format!("Xvfb did not start: {e}"))?;
        // It says which number was free.
        let said = server.stdout.take().ok_or("Xvfb says nothing")?;
        let server = Running(server);
        let mut number = String::new();
        let read = BufReader::new(said).read_line(&mut number);
        read.map_err(|e| format!("Xvfb: {e}"))?;
        Ok(Self {
            folder: folder.into(),
            display: format!(":{}", number.trim()),
            _server: server,
        })
    }

    /// Starts the studio on a scene and waits until its tree is seen.
    fn open(&self, program: &Path, scene: &Path) -> Result<Running, String> {
        // The one before may take a moment to go.
        wait_for("an empty screen", || {
            self.screen().is_ok_and(|pixels| !is_colourful(&pixels))
        })?;
        let log = fs::File::create(self.folder.join("studio.log")).map_err(|e| e.to_string())?;
        let window = Command::new(program)
            .arg("studio")
            .arg(scene)
            .env("DISPLAY", &self.display)
            .env_remove("WAYLAND_DISPLAY")
            .env("XDG_STATE_HOME", &self.folder)
            .stderr(log)
            .spawn()
            .map_err(|e| format!("{}: {e}", program.display()))?;
        let window = Running(window);
        let found = ["search", "--name", "Treesway", "windowfocus"];
        wait_for("a window", || self.hand(&found).is_ok())?;
        wait_for("a tree in the window", || {
            self.screen().is_ok_and(|pixels| is_colourful(&pixels))
        })?;
        Ok(window)
    }

    /// Presses at a place and leads what is there away, without letting go.
    fn drag(&self, [x, y]: [i32; 2], [dx, dy]: [i32; 2]) -> Outcome {
        self.hand(&["mousemove", &x.to_string(), &y.to_string()])?;
        pause(500);
        self.hand(&["mousedown", "1"])?;
        for step in 1..=12 {
            pause(120);
            let to = [x + dx * step / 12, y + dy * step / 12].map(|at| at.to_string());
            self.hand(&["mousemove", &to[0], &to[1]])?;
        }
        pause(1500);
        Ok(())
    }

    /// Asks for an export, names the file and waits for its bar.
    fn start_export(&self, file: &Path) -> Outcome {
        self.hand(&["key", "ctrl+e"])?;
        pause(1500);
        self.hand(&["key", "ctrl+a"])?;
        self.hand(&["type", &file.display().to_string()])?;
        pause(500);
        self.hand(&["key", "Return"])?;
        wait_for("the bar of the export", || {
            self.screen().is_ok_and(|pixels| shows_bar(&pixels))
        })
    }

    /// The pixels once nothing moves any more.
    fn still(&self) -> Result<Vec<[u8; 4]>, String> {
        let start = Instant::now();
        let mut before = self.screen()?;
        loop {
            pause(1500);
            let now = self.screen()?;
            if changed(&before, &now) < 200 {
                return Ok(now);
            }
            if start.elapsed() > PATIENCE {
                return Err("the picture does not come to rest".into());
            }
            before = now;
        }
    }

    fn hand(&self, what: &[&str]) -> Outcome {
        let status = Command::new("xdotool")
            .args(what)
            .env("DISPLAY", &self.display)
            .stdout(Stdio::null())
            .status();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("xdotool {}: {status}", what.join(" "))),
            Err(error) => Err(format!("xdotool did not start: {error}")),
        }
    }

    /// The pixels of the display, from the file that the server keeps (X Window Dump: header, colours, pixels).
    fn screen(&self) -> Result<Vec<[u8; 4]>, String> {
        let file = self.folder.join("Xvfb_screen0");
        let bytes = fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let word = |at: usize| {
            let four = bytes.get(4 * at..4 * at + 4)?;
            Some(u32::from_be_bytes(four.try_into().ok()?) as usize)
        };
        let (header, colours) = (word(0), word(19));
        let start = header
            .zip(colours)
            .map(|(header, colours)| header + 12 * colours);
        let pixels = start.and_then(|start| bytes.get(start..start + 4 * SIZE[0] * SIZE[1]));
        let pixels = pixels.ok_or("the display's file is too short")?;
        Ok(pixels.as_chunks().0.to_vec())
    }
}

/// Whether the middle shows leaves and bark: a panel has a few colours, a tree has hundreds.
fn is_colourful(pixels: &[[u8; 4]]) -> bool {
    let rows = pixels.chunks(SIZE[0]).skip(150).take(400);
    let middle = rows.flat_map(|row| &row[300..700]);
    middle.collect::<std::collections::BTreeSet<_>>().len() > 500
}

fn pause(millis: u64) {
    std::thread::sleep(Duration::from_millis(millis));
}

fn wait_for(what: &str, there: impl Fn() -> bool) -> Outcome {
    wait_within(PATIENCE, what, there)
}

fn wait_within(patience: Duration, what: &str, there: impl Fn() -> bool) -> Outcome {
    let start = Instant::now();
    while !there() {
        if start.elapsed() > patience {
            return Err(format!("waited {} s for {what}", patience.as_secs()));
        }
        pause(250);
    }
    Ok(())
}
