//! A program on a processor that this machine need not have: Bochs emulates one with AVX-512, instruction by instruction, boots Debian's kernel on it and
//! runs the program as its only one. What it prints comes out of the emulated serial port. Slow (about 80 million instructions a second), but nothing else here can
//! tell whether the widest vectors do what they should.

use crate::adapter;
use crate::steps::{Outcome, succeed};
use crate::workspace;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

/// A file of each package that is needed, and the package.
const NEEDED: [(&str, &str); 7] = [
    ("/usr/bin/bochs", "bochs"),
    (
        "/usr/lib/x86_64-linux-gnu/bochs/plugins/libbx_term_gui.so",
        "bochs-term",
    ),
    (BIOS, "bochsbios"),
    (SCREEN, "vgabios"),
    (LOADER, "isolinux"),
    ("/usr/bin/xorriso", "xorriso"),
    (SHELL, "busybox-static"),
];
const BIOS: &str = "/usr/share/bochs/BIOS-bochs-latest";
const SCREEN: &str = "/usr/share/vgabios/vgabios.bin";
const LOADER: &str = "/usr/lib/ISOLINUX/isolinux.bin";
/// Comes with the loader.
const LOADER_PART: &str = "/usr/lib/syslinux/modules/bios/ldlinux.c32";
const SHELL: &str = "/bin/busybox";

/// Names the newest kernel without drivers of real hardware.
const KERNELS: &str = "linux-image-cloud-amd64";

/// Bochs gives the wrong size for state saved by XSAVEC and XSAVES, for which the kernel would do without any vectors: it is told not to use them.
const KERNEL_SETTINGS: &str =
    "console=ttyS0 quiet mitigations=off nokaslr tsc=reliable clearcpuid=321,323";

/// What the emulated machine says last.
const END: &str = "-- ended with code ";

/// Longer takes only what hangs.
const PATIENCE: Duration = Duration::from_mins(15);

/// A program that runs on the emulated processor.
pub struct Emulated {
    bochs: Child,
    /// What the emulated machine says, and what Bochs itself does.
    said: PathBuf,
    screen: PathBuf,
    started: Instant,
}

impl Emulated {
    /// Starts a program of this machine there, once for each list of arguments; `folder` is for what that takes.
    pub fn start(program: &Path, runs: &[&str], folder: &Path) -> Result<Self, String> {
        for (file, package) in NEEDED {
            if !Path::new(file).exists() {
                adapter::install(package)?;
            }
        }
        let wrong = |why: std::io::Error| format!("{}: {why}", folder.display());
        fs::create_dir_all(folder).map_err(wrong)?;
        let disc = disc(program, runs, folder)?;
        let said = folder.join("said.txt");
        let settings = [
            "megs: 768".to_owned(),
            "cpu: model=corei7_skylake_x, count=1, ips=200000000".to_owned(),
            format!("romimage: file={BIOS}"),
            format!("vgaromimage: file={SCREEN}"),
            "ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14".to_owned(),
            format!(
                "ata0-master: type=cdrom, path={}, status=inserted",
                disc.display()
            ),
            "boot: cdrom".to_owned(),
            format!("com1: enabled=1, mode=file, dev={}", said.display()),
            "clock: sync=none".to_owned(),
            // Its mixer dies of a buffer overflow where ALSA is installed and no sound card is there.
            "sound: driver=dummy".to_owned(),
            format!("log: {}", folder.join("bochs.log").display()),
            "display_library: term".to_owned(),
        ];
        let write = |name: &str, text: &str| {
            let file = folder.join(name);
            fs::write(&file, text).map_err(wrong).map(|()| file)
        };
        let settings = write("bochsrc", &(settings.join("\n") + "\n"))?;
        // It begins in its debugger: continue.
        let orders = write("orders", "c\n")?;
        let _ = fs::remove_file(&said);
        let run = format!(
            "bochs -q -f {} -rc {}",
            settings.display(),
            orders.display()
        );
        let screen = folder.join("screen.txt");
        // A terminal for its screen.
        let bochs = Command::new("script")
            .args(["--quiet", "--flush", "--command", &run])
            .arg(&screen)
            .env("TERM", "xterm")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .map_err(|why| format!("script cannot be run: {why}"))?;
        Ok(Self {
            bochs,
            said,
            screen,
            started: Instant::now(),
        })
    }

    /// Waits until all runs have ended; returns what they printed.
    pub fn finish(mut self) -> Result<String, String> {
        loop {
            thread::sleep(Duration::from_millis(500));
            let said = read(&self.said);
            if let Some((before, code)) = said.split_once(END)
                && let Some((code, _)) = code.split_once('\n')
            {
                // What the kernel says begins with the time.
                let lines = before.lines().filter(|line| !line.starts_with('['));
                let printed: Vec<&str> = lines.collect();
                return match code {
                    "0" => Ok(printed.join("\n") + "\n"),
                    _ => Err(format!(
                        "on the emulated processor it ended with {code}: {}",
                        printed.join(" | ")
                    )),
                };
            }
            let ended = self.bochs.try_wait().is_ok_and(|end| end.is_some());
            if ended || self.started.elapsed() > PATIENCE {
                let last = said.lines().last().unwrap_or("nothing").to_owned();
                let how = if ended { "ended" } else { "takes too long" };
                let screen = read(&self.screen);
                let lines: Vec<&str> = screen.lines().filter(|l| !l.is_empty()).collect();
                let shown = lines[lines.len().saturating_sub(3)..].join(" | ");
                return Err(format!(
                    "the emulated processor {how} before the program did; last it said: {last}; on its screen: {shown}"
                ));
            }
        }
    }
}

impl Drop for Emulated {
    fn drop(&mut self) {
        // `script` takes what it runs with it.
        let _ = Command::new("kill")
            .arg(self.bochs.id().to_string())
            .status();
        let _ = self.bochs.wait();
    }
}

/// What a terminal was sent; nothing where no file is.
fn read(file: &Path) -> String {
    let bytes = fs::read(file).unwrap_or_default();
    String::from_utf8_lossy(&bytes).replace('\r', "")
}

/// A disc that boots and runs a program.
fn disc(program: &Path, runs: &[&str], folder: &Path) -> Result<PathBuf, String> {
    let wrong = |why: std::io::Error| format!("{}: {why}", folder.display());
    let (disc, files) = (folder.join("disc"), folder.join("files"));
    for old in [&disc, &files] {
        let _ = fs::remove_dir_all(old);
        fs::create_dir_all(old).map_err(wrong)?;
    }
    let copy = |from: &Path, to: PathBuf| -> Outcome {
        let parent = to.parent().expect("files lie in folders");
        fs::create_dir_all(parent).map_err(wrong)?;
        let copied = fs::copy(from, to).map(|_| ());
        copied.map_err(|why| format!("{}: {why}", from.display()))
    };
    copy(Path::new(SHELL), files.join("bin/busybox"))?;
    copy(program, files.join("program"))?;
    for library in libraries(program)? {
        let at = library.trim_start_matches('/');
        copy(Path::new(&library), files.join(at))?;
    }
    let runs: String = runs
        .iter()
        .map(|arguments| format!("/program {arguments} || code=$?\n"))
        .collect();
    let script =
        format!("#!/bin/busybox sh\ncode=0\n{runs}echo \"{END}$code\"\n/bin/busybox sleep 1000\n");
    let init = files.join("init");
    fs::write(&init, script).map_err(wrong)?;
    succeed(Command::new("chmod").arg("+x").arg(&init))?;
    let pack = format!(
        "cd '{}' && {SHELL} find . | {SHELL} cpio -o -H newc | {SHELL} gzip -1 > '{}'",
        files.display(),
        disc.join("files").display()
    );
    succeed(Command::new("sh").args(["-c", &pack]))?;

    copy(&kernel(folder)?, disc.join("linux"))?;
    copy(Path::new(LOADER), disc.join("isolinux.bin"))?;
    copy(Path::new(LOADER_PART), disc.join("ldlinux.c32"))?;
    let menu = format!(
        "default linux\nprompt 0\nlabel linux\n kernel linux\n append initrd=files {KERNEL_SETTINGS}\n"
    );
    fs::write(disc.join("isolinux.cfg"), menu).map_err(wrong)?;
    let image = folder.join("disc.iso");
    let boots = ["-b", "isolinux.bin", "-c", "boot.cat", "-no-emul-boot"];
    succeed(
        Command::new("xorriso")
            .args(["-as", "mkisofs", "-quiet", "-o"])
            .arg(&image)
            .args(boots)
            .args(["-boot-load-size", "4", "-boot-info-table"])
            .arg(&disc),
    )?;
    Ok(image)
}

/// Paths of the shared libraries of a program.
fn libraries(program: &Path) -> Result<Vec<String>, String> {
    let told = workspace::printed(Command::new("ldd").arg(program))?;
    let path = |line: &str| {
        let word = line.split_whitespace().find(|w| w.starts_with('/'));
        word.map(str::to_owned)
    };
    Ok(told.lines().filter_map(path).collect())
}

/// Debian's newest kernel, unpacked but not installed.
fn kernel(folder: &Path) -> Result<PathBuf, String> {
    let newest = || -> Result<String, String> {
        let told = workspace::output("apt-cache", &["depends", "--important", KERNELS])?;
        let names = told.split_whitespace();
        let mut names = names.filter(|word| word.starts_with("linux-image-") && *word != KERNELS);
        let name = names.next().map(str::to_owned);
        name.ok_or_else(|| format!("apt-cache knows no package of {KERNELS}"))
    };
    let name = newest().or_else(|_| {
        succeed(Command::new("apt-get").arg("update"))?;
        newest()
    })?;
    let version = name.trim_start_matches("linux-image-");
    let kernel = folder.join(format!("kernel/boot/vmlinuz-{version}"));
    if !kernel.exists() {
        let unpack = format!(
            "cd '{}' && apt-get download {name} && dpkg --extract {name}_*.deb kernel && rm {name}_*.deb",
            folder.display()
        );
        succeed(Command::new("sh").args(["-c", &unpack]))?;
    }
    Ok(kernel)
}
