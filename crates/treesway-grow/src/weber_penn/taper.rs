//! Radius along a stem: taper modes, flare and lobes (paper §4.4).

use super::params::WeberPenn;

/// Radius at a share `z` of a stem `length` m long with `base` m at its base, by the taper modes
///
/// | `taper` | stem |
/// |---|---|
/// | 0 | cylinder |
/// | 1 | cone |
/// | 2 | cylinder with a round end |
/// | 3 | row of spheres; between 2 and 3 shallower |
///
/// and steadily between them.
pub(crate) fn radius_at(z: f64, taper: f64, base: f64, length: f64) -> f64 {
    let unit_taper = if taper < 1.0 {
        taper
    } else if taper < 2.0 {
        2.0 - taper
    } else {
        0.0
    };
    let even = base * (1.0 - unit_taper * z);
    if taper <= 1.0 || even <= 0.0 {
        return even.max(0.0);
    }
    let from_tip = (1.0 - z) * length;
    let depth = if taper < 2.0 || from_tip < even {
        1.0
    } else {
        taper - 2.0
    };
    let within = if taper < 2.0 {
        from_tip
    } else {
        // Distance to the nearest joint of two spheres.
        (from_tip - 2.0 * even * (from_tip / (2.0 * even) + 0.5).floor()).abs()
    };
    if taper < 2.0 && within >= even {
        return even;
    }
    let round = (even * even - (within - even) * (within - even))
        .max(0.0)
        .sqrt();
    (1.0 - depth) * even + depth * round
}

impl WeberPenn {
    /// Factor on the radius of the trunk at a share `z` of it: 1 + Flare · (100^(1 − 8 z) − 1)/100 below z = 1/8.
    pub(crate) fn flare_factor(&self, z: f64) -> f64 {
        let y = (1.0 - 8.0 * z).max(0.0);
        1.0 + f64::from(self.flare) * (libm::pow(100.0, y) - 1.0) / 100.0
    }

    /// Factor on the radius of the trunk in a direction around it, rad: 1 + LobeDepth · sin(Lobes · angle). For the skin: the wood
    /// of a skeleton is round.
    pub fn lobe_factor(&self, angle: f64) -> f64 {
        1.0 + f64::from(self.lobe_depth) * libm::sin(f64::from(self.lobes) * angle)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-7, "{found}, not {expected}");
    }

    #[test]
    fn whole_modes_are_cylinder_cone_round_end_and_spheres() {
        near(radius_at(0.5, 0.0, 0.2, 4.0), 0.2);
        near(radius_at(0.5, 1.0, 0.2, 4.0), 0.1);
        near(radius_at(1.0, 1.0, 0.2, 4.0), 0.0);
        // Round end: 0.1 m from the tip of a rod of 0.2 m, √(0.2² − 0.1²).
        near(radius_at(0.975, 2.0, 0.2, 4.0), 0.03_f64.sqrt());
        near(radius_at(0.5, 2.0, 0.2, 4.0), 0.2);
        // Spheres of 0.2 m: widest in their middles, nothing where they touch.
        near(radius_at(1.0 - 0.2 / 4.0, 3.0, 0.2, 4.0), 0.2);
        near(radius_at(1.0 - 0.4 / 4.0, 3.0, 0.2, 4.0), 0.0);
        near(radius_at(1.0 - 0.6 / 4.0, 3.0, 0.2, 4.0), 0.2);
    }

    #[test]
    fn half_modes_lie_between() {
        near(radius_at(1.0, 0.6, 0.2, 4.0), 0.08);
        // 1.5: half a cone, and round at the end.
        near(radius_at(0.5, 1.5, 0.2, 4.0), 0.15);
        near(radius_at(1.0, 1.5, 0.2, 4.0), 0.0);
        // 2.25: notches a quarter deep.
        near(radius_at(1.0 - 0.8 / 4.0, 2.25, 0.2, 4.0), 0.75 * 0.2);
    }

    #[test]
    fn flare_ends_an_eighth_up_the_trunk() {
        let tree = WeberPenn {
            flare: 0.5,
            ..WeberPenn::default()
        };
        near(tree.flare_factor(0.0), 1.0 + 0.5 * 0.99);
        near(tree.flare_factor(1.0 / 16.0), 1.0 + 0.5 * 0.09);
        near(tree.flare_factor(0.125), 1.0);
        near(tree.flare_factor(0.7), 1.0);
    }

    #[test]
    fn lobes_go_round_the_trunk() {
        let tree = WeberPenn {
            lobes: 3,
            lobe_depth: 0.1,
            ..WeberPenn::default()
        };
        let third = core::f64::consts::TAU / 3.0;
        near(tree.lobe_factor(third / 4.0), 1.1);
        near(tree.lobe_factor(third / 4.0 + third), 1.1);
        near(tree.lobe_factor(0.75 * third), 0.9);
    }
}
