//! What was measured: a table on the screen, comma-separated values, or the tables of a document.

use super::frames::{self, Frames};
use super::peers::Compared;
use super::timing::{Measured, Timing};
use std::fmt::Write as _;

/// Frames of Quigley et al. 2017 on 15 threads: bodies, ms, where it says so.
const PAPER: [(usize, f64, &str); 4] = [
    (9_500, 11.6, "Fig. 3"),
    (139_000, 200.0, "Fig. 9"),
    (971_000, 1_600.0, "Fig. 4"),
    (3_270_000, 2_300.0, "Fig. 13"),
];

impl Measured {
    /// One line a stage.
    pub fn print(&self) {
        let (steps, threads) = (self.timing.report.steps, self.timing.threads);
        println!(
            "{}: {} bodies, {} solver, {threads} thread(s), {steps} steps, {}",
            self.scene,
            self.bodies,
            self.solver_name(),
            self.isa.name()
        );
        println!(
            "  {:<12}{:>14}{:>20}",
            "stage", "ns per body", "million bodies/s"
        );
        for (stage, ns, rate) in self.rows() {
            println!("  {stage:<12}{ns:>14.2}{:>20.2}", rate / 1e6);
        }
        println!(
            "  wind is {:.2} ns per body of that, {:.0} %",
            self.wind_ns(),
            100.0 * self.wind_ns() / self.timing.body_ns()
        );
        println!("  {:<12}{:>14.0}", "bytes/body", self.bytes_per_body());
        println!(
            "  {:.1} times a copy of 192 bytes per body; one body at a time takes {:.1} times as long",
            self.ratio_to_copy(),
            self.ratio_to_scalar()
        );
        if let Some(paper) = self.paper_plain_secs {
            println!(
                "  with springs of leaves as in Quigley et al. 2017 it takes {:.1} times as long",
                paper / self.timing.step_secs()
            );
        }
        if let Some(avx2) = &self.avx2 {
            println!(
                "  AVX2 reaches {:.0} % of AVX-512",
                100.0 * self.timing.body_ns() / avx2.body_ns()
            );
        }
        if let Some((moving, ratio)) = self.part() {
            println!(
                "  {moving} bodies move, the others follow; a step of all takes {ratio:.1} times as long"
            );
        }
        println!("  {:<12}  {:016x}", "state hash", self.state_hash);
    }

    /// One row a stage, for [`CSV_HEADER`].
    pub fn print_csv(&self) {
        for (stage, ns, rate) in self.rows() {
            println!(
                "{},{},{},{},{stage},{ns:.4},{rate:.0},{:.0},{:.3},{:.3},{}",
                self.scene,
                self.solver_name(),
                self.bodies,
                self.timing.threads,
                self.bytes_per_body(),
                self.ratio_to_copy(),
                self.ratio_to_scalar(),
                self.isa.name()
            );
        }
    }
}

/// The plain reference beside steps on one thread.
fn one_at_a_time(all: &[Measured]) -> String {
    let mut text = String::from(
        "\n## One body at a time\nThe plain reference in the wind, on one thread: the same equations, and with springs of leaves along the axes of their joints as in Quigley et al. 2017, \
diagonalised for every body. Beside it, how many times as fast a step is here, by default and with fused multiply-add.\n\n\
| bodies | solver | ns per body | a step is | fused | with the paper's springs, ns per body | a step is | fused |\n|---|---|---|---|---|---|---|---|\n",
    );
    for m in all.iter().filter(|m| m.timing.threads == 1) {
        let columns = |secs: Option<f64>| {
            let Some(secs) = secs else {
                return "– | – | –".to_owned();
            };
            let ns = secs * 1e9 / m.bodies as f64;
            let times = |timing: &Timing| format!("{:.1} ×", ns / timing.body_ns());
            let fused = m.fused.as_ref().map_or("–".to_owned(), times);
            format!("{ns:.0} | {} | {fused}", times(&m.timing))
        };
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            m.bodies,
            m.solver_name(),
            columns(Some(m.plain_secs)),
            columns(m.paper_plain_secs)
        );
    }
    text
}

/// Names of the columns.
pub const CSV_HEADER: &str = "scene,solver,bodies,threads,stage,ns_per_body,bodies_per_s,bytes_per_body,ratio_to_copy,ratio_to_scalar,isa";

/// The document with all of it.
pub fn document(all: &[Measured], beside: &[Compared], whole: &[Frames]) -> String {
    let mut text = String::from(
        "# Speed\nWritten by `treesway bench --write`, as `cargo xtask performance` runs it with other engines beside; run it again rather than edit. Times are the fastest of five to a hundred runs; on a busy machine ratios within a row hold, \
times do not. A step of `coupled` is one substep, of which a frame has two by default. The copy is one of 192 bytes per body through \
memory on as many threads; \"one body at a time\" is the plain reference (`treesway::plain`) on one thread.\n",
    );
    if let Some(load) = load_average() {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let _ = writeln!(
            text,
            "Load of the machine at the end, over five minutes: {load} on {cores} cores; a quiet one has up to {cores}, by this run itself."
        );
    }
    text += "\n## Steps\n\n| scene | bodies | solver | threads | million bodies/s | ms per step | bytes per body | × the copy | one body at a time takes | vectors |\n\
|---|---|---|---|---|---|---|---|---|---|\n";
    for m in all {
        let (_, _, rate) = m.timing.rows().last().expect("a total");
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {:.1} | {:.2} | {:.0} | {:.1} | {:.1} × | {} |",
            m.scene,
            m.bodies,
            m.solver_name(),
            m.timing.threads,
            rate / 1e6,
            m.timing.step_secs() * 1e3,
            m.bytes_per_body(),
            m.ratio_to_copy(),
            m.ratio_to_scalar(),
            m.isa.name()
        );
    }
    text += &one_at_a_time(all);
    let names = treesway::StageTimes::default().named().map(|s| s.0);
    let _ = writeln!(
        text,
        "\n## Stages, ns per body and step\n\n| bodies | solver | threads | {} | total |\n|---|---|---|{}---|",
        names.join(" | "),
        "---|".repeat(names.len())
    );
    for m in all {
        let stages: Vec<String> = m
            .timing
            .rows()
            .map(|(_, ns, _)| format!("{ns:.1}"))
            .collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            m.bodies,
            m.solver_name(),
            m.timing.threads,
            stages.join(" | ")
        );
    }
    text += "\n## Other conditions, ns per body and step\n\"Calm\" is without wind while the tree still swings, \"at rest\" without wind and motion; \"fused\" is in the \
wind with fused multiply-add (feature `fused`, other bits), \"calm, fused\" the solver alone, as fast as it gets; \"AVX2\" is with eight lanes instead of sixteen.\n\n| bodies | solver | threads | in wind | calm | share of the wind | at rest | fused | saved by it | calm, fused | AVX2 | of full speed |\n|---|---|---|---|---|---|---|---|---|---|---|---|\n";
    for m in all {
        let total = m.timing.body_ns();
        let fused = m.fused.as_ref().map(Timing::body_ns);
        let avx2 = m.avx2.as_ref().map(Timing::body_ns);
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".into());
        let _ = writeln!(
            text,
            "| {} | {} | {} | {total:.1} | {:.1} | {:.0} % | {:.1} | {} | {} | {} | {} | {} |",
            m.bodies,
            m.solver_name(),
            m.timing.threads,
            m.calm.body_ns(),
            100.0 * m.wind_ns() / total,
            m.at_rest.body_ns(),
            or_none(fused.map(|ns| format!("{ns:.1}"))),
            or_none(fused.map(|ns| format!("{:.0} %", 100.0 * (1.0 - ns / total)))),
            or_none(m.calm_fused.as_ref().map(|t| format!("{:.1}", t.body_ns()))),
            or_none(avx2.map(|ns| format!("{ns:.1}"))),
            or_none(avx2.map(|ns| format!("{:.0} %", 100.0 * total / ns))),
        );
    }
    text += &threads(all);
    text += "\n## Beside Quigley et al. 2017\nTheir figures are of whole frames on 15 threads, wind and leaves included; ours of one `analytic` step, the same method, at \
the nearest number of bodies, scaled to theirs.\n\n| bodies | paper, 15 threads | here | threads | times as fast |\n|---|---|---|---|---|\n";
    for (bodies, paper_ms, figure) in PAPER {
        for m in nearest(all, bodies) {
            let ms = m.timing.step_secs() * 1e3 * bodies as f64 / m.bodies as f64;
            let _ = writeln!(
                text,
                "| {bodies} ({figure}) | {paper_ms} ms | {ms:.2} ms | {} | {:.0} |",
                m.timing.threads,
                paper_ms / ms
            );
        }
    }
    if !whole.is_empty() {
        let _ = writeln!(
            text,
            "\n## Whole frames\nScenes of Quigley et al. 2017 with everything on, one thread, over the first five seconds, the fastest of three runs: wind, what comes off and falls, contact, breakage of wood thicker than 3 cm. `analytic` takes one \
step a frame, as in the paper, `coupled` two. \"Steps of trees\" is their share of the time, wind included; the rest is what is off the trees.\n\n| {} |\n|{}",
            frames::HEADER.join(" | "),
            "---|".repeat(frames::HEADER.len())
        );
        for frames in whole {
            let _ = writeln!(text, "| {} |", frames.row().join(" | "));
        }
    }
    if !beside.is_empty() {
        text += "\n## Beside other engines\nSeconds of computing for a frame of 1/30 s of the same tree in the same run, each engine at its largest stable step, Treesway in its \
two default ones. MuJoCo is given each of its integrators that could be the fastest. Pinocchio holds no more than some hundred bodies; its time for \
these is scaled to all.\n";
    }
    for compared in beside {
        text +=
            "\n| engine | steps per frame | s per frame | times Treesway's |\n|---|---|---|---|\n";
        for row in compared.rows() {
            let _ = writeln!(text, "| {} |", row.join(" | "));
        }
        let _ = writeln!(text, "\n{}.", compared.note());
    }
    text
}

/// How much faster several threads are than one, beside the copy; nothing where only one was asked for.
fn threads(all: &[Measured]) -> String {
    let mut rows = String::new();
    for m in all.iter().filter(|m| m.timing.threads > 1) {
        let alike =
            |o: &&Measured| (o.bodies, o.solver, o.timing.threads) == (m.bodies, m.solver, 1);
        let Some(one) = all.iter().find(alike) else {
            continue;
        };
        let _ = writeln!(
            rows,
            "| {} | {} | {} | {:.2} | {:.2} |",
            m.bodies,
            m.solver_name(),
            m.timing.threads,
            one.timing.step_secs() / m.timing.step_secs(),
            one.copy_secs / m.copy_secs
        );
    }
    if rows.is_empty() {
        return rows;
    }
    format!(
        "\n## Threads\nTimes as fast as on one thread. Where the copy does not scale, memory or other programs are in the way.\n\n\
| bodies | solver | threads | a step | the copy |\n|---|---|---|---|---|\n{rows}"
    )
}

/// Programs that wanted to run, on average over five minutes; where the system tells.
fn load_average() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    text.split_whitespace().nth(1).map(str::to_owned)
}

/// The analytic measurements whose number of bodies is nearest, by ratio.
fn nearest(all: &[Measured], bodies: usize) -> Vec<&Measured> {
    let off = |m: &Measured| (m.bodies as f64 / bodies as f64).ln().abs();
    let analytic = || all.iter().filter(|m| m.solver_name() == "analytic");
    let least = analytic().map(off).fold(f64::INFINITY, f64::min);
    // Growth gives about as many bodies as asked for.
    analytic().filter(|m| off(m) <= least + 1e-9).collect()
}
