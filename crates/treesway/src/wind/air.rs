//! What moving air does to a body: Eq. 21 to 24 of Quigley 2017, with the derivatives that an implicit step needs.
//!
//! With u = v_air − v_body at the centre of mass:
//!
//!   wood   f = κ ρ A ‖u⊥‖ u⊥                     u⊥ = u across the axis                          (21)
//!   fruit  f = κ ρ A ‖u‖ u                                                                       (22)
//!   leaf   f = κ_l ρ A ‖u‖ u_n + ν m (u_n + u_t/ξ)                                               (23)
//!          τ = κ_l ρ (A/2) √(A/π) (u·n) n × (u cos φ + n × u sin φ) − ν I ω                      (24)
//!
//! u_n = (u·n) n and u_t = u − u_n; n is the leaf's normal, ω its angular velocity.

use crate::desc::BodyKind;
use crate::forces::FieldForce;
use crate::math::simd::Vector;
use crate::math::{Sym3, V3};

/// Properties of the air and of how bodies meet it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct Air {
    /// ρ, kg/m³ (default: 1.225).
    pub density: f32,
    /// κ, of branches and fruit (default: 0.5, drag coefficient 1).
    pub drag: f32,
    /// κ_l, of leaves (default: 0.15, drag coefficient 0.3). A lone blade across the wind has 0.5; in a crown leaves stand in each other's lee, and
    /// canopies as a whole are measured at a drag coefficient of 0.15 to 0.3 per leaf area.
    pub leaf_drag: f32,
    /// κ_l of a leaf that is off its tree, where nothing stands before it (default: 0.5, drag coefficient 1).
    pub free_leaf_drag: f32,
    /// ν, resistance of the air to a leaf in proportion to its speed, 1/s (default: 4).
    pub leaf_resistance: f32,
    /// ξ, how many times the resistance is greater across a leaf than along it (default: 5).
    pub leaf_glide: f32,
    /// φ, by how much the torque on a leaf is turned about its normal, rad (default: 0): a falling leaf then spirals.
    pub leaf_swirl: f32,
}

impl Default for Air {
    fn default() -> Self {
        Self {
            density: 1.225,
            drag: 0.5,
            leaf_drag: 0.15,
            free_leaf_drag: 0.5,
            // Tanabe and Kaneko 1994 drop sheets of paper with resistances of 4.1 and 0.88 per second.
            leaf_resistance: 4.0,
            leaf_glide: 5.0,
            leaf_swirl: 0.0,
        }
    }
}

/// A body as the air sees it; see [`crate::BodySample`].
#[derive(Clone, Copy)]
pub(super) struct Blown<T> {
    pub(super) kind: T,
    pub(super) mass: T,
    pub(super) area: T,
    /// Of the air relative to the centre of mass, m/s.
    pub(super) wind: V3<T>,
    pub(super) axis: V3<T>,
    pub(super) normal: V3<T>,
    pub(super) com_z: T,
    /// Share s of a leaf's blades that are held every which way; the others lie in its plane.
    pub(super) spread: T,
}

/// [`Air`] with what is the same for all bodies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Medium {
    density: f32,
    drag: f32,
    leaf_drag: f32,
    resistance: f32,
    tangential: f32,
    /// cos φ and sin φ.
    swirl: [f32; 2],
}

impl Medium {
    pub(super) fn of(air: &Air) -> Self {
        let (sin, cos) = libm::sincos(f64::from(air.leaf_swirl));
        Self {
            density: air.density,
            drag: air.drag,
            leaf_drag: air.leaf_drag,
            resistance: air.leaf_resistance,
            tangential: air.leaf_resistance / air.leaf_glide,
            swirl: [cos as f32, sin as f32],
        }
    }

    /// ρ, kg/m³.
    pub(super) fn density(&self) -> f32 {
        self.density
    }

    /// Force, torque and derivatives. The speed in front of the drag is held while the derivative by velocity is taken: that is less than
    /// the whole and still damps.
    #[inline(always)]
    pub(super) fn forces<T: Vector>(&self, body: &Blown<T>) -> FieldForce<T> {
        let wood = body
            .kind
            .lt(T::of(f64::from(BodyKind::Segment as u8) + 0.5));
        let not_fruit = body.kind.lt(T::of(f64::from(BodyKind::Leaf as u8) + 0.5));
        let (zero, one) = (T::zero(), T::one());
        let u = body.wind;
        // Along the axis of wood, the normal of a leaf.
        let along = V3::select(wood, body.axis, body.normal);
        let (part, square) = (u.dot(along), u.dot(u));
        let across = part.times_from(part, square).max(zero);
        let speed = root(T::select(wood, across, square));
        let kappa = T::select(not_fruit, T::splat(self.leaf_drag), T::splat(self.drag));
        let kappa = T::select(wood, T::splat(self.drag), kappa);
        let c = kappa * speed * T::splat(self.density) * body.area;
        // f = D u, D = `every`·1 + `more` l lᵀ with l along: c (1 − l lᵀ) of wood, c of a fruit; of a leaf c and ν m shared among its blades,
        // ((1 − s) n nᵀ + s/3) being the mean of n nᵀ over them.
        let (mut every, mut more) = (c, T::select(wood, -c, zero));
        let mut result = FieldForce::none();
        let is_leaf = T::select(not_fruit, T::select(wood, zero, one), zero);
        let leaf = zero.lt(is_leaf);
        if T::any(leaf) {
            let slow = T::splat(self.tangential) * body.mass;
            let pressed = c + (T::splat(self.resistance) * body.mass - slow);
            let third = body.spread * T::of(1.0 / 3.0);
            every = T::select(leaf, pressed.times_plus(third, slow), every);
            more = T::select(leaf, pressed * (one - body.spread), more);
            self.turn_leaf(body, is_leaf, c, speed, part, &mut result);
        }
        result.force = u.times_plus(every, along * (more * part));
        result.damping = Sym3::outer(along, more).plus_splat(every);
        // Across the wind.
        let held = T::splat(self.resistance) * body.mass * is_leaf * root(square);
        result.most = (kappa * square * T::splat(self.density)).times_plus(body.area, held);
        result
    }

    /// What turns leaves, and how the air holds them. `is_leaf` is 1 or 0, `c` is κ_l ρ A ‖u‖, `speed` ‖u‖ and `part` u·n.
    #[inline(always)]
    fn turn_leaf<T: Vector>(
        &self,
        body: &Blown<T>,
        is_leaf: T,
        c: T,
        speed: T,
        part: T,
        result: &mut FieldForce<T>,
    ) {
        let (u, n) = (body.wind, body.normal);
        let flat_share = T::one() - body.spread;
        // κ_l ρ (A/2) √(A/π) of one blade, times the blades that are held alike.
        let blade = body.area * flat_share;
        let k = T::splat(self.leaf_drag * self.density * 0.5) * blade * is_leaf;
        let k = k * root(blade * T::of(core::f64::consts::FRAC_1_PI));
        let (cos, sin) = (T::splat(self.swirl[0]), T::splat(self.swirl[1]));
        // n × (n × u) = (u·n) n − u
        let swirled = n.cross(u) * cos + (n * part - u) * sin;
        result.torque = swirled * (k * part);
        result.spin_rate = T::splat(self.resistance) * is_leaf;
        // The pressure c P u at r = com_z z turns a leaf until it trails in the wind; of many blades that is a stiffness c r |u·z|/3 about x and n.
        // A single blade also turns broadside by (24), and its twist lets the pressure change without a stiffness of its own: what all of
        // that together can be at most, about any axis, is c r ‖u‖ + k ‖u‖².
        const MORE: f64 = 2.0; // A leaf may swing through broadside within a step, where the torque is greatest.
        let third = body.spread * T::of(1.0 / 3.0);
        let lever = T::of(MORE) * c * body.com_z * is_leaf;
        result.twisting = speed * (T::of(MORE) * k).times_plus(speed, lever * flat_share);
        result.turning = (lever * third).times_plus(u.dot(body.axis).abs(), result.twisting);
    }
}

/// √x without the processor's root, which takes three times as long; 0 for 0.
#[inline(always)]
fn root<T: Vector>(x: T) -> T {
    x * x.inverse_sqrt()
}
