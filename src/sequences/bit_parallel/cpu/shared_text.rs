//! Tables of many short patterns with one text after the other, one pattern per SIMD lane.
//!
//! All lanes read the same symbol of the text, so its match masks are loaded from a table, and no
//! lane ends before the others. A lane has 8, 16, 32 or 64 bits: patterns of up to 8 symbols run 64
//! at once with AVX-512. Longer patterns than 64 symbols have several limbs of 63 rows.

use super::lane_patterns::{Batched, Below, Ends, PatternRows};
use super::vector::{Lane, Register, chosen_lanes, with_registers};

/// Registers per limb: independent chains hide latency.
pub(super) const CHAINS: usize = 2;
/// Columns between checks whether any pair can still stay within the limit.
const CHECK_EVERY: usize = 8;
/// Alignment of the match masks: a cache line.
const ALIGNMENT: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LaneWidth {
    W8,
    W16,
    W32,
    W64,
}

impl LaneWidth {
    /// The narrowest lane that holds a pattern; 64 bits for long ones.
    pub(crate) fn of(len: usize, ends: Ends) -> Self {
        match len + usize::from(ends != Ends::Both) {
            0..=8 => Self::W8,
            9..=16 => Self::W16,
            17..=32 => Self::W32,
            _ => Self::W64,
        }
    }

    pub(crate) fn lanes(self) -> usize {
        match self {
            Self::W8 => lanes::<u8>(),
            Self::W16 => lanes::<u16>(),
            Self::W32 => lanes::<u32>(),
            Self::W64 => lanes::<u64>(),
        }
    }
}

fn lanes<T: Lane>() -> usize {
    CHAINS * chosen_lanes::<T>()
}

/// Patterns that share their texts.
pub(crate) struct PatternGroup<T> {
    rows: PatternRows,
    longest: usize,
    /// `[code][limb][lane]`, from `aligned` on.
    masks: Vec<T>,
    aligned: usize,
    /// Flags of the rows of the patterns: `[limb][lane]`.
    first: Vec<T>,
    /// Values left of the first column: `[lane]`.
    first_values: Vec<T>,
}

pub(crate) struct LaneValues<T> {
    lanes: usize,
    /// Part of the value that all lanes share: `[text]`.
    shared: Vec<i64>,
    /// The rest, a signed number: `[text][lane]`.
    rest: Vec<T>,
}

impl<T> Default for LaneValues<T> {
    fn default() -> Self {
        Self {
            lanes: 0,
            shared: Vec::new(),
            rest: Vec::new(),
        }
    }
}

impl<T: Lane> LaneValues<T> {
    pub(super) fn reset(&mut self, texts: usize, lanes: usize) {
        self.lanes = lanes;
        self.rest.clear();
        self.rest.resize(texts * lanes, T::truncated(0));
        self.shared.resize(texts, 0);
    }

    pub(super) fn of_texts(&mut self) -> impl Iterator<Item = &mut [T]> {
        self.rest.chunks_exact_mut(self.lanes.max(1))
    }

    /// Values of the pattern in a lane with all texts.
    pub(crate) fn of_lane(&self, lane: usize) -> impl Iterator<Item = i64> + '_ {
        let rest = self.rest.iter().skip(lane).step_by(self.lanes.max(1));
        let both = self.shared.iter().zip(rest);
        both.map(|(&shared, rest)| shared + rest.signed())
    }

    pub(crate) fn of_text(&self) -> impl Iterator<Item = i64> + '_ {
        self.rest.iter().map(|rest| self.shared[0] + rest.signed())
    }
}

impl<T: Lane> PatternGroup<T> {
    pub(crate) fn lanes() -> usize {
        lanes::<T>()
    }

    /// Group of at least one pattern, with codes from 1 to `codes`; code 0 is a symbol that no text
    /// has. Unused lanes repeat the last pattern. All recurrences have the same groups of
    /// [`Ends::Both`] and one limb.
    ///
    /// # Panics
    /// If there are more patterns than [`lanes`](Self::lanes).
    pub(crate) fn new<R: Batched>(patterns: &[Vec<u32>], codes: usize, ends: Ends) -> Self {
        let lanes = lanes::<T>();
        assert!((1..=lanes).contains(&patterns.len()));
        let longest = patterns.iter().map(Vec::len).max().unwrap_or(0);
        let rows = PatternRows::new::<T>(longest, ends);
        let in_lane = |lane: usize| &patterns[lane.min(patterns.len() - 1)];
        let size = rows.limbs * lanes;
        let (mut unmatched, mut first) = (Vec::with_capacity(size), Vec::with_capacity(size));
        for limb in 0..rows.limbs {
            for lane in 0..lanes {
                let limb = rows.limb::<R>(in_lane(lane).len(), limb);
                unmatched.push(T::truncated(limb.mask));
                first.push(T::truncated(limb.first));
            }
        }
        let mut masks = Vec::<T>::with_capacity((codes + 1) * size + ALIGNMENT);
        // Any place is right; an aligned one is faster.
        let aligned = masks.as_ptr().align_offset(ALIGNMENT).min(ALIGNMENT);
        masks.resize(aligned, T::truncated(0));
        (0..=codes).for_each(|_| masks.extend_from_slice(&unmatched));
        for lane in 0..lanes {
            let pattern = in_lane(lane);
            for (row, &code) in pattern.iter().enumerate().filter(|&(_, &code)| code != 0) {
                let (limb, bit) = rows.place(pattern.len(), row);
                let mask = &mut masks[aligned + code as usize * size + limb * lanes + lane];
                *mask = T::truncated(mask.extended() | bit);
            }
        }
        let first_value = |lane| T::truncated(in_lane(lane).len() as u64 * R::EDGE_GROWTH);
        Self {
            rows,
            longest,
            masks,
            aligned,
            first,
            first_values: (0..lanes).map(first_value).collect(),
        }
    }

    /// Match masks of a code: `[limb][lane]`.
    #[inline(always)]
    pub(super) fn masks(&self, code: u32) -> &[T] {
        let size = self.first.len();
        &self.masks[self.aligned..][code as usize * size..][..size]
    }

    pub(crate) fn limbs(&self) -> usize {
        self.rows.limbs
    }

    /// Values of all patterns with texts of codes. Values of [`Ends::Both`] above `limit` need not be
    /// exact, only greater than it; recurrences that do not end early ignore it.
    ///
    /// # Panics
    /// If a text has an unknown code.
    pub(crate) fn values<R: Batched>(
        &self,
        texts: &[&[u32]],
        limit: Option<u64>,
        values: &mut LaneValues<T>,
    ) {
        values.reset(texts.len(), self.first_values.len());
        let limit = limit.filter(|_| R::ENDS_EARLY);
        let limit = limit.and_then(|limit| i64::try_from(limit).ok());
        with_registers!(all [R] T, (self, texts, limit, values));
    }
}

type Limb<R, X> = [<R as Batched>::Limb<X>; CHAINS];

#[inline(always)]
fn all<R: Batched, X: Register>(
    group: &PatternGroup<X::Lane>,
    texts: &[&[u32]],
    limit: Option<i64>,
    values: &mut LaneValues<X::Lane>,
) {
    let zero: Limb<R, X> = [R::first(X::splat(0)); CHAINS];
    let rest = values.rest.chunks_exact_mut(CHAINS * X::LANES);
    for ((text, rest), shared) in texts.iter().zip(rest).zip(&mut values.shared) {
        // Few limbs stay in registers; patterns of several have lanes of 64 bits, except in tests.
        *shared = match group.rows.limbs {
            1 => of_text::<R, X>(group, text, limit, &mut [zero; 1], rest),
            2 if X::Lane::BITS == 64 => of_text::<R, X>(group, text, limit, &mut [zero; 2], rest),
            3 if X::Lane::BITS == 64 => of_text::<R, X>(group, text, limit, &mut [zero; 3], rest),
            limbs => of_text::<R, X>(group, text, limit, &mut vec![zero; limbs], rest),
        };
    }
}

#[inline(always)]
fn of_text<R: Batched, X: Register>(
    group: &PatternGroup<X::Lane>,
    text: &[u32],
    limit: Option<i64>,
    v: &mut [Limb<R, X>],
    rest: &mut [X::Lane],
) -> i64 {
    for (v, first) in v
        .iter_mut()
        .zip(group.first.chunks_exact(CHAINS * X::LANES))
    {
        *v = load(first).map(R::first);
    }
    if group.rows.ends == Ends::Both {
        last_column::<R, X>(group, text, limit, v, rest)
    } else {
        last_row::<R, X>(group, text, v, rest)
    }
}

#[inline(always)]
pub(super) fn load<X: Register>(lanes: &[X::Lane]) -> [X; CHAINS] {
    [X::load(lanes), X::load(&lanes[X::LANES..])]
}

#[inline(always)]
pub(super) fn store<X: Register>(registers: [X; CHAINS], lanes: &mut [X::Lane]) {
    for (register, lanes) in registers.into_iter().zip(lanes.chunks_exact_mut(X::LANES)) {
        register.store(lanes);
    }
}

/// Horizontal differences above the first row.
#[inline(always)]
fn above<R: Batched, X: Register>(ends: Ends) -> Below<X> {
    let unused = u64::BITS - X::Lane::BITS;
    R::above(ends).map(|word| X::splat(word >> unused))
}

/// Growth of the values down all rows but the last `left` ones.
#[inline(always)]
fn growth_down<R: Batched, X: Register>(
    rows: &PatternRows,
    v: &[Limb<R, X>],
    left: usize,
) -> [X; CHAINS] {
    let mut sum = [X::splat(0); CHAINS];
    for (limb, v) in v.iter().enumerate() {
        let rows = rows.above_last(limb, left);
        for chain in 0..CHAINS {
            sum[chain] = sum[chain].add(R::growth_down(v[chain], rows));
        }
    }
    sum
}

#[inline(always)]
fn column<R: Batched, X: Register>(
    group: &PatternGroup<X::Lane>,
    code: u32,
    above: Below<X>,
    v: &mut [Limb<R, X>],
) -> [Below<X>; CHAINS] {
    let lanes = CHAINS * X::LANES;
    let mut h = [above; CHAINS];
    for (v, masks) in v.iter_mut().zip(group.masks(code).chunks_exact(lanes)) {
        let masks = load::<X>(masks);
        for chain in 0..CHAINS {
            h[chain] = R::fill(&mut v[chain], masks[chain], h[chain]);
        }
    }
    h
}

/// Values of the last column: its top value, and the growth down its rows.
///
/// With a limit the values of cells (c, j) that are as far from the last row as from the last column
/// are checked now and then: a path to the last cell costs at least as much, since values do not
/// fall along a diagonal (Ukkonen 1985, doi:10.1016/S0019-9958(85)80046-2). Rows are aligned at the
/// end of the patterns, so c is the same place in all lanes.
#[inline(always)]
fn last_column<R: Batched, X: Register>(
    group: &PatternGroup<X::Lane>,
    text: &[u32],
    limit: Option<i64>,
    v: &mut [Limb<R, X>],
    rest: &mut [X::Lane],
) -> i64 {
    let above = above::<R, X>(Ends::Both);
    let Some(limit) = limit else {
        for &code in text {
            column::<R, X>(group, code, above, v);
        }
        store(growth_down::<R, X>(&group.rows, v, 0), rest);
        return text.len() as i64 * R::EDGE_GROWTH as i64;
    };
    let extra = text.len() as i64 - group.longest as i64;
    if extra > limit {
        return extra;
    }
    let rows = (group.rows.limbs * group.rows.rows_per_limb) as i64;
    let mut done = 0;
    for codes in text.chunks(CHECK_EVERY) {
        let slack = limit - done as i64;
        if slack < rows {
            let growth = growth_down::<R, X>(&group.rows, v, text.len() - done);
            let slack_of = X::splat(slack as u64);
            let mut exceed = true;
            for growth in growth {
                exceed &= slack_of.sub(growth).all_negative();
            }
            if slack < -rows || exceed {
                store(growth, rest);
                return done as i64;
            }
        }
        for &code in codes {
            column::<R, X>(group, code, above, v);
        }
        done += codes.len();
    }
    store(growth_down::<R, X>(&group.rows, v, 0), rest);
    done as i64
}

#[inline(always)]
fn last_row<R: Batched, X: Register>(
    group: &PatternGroup<X::Lane>,
    text: &[u32],
    v: &mut [Limb<R, X>],
    rest: &mut [X::Lane],
) -> i64 {
    // A prefix of more than twice the pattern's length costs more than the empty one.
    let columns = match group.rows.ends {
        Ends::Start => text.len().min(2 * group.longest),
        _ => text.len(),
    };
    let above = above::<R, X>(group.rows.ends);
    let mut value = load::<X>(&group.first_values);
    let mut least = value;
    for &code in &text[..columns] {
        let h = column::<R, X>(group, code, above, v);
        for chain in 0..CHAINS {
            value[chain] = value[chain].add(R::growth(h[chain]));
            let change = value[chain].sub(least[chain]);
            least[chain] = least[chain].add(change.and(change.sign()));
        }
    }
    store(least, rest);
    0
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

    const LETTERS: usize = 5;

    fn values<R: Batched, T: Lane>(
        patterns: &[Vec<u32>],
        texts: &[Vec<u32>],
        ends: Ends,
        limit: Option<u64>,
    ) -> Vec<Vec<i64>> {
        let texts: Vec<_> = texts.iter().map(Vec::as_slice).collect();
        let mut values = LaneValues::default();
        let mut all = Vec::new();
        for patterns in patterns.chunks(lanes::<T>()) {
            let group = PatternGroup::<T>::new::<R>(patterns, LETTERS, ends);
            group.values::<R>(&texts, limit, &mut values);
            all.extend((0..patterns.len()).map(|lane| values.of_lane(lane).collect::<Vec<_>>()));
        }
        all
    }

    fn assert_lanes<T: Lane>(lens: &[usize]) {
        let mut random = Random::new(29 + u64::from(T::BITS));
        let mut strings = |lens: &[usize], count: usize, most: u32| -> Vec<Vec<u32>> {
            let string = |place: usize| {
                let codes = random.codes(lens[place % lens.len()], most);
                codes.into_iter().map(|code| code + 1).collect()
            };
            (0..count).map(string).collect()
        };
        // One letter of the texts is in no pattern.
        let patterns = strings(lens, 150, LETTERS as u32 - 1);
        let text_lens = [0, 1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65, 130, 300];
        let mut texts = strings(&text_lens, 15, LETTERS as u32);
        texts.extend(patterns.iter().take(10).cloned());
        for (text, code) in texts.iter_mut().zip(0..) {
            text.iter_mut()
                .filter(|_| code % 3 == 0)
                .for_each(|code| *code %= LETTERS as u32);
        }
        let pairs = || {
            let places = (0..patterns.len()).flat_map(|a| (0..texts.len()).map(move |b| (a, b)));
            places.map(|(a, b)| ((a, b), (&patterns[a][..], &texts[b][..])))
        };
        for (ends, mode) in [
            (Ends::Both, Mode::Global),
            (Ends::Start, Mode::Prefix),
            (Ends::Free, Mode::Infix),
        ] {
            let fits = |pattern: &&Vec<u32>| {
                pattern.len() + usize::from(ends != Ends::Both) <= T::BITS as usize || T::BITS == 64
            };
            let patterns: Vec<_> = patterns.iter().filter(fits).cloned().collect();
            let found = values::<Edit, T>(&patterns, &texts, ends, None);
            let limited = [0, 2, 9, 70].map(|limit| {
                let found = values::<Edit, T>(&patterns, &texts, ends, Some(limit));
                (limit as i64, found)
            });
            for (a, pattern) in patterns.iter().enumerate() {
                for (b, text) in texts.iter().enumerate() {
                    let expected = edit_distance::reference::distance(pattern, text, mode) as i64;
                    let lens = (pattern.len(), text.len());
                    assert_eq!(found[a][b], expected, "{mode:?} {lens:?}");
                    for (limit, found) in &limited {
                        let most = limit + 1;
                        let value = found[a][b];
                        assert_eq!(
                            value.min(most),
                            expected.min(most),
                            "{mode:?} {lens:?} {limit}"
                        );
                    }
                }
            }
        }
        for limit in [None, Some(3)] {
            let found = values::<Osa, T>(&patterns, &texts, Ends::Both, limit);
            let most = limit.map_or(i64::MAX, |limit| limit as i64 + 1);
            for ((a, b), (pattern, text)) in pairs() {
                let expected = reference::value(Measure::Osa, Mode::Global, pattern, text) as i64;
                let lens = (pattern.len(), text.len());
                assert_eq!(
                    found[a][b].min(most),
                    expected.min(most),
                    "{lens:?} {limit:?}"
                );
            }
        }
        let found = values::<Lcs, T>(&patterns, &texts, Ends::Both, None);
        for ((a, b), (pattern, text)) in pairs() {
            let expected = lcs::reference::length(pattern, text) as i64;
            assert_eq!(found[a][b], expected, "{} {}", pattern.len(), text.len());
        }
    }

    #[test]
    fn lanes_of_all_widths_match_the_reference() {
        assert_lanes::<u8>(&[0, 1, 2, 6, 7, 8]);
        assert_lanes::<u16>(&[0, 7, 8, 9, 14, 15, 16]);
        assert_lanes::<u32>(&[0, 15, 16, 17, 30, 31, 32]);
        assert_lanes::<u64>(&[0, 31, 32, 33, 62, 63, 64]);
        assert_lanes::<u64>(&[5, 65, 126, 127, 150, 189, 190, 300]);
    }
}
