//! Codes of a sequence as bytes and as bit planes.

/// A sequence as rows or columns of a table.
pub(crate) struct Symbols<'a> {
    pub codes: &'a [u32],
    /// Whether the last symbol comes first.
    pub reversed: bool,
    /// Places before the first symbol.
    pub before: usize,
}

impl Symbols<'_> {
    /// Byte `byte` of the codes of the places from `first` on, of others for those in front of the sequence and behind it.
    pub(crate) fn bytes(&self, first: usize, byte: u32, outside: [u32; 2], to: &mut [u8]) {
        let of = |code: u32| (code >> (8 * byte)) as u8;
        let (front, to) = to.split_at_mut(self.before.saturating_sub(first).min(to.len()));
        front.fill(of(outside[0]));
        let start = first.saturating_sub(self.before).min(self.codes.len());
        let (inside, behind) = to.split_at_mut((self.codes.len() - start).min(to.len()));
        // Plain loops are what the compiler makes SIMD code of.
        if self.reversed {
            let end = self.codes.len() - start;
            let codes = self.codes[end - inside.len()..end].iter().rev();
            inside.iter_mut().zip(codes).for_each(|(to, &code)| *to = of(code));
        } else {
            inside.iter_mut().zip(&self.codes[start..]).for_each(|(to, &code)| *to = of(code));
        }
        behind.fill(of(outside[1]));
    }
}

/// Bit `bit` of each byte, the first in bit 0.
pub(crate) fn bits_of(bytes: &[u8; 32], bit: u32) -> u32 {
    bytes.as_chunks().0.iter().rev().fold(0, |word, &bytes| {
        let bits = u64::from_le_bytes(bytes) >> bit & 0x0101_0101_0101_0101;
        // The product moves bit 0 of byte i to bit 56 + i.
        word << 8 | (bits.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
    })
}
