//! Outlines of a crown: the paper's `ShapeRatio` and its pruning envelope.

use super::params::Prune;
use core::f64::consts::PI;

/// How the length of a branch depends on where it leaves the trunk (the paper's `Shape`, 0 to 8).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outline {
    /// 0: long branches below, short ones above (default).
    #[default]
    Conical,
    /// 1: longest half way up.
    Spherical,
    /// 2: a dome.
    Hemispherical,
    /// 3: all alike.
    Cylindrical,
    /// 4: a little shorter above.
    TaperedCylindrical,
    /// 5: pointed at both ends, widest below the middle.
    Flame,
    /// 6: an upturned cone.
    InverseConical,
    /// 7: a flame that is less pointed.
    TendFlame,
    /// 8: the pruning envelope.
    Envelope,
}

impl Outline {
    /// By the paper's number.
    pub fn numbered(number: i64) -> Option<Self> {
        use Outline::*;
        let all = [
            Conical,
            Spherical,
            Hemispherical,
            Cylindrical,
            TaperedCylindrical,
            Flame,
            InverseConical,
            TendFlame,
            Envelope,
        ];
        usize::try_from(number)
            .ok()
            .and_then(|i| all.get(i))
            .copied()
    }

    /// `ShapeRatio`: `ratio` is 0 at the top of the crown and 1 at its base. `prune` is asked by [`Outline::Envelope`] only.
    pub fn at(self, ratio: f64, prune: &Prune) -> f64 {
        let flame = |r: f64| {
            if r <= 0.7 { r / 0.7 } else { (1.0 - r) / 0.3 }
        };
        let r = ratio.clamp(0.0, 1.0);
        match self {
            Self::Conical => 0.2 + 0.8 * r,
            Self::Spherical => 0.2 + 0.8 * libm::sin(PI * r),
            Self::Hemispherical => 0.2 + 0.8 * libm::sin(0.5 * PI * r),
            Self::Cylindrical => 1.0,
            Self::TaperedCylindrical => 0.5 + 0.5 * r,
            Self::Flame => flame(r),
            Self::InverseConical => 1.0 - 0.8 * r,
            Self::TendFlame => 0.5 + 0.5 * flame(r),
            Self::Envelope => prune.envelope(ratio),
        }
    }
}

impl Prune {
    /// Radius of the envelope over its widest, `ratio` from 0 at the top to 1 at the base of the crown; nothing outside.
    pub fn envelope(&self, ratio: f64) -> f64 {
        let (peak, low, high) = (
            f64::from(self.width_peak),
            f64::from(self.power_low),
            f64::from(self.power_high),
        );
        if (0.0..1.0 - peak).contains(&ratio) {
            libm::pow(ratio / (1.0 - peak), high)
        } else if (1.0 - peak..1.0).contains(&ratio) {
            libm::pow((1.0 - ratio) / peak, low)
        } else {
            0.0
        }
    }

    /// Whether a point `radius` m from the tree's axis and `height` m up is inside, for a tree `scale` m high with a bare base.
    pub fn holds(&self, radius: f64, height: f64, scale: f64, base_size: f64) -> bool {
        let ratio = (scale - height) / (scale * (1.0 - base_size));
        radius / scale < f64::from(self.width) * self.envelope(ratio)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the table in the paper, §4.3, worked out by hand at r = 0, 0.35, 0.7, 1.
    #[test]
    fn outlines_follow_the_table_of_the_paper() {
        let prune = Prune::default();
        let cases = [
            (0, [0.2, 0.48, 0.76, 1.0]),
            (1, [0.2, 0.912_805_219_3, 0.847_213_595_5, 0.2]),
            (2, [0.2, 0.617_998_851_8, 0.912_805_219_3, 1.0]),
            (3, [1.0; 4]),
            (4, [0.5, 0.675, 0.85, 1.0]),
            (5, [0.0, 0.5, 1.0, 0.0]),
            (6, [1.0, 0.72, 0.44, 0.2]),
            (7, [0.5, 0.75, 1.0, 0.5]),
        ];
        for (number, expected) in cases {
            let outline = Outline::numbered(number).unwrap();
            for (r, e) in [0.0, 0.35, 0.7, 1.0].into_iter().zip(expected) {
                let found = outline.at(r, &prune);
                assert!(
                    (found - e).abs() < 1e-9,
                    "{outline:?} at {r}: {found}, not {e}"
                );
            }
        }
        assert_eq!(Outline::numbered(9), None);
        assert_eq!(Outline::numbered(-1), None);
    }

    #[test]
    fn the_envelope_is_widest_at_its_peak_and_closed_at_both_ends() {
        let prune = Prune {
            ratio: 1.0,
            width: 0.4,
            width_peak: 0.6,
            power_low: 1.0,
            power_high: 2.0,
        };
        // The peak lies 0.6 of the crown above its base: ratio 0.4. Above it a parabola, below a line.
        for (ratio, expected) in [
            (0.0, 0.0),
            (0.2, 0.25),
            (0.4, 1.0),
            (0.7, 0.5),
            (1.0, 0.0),
            (-0.1, 0.0),
        ] {
            let found = Outline::Envelope.at(ratio, &prune);
            assert!(
                (found - expected).abs() < 1e-6,
                "{ratio}: {found}, not {expected}"
            );
        }
        // 10 m high, bare to 2 m: at the peak, 6.8 m up, the envelope is 4 m wide.
        assert!(prune.holds(3.99, 6.8, 10.0, 0.2));
        assert!(!prune.holds(4.01, 6.8, 10.0, 0.2));
        assert!(!prune.holds(0.1, 1.9, 10.0, 0.2), "below the crown");
    }
}
