//! One call from inputs to a proven answer: strip, decide, solve, verify.

use std::time::Instant;

use super::{Alignment, Distance, EditOptions, Method, Mode, PlanSummary, Run, Solved, pieces, problem};
use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::recurrence;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::request::{Outcome, Request, Strategy};
use crate::pairwise::small;
use crate::pairwise::solve as pair;

/// The answer of [`Engine::edit_distance_with`].
pub(crate) async fn solve<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &EditOptions) -> Result<Solved> {
    let options = &checked((a.len(), b.len()), options)?;
    let started = Instant::now();
    let phases = Phases::start();
    let mut answer = match options.mode {
        Mode::Global => global(engine, a, b, options, &phases).await?,
        Mode::Prefix | Mode::Infix => pieces::solve(engine, a, b, options, &phases).await?,
    };
    if let (Some(alignment), Some(distance)) = (&mut answer.alignment, answer.distance.exactly()) {
        options.control.enter("verify");
        engine.on_threads(|| alignment.verify(a, b, distance))?;
        if let Some(gaps) = options.gaps {
            *alignment = alignment.with_gaps_moved(a, b, gaps);
            engine.on_threads(|| alignment.verify(a, b, distance))?;
        }
        phases.lap("verify");
    }
    answer.run.elapsed = started.elapsed();
    answer.run.phases = phases.totals();
    Ok(answer)
}

/// The options, with no bound that is greater than every distance.
///
/// # Errors
/// What can be told from the options and the lengths alone: [`Error::EmptyQuery`] and [`Error::MethodUnavailable`].
pub(super) fn checked((rows, cols): (usize, usize), options: &EditOptions) -> Result<EditOptions> {
    if options.mode == Mode::Infix && rows == 0 {
        return Err(Error::EmptyQuery);
    }
    let unavailable = |why: String| {
        let (device, reason) = (format!("any device {why}"), "take the method 'auto'".to_string());
        Err(Error::MethodUnavailable { method: options.method.name(), device, reason })
    };
    let global_only = baseline(options.method) || options.method == Method::Wavefront;
    if options.mode != Mode::Global && global_only {
        return unavailable(format!("in the mode '{}'", options.mode.name()));
    }
    if options.path && baseline(options.method) {
        return unavailable("where the path is asked for".to_string());
    }
    let max_distance = options.max_distance.map(|bound| bound.min(rows.max(cols) as u64));
    Ok(EditOptions { max_distance, ..options.clone() })
}

/// The distance of the whole sequences.
pub(super) async fn global<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
    phases: &Phases,
) -> Result<Solved> {
    let request = request(options);
    let small = small::last_value::<recurrence::Edit, S, _>(engine, (a, b), request, phases, Method::BitParallel)?;
    if let Some((distance, run)) = small {
        let distance = options
            .max_distance
            .filter(|&most| distance > most)
            .map_or(Distance::Exactly(distance), Distance::MoreThan);
        return Ok(Solved { distance, pieces: Vec::new(), alignment: None, run });
    }
    let stripped = Stripped::new(a, b);
    phases.lap("strip");
    let found = pair::solve::<problem::Distance, S, 1>(engine, &stripped, request, phases).await?;
    let path = found.path.map(|path| stripped.with_affixes(path, a.len(), b.len()));
    let bound = options.max_distance.unwrap_or(u64::MAX);
    Ok(Solved {
        distance: found.cost.map_or(Distance::MoreThan(bound), Distance::Exactly),
        pieces: Vec::new(),
        alignment: path.map(|path| Alignment::new(path, a.len(), 0..b.len())),
        run: Run {
            method: found.by.into(),
            path_mode: found.path_mode,
            device: found.device,
            cells: a.len() as u128 * b.len() as u128,
            computed_cells: found.computed_cells,
            common_prefix: stripped.prefix as u64,
            common_suffix: stripped.suffix as u64,
            elapsed: std::time::Duration::ZERO,
            phases: Vec::new(),
        },
    })
}

/// What [`global`] would do.
pub(super) fn global_plan<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &EditOptions) -> Result<PlanSummary> {
    let plan = pair::plan::<problem::Distance, S, 1>(engine, (a, b), request(options))?;
    let method = plan.method.into();
    Ok(plan.with_method(method))
}

/// Distance and, where asked for, path of these very codes on this backend.
pub(super) async fn on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &EditOptions,
) -> Result<Outcome> {
    pair::on_backend::<problem::Distance, 1>(engine, backend, codes, request(options)).await
}

fn request(options: &EditOptions) -> Request<'_> {
    Request {
        most: options.max_distance.unwrap_or(u64::MAX),
        path: options.path,
        tuning: options.tuning,
        ..Request::of_all(options.method.into(), &options.control)
    }
}

/// Methods of the whole table that keep nothing of it for a path.
fn baseline(method: Method) -> bool {
    matches!(method, Method::AntiDiagonal | Method::Tiled)
}

impl From<Method> for Strategy {
    fn from(method: Method) -> Self {
        match method {
            Method::Auto => Strategy::Auto,
            Method::BitParallel => Strategy::Sweep,
            Method::Banded => Strategy::Bands,
            Method::AntiDiagonal | Method::Tiled => Strategy::Baseline(method.name()),
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
            Strategy::Baseline(name) if name == Method::Tiled.name() => Method::Tiled,
            Strategy::Baseline(_) => Method::AntiDiagonal,
            Strategy::Wavefronts => Method::Wavefront,
            Strategy::Reference => Method::Reference,
        }
    }
}
