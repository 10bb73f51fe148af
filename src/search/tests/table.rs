//! Places by the plain table.

use super::super::{Choice, Exact, Place, Search, Strands};
use super::engine;
use crate::edit_distance::Op;
use crate::matching::Matching;
use crate::orientation::reverse_complement;
use crate::pairs::Strings;
use crate::substring::Strand;

#[derive(Clone, Debug, Default)]
pub(super) struct Case {
    pub(super) within: u64,
    pub(super) choice: Choice,
    pub(super) strands: Strands,
    pub(super) exact: Option<Exact>,
    pub(super) motif: &'static [u8],
    pub(super) matching: Option<Matching>,
    pub(super) max_substitutions: Option<u64>,
    pub(super) max_gaps: Option<u64>,
    pub(super) overhang: Option<u32>,
    pub(super) unit: Option<usize>,
    /// True if patterns are searched by words, also in short texts.
    pub(super) by_words: bool,
}

/// A piece of a text, and numbers of symbols that stick out before and behind it.
#[derive(Clone, Copy, Debug)]
struct Piece {
    start: usize,
    end: usize,
    cost: u64,
    before: usize,
    after: usize,
}

impl Case {
    fn matches(&self, x: u8, y: u8) -> bool {
        self.matching
            .as_ref()
            .map_or(x == y, |matching| matching.matches(x, y))
    }

    /// Last row of the plain table.
    fn row(&self, pattern: &[u8], text: &[u8], is_free: bool) -> Vec<u64> {
        let first = |column: usize| if is_free { 0 } else { column as u64 };
        let mut row: Vec<u64> = (0..=text.len()).map(first).collect();
        for (i, &x) in pattern.iter().enumerate() {
            let before = row.clone();
            row[0] = i as u64 + 1;
            for (j, &y) in text.iter().enumerate() {
                let differs = u64::from(!self.matches(x, y));
                row[j + 1] = (before[j] + differs).min(before[j + 1] + 1).min(row[j] + 1);
            }
        }
        row
    }

    fn is_restricted(&self) -> bool {
        (self.max_substitutions, self.max_gaps, self.overhang) != (None, None, None)
    }

    /// Least gaps of prefixes by row, column and number of substitutions, within the bounds.
    fn least_gaps(&self, body: &[u8], text: &[u8]) -> Vec<Vec<Vec<u64>>> {
        let bound = self.max_substitutions.unwrap_or(self.within);
        let substitutions = bound.min(self.within) as usize;
        let none = vec![u64::MAX; substitutions + 1];
        let mut table = vec![vec![none; text.len() + 1]; body.len() + 1];
        for i in 0..=body.len() {
            for j in 0..=text.len() {
                for s in 0..=substitutions {
                    let mut least = if (i, j) == (0, 0) { 0 } else { u64::MAX };
                    if i > 0 {
                        least = least.min(table[i - 1][j][s].saturating_add(1));
                    }
                    if j > 0 {
                        least = least.min(table[i][j - 1][s].saturating_add(1));
                    }
                    if i > 0 && j > 0 {
                        let differs = usize::from(!self.matches(body[i - 1], text[j - 1]));
                        if let Some(before) = s.checked_sub(differs) {
                            least = least.min(table[i - 1][j - 1][before]);
                        }
                    }
                    table[i][j][s] = least;
                }
            }
        }
        table
    }

    /// Cost of symbols that stick out on a side.
    fn outside(&self, symbols: usize) -> u64 {
        symbols as u64 * u64::from(self.overhang.unwrap_or(0)) / 1000
    }

    /// The best piece with each end, if restricted alignments have one.
    fn restricted(&self, body: &[u8], text: &[u8], is_exact: bool) -> Vec<Option<Piece>> {
        let most = |sticks_out: bool, most: usize| match self.overhang {
            Some(_) if sticks_out => most,
            _ => 0,
        };
        let gaps = self.max_gaps.unwrap_or(self.within);
        let best = |end: usize| {
            let mut all = Vec::new();
            let longest = end.min(body.len() + self.within as usize);
            let reversed = |symbols: &[u8]| symbols.iter().rev().copied().collect::<Vec<_>>();
            for after in 0..=most(end == text.len() && !is_exact, body.len()) {
                let inside = reversed(&body[..body.len() - after]);
                let table = self.least_gaps(&inside, &reversed(&text[end - longest..end]));
                let columns = |len: usize| {
                    let most = most(len == end, inside.len());
                    (0..=most).map(move |before| (len, before))
                };
                for (len, before) in (1..=longest).flat_map(columns) {
                    let outside = self.outside(before) + self.outside(after);
                    let costs = (0..).zip(&table[inside.len() - before][len]);
                    let costs = costs.filter(|&(_, &least)| least <= gaps);
                    let costs = costs.map(|(s, least)| s + least + outside);
                    all.extend(costs.min().map(|cost| Piece {
                        start: end - len,
                        end,
                        cost,
                        before,
                        after,
                    }));
                }
            }
            all.retain(|piece| piece.cost <= self.within);
            let key = |one: &Piece| {
                let outside = self.outside(one.before) + self.outside(one.after);
                let symbols = (one.before + one.after, one.after);
                (one.cost, one.start, one.cost - outside, symbols)
            };
            all.into_iter().min_by_key(key)
        };
        (0..=text.len()).map(best).collect()
    }

    /// Places of a pattern with `tail` exact last symbols, as the module describes them.
    fn forward(&self, pattern: &[u8], text: &[u8], tail: usize, motif: &[u8]) -> Vec<Piece> {
        let (body, tail) = pattern.split_at(pattern.len() - tail);
        let mut values = self.row(body, text, true);
        let restricted = if self.is_restricted() {
            self.restricted(body, text, !tail.is_empty() || !motif.is_empty())
        } else {
            Vec::new()
        };
        for (value, piece) in values.iter_mut().zip(&restricted) {
            *value = piece.map_or(u64::MAX, |piece| piece.cost);
        }
        for (end, value) in values.iter_mut().enumerate() {
            let after = &text[end..];
            let is_exact = after.len() >= tail.len() + motif.len()
                && tail.iter().zip(after).all(|(&x, &y)| self.matches(x, y))
                && motif
                    .iter()
                    .zip(&after[tail.len()..])
                    .all(|(&x, &y)| Matching::iupac().matches(x, y) && !(y == b'N' && x != b'N'));
            if !is_exact || *value > self.within {
                *value = u64::MAX;
            }
        }
        let is_place = |&end: &usize| {
            if self.choice == Choice::Ends || self.max_gaps == Some(0) {
                return values[end] != u64::MAX;
            }
            let before = values[..end]
                .iter()
                .rev()
                .find(|&&value| value != values[end]);
            let after = values.get(end + 1).copied().unwrap_or(u64::MAX);
            values[end] != u64::MAX
                && after > values[end]
                && before.is_none_or(|&before| before > values[end])
        };
        let piece = |end: usize| {
            let cost = values[end];
            let piece = restricted.get(end).copied().flatten().unwrap_or_else(|| {
                let reversed = |symbols: &[u8]| symbols.iter().rev().copied().collect::<Vec<_>>();
                let row = self.row(&reversed(body), &reversed(&text[..end]), false);
                let len = row.iter().rposition(|&value| value == cost);
                Piece {
                    start: end - len.expect("it has a start"),
                    end,
                    cost,
                    before: 0,
                    after: 0,
                }
            });
            Piece {
                end: end + tail.len(),
                ..piece
            }
        };
        (0..values.len()).filter(is_place).map(piece).collect()
    }

    fn on_strand(&self, pattern: &[u8], text: &[u8], strand: Strand) -> Vec<Piece> {
        let mirrored = |pieces: Vec<Piece>| {
            let len = text.len();
            let mirrored = |piece: Piece| Piece {
                start: len - piece.end,
                end: len - piece.start,
                before: piece.after,
                after: piece.before,
                ..piece
            };
            pieces.into_iter().map(mirrored).collect::<Vec<_>>()
        };
        let reverse = |symbols: &[u8]| symbols.iter().rev().copied().collect::<Vec<_>>();
        let turned;
        let on_strand = match strand {
            Strand::Forward => text,
            Strand::Reverse => {
                turned = reverse_complement(text).expect("it is DNA");
                &turned
            }
        };
        let found = match self.exact {
            None => self.forward(pattern, on_strand, 0, self.motif),
            Some(Exact::Tail(tail)) => self.forward(pattern, on_strand, tail, self.motif),
            Some(Exact::Head(head)) => {
                mirrored(self.forward(&reverse(pattern), &reverse(on_strand), head, b""))
            }
        };
        match strand {
            Strand::Forward => found,
            Strand::Reverse => mirrored(found),
        }
    }

    pub(super) fn expected(&self, patterns: &[Vec<u8>], texts: &[Vec<u8>]) -> Vec<Place> {
        let mut all = Vec::new();
        for (text, symbols) in (0..).zip(texts) {
            for (pattern, string) in (0..).zip(patterns) {
                let mut of_pair = Vec::new();
                for &strand in self.strands.all() {
                    let found = self.on_strand(string, symbols, strand);
                    of_pair.extend(found.into_iter().map(|piece| Place {
                        text,
                        start: piece.start as u64,
                        end: piece.end as u64,
                        pattern,
                        strand,
                        cost: piece.cost as u32,
                        before: piece.before as u32,
                        after: piece.after as u32,
                    }));
                }
                if self.choice == Choice::Best {
                    let least = of_pair.iter().map(|place| place.cost).min();
                    of_pair.retain(|place| Some(place.cost) == least);
                }
                all.extend(of_pair);
            }
        }
        all.sort_unstable();
        all
    }

    pub(super) fn search<'a>(
        &self,
        patterns: &'a Strings<'_>,
        texts: &'a Strings<'_>,
    ) -> Search<'a> {
        let mut search = Search::of(patterns, texts)
            .within(self.within)
            .choice(self.choice);
        search = search.strands(self.strands).motif(self.motif);
        search.call.exact = self.exact;
        search.call.matching = self.matching.clone().map(Box::new);
        search.call.max_substitutions = self.max_substitutions;
        (search.call.max_gaps, search.call.overhang) = (self.max_gaps, self.overhang);
        search.call.unit_symbols = self.unit;
        search.call.planned_symbols = self.by_words.then_some(1 << 40);
        search
    }

    /// Compares with the plain table, and replays all alignments. Returns the number of places.
    pub(super) fn check(&self, patterns: &[Vec<u8>], texts: &[Vec<u8>], threads: usize) -> usize {
        let lists = [patterns, texts].map(Strings::from_slices);
        let search = self.search(&lists[0], &lists[1]).alignments();
        let report = engine(threads).run(&search).expect("it runs");
        let expected = self.expected(patterns, texts);
        let shown = || {
            let text = |strings: &[Vec<u8>]| {
                let text = |string: &Vec<u8>| String::from_utf8_lossy(string).into_owned();
                strings.iter().map(text).collect::<Vec<_>>()
            };
            format!("{self:?}\n{:?}\n{:?}", text(patterns), text(texts))
        };
        assert_eq!(report.places, expected, "{}", shown());
        let alignments = report.alignments.as_ref().expect("they were asked for");
        assert_eq!(alignments.len(), expected.len());
        for (place, ops) in expected.iter().zip(alignments) {
            let pattern = &patterns[place.pattern as usize];
            let pattern = match place.strand {
                Strand::Forward => pattern.clone(),
                Strand::Reverse => reverse_complement(pattern).expect("it is DNA"),
            };
            let text = &texts[place.text as usize];
            let piece = &text[place.start as usize..place.end as usize];
            let (before, after) = (place.before as usize, place.after as usize);
            let pattern = &pattern[before..pattern.len() - after];
            let (mut i, mut j, mut cost) = (0, 0, self.outside(before) + self.outside(after));
            let mut edits = [0; 2];
            for &(op, count) in ops {
                let (in_pattern, in_text) = (op != Op::Delete, op != Op::Insert);
                for step in 0..count {
                    if in_pattern && in_text {
                        let is_equal = self.matches(pattern[i + step], piece[j + step]);
                        assert_eq!(is_equal, op == Op::Equal, "{place:?} {ops:?}\n{}", shown());
                    }
                }
                i += if in_pattern { count } else { 0 };
                j += if in_text { count } else { 0 };
                cost += if op == Op::Equal { 0 } else { count as u64 };
                match op {
                    Op::Equal => {}
                    Op::Substitute => edits[0] += count as u64,
                    Op::Insert | Op::Delete => edits[1] += count as u64,
                }
            }
            for (edits, max) in edits
                .into_iter()
                .zip([self.max_substitutions, self.max_gaps])
            {
                assert!(
                    max.is_none_or(|max| edits <= max),
                    "{place:?} {ops:?}\n{}",
                    shown()
                );
            }
            assert_eq!((i, j), (pattern.len(), piece.len()), "{place:?} {ops:?}");
            assert_eq!(
                cost,
                u64::from(place.cost),
                "{place:?} {ops:?}\n{}",
                shown()
            );
        }
        expected.len()
    }
}
