//! Rolling polynomial hash modulo 2^64 over blocks of codes. Blocks with equal hashes are compared,
//! so a collision costs time only.

use crate::substring::texts::Code;

/// Base: odd, with well-spread bits (multiplier of Steele and Vigna 2021, doi:10.1002/spe.3030).
const BASE: u64 = 0xd134_2543_de82_ef95;
/// Fibonacci hashing: 2^64 divided by the golden ratio.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
/// Codes with precomputed values.
const TABLE: usize = 1 << 8;

/// Rolling hash of blocks of one width.
pub(super) struct Rolling {
    /// Per code: the value added when it enters, and the value subtracted when it leaves.
    values: [(u64, u64); TABLE],
    /// `BASE` to the power of `width`.
    leaving: u64,
    width: usize,
}

impl Rolling {
    pub(super) fn new(width: usize) -> Self {
        let (mut leaving, mut square, mut exponent) = (1u64, BASE, width);
        while exponent > 0 {
            if exponent & 1 == 1 {
                leaving = leaving.wrapping_mul(square);
            }
            square = square.wrapping_mul(square);
            exponent >>= 1;
        }
        let values = std::array::from_fn(|code| {
            (value(code as u32), value(code as u32).wrapping_mul(leaving))
        });
        Self {
            values,
            leaving,
            width,
        }
    }

    fn entering<C: Code>(&self, code: C) -> u64 {
        self.values
            .get(code.number() as usize)
            .map_or_else(|| value(code.number()), |values| values.0)
    }

    fn leaving<C: Code>(&self, code: C) -> u64 {
        let far = || value(code.number()).wrapping_mul(self.leaving);
        self.values
            .get(code.number() as usize)
            .map_or_else(far, |values| values.1)
    }

    /// The hash of the first block of `codes`.
    pub(super) fn first<C: Code>(&self, codes: &[C]) -> u64 {
        codes[..self.width].iter().fold(0, |hash: u64, &code| {
            hash.wrapping_mul(BASE).wrapping_add(self.entering(code))
        })
    }

    /// Calls `each` with every position of `codes` and the hash of the block there.
    #[inline]
    pub(super) fn all<C: Code>(&self, codes: &[C], mut each: impl FnMut(usize, u64)) {
        let Some(rest) = codes.get(self.width..) else {
            return;
        };
        let mut hash = self.first(codes);
        for (position, (&out, &next)) in codes.iter().zip(rest).enumerate() {
            each(position, hash);
            let added = self.entering(next).wrapping_sub(self.leaving(out));
            hash = hash.wrapping_mul(BASE).wrapping_add(added);
        }
        each(rest.len(), hash);
    }
}

/// The highest `bits` bits of the mixed hash.
pub(super) fn top(hash: u64, bits: u32) -> usize {
    ((hash ^ (hash >> 32)).wrapping_mul(SPREAD) >> (u64::BITS - bits)) as usize
}

fn value(code: u32) -> u64 {
    (u64::from(code) + 1).wrapping_mul(SPREAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rolled_hashes_equal_direct_hashes() {
        let codes: Vec<u32> = (0..200)
            .map(|i| i * i % 97 * if i % 3 == 0 { 1000 } else { 1 })
            .collect();
        for width in [1, 2, 7, 64, 199, 200, 201] {
            let rolling = Rolling::new(width);
            let mut seen = 0;
            rolling.all(&codes, |position, hash| {
                assert_eq!(
                    hash,
                    rolling.first(&codes[position..]),
                    "{width} at {position}"
                );
                seen += 1;
            });
            assert_eq!(seen, (codes.len() + 1).saturating_sub(width));
        }
    }
}
