//! Several inputs: exact where the table is small, otherwise the better of two heuristics with a
//! lower bound.
//!
//! The problem is NP-hard in the number of inputs (Maier 1978, doi:10.1145/322063.322075). Inputs
//! that are subsequences of others are removed first. Heuristics: a merge tree, and the weighted
//! majority merge (Jiang and Li 1995, doi:10.1137/S009753979223842X, with the weights of Branke et
//! al. 1998). Both results are reduced: symbols that no input needs are dropped (Ning and Leong
//! 2006, doi:10.1186/1471-2105-7-S4-S12). Lower bounds: the SCS of any two inputs, and the sum over
//! symbols of the maximum count in an input. A heuristic result that meets a bound is exact.
//!
//! The comparisons of all pairs grow with the square of the number of inputs. With more than
//! [`MAX_PAIRED_INPUTS`] the majority merge and the second bound are used alone, and only equal
//! inputs are removed.

mod majority_merge;
mod merge_tree;
mod reduction;
mod table;

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use super::solve::pair;
use super::summary::{self, blank};
use super::witness::{Placement, Supersequence};
use super::{Method, PlanSummary, Run, ScsOptions, Solved};
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::profile::cpu;
use crate::engine::{CPU, Engine};
use crate::error::{Error, Result};
use crate::host::parallel::map;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::codes::Symbol;
use crate::pairwise::typed::{Lists, for_class, slices};
use crate::path_mode::PathMode;
use merge_tree::{Overlaps, PairCalls, cells_of_pairs};

/// Maximum steps of the exact table for [`Method::Auto`]: a few seconds.
const MAX_EXACT_STEPS: u128 = 1 << 31;
/// Maximum inputs that are compared in pairs, unless [`Method::MergeTree`] is requested: 8 million
/// pairs, which take a few seconds for short reads.
const MAX_PAIRED_INPUTS: usize = 1 << 12;

const PROBLEM: &str = "supersequence";

/// Solves an [`Scs`](crate::Scs) of any number of inputs.
pub(super) fn typed(engine: &Engine, inputs: &Lists<'_>, options: &ScsOptions) -> Result<Solved> {
    for_class!(inputs, PROBLEM, |inputs| {
        pollster::block_on(solve(engine, &slices(inputs), options))
    })
}

async fn solve<S: Symbol>(
    engine: &Engine,
    inputs: &[&[S]],
    options: &ScsOptions,
) -> Result<Solved> {
    if let Some((a, b)) = two(inputs, options.method) {
        return pair(engine, a, b, options).await;
    }
    takes_several(options.method)?;
    let started = Instant::now();
    let phases = Phases::start();
    let (codes, letters) = dense(inputs);
    let stripped = stripped(&codes, options.method);
    let kept = stripped.as_ref().map_or_else(
        || engine.on_threads(|| maximal(&codes)),
        |stripped| vec![stripped.rows, stripped.cols],
    );
    phases.lap(Phase::Encode);

    let mut pairs = PairCalls::new(engine, (kept.len(), letters), options);
    let method = choose(engine, &kept, options)?;
    let is_paired = method != Method::MajorityMerge || pairs_fit(engine, &kept);
    let (supersequence, method, bound) = match (method, stripped) {
        (Method::KDimensional, Some(stripped)) => {
            let shared = table::shared(stripped.rows, stripped.cols, &options.control)?;
            let (a_len, b_len) = (codes[0].len(), codes[1].len());
            let shared = stripped.with_affixes(shared.0, a_len, b_len);
            let supersequence = Supersequence::merge(shared.as_slice(), a_len, b_len);
            let bound = supersequence.len();
            (supersequence, method, bound)
        }
        (Method::KDimensional, None) => {
            let symbols = table::solve(&kept, &options.control)?;
            let bound = symbols.len() as u64;
            let supersequence = engine.on_threads(|| embed(&symbols, &codes));
            (supersequence, method, bound)
        }
        _ => {
            options.control.set_phase(Phase::Sweep);
            let overlaps = if is_paired {
                pairs.overlaps(&kept).await?
            } else {
                Overlaps::new()
            };
            phases.lap(Phase::Pairs);
            let bound = bound(&kept, letters, &overlaps);
            let (symbols, method) = heuristic(&kept, overlaps, method, &mut pairs, engine).await?;
            if !is_paired {
                pairs.computed_cells = merged_cells(&kept, symbols.len());
            }
            let supersequence = engine.on_threads(|| embed(&symbols, &codes));
            (supersequence, method, bound)
        }
    };
    phases.lap(Phase::Sweep);
    let length = supersequence.len();
    engine.on_threads(|| supersequence.verify(inputs, length))?;
    phases.lap(Phase::Verify);
    let (cells, computed_cells) = match method {
        Method::KDimensional => (cells(&kept), cells(&kept)),
        _ => (cells_of_pairs(&kept), pairs.computed_cells),
    };
    let run = Run {
        method,
        path_mode: match (options.path, method) {
            (false, _) => PathMode::None,
            (true, Method::KDimensional) => PathMode::Table,
            (true, _) => PathMode::Pairs,
        },
        device: pairs.device.clone().unwrap_or_else(|| CPU.to_string()),
        cells,
        computed_cells,
        common_prefix: 0,
        common_suffix: 0,
        elapsed: started.elapsed(),
        phases: phases.totals(),
    };
    let supersequence = options.path.then_some(supersequence);
    Ok(Solved {
        length,
        lower_bound: bound,
        exact: bound == length,
        supersequence,
        run,
    })
}

/// Implements [`Engine::plan`] for [`Scs`](crate::Scs).
pub(super) fn plan(
    engine: &Engine,
    inputs: &Lists<'_>,
    options: &ScsOptions,
) -> Result<PlanSummary> {
    for_class!(inputs, PROBLEM, |inputs| {
        summarize(engine, &slices(inputs), options)
    })
}

fn summarize<S: Symbol>(
    engine: &Engine,
    inputs: &[&[S]],
    options: &ScsOptions,
) -> Result<PlanSummary> {
    if let Some((a, b)) = two(inputs, options.method) {
        return summary::pair(engine, a, b, options);
    }
    takes_several(options.method)?;
    let (codes, letters) = dense(inputs);
    let kept = stripped(&codes, options.method).map_or_else(
        || engine.on_threads(|| maximal(&codes)),
        |stripped| vec![stripped.rows, stripped.cols],
    );
    let method = choose(engine, &kept, options)?;
    let mut summary = match method {
        Method::KDimensional => {
            let seconds = cells(&kept) as f64 * cpu::SEVERAL_CELL_SECONDS
                + steps(&kept) as f64 * cpu::SEVERAL_STEP_SECONDS;
            let mut summary = blank(method, (1, 1), 1, 1, Duration::from_secs_f64(seconds));
            (summary.cells, summary.host_bytes) = (cells(&kept), 4 * cells(&kept) as u64);
            summary
        }
        Method::MajorityMerge if !pairs_fit(engine, &kept) => {
            // Unrelated inputs of few letters.
            let longest = kept.iter().map(|input| input.len()).max().unwrap_or(0);
            let steps = merged_cells(&kept, longest * letters.min(4));
            let seconds = steps as f64 * cpu::MAJORITY_STEP_SECONDS;
            PlanSummary {
                cells: cells_of_pairs(&kept),
                ..blank(method, (1, 1), 1, 1, Duration::from_secs_f64(seconds))
            }
        }
        _ => {
            let is_merged = method != Method::MajorityMerge;
            let time = merge_tree::seconds(&kept, is_merged, engine.threads());
            let count = kept.len() as u64;
            let passes = count * count.saturating_sub(1) / 2;
            let device = merge_tree::planned_device(engine, &kept, is_merged)?;
            PlanSummary {
                cells: cells_of_pairs(&kept),
                device,
                ..blank(
                    if is_merged { Method::MergeTree } else { method },
                    (1, 1),
                    passes,
                    passes,
                    Duration::from_secs_f64(time),
                )
            }
        }
    };
    summary.path_mode = match (options.path, method) {
        (false, _) => PathMode::None,
        (true, Method::KDimensional) => PathMode::Table,
        (true, _) => PathMode::Pairs,
    };
    summary.host_bytes += 4 * codes.iter().map(|input| input.len() as u64).sum::<u64>();
    Ok(summary)
}

/// The two inputs, unless the method is one for several.
fn two<'a, S>(inputs: &[&'a [S]], method: Method) -> Option<(&'a [S], &'a [S])> {
    match (inputs, method) {
        (_, Method::KDimensional | Method::MergeTree | Method::MajorityMerge) => None,
        ([a, b], _) => Some((a, b)),
        _ => None,
    }
}

/// The affix-stripped pair, for two inputs and the exact table.
fn stripped(codes: &[Vec<u32>], method: Method) -> Option<Stripped<'_, u32>> {
    match (codes, method) {
        ([a, b], Method::KDimensional) => Some(Stripped::new(a, b)),
        _ => None,
    }
}

fn takes_several(method: Method) -> Result<()> {
    match method {
        Method::Auto | Method::KDimensional | Method::MergeTree | Method::MajorityMerge => Ok(()),
        _ => {
            let reason = "it compares two sequences; take 'auto', 'k-dimensional', 'merge-tree' or 'majority-merge'";
            Err(Error::MethodUnavailable {
                method: method.name(),
                device: "other than two inputs".to_string(),
                reason: reason.to_string(),
            })
        }
    }
}

/// Resolves [`Method::Auto`]: the exact table if it is affordable.
fn choose(engine: &Engine, kept: &[&[u32]], options: &ScsOptions) -> Result<Method> {
    let bytes = cells(kept).saturating_mul(4);
    let fits = bytes <= u128::from(engine.host_budget());
    match options.method {
        Method::Auto if fits && steps(kept) <= MAX_EXACT_STEPS => Ok(Method::KDimensional),
        Method::Auto if pairs_fit(engine, kept) => Ok(Method::Auto),
        Method::Auto => Ok(Method::MajorityMerge),
        Method::MergeTree => {
            let bytes = merge_tree::overlap_bytes(kept.len());
            engine.check_host_budget("the comparison of all pairs of inputs", bytes)?;
            Ok(Method::MergeTree)
        }
        Method::KDimensional => {
            engine.check_host_budget("the table of the method 'k-dimensional'", bytes)?;
            Ok(Method::KDimensional)
        }
        method => Ok(method),
    }
}

/// Whether all pairs are compared where that is not the method itself.
fn pairs_fit(engine: &Engine, kept: &[&[u32]]) -> bool {
    let bytes = merge_tree::overlap_bytes(kept.len());
    kept.len() <= MAX_PAIRED_INPUTS && bytes <= u128::from(engine.host_budget())
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

fn steps(inputs: &[&[u32]]) -> u128 {
    cells(inputs).saturating_mul((inputs.len() as u128).pow(2))
}

/// Dense codes, in order of first appearance, and their number.
fn dense<S: Symbol>(inputs: &[&[S]]) -> (Vec<Vec<u32>>, usize) {
    let mut codes: HashMap<S, u32> = HashMap::new();
    let mut code = |&symbol: &S| {
        let next = codes.len() as u32;
        *codes.entry(symbol).or_insert(next)
    };
    let inputs = inputs
        .iter()
        .map(|input| input.iter().map(&mut code).collect())
        .collect();
    (inputs, codes.len())
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

/// The shortest reduced result of the requested heuristics; the merge tree wins ties.
async fn heuristic(
    inputs: &[&[u32]],
    mut overlaps: Overlaps,
    method: Method,
    pairs: &mut PairCalls<'_>,
    engine: &Engine,
) -> Result<(Vec<u32>, Method)> {
    let mut best: Option<(Vec<u32>, Method)> = None;
    for one in [Method::MergeTree, Method::MajorityMerge] {
        if method != one && method != Method::Auto {
            continue;
        }
        let found = match one {
            Method::MergeTree => {
                merge_tree::solve(inputs, std::mem::take(&mut overlaps), pairs).await?
            }
            _ => {
                pairs.control().set_ceiling(1.0);
                majority_merge::solve(inputs, pairs.control())?
            }
        };
        let found = engine.on_threads(|| reduction::reduce(found, inputs, engine.host_budget()));
        if best
            .as_ref()
            .is_none_or(|(best, _)| found.len() < best.len())
        {
            best = Some((found, one));
        }
    }
    Ok(best.unwrap_or_default())
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
            taken.map(|(place, _)| place).collect()
        })
    };
    let mut needed = vec![false; symbols.len()];
    places(symbols)
        .iter()
        .flatten()
        .for_each(|&place| needed[place] = true);
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
