//! Gathered readback: a kernel packs many small spans of a buffer, each of which would cost
//! microseconds as a copy of its own.

use super::buffers::{Allocator, BufferPool, PooledBuffer};
use super::memory::Reservation;
use super::traits::{MAX_GATHERED_SPANS, Span};
use crate::kernels::readback::GATHER_LANES;
use crate::plan::{BufferId, PARAMS, params};

/// Fewer spans are copied one by one.
const MIN_SPANS: usize = 8;
/// Spans that are larger on average are as fast copied one by one.
const MAX_MEAN_WORDS: u64 = 1 << 16;
/// Maximum total words of all spans.
const MAX_WORDS: u64 = 1 << 22;

/// Arguments of the gather kernel.
pub(super) struct GatherRead {
    pub source: BufferId,
    pub words: u64,
    /// Per span its first word, and the total words of the spans before it.
    pub table: Vec<u32>,
}

impl GatherRead {
    /// Returns the gather of `spans`, or `None` if separate copies are as fast or the spans are of
    /// several buffers.
    pub(super) fn of(spans: &[Span]) -> Option<Self> {
        let words = spans.iter().map(|span| span.words).sum::<u64>();
        let source = spans.first()?.buffer;
        let max = MAX_WORDS.min(spans.len() as u64 * MAX_MEAN_WORDS);
        let worth =
            (MIN_SPANS..=MAX_GATHERED_SPANS).contains(&spans.len()) && (1..=max).contains(&words);
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

    pub(super) fn params(&self) -> [u32; PARAMS] {
        params([(self.table.len() / 2) as u32, self.words as u32])
    }

    pub(super) fn groups(&self) -> u32 {
        self.words.div_ceil(u64::from(GATHER_LANES)) as u32
    }
}

/// Scratch buffers of gathers.
pub(super) struct GatherBuffers<A: Allocator> {
    /// Maximum gathered words.
    pub words: u64,
    /// The gathered words, and the table of spans.
    pub buffers: Vec<PooledBuffer<A>>,
    _held: Reservation,
}

impl<A: Allocator> GatherBuffers<A> {
    /// Allocates buffers for at least this number of words, if the budget allows.
    pub(super) fn new(pool: &BufferPool<A>, words: u64, budget_bytes: u64) -> Option<Self> {
        let words = words.next_power_of_two();
        let (word_bytes, table_bytes) = (4 * words, 8 * MAX_GATHERED_SPANS as u64);
        let sizes = [("gathered", word_bytes), ("gathered spans", table_bytes)];
        let held = pool
            .account()
            .try_reserve(word_bytes + table_bytes, budget_bytes)?;
        Some(Self {
            words,
            buffers: pool.allocate(&sizes, budget_bytes).ok()?,
            _held: held,
        })
    }
}
