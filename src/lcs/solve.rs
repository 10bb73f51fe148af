//! An LCS call: strip affixes, place, solve, verify.

use super::problem;
use super::subsequence::Subsequence;
use super::{CommonSubsequence, LcsOptions};
use crate::backend::Backend;
use crate::call::phase::Phase;
use crate::engine::placement::Call;
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::Encoded;
use crate::sequences::query;
use crate::sequences::request::Request;
use crate::sequences::typed::{SymbolPair, for_type};

pub(crate) async fn solve(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &LcsOptions,
) -> Result<Report<CommonSubsequence>> {
    let call = Call::start(engine, &options.control);
    let mut found = answered(&call, pair, options).await?;
    if let Some(subsequence) = &found.subsequence {
        options.control.set_phase(Phase::Verify);
        Blocks::replayed(engine, subsequence.blocks(), || {
            for_type!(pair, |pair| {
                subsequence.verify(pair.a, pair.b, found.length)
            })
        })?;
        call.phases.lap(Phase::Verify);
    }
    call.close(&mut found.run);
    Ok(found)
}

/// As [`solve`], without verification; the caller proves its own result and times the whole call.
pub(crate) async fn unverified(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &LcsOptions,
) -> Result<Report<CommonSubsequence>> {
    answered(&Call::start(engine, &options.control), pair, options).await
}

async fn answered(
    call: &Call<'_>,
    pair: SymbolPair<'_>,
    options: &LcsOptions,
) -> Result<Report<CommonSubsequence>> {
    let solved = query::solve::<problem::Subsequence>(call, pair, request(options)).await?;
    let (a, b) = pair.lens();
    let answer = CommonSubsequence {
        length: length(solved.cost, a + b),
        subsequence: solved.path.map(Subsequence),
    };
    Ok(Report::new(answer, solved.run))
}

/// Implements [`Engine::plan`] for [`Lcs`](crate::Lcs).
pub(crate) fn plan(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &LcsOptions,
) -> Result<PlanSummary> {
    query::plan::<problem::Subsequence>(engine, pair, request(options))
}

/// Solves exactly these codes on this backend: no affix stripping, no choice of device.
pub(super) async fn on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &LcsOptions,
) -> Result<(u64, Option<Subsequence>)> {
    let call = Call::start(engine, &options.control);
    let device = engine.device(backend, &options.control, &call.phases);
    let found =
        query::solve_on::<problem::Subsequence>(&call, &device, codes, request(options)).await?;
    let length = length(found.cost, codes.a.len() + codes.b.len());
    Ok((length, found.path.map(Subsequence)))
}

/// Length = (symbols - unpaired) / 2; there is no bound here.
fn length(cost: Option<u64>, symbols: usize) -> u64 {
    (symbols as u64 - cost.unwrap_or_default()) / 2
}

fn request(options: &LcsOptions) -> Request<'_> {
    Request {
        path: options.path,
        tuning: options.tuning,
        ..Request::new(options.method.name(), &options.control)
    }
}
