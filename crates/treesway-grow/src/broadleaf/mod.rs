//! A broadleaved tree with as many bodies as wanted.
//!
//! Growth is a division of **shoot tips** (the leafy twig ends) from the trunk outwards. The trunk holds all of them; along every
//! axis, lateral branches leave in phyllotactic order and each takes a share of the tips, until a branch that holds one
//! tip is a twig ([`wood`]). With T tips beyond a point of an axis,
//!
//!   radius = r₁ T^(1/γ)  (pipe model; Leonardo's rule is γ = 2),   length of a branch = ℓ₁ T^p  (a crown fills space: p ≈ 1/3),
//!
//! with ℓ₁ and r₁ those of a twig, p and γ such that a trunk of T tips has the wanted height and radius. Leaves then take up exactly
//! the bodies that the wood left over ([`foliage`]).

mod foliage;
mod wood;

use crate::{GrowError, Grown, all_positive, all_within};
use treesway::{CutOptions, Skeleton};
use wood::{Allometry, Wood};

/// A broadleaved tree: trunk, limbs, twigs and leaves.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Broadleaf {
    /// Segments and leaves together once it is cut, from 200 to 10 million (default: 10000). Scene files say it for the
    /// whole tree.
    #[serde(skip)]
    pub bodies: u32,
    /// About, m (default: 12).
    pub height: f32,
    /// Of the trunk above its flare, m (default: 0.2).
    pub trunk_radius: f32,
    /// Share of the trunk below the crown, 0 to 0.8 (default: 0.2).
    pub clear_trunk: f32,
    /// Factor on the length of branches: below 1 a slender crown, above 1 a wide one (default: 1).
    pub spread: f32,
    /// How strongly branches bend upwards, 0 to 2 (default: 0.6).
    pub tropism: f32,
    /// m; 0 chooses it so that fewer leaves are larger (default: 0, which is 0.2 m at 10000 bodies).
    pub leaf_length: f32,
    /// Width of a leaf over its length (default: 0.6).
    pub leaf_aspect: f32,
    /// Share of wood among the bodies, 0.1 to 0.9 (default: 0.3).
    pub wood_share: f32,
}

impl Default for Broadleaf {
    fn default() -> Self {
        Self {
            bodies: 10_000,
            height: 12.0,
            trunk_radius: 0.2,
            clear_trunk: 0.2,
            spread: 1.0,
            tropism: 0.6,
            leaf_length: 0.0,
            leaf_aspect: 0.6,
            wood_share: 0.3,
        }
    }
}

/// Fewest bodies that make a tree.
const LEAST_BODIES: u32 = 200;

impl Broadleaf {
    /// Grows the tree for its own [`cut`](Self::cut). The cut tree has exactly the wanted number of bodies.
    pub fn grow(&self, seed: u64) -> Result<Grown, GrowError> {
        self.grow_for(self.cut(), seed)
    }

    /// The cut that suits the number of bodies: 0.3 m at 10000, coarser with fewer.
    pub fn cut(&self) -> CutOptions {
        CutOptions {
            segment_length: (0.3 * self.coarseness()).clamp(0.06, 1.2) as f32,
            ..CutOptions::default()
        }
    }

    /// Grows the tree so that `cut` gives exactly the wanted number of bodies.
    pub fn grow_for(&self, cut: CutOptions, seed: u64) -> Result<Grown, GrowError> {
        self.validate()?;
        let wanted = self.bodies as usize;
        let (wood, segments) = self.grow_wood(&cut, seed);
        if segments >= wanted {
            return Err(GrowError {
                name: "bodies",
                value: self.bodies.into(),
                expected: format!(
                    "more than the {segments} segments of its wood; cut it into longer segments"
                ),
            });
        }
        let leaves = foliage::leaves(&wood, wanted - segments, self, seed);
        let skeleton = Skeleton {
            branches: wood.branches,
            leaves,
            fruit: Vec::new(),
        };
        Ok(Grown::new(skeleton, cut))
    }

    /// Wood whose segments are about the wanted share of the bodies, and how many they are.
    fn grow_wood(&self, cut: &CutOptions, seed: u64) -> (Wood, usize) {
        let wanted = f64::from(self.bodies) * f64::from(self.wood_share);
        let mut tips = (wanted / 3.0).max(2.0);
        // Segments grow about as the tips do, so a few corrections suffice; leaves make up for what is left.
        for attempt in 1.. {
            let wood = wood::grow(self, &self.allometry(tips as u32), seed);
            let segments = wood.segments(cut);
            let off = segments as f64 / wanted;
            if (off - 1.0).abs() < 0.05 || attempt == 6 {
                return (wood, segments);
            }
            tips = (tips / off).max(2.0);
        }
        unreachable!("the last attempt is taken as it is")
    }

    /// The laws of this tree with `tips` shoot tips.
    fn allometry(&self, tips: u32) -> Allometry {
        let (height, trunk) = (f64::from(self.height), f64::from(self.trunk_radius));
        let log_tips = libm::log(f64::from(tips.max(2)));
        let twig_length = (0.45 * self.coarseness())
            .clamp(0.12, 1.4)
            .min(0.2 * height);
        let twig_radius = (trunk / f64::from(tips).sqrt()).clamp(0.0015, 0.015);
        // No trunk thinner than the area of its twigs would be; few thick twigs make a thinner one.
        let gamma = (log_tips / libm::log(trunk / twig_radius)).max(1.8);
        Allometry {
            tips,
            twig_length,
            twig_radius,
            length_exponent: libm::log(height / twig_length) / log_tips,
            radius_exponent: 1.0 / gamma,
        }
    }

    /// 1 at 10000 bodies; lengths of twigs and segments go with it, because bodies fill a volume.
    fn coarseness(&self) -> f64 {
        libm::cbrt(10_000.0 / f64::from(self.bodies))
    }

    fn validate(&self) -> Result<(), GrowError> {
        let bodies = [("bodies", self.bodies.into())];
        all_within(
            &bodies,
            LEAST_BODIES.into(),
            1e7,
            "a whole number from 200 to 10000000",
        )?;
        all_positive(&[
            ("height", self.height.into()),
            ("trunk_radius", self.trunk_radius.into()),
            ("spread", self.spread.into()),
            ("leaf_aspect", self.leaf_aspect.into()),
        ])?;
        let radius = [("trunk_radius", self.trunk_radius.into())];
        all_within(
            &radius,
            0.02,
            f64::MAX,
            "a finite length of at least 0.02 m",
        )?;
        let clear = [("clear_trunk", self.clear_trunk.into())];
        all_within(&clear, 0.0, 0.8, "a share from 0 to 0.8")?;
        let tropism = [("tropism", self.tropism.into())];
        all_within(&tropism, 0.0, 2.0, "a number from 0 to 2")?;
        let leaf = [("leaf_length", self.leaf_length.into())];
        all_within(&leaf, 0.0, 10.0, "a length from 0 to 10 m")?;
        let share = [("wood_share", self.wood_share.into())];
        all_within(&share, 0.1, 0.9, "a share from 0.1 to 0.9")
    }
}
