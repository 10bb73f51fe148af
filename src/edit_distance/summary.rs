//! Dry runs.

use super::global::global_plan;
use super::pieces::{check_memory, longest, target};
use super::search::PieceSearch;
use super::solve::checked;
use super::{EditOptions, Method, Mode, PlanSummary, gpu, text_search};
use crate::call::phases::Phases;
use crate::engine::Engine;
use crate::error::Result;
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::bit_parallel::cpu::{self, SweepWork};
use crate::pairwise::bit_parallel::recurrence::Edit;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::reference_method;
use crate::pairwise::related;
use crate::pairwise::request::Request;
use crate::pairwise::typed::{Two, for_type, two};

/// Implements [`Engine::plan`] for [`Edit`](crate::Edit).
pub(super) fn typed(engine: &Engine, pair: &Two<'_>, options: &EditOptions) -> Result<PlanSummary> {
    for_type!(pair, |pair| {
        let (a, b) = two(pair);
        summarize(engine, a, b, options)
    })
}

fn summarize<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
) -> Result<PlanSummary> {
    let options = &checked((a.len(), b.len()), options)?;
    if options.mode == Mode::Global {
        return global_plan(engine, a, b, options);
    }
    let target = target(a, b, options);
    let in_text = text_search::expected::<S>(engine, (a.len(), b.len()), options)?;
    let plan = match options.method {
        Method::Reference => plan_of_reference(
            engine,
            (a.len(), target.len()),
            longest(a, b, options).len(),
            options,
        )?,
        _ if S::MATCHES_OTHERS => {
            let request = Request::new(options.method.into(), &options.control);
            related::check_pieces(engine, request.strategy)?;
            let plan = related::plan_on_cpu((target.len(), a.len()), &request);
            let method = plan.method.into();
            plan.with_method(method)
        }
        _ => {
            check_memory(engine, (a.len(), target.len()), 0)?;
            let codes = Encoded::by(engine, target, a);
            let plan = of_pieces(engine, &codes, options)?;
            PlanSummary {
                host_bytes: plan.host_bytes + 4 * (target.len() + a.len()) as u64,
                expected: in_text.unwrap_or(plan.expected),
                ..plan
            }
        }
    };
    Ok(PlanSummary {
        cells: a.len() as u128 * b.len() as u128,
        ..plan
    })
}

/// Search by the reference table, then the path to the longest piece.
fn plan_of_reference(
    engine: &Engine,
    (query, target): (usize, usize),
    longest: usize,
    options: &EditOptions,
) -> Result<PlanSummary> {
    let search = reference_method::summarize(engine, Method::Reference, (query, target), false)?;
    if !options.path {
        return Ok(search);
    }
    let PlanSummary {
        path_mode,
        host_bytes,
        expected,
        ..
    } = reference_method::summarize(engine, Method::Reference, (query, longest), true)?;
    let host_bytes = host_bytes.max(search.host_bytes);
    Ok(PlanSummary {
        path_mode,
        host_bytes,
        expected: expected + search.expected,
        ..search
    })
}

/// Search of the whole target (rows), then the path.
fn of_pieces(engine: &Engine, codes: &Encoded, options: &EditOptions) -> Result<PlanSummary> {
    let phases = Phases::start();
    let (rows, cols) = (codes.a.len(), codes.b.len());
    let search = PieceSearch::new(engine, options, &phases, codes);
    if let (Some(estimate), _) = search.faster((rows, cols))? {
        let plan = gpu::summarize_pieces(
            estimate.sizing(options.tuning),
            options,
            (rows, cols),
            codes.shared,
        )?;
        return Ok(PlanSummary {
            expected: estimate.expected(plan.expected.as_secs_f64()),
            ..plan
        });
    }
    let planes = codes.alphabet().planes() as usize;
    let work = SweepWork {
        rows,
        cols,
        planes,
        band: Band::WHOLE,
        threads: engine.threads(),
    };
    let budget = options.path.then(|| engine.host_budget());
    Ok(cpu::summarize::<Edit, _>(
        Method::BitParallel,
        &work,
        budget,
    ))
}
