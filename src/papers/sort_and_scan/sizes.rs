//! All sizes of a sort of windows on a device.

use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::sort::shape::SortTuning;
use crate::sort::sizes::{MAX_KEYS, SortSizes};
use crate::substring::gpu::texts::{Chunking, STRETCH, check_length, concatenated};
use crate::substring::query::SubstringQuery;
use crate::substring::search::Tuning;
use crate::substring::search::alphabet::Alphabet;
use crate::substring::search::filter::{CAPACITY, Windows};
use crate::substring::texts::Code;

/// Bounds of the bitmap of hashes that texts may share, in bits, log2.
const MAX_MARKS_LOG2: u32 = 24;
const MIN_MARKS_LOG2: u32 = 10;
/// Bounds on the pairs that workgroups compare, and on the words of all pairs.
const MAX_PAIRS: u64 = 1 << 14;
const MIN_PAIRS: u64 = 16;
const COMPARED_WORDS: u64 = 1 << 28;
/// Maximum partition count, log2.
const MAX_PARTITIONS_LOG2: u32 = 12;

/// Position of a text in the concatenated codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextSizes {
    /// First symbol, a multiple of [`STRETCH`].
    pub start: u64,
    /// Number of windows.
    pub windows: u64,
}

/// Sizes of the sort of all windows of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowSortSizes {
    /// The texts in concatenation order.
    pub texts: Vec<TextSizes>,
    /// Layout of the concatenated codes in buffers.
    pub chunking: Chunking,
    /// Length and hash base of the windows.
    pub windows: Windows,
    /// Bits per code.
    pub bits: u32,
    /// The sort of one partition.
    pub sort: SortSizes,
    /// Number of highest hash bits that select the partition.
    pub partitions_log2: u32,
    /// Size of the mark bitmap in bits, log2.
    pub marks_log2: u32,
    /// Maximum number of listed windows.
    pub capacity: u64,
    /// Maximum number of pairs that workgroups compare.
    pub pairs: u64,
}

impl WindowSortSizes {
    /// Sizes for windows of one length: unpartitioned if the budget holds all windows, else with
    /// the fewest partitions that fit.
    ///
    /// # Errors
    /// [`Error::InputTooLong`], [`Error::MemoryBudget`], and [`Error::InvalidTuning`].
    pub fn new<C: Code>(
        query: &SubstringQuery<'_, C>,
        alphabet: &Alphabet,
        windows: Windows,
        caps: &Capabilities,
        budget_bytes: u64,
        tuning: &Tuning,
    ) -> Result<Self> {
        let of_text = |(stretch, text): (u64, &[C])| TextSizes {
            start: stretch * STRETCH,
            windows: windows.count(text.len()) as u64,
        };
        let texts: Vec<_> = concatenated(query.texts).into_iter().map(of_text).collect();
        let last = query.texts.last().map_or(0, |text| text.len() as u64);
        let end = texts.last().map_or(0, |text| text.start) + last;
        check_length(
            "all inputs together",
            end,
            "take the device 'cpu', or the method 'cascade'",
        )?;
        let all: u64 = texts.iter().map(|text| text.windows).sum();
        let words = window_words(windows, alphabet.bits);
        let sizes = |partitions_log2: u32| {
            let keys = match partitions_log2 {
                0 => all,
                // Partitions of random hashes are nearly equal: one eighth of slack.
                log2 => (all >> log2) + (all >> (log2 + 3)) + STRETCH,
            };
            let sort_tuning = SortTuning {
                portable: tuning.portable,
                chunk_keys: tuning.chunk_symbols.map(|symbols| symbols as u64),
                ..SortTuning::default()
            };
            Ok::<_, Error>(Self {
                texts: texts.clone(),
                chunking: Chunking::new(end, alphabet.bits, caps, tuning.chunk_symbols),
                windows,
                bits: alphabet.bits,
                sort: SortSizes::new(2, true, keys.min(MAX_KEYS), caps, &sort_tuning)?,
                partitions_log2,
                marks_log2: (4 * all)
                    .next_power_of_two()
                    .ilog2()
                    .clamp(MIN_MARKS_LOG2, MAX_MARKS_LOG2),
                capacity: tuning
                    .capacity
                    .map_or(CAPACITY as u64, |capacity| capacity as u64)
                    .clamp(1, all.max(1)),
                pairs: (COMPARED_WORDS / words.max(1)).clamp(MIN_PAIRS, MAX_PAIRS),
            })
        };
        let whole = sizes(0)?;
        let needed = |sizes: &Self| sizes.size_bytes();
        // A partition's windows are appended in any order, which works in a single chunk only.
        let fits = |sizes: &Self| {
            let is_one = sizes.partitions_log2 == 0 || sizes.sort.chunks() == 1;
            is_one && all >> sizes.partitions_log2 <= MAX_KEYS && needed(sizes) <= budget_bytes
        };
        if fits(&whole) {
            return Ok(whole);
        }
        for partitions_log2 in 1..=MAX_PARTITIONS_LOG2 {
            let parted = sizes(partitions_log2)?;
            if fits(&parted) {
                return Ok(parted);
            }
        }
        let smallest = needed(&sizes(MAX_PARTITIONS_LOG2)?);
        let what = "the sort of all windows on a GPU".to_string();
        Err(Error::MemoryBudget {
            what,
            needed: needed(&whole),
            limit: budget_bytes,
            smallest,
        })
    }

    /// Sizes for windows of one symbol: the worst case.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn first<C: Code>(
        query: &SubstringQuery<'_, C>,
        alphabet: &Alphabet,
        caps: &Capabilities,
        budget_bytes: u64,
        tuning: &Tuning,
    ) -> Result<Self> {
        Self::new(
            query,
            &alphabet.clone().on(caps),
            Windows { length: 1, base: 1 },
            caps,
            budget_bytes,
            tuning,
        )
    }

    /// Number of windows that are hashed and sorted.
    pub fn sorted(&self) -> u64 {
        self.texts.iter().map(|text| text.windows).sum()
    }

    /// Upper bound on the words of one side of all compared pairs; each window is paired with its
    /// predecessor only.
    pub fn compared_words(&self) -> u64 {
        self.pairs
            .min(self.sort.keys)
            .saturating_mul(window_words(self.windows, self.bits))
    }

    /// Upper bound on the pieces of `piece` words in all compared pairs.
    pub fn compared_pieces(&self, piece: u64) -> u64 {
        self.pairs
            .min(self.sort.keys)
            .saturating_mul(window_words(self.windows, self.bits).div_ceil(piece))
    }

    /// The text that contains a code, and the offset in that text.
    pub fn place(&self, position: u64) -> (usize, usize) {
        let text = self
            .texts
            .partition_point(|text| text.start <= position)
            .saturating_sub(1);
        (text, (position - self.texts[text].start) as usize)
    }
}

/// Words of the codes of one window.
fn window_words(windows: Windows, bits: u32) -> u64 {
    (windows.length as u64)
        .saturating_mul(bits.into())
        .div_ceil(32)
}
