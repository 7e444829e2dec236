//! Wood with which a tree sways as a measured one does.

use crate::desc::BuildError;
use crate::params::TreeParams;
use crate::tree::Tree;

/// Sweeps of the fit: frequency goes as √E but for leaves, whose springs do not follow the wood, so few are needed.
const MOST_ROUNDS: usize = 12;
/// Relative error at which a fit is done.
const CLOSE: f64 = 1e-4;

impl Tree {
    /// The parameters with which the first mode has the given frequency, Hz, and share of critical damping: the modulus of the wood is
    /// scaled, then β of all wood.
    ///
    /// # Errors
    /// If one of the two is not a positive number, or if no modulus gives the frequency (a tree that is mostly leaves).
    pub fn fit(&self, frequency_hz: f64, damping_ratio: f64) -> Result<TreeParams, BuildError> {
        let expected = "a finite number greater than zero";
        for (name, value) in [
            ("frequency", frequency_hz),
            ("damping ratio", damping_ratio),
        ] {
            if !(value.is_finite() && value > 0.0) {
                return Err(BuildError::Parameter {
                    name: name.into(),
                    value,
                    expected,
                });
            }
        }
        let mut tree = self.clone();
        // The floor on damping would hide how little the wood damps by itself.
        tree.settings.least_damping_ratio = 0.0;
        let mut params = self.params().clone();
        params.damping_ratio = None;
        params.rayleigh_alpha = 0.0;
        let mut found = tree.first_frequency();
        for _ in 0..MOST_ROUNDS {
            if (found / frequency_hz - 1.0).abs() < CLOSE {
                break;
            }
            let stiffer = (frequency_hz / found) * (frequency_hz / found);
            params.wood.youngs_modulus = (f64::from(params.wood.youngs_modulus) * stiffer) as f32;
            tree.set_params(params.clone())?;
            found = tree.first_frequency();
        }
        if (found / frequency_hz - 1.0).abs() >= 10.0 * CLOSE {
            let expected = "a frequency that some modulus of the wood gives";
            return Err(BuildError::Parameter {
                name: "frequency".into(),
                value: frequency_hz,
                expected,
            });
        }
        // ζ is affine in β of the wood; leaves and fruit damp the rest.
        let mut ratio_at = |beta: f32| -> Result<f64, BuildError> {
            params.wood.damping_beta = beta;
            tree.set_params(params.clone())?;
            Ok(tree.modes(1).first().map_or(0.0, |m| m.damping_ratio))
        };
        let guess = (2.0 * damping_ratio / (core::f64::consts::TAU * frequency_hz)) as f32;
        let (none, some) = (ratio_at(0.0)?, ratio_at(guess)?);
        let slope = (some - none) / f64::from(guess);
        params.wood.damping_beta = (((damping_ratio - none) / slope).max(0.0)) as f32;
        Ok(params)
    }
}
