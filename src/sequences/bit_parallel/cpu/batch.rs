//! Tables of many short pairs at once, one pair per SIMD lane, each with a text of its own.
//!
//! The horizontal differences out of the last limb are those of the table's last row: their sum is
//! the value of the last column, and their running minimum that of the best prefix of the text.

use super::kernel::{GUARD, LIMB_ROWS};
use super::lane_patterns::{Batched, Ends, PatternRows};
use super::shared_text::CHAINS;
use super::vector::{Vector, with_registers};

pub(crate) const GROUP: usize = 16;
/// Columns between checks whether any pair can still reach the limit.
const CHECK_EVERY: usize = 8;

/// Match masks of a pattern by code, and flags of its rows.
#[derive(Clone, Debug)]
pub(crate) struct Pattern {
    pub(crate) len: usize,
    /// Codes per limb of `masks`, a power of two.
    pub(crate) stride: usize,
    /// `[limb][code]`.
    pub(crate) masks: Vec<u64>,
    /// `[limb]`.
    pub(crate) first: Vec<u64>,
}

impl Pattern {
    pub(crate) fn limbs(len: usize) -> usize {
        len.div_ceil(LIMB_ROWS).max(1)
    }

    /// Pattern with codes from 1 to `codes`, in `limbs` limbs.
    pub(crate) fn new<R: Batched>(
        pattern: impl ExactSizeIterator<Item = u32>,
        codes: usize,
        limbs: usize,
        ends: Ends,
    ) -> Self {
        let (len, stride) = (pattern.len(), (codes + 1).next_power_of_two());
        let rows = PatternRows {
            limbs,
            rows_per_limb: LIMB_ROWS,
            guard: GUARD,
            ends,
        };
        let (mut masks, mut first) = (Vec::with_capacity(limbs * stride), Vec::new());
        for limb in 0..limbs {
            let of_limb = rows.limb::<R>(len, limb);
            masks.extend(std::iter::repeat_n(of_limb.mask, stride));
            first.push(of_limb.first);
        }
        for (row, code) in pattern.enumerate() {
            let (limb, bit) = rows.place(len, row);
            masks[limb * stride + code as usize] |= bit;
        }
        Self {
            len,
            stride,
            masks,
            first,
        }
    }

    pub(crate) fn first_value<R: Batched>(&self) -> u64 {
        self.len as u64 * R::EDGE_GROWTH
    }
}

/// Pairs of one batch; unused lanes have texts of length 0.
pub(crate) struct Batch<'a> {
    /// Match masks of all patterns: a limb is `stride` masks, one per code.
    pub(crate) masks: &'a [u64],
    pub(crate) stride: usize,
    /// Start of each lane's pattern in `masks`.
    pub(crate) starts: [u64; GROUP],
    /// Flags of the rows of the patterns: `[limb][lane]`.
    pub(crate) first: &'a [u64],
    /// Values left of the first column.
    pub(crate) values: [u64; GROUP],
    /// Codes of the texts: `[column][lane]`.
    pub(crate) codes: &'a [u32],
    pub(crate) lens: [u64; GROUP],
    pub(crate) ends: Ends,
    /// Greater values of [`Ends::Both`] need not be exact, only greater than this.
    pub(crate) limit: Option<u64>,
}

impl Batch<'_> {
    /// Values of all pairs.
    ///
    /// # Panics
    /// If masks or codes are missing.
    pub(crate) fn values<R: Batched>(&self) -> [u64; GROUP] {
        let limbs = self.first.len() / GROUP;
        let longest = self.lens.iter().copied().max().unwrap_or(0) as usize;
        let last = self.starts.iter().copied().max().unwrap_or(0) as usize;
        assert!(self.stride.is_power_of_two() && self.codes.len() >= longest * GROUP);
        assert!(self.masks.len() >= last + limbs * self.stride);
        with_registers!(all [R] u64, (self))
    }
}

type Limb<R, X> = [<R as Batched>::Limb<X>; CHAINS];

#[inline(always)]
fn all<R: Batched, X: Vector>(batch: &Batch<'_>) -> [u64; GROUP] {
    let mut values = [0; GROUP];
    for lane in (0..GROUP).step_by(CHAINS * X::LANES) {
        let zero = [R::first(X::splat(0)); CHAINS];
        let values = &mut values[lane..];
        // Few limbs stay in registers.
        match batch.first.len() / GROUP {
            1 => in_lanes::<R, X>(batch, lane, &mut [zero; 1], values),
            2 => in_lanes::<R, X>(batch, lane, &mut [zero; 2], values),
            3 => in_lanes::<R, X>(batch, lane, &mut [zero; 3], values),
            limbs => in_lanes::<R, X>(batch, lane, &mut vec![zero; limbs], values),
        }
    }
    values
}

#[inline(always)]
fn in_lanes<R: Batched, X: Vector>(
    batch: &Batch<'_>,
    lane: usize,
    v: &mut [Limb<R, X>],
    values: &mut [u64],
) {
    let chains: [usize; CHAINS] = std::array::from_fn(|chain| lane + chain * X::LANES);
    let first = |words: &[u64; GROUP]| chains.map(|lane| X::load(&words[lane..]));
    let lens = first(&batch.lens);
    for (limb, v) in v.iter_mut().enumerate() {
        *v = chains.map(|lane| R::first(X::load(&batch.first[limb * GROUP + lane..])));
    }
    let mut value = first(&batch.values);
    let mut least = value;
    let above = R::above(batch.ends).map(X::splat);
    let code_bits = batch.stride - 1;
    let mut places = [0; GROUP];
    let longest = batch.lens[lane..][..CHAINS * X::LANES].iter().max();
    let longest = longest.map_or(0, |&len| len as usize);
    let limit = batch.limit.filter(|_| batch.ends == Ends::Both);
    for column in 0..longest {
        let codes = &batch.codes[column * GROUP..][..GROUP];
        for lane in lane..lane + CHAINS * X::LANES {
            places[lane] = batch.starts[lane] as usize + (codes[lane] as usize & code_bits);
        }
        let mut h = [above; CHAINS];
        for (limb, v) in v.iter_mut().enumerate() {
            let masks = &batch.masks[limb * batch.stride..];
            for chain in 0..CHAINS {
                // SAFETY: `values` has checked that all limbs of all patterns are there, and codes
                // are below the stride.
                let mask = unsafe { X::gather(masks, &places[chains[chain]..]) };
                h[chain] = R::fill(&mut v[chain], mask, h[chain]);
            }
        }
        for chain in 0..CHAINS {
            let inside = X::splat(column as u64).sub(lens[chain]).sign();
            value[chain] = value[chain].add(R::growth(h[chain]).and(inside));
            if batch.ends != Ends::Both {
                let change = value[chain].sub(least[chain]);
                least[chain] = least[chain].add(change.and(change.sign()));
            }
        }
        if let Some(limit) = limit
            && column % CHECK_EVERY == CHECK_EVERY - 1
        {
            // A value shrinks by at most 1 per column. Lanes at their end are done, too.
            let done = |chain: usize| {
                let left = lens[chain].sub(X::splat(column as u64 + 1));
                let slack = X::splat(limit).add(left).sub(value[chain]);
                slack.or3(left.sub(X::splat(1)), slack).signs()
            };
            let lanes = (!0u8) >> (8 - X::LANES);
            if (0..CHAINS).all(|chain| done(chain) == lanes) {
                break;
            }
        }
    }
    let values = values[..CHAINS * X::LANES].chunks_exact_mut(X::LANES);
    for (chain, values) in values.enumerate() {
        match batch.ends {
            Ends::Both => value[chain].store(values),
            Ends::Start | Ends::Free => least[chain].store(values),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{self, Mode};
    use crate::lcs;
    use crate::pairs::{Measure, reference};
    use crate::sequences::bit_parallel::cpu::lane_patterns::Osa;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::sequences::bit_parallel::recurrence::{Edit, Lcs};

    fn values<R: Batched>(
        pairs: &[(Vec<u32>, Vec<u32>)],
        ends: Ends,
        limit: Option<u64>,
    ) -> Vec<u64> {
        let codes = 9;
        let limbs = pairs.iter().map(|(a, _)| Pattern::limbs(a.len())).max();
        let limbs = limbs.expect("there are pairs");
        let patterns: Vec<_> = pairs
            .iter()
            .map(|(a, _)| Pattern::new::<R>(a.iter().copied(), codes, limbs, ends))
            .collect();
        let columns = pairs.iter().map(|(_, b)| b.len()).max().unwrap_or(0);
        let mut texts = vec![0; columns * GROUP];
        let mut first = vec![0; limbs * GROUP];
        let (mut starts, mut lens, mut at_first) = ([0; GROUP], [0; GROUP], [0; GROUP]);
        let mut masks = Vec::new();
        for (lane, ((_, b), pattern)) in pairs.iter().zip(&patterns).enumerate() {
            (starts[lane], lens[lane]) = (masks.len() as u64, b.len() as u64);
            at_first[lane] = pattern.first_value::<R>();
            masks.extend_from_slice(&pattern.masks);
            (0..limbs).for_each(|limb| first[limb * GROUP + lane] = pattern.first[limb]);
            (0..b.len()).for_each(|column| texts[column * GROUP + lane] = b[column]);
        }
        let batch = Batch {
            masks: &masks,
            stride: patterns[0].stride,
            starts,
            first: &first,
            values: at_first,
            codes: &texts,
            lens,
            ends,
            limit,
        };
        batch.values::<R>().to_vec()
    }

    #[test]
    fn lanes_match_the_reference_at_limb_edges_in_all_modes() {
        let mut random = Random::new(17);
        let lens = [
            0, 1, 2, 31, 62, 63, 64, 65, 125, 126, 127, 189, 190, 252, 253, 300,
        ];
        for round in 0..20 {
            let letters = 1 + random.below(9) as u32;
            let pair = |lane: usize| {
                let rows = lens[(lane + round) % lens.len()];
                let cols = lens[random.below(lens.len())];
                (random.codes(rows, letters), random.codes(cols, letters))
            };
            let mut pairs: Vec<_> = (0..GROUP).map(pair).collect();
            // All lanes in few limbs, too.
            if round % 4 != 0 {
                let most = 63 * (round % 4);
                pairs.iter_mut().for_each(|(a, _)| a.truncate(most));
            }
            // Codes count from 1.
            for (a, b) in &mut pairs {
                a.iter_mut().for_each(|code| *code = *code % 9 + 1);
                b.iter_mut().for_each(|code| *code = *code % 9 + 1);
            }
            for (ends, mode) in [
                (Ends::Both, Mode::Global),
                (Ends::Start, Mode::Prefix),
                (Ends::Free, Mode::Infix),
            ] {
                let found = values::<Edit>(&pairs, ends, None);
                for ((a, b), found) in pairs.iter().zip(&found) {
                    let expected = edit_distance::reference::distance(a, b, mode);
                    assert_eq!(*found, expected, "{mode:?} {} {}", a.len(), b.len());
                }
            }
            let distances = values::<Edit>(&pairs, Ends::Both, None);
            for limit in [0, 3, 40] {
                let limited = values::<Edit>(&pairs, Ends::Both, Some(limit));
                let clipped = |values: Vec<u64>| -> Vec<u64> {
                    values
                        .into_iter()
                        .map(|value| value.min(limit + 1))
                        .collect()
                };
                assert_eq!(clipped(limited), clipped(distances.clone()));
            }
            let found = values::<Osa>(&pairs, Ends::Both, None);
            for ((a, b), found) in pairs.iter().zip(&found) {
                let expected = reference::value(Measure::Osa, Mode::Global, a, b);
                assert_eq!(*found, expected, "{} {}", a.len(), b.len());
            }
            let found = values::<Lcs>(&pairs, Ends::Both, None);
            for ((a, b), found) in pairs.iter().zip(&found) {
                assert_eq!(*found, lcs::reference::length(a, b));
            }
        }
    }
}
