//! A call for two inputs: solve, merge, verify.

use super::query::TableQuery;
use super::witness::Supersequence;
use super::{CommonSupersequence, Method, ScsOptions};
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::placement::{self, Call};
use crate::engine::{Engine, PlanSummary, Report, Run};
use crate::error::{Error, Result};
use crate::host::Instant;
use crate::lcs::subsequence::Subsequence;
use crate::lcs::{self, LcsOptions};
use crate::sequences::stripped::StrippedPair;
use crate::sequences::typed::{SymbolPair, for_type};

pub(super) async fn solve(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &ScsOptions,
) -> Result<Report<CommonSupersequence>> {
    let (a, b) = pair.lens();
    let started = Instant::now();
    let (length, shared, mut run) = match lcs_options(options) {
        Some(options) => {
            let lcs = lcs::unverified(engine, pair, &options).await?;
            let length = (a + b) as u64 - lcs.length;
            (length, lcs.answer.subsequence, lcs.run)
        }
        None => by_table(engine, pair, options).await?,
    };
    let phases = Phases::start();
    let merge = |shared: Subsequence| {
        let supersequence = Supersequence::merge(shared.blocks(), a, b);
        phases.lap(Phase::Merge);
        options.control.set_phase(Phase::Verify);
        for_type!(pair, |pair| supersequence
            .verify(&[pair.a, pair.b], length)?);
        phases.lap(Phase::Verify);
        Ok::<_, Error>(supersequence)
    };
    let supersequence = shared
        .map(|shared| engine.on_threads(|| merge(shared)))
        .transpose()?;
    run.phases.extend(phases.totals());
    run.elapsed = started.elapsed();
    let answer = CommonSupersequence {
        length,
        lower_bound: length,
        exact: true,
        supersequence,
    };
    Ok(Report::new(answer, run))
}

pub(super) fn plan(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &ScsOptions,
) -> Result<PlanSummary> {
    if let Some(options) = lcs_options(options) {
        return lcs::plan(engine, pair, &options);
    }
    placement::plan(engine, &TableQuery::new(&StrippedPair::new(pair), options))
}

/// Options of the LCS call behind a method; `None` for the table methods.
fn lcs_options(options: &ScsOptions) -> Option<LcsOptions> {
    let method = match options.method {
        Method::Auto => lcs::Method::Auto,
        Method::BitParallel => lcs::Method::BitParallel,
        Method::Banded => lcs::Method::Banded,
        Method::Wavefront => lcs::Method::Wavefront,
        _ => return None,
    };
    Some(LcsOptions {
        method,
        path: options.path,
        control: options.control.clone(),
        ..LcsOptions::default()
    })
}

async fn by_table(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &ScsOptions,
) -> Result<(u64, Option<Subsequence>, Run)> {
    let call = Call::start(engine, &options.control);
    let stripped = StrippedPair::new(pair);
    call.phases.lap(Phase::Strip);
    let mut query = TableQuery::new(&stripped, options);
    call.phases.lap(Phase::Encode);
    let (found, mut run) = placement::run(&call, &mut query).await?;
    run.common_prefix = stripped.prefix() as u64;
    run.common_suffix = stripped.suffix() as u64;
    let length = found.length + run.common_prefix + run.common_suffix;
    let shared = found
        .shared
        .map(|shared| Subsequence(stripped.with_affixes(shared.0)));
    Ok((length, shared, run))
}
