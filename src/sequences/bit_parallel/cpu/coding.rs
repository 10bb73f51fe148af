//! Codes of rows and columns as bits of planes.

use crate::host::parallel::all;
use crate::sequences::codes::{Alphabet, Codes, NONE_IN_B};

/// Mapping from codes to plane bits. Omits codes of one-sided symbols that do not occur, which
/// saves DNA one plane.
#[derive(Clone, Copy)]
pub(crate) struct Coding {
    pub alphabet: Alphabet,
    /// Codes without a gap at 0: the least one becomes 0, and those of columns that match no row
    /// the greatest.
    least: u32,
    greatest: u32,
    /// 1 if a plane below the sets keeps them from matching by their numbers, of which there are
    /// none.
    shift: u32,
    row_only: u32,
    pub planes: usize,
    /// The first planes, in which rows and columns that match are equal. In one of the others both
    /// have a bit.
    pub number_planes: usize,
}

impl Coding {
    pub(super) fn new(Codes { a, b, alphabet }: Codes<'_>) -> Self {
        if alphabet.sets {
            let shift = u32::from(alphabet.number_bits == 0);
            return Self {
                alphabet,
                least: 0,
                greatest: u32::MAX,
                shift,
                row_only: 0,
                planes: (alphabet.planes() + shift) as usize,
                number_planes: (alphabet.number_bits + shift) as usize,
            };
        }
        let shared = alphabet.shared;
        let in_b_only = any(b, |code| code == NONE_IN_B);
        let in_a_only = any(a, |code| code > shared);
        let row_only = shared + u32::from(in_b_only);
        let codes = row_only + u32::from(in_a_only);
        let planes = (u32::BITS - codes.saturating_sub(1).leading_zeros()).max(1) as usize;
        Self {
            alphabet,
            least: 1,
            greatest: shared,
            shift: 0,
            row_only,
            planes,
            number_planes: planes,
        }
    }

    /// Plane bits of a row.
    pub(super) fn row(&self, code: u32) -> u32 {
        if code > self.alphabet.shared {
            self.row_only
        } else {
            self.column(code) | self.shift
        }
    }

    /// Plane bits of a column.
    #[inline(always)]
    pub(super) fn column(&self, code: u32) -> u32 {
        code.wrapping_sub(self.least).min(self.greatest) << self.shift
    }
}

/// Looks at all codes of a chunk, so that the loop vectorises.
fn any(codes: &[u32], is_like_that: impl Fn(u32) -> bool + Sync) -> bool {
    const CHUNK: usize = 1 << 16;
    let in_chunk = |chunk: &[u32]| {
        chunk
            .iter()
            .fold(false, |found, &code| found | is_like_that(code))
    };
    let chunks = codes.chunks(CHUNK);
    !all(chunks.len(), |chunk| {
        !chunks.clone().nth(chunk).is_some_and(in_chunk)
    })
}
