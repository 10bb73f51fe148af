//! An LCS call: strip affixes, choose a method, solve, verify.

use std::time::Instant;

use super::problem;
use super::subsequence::Subsequence;
use super::{LcsOptions, Method, PlanSummary, Run, Solved};
use crate::backend::Backend;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::Engine;
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::recurrence;
use crate::pairwise::blocks::Blocks;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::pair::Pair;
use crate::pairwise::request::{Outcome, Request, Strategy};
use crate::pairwise::solve_pair;
use crate::pairwise::tiny_pairs;
use crate::pairwise::typed::{Two, for_type, two};

pub(super) fn typed(engine: &Engine, pair: &Two<'_>, options: &LcsOptions) -> Result<Solved> {
    for_type!(pair, |pair| {
        let (a, b) = two(pair);
        pollster::block_on(solve(engine, a, b, options))
    })
}

pub(crate) async fn solve<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &LcsOptions,
) -> Result<Solved> {
    let started = Instant::now();
    let mut found = unverified(engine, a, b, options).await?;
    let verifying = Instant::now();
    if let Some(subsequence) = &found.subsequence {
        options.control.set_phase(Phase::Verify);
        Blocks::replayed(engine, subsequence.blocks(), || {
            subsequence.verify(a, b, found.length)
        })?;
        found.run.phases.push((Phase::Verify, verifying.elapsed()));
    }
    found.run.elapsed = started.elapsed();
    Ok(found)
}

/// As [`solve`], without verification; the caller proves its own result and times the whole call.
pub(crate) async fn unverified<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &LcsOptions,
) -> Result<Solved> {
    let phases = Phases::start();
    let request = request(options);
    let small = tiny_pairs::last_value::<recurrence::Lcs, S, _>(
        engine,
        Pair::new(a, b),
        request,
        &phases,
        Method::BitParallel,
    )?;
    if let Some((length, run)) = small {
        return Ok(Solved {
            length: length + run.common_prefix + run.common_suffix,
            subsequence: None,
            run,
        });
    }
    let stripped = Stripped::new(a, b);
    phases.lap(Phase::Strip);
    let found =
        solve_pair::solve::<problem::Subsequence, S>(engine, &stripped, request, &phases).await?;
    let length = length(&found, stripped.rows.len() + stripped.cols.len())
        + (stripped.prefix + stripped.suffix) as u64;
    let subsequence = found
        .path
        .map(|path| Subsequence(stripped.with_affixes(path, a.len(), b.len())));
    let run = stripped.run(
        found.strategy.into(),
        (found.device, found.path_mode),
        found.computed_cells,
    );
    Ok(Solved {
        length,
        subsequence,
        run: Run {
            phases: phases.totals(),
            ..run
        },
    })
}

/// Implements [`Engine::plan`] for [`Lcs`](crate::Lcs).
pub(super) fn plan(engine: &Engine, pair: &Two<'_>, options: &LcsOptions) -> Result<PlanSummary> {
    for_type!(pair, |pair| {
        let (a, b) = two(pair);
        summarize(engine, a, b, options)
    })
}

pub(crate) fn summarize<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &LcsOptions,
) -> Result<PlanSummary> {
    let plan =
        solve_pair::plan::<problem::Subsequence, S>(engine, Pair::new(a, b), request(options))?;
    let method = plan.method.into();
    Ok(plan.with_method(method))
}

/// Solves exactly these codes on this backend: no affix stripping, no choice of device.
pub(super) async fn on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &LcsOptions,
) -> Result<(u64, Option<Subsequence>)> {
    let found =
        solve_pair::on_backend::<problem::Subsequence>(engine, backend, codes, request(options))
            .await?;
    Ok((
        length(&found, codes.a.len() + codes.b.len()),
        found.path.map(Subsequence),
    ))
}

/// Length = (symbols - unpaired) / 2; there is no bound here.
fn length(found: &Outcome, symbols: usize) -> u64 {
    (symbols as u64 - found.cost.unwrap_or_default()) / 2
}

fn request(options: &LcsOptions) -> Request<'_> {
    let (path, tuning) = (options.path, options.tuning);
    Request {
        path,
        tuning,
        ..Request::new(options.method.into(), &options.control)
    }
}

impl From<Method> for Strategy {
    fn from(method: Method) -> Self {
        match method {
            Method::Auto => Strategy::Auto,
            Method::BitParallel => Strategy::Sweep,
            Method::Banded => Strategy::Bands,
            Method::ConditionalSum => Strategy::Baseline(method.name()),
            Method::Wavefront => Strategy::Wavefronts,
            Method::Reference => Strategy::Reference,
        }
    }
}

impl From<Strategy> for Method {
    fn from(by: Strategy) -> Self {
        match by {
            Strategy::Auto => Method::Auto,
            Strategy::Sweep => Method::BitParallel,
            Strategy::Bands => Method::Banded,
            Strategy::Baseline(_) => Method::ConditionalSum,
            Strategy::Wavefronts => Method::Wavefront,
            Strategy::Reference => Method::Reference,
        }
    }
}
