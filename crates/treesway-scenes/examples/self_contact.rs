//! Times of the first 100 frames of the scenes `contact-…` in the four winds of their paper, on one thread, beside the paper's:
//! `cargo run --release -p treesway-scenes --example self_contact [SCENE…] [KEY=VALUE…]`. Times are of what the thread has had of a core, so that a busy machine does not count.

use cpu_time::ThreadTime;
use treesway::StepReport;

const WINDS: [&str; 4] = ["[0,0,0]", "[10,0,0]", "[-7,0,5]", "[-4,0,0]"];

/// Mean, least and greatest, s, on a processor of 2.6 GHz.
const PAPER: [(&str, &str); 2] = [
    (
        "contact-small",
        "0.169 s (printed with the range 0.206 to 2.971)",
    ),
    ("contact-medium", "9.164 s (3.24 to 27.33)"),
];

const FRAMES: usize = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (set, asked): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|a| a.contains('='));
    let scenes = if asked.is_empty() {
        ["contact-small", "contact-medium", "contact-large"]
            .map(String::from)
            .to_vec()
    } else {
        asked
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    for name in &scenes {
        let paper = PAPER
            .iter()
            .find(|p| p.0 == name)
            .map_or("none given", |p| p.1);
        println!("{name}; the paper: {paper}");
        for wind in WINDS {
            let mut set = set.clone();
            set.push(format!("wind.velocity={wind}"));
            let scene = treesway_scenes::find(name)?.load(&set)?;
            let mut simulation = scene.build()?;
            pool.install(|| {
                let mut report = StepReport::default();
                let times: Vec<f64> = (0..FRAMES)
                    .map(|_| {
                        let start = ThreadTime::now();
                        report += simulation.step();
                        start.elapsed().as_secs_f64() * 1e3
                    })
                    .collect();
                let mean = times.iter().sum::<f64>() / FRAMES as f64;
                let least = times.iter().copied().fold(f64::INFINITY, f64::min);
                let most = times.iter().copied().fold(0.0, f64::max);
                println!(
                    "  wind {wind:>9}: {mean:8.3} ms ({least:.3} to {most:.3}), {:.0} frames/s; {} contacts, {} joints returned, {:.1} rounds and {} pairs a frame",
                    1e3 / mean,
                    report.touching,
                    report.returned,
                    report.contact_rounds as f64 / FRAMES as f64,
                    report.pairs_looked_at / FRAMES as u64
                );
            });
        }
    }
    Ok(())
}
