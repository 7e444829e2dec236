//! The wind as a flow: its mean, its strength, its spectrum, how gusts travel, and the wind of the paper.

use treesway::glam::Vec3;
use treesway::{Gusts, Wiggle, Wind, WindCell, WindGrid, WindProfile, WindSettings};

const SPEED: f64 = 8.0;

fn gusty(seed: u64) -> WindSettings {
    WindSettings {
        velocity: Vec3::X * SPEED as f32,
        gusts: Gusts {
            seed,
            ..Gusts::default()
        },
        ..WindSettings::default()
    }
}

/// Velocity along the wind at one place, `count` times, every `dt` s.
fn record(wind: &Wind, dt: f64, count: usize) -> Vec<Vec3> {
    let at = Vec3::new(3.0, 5.0, -2.0);
    (0..count)
        .map(|i| wind.velocity(i as f64 * dt, at))
        .collect()
}

/// Over 64 seeds: the mean is the mean asked for, the deviation is strength × mean, and sideways and up it is less.
#[test]
fn mean_and_variance_are_those_asked_for() {
    let (mut mean, mut square, mut side, mut n) = (0.0, 0.0, [0.0; 2], 0.0);
    for seed in 0..64 {
        let wind = Wind::new(gusty(seed)).unwrap();
        for v in record(&wind, 0.37, 1000) {
            mean += f64::from(v.x);
            square += (f64::from(v.x) - SPEED).powi(2);
            side[0] += f64::from(v.z).powi(2);
            side[1] += f64::from(v.y).powi(2);
            n += 1.0;
        }
    }
    let mean = mean / n;
    let deviation = (square / n).sqrt() / SPEED;
    let side = side.map(|s| (s / n).sqrt() / SPEED);
    println!("mean {mean:.3} m/s, deviations {deviation:.4}, sideways and up {side:.4?}");
    assert!((mean / SPEED - 1.0).abs() < 0.005, "{mean}");
    assert!((deviation / 0.25 - 1.0).abs() < 0.02, "{deviation}");
    assert!((side[0] / (0.75 * 0.25) - 1.0).abs() < 0.02, "{side:?}");
    assert!((side[1] / (0.5 * 0.25) - 1.0).abs() < 0.02, "{side:?}");
}

/// Power by octaves, from a Fourier sum that knows nothing of the waves: it falls by persistence² from octave to octave.
#[test]
fn the_spectrum_falls_as_asked() {
    let (count, dt) = (4096, 1.0 / 64.0); // 64 s, lines every 1/64 Hz
    let first = SPEED / 30.0; // Hz, of the largest gusts
    for persistence in [0.5_f32, 0.79] {
        let mut power = [0.0; 5];
        for seed in 0..64 {
            let mut settings = gusty(seed);
            settings.gusts.persistence = persistence;
            let record = record(&Wind::new(settings).unwrap(), dt, count);
            for line in 1..count / 2 {
                let hz = line as f64 / (count as f64 * dt);
                let octave = (hz / first).log2();
                if !(0.0..5.0).contains(&octave) {
                    continue;
                }
                let (mut re, mut im) = (0.0, 0.0);
                for (i, v) in record.iter().enumerate() {
                    // Hann's window, so that a wave between two lines stays in its octave.
                    let turn = i as f64 / count as f64;
                    let window = 1.0 - (std::f64::consts::TAU * turn).cos();
                    let u = (f64::from(v.x) - SPEED) * window;
                    let angle = std::f64::consts::TAU * (line as f64 * turn).fract();
                    re += u * angle.cos();
                    im += u * angle.sin();
                }
                power[octave as usize] += re * re + im * im;
            }
        }
        for pair in power.windows(2) {
            let ratio = pair[1] / pair[0];
            let wanted = f64::from(persistence * persistence);
            println!("{persistence}: an octave has {ratio:.3} of the power of the one before");
            assert!((ratio / wanted - 1.0).abs() < 0.1, "{ratio} {wanted}");
        }
    }
}

/// What blows here now blows downwind later: frozen turbulence, not a tree that is shaken in unison.
#[test]
fn gusts_travel_with_the_wind() {
    let wind = Wind::new(gusty(3)).unwrap();
    let at = Vec3::new(-4.0, 6.0, 2.0);
    let mut apart = 0.0_f32;
    for i in 0..200 {
        let seconds = 0.1 * f64::from(i);
        let here = wind.velocity(seconds, at);
        let later = wind.velocity(seconds + 2.0, at + Vec3::X * (2.0 * SPEED as f32));
        assert!((here - later).length() < 0.01, "{here} {later}");
        apart = apart.max((here - wind.velocity(seconds, at + Vec3::X * 15.0)).length());
    }
    assert!(apart > 2.0, "15 m apart it is another wind: {apart}");
}

/// Asked at any time in any order the wind is the same, and it changes little over little.
#[test]
fn the_wind_is_a_smooth_function_of_place_and_time() {
    let wind = Wind::new(gusty(5)).unwrap();
    let at = Vec3::new(1.0, 2.0, 3.0);
    let late = wind.velocity(5000.0, at);
    assert_eq!(wind.velocity(5000.0, at), late);
    // The fastest wave has 32 turns in 30 m.
    let most = 0.25 * SPEED as f32 * 2.0 * std::f32::consts::TAU * 32.0 / 30.0;
    for i in 0..500 {
        let seconds = 0.11 * f64::from(i);
        let step = 0.002;
        let by_time = wind.velocity(seconds + step, at) - wind.velocity(seconds, at);
        assert!(by_time.length() / step as f32 <= most * SPEED as f32);
        let by_place = wind.velocity(seconds, at + Vec3::Z * 0.01) - wind.velocity(seconds, at);
        assert!(by_place.length() / 0.01 <= 4.0 * most);
    }
}

#[test]
fn wind_grows_with_height_by_a_power_law() {
    let mut settings = gusty(0);
    settings.gusts.strength = 0.0;
    settings.profile = WindProfile {
        exponent: 0.22,
        height: 10.0,
    };
    let wind = Wind::new(settings).unwrap();
    for y in [0.3_f32, 1.0, 2.5, 10.0, 25.0, 80.0] {
        let v = wind.velocity(0.0, Vec3::Y * y).x;
        let wanted = SPEED as f32 * (y / 10.0).powf(0.22);
        assert!((v / wanted - 1.0).abs() < 2e-3, "{y} m: {v} {wanted}");
    }
    assert_eq!(wind.velocity(0.0, Vec3::Y * -1.0).length(), 0.0);
}

/// §7 of the paper: the wind is turned about the vertical, keeps its speed, and is alike on circles about the axis.
#[test]
fn the_wiggle_turns_the_wind_and_keeps_its_speed() {
    let mut settings = gusty(0);
    settings.gusts.strength = 0.0;
    settings.wiggle = Wiggle {
        strength: 0.5,
        ..Wiggle::default()
    };
    let wind = Wind::new(settings).unwrap();
    let mut widest = 0.0_f32;
    for i in 0..300 {
        let seconds = 0.05 * f64::from(i);
        let r = 0.1 * i as f32;
        let v = wind.velocity(seconds, Vec3::new(r, 1.0, 0.0));
        let around = wind.velocity(seconds, Vec3::new(0.6 * r, 1.0, 0.8 * r));
        assert!((v - around).length() < 1e-3, "{v} {around}");
        assert!((v.length() / SPEED as f32 - 1.0).abs() < 1e-5);
        widest = widest.max((v.z / v.x).abs());
    }
    assert!((0.45..=0.5001).contains(&widest), "{widest}");
    let still = wind.velocity(0.0, Vec3::X);
    assert!(still.z.abs() < 2e-3, "it starts in the middle of a swing");
}

fn grid(interpolated: bool) -> Wind {
    let cell = |x: f32, phase: f32| WindCell {
        velocity: Vec3::X * x,
        phase,
        ..WindCell::default()
    };
    let mut settings = gusty(0);
    settings.gusts.strength = 0.0;
    settings.grid = Some(WindGrid {
        corner: [-5.0, -5.0],
        cell_size: 5.0,
        columns: 2,
        cells: vec![
            cell(2.0, 0.0),
            cell(4.0, 0.0),
            cell(6.0, 0.3),
            cell(8.0, 0.3),
        ],
        interpolated,
    });
    Wind::new(settings).unwrap()
}

/// The paper's grid: constant in a cell, constant beyond the edge, whatever the height; each cell with its phase.
#[test]
fn cells_of_a_grid_have_their_own_wind() {
    let wind = grid(false);
    let at = |x: f32, z: f32| wind.velocity(0.0, Vec3::new(x, 7.0, z)).x;
    assert_eq!([at(-4.9, -4.9), at(-0.1, -0.1), at(-99.0, -99.0)], [2.0; 3]);
    assert_eq!([at(0.1, -3.0), at(4.9, -0.1), at(99.0, -99.0)], [4.0; 3]);
    assert!(
        at(-1.0, 1.0) > 6.5 && at(1.0, 1.0) > 8.7,
        "they swell apart"
    );
    // Σ sin of three octaves: its mean over a period is 0, its largest change `strength` at most.
    let swell: Vec<f32> = (0..600)
        .map(|i| wind.velocity(0.01 * f64::from(i), Vec3::splat(-1.0)).x)
        .collect();
    let mean = swell.iter().sum::<f32>() / 600.0;
    assert!((mean - 2.0).abs() < 1e-3, "{mean}");
    assert!(swell.iter().all(|v| (v - 2.0).abs() <= 0.6001));
    assert!(swell.iter().any(|v| (v - 2.0).abs() > 0.3));
}

#[test]
fn an_interpolated_grid_changes_gradually() {
    let wind = grid(true);
    let at = |x: f32| wind.velocity(0.0, Vec3::new(x, 0.0, -2.5)).x;
    assert_eq!([at(-2.5), at(0.0), at(2.5), at(50.0)], [2.0, 3.0, 4.0, 4.0]);
    let wind = grid(true);
    for i in 0..1000 {
        let x = -6.0 + 0.012 * i as f32;
        let step = wind.velocity(1.0, Vec3::new(x + 0.012, 0.0, 0.4))
            - wind.velocity(1.0, Vec3::new(x, 0.0, 0.4));
        assert!(step.length() < 0.02, "{x}: {step}");
    }
}

#[test]
fn settings_out_of_range_are_named() {
    let wrong = |change: fn(&mut WindSettings)| {
        let mut settings = gusty(1);
        change(&mut settings);
        Wind::new(settings).unwrap_err().to_string()
    };
    for (message, part) in [
        (wrong(|s| s.velocity.y = f32::NAN), "velocity"),
        (wrong(|s| s.gusts.size = 0.0), "gusts.size"),
        (wrong(|s| s.gusts.octaves = 99), "gusts.octaves"),
        (wrong(|s| s.air.leaf_glide = -1.0), "air.leaf_glide"),
        (wrong(|s| s.profile.exponent = 2.0), "profile.exponent"),
        (
            wrong(|s| s.grid = Some(WindGrid::default())),
            "grid.columns",
        ),
    ] {
        assert!(message.contains(part), "{message}");
    }
}
