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
mod query;
mod reduction;
mod table;

use std::collections::HashSet;

use super::solve::{self, pair};
use super::witness::{Placement, Supersequence};
use super::{Method, ScsOptions, Solved};
use crate::call::phase::Phase;
use crate::engine::placement::{self, Call};
use crate::engine::{Engine, PlanSummary};
use crate::error::{Error, Result};
use crate::host::parallel::map;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::{Lists, for_class, slices};
use crate::symbols::alphabet::{Alphabet, Places};
use merge_tree::{Overlaps, PairCalls};
use query::SeveralQuery;

/// Maximum inputs that are compared in pairs, unless [`Method::MergeTree`] is requested: 8 million
/// pairs, which take a few seconds for short reads.
const MAX_PAIRED_INPUTS: usize = 1 << 12;

const PROBLEM: &str = "supersequence";

/// Solves an [`Scs`](crate::Scs) of any number of inputs.
pub(super) async fn typed(
    engine: &Engine,
    inputs: &Lists<'_>,
    options: &ScsOptions,
) -> Result<Solved> {
    for_class!(inputs, PROBLEM, |inputs| {
        run(engine, &slices(inputs), options).await
    })
}

async fn run<S: Symbol>(engine: &Engine, inputs: &[&[S]], options: &ScsOptions) -> Result<Solved> {
    if let Some((a, b)) = two(inputs, options.method) {
        return pair(engine, a, b, options).await;
    }
    takes_several(options.method)?;
    let call = Call::start(engine, &options.control);
    let (codes, letters) = encoded(inputs);
    let mut query = SeveralQuery::new(engine, &codes, letters, options);
    call.phases.lap(Phase::Encode);
    let (merged, mut run) = placement::run(&call, &mut query).await?;
    call.phases.lap(Phase::Sweep);
    let supersequence = merged.supersequence;
    let length = supersequence.len();
    engine.on_threads(|| supersequence.verify(inputs, length))?;
    call.phases.lap(Phase::Verify);
    run.method = merged.method.name();
    run.device = merged.device.unwrap_or(run.device);
    call.close(&mut run);
    Ok(Solved {
        length,
        lower_bound: merged.bound,
        exact: merged.bound == length,
        supersequence: options.path.then_some(supersequence),
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
        return solve::plan(engine, a, b, options);
    }
    takes_several(options.method)?;
    let (codes, letters) = encoded(inputs);
    let query = SeveralQuery::new(engine, &codes, letters, options);
    let mut summary = placement::plan(engine, &query)?;
    if query.compares_pairs {
        let merges = options.method != Method::MajorityMerge;
        summary.device = merge_tree::planned_device(engine, &query.kept, merges)?;
    }
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

/// Codes from 0 in order of first appearance, and their number.
fn encoded<S: Symbol>(inputs: &[&[S]]) -> (Vec<Vec<u32>>, usize) {
    let mut all = Alphabet::default();
    let mut codes = |input: &&[S]| input.codes(|place| all.add(place) - 1);
    (inputs.iter().map(&mut codes).collect(), all.codes())
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

/// The shortest reduced result of these heuristics; the first wins ties.
async fn heuristic(
    inputs: &[&[u32]],
    mut overlaps: Overlaps,
    methods: &[Method],
    pairs: &mut PairCalls<'_>,
    engine: &Engine,
) -> Result<(Vec<u32>, Method)> {
    let mut best: Option<(Vec<u32>, Method)> = None;
    for &one in methods {
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
