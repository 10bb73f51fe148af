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

use super::{CommonSupersequence, Method, ScsOptions, solve};
use crate::call::phase::Phase;
use crate::engine::placement::{self, Call};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::{Error, Result};
use crate::sequences::pair::Pair;
use crate::sequences::typed::{Lists, SymbolPair, for_class, map_type, needs_classes, slices};
use crate::symbols::alphabet::Alphabet;
use crate::symbols::places::Places;
use query::SeveralQuery;

const PROBLEM: &str = "supersequence";

/// Solves an [`Scs`](crate::Scs) of any number of inputs.
pub(super) async fn solve(
    engine: &Engine,
    inputs: &Lists<'_>,
    options: &ScsOptions,
) -> Result<Report<CommonSupersequence>> {
    if let Some(two) = two(inputs, options.method)? {
        return solve::solve(engine, two, options).await;
    }
    let call = Call::start(engine, &options.control);
    let (codes, letters) = encoded(inputs)?;
    let mut query = SeveralQuery::new(engine, &codes, letters, options);
    call.phases.lap(Phase::Encode);
    let (merged, mut run) = placement::run(&call, &mut query).await?;
    call.phases.lap(Phase::Sweep);
    let supersequence = merged.supersequence;
    let length = supersequence.len();
    engine.on_threads(|| {
        for_class!(inputs, PROBLEM, |inputs| {
            supersequence.verify(&slices(inputs), length)
        })
    })?;
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
    if let Some(two) = two(inputs, options.method)? {
        return solve::plan(engine, two, options);
    }
    let (codes, letters) = encoded(inputs)?;
    let query = SeveralQuery::new(engine, &codes, letters, options);
    let mut summary = placement::plan(engine, &query)?;
    if query.compares_pairs {
        let merges = options.method != Method::MajorityMerge;
        summary.device = merge_tree::planned_device(engine, &query.kept, merges)?;
    }
    Ok(summary)
}

/// The two inputs, unless the method is one for several.
///
/// # Errors
/// [`Error::MethodUnavailable`] for a method for two if there are more or fewer.
fn two<'a>(inputs: &'a Lists<'_>, method: Method) -> Result<Option<SymbolPair<'a>>> {
    if inputs.match_others() {
        return Err(needs_classes(PROBLEM));
    }
    match method {
        Method::KDimensional | Method::MergeTree | Method::MajorityMerge => Ok(None),
        _ if inputs.len() == 2 => Ok(Some(map_type!(inputs, |all| Pair::new(&all[0], &all[1])))),
        Method::Auto => Ok(None),
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
fn encoded(inputs: &Lists<'_>) -> Result<(Vec<Vec<u32>>, usize)> {
    let mut all = Alphabet::default();
    let codes: Vec<_> = for_class!(inputs, PROBLEM, |inputs| {
        let inputs = inputs.iter();
        Ok(inputs
            .map(|input| input[..].codes(|index| all.add(index) - 1))
            .collect())
    })?;
    Ok((codes, all.codes()))
}
