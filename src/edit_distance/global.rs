//! Global edit distance, by the shared pairwise decision.

use super::{Alignment, Distance, EditOptions, Method, PlanSummary, Solved, problem};
use crate::backend::Backend;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::Engine;
use crate::error::Result;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::recurrence;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::pair::Pair;
use crate::pairwise::request::{Outcome, Request};
use crate::pairwise::solve_pair;
use crate::pairwise::tiny_pairs;

pub(super) async fn global<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
    phases: &Phases,
) -> Result<Solved> {
    let request = request(options);
    let small = tiny_pairs::last_value::<recurrence::Edit, S, _>(
        engine,
        Pair::new(a, b),
        request,
        phases,
        Method::BitParallel,
    )?;
    if let Some((distance, run)) = small {
        let distance = options
            .max_distance
            .filter(|&max| distance > max)
            .map_or(Distance::Exactly(distance), Distance::MoreThan);
        return Ok(Solved {
            distance,
            pieces: Vec::new(),
            alignment: None,
            run,
        });
    }
    let stripped = Stripped::new(a, b);
    phases.lap(Phase::Strip);
    let found =
        solve_pair::solve::<problem::Distance, S>(engine, &stripped, request, phases).await?;
    let path = found
        .path
        .map(|path| stripped.with_affixes(path, a.len(), b.len()));
    let bound = options.max_distance.unwrap_or(u64::MAX);
    Ok(Solved {
        distance: found
            .cost
            .map_or(Distance::MoreThan(bound), Distance::Exactly),
        pieces: Vec::new(),
        alignment: path.map(|path| Alignment::new(path, a.len(), 0..b.len())),
        run: stripped.run(
            found.strategy.into(),
            (found.device, found.path_mode),
            found.computed_cells,
        ),
    })
}

pub(super) fn global_plan<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
) -> Result<PlanSummary> {
    let plan = solve_pair::plan::<problem::Distance, S>(engine, Pair::new(a, b), request(options))?;
    let method = plan.method.into();
    Ok(plan.with_method(method))
}

/// Solves exactly these codes on this backend: no affix stripping, no choice of device.
pub(super) async fn on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &EditOptions,
) -> Result<Outcome> {
    solve_pair::on_backend::<problem::Distance>(engine, backend, codes, request(options)).await
}

fn request(options: &EditOptions) -> Request<'_> {
    Request {
        max_cost: options.max_distance.unwrap_or(u64::MAX),
        path: options.path,
        tuning: options.tuning,
        ..Request::new(options.method.into(), &options.control)
    }
}
