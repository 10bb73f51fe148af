//! Table of the words at which pieces of patterns occur.

use crate::host::parallel;
use std::ops::Range;

use super::pieces::{Letters, Piece, WORD_BITS};

/// Low bits of words that the first look-up ignores, so that its table fits a second-level cache.
const IGNORED_BITS: u32 = 2;
/// Least words for each word of a table without many.
const SPARSE: usize = 24;
const COARSE_LEN: usize = 1 << (WORD_BITS - IGNORED_BITS - 6);
/// Flag of several pieces of a word.
const SEVERAL: u32 = 1 << 31;

/// Words with the pieces that occur at them.
pub(super) struct Words {
    pub(super) letters: Letters,
    /// One bit per word without its last bits: set if any piece occurs at one of these.
    coarse: Box<[u64; COARSE_LEN]>,
    /// True if few bits of `coarse` are set.
    pub(super) is_sparse: bool,
    /// One bit per word: set if any piece occurs at it.
    bits: Vec<u64>,
    /// Set bits before each element of `bits`.
    before: Vec<u32>,
    /// By set bit: a piece, or [`SEVERAL`] and a place in `lists`.
    pieces: Vec<u32>,
    /// Numbers of pieces, each followed by the pieces.
    lists: Vec<u32>,
}

impl Words {
    /// Table of words, each with the number of a piece.
    pub(super) fn new(letters: Letters, words: &mut [(u32, u32)]) -> Self {
        parallel::sort_unstable(words);
        let mut bits = vec![0u64; letters.words().div_ceil(64)];
        let mut coarse = Box::new([0; COARSE_LEN]);
        let (mut pieces, mut lists) = (Vec::new(), Vec::new());
        for of_word in words.chunk_by(|one, other| one.0 == other.0) {
            let word = of_word[0].0;
            set(&mut bits, word);
            set(&mut coarse[..], word >> IGNORED_BITS);
            if let &[(_, piece)] = of_word {
                pieces.push(piece);
                continue;
            }
            pieces.push(SEVERAL | lists.len() as u32);
            lists.push(of_word.len() as u32);
            lists.extend(of_word.iter().map(|&(_, piece)| piece));
        }
        let mut count = 0;
        let of_element = |bits: &u64| {
            count += bits.count_ones();
            count - bits.count_ones()
        };
        let set = coarse.iter().map(|bits| bits.count_ones() as usize);
        Self {
            letters,
            is_sparse: set.sum::<usize>() * SPARSE < letters.words() >> IGNORED_BITS,
            before: bits.iter().map(of_element).collect(),
            coarse,
            bits,
            pieces,
            lists,
        }
    }

    /// A bit for each of the words that end with the last eight of these letters, in order: set for
    /// words of the table, and for some others.
    #[inline(always)]
    pub(super) fn may_contain(&self, letters: u64) -> u32 {
        (0..8).fold(0, |maybe, place| {
            let bit = self.letters.word(letters, place) >> IGNORED_BITS;
            let bits = self.coarse[bit as usize / 64 % COARSE_LEN];
            maybe | u32::from(bits >> (bit % 64) & 1 == 1) << place
        })
    }

    /// As [`may_contain`](Self::may_contain).
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn may_contain_avx2(&self, letters: u64) -> u32 {
        use std::arch::x86_64::*;
        const { assert!(COARSE_LEN << (IGNORED_BITS + 6) == 1 << WORD_BITS) };
        let bits = i64::from(self.letters.bits);
        let letters = _mm256_set1_epi64x(letters as i64);
        let shifts = _mm256_setr_epi64x(7 * bits, 6 * bits, 5 * bits, 4 * bits);
        let first = _mm256_castsi256_ps(_mm256_srlv_epi64(letters, shifts));
        let shifts = _mm256_setr_epi64x(3 * bits, 2 * bits, bits, 0);
        let last = _mm256_castsi256_ps(_mm256_srlv_epi64(letters, shifts));
        let even = _mm256_castps_si256(_mm256_shuffle_ps::<0b10_00_10_00>(first, last));
        let words = _mm256_permute4x64_epi64::<0b11_01_10_00>(even);
        let all = _mm256_set1_epi32((self.letters.words() - 1) as i32);
        let bit = _mm256_srli_epi32::<{ IGNORED_BITS as i32 }>(_mm256_and_si256(words, all));
        let coarse = self.coarse.as_ptr().cast();
        // SAFETY: words are less than `1 << WORD_BITS`, so that each index is inside the table.
        let found = unsafe { _mm256_i32gather_epi32::<4>(coarse, _mm256_srli_epi32::<5>(bit)) };
        // The lowest 5 bits of `bit` are those to test: they become the sign.
        let above = _mm256_andnot_si256(bit, _mm256_set1_epi32(31));
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_sllv_epi32(found, above))) as u32
    }

    #[inline(always)]
    pub(super) fn contains(&self, word: u32) -> bool {
        self.bits[word as usize / 64] >> (word % 64) & 1 == 1
    }

    /// Number of a word of the table.
    #[inline(always)]
    pub(super) fn rank(&self, word: u32) -> u32 {
        let place = word as usize / 64;
        let below = self.bits[place] & !(!0 << (word % 64));
        self.before[place] + below.count_ones()
    }

    /// Entry of the word with this number, for [`pieces`](Self::pieces).
    #[inline(always)]
    pub(super) fn entry(&self, rank: u32) -> u32 {
        self.pieces[rank as usize]
    }

    #[inline(always)]
    pub(super) fn pieces<'a>(&'a self, entry: &'a u32) -> &'a [u32] {
        if entry & SEVERAL == 0 {
            return std::slice::from_ref(entry);
        }
        let list = &self.lists[(entry & !SEVERAL) as usize..];
        &list[1..][..list[0] as usize]
    }
}

fn set(bits: &mut [u64], place: u32) {
    bits[place as usize / 64] |= 1 << (place % 64);
}

/// Passes on all words at which a piece may begin with at most its edits, in disjoint ranges: an
/// occurrence begins the word, or the word begins an occurrence.
///
/// A symbol of the text before the first one of the piece belongs to what is before the piece, so
/// that no word begins with it.
pub(super) fn neighbours(
    query: &[u8],
    piece: Piece,
    letters: Letters,
    mut take: impl FnMut(Range<u32>),
) {
    // No alignment of a word reaches later rows.
    let len = piece.len.min(letters.window + piece.edits + 1);
    let search = Search {
        piece: &query[piece.start..][..len],
        edits: piece.edits as u8,
        letters,
    };
    let mut columns = vec![0; (letters.window + 1) * (len + 1)];
    for (row, value) in columns[..=len].iter_mut().enumerate() {
        *value = row as u8;
    }
    search.extend(0, 0, &mut columns, &mut take);
}

struct Search<'a> {
    piece: &'a [u8],
    edits: u8,
    letters: Letters,
}

impl Search<'_> {
    /// Extends a word of `len` letters, whose column of distances begins `columns`.
    fn extend(&self, word: u32, len: usize, columns: &mut [u8], take: &mut impl FnMut(Range<u32>)) {
        let Letters { bits, window } = self.letters;
        let (column, rest) = columns.split_at_mut(self.piece.len() + 1);
        let ends = column[self.piece.len()] <= self.edits;
        if ends || len == window {
            let unused = bits as usize * (window - len);
            take(word << unused..(word + 1) << unused);
            return;
        }
        for letter in 0..1u32 << bits {
            let mut least = u8::MAX;
            let mut above = u8::MAX - 1;
            rest[0] = above;
            for (row, &symbol) in self.piece.iter().enumerate() {
                let diagonal = column[row] + u8::from(u32::from(symbol) != letter);
                above = diagonal.min(column[row + 1] + 1).min(above + 1);
                rest[row + 1] = above;
                least = least.min(above);
            }
            if least <= self.edits {
                // The extended word's column is first in `rest`.
                self.extend(word << bits | letter, len + 1, rest, take);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{Mode, reference};
    use crate::sequences::bit_parallel::inputs::Random;

    /// Set of words by definition: the distance of the piece, without leading insertions, to a
    /// prefix of the word followed by its own symbols.
    fn is_neighbour(piece: &[u8], edits: usize, word: &[u8]) -> bool {
        let within = |piece: &[u8], text: &[u8]| {
            reference::distance(piece, text, Mode::Global) <= edits as u64
        };
        let begins = (0..=word.len()).any(|len| within(piece, &word[..len]));
        begins || (0..=piece.len()).any(|rows| within(&piece[..rows], word))
    }

    #[test]
    fn all_words_of_occurrences_are_neighbours() {
        let mut random = Random::new(12);
        for (bits, window) in [(1, 8), (2, 5), (3, 3)] {
            let letters = Letters { bits, window };
            for len in 1..9 {
                for edits in 0..len.min(4) {
                    let codes = random.codes(len + 2, 1 << bits);
                    let query: Vec<_> = codes.into_iter().map(|code| code as u8).collect();
                    let piece = Piece {
                        start: 2,
                        len,
                        edits,
                    };
                    let mut found = vec![false; letters.words()];
                    neighbours(&query, piece, letters, |words| {
                        for word in words {
                            assert!(!found[word as usize], "it is passed on once");
                            found[word as usize] = true;
                        }
                    });
                    for (word, &found) in found.iter().enumerate() {
                        let letter = |at: usize| {
                            (word >> (bits as usize * (window - 1 - at)) & ((1 << bits) - 1)) as u8
                        };
                        let text: Vec<_> = (0..window).map(letter).collect();
                        let expected = is_neighbour(&query[2..], edits, &text);
                        assert!(expected || !found, "{len} {edits} {text:?}");
                        // With a leading insertion the piece begins one symbol later.
                        let starts_later = edits > 0;
                        assert!(found || !expected || starts_later, "{len} {edits} {text:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn words_have_all_their_pieces() {
        let letters = Letters { bits: 2, window: 4 };
        let mut random = Random::new(3);
        let words: Vec<_> = (0..300)
            .map(|piece| (random.below(200) as u32, piece))
            .collect();
        let table = Words::new(letters, &mut words.clone());
        for word in 0..letters.words() as u32 {
            let expected: Vec<_> = words.iter().filter(|entry| entry.0 == word).collect();
            assert_eq!(table.contains(word), !expected.is_empty());
            if table.contains(word) {
                assert!(table.may_contain(word.into()) >> 7 == 1);
                let entry = table.entry(table.rank(word));
                let mut pieces = table.pieces(&entry).to_vec();
                pieces.sort_unstable();
                assert!(pieces.iter().eq(expected.iter().map(|entry| &entry.1)));
            }
        }
    }

    #[test]
    fn eight_words_are_looked_up() {
        let mut random = Random::new(9);
        for letters in Letters::all(32) {
            let words: Vec<_> = (0..5000)
                .map(|piece| (random.below(letters.words()) as u32, piece))
                .collect();
            let table = Words::new(letters, &mut words.clone());
            for round in 0..2000 {
                let end = words[random.below(words.len())].0;
                let letters = (random.below(1 << 40) as u64) << 24 | u64::from(end);
                let letters = letters >> (round % 24);
                let maybe = table.may_contain(letters);
                #[cfg(target_arch = "x86_64")]
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: the processor has it.
                    let other = unsafe { table.may_contain_avx2(letters) };
                    assert_eq!(other, maybe, "{letters:x}");
                }
                for place in 0..8 {
                    let word = table.letters.word(letters, place);
                    assert!(
                        maybe >> place & 1 == 1 || !table.contains(word),
                        "{letters:x}"
                    );
                }
            }
        }
    }
}
