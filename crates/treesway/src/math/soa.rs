//! Structure-of-arrays storage, padded to a whole number of [`Lanes`].

use super::vector::{Sym3, V3, v3};
use super::{LANES, Lanes, Quaternion};

/// `n` rounded up to a multiple of [`LANES`].
pub(crate) fn padded(n: usize) -> usize {
    n.div_ceil(LANES) * LANES
}

/// Eight neighbours starting at `i`.
#[inline(always)]
pub(crate) fn load(a: &[f32], i: usize) -> Lanes {
    let slice: &[f32; LANES] = a[i..i + LANES]
        .try_into()
        .expect("arrays are padded to whole lanes");
    Lanes::new(*slice)
}

#[inline(always)]
fn store(a: &mut [f32], i: usize, v: Lanes) {
    a[i..i + LANES].copy_from_slice(&v.to_array());
}

macro_rules! soa {
    ($(#[$doc:meta])* $name:ident, [$($field:ident),+], $scalar:ty, $lanes:ty,
     |$v:ident| $split:expr, |$($part:ident),+| $join:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub(crate) struct $name { $(pub(crate) $field: Vec<f32>),+ }

        impl $name {
            /// `n` entries and the padding, all equal to `value`.
            pub(crate) fn filled(n: usize, value: $scalar) -> Self {
                let $v = value;
                let [$($field),+] = $split;
                Self { $($field: vec![$field; padded(n)]),+ }
            }
            /// Memory held, bytes.
            pub(crate) fn bytes(&self) -> usize {
                0 $(+ size_of_val(self.$field.as_slice()))+
            }
            #[inline(always)]
            pub(crate) fn get(&self, i: usize) -> $scalar {
                $(let $part = self.$field[i];)+
                $join
            }
            #[inline(always)]
            pub(crate) fn set(&mut self, i: usize, value: $scalar) {
                let $v = value;
                let [$($field),+] = $split;
                $(self.$field[i] = $field;)+
            }
            #[inline(always)]
            #[allow(dead_code, reason = "not every quantity is read by a vector kernel")]
            pub(crate) fn load(&self, i: usize) -> $lanes {
                $(let $part = load(&self.$field, i);)+
                $join
            }
            #[inline(always)]
            #[allow(dead_code, reason = "not every quantity is written by a vector kernel")]
            pub(crate) fn store(&mut self, i: usize, value: $lanes) {
                let $v = value;
                let [$($field),+] = $split;
                $(store(&mut self.$field, i, $field);)+
            }
        }
    };
}

soa!(
    /// n vectors.
    Soa3, [x, y, z], V3<f32>, V3<Lanes>, |v| [v.x, v.y, v.z], |x, y, z| v3(x, y, z)
);
soa!(
    /// n quaternions.
    Soa4, [x, y, z, w], Quaternion<f32>, Quaternion<Lanes>,
    |q| [q.v.x, q.v.y, q.v.z, q.w], |x, y, z, w| Quaternion { v: v3(x, y, z), w }
);
soa!(
    /// n symmetric matrices.
    Soa6, [xx, yy, zz, xy, xz, yz], Sym3<f32>, Sym3<Lanes>,
    |m| [m.xx, m.yy, m.zz, m.xy, m.xz, m.yz], |xx, yy, zz, xy, xz, yz| Sym3 { xx, yy, zz, xy, xz, yz }
);
