//! Many small spans of a buffer, which a kernel brings together on the device: a copy of its own costs each of them microseconds.

use super::traits::{MOST_GATHERED_SPANS, Span};
use crate::kernels::readback::GATHER_LANES;
use crate::plan::{BufferId, PARAMS, params};

/// Fewer spans are copied one by one.
const FEWEST_SPANS: usize = 8;
/// Spans that are larger on average are copied as fast one by one.
const MOST_MEAN_WORDS: u64 = 1 << 16;
/// Words of all spans.
const MOST_WORDS: u64 = 1 << 22;

/// What the kernel is told.
pub(super) struct Gathered {
    /// The buffer that all spans are of.
    pub source: BufferId,
    /// Words of all spans.
    pub words: u64,
    /// For each span its first word, and the words of those before it.
    pub table: Vec<u32>,
}

impl Gathered {
    /// Spans that are worth it.
    pub(super) fn of(spans: &[Span]) -> Option<Self> {
        let words = spans.iter().map(|span| span.words).sum::<u64>();
        let source = spans.first()?.buffer;
        let most = MOST_WORDS.min(spans.len() as u64 * MOST_MEAN_WORDS);
        let worth = (FEWEST_SPANS..=MOST_GATHERED_SPANS).contains(&spans.len())
            && (1..=most).contains(&words);
        if !worth || spans.iter().any(|span| span.buffer != source) {
            return None;
        }
        let mut before = 0;
        let mut table = Vec::with_capacity(2 * spans.len());
        for span in spans {
            table.extend([span.first as u32, before]);
            before += span.words as u32;
        }
        Some(Self {
            source,
            words,
            table,
        })
    }

    /// The kernel's parameters.
    pub(super) fn params(&self) -> [u32; PARAMS] {
        params([(self.table.len() / 2) as u32, self.words as u32])
    }

    /// Workgroups.
    pub(super) fn groups(&self) -> u32 {
        self.words.div_ceil(u64::from(GATHER_LANES)) as u32
    }

    /// Sizes in bytes of the buffers for so many gathered words, and for where they come from.
    pub(super) fn sizes(words: u64) -> [(&'static str, u64); 2] {
        [
            ("gathered", 4 * words),
            ("gathered spans", 8 * MOST_GATHERED_SPANS as u64),
        ]
    }
}
