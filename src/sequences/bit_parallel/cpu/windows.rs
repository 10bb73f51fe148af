//! Searches of short patterns in short windows of texts, each lane with a pattern and a window of
//! its own.
//!
//! The match masks of all columns are looked up before the tables are filled, so that the
//! recurrences read consecutive memory.

use super::lane_patterns::{Batched, Ends, PatternRows};
use super::shared_text::{CHAINS, load, store};
use super::vector::{Lane, Register, chosen_lanes, with_registers};
use crate::sequences::bit_parallel::recurrence::Edit;

/// Match masks of patterns of one limb.
pub(crate) struct WindowPatterns<T> {
    /// `[pattern][code]`; code 0 is a symbol of no pattern.
    masks: Vec<T>,
    stride: usize,
    /// By pattern: vertical differences and value left of the first column.
    first: Vec<[T; 2]>,
}

impl<T: Lane> WindowPatterns<T> {
    /// Maximum symbols of a pattern: a guard bit is above them.
    pub(crate) const MAX_LEN: usize = T::BITS as usize - 1;

    /// Patterns of at most [`MAX_LEN`](Self::MAX_LEN) codes from 1 to `codes`.
    pub(crate) fn new(patterns: &[Vec<u32>], codes: usize) -> Self {
        let rows = PatternRows::new::<T>(Self::MAX_LEN, Ends::Free);
        let stride = codes + 1;
        let (mut masks, mut first) = (Vec::with_capacity(patterns.len() * stride), Vec::new());
        for pattern in patterns {
            let limb = rows.limb::<Edit>(pattern.len(), 0);
            let start = masks.len();
            masks.resize(start + stride, T::truncated(limb.mask));
            for (row, &code) in pattern.iter().enumerate() {
                let mask: &mut T = &mut masks[start + code as usize];
                *mask = T::truncated(mask.extended() | rows.place(pattern.len(), row).1);
            }
            first.push([limb.first, pattern.len() as u64].map(T::truncated));
        }
        Self {
            masks,
            stride,
            first,
        }
    }

    /// Calls `take` with the end and the distance of each prefix of a window whose last symbol ends
    /// a piece within `bound` of the pattern.
    pub(crate) fn ends(
        &self,
        pattern: usize,
        window: &[u8],
        bound: u64,
        mut take: impl FnMut(usize, u64),
    ) {
        type X<T> = <T as Lane>::Portable;
        let masks = &self.masks[pattern * self.stride..][..self.stride];
        let [first, value] = self.first[pattern].map(|first| X::<T>::splat(first.extended()));
        let (mut v, mut value) = (Edit::first(first), value);
        let above = Edit::above(Ends::Free).map(X::<T>::splat);
        let mut lanes = vec![T::truncated(0); X::<T>::LANES];
        for (end, &code) in (1..).zip(window) {
            let mask = X::<T>::splat(masks[usize::from(code)].extended());
            let below = Edit::fill(&mut v, mask, above);
            value = value.add(Edit::growth(below));
            value.store(&mut lanes);
            let value = lanes[0].extended();
            if value <= bound {
                take(end, value);
            }
        }
    }
}

pub(crate) struct WindowBatch<T> {
    lanes: usize,
    len: usize,
    columns: usize,
    /// By lane: columns, and the mask of a symbol that is not in the pattern.
    windows: Vec<(usize, T)>,
    /// `[column][lane]`.
    masks: Vec<T>,
    first: Vec<T>,
    /// By lane: least value of the last row.
    values: Vec<T>,
}

impl<T: Lane> WindowBatch<T> {
    pub(crate) fn new(max_columns: usize) -> Self {
        let lanes = CHAINS * chosen_lanes::<T>();
        let zero = T::truncated(0);
        Self {
            lanes,
            len: 0,
            columns: 0,
            windows: vec![(0, zero); lanes],
            masks: vec![zero; max_columns * lanes],
            first: vec![zero; lanes],
            values: vec![zero; lanes],
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.len == self.lanes
    }

    /// Adds a window of codes to a batch that is not full.
    ///
    /// # Panics
    /// If the batch is full, the window too long or a code unknown.
    #[inline]
    pub(crate) fn push(&mut self, patterns: &WindowPatterns<T>, pattern: usize, window: &[u8]) {
        let lane = self.len;
        let masks = &patterns.masks[pattern * patterns.stride..][..patterns.stride];
        let of_lane = self.masks[lane..].iter_mut().step_by(self.lanes);
        for (mask, &code) in of_lane.zip(window) {
            *mask = masks[usize::from(code)];
        }
        let [first, value] = patterns.first[pattern];
        (self.first[lane], self.values[lane]) = (first, value);
        self.windows[lane] = (window.len(), masks[0]);
        self.columns = self.columns.max(window.len());
        self.len += 1;
    }

    /// Empties the batch. Returns the least distance of each pattern from any substring of its
    /// window, in the order of the windows.
    pub(crate) fn take_values(&mut self) -> impl Iterator<Item = u64> + '_ {
        // Symbols that match nothing do not lower the least value.
        for (lane, &(columns, unmatched)) in self.windows[..self.len].iter().enumerate() {
            for column in columns..self.columns {
                self.masks[column * self.lanes + lane] = unmatched;
            }
        }
        with_registers!(all [] T, (self));
        self.columns = 0;
        let len = std::mem::take(&mut self.len);
        self.values[..len].iter().map(|value| value.extended())
    }
}

#[inline(always)]
fn all<X: Register>(batch: &mut WindowBatch<X::Lane>) {
    let lanes = CHAINS * X::LANES;
    let mut v = load::<X>(&batch.first).map(Edit::first);
    let mut value = load::<X>(&batch.values);
    let mut least = value;
    let above = Edit::above(Ends::Free).map(X::splat);
    for masks in batch.masks.chunks_exact(lanes).take(batch.columns) {
        let masks = load::<X>(masks);
        for chain in 0..CHAINS {
            let below = Edit::fill(&mut v[chain], masks[chain], above);
            value[chain] = value[chain].add(Edit::growth(below));
            let change = value[chain].sub(least[chain]);
            least[chain] = least[chain].add(change.and(change.sign()));
        }
    }
    store(least, &mut batch.values);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{self, Mode};
    use crate::sequences::bit_parallel::inputs::Random;

    fn assert_windows<T: Lane>() {
        let mut random = Random::new(T::BITS.into());
        let max_len = WindowPatterns::<T>::MAX_LEN;
        let lens = [1, 2, max_len / 2, max_len - 1, max_len];
        let codes = |random: &mut Random, len, least: u32| -> Vec<u32> {
            let codes = random.codes(len, 4 - least);
            codes.into_iter().map(|code| code + least).collect()
        };
        let patterns: Vec<_> = lens.map(|len| codes(&mut random, len, 1)).into();
        let of = WindowPatterns::<T>::new(&patterns, 3);
        let max_columns = 3 * max_len;
        let mut batch = WindowBatch::<T>::new(max_columns);
        for round in 0..40 {
            let mut expected = Vec::new();
            for _ in 0..=random.below(batch.lanes) {
                let (pattern, len) = (random.below(lens.len()), random.below(max_columns + 1));
                let mut window = codes(&mut random, len, 0);
                if round % 2 == 0 && len > lens[pattern] {
                    window[..lens[pattern]].copy_from_slice(&patterns[pattern]);
                    window[lens[pattern] / 2] = 0;
                }
                let bytes: Vec<_> = window.iter().map(|&code| code as u8).collect();
                batch.push(&of, pattern, &bytes);
                let distance = edit_distance::reference::distance;
                expected.push(distance(&patterns[pattern], &window, Mode::Infix));
            }
            assert!(batch.take_values().eq(expected));
        }
    }

    #[test]
    fn windows_in_lanes_match_the_reference() {
        assert_windows::<u32>();
        assert_windows::<u64>();
    }
}
