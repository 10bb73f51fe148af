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
//! [`query::MAX_PAIRED_INPUTS`] the majority merge and the second bound are used alone, and only equal
//! inputs are removed.

mod majority_merge;
mod merge_tree;
mod query;
mod reduction;
mod table;

use super::solve::{self, pair};
use super::{CommonSupersequence, Method, ScsOptions};
use crate::call::phase::Phase;
use crate::engine::placement::{self, Call};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::{Error, Result};
use crate::sequences::codes::Symbol;
use crate::sequences::typed::{Lists, for_class, slices};
use crate::symbols::alphabet::Alphabet;
use crate::symbols::places::Places;
use query::SeveralQuery;

const PROBLEM: &str = "supersequence";

/// Solves an [`Scs`](crate::Scs) of any number of inputs.
pub(super) async fn typed(
    engine: &Engine,
    inputs: &Lists<'_>,
    options: &ScsOptions,
) -> Result<Report<CommonSupersequence>> {
    for_class!(inputs, PROBLEM, |inputs| {
        run(engine, &slices(inputs), options).await
    })
}

async fn run<S: Symbol>(
    engine: &Engine,
    inputs: &[&[S]],
    options: &ScsOptions,
) -> Result<Report<CommonSupersequence>> {
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
    let answer = CommonSupersequence {
        length,
        lower_bound: merged.bound,
        exact: merged.bound == length,
        supersequence: options.path.then_some(supersequence),
    };
    Ok(Report::new(answer, run))
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

/// Codes from 0 in order of first appearance, and their number.
fn encoded<S: Symbol>(inputs: &[&[S]]) -> (Vec<Vec<u32>>, usize) {
    let mut all = Alphabet::default();
    let mut codes = |input: &&[S]| input.codes(|index| all.add(index) - 1);
    (inputs.iter().map(&mut codes).collect(), all.codes())
}
