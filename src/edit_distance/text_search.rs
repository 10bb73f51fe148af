//! Infix search on the CPU without a column of the table: 64 positions of the target per limb, see
//! [`text`].

use std::time::Duration;

use super::locate::Ends;
use super::{EditOptions, Method, Mode, gpu, pieces};
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{Engine, profile};
use crate::error::Result;
use crate::pairwise::bit_parallel::cpu;
use crate::pairwise::bit_parallel::cpu::text::{self, Bytes, Coded, Nearest, Text};
use crate::pairwise::codes::{Encoded, Symbol};

/// Rows per unit of the bound that are swept in a target unrelated to the query, of few symbols;
/// and rows in addition.
const ROWS_PER_EDIT: u64 = 3;
const MIN_ROWS: u64 = 32;
/// Maximum rows swept, so that their edges stay in a cache.
const MAX_ROWS: u64 = 1 << 12;
/// Symbols in common with the target that the estimate for a GPU assumes: few, its best case.
const SHARED: u32 = 4;

/// Expected time of the search in a target of `len` symbols; `None` if the options exclude it, or
/// another search or the GPU is expected to be faster.
///
/// # Errors
/// Errors of the list of devices.
pub(super) fn expected<S: Symbol>(
    engine: &Engine,
    (query, len): (usize, usize),
    options: &EditOptions,
) -> Result<Option<Duration>> {
    if options.mode != Mode::Infix || options.method != Method::Auto || S::MATCHES_OTHERS {
        return Ok(None);
    }
    let bound = options.max_distance.unwrap_or(u64::MAX).min(query as u64);
    let rows = (query as u64).min(bound.saturating_mul(ROWS_PER_EDIT).saturating_add(MIN_ROWS));
    if rows > MAX_ROWS {
        return Ok(None);
    }
    let cells = rows as f64 * (len as f64 + text::LEAST_POSITIONS);
    let rate = profile::cpu::TEXT_CELLS_PER_SECOND * profile::speedup(engine.threads());
    let seconds = cells / rate;
    let takes_gpu = match engine.device_estimate(seconds)? {
        Some(estimate) if engine.chooses_device() => {
            let sizing = estimate.sizing(options.tuning);
            let swept = gpu::expected_seconds(sizing, options, (len, query), SHARED);
            estimate.call_seconds(swept) < seconds
        }
        named => named.is_some(),
    };
    Ok((!takes_gpu).then(|| Duration::from_secs_f64(seconds)))
}

/// Finds the ends of all substrings of `b` with the least distance from `a`, and counts the computed
/// cells. Finds none if the least distance exceeds the maximum of the options. `None` if another
/// search is to be used.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled), [`Error::MemoryBudget`](crate::Error::MemoryBudget),
/// and those of the device list.
pub(super) fn nearest<S: Symbol>(
    engine: &Engine,
    (a, b): (&[S], &[S]),
    options: &EditOptions,
    phases: &Phases,
) -> Result<Option<(Option<Ends>, u64)>> {
    let shape = (a.len(), b.len());
    if expected::<S>(engine, shape, options)?.is_none() {
        return Ok(None);
    }
    // Ends may be as many as positions.
    pieces::check_memory(engine, shape, 0)?;
    let found = match (S::bytes(a), S::bytes(b)) {
        (Some(a), Some(b)) => in_text(engine, &Bytes::new(a, b), options)?,
        _ => {
            let codes = Encoded::by(engine, b, a);
            phases.lap(Phase::Encode);
            let text = Coded {
                text: &codes.a,
                pattern: &codes.b,
                shared: codes.shared,
            };
            in_text(engine, &text, options)?
        }
    };
    let Nearest {
        distance,
        ends,
        cells,
    } = found;
    let found =
        (distance <= options.max_distance.unwrap_or(u64::MAX)).then_some(Ends { distance, ends });
    Ok(Some((found, cells)))
}

fn in_text<T: Text>(engine: &Engine, text: &T, options: &EditOptions) -> Result<Nearest> {
    let bound = options.max_distance.unwrap_or(u64::MAX);
    let search = || text::nearest(text, bound, &options.control);
    if cpu::is_serial(text.len(), text.pattern().len()) {
        search()
    } else {
        engine.on_threads(search)
    }
}
