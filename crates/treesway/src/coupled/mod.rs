//! The coupled solver: Featherstone's articulated-body algorithm with springs, dampers, drag and pulls taken implicitly.
//!
//! One step, in order:
//! 1. tips to root ([`up`]): forces of each body, its [`articulated`] inertia with what it carries, then what of it its parent
//!    feels through the joint (treelets in parallel, then the spine);
//! 2. root to tips ([`down`]): joint accelerations from the parent's, the [`integrator`], and the new pose of each body.
//!
//! A spring acts in the frame halfway between its joint frame and the body, R_½ = exp(θ/2): torque −R_½ K (R_½ᵀθ − θ₀). To second order that
//! is the gradient of ½ (θ−θ₀)ᵀ K (θ−θ₀); −K (θ−θ₀) in the joint frame is not where a joint is bent and twisted at once and K differs about
//! its axes, and sags up to θ/2 of itself to the side.
//!
//! O(N), no iteration, no eigenvalue problem. Unlike the analytic solver it moves all joints at once, so a branch sways at
//! its own frequency however finely it is cut, and full drag is stable.

pub mod articulated;
pub(crate) mod down;
pub mod integrator;
pub(crate) mod momentum;
pub(crate) mod soil;
pub(crate) mod step;
pub(crate) mod up;
pub(crate) mod work;

use crate::forces::Pull;
use crate::params::{JointLimits, Solver, SolverSettings};
use crate::root::RootKind;
use integrator::Integrator;

/// A pull on a body of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    pub(crate) slot: usize,
    pub(crate) pull: Pull,
}

/// Settings of a step.
pub(crate) struct Scheme {
    pub(crate) integrator: Integrator<f32>,
    pub(crate) limits: JointLimits,
    /// Share of a body's own velocity in the drag.
    pub(crate) feedback: f32,
    pub(crate) velocity_products: bool,
    /// Whether the root's joint turns.
    pub(crate) root_turns: bool,
}

impl Scheme {
    /// Of a step of `h` s with Rayleigh's `alpha`, 1/s.
    pub(crate) fn of(settings: &SolverSettings, h: f64, alpha: f32, root: RootKind) -> Self {
        let integrator = match settings.solver {
            Solver::Explicit => Integrator::explicit(h),
            _ if root == RootKind::Free => Integrator::backward(h, alpha.into()),
            _ => Integrator::new(h, settings.rho_infinity.into(), alpha.into()),
        };
        Self {
            integrator,
            limits: settings.limits.clone(),
            feedback: settings.drag_feedback,
            velocity_products: settings.velocity_products,
            root_turns: root == RootKind::Clamped,
        }
    }
}
