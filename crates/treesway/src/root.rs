//! The anchor a tree stands on: fixed, moved by the caller, or let go.

use crate::math::{Quaternion, Sym3, V3};
use glam::{DQuat, DVec3};

/// How the root body hangs on the anchor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "kebab-case")
)]
pub enum RootKind {
    /// A spring of the root's own half-cell, as at the base of a clamped beam (default).
    #[default]
    Clamped,
    /// No joint: the root body moves with the anchor.
    Rigid,
    /// Nothing holds it: six degrees of freedom, for broken branches and thrown sticks.
    Free,
}

/// Where the anchor is; f64 so that its derivatives can be taken by differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootPose {
    /// m.
    pub position: DVec3,
    /// World from anchor.
    pub rotation: DQuat,
}

impl Default for RootPose {
    fn default() -> Self {
        Self {
            position: DVec3::ZERO,
            rotation: DQuat::IDENTITY,
        }
    }
}

/// The anchor as a function of time, s. Smooth: velocity and acceleration are taken from it by differences over 1 ms.
pub trait RootMotion: Send + Sync {
    /// Pose at a time.
    fn pose(&self, seconds: f64) -> RootPose;
}

impl<F: Fn(f64) -> RootPose + Send + Sync> RootMotion for F {
    fn pose(&self, seconds: f64) -> RootPose {
        self(seconds)
    }
}

/// One pose of a keyframed root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Keyframe {
    /// s.
    pub time: f64,
    /// There and then.
    pub pose: RootPose,
}

/// Keyframes joined by a cubic spline in position that starts and ends at rest and, between neighbours, by the shortest
/// rotation eased in and out.
/// Before the first and after the last the root rests.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keyframes {
    keys: Vec<Keyframe>,
    /// Second derivatives of the position at the keys, m/s².
    curvature: Vec<DVec3>,
}

impl Keyframes {
    /// Sorted by time; keys at the same time are dropped but the last.
    pub fn new(mut keys: Vec<Keyframe>) -> Self {
        keys.sort_by(|a, b| a.time.total_cmp(&b.time));
        keys.reverse();
        keys.dedup_by(|a, b| a.time == b.time);
        keys.reverse();
        let curvature = clamped_spline(&keys);
        Self { keys, curvature }
    }
}

/// Second derivatives of the cubic spline through the keys whose velocity is zero at both ends (Thomas's algorithm).
fn clamped_spline(keys: &[Keyframe]) -> Vec<DVec3> {
    let n = keys.len();
    if n < 2 {
        return vec![DVec3::ZERO; n];
    }
    let span = |i: usize| keys[i + 1].time - keys[i].time;
    let slope = |i: usize| (keys[i + 1].pose.position - keys[i].pose.position) / span(i);
    let row = |i: usize| match i {
        0 => (0.0, 2.0 * span(0), span(0), 6.0 * slope(0)),
        i if i == n - 1 => (span(n - 2), 2.0 * span(n - 2), 0.0, -6.0 * slope(n - 2)),
        i => (
            span(i - 1),
            2.0 * (span(i - 1) + span(i)),
            span(i),
            6.0 * (slope(i) - slope(i - 1)),
        ),
    };
    let mut upper = vec![0.0; n];
    let mut value = vec![DVec3::ZERO; n];
    for i in 0..n {
        let (low, mid, up, right) = row(i);
        let (last_upper, last_value) = if i == 0 {
            (0.0, DVec3::ZERO)
        } else {
            (upper[i - 1], value[i - 1])
        };
        let pivot = mid - low * last_upper;
        upper[i] = up / pivot;
        value[i] = (right - low * last_value) / pivot;
    }
    for i in (0..n - 1).rev() {
        let above = value[i + 1];
        value[i] -= upper[i] * above;
    }
    value
}

impl RootMotion for Keyframes {
    fn pose(&self, seconds: f64) -> RootPose {
        let Some((first, last)) = self.keys.first().zip(self.keys.last()) else {
            return RootPose::default();
        };
        if seconds <= first.time {
            return first.pose;
        }
        if seconds >= last.time {
            return last.pose;
        }
        let i = self.keys.partition_point(|k| k.time <= seconds) - 1;
        let (a, b) = (&self.keys[i], &self.keys[i + 1]);
        let span = b.time - a.time;
        let t = (seconds - a.time) / span;
        let s = 1.0 - t;
        let position = a.pose.position * s
            + b.pose.position * t
            + ((s * s * s - s) * self.curvature[i] + (t * t * t - t) * self.curvature[i + 1])
                * (span * span / 6.0);
        // Quintic ease: velocity and acceleration vanish at the keys, so the rotation is twice differentiable.
        let ease = t * t * t * (t * (6.0 * t - 15.0) + 10.0);
        let (from, to) = (split(a.pose).1, split(b.pose).1);
        let way = from.conjugate().times(to).rotation_vector() * ease;
        let q = from.times(Quaternion::from_rotation_vector(way));
        RootPose {
            position,
            rotation: DQuat::from_xyzw(q.v.x, q.v.y, q.v.z, q.w),
        }
    }
}

/// The anchor's motion at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Anchor {
    pub(crate) position: V3<f64>,             // m
    pub(crate) rotation: Quaternion<f64>,     // world from anchor
    pub(crate) velocity: V3<f64>,             // m/s
    pub(crate) acceleration: V3<f64>,         // m/s²
    pub(crate) angular_velocity: V3<f64>,     // rad/s
    pub(crate) angular_acceleration: V3<f64>, // rad/s²
}

impl Default for Anchor {
    fn default() -> Self {
        Self::still(RootPose::default())
    }
}

fn split(pose: RootPose) -> (V3<f64>, Quaternion<f64>) {
    let (p, q) = (pose.position, pose.rotation);
    (
        V3 {
            x: p.x,
            y: p.y,
            z: p.z,
        },
        Quaternion {
            v: V3 {
                x: q.x,
                y: q.y,
                z: q.z,
            },
            w: q.w,
        }
        .unit(),
    )
}

impl Anchor {
    /// At rest.
    pub(crate) fn still(pose: RootPose) -> Self {
        let (position, rotation) = split(pose);
        let zero = V3::zero();
        Self {
            position,
            rotation,
            velocity: zero,
            acceleration: zero,
            angular_velocity: zero,
            angular_acceleration: zero,
        }
    }

    /// Of a motion, by central differences.
    pub(crate) fn at(motion: &dyn RootMotion, t: f64) -> Self {
        const D: f64 = 1e-3; // s
        let (before, now, after) = (
            split(motion.pose(t - D)),
            split(motion.pose(t)),
            split(motion.pose(t + D)),
        );
        let turn = |from: Quaternion<f64>, to: Quaternion<f64>| {
            to.times(from.conjugate()).rotation_vector() * (1.0 / D)
        };
        let (first, second) = (turn(before.1, now.1), turn(now.1, after.1));
        Self {
            position: now.0,
            rotation: now.1,
            velocity: (after.0 - before.0) * (0.5 / D),
            acceleration: (after.0 + before.0 - now.0 * 2.0) * (1.0 / (D * D)),
            angular_velocity: (first + second) * 0.5,
            angular_acceleration: (second - first) * (1.0 / D),
        }
    }

    /// The mean motion from `self` to `next`, `h` s later: what a torque frozen over the step should feel.
    pub(crate) fn mean_to(&self, next: &Self, h: f64) -> RigidMotion {
        RigidMotion {
            origin: self.position.narrow(),
            acceleration: ((next.velocity - self.velocity) * (1.0 / h)).narrow(),
            angular_velocity: ((self.angular_velocity + next.angular_velocity) * 0.5).narrow(),
            angular_acceleration: ((next.angular_velocity - self.angular_velocity) * (1.0 / h))
                .narrow(),
        }
    }

    /// As it moves now.
    pub(crate) fn motion(&self) -> RigidMotion {
        RigidMotion {
            origin: self.position.narrow(),
            acceleration: self.acceleration.narrow(),
            angular_velocity: self.angular_velocity.narrow(),
            angular_acceleration: self.angular_acceleration.narrow(),
        }
    }

    /// A free tree, moved as the rigid body of mass `m` [kg], first moment `s` [kg·m] and inertia `j` [kg·m²] about the anchor
    /// under force `f` [N] and torque `tau` [N·m] about the anchor, for `h` s. Angular momentum is kept exactly.
    pub(crate) fn fly(
        &self,
        m: f64,
        s: V3<f64>,
        j: Sym3<f64>,
        f: V3<f64>,
        tau: V3<f64>,
        h: f64,
    ) -> Self {
        let r = s * (1.0 / m); // centre of mass from the anchor
        let about_com = j + Sym3::outer(r, m) + Sym3::diagonal(V3::splat(-m * r.dot(r)));
        let omega = self.angular_velocity;
        let momentum = about_com.apply(omega) + (tau - r.cross(f)) * h;
        let turn = Quaternion::from_rotation_vector(omega * h);
        // Inertia after the turn: R I Rᵀ.
        let back = turn.conjugate().matrix();
        let next_omega = about_com.congruent(back).solve(momentum);
        let next_r = turn.rotate(r);
        let com_velocity = self.velocity + omega.cross(r) + f * (h / m);
        let com = self.position + r + com_velocity * h;
        let velocity = com_velocity - next_omega.cross(next_r);
        Self {
            position: com - next_r,
            rotation: turn.times(self.rotation).renormalised(),
            velocity,
            acceleration: (velocity - self.velocity) * (1.0 / h),
            angular_velocity: next_omega,
            angular_acceleration: (next_omega - omega) * (1.0 / h),
        }
    }
}

impl Anchor {
    /// After `h` s with the given accelerations, angular and of the origin.
    pub(crate) fn accelerated(&self, alpha: V3<f64>, a: V3<f64>, h: f64) -> Self {
        let (velocity, omega) = (self.velocity + a * h, self.angular_velocity + alpha * h);
        Self {
            position: self.position + velocity * h,
            rotation: Quaternion::from_rotation_vector(omega * h)
                .times(self.rotation)
                .renormalised(),
            velocity,
            acceleration: a,
            angular_velocity: omega,
            angular_acceleration: alpha,
        }
    }
}

/// Acceleration field of a rigid motion.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RigidMotion {
    pub(crate) origin: V3<f32>,
    pub(crate) acceleration: V3<f32>,
    pub(crate) angular_velocity: V3<f32>,
    pub(crate) angular_acceleration: V3<f32>,
}

impl RigidMotion {
    /// Acceleration of the point at `position` that moves along, m/s².
    #[inline]
    pub(crate) fn acceleration_at(&self, position: V3<f32>) -> V3<f32> {
        let d = position - self.origin;
        let w = self.angular_velocity;
        self.acceleration + self.angular_acceleration.cross(d) + w.cross(w.cross(d))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keyframed_root_is_smooth_and_hits_its_keys() {
        let key = |time: f64, x: f64, angle: f64| Keyframe {
            time,
            pose: RootPose {
                position: DVec3::new(x, 0.0, 0.0),
                rotation: DQuat::from_rotation_y(angle),
            },
        };
        let keys = vec![
            key(0.0, 0.0, 0.0),
            key(1.0, 0.5, 0.3),
            key(1.5, -0.2, 0.0),
            key(3.0, 0.0, 1.0),
        ];
        let motion = Keyframes::new(keys.clone());
        for k in &keys {
            assert!(motion.pose(k.time).position.distance(k.pose.position) < 1e-12);
            assert!(motion.pose(k.time).rotation.angle_between(k.pose.rotation) < 1e-7);
        }
        // Velocity and acceleration without jumps: second differences change by no more than the third derivative allows.
        let h = 1e-3;
        let mut last = Anchor::at(&motion, -0.01);
        for i in 0..3020 {
            let now = Anchor::at(&motion, -0.009 + f64::from(i) * h);
            assert!(
                (now.velocity - last.velocity).length() < 0.02,
                "velocity jumps at {i}"
            );
            assert!(
                (now.angular_velocity - last.angular_velocity).length() < 0.02,
                "spin jumps at {i}"
            );
            last = now;
        }
    }

    #[test]
    fn a_free_body_keeps_its_angular_momentum_and_falls_as_a_stone() {
        let (m, r) = (
            2.0,
            V3 {
                x: 0.1,
                y: 0.4,
                z: -0.2,
            },
        );
        let com_inertia = Sym3 {
            xx: 0.3,
            yy: 0.1,
            zz: 0.2,
            xy: 0.02,
            xz: 0.0,
            yz: -0.03,
        };
        let mut anchor = Anchor {
            angular_velocity: V3 {
                x: 1.0,
                y: -2.0,
                z: 0.5,
            },
            ..Anchor::default()
        };
        let g = V3 {
            x: 0.0,
            y: -9.81,
            z: 0.0,
        };
        let h = 1.0 / 240.0;
        let world = |a: &Anchor| {
            let back = a.rotation.conjugate().matrix();
            (com_inertia.congruent(back), a.rotation.rotate(r))
        };
        let (i0, r0) = world(&anchor);
        let start = i0.apply(anchor.angular_velocity);
        let start_velocity = anchor.velocity + anchor.angular_velocity.cross(r0);
        for _ in 0..240 {
            let (i, r) = world(&anchor);
            let about_joint = i + Sym3::outer(r, -m) + Sym3::diagonal(V3::splat(m * r.dot(r)));
            let f = g * m;
            anchor = anchor.fly(m, r * m, about_joint, f, r.cross(f), h);
        }
        let (i1, r1) = world(&anchor);
        assert!((i1.apply(anchor.angular_velocity) - start).length() < 1e-9);
        let velocity = anchor.velocity + anchor.angular_velocity.cross(r1);
        assert!(
            (velocity - start_velocity - g).length() < 1e-9,
            "{velocity:?}"
        );
    }
}
