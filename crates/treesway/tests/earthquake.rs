//! The ground of an earthquake: its spectrum, its peak, and that it comes back to where it was.

use treesway::{Earthquake, GroundMotion};

/// Power of the accelerations by octaves, from Fourier sums over 48 seeds, against the spectrum of Kanai and Tajimi.
#[test]
fn the_spectrum_is_that_of_kanai_and_tajimi() {
    let quake = |seed| Earthquake {
        seconds: 80.0,
        seed,
        ..Earthquake::default()
    };
    // The level part of the envelope: from 15 to 40 % of the time.
    let (from, count, dt) = (12.0, 1024, 20.0 / 1024.0);
    let octave = |hz: f64| (hz / 0.5).log2();
    let mut power = [0.0; 5];
    for seed in 0..48 {
        let ground = GroundMotion::new(&quake(seed)).unwrap();
        let record: Vec<f64> = (0..count)
            .map(|i| ground.acceleration(from + f64::from(i) * dt).x)
            .collect();
        // Each earthquake has its own S₀, from its peak; take it out.
        let whole: f64 = record.iter().map(|a| a * a).sum();
        let hann = |i: usize| 1.0 - (std::f64::consts::TAU * i as f64 / f64::from(count)).cos();
        let windowed: Vec<f64> = (record.iter().enumerate())
            .map(|(i, a)| a * hann(i))
            .collect();
        for line in 1..count / 2 {
            let o = octave(f64::from(line) / 20.0);
            if !(0.0..5.0).contains(&o) {
                continue;
            }
            let (sin, cos) = (std::f64::consts::TAU * f64::from(line) / f64::from(count)).sin_cos();
            // e^(iωt), turned on from sample to sample.
            let (mut turn, mut sum) = ([1.0, 0.0], [0.0, 0.0]);
            for a in &windowed {
                sum = [sum[0] + a * turn[0], sum[1] + a * turn[1]];
                turn = [cos * turn[0] - sin * turn[1], sin * turn[0] + cos * turn[1]];
            }
            power[o as usize] += (sum[0] * sum[0] + sum[1] * sum[1]) / whole;
        }
    }
    let mut exact = [0.0; 5];
    for i in 0..16_000 {
        let hz = 0.5 + f64::from(i) * 1e-3;
        // Above 15 Hz, six times that of the soil, there are no waves.
        if hz < 15.0 && (0.0..5.0).contains(&octave(hz)) {
            exact[octave(hz) as usize] += quake(0).spectrum(hz);
        }
    }
    let share = |p: [f64; 5]| p.map(|x| x / p.iter().sum::<f64>());
    let (found, exact) = (share(power), share(exact));
    println!("power by octaves from 0.5 Hz: {found:.3?}, closed form {exact:.3?}");
    for (f, e) in found.iter().zip(exact) {
        assert!((f - e).abs() < 0.025, "{found:?} {exact:?}");
    }
}

/// The formula itself, against numbers worked out by hand: 1 + 4ζ² over 4ζ² at the frequency of the soil, next to nothing far below it.
#[test]
fn the_spectrum_has_its_known_values() {
    let quake = Earthquake::default();
    let at_soil = (1.0 + 1.44) / 1.44 * 1e4 / (99.0_f64.powi(2) + 1.44 * 100.0);
    assert!((quake.spectrum(2.5) / at_soil - 1.0).abs() < 1e-6);
    assert!(quake.spectrum(0.025) < 2e-4);
    // Far above, noise through a damper: 4ζ²/r².
    assert!((quake.spectrum(250.0) * 1e4 / 1.44 - 1.0).abs() < 0.01);
}

/// At rest where it was before and after; position and acceleration agree; the peak is the one asked for; any time can be asked.
#[test]
fn the_ground_comes_back() {
    for seed in 0..8 {
        let quake = Earthquake {
            start: 2.0,
            seed,
            ..Earthquake::default()
        };
        let ground = GroundMotion::new(&quake).unwrap();
        for t in [0.0, 2.0, 14.0, 20.0] {
            assert_eq!(ground.offset(t).length(), 0.0, "{t}");
        }
        let (mut peak, mut largest) = (0.0_f64, 0.0_f64);
        for i in 0..5600 {
            let t = f64::from(i) / 400.0;
            let h = 1e-4;
            let [before, now, after] = [t - h, t, t + h].map(|t| ground.offset(t));
            let by_differences = (after - 2.0 * now + before) / (h * h);
            let a = ground.acceleration(t);
            assert!((by_differences - a).length() < 1e-2, "{t}: {a}");
            peak = peak.max(a.x.hypot(a.z));
            largest = largest.max(now.length());
        }
        println!("peak {peak:.3} m/s², furthest {largest:.3} m");
        assert!((peak / 3.0 - 1.0).abs() < 0.03, "{peak}");
        assert!(largest > 0.005 && largest < 0.5, "{largest}");
    }
}
