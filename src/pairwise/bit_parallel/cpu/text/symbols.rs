//! Texts of bytes and of codes, beside the pattern that is searched in them.

use std::ops::Range;

use super::super::vector::Vector;
use super::BLOCK;

/// Distinct bytes of a pattern up to which a block is compared with each, instead of visited byte
/// by byte.
const MAX_COMPARED: usize = 32;

/// A text beside a pattern, whose symbols have codes.
pub(crate) trait Text: Sync {
    fn len(&self) -> usize;
    /// Codes of the pattern, one per row.
    fn pattern(&self) -> &[u32];
    /// Upper bound of all codes.
    fn codes(&self) -> usize;
    /// Calls `set` with each code of `positions` and the bits of its places, bit 0 for the first
    /// position; codes may recur.
    fn matches<X: Vector>(&self, positions: Range<usize>, set: impl FnMut(usize, u64));
    /// Calls `clear` with all codes that [`matches`](Self::matches) visits.
    fn visited(&self, positions: Range<usize>, clear: impl FnMut(usize));
}

/// Bytes, with the distinct bytes of the pattern as codes.
pub(crate) struct Bytes<'a> {
    text: &'a [u8],
    pattern: Vec<u32>,
    letters: Vec<u8>,
    code_of: [u16; 256],
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(pattern: &[u8], text: &'a [u8]) -> Self {
        let (mut letters, mut code_of) = (Vec::new(), [u16::MAX; 256]);
        for &letter in pattern {
            if code_of[usize::from(letter)] == u16::MAX {
                code_of[usize::from(letter)] = letters.len() as u16;
                letters.push(letter);
            }
        }
        // Bytes that the pattern lacks share a code that no row has.
        let missing = letters.len() as u16;
        code_of
            .iter_mut()
            .for_each(|code| *code = missing.min(*code));
        Self {
            text,
            pattern: pattern
                .iter()
                .map(|&letter| u32::from(code_of[usize::from(letter)]))
                .collect(),
            letters,
            code_of,
        }
    }
}

impl Text for Bytes<'_> {
    fn len(&self) -> usize {
        self.text.len()
    }

    fn pattern(&self) -> &[u32] {
        &self.pattern
    }

    fn codes(&self) -> usize {
        self.letters.len() + 1
    }

    #[inline(always)]
    fn matches<X: Vector>(&self, positions: Range<usize>, mut set: impl FnMut(usize, u64)) {
        let bytes = &self.text[positions];
        if self.letters.len() > MAX_COMPARED {
            for (place, &byte) in bytes.iter().enumerate() {
                set(usize::from(self.code_of[usize::from(byte)]), 1 << place);
            }
            return;
        }
        let (mut padded, mut inside) = ([0; BLOCK], !0);
        let block = match bytes.first_chunk() {
            Some(block) => block,
            None => {
                padded[..bytes.len()].copy_from_slice(bytes);
                inside = (1 << bytes.len()) - 1;
                &padded
            }
        };
        for (code, &letter) in self.letters.iter().enumerate() {
            set(code, X::equal_bytes(block, letter) & inside);
        }
    }

    #[inline(always)]
    fn visited(&self, positions: Range<usize>, mut clear: impl FnMut(usize)) {
        match self.letters.len() {
            0..=MAX_COMPARED => (0..self.letters.len()).for_each(clear),
            _ => self.text[positions]
                .iter()
                .for_each(|&byte| clear(usize::from(self.code_of[usize::from(byte)]))),
        }
    }
}

/// Codes of both sequences, from [`Encoded`](crate::pairwise::codes::Encoded).
pub(crate) struct Coded<'a> {
    pub text: &'a [u32],
    pub pattern: &'a [u32],
    pub shared: u32,
}

impl Text for Coded<'_> {
    fn len(&self) -> usize {
        self.text.len()
    }

    fn pattern(&self) -> &[u32] {
        self.pattern
    }

    fn codes(&self) -> usize {
        self.shared as usize + 2
    }

    #[inline(always)]
    fn matches<X: Vector>(&self, positions: Range<usize>, mut set: impl FnMut(usize, u64)) {
        for (place, &code) in self.text[positions].iter().enumerate() {
            set(code as usize, 1 << place);
        }
    }

    #[inline(always)]
    fn visited(&self, positions: Range<usize>, mut clear: impl FnMut(usize)) {
        let codes = self.text[positions].iter();
        codes.for_each(|&code| clear(code as usize));
    }
}
