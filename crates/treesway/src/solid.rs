//! Mass properties of the solids a tree is made of (Quigley 2017, §3), per unit of density.
//!
//! Body frame: origin at the joint, +z along the axis of a segment or the length of a leaf (x width, y normal).
//! Every solid here is symmetric about the planes x = 0 and y = 0, so its centre of mass lies on z and its inertia
//! tensor is diagonal. Integrals in `f64`: a thin twig loses digits in `f32`.

/// Volume and its moments about the body's joint. Multiply by the density for mass, centre of mass and inertia.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Solid {
    /// ∫ dV, m³.
    pub volume: f64,
    /// ∫ z dV, m⁴.
    pub first_moment_z: f64,
    /// (∫ y²+z² dV, ∫ x²+z² dV, ∫ x²+y² dV), m⁵: the inertia tensor's diagonal about the joint, per density.
    pub inertia: [f64; 3],
}

impl Solid {
    /// A conical frustum from radius `base` at z = 0 to radius `tip` at z = `length`, all m.
    ///
    /// With r(z) linear: V = π ℓ/3 (a² + a b + b²), ∫z dV = π ℓ²/12 (a² + 2ab + 3b²),
    /// ∫z² dV = π ℓ³/30 (a² + 3ab + 6b²), ∫(x²+y²) dV = π ℓ/10 (a⁴ + a³b + a²b² + ab³ + b⁴).
    pub fn frustum(length: f64, base: f64, tip: f64) -> Self {
        use core::f64::consts::PI;
        let (a, b, l) = (base, tip, length);
        let z2 = PI * l.powi(3) / 30.0 * (a * a + 3.0 * a * b + 6.0 * b * b);
        let axial =
            PI * l / 10.0 * (a.powi(4) + a.powi(3) * b + a * a * b * b + a * b.powi(3) + b.powi(4));
        Self {
            volume: PI * l / 3.0 * (a * a + a * b + b * b),
            first_moment_z: PI * l * l / 12.0 * (a * a + 2.0 * a * b + 3.0 * b * b),
            inertia: [z2 + 0.5 * axial, z2 + 0.5 * axial, axial],
        }
    }

    /// A thin triangular prism: apex at the joint, `width` along x at z = `length`, `thickness` along y, all m.
    ///
    /// The apex is where the stalk meets the blade. For a triangle w(z) = W z/ℓ: ∫z dA = Wℓ²/3, ∫z² dA = Wℓ³/4,
    /// ∫x² dA = W³ℓ/48.
    pub fn leaf(length: f64, width: f64, thickness: f64) -> Self {
        let (l, w, t) = (length, width, thickness);
        let volume = 0.5 * w * l * t;
        let z2 = t * w * l.powi(3) / 4.0;
        let x2 = t * w.powi(3) * l / 48.0;
        let y2 = volume * t * t / 12.0;
        Self {
            volume,
            first_moment_z: t * w * l * l / 3.0,
            inertia: [y2 + z2, x2 + z2, x2 + y2],
        }
    }

    /// A sphere of `radius` whose centre hangs `stem + radius` along +z from the joint, m. The stem has no mass.
    pub fn fruit(radius: f64, stem: f64) -> Self {
        let volume = 4.0 / 3.0 * core::f64::consts::PI * radius.powi(3);
        let arm = stem + radius;
        let own = 0.4 * volume * radius * radius;
        let swing = own + volume * arm * arm;
        Self {
            volume,
            first_moment_z: volume * arm,
            inertia: [swing, swing, own],
        }
    }

    /// The same solid moved by `dz` along the axis.
    pub fn shifted(self, dz: f64) -> Self {
        let swing = 2.0 * dz * self.first_moment_z + self.volume * dz * dz;
        Self {
            volume: self.volume,
            first_moment_z: self.first_moment_z + self.volume * dz,
            inertia: [
                self.inertia[0] + swing,
                self.inertia[1] + swing,
                self.inertia[2],
            ],
        }
    }

    /// Both solids together.
    pub fn joined(self, other: Self) -> Self {
        Self {
            volume: self.volume + other.volume,
            first_moment_z: self.first_moment_z + other.first_moment_z,
            inertia: core::array::from_fn(|i| self.inertia[i] + other.inertia[i]),
        }
    }

    /// Distance of the centre of mass from the joint, m.
    pub fn com_z(&self) -> f64 {
        self.first_moment_z / self.volume
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums f over a fine midpoint grid in z of discs or strips.
    fn integrate(length: f64, f: impl Fn(f64) -> [f64; 5]) -> [f64; 5] {
        let n = 20_000;
        let dz = length / f64::from(n);
        let mut sum = [0.0; 5];
        for i in 0..n {
            let part = f((f64::from(i) + 0.5) * dz);
            for (s, p) in sum.iter_mut().zip(part) {
                *s += p * dz;
            }
        }
        sum
    }

    fn assert_close(solid: Solid, [volume, z, xx, yy, zz]: [f64; 5]) {
        for (got, want) in [
            (solid.volume, volume),
            (solid.first_moment_z, z),
            (solid.inertia[0], xx),
            (solid.inertia[1], yy),
            (solid.inertia[2], zz),
        ] {
            assert!((got - want).abs() < 1e-7 * want, "{got} {want}");
        }
    }

    #[test]
    fn frustum_matches_a_stack_of_discs() {
        for (l, a, b) in [(0.7, 0.05, 0.02), (0.2, 0.01, 0.03), (1.0, 0.1, 0.1)] {
            let sum = integrate(l, |z| {
                let r = a + (b - a) * z / l;
                let area = std::f64::consts::PI * r * r;
                let swing = area * (r * r / 4.0 + z * z);
                [area, area * z, swing, swing, area * r * r / 2.0]
            });
            assert_close(Solid::frustum(l, a, b), sum);
        }
    }

    #[test]
    fn leaf_matches_a_stack_of_strips() {
        let (l, w, t) = (0.1, 0.06, 0.0003);
        let sum = integrate(l, |z| {
            let width = w * z / l;
            let area = width * t;
            let (x2, y2) = (area * width * width / 12.0, area * t * t / 12.0);
            [
                area,
                area * z,
                y2 + area * z * z,
                x2 + area * z * z,
                x2 + y2,
            ]
        });
        assert_close(Solid::leaf(l, w, t), sum);
    }

    #[test]
    fn fruit_matches_a_stack_of_discs() {
        let (r, stem) = (0.04, 0.03);
        let sum = integrate(2.0 * r, |s| {
            let (z, u) = (stem + s, s - r);
            let area = std::f64::consts::PI * (r * r - u * u);
            let swing = area * ((r * r - u * u) / 4.0 + z * z);
            [area, area * z, swing, swing, area * (r * r - u * u) / 2.0]
        });
        assert_close(Solid::fruit(r, stem), sum);
    }

    #[test]
    fn two_halves_make_a_whole() {
        let whole = Solid::frustum(1.0, 0.1, 0.06);
        let halves =
            Solid::frustum(0.5, 0.1, 0.08).joined(Solid::frustum(0.5, 0.08, 0.06).shifted(0.5));
        assert_close(
            halves,
            [
                whole.volume,
                whole.first_moment_z,
                whole.inertia[0],
                whole.inertia[1],
                whole.inertia[2],
            ],
        );
    }
}
