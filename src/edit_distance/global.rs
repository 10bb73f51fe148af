//! Global edit distance.

use super::{Alignment, Distance, EditDistance, EditOptions, problem};
use crate::backend::Backend;
use crate::engine::placement::Call;
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::Result;
use crate::sequences::codes::Encoded;
use crate::sequences::query;
use crate::sequences::request::{Outcome, Request};
use crate::sequences::typed::SymbolPair;

pub(crate) async fn global(
    call: &Call<'_>,
    pair: SymbolPair<'_>,
    options: &EditOptions,
) -> Result<Report<EditDistance>> {
    let solved = query::solve::<problem::Distance>(call, pair, request(options)).await?;
    let (a, b) = pair.lens();
    let bound = options.max_distance.unwrap_or(u64::MAX);
    let answer = EditDistance {
        distance: solved
            .cost
            .map_or(Distance::MoreThan(bound), Distance::Exactly),
        pieces: Vec::new(),
        alignment: solved.path.map(|path| Alignment::new(path, a, 0..b)),
    };
    Ok(Report::new(answer, solved.run))
}

pub(super) fn global_plan(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &EditOptions,
) -> Result<PlanSummary> {
    query::plan::<problem::Distance>(engine, pair, request(options))
}

/// Solves exactly these codes on this backend: no affix stripping, no choice of device.
pub(super) async fn on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &EditOptions,
) -> Result<Outcome> {
    let call = Call::start(engine, &options.control);
    let device = engine.device(backend, &options.control, &call.phases);
    query::solve_on::<problem::Distance>(&call, &device, codes, request(options)).await
}

fn request(options: &EditOptions) -> Request<'_> {
    Request {
        max_cost: options.max_distance.unwrap_or(u64::MAX),
        path: options.path,
        tuning: options.tuning,
        ..Request::new(options.method.name(), &options.control)
    }
}
