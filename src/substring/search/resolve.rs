//! Classes of equal windows: grouping, extension and refinement of survivors.

use std::collections::HashMap;
use std::ops::Range;

use super::filter::Survivor;
use super::verify::{TextPosition, common_prefix, common_suffix};
use crate::host::parallel::{concat, map_ranges, range_len, sort_unstable};
use crate::substring::query::SubstringQuery;
use crate::substring::texts::Code;

/// Budget of [`refine`] in symbols: `REFINE_BUDGET` plus `REFINE_BUDGET_PER_SYMBOL` per symbol of
/// the texts, at most `MAX_REFINE_BUDGET`.
const REFINE_BUDGET: u64 = 1 << 22;
const REFINE_BUDGET_PER_SYMBOL: u64 = 8;
const MAX_REFINE_BUDGET: u64 = 1 << 27;
/// Number of classes to extend.
const EXTENDED_CLASSES: usize = 1 << 12;
/// Budget of [`extended`] in symbol comparisons, besides a multiple of the texts.
const EXTEND_BUDGET: u64 = 1 << 24;
/// Survivors grouped per task.
const TASK_SURVIVORS: usize = 1 << 10;

/// Groups survivors by key and keeps classes of enough texts. Classes are ordered by key, places
/// within a class by text and position.
pub(crate) fn classes(list: Vec<Survivor>, inputs: usize) -> Vec<Vec<TextPosition>> {
    let mut list = list;
    sort_unstable(&mut list);
    let of_key = |survivors: &[Survivor]| -> Option<Vec<TextPosition>> {
        let places = || {
            survivors
                .iter()
                .map(|survivor| (survivor.text, survivor.position))
        };
        in_enough(places(), inputs).then(|| places().collect())
    };
    // The first place from `place` on where a key begins.
    let key_from = |place: usize| {
        let is_last_key = |survivor: &Survivor| place > 0 && survivor.key == list[place - 1].key;
        place + list[place..].partition_point(is_last_key)
    };
    let of_range = |range: Range<usize>| -> Vec<_> {
        let list = &list[key_from(range.start)..key_from(range.end)];
        let keys = list.chunk_by(|one, two| one.key == two.key);
        keys.filter_map(of_key).collect()
    };
    concat(map_ranges(list.len(), TASK_SURVIVORS, of_range))
}

/// True if sorted places lie in at least `inputs` texts.
fn in_enough(class: impl Iterator<Item = TextPosition>, inputs: usize) -> bool {
    let (mut found, mut last) = (0, None);
    for (text, _) in class {
        found += usize::from(last.replace(text) != Some(text));
        if found == inputs {
            return true;
        }
    }
    false
}

/// Length of the longest common substring found by extending a sample of the classes: per class the
/// first window of each text, and the last. 0 if no sampled class holds equal windows.
pub(super) fn extended<C: Code>(
    query: &SubstringQuery<'_, C>,
    classes: &[Vec<TextPosition>],
    length: usize,
) -> usize {
    let mut budget = EXTEND_BUDGET.saturating_add(4 * query.symbols() as u64);
    let step = classes.len().div_ceil(EXTENDED_CLASSES).max(1);
    let picked: Vec<_> = classes.iter().step_by(step).collect();
    let (first, rest) = picked.split_at(CLASSES_PER_THREAD.min(picked.len()));
    let longest_of = |classes: &[&Vec<TextPosition>], known: &mut LastMatches, budget: &mut u64| {
        classes
            .iter()
            .map(|class| extend(query, class, length, known, budget))
            .max()
            .unwrap_or(0)
    };
    // Matches of the first classes are known to all others, which share the remaining budget.
    let mut known = LastMatches::new();
    let longest = longest_of(first, &mut known, &mut budget);
    let share = budget / rest.len().div_ceil(CLASSES_PER_THREAD).max(1) as u64;
    let others = map_ranges(rest.len(), CLASSES_PER_THREAD, |range| {
        let mut share = share;
        longest_of(&rest[range], &mut known.clone(), &mut share)
    });
    others.into_iter().max().unwrap_or(0).max(longest)
}

/// Classes extended by one thread.
const CLASSES_PER_THREAD: usize = 128;

/// Last match found, keyed by the offsets of its places relative to the first.
type LastMatches = HashMap<Vec<(usize, isize)>, Range<usize>>;

/// Length of the longest extension of a class's first and last windows; 0 if the windows
/// differ, both are part of a known match, or the budget is spent.
fn extend<C: Code>(
    query: &SubstringQuery<'_, C>,
    class: &[TextPosition],
    length: usize,
    known: &mut LastMatches,
    budget: &mut u64,
) -> usize {
    let mut longest = 0;
    for last in [false, true] {
        let mut places: Vec<TextPosition> = class
            .chunk_by(|one, two| one.0 == two.0)
            .take(query.inputs)
            .filter_map(|places| if last { places.last() } else { places.first() }.copied())
            .collect();
        let first = places[0];
        let distances = places
            .iter()
            .map(|&(text, place)| (text, place as isize - first.1 as isize))
            .collect();
        places.remove(0);
        let known = known.entry(distances).or_default();
        if known.contains(&first.1) || *budget == 0 {
            continue;
        }
        let text = query.texts[first.0];
        let others = || {
            places
                .iter()
                .map(|&(text, place)| query.texts[text].split_at(place))
        };
        let (before, behind) = text.split_at(first.1);
        let right = others()
            .map(|(_, other)| common_prefix(behind, other))
            .min()
            .unwrap_or(0);
        *budget = budget.saturating_sub(right as u64);
        if right < length {
            continue;
        }
        let left = others()
            .map(|(other, _)| common_suffix(before, other))
            .min()
            .unwrap_or(0);
        *budget = budget.saturating_sub(left as u64);
        *known = first.1 - left..first.1 + right;
        longest = longest.max(left + right);
    }
    longest
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refined {
    /// The greatest length, and its classes.
    Longest(usize, Vec<Vec<TextPosition>>),
    /// Length of a known common substring; further refinement exceeds the budget.
    AtLeast(usize),
}

/// Extends non-empty classes of equal windows to the greatest length at which one still occurs in
/// enough texts. `at_least` is the length of a known common substring.
pub(super) fn refine<C: Code>(
    query: &SubstringQuery<'_, C>,
    classes: Vec<Vec<TextPosition>>,
    length: usize,
    at_least: usize,
) -> Refined {
    let (mut classes, mut length) = (classes, length);
    let budget = REFINE_BUDGET + REFINE_BUDGET_PER_SYMBOL * query.symbols() as u64;
    let budget = budget.min(MAX_REFINE_BUDGET);
    let mut step = at_least.saturating_sub(length).max(1);
    // The shortest length known to have no class.
    let mut too_long = None;
    loop {
        let cost =
            |class: &Vec<TextPosition>| class.len() as u64 * u64::from(class.len().ilog2() + 1);
        let cost: u64 = classes.iter().map(cost).sum();
        if cost.saturating_mul(step as u64) > budget {
            return Refined::AtLeast(length.max(at_least));
        }
        let split_range = |range: Range<usize>| -> Vec<_> {
            let split = |class: &Vec<_>| split(query, class, length, step);
            classes[range].iter().flat_map(split).collect()
        };
        let refined = concat(map_ranges(
            classes.len(),
            range_len(classes.len(), 1),
            split_range,
        ));
        if refined.is_empty() {
            too_long = Some(length + step)
        } else {
            (classes, length) = (refined, length + step)
        }
        step = too_long.map_or(step * 2, |too_long| (too_long - length) / 2);
        if step == 0 {
            return Refined::Longest(length, classes);
        }
    }
}

/// Splits a class by the `step` symbols that follow; keeps the parts that occur in enough texts.
pub(crate) fn split<C: Code>(
    query: &SubstringQuery<'_, C>,
    class: &[TextPosition],
    length: usize,
    step: usize,
) -> Vec<Vec<TextPosition>> {
    let next = |&(text, position): &TextPosition| {
        query.texts[text].get(position + length..position + length + step)
    };
    let mut continued: Vec<_> = class
        .iter()
        .filter_map(|place| Some((next(place)?, *place)))
        .collect();
    continued.sort_unstable();
    let parts = continued.chunk_by(|one, two| one.0 == two.0);
    let places = parts.map(|part| part.iter().map(|&(_, place)| place).collect::<Vec<_>>());
    places
        .filter(|part| in_enough(part.iter().copied(), query.inputs))
        .collect()
}
