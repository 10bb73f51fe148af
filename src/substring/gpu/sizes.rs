//! All sizes of a filter on a device.

use super::texts::{Chunking, check_length};
use crate::backend::Capabilities;
use crate::engine::profile::gpu::substring as figures;
use crate::error::{Error, Result};
use crate::kernels::substring::Windows as Form;
use crate::substring::query::SubstringQuery;
use crate::substring::search::alphabet::{Alphabet, start_length};
use crate::substring::search::filter::{CAPACITY, Windows};
use crate::substring::search::{Cascade, Tuning, bitmap_log2};
use crate::substring::texts::Code;

/// Smallest bitmap, in bits (log2), that a short budget may reduce to.
const MIN_LOG2: u32 = 16;
/// Words of `control` in front of those per text and visit; layout in control.wgsl.
pub const CONTROL_LEFT: u64 = 6;

/// Maximum number of listed windows.
const MAX_CAPACITY: usize = 1 << 23;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextSizes {
    /// Layout of the codes in buffers.
    pub chunking: Chunking,
    /// Number of windows.
    pub windows: u64,
}

/// Sizes of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterSizes {
    pub texts: Vec<TextSizes>,
    /// The order of visits.
    pub cascade: Cascade,
    /// Length and hash base of the windows.
    pub windows: Windows,
    /// Representation of the keys.
    pub form: Form,
    /// Bits per code.
    pub bits: u32,
    /// Size of a bitmap partition in bits, log2.
    pub partition_log2: u32,
    /// Partitions per bitmap, log2.
    pub partitions_log2: u32,
    /// Maximum number of listed windows.
    pub capacity: usize,
}

impl FilterSizes {
    /// Sizes for windows of one length; bitmaps shrink until the budget holds them.
    ///
    /// # Errors
    /// [`Error::InputTooLong`], [`Error::MemoryBudget`].
    pub fn new<C: Code>(
        query: &SubstringQuery<'_, C>,
        alphabet: &Alphabet,
        windows: Windows,
        caps: &Capabilities,
        budget_bytes: u64,
        tuning: &Tuning,
    ) -> Result<Self> {
        check_length("an input", query.longest() as u64, "take the device 'cpu'")?;
        let of_text = |text: &&[C]| TextSizes {
            chunking: Chunking::new(text.len() as u64, alphabet.bits, caps, tuning.chunk_symbols),
            windows: windows.count(text.len()) as u64,
        };
        let texts: Vec<_> = query.texts.iter().map(of_text).collect();
        let max = texts.iter().map(|text| text.windows).max().unwrap_or(0);
        let log2 = bitmap_log2(max as usize, tuning.bitmap_log2);
        let bytes = caps.chunk_bytes.min(caps.binding_bytes);
        let partition_log2 = tuning
            .partition_log2
            .unwrap_or(figures::PARTITION_LOG2)
            .clamp(10, log2)
            .min((8 * bytes).ilog2());
        let mut sizes = Self {
            texts,
            cascade: Cascade {
                texts: query.texts.len(),
                inputs: query.inputs,
            },
            windows,
            form: if alphabet.packs(windows.length) {
                Form::Packed
            } else {
                Form::Hashed
            },
            bits: alphabet.bits,
            partition_log2,
            partitions_log2: log2 - partition_log2,
            capacity: tuning.capacity.unwrap_or(CAPACITY).clamp(1, MAX_CAPACITY),
        };
        while sizes.size_bytes() > budget_bytes && sizes.bitmap_log2() > MIN_LOG2 {
            match sizes.partitions_log2 {
                0 => sizes.partition_log2 -= 1,
                _ => sizes.partitions_log2 -= 1,
            }
        }
        let (needed, limit) = (sizes.size_bytes(), budget_bytes);
        if needed > limit {
            let what = "the search on a GPU".to_string();
            return Err(Error::MemoryBudget {
                what,
                needed,
                limit,
                smallest: needed,
            });
        }
        Ok(sizes)
    }

    /// Sizes for the first filter of a search.
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
        let start = || start_length(query, query.longest());
        let length = tuning.start_length.unwrap_or_else(start).max(1);
        Self::new(
            query,
            &alphabet.clone().on(caps),
            Windows { length, base: 1 },
            caps,
            budget_bytes,
            tuning,
        )
    }

    fn bitmap_log2(&self) -> u32 {
        self.partition_log2 + self.partitions_log2
    }

    /// Number of bitmaps: the marked one, the tested one, and the levels.
    pub fn bitmaps(&self) -> u64 {
        2 + self.cascade.levels() as u64
    }

    pub fn partition_words(&self) -> u64 {
        1 << (self.partition_log2 - 5)
    }

    pub fn control_words(&self) -> u64 {
        CONTROL_LEFT + self.texts.len() as u64 + self.cascade.visits().count() as u64
    }

    /// Upper bound on the windows examined by all visits.
    pub fn visited(&self) -> u64 {
        self.cascade
            .visits()
            .map(|visit| self.texts[visit.text].windows << self.partitions_log2)
            .sum()
    }

    /// Device memory of the plan.
    pub fn size_bytes(&self) -> u64 {
        let of_text = |text: &TextSizes| {
            let chunking = &text.chunking;
            let words: u64 = (0..chunking.chunks())
                .map(|chunk| chunking.words(chunk))
                .sum();
            let hashes = if self.form == Form::Hashed {
                2 * chunking.stretches + 2 * chunking.blocks()
            } else {
                0
            };
            words + chunking.stretches + hashes
        };
        let texts: u64 = self.texts.iter().map(of_text).sum();
        let bitmaps = self.bitmaps() * (1 << (self.bitmap_log2() - 5));
        4 * (texts + bitmaps + self.control_words() + 4 * self.capacity as u64)
    }
}
