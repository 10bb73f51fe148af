//! Merge tree: repeatedly merges the two sequences with the longest common subsequence.
//!
//! Cost for `k` inputs: at most `k * k` LCS lengths and `k - 1` merges.

use std::cmp::Reverse;

use crate::call::control::Control;
use crate::call::hand_over::ready;
use crate::engine::profile::{cpu as profile, speedup};
use crate::engine::{CPU, Engine};
use crate::error::Result;
use crate::host::parallel::{map_each, try_map};
use crate::lcs::{self, LcsOptions};
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::cpu::SweepWork;
use crate::sequences::bit_parallel::cpu::small::PreparedRows;
use crate::sequences::bit_parallel::recurrence::Lcs;
use crate::sequences::pair::Pair;
use crate::sequences::tiny::is_tiny;
use crate::sequences::typed::{SymbolPair, Typed};
use crate::supersequence::{ScsOptions, solve};

/// Bits per symbol assumed by the time estimate.
const PLANES: usize = 3;
/// Maximum match masks of an input that is compared with all others, in limbs.
const MAX_MASK_LIMBS: usize = 1 << 12;
/// Groups of inputs of similar length in the time estimate.
const GROUPS: usize = 64;
/// Longest inputs that decide on the device.
const DECIDING: usize = 32;

/// LCS lengths of every two inputs: row `j` has those with the inputs before it.
pub(super) type Overlaps = Vec<Vec<u64>>;

/// Bytes of [`Overlaps`].
pub(super) fn overlap_bytes(inputs: usize) -> u128 {
    (inputs as u128 * (inputs as u128 + 5)) / 2 * size_of::<u64>() as u128
}

/// Runs LCS calls on pairs and accumulates their costs.
pub(super) struct PairCalls<'a> {
    engine: &'a Engine,
    control: Control,
    /// Number of distinct codes.
    codes: usize,
    /// Rounds begun, and the rounds of the call: each compares one sequence with all others, or
    /// merges two.
    rounds: (usize, usize),
    /// Cells computed so far, of merges, too.
    pub computed_cells: u128,
    /// Device of the last pair; a GPU once any pair has run there.
    pub device: Option<String>,
}

impl<'a> PairCalls<'a> {
    pub(super) fn new(engine: &'a Engine, inputs: usize, codes: usize, control: &Control) -> Self {
        Self {
            engine,
            control: control.clone(),
            codes,
            rounds: (0, 3 * inputs),
            computed_cells: 0,
            device: None,
        }
    }

    /// LCS lengths of every two inputs.
    pub(super) async fn overlaps(&mut self, inputs: &[&[u32]]) -> Result<Overlaps> {
        let longest = inputs.iter().copied().max_by_key(|input| input.len());
        if self.is_small(longest.unwrap_or_default(), inputs)? {
            self.begin_rounds(inputs.len());
            let cells = cells_of_pairs(inputs);
            self.control.add_total(reported(cells));
            let row = |index| self.small_overlaps(inputs[index], &inputs[..index]);
            let places: Vec<usize> = (0..inputs.len()).collect();
            let overlaps = self.engine.on_threads(|| map_each(places, row));
            self.add_cost(cells, CPU.to_string());
            return overlaps.into_iter().collect();
        }
        let mut overlaps = Vec::with_capacity(inputs.len());
        for (index, input) in inputs.iter().enumerate() {
            overlaps.push(self.lcs_lengths(input, &inputs[..index]).await?);
        }
        Ok(overlaps)
    }

    fn begin_rounds(&mut self, count: usize) {
        self.rounds.0 += count;
        self.control
            .set_ceiling(self.rounds.0 as f64 / self.rounds.1 as f64);
    }

    /// Returns `true` if the calling thread compares the input with each of the others in less time
    /// than a call takes.
    fn is_small(&self, input: &[u32], others: &[&[u32]]) -> Result<bool> {
        let longest = others.iter().map(|other| other.len()).max().unwrap_or(0);
        Ok(input.len().div_ceil(64) * self.codes <= MAX_MASK_LIMBS
            && is_tiny(input.len(), longest)
            && !self.engine.names_gpu()?)
    }

    /// LCS lengths of one input with each of the others, on this thread.
    fn small_overlaps(&self, input: &[u32], others: &[&[u32]]) -> Result<Vec<u64>> {
        self.control.check()?;
        let rows = PreparedRows::new(input.iter().map(|&code| code as usize), self.codes);
        let lengths = others
            .iter()
            .map(|other| rows.last_value::<Lcs>(other.iter().map(|&code| code as usize)) as u64);
        let lengths = lengths.collect();
        self.control.add_done(reported(cells(input, others)));
        Ok(lengths)
    }

    /// LCS length of one input with each of the others.
    async fn lcs_lengths(&mut self, input: &[u32], others: &[&[u32]]) -> Result<Vec<u64>> {
        self.begin_rounds(1);
        if self.is_small(input, others)? {
            let cells = cells(input, others);
            self.control.add_total(reported(cells));
            let parts: Vec<&[&[u32]]> = others.chunks(OTHERS_PER_TASK).collect();
            let row = |others: &[&[u32]]| self.small_overlaps(input, others);
            let found = match parts.len() {
                0 | 1 => map_each(parts, row),
                _ => self.engine.on_threads(|| map_each(parts, row)),
            };
            self.add_cost(cells, CPU.to_string());
            let found: Vec<_> = found.into_iter().collect::<Result<_>>()?;
            return Ok(found.concat());
        }
        let (engine, options) = (
            self.engine,
            LcsOptions {
                control: self.control.clone(),
                ..LcsOptions::default()
            },
        );
        let longest = others.iter().copied().max_by_key(|other| other.len());
        let longest = longest.unwrap_or_default();
        let planned = lcs::plan(engine, numbers(input, longest), &LcsOptions::default())?;
        // A GPU takes one pair at a time; on the CPU each thread of the pool takes one.
        let found = if planned.device == CPU {
            let on_cpu = engine.on_cpu();
            let solve = |other: usize| {
                let pair = numbers(input, others[other]);
                ready(lcs::solve(&on_cpu, pair, &options))
            };
            engine.on_threads(|| try_map(others.len(), solve))?
        } else {
            let mut found = Vec::with_capacity(others.len());
            for other in others {
                found.push(lcs::solve(engine, numbers(input, other), &options).await?);
            }
            found
        };
        let mut overlaps = Vec::with_capacity(found.len());
        for lcs in found {
            self.add_cost(lcs.run.computed_cells, lcs.run.device);
            overlaps.push(lcs.answer.length);
        }
        Ok(overlaps)
    }

    async fn merge(&mut self, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
        self.begin_rounds(1);
        let options = ScsOptions {
            path: true,
            control: self.control.clone(),
            ..ScsOptions::default()
        };
        let merged = solve::solve(self.engine, numbers(a, b), &options).await?;
        self.add_cost(merged.run.computed_cells, merged.run.device);
        let supersequence = merged.answer.supersequence;
        supersequence.unwrap_or_default().symbols(&[a, b])
    }

    fn add_cost(&mut self, computed_cells: u128, device: String) {
        self.computed_cells += computed_cells;
        if self.device.as_deref().is_none_or(|known| known == CPU) {
            self.device = Some(device);
        }
    }
}

/// Inputs per task of a comparison with all others.
const OTHERS_PER_TASK: usize = 512;

fn cells(input: &[u32], others: &[&[u32]]) -> u128 {
    let symbols: u128 = others.iter().map(|other| other.len() as u128).sum();
    input.len() as u128 * symbols
}

/// Cells of the tables of all pairs.
pub(super) fn cells_of_pairs(inputs: &[&[u32]]) -> u128 {
    let lens = || inputs.iter().map(|input| input.len() as u128);
    let squares: u128 = lens().map(|len| len.pow(2)).sum();
    (lens().sum::<u128>().pow(2) - squares) / 2
}

/// Cells as progress counts them.
fn reported(cells: u128) -> u64 {
    u64::try_from(cells).unwrap_or(u64::MAX)
}

/// Seconds of one table on one thread.
fn sweep_seconds(rows: usize, cols: usize) -> f64 {
    SweepWork {
        rows,
        cols,
        planes: PLANES,
        sets: false,
        band: Band::WHOLE,
        threads: 1,
    }
    .seconds::<Lcs>()
}

/// Estimated CPU seconds of the comparisons of all pairs and, with `merged`, of the intermediate
/// merges. Many inputs are estimated as groups of equal length.
pub(super) fn seconds(inputs: &[&[u32]], merged: bool, threads: usize) -> f64 {
    let pair = |a: usize, b: usize| {
        let small = a as f64 * b as f64 / profile::SMALL_CELLS_PER_SECOND;
        let sweep = profile::TABLE_CALL_SECONDS + sweep_seconds(a, b);
        if is_tiny(a, b) {
            profile::SMALL_PAIR_SECONDS + small
        } else {
            profile::PAIR_SECONDS + small.min(sweep)
        }
    };
    let mut lens: Vec<usize> = inputs.iter().map(|input| input.len()).collect();
    lens.sort_unstable();
    let groups: Vec<(usize, f64)> = lens
        .chunks(lens.len().div_ceil(GROUPS).max(1))
        .map(|group| {
            (
                group.iter().sum::<usize>() / group.len(),
                group.len() as f64,
            )
        })
        .collect();
    let mut compared = inputs.len() as f64 * profile::THREAD_SECONDS;
    for (index, &(a, count)) in groups.iter().enumerate() {
        let mut seconds = (count - 1.0) / 2.0 * pair(a, a);
        for &(b, others) in &groups[..index] {
            seconds += others * pair(a, b);
        }
        compared += count * seconds / speedup(threads);
    }
    if merged {
        compared * profile::MERGE_TREE_TIMES
    } else {
        compared
    }
}

fn numbers<'a>(a: &'a [u32], b: &'a [u32]) -> SymbolPair<'a> {
    Typed::Numbers(Pair::new(a, b))
}

/// Device expected to compare the inputs: a GPU if any pair goes there. `merged` includes the paths
/// of pairs. Intermediate merges are longer and may use a GPU even if no pair of inputs does.
pub(super) fn planned_device(engine: &Engine, inputs: &[&[u32]], merged: bool) -> Result<String> {
    // Longer pairs are as likely to use one.
    let mut inputs = inputs.to_vec();
    inputs.sort_by_key(|input| Reverse(input.len()));
    inputs.truncate(DECIDING);
    for (index, a) in inputs.iter().enumerate() {
        for b in &inputs[..index] {
            for path in [false, true].into_iter().filter(|path| merged || !path) {
                let options = LcsOptions {
                    path,
                    ..LcsOptions::default()
                };
                let plan = lcs::plan(engine, numbers(a, b), &options)?;
                if plan.device != CPU {
                    return Ok(plan.device);
                }
            }
        }
    }
    Ok(CPU.to_string())
}

/// A common supersequence. Ties: of pairs with equal LCS length, the one with the first inputs.
/// Merged sequences follow the inputs, in order of their creation.
pub(super) async fn solve(
    inputs: &[&[u32]],
    overlaps: Overlaps,
    pairs: &mut PairCalls<'_>,
) -> Result<Vec<u32>> {
    let mut forest = Forest::new(inputs, overlaps);
    while let Some((i, j)) = forest.best_pair() {
        let merged = pairs
            .merge(&forest.sequences[i], &forest.sequences[j])
            .await?;
        forest.remove(i, j);
        let others: Vec<&[u32]> = (forest.active.iter())
            .map(|&other| &forest.sequences[other][..])
            .collect();
        let overlaps = pairs.lcs_lengths(&merged, &others).await?;
        forest.add(i, merged, &overlaps);
    }
    let last = forest.active.first().copied();
    Ok(last.map_or(Vec::new(), |last| forest.sequences.swap_remove(last)))
}

/// Sequences still to merge. A merged sequence takes the place of one of its parts.
struct Forest {
    sequences: Vec<Vec<u32>>,
    overlaps: Overlaps,
    /// Places in use, in order of age.
    active: Vec<usize>,
    /// Creation number of the sequence at each place.
    age: Vec<usize>,
    /// Greatest overlap of the sequence at each place with an older one, and that one's place.
    best: Vec<Option<(u64, usize)>>,
}

impl Forest {
    fn new(inputs: &[&[u32]], overlaps: Overlaps) -> Self {
        let count = inputs.len();
        let mut forest = Self {
            sequences: inputs.iter().map(|input| input.to_vec()).collect(),
            overlaps,
            active: (0..count).collect(),
            age: (0..count).collect(),
            best: vec![None; count],
        };
        (0..count).for_each(|index| forest.find_best(index));
        forest
    }

    /// The pair with the greatest overlap, the older first; the oldest of equal pairs.
    fn best_pair(&self) -> Option<(usize, usize)> {
        let best = |&j: &usize| self.best[j].map(|(overlap, i)| (overlap, i, j));
        let pairs = self.active.iter().filter_map(best);
        let (_, i, j) =
            pairs.max_by_key(|&(overlap, i, j)| (overlap, Reverse((self.age[i], self.age[j]))))?;
        Some((i, j))
    }

    fn overlap(&self, one: usize, other: usize) -> u64 {
        self.overlaps[one.max(other)][one.min(other)]
    }

    fn find_best(&mut self, index: usize) {
        let older = self.active.iter().take_while(|&&other| other != index);
        self.best[index] = older
            .map(|&other| (self.overlap(index, other), other))
            .max_by_key(|&(overlap, other)| (overlap, Reverse(self.age[other])));
    }

    fn remove(&mut self, i: usize, j: usize) {
        self.active.retain(|&index| index != i && index != j);
        self.sequences[i] = Vec::new();
        self.sequences[j] = Vec::new();
        for index in self.active.clone() {
            if self.best[index].is_some_and(|(_, other)| other == i || other == j) {
                self.find_best(index);
            }
        }
    }

    /// Adds a sequence with its overlaps with the active ones.
    fn add(&mut self, index: usize, sequence: Vec<u32>, overlaps: &[u64]) {
        for (&other, &overlap) in self.active.iter().zip(overlaps) {
            self.overlaps[index.max(other)][index.min(other)] = overlap;
        }
        self.age[index] = self.active.last().map_or(0, |&last| self.age[last]) + 1;
        self.sequences[index] = sequence;
        self.active.push(index);
        self.find_best(index);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lcs::reference;
    use crate::sequences::bit_parallel::inputs::Random;

    /// Compares every two sequences again before each merge.
    fn merged_in_turn(inputs: &[&[u32]], pairs: &mut PairCalls<'_>) -> Vec<u32> {
        let mut all: Vec<Vec<u32>> = inputs.iter().map(|input| input.to_vec()).collect();
        while all.len() > 1 {
            let places = (0..all.len()).flat_map(|j| (0..j).map(move |i| (i, j)));
            let (i, j) = places
                .max_by_key(|&(i, j)| (reference::length(&all[i], &all[j]), Reverse((i, j))))
                .expect("two are left");
            let merged = pollster::block_on(pairs.merge(&all[i], &all[j])).expect("it fits");
            all.remove(j);
            all.remove(i);
            all.push(merged);
        }
        all.pop().unwrap_or_default()
    }

    #[test]
    fn merge_tree_matches_comparisons_before_each_merge() {
        let engine = Engine::cpu();
        let mut random = Random::new(81);
        for (count, len, letters) in [(1, 5, 2), (2, 9, 2), (12, 20, 2), (25, 12, 4), (9, 90, 3)] {
            let inputs: Vec<Vec<u32>> = (0..count)
                .map(|_| {
                    let len = 1 + random.below(len);
                    random.codes(len, letters)
                })
                .collect();
            let inputs: Vec<&[u32]> = inputs.iter().map(Vec::as_slice).collect();
            let codes = 1 + letters as usize;
            let mut pairs = PairCalls::new(&engine, inputs.len(), codes, &Control::default());
            let overlaps = pollster::block_on(pairs.overlaps(&inputs)).expect("not cancelled");
            for (j, row) in overlaps.iter().enumerate() {
                let expected = (0..j).map(|i| reference::length(inputs[i], inputs[j]));
                assert!(row.iter().copied().eq(expected), "row {j} of {count}");
            }
            let found = pollster::block_on(solve(&inputs, overlaps, &mut pairs));
            assert_eq!(
                found.expect("not cancelled"),
                merged_in_turn(&inputs, &mut pairs),
                "{count} inputs, up to {len} symbols"
            );
        }
    }
}
