//! Which vectors the processor has, and how a kernel comes to run on them.

use super::Vector;
use std::sync::OnceLock;
use wide::f32x4;

/// Vectors that kernels run on; but for the fused ones the result does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// One body at a time: the reference that the others are compared with.
    Scalar,
    /// Four lanes: what every processor of the target has (SSE2, NEON, wasm128).
    Base,
    /// Eight lanes.
    Avx2,
    /// Sixteen lanes.
    Avx512,
    /// Eight lanes with fused multiply-add: faster, but other bits than all the others. Needs the feature `fused`.
    Avx2Fused,
    /// Sixteen lanes with fused multiply-add, as before.
    Avx512Fused,
}

impl Isa {
    /// The widest that this processor has.
    pub fn best() -> Self {
        static BEST: OnceLock<Isa> = OnceLock::new();
        *BEST.get_or_init(|| {
            let widest = [Self::Avx512, Self::Avx2];
            widest
                .into_iter()
                .find(|i| i.is_available())
                .unwrap_or(Self::Base)
        })
    }

    /// The widest fused vectors that this processor has and this program was built with.
    pub fn fused() -> Option<Self> {
        [Self::Avx512Fused, Self::Avx2Fused]
            .into_iter()
            .find(|i| i.is_available())
    }

    /// Whether this processor has it, and this program was built with it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Scalar | Self::Base => true,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => is_x86_feature_detected!("avx2"),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512bw")
            }
            #[cfg(not(target_arch = "x86_64"))]
            Self::Avx2 | Self::Avx512 => false,
            #[cfg(all(target_arch = "x86_64", feature = "fused"))]
            Self::Avx2Fused => Self::Avx2.is_available() && is_x86_feature_detected!("fma"),
            #[cfg(all(target_arch = "x86_64", feature = "fused"))]
            Self::Avx512Fused => Self::Avx512.is_available() && is_x86_feature_detected!("fma"),
            #[cfg(not(all(target_arch = "x86_64", feature = "fused")))]
            Self::Avx2Fused | Self::Avx512Fused => false,
        }
    }

    /// All that this processor has and that agree to the last bit, the reference first.
    pub fn available() -> impl Iterator<Item = Self> {
        [Self::Scalar, Self::Base, Self::Avx2, Self::Avx512]
            .into_iter()
            .filter(|i| i.is_available())
    }

    /// As in tables and options.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Base => "base",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
            Self::Avx2Fused => "avx2-fused",
            Self::Avx512Fused => "avx512-fused",
        }
    }
}

/// Work that is written once for all vectors. `run` must be `#[inline(always)]`, so that it is compiled for the instructions of its caller.
pub(crate) trait Kernel {
    type Output;
    fn run<T: Vector>(self) -> Self::Output;
}

/// Runs a kernel.
///
/// # Panics
/// If the processor does not have `isa`.
#[inline]
pub(crate) fn dispatch<K: Kernel>(isa: Isa, kernel: K) -> K::Output {
    match isa {
        Isa::Scalar => kernel.run::<f32>(),
        Isa::Base => kernel.run::<f32x4>(),
        #[cfg(target_arch = "x86_64")]
        Isa::Avx2 => {
            assert!(isa.is_available(), "this processor has no AVX2");
            // SAFETY: checked above.
            unsafe { on_avx2(kernel) }
        }
        #[cfg(target_arch = "x86_64")]
        Isa::Avx512 => {
            assert!(isa.is_available(), "this processor has no AVX-512");
            // SAFETY: checked above.
            unsafe { on_avx512(kernel) }
        }
        #[cfg(all(target_arch = "x86_64", feature = "fused"))]
        Isa::Avx2Fused => {
            assert!(isa.is_available(), "this processor has no FMA");
            // SAFETY: checked above.
            unsafe { on_avx2_fused(kernel) }
        }
        #[cfg(all(target_arch = "x86_64", feature = "fused"))]
        Isa::Avx512Fused => {
            assert!(isa.is_available(), "this processor has no AVX-512");
            // SAFETY: checked above.
            unsafe { on_avx512_fused(kernel) }
        }
        #[cfg(not(all(target_arch = "x86_64", feature = "fused")))]
        Isa::Avx2Fused | Isa::Avx512Fused => panic!("built without the feature `fused`"),
        #[cfg(not(target_arch = "x86_64"))]
        Isa::Avx2 | Isa::Avx512 => panic!("this processor has no {}", isa.name()),
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn on_avx2<K: Kernel>(kernel: K) -> K::Output {
    align_stack();
    kernel.run::<super::avx2::F32x8<false>>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw")]
fn on_avx512<K: Kernel>(kernel: K) -> K::Output {
    align_stack();
    kernel.run::<super::avx512::F32x16<false>>()
}

#[cfg(all(target_arch = "x86_64", feature = "fused"))]
#[target_feature(enable = "avx2,fma")]
fn on_avx2_fused<K: Kernel>(kernel: K) -> K::Output {
    align_stack();
    kernel.run::<super::avx2::F32x8<true>>()
}

#[cfg(all(target_arch = "x86_64", feature = "fused"))]
#[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,fma")]
fn on_avx512_fused<K: Kernel>(kernel: K) -> K::Output {
    align_stack();
    kernel.run::<super::avx512::F32x16<true>>()
}

/// Registers that a kernel has no room for are kept on the stack, which is aligned to 16 bytes unless a function has something that asks for
/// more: three of four such vectors would lie across two cache lines, and each move of one take twice as long.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn align_stack() {
    let mut line = super::Row::ZERO;
    core::hint::black_box(&mut line);
}
