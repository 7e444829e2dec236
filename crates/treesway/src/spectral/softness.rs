//! How much slower a branch swings because what it carries bends, too.
//!
//! M and K of [`super::oscillator`] are those of a branch that carries all else rigidly: by Rayleigh's principle its frequency is never below the true one, and far above
//! it where limbs give way as easily as the wood that holds them. Here the subtree of a branch, held at its base, is bent by the inertia of that rigid shape, with all joints in
//! it free, and then by the inertia of what came out (Stodola's and Vianello's iteration); its Rayleigh quotient
//!
//!   ω² = Σ F·u / Σ (m u² + I Θ²),   K u = F,
//!
//! is that of the slowest mode to a few per cent. K/M of the branch is lowered to it.

use super::deform::v3;
use super::hierarchy::Homes;
use super::model::SpectralBranch;
use crate::desc::BodyId;
use crate::math::{Quaternion, V3};
use crate::tree::Tree;

/// Times that the shape is found again.
const TURNS: u32 = 2;

/// A body as the iteration needs it, in double precision.
struct Bone {
    /// Index within the subtree; none of its first bodies.
    parent: Option<usize>,
    joint: V3<f64>,
    middle: V3<f64>,
    turn: Quaternion<f64>,
    /// 1/K about the axes of the joint.
    give: V3<f64>,
    mass: f64,
    inertia: f64,
}

/// ω² of the slowest mode of every branch with all that it carries, rad²/s²; `carried_by` is the branch of every body.
pub(super) fn slowest(
    tree: &Tree,
    home: &Homes,
    branches: &[SpectralBranch],
    carried_by: &[(u32, bool)],
) -> Vec<f64> {
    let mut subtrees: Vec<Vec<BodyId>> = vec![Vec::new(); branches.len()];
    for id in tree.ids().filter(|&id| tree.is_attached(id)) {
        let mut index = carried_by[id.index()].0;
        while let Some(branch) = branches.get(index as usize) {
            subtrees[index as usize].push(id);
            index = branch.parent;
        }
    }
    let mut number = vec![usize::MAX; tree.len()];
    subtrees
        .iter()
        .zip(branches)
        .map(|(ids, branch)| {
            let bones = bones(tree, home, ids, &mut number);
            let (axis, side) = (v3(branch.axis).widen(), v3(branch.side).widen());
            let of = |across| quotient(&bones, v3(branch.origin).widen(), axis, across);
            // The mean of both directions across.
            0.5 * (of(side) + of(axis.cross(side)))
        })
        .collect()
}

fn bones(tree: &Tree, home: &Homes, ids: &[BodyId], number: &mut [usize]) -> Vec<Bone> {
    let mut bones = Vec::with_capacity(ids.len());
    for (i, &id) in ids.iter().enumerate() {
        let body = tree.body(id);
        let (joint, turn) = home.poses[id.index()];
        let k = [body.stiffness.x, body.stiffness.y, body.stiffness.z];
        let [x, y, z] = k.map(|k| 1.0 / f64::from(k).max(1e-12));
        let own = |p: BodyId| Some(number[p.index()]).filter(|&n| ids.get(n) == Some(&p));
        let middle = joint + turn.rotate(body.com_in_body.into());
        bones.push(Bone {
            parent: body.parent.and_then(own),
            joint: joint.widen(),
            middle: middle.widen(),
            turn: turn.widen(),
            give: V3 { x, y, z },
            mass: body.mass.into(),
            inertia: f64::from(body.inertia.x + body.inertia.y) * 0.5,
        });
        number[id.index()] = i;
    }
    bones
}

/// ω² of bones that are held at `origin` and bend across `axis`.
fn quotient(bones: &[Bone], origin: V3<f64>, axis: V3<f64>, across: V3<f64>) -> f64 {
    // A first guess: every point as far as it is up the branch, squared, the shape of a cantilever near its base.
    let guess = |b: &Bone| {
        let up = (b.middle - origin).dot(axis).max(0.0);
        let aside = (b.middle - origin).dot(across);
        across * (up * up) - axis * (2.0 * up * aside)
    };
    let mut moved: Vec<V3<f64>> = bones.iter().map(guess).collect();
    let mut result = 0.0;
    for _ in 0..TURNS {
        let force: Vec<V3<f64>> = bones.iter().zip(&moved).map(|(b, u)| *u * b.mass).collect();
        // Tips to base: force, and moment about the origin of space, of all that a bone carries.
        let mut carried: Vec<[V3<f64>; 2]> = bones
            .iter()
            .zip(&force)
            .map(|(b, f)| [*f, b.middle.cross(*f)])
            .collect();
        for i in (0..bones.len()).rev() {
            if let Some(p) = bones[i].parent {
                let [f, m] = carried[i];
                carried[p] = [carried[p][0] + f, carried[p][1] + m];
            }
        }
        // Base to tips: u(x) = t + Θ × x.
        let mut rigid: Vec<[V3<f64>; 2]> = Vec::with_capacity(bones.len());
        let (mut work, mut inertia) = (0.0, 0.0);
        for (i, bone) in bones.iter().enumerate() {
            let [f, m] = carried[i];
            let torque = bone.turn.conjugate().rotate(m - bone.joint.cross(f));
            let bent = V3 {
                x: torque.x * bone.give.x,
                y: torque.y * bone.give.y,
                z: torque.z * bone.give.z,
            };
            let bent = bone.turn.rotate(bent);
            let [t, turned] = bone.parent.map_or([V3::zero(); 2], |p| rigid[p]);
            let [t, turned] = [t - bent.cross(bone.joint), turned + bent];
            rigid.push([t, turned]);
            moved[i] = t + turned.cross(bone.middle);
            work += force[i].dot(moved[i]);
            inertia += bone.mass * moved[i].dot(moved[i]) + bone.inertia * turned.dot(turned);
        }
        result = work / inertia.max(1e-300);
    }
    result
}
