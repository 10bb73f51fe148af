//! Coded targets.

use std::ops::Range;

use super::strings::List;
use crate::symbols::alphabet::Alphabet;

/// Maximum targets of a block, whose values stay in the first cache.
const BLOCK_TARGETS: usize = 128;

/// Targets of a range, one after the other.
pub(super) struct Texts {
    codes: Vec<u32>,
    /// One more than there are targets.
    offsets: Vec<usize>,
}

impl Texts {
    pub(super) fn new(targets: List<'_>, range: Range<usize>, alphabet: &Alphabet) -> Self {
        let (mut codes, mut offsets) = (Vec::new(), vec![0]);
        for target in range {
            codes.extend(alphabet.encoded(targets.string(target)));
            offsets.push(codes.len());
        }
        Self { codes, offsets }
    }

    pub(super) fn text(&self, target: usize) -> &[u32] {
        &self.codes[self.offsets[target]..self.offsets[target + 1]]
    }

    pub(super) fn lens(&self) -> impl Iterator<Item = usize> + '_ {
        self.offsets.windows(2).map(|pair| pair[1] - pair[0])
    }

    /// Consecutive targets of at most this many symbols, at least one each.
    pub(super) fn blocks(&self, max_symbols: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let count = self.offsets.len() - 1;
        let mut first = 0;
        std::iter::from_fn(move || {
            let last = self.offsets[first] + max_symbols;
            let fits = |&end: &usize| self.offsets[end] <= last;
            let most = count.min(first + BLOCK_TARGETS);
            let end = (first + 1).max((first + 1..=most).take_while(fits).last().unwrap_or(0));
            let block = (first < count).then_some(first..end);
            first = end;
            block
        })
    }
}
