//! Infix search on the CPU without a column of the table: 64 positions of the target per limb, see
//! [`text`].

use super::locate::Ends;
use super::{EditOptions, Method, Mode};
use crate::call::phase::Phase;
use crate::engine::placement::Call;
use crate::engine::{Engine, profile};
use crate::error::Result;
use crate::pairwise::bit_parallel::cpu;
use crate::pairwise::bit_parallel::cpu::text::{self, Class, Nearest, Pattern, Text};
use crate::pairwise::codes::{Encoded, Symbol};

/// Rows per unit of the bound that are swept in a target unrelated to the query, of few symbols;
/// and rows in addition.
const ROWS_PER_EDIT: u64 = 3;
const MIN_ROWS: u64 = 32;
/// Maximum rows swept, so that their edges stay in a cache.
const MAX_ROWS: u64 = 1 << 12;

/// Expected seconds of the search of a query of `query` symbols in a target of `len`; `None` if the
/// options exclude it, or another search is expected to be faster.
pub(super) fn seconds(
    engine: &Engine,
    query: usize,
    len: usize,
    options: &EditOptions,
) -> Option<f64> {
    if options.mode != Mode::Infix || options.method != Method::Auto {
        return None;
    }
    let bound = options.max_distance.unwrap_or(u64::MAX).min(query as u64);
    let rows = (query as u64).min(bound.saturating_mul(ROWS_PER_EDIT).saturating_add(MIN_ROWS));
    if rows > MAX_ROWS {
        return None;
    }
    let cells = rows as f64 * (len as f64 + text::LEAST_POSITIONS);
    let rate = profile::cpu::TEXT_CELLS_PER_SECOND * profile::speedup(engine.threads());
    Some(cells / rate)
}

/// The ends of all substrings of `b` with the least distance from `a`, and the computed cells. No
/// ends if the least distance exceeds the maximum of the options.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(super) fn nearest<S: Symbol>(
    call: &Call<'_>,
    a: &[S],
    b: &[S],
    options: &EditOptions,
) -> Result<(Option<Ends>, u64)> {
    let engine = call.engine;
    let found = match (S::bytes(a), S::bytes(b)) {
        (Some(a), Some(b)) => in_text(engine, b, &Pattern::of_bytes(a), options)?,
        _ => {
            let codes = Encoded::by(engine, b, a);
            call.phases.lap(Phase::Encode);
            let pattern = Pattern::of_codes(&codes.b, codes.shared + 1);
            in_text(engine, &codes.a[..], &pattern, options)?
        }
    };
    let Nearest {
        distance,
        ends,
        cells,
    } = found;
    let is_within = distance <= options.max_distance.unwrap_or(u64::MAX);
    Ok((is_within.then_some(Ends { distance, ends }), cells))
}

fn in_text<C: Class>(
    engine: &Engine,
    symbols: &[C],
    pattern: &Pattern,
    options: &EditOptions,
) -> Result<Nearest> {
    let text = &Text { symbols, pattern };
    let bound = options.max_distance.unwrap_or(u64::MAX);
    let search = || text::nearest(text, bound, &options.control);
    if cpu::is_serial(symbols.len(), pattern.len()) {
        search()
    } else {
        engine.on_threads(search)
    }
}
