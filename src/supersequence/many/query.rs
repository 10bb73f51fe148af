//! The query of several inputs, and its ways to answer: the exact table if it is affordable, then
//! the merge tree if all pairs can be compared, then the majority merge.

use std::collections::HashSet;

use super::merge_tree::{self, Overlaps, PairCalls, cells_of_pairs};
use super::{majority_merge, reduction, table};
use crate::call::phase::Phase;
use crate::engine::placement::{AUTO, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::{Device, Engine, profile};
use crate::error::Result;
use crate::host::parallel::map;
use crate::path_mode::PathMode;
use crate::sequences::affixes::Stripped;
use crate::supersequence::witness::{Placement, Supersequence};
use crate::supersequence::{Method, ScsOptions};

/// Maximum inputs that are compared in pairs, unless [`Method::MergeTree`] is requested: 8 million
/// pairs, which take a few seconds for short reads.
const MAX_PAIRED_INPUTS: usize = 1 << 12;
/// Maximum steps of the exact table for [`Method::Auto`]: a few seconds.
const MAX_EXACT_STEPS: u128 = 1 << 31;

/// A query of several inputs, in codes.
pub(super) struct SeveralQuery<'a> {
    method: Method,
    path: bool,
    codes: &'a [Vec<u32>],
    /// Number of distinct codes.
    letters: usize,
    /// Two inputs of the exact table.
    stripped: Option<Stripped<'a, u32>>,
    /// Inputs that are not contained in others, or the sides of `stripped`.
    pub kept: Vec<&'a [u32]>,
    /// Whether the exact table was requested, or is affordable.
    is_exact: bool,
    /// Whether the LCS of all pairs is computed.
    pub compares_pairs: bool,
}

/// Answer of a way.
pub(super) struct Merged {
    pub supersequence: Supersequence,
    /// Lower bound of the length.
    pub bound: u64,
    pub method: Method,
    /// Device of the pairs; `None` if none was compared.
    pub device: Option<String>,
}

impl<'a> SeveralQuery<'a> {
    pub(super) fn new(
        engine: &Engine,
        codes: &'a [Vec<u32>],
        letters: usize,
        options: &ScsOptions,
    ) -> Self {
        let method = options.method;
        let stripped = match codes {
            [a, b] if method == Method::KDimensional => Some(Stripped::new(&a[..], b)),
            _ => None,
        };
        let kept = match &stripped {
            Some(stripped) => vec![stripped.rows, stripped.cols],
            None => engine.on_threads(|| maximal(codes)),
        };
        let within_host = |bytes: u128| bytes <= u128::from(engine.host_budget());
        let cells = cells(&kept);
        let steps = cells.saturating_mul((kept.len() as u128).pow(2));
        let is_affordable = within_host(cells.saturating_mul(4)) && steps <= MAX_EXACT_STEPS;
        let is_exact = method == Method::KDimensional || method == Method::Auto && is_affordable;
        let pairs_fit =
            kept.len() <= MAX_PAIRED_INPUTS && within_host(merge_tree::overlap_bytes(kept.len()));
        Self {
            method,
            path: options.path,
            codes,
            letters,
            stripped,
            kept,
            is_exact,
            compares_pairs: !is_exact && (method == Method::MergeTree || pairs_fit),
        }
    }

    fn code_bytes(&self) -> u64 {
        4 * self
            .codes
            .iter()
            .map(|input| input.len() as u64)
            .sum::<u64>()
    }

    /// Cost of the comparisons of all pairs and, with `merged`, of the merges.
    fn cost_of_pairs(&self, engine: &Engine, merged: bool) -> Cost {
        let count = self.kept.len() as u64;
        let pairs = count * count.saturating_sub(1) / 2;
        Cost {
            path_mode: PathMode::Pairs.if_path(self.path),
            strips: pairs,
            passes: pairs,
            host_bytes: self.code_bytes(),
            ..Cost::new(merge_tree::seconds(&self.kept, merged, engine.threads()))
        }
    }

    fn cost_of_table(&self, engine: &Engine) -> Result<Cost> {
        let cells = cells(&self.kept);
        let bytes = cells.saturating_mul(4);
        engine.check_host_budget("the table of the method 'k-dimensional'", bytes)?;
        let steps = cells as f64 * (self.kept.len() as f64).powi(2);
        let seconds = cells as f64 * profile::cpu::SEVERAL_CELL_SECONDS
            + steps * profile::cpu::SEVERAL_STEP_SECONDS;
        Ok(Cost {
            path_mode: PathMode::Table.if_path(self.path),
            host_bytes: bytes as u64 + self.code_bytes(),
            ..Cost::new(seconds)
        })
    }

    fn cost_of_majority_merge(&self) -> Cost {
        // Unrelated inputs of few letters.
        let longest = self.kept.iter().map(|input| input.len()).max();
        let steps = merged_cells(&self.kept, longest.unwrap_or(0) * self.letters.min(4));
        Cost {
            path_mode: PathMode::Pairs.if_path(self.path),
            host_bytes: self.code_bytes(),
            ..Cost::new(steps as f64 * profile::cpu::MAJORITY_STEP_SECONDS)
        }
    }

    /// The result of the exact table.
    fn fill(&self, call: &Call<'_>) -> Result<Answered<Merged>> {
        let supersequence = match (&self.stripped, self.codes) {
            (Some(stripped), [a, b]) => {
                let shared = table::shared(stripped.rows, stripped.cols, call.control)?;
                let shared = stripped.with_affixes(shared.0);
                Supersequence::merge(shared.as_slice(), a.len(), b.len())
            }
            _ => {
                let symbols = table::solve(&self.kept, call.control)?;
                call.engine.on_threads(|| embed(&symbols, self.codes))
            }
        };
        Ok(Answered {
            path_mode: PathMode::Table.if_path(self.path),
            computed_cells: cells(&self.kept),
            answer: Merged {
                bound: supersequence.len(),
                supersequence,
                method: Method::KDimensional,
                device: None,
            },
        })
    }

    /// The shortest reduced result of these heuristics; the first wins ties.
    async fn merge(&self, call: &Call<'_>, methods: &[Method]) -> Result<Answered<Merged>> {
        let (engine, inputs) = (call.engine, &self.kept[..]);
        let mut pairs = PairCalls::new(engine, inputs.len(), self.letters, call.control);
        call.control.set_phase(Phase::Sweep);
        let mut overlaps = Overlaps::new();
        if self.compares_pairs {
            overlaps = pairs.overlaps(inputs).await?;
        }
        call.phases.lap(Phase::Pairs);
        let bound = bound(inputs, self.letters, &overlaps);
        let mut best: Option<(Vec<u32>, Method)> = None;
        for &method in methods {
            let found = if method == Method::MergeTree {
                merge_tree::solve(inputs, std::mem::take(&mut overlaps), &mut pairs).await?
            } else {
                call.control.set_ceiling(1.0);
                majority_merge::solve(inputs, call.control)?
            };
            let limit = engine.host_budget();
            let found = engine.on_threads(|| reduction::reduce(found, inputs, limit));
            if best
                .as_ref()
                .is_none_or(|(best, _)| found.len() < best.len())
            {
                best = Some((found, method));
            }
        }
        let (symbols, method) = best.unwrap_or_default();
        Ok(Answered {
            path_mode: PathMode::Pairs.if_path(self.path),
            computed_cells: if self.compares_pairs {
                pairs.computed_cells
            } else {
                merged_cells(inputs, symbols.len())
            },
            answer: Merged {
                supersequence: engine.on_threads(|| embed(&symbols, self.codes)),
                bound,
                method,
                device: pairs.device,
            },
        })
    }
}

impl Ways for SeveralQuery<'_> {
    type Answer = Merged;

    fn requested(&self) -> &'static str {
        self.method.name()
    }

    fn cells(&self) -> u128 {
        if self.is_exact {
            cells(&self.kept)
        } else {
            cells_of_pairs(&self.kept)
        }
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        match round {
            0 => vec![&Method::KDimensional],
            1 => vec![&Method::MergeTree],
            2 => vec![&Method::MajorityMerge],
            _ => Vec::new(),
        }
    }

    /// Pairs are placed one by one.
    fn may_use_gpu(&self, _: &Engine) -> bool {
        false
    }
}

impl Way<SeveralQuery<'_>> for Method {
    fn method(&self) -> &'static str {
        self.name()
    }

    fn on_cpu(&self, engine: &Engine, query: &SeveralQuery<'_>) -> Result<Option<Cost>> {
        Ok(match self {
            Method::KDimensional if query.is_exact => Some(query.cost_of_table(engine)?),
            Method::MergeTree if query.compares_pairs => {
                let bytes = merge_tree::overlap_bytes(query.kept.len());
                engine.check_host_budget("the comparison of all pairs of inputs", bytes)?;
                Some(query.cost_of_pairs(engine, true))
            }
            Method::MajorityMerge if query.compares_pairs => {
                Some(query.cost_of_pairs(engine, false))
            }
            Method::MajorityMerge => Some(query.cost_of_majority_merge()),
            _ => None,
        })
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut SeveralQuery<'_>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, Merged> {
        let is_automatic = query.requested() == AUTO;
        Box::pin(async move {
            let answered = match self {
                Method::KDimensional => query.fill(call)?,
                // The shorter result of both.
                Method::MergeTree if is_automatic => {
                    let both = [Method::MergeTree, Method::MajorityMerge];
                    query.merge(call, &both).await?
                }
                &method => query.merge(call, &[method]).await?,
            };
            Ok(Some(answered))
        })
    }
}

/// Steps of a majority merge, from both ends.
fn merged_cells(kept: &[&[u32]], symbols: usize) -> u128 {
    2 * kept.len() as u128 * symbols as u128
}

/// Cells of the k-dimensional table.
fn cells(inputs: &[&[u32]]) -> u128 {
    inputs.iter().fold(1, |cells: u128, input| {
        cells.saturating_mul(input.len() as u128 + 1)
    })
}

/// Drops inputs that are subsequences of another; of equal inputs the first stays. Of more than
/// [`MAX_PAIRED_INPUTS`] only equal ones are dropped.
fn maximal(inputs: &[Vec<u32>]) -> Vec<&[u32]> {
    let mut seen = HashSet::new();
    let mut inputs: Vec<&[u32]> = inputs.iter().map(|input| &input[..]).collect();
    inputs.retain(|&input| seen.insert(input));
    if inputs.len() > MAX_PAIRED_INPUTS {
        return inputs;
    }
    let is_subsequence = |part: &[u32], whole: &[u32]| {
        let mut rest = whole.iter();
        part.iter().all(|symbol| rest.any(|other| other == symbol))
    };
    let is_needed = |place: usize| {
        let input = inputs[place];
        let mut longer = inputs.iter().filter(|other| other.len() > input.len());
        !longer.any(|other| is_subsequence(input, other))
    };
    let needed = map(inputs.len(), is_needed);
    let inputs = inputs.into_iter().zip(needed);
    inputs
        .filter_map(|(input, needed)| needed.then_some(input))
        .collect()
}

/// Lower bound: the longest SCS of two inputs if all are compared, or the sum of maximum symbol
/// counts, which is at least the longest input.
fn bound(inputs: &[&[u32]], letters: usize, overlaps: &[Vec<u64>]) -> u64 {
    let both = |i: usize, j: usize| (inputs[i].len() + inputs[j].len()) as u64 - overlaps[i][j];
    let pairs = (0..overlaps.len())
        .flat_map(|i| (0..i).map(move |j| (i, j)))
        .map(|(i, j)| both(i, j))
        .max();
    let (mut max_counts, mut counts) = (vec![0u64; letters], vec![0u64; letters]);
    for input in inputs {
        for &symbol in *input {
            let (count, max_count) = (
                &mut counts[symbol as usize],
                &mut max_counts[symbol as usize],
            );
            *count += 1;
            *max_count = (*max_count).max(*count);
        }
        input.iter().for_each(|&symbol| counts[symbol as usize] = 0);
    }
    max_counts
        .iter()
        .sum::<u64>()
        .max(pairs.unwrap_or_default())
}

/// Leftmost embeddings into `symbols`; positions that none uses are removed.
fn embed(symbols: &[u32], inputs: &[Vec<u32>]) -> Supersequence {
    let places = |symbols: &[u32]| -> Vec<Vec<usize>> {
        map(inputs.len(), |input| {
            let mut rest = inputs[input].iter().peekable();
            let taken = symbols
                .iter()
                .enumerate()
                .filter(|(_, symbol)| rest.next_if(|next| next == symbol).is_some());
            taken.map(|(index, _)| index).collect()
        })
    };
    let mut needed = vec![false; symbols.len()];
    places(symbols)
        .iter()
        .flatten()
        .for_each(|&index| needed[index] = true);
    let kept: Vec<u32> = symbols
        .iter()
        .zip(needed)
        .filter(|(_, needed)| *needed)
        .map(|(&symbol, _)| symbol)
        .collect();
    let runs = |places: Vec<usize>| {
        let mut runs: Vec<Placement> = Vec::new();
        for (input, at) in places.into_iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.at + run.len == at => run.len += 1,
                _ => runs.push(Placement { input, at, len: 1 }),
            }
        }
        runs
    };
    Supersequence::new(kept.len(), places(&kept).into_iter().map(runs).collect())
}
