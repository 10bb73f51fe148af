//! An edit distance call: check options, choose a method, solve, verify.

use super::global::{global, global_plan};
use super::{Alignment, EditDistance, EditOptions, Method, Mode, pieces};
use crate::call::phase::Phase;
use crate::engine::placement::Call;
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::{Error, Result};
use crate::search::nearest;
use crate::sequences::blocks::Blocks;
use crate::sequences::typed::{SymbolPair, for_type};

pub(crate) async fn solve(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &EditOptions,
) -> Result<Report<EditDistance>> {
    let options = &checked(pair, options)?;
    let call = Call::start(engine, &options.control);
    let mut report = match options.mode {
        Mode::Global => global(&call, pair, options).await?,
        Mode::Prefix | Mode::Infix => pieces::solve(&call, pair, options).await?,
    };
    let answer = &mut report.answer;
    if let (Some(alignment), Some(distance)) = (&mut answer.alignment, answer.distance.exactly()) {
        options.control.set_phase(Phase::Verify);
        let verify = |alignment: &Alignment| {
            Blocks::replayed(engine, alignment.blocks(), || {
                for_type!(pair, |pair| alignment.verify(pair.a, pair.b, distance))
            })
        };
        verify(alignment)?;
        if let Some(gaps) = options.gaps {
            *alignment = for_type!(pair, |pair| alignment.with_gaps_moved(pair.a, pair.b, gaps));
            verify(alignment)?;
        }
        call.phases.lap(Phase::Verify);
    }
    call.close(&mut report.run);
    Ok(report)
}

/// Implements [`Engine::plan`] for [`Edit`](crate::Edit).
pub(crate) fn plan(
    engine: &Engine,
    pair: SymbolPair<'_>,
    options: &EditOptions,
) -> Result<PlanSummary> {
    let options = &checked(pair, options)?;
    match options.mode {
        Mode::Global => global_plan(engine, pair, options),
        Mode::Prefix | Mode::Infix => nearest::plan(engine, pair, options),
    }
}

/// Validates the options; removes a bound that no distance can exceed.
pub(super) fn checked(pair: SymbolPair<'_>, options: &EditOptions) -> Result<EditOptions> {
    let (rows, cols) = pair.lens();
    if options.mode == Mode::Infix && rows == 0 {
        return Err(Error::EmptyQuery);
    }
    let unavailable = |why: String| {
        let (device, reason) = (
            format!("any device {why}"),
            "take the method 'auto'".to_string(),
        );
        Err(Error::MethodUnavailable {
            method: options.method.name(),
            device,
            reason,
        })
    };
    let global_only = baseline(options.method) || options.method == Method::Wavefront;
    if options.mode != Mode::Global && global_only {
        return unavailable(format!("in the mode '{}'", options.mode.name()));
    }
    if options.path && baseline(options.method) {
        return unavailable("where the path is asked for".to_string());
    }
    let max_distance = options
        .max_distance
        .map(|bound| bound.min(rows.max(cols) as u64));
    Ok(EditOptions {
        max_distance,
        ..options.clone()
    })
}

/// True for methods that cannot recover a path.
fn baseline(method: Method) -> bool {
    matches!(method, Method::AntiDiagonal | Method::Tiled)
}
