//! Division of a pattern into pieces of which one occurs with few edits.
//!
//! An alignment of at most `k` edits leaves one of several pieces with at most its share, if the
//! shares and the number of pieces add up to more than `k` (pigeonhole principle; Navarro and
//! Baeza-Yates 1999, "Very fast and simple approximate string matching").

/// Maximum edits of a piece: more have too many neighbours.
const MAX_EDITS: usize = 3;
/// Maximum pieces of a pattern: more are too short.
const MAX_PIECES: usize = 16;
pub(super) const WORD_BITS: u32 = 24;
/// Maximum bits of a letter: those of a word and of seven letters before it fit 64.
const MAX_LETTER_BITS: u32 = 5;

/// Letters of words: symbols of patterns and texts, merged to `1 << bits` classes. Merged symbols
/// match more often, so no occurrence is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Letters {
    pub(super) bits: u32,
    /// Letters of a word.
    pub(super) window: usize,
}

impl Letters {
    /// Possible letters for this number of symbols: fewer letters make longer words.
    pub(crate) fn all(symbols: usize) -> impl Iterator<Item = Self> {
        let max_bits = symbols.max(2).next_power_of_two().ilog2();
        (1..=max_bits.min(MAX_LETTER_BITS)).map(|bits| Self {
            bits,
            window: (WORD_BITS / bits) as usize,
        })
    }

    pub(super) fn words(self) -> usize {
        1 << (self.bits as usize * self.window)
    }

    pub(super) fn of(self, code: u32) -> u8 {
        (code & ((1 << self.bits) - 1)) as u8
    }

    /// The word that ends with one of the last eight letters.
    #[inline(always)]
    pub(super) fn word(self, letters: u64, place: u32) -> u32 {
        (letters >> (self.bits * (7 - place))) as u32 & (self.words() - 1) as u32
    }

    /// The letters of eight codes, the first one in the highest bits.
    #[inline(always)]
    pub(super) fn pack(self, codes: [u8; 8]) -> u64 {
        // Lowest bits of each lane.
        let lowest = |bits: u32, lane: u32| (!0 >> (64 - bits)) * (!0 / (!0 >> (64 - lane)));
        let join = |halves: u64, bits: u32, lane: u32| {
            let low = lowest(bits, lane);
            halves & low | halves >> (lane / 2 - bits) & low << bits
        };
        let bits = self.bits;
        let one = u64::from_be_bytes(codes) & lowest(bits, 8);
        let two = join(one, bits, 16);
        join(join(two, 2 * bits, 32), 4 * bits, 64)
    }

    /// Expected share of the words at which a piece occurs.
    fn rate(self, len: usize, edits: usize) -> f64 {
        if len <= edits {
            return 1.0;
        }
        let count = len.min(self.window);
        // Edits behind the word are not seen; those in it are a substitution, an insertion or a
        // deletion, of which a longer piece excludes some.
        let seen: f64 = if len > count { 0.75 } else { 1.0 };
        let letters = f64::from(1u32 << self.bits);
        let words = (0..edits).fold(1.0, |words, edit| {
            let places = count.saturating_sub(edit) as f64 / (edit + 1) as f64;
            words * places * 2.0 * letters * seen
        });
        (words * letters.powi(-(count as i32))).min(1.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) start: usize,
    pub(super) len: usize,
    pub(super) edits: usize,
}

/// Pieces of patterns of one length.
#[derive(Clone, Debug)]
pub(crate) struct Division {
    pub(super) pieces: Vec<Piece>,
    /// Expected occurrences per position of a text.
    pub(crate) rate: f64,
}

impl Division {
    /// The division with the fewest expected occurrences; `None` if every text has some.
    pub(crate) fn best(len: usize, bound: usize, letters: Letters) -> Option<Self> {
        let counts = 1..=len.min(bound + 1).min(MAX_PIECES);
        let divisions = counts.filter_map(|count| Self::of(len, bound, count, letters));
        divisions.min_by(|a, b| a.rate.total_cmp(&b.rate))
    }

    fn of(len: usize, bound: usize, count: usize, letters: Letters) -> Option<Self> {
        let share = |total: usize, at: usize| total / count + usize::from(at < total % count);
        let edits: Vec<_> = (0..count).map(|at| share(bound + 1, at) - 1).collect();
        if edits[0] > MAX_EDITS {
            return None;
        }
        let mut lens: Vec<_> = (0..count).map(|at| share(len, at)).collect();
        let rate = |lens: &[usize]| -> f64 {
            let both = lens.iter().zip(&edits);
            both.map(|(&len, &edits)| letters.rate(len, edits)).sum()
        };
        // The first pieces have the most edits: they are made longer as far as it helps.
        let mut least = rate(&lens);
        for from in (1..count).rev() {
            for to in 0..from {
                while edits[to] > edits[from] && lens[from] > edits[from] + 1 {
                    lens[from] -= 1;
                    lens[to] += 1;
                    let moved = rate(&lens);
                    if moved >= least {
                        lens[from] += 1;
                        lens[to] -= 1;
                        break;
                    }
                    least = moved;
                }
            }
        }
        let mut start = 0;
        let piece = |(len, edits)| {
            start += len;
            Piece {
                start: start - len,
                len,
                edits,
            }
        };
        let pieces = lens.into_iter().zip(edits).map(piece).collect();
        (least < 1.0).then_some(Self {
            pieces,
            rate: least,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_packed() {
        let codes = [5, 0, 255, 1, 2, 3, 130, 77];
        for letters in Letters::all(256) {
            let add =
                |word: u64, &code: &u8| word << letters.bits | u64::from(letters.of(code.into()));
            assert_eq!(letters.pack(codes), codes.iter().fold(0, add));
        }
    }

    #[test]
    fn pieces_cover_a_query_and_share_its_edits() {
        for letters in Letters::all(4).chain(Letters::all(200)) {
            assert!(letters.words() <= 1 << WORD_BITS);
            for len in 0..70 {
                for bound in 0..20 {
                    let Some(division) = Division::best(len, bound, letters) else {
                        continue;
                    };
                    let mut end = 0;
                    let mut shares = 0;
                    for piece in division.pieces {
                        assert_eq!(piece.start, end);
                        assert!(piece.len > piece.edits);
                        end += piece.len;
                        shares += piece.edits + 1;
                    }
                    assert_eq!((end, shares), (len, bound + 1));
                }
            }
        }
    }
}
