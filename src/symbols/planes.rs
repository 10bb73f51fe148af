//! Codes of a sequence as bytes and as bit planes.

/// A sequence along one axis of a table.
pub(crate) struct Symbols<'a> {
    pub codes: &'a [u32],
    pub reversed: bool,
    /// Padding before the first symbol.
    pub before: usize,
}

impl Symbols<'_> {
    /// Writes byte `byte` of the codes from position `first` on. Positions before and after the
    /// sequence get `outside`.
    pub(crate) fn bytes(&self, first: usize, byte: u32, outside: [u32; 2], to: &mut [u8]) {
        let of = |code: u32| (code >> (8 * byte)) as u8;
        let (front, to) = to.split_at_mut(self.before.saturating_sub(first).min(to.len()));
        front.fill(of(outside[0]));
        let start = first.saturating_sub(self.before).min(self.codes.len());
        let (inside, behind) = to.split_at_mut((self.codes.len() - start).min(to.len()));
        // The compiler vectorises these plain loops.
        if self.reversed {
            let end = self.codes.len() - start;
            let codes = self.codes[end - inside.len()..end].iter().rev();
            inside
                .iter_mut()
                .zip(codes)
                .for_each(|(to, &code)| *to = of(code));
        } else {
            inside
                .iter_mut()
                .zip(&self.codes[start..])
                .for_each(|(to, &code)| *to = of(code));
        }
        behind.fill(of(outside[1]));
    }
}

/// Writes the bit planes of 32 codes.
#[inline]
pub(crate) fn pack(codes: &[u8; 32], planes: &mut [u32]) {
    for (plane, word) in (0..).zip(planes) {
        *word = bits_of(codes, plane);
    }
}

/// Bit `bit` of each byte; the first byte gives bit 0.
#[inline(always)]
pub(crate) fn bits_of(bytes: &[u8; 32], bit: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    return bits_by_instruction(bytes, bit);
    #[cfg(not(target_arch = "x86_64"))]
    bits_by_product(bytes, bit)
}

/// [`bits_of`] by the instruction that collects top bits.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn bits_by_instruction(bytes: &[u8; 32], bit: u32) -> u32 {
    use std::arch::x86_64::{_mm_cvtsi32_si128, _mm_loadu_si128, _mm_movemask_epi8, _mm_sll_epi64};
    let (halves, _) = bytes.as_chunks::<16>();
    // SAFETY: each load reads 16 bytes that are there, and every x86-64 processor has SSE2.
    let [low, high] = [0, 1].map(|half: usize| unsafe {
        let bytes = _mm_loadu_si128(halves[half].as_ptr().cast());
        // Shifts the bit to the top of each byte. Bits from the lower byte stay below it.
        _mm_movemask_epi8(_mm_sll_epi64(bytes, _mm_cvtsi32_si128(7 - bit as i32))) as u32
    });
    low | high << 16
}

/// [`bits_of`] on any processor.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn bits_by_product(bytes: &[u8; 32], bit: u32) -> u32 {
    bytes.as_chunks().0.iter().rev().fold(0, |word, &bytes| {
        let bits = u64::from_le_bytes(bytes) >> bit & 0x0101_0101_0101_0101;
        // The product moves bit 0 of byte i to bit 56 + i.
        word << 8 | (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::inputs::Random;

    const OUTSIDE: [u32; 2] = [0xFFEE_DDCC, 0x1122_3344];

    /// The code at one position.
    fn code(symbols: &Symbols<'_>, place: usize) -> u32 {
        let len = symbols.codes.len();
        match place.checked_sub(symbols.before) {
            None => OUTSIDE[0],
            Some(index) if index >= len => OUTSIDE[1],
            Some(index) => {
                symbols.codes[if symbols.reversed {
                    len - 1 - index
                } else {
                    index
                }]
            }
        }
    }

    #[test]
    fn bytes_match_the_codes_in_both_orders_with_padding() {
        let mut random = Random::new(3);
        for len in [0, 1, 2, 31, 32, 33, 70] {
            let codes: Vec<u32> = (0..len).map(|_| random.below(1 << 32) as u32).collect();
            for (before, reversed) in [0, 1, 31, 32, 40]
                .into_iter()
                .flat_map(|before| [(before, false), (before, true)])
            {
                let symbols = Symbols {
                    codes: &codes,
                    reversed,
                    before,
                };
                for (first, count) in (0..before + len + 40)
                    .flat_map(|first| [0, 1, 32, 150].map(|count| (first, count)))
                {
                    for byte in 0..4 {
                        let mut bytes = vec![0xA5; count];
                        symbols.bytes(first, byte, OUTSIDE, &mut bytes);
                        let of = |place| code(&symbols, place).to_le_bytes()[byte as usize];
                        let expected: Vec<u8> = (first..first + count).map(of).collect();
                        assert_eq!(
                            bytes, expected,
                            "{before} before {len}, reversed {reversed}, from {first}, byte {byte}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn bits_of_keeps_the_order_of_the_bytes() {
        let mut random = Random::new(4);
        for _ in 0..100 {
            let bytes = [0; 32].map(|_: u8| random.below(256) as u8);
            for bit in 0..8 {
                let set = (0..32).filter(|&place| bytes[place] >> bit & 1 == 1);
                let expected = set.fold(0, |word, place| word | 1 << place);
                for found in [bits_of, bits_by_product] {
                    assert_eq!(found(&bytes, bit), expected, "bit {bit} of {bytes:?}");
                }
            }
        }
    }
}
