//! Every vector does what the scalar does, to the last bit.

use super::*;

/// Numbers of all sizes and signs, with the odd ones.
fn numbers() -> [Row; 4] {
    let mut state = 1_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        let unit = (state >> 40) as f32 / (1_u64 << 24) as f32;
        (unit - 0.5) * [1e-30_f32, 1e-3, 1.0, 50.0, 1e12][(state >> 33) as usize % 5]
    };
    let mut rows: [Row; 4] = core::array::from_fn(|_| Row(core::array::from_fn(|_| next())));
    rows[0].0[..6].copy_from_slice(&[0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1e-40]);
    rows
}

struct Everything<'a>(&'a [Row; 4], &'a mut Vec<u32>);

impl Kernel for Everything<'_> {
    type Output = ();
    #[inline(always)]
    fn run<T: Vector>(self) {
        let [a, b, ..] = self.0;
        let mut results = [Row::ZERO; 17];
        for at in (0..ROW).step_by(T::WIDTH) {
            let (x, y) = (T::load(a, at), T::load(b, at));
            let unit = x.abs().min(T::of(80.0));
            let (s, c) = unit.sin_cos();
            let all = [
                x + y,
                x - y,
                x * y,
                x / y,
                -x,
                x.sqrt(),
                x.inverse_sqrt(),
                x.abs(),
                x.with_sign_of(y),
                x.max(y),
                x.min(y),
                T::select(x.lt(y), x, y),
                (-unit).exp(),
                (-unit).exp_m1(),
                s,
                c,
                x.settled(1e-5),
            ];
            for (row, v) in results.iter_mut().zip(all) {
                v.store(row, at);
            }
        }
        self.1.extend(
            results
                .iter()
                .flat_map(|r| r.0)
                .map(|x| if x.is_nan() { u32::MAX } else { x.to_bits() }),
        );
        let rows: [Row; ROW] =
            core::array::from_fn(|i| Row(core::array::from_fn(|j| (100 * i + j) as f32)));
        let mut columns = BLANK;
        T::transpose(core::array::from_fn(|i| &rows[i]), &mut columns);
        for (i, column) in columns.iter().enumerate() {
            for (j, x) in column.0.iter().enumerate() {
                assert_eq!(*x, (100 * j + i) as f32);
            }
        }
        let mut line = *b;
        T::add_line(&mut line, &self.0[2]);
        self.1.extend(line.0.map(f32::to_bits));
    }
}

#[test]
fn every_vector_gives_the_bits_of_the_scalar() {
    let rows = numbers();
    let mut reference = Vec::new();
    dispatch(Isa::Scalar, Everything(&rows, &mut reference));
    for isa in Isa::available() {
        let mut got = Vec::new();
        dispatch(isa, Everything(&rows, &mut got));
        assert_eq!(got, reference, "{}", isa.name());
    }
}

struct Masks<'a>(&'a [Row; 4]);

impl Kernel for Masks<'_> {
    type Output = [u32; 2];
    #[inline(always)]
    fn run<T: Vector>(self) -> [u32; 2] {
        let mut bits = [0; 2];
        for at in (0..ROW).step_by(T::WIDTH) {
            let (x, y) = (T::load(&self.0[0], at), T::load(&self.0[1], at));
            bits[0] |= T::bits(x.lt(y)) << at;
            bits[1] |= T::bits(x.finite()) << at;
        }
        bits
    }
}

#[test]
fn every_vector_tells_the_same_lanes() {
    let rows = numbers();
    let reference = dispatch(Isa::Scalar, Masks(&rows));
    assert_eq!(
        reference[1] & 0b11_1111,
        0b10_0011,
        "infinite and NaN are not finite"
    );
    for isa in Isa::available() {
        assert_eq!(dispatch(isa, Masks(&rows)), reference, "{}", isa.name());
    }
}
