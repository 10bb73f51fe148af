//! Merge tree: repeatedly merges the two sequences with the longest common subsequence.
//!
//! Cost for `k` inputs: at most `k * k` LCS lengths and `k - 1` merges.

use std::cmp::Reverse;

use rayon::prelude::*;

use crate::call::control::Control;
use crate::engine::profile::{cpu as profile, speedup};
use crate::engine::{CPU, Engine};
use crate::error::Result;
use crate::lcs::{self, LcsOptions};
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::bit_parallel::cpu::SweepWork;
use crate::pairwise::bit_parallel::recurrence::Lcs;
use crate::supersequence::ScsOptions;
use crate::supersequence::solve::pair;

/// Bits per symbol assumed by the time estimate.
const PLANES: usize = 3;

/// Runs LCS calls on pairs and accumulates their costs.
pub(super) struct PairCalls<'a> {
    engine: &'a Engine,
    control: Control,
    /// Rounds begun, and the rounds of the call: each compares one sequence with all others, or
    /// merges two.
    rounds: (usize, usize),
    /// Cells computed so far, of merges, too.
    pub computed_cells: u128,
    /// Device of the last pair; a GPU once any pair has run there.
    pub device: Option<String>,
}

impl<'a> PairCalls<'a> {
    pub(super) fn new(engine: &'a Engine, inputs: usize, options: &ScsOptions) -> Self {
        Self {
            engine,
            control: options.control.clone(),
            rounds: (0, 3 * inputs),
            computed_cells: 0,
            device: None,
        }
    }

    pub(super) fn control(&self) -> &Control {
        &self.control
    }

    /// LCS length of every two inputs; the diagonal holds the lengths of the inputs.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub(super) async fn overlaps(&mut self, inputs: &[&[u32]]) -> Result<Vec<Vec<u64>>> {
        let mut overlaps = Vec::with_capacity(inputs.len());
        for (place, input) in inputs.iter().enumerate() {
            overlaps.push(self.lcs_lengths(input, &inputs[..place]).await?);
        }
        // Mirror the lower triangle.
        for i in 0..inputs.len() {
            overlaps[i].push(inputs[i].len() as u64);
            for j in i + 1..inputs.len() {
                let overlap = overlaps[j][i];
                overlaps[i].push(overlap);
            }
        }
        Ok(overlaps)
    }

    fn begin_round(&mut self) {
        self.rounds.0 += 1;
        self.control
            .set_ceiling(self.rounds.0 as f64 / self.rounds.1 as f64);
    }

    /// LCS length of one input with each of the others.
    async fn lcs_lengths(&mut self, input: &[u32], others: &[&[u32]]) -> Result<Vec<u64>> {
        self.begin_round();
        let (engine, options) = (
            self.engine,
            LcsOptions {
                control: self.control.clone(),
                ..LcsOptions::default()
            },
        );
        let longest = others
            .iter()
            .map(|other| other.len())
            .max()
            .unwrap_or_default();
        // A GPU takes one pair at a time; on the CPU each thread takes one.
        let found = match engine.device_estimate(sweep_seconds(input.len(), longest))? {
            Some(_) => {
                let mut found = Vec::with_capacity(others.len());
                for other in others {
                    found.push(lcs::solve(engine, input, other, &options).await?);
                }
                found
            }
            // Without a GPU the future never waits.
            None => {
                let solve =
                    |other: &&[u32]| pollster::block_on(lcs::solve(engine, input, other, &options));
                engine.on_threads(|| others.par_iter().map(solve).collect::<Result<Vec<_>>>())?
            }
        };
        let mut overlaps = Vec::with_capacity(found.len() + 1);
        for lcs in found {
            self.add_cost(lcs.run.computed_cells, lcs.run.device);
            overlaps.push(lcs.length);
        }
        Ok(overlaps)
    }

    async fn merge(&mut self, a: &[u32], b: &[u32]) -> Result<Vec<u32>> {
        self.begin_round();
        let options = ScsOptions {
            path: true,
            control: self.control.clone(),
            ..ScsOptions::default()
        };
        let merged = pair(self.engine, a, b, &options).await?;
        self.add_cost(merged.run.computed_cells, merged.run.device);
        merged.supersequence.unwrap_or_default().symbols(&[a, b])
    }

    fn add_cost(&mut self, computed_cells: u128, device: String) {
        self.computed_cells += computed_cells;
        if self.device.as_deref().is_none_or(|known| known == CPU) {
            self.device = Some(device);
        }
    }
}

/// Seconds of one table on one thread.
fn sweep_seconds(rows: usize, cols: usize) -> f64 {
    SweepWork {
        rows,
        cols,
        planes: PLANES,
        band: Band::WHOLE,
        threads: 1,
    }
    .seconds::<Lcs>(false)
}

/// Estimated CPU seconds of the comparisons of all pairs and, with `merged`, of the intermediate
/// merges.
pub(super) fn seconds(inputs: &[&[u32]], merged: bool, threads: usize) -> f64 {
    let pair = |a: &[u32], b: &[u32]| {
        let small = a.len() as f64 * b.len() as f64 / profile::PAIR_CELLS_PER_SECOND;
        profile::PAIR_SECONDS
            + small.min(profile::TABLE_CALL_SECONDS + sweep_seconds(a.len(), b.len()))
    };
    let pairs = inputs
        .iter()
        .enumerate()
        .flat_map(|(place, a)| inputs[..place].iter().map(|b| pair(a, b)));
    let compared =
        pairs.sum::<f64>() / speedup(threads) + inputs.len() as f64 * profile::WAKING_SECONDS;
    if merged {
        compared * profile::MERGE_TREE_TIMES
    } else {
        compared
    }
}

/// Device expected to compare the inputs: a GPU if any pair goes there. `merged` includes the paths
/// of pairs. Intermediate merges are longer and may use a GPU even if no pair of inputs does.
///
/// # Errors
/// As [`Engine::plan`].
pub(super) async fn planned_device(
    engine: &Engine,
    inputs: &[&[u32]],
    merged: bool,
) -> Result<String> {
    for (place, a) in inputs.iter().enumerate() {
        for b in &inputs[..place] {
            for path in [false, true].into_iter().filter(|path| merged || !path) {
                let options = LcsOptions {
                    path,
                    ..LcsOptions::default()
                };
                let plan = lcs::summarize(engine, a, b, &options).await?;
                if plan.device != CPU {
                    return Ok(plan.device);
                }
            }
        }
    }
    Ok(CPU.to_string())
}

/// A common supersequence. Ties: of pairs with equal LCS length, the one with the first inputs.
///
/// # Errors
/// As [`Engine::run`].
pub(super) async fn solve(
    inputs: &[&[u32]],
    overlaps: &[Vec<u64>],
    pairs: &mut PairCalls<'_>,
) -> Result<Vec<u32>> {
    let mut sequences: Vec<Vec<u32>> = inputs.iter().map(|input| input.to_vec()).collect();
    let mut overlaps = overlaps.to_vec();
    while sequences.len() > 1 {
        let below = overlaps
            .iter()
            .enumerate()
            .flat_map(|(j, row)| (0..j).map(move |i| (row[i], i, j)));
        let Some((_, i, j)) = below.max_by_key(|&(overlap, i, j)| (overlap, Reverse((i, j))))
        else {
            break;
        };
        let merged = pairs.merge(&sequences[i], &sequences[j]).await?;
        for place in [j, i] {
            sequences.remove(place);
            overlaps.remove(place);
            overlaps.iter_mut().for_each(|row| {
                row.remove(place);
            });
        }
        let others: Vec<&[u32]> = sequences.iter().map(|sequence| &sequence[..]).collect();
        let mut row = pairs.lcs_lengths(&merged, &others).await?;
        overlaps
            .iter_mut()
            .zip(&row)
            .for_each(|(other, &overlap)| other.push(overlap));
        row.push(merged.len() as u64);
        overlaps.push(row);
        sequences.push(merged);
    }
    Ok(sequences.pop().unwrap_or_default())
}
