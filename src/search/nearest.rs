//! The nearest pieces of a text on the CPU, without a column of the table: 64 positions of the text
//! per limb, see [`text`].

use super::column::Ends;
use crate::call::phase::Phase;
use crate::edit_distance::EditOptions;
use crate::engine::placement::Call;
use crate::engine::{Engine, profile};
use crate::error::Result;
use crate::matching::Letter;
use crate::sequences::bit_parallel::cpu;
use crate::sequences::bit_parallel::cpu::text::{self, Class, Nearest, Pattern, Text};
use crate::sequences::codes::{Encoded, Symbol};

/// Rows per unit of the bound that are swept in a text unrelated to the pattern, of few symbols; and
/// rows in addition.
const ROWS_PER_EDIT: u64 = 3;
const MIN_ROWS: u64 = 32;
/// Maximum rows swept, so that their edges stay in a cache.
const MAX_ROWS: u64 = 1 << 12;

/// Expected rows that are swept for a bound.
pub(super) fn rows(pattern: usize, bound: u64) -> u64 {
    let rows = bound.saturating_mul(ROWS_PER_EDIT).saturating_add(MIN_ROWS);
    rows.min(pattern as u64)
}

/// False if another search is expected to be faster.
pub(crate) fn pays<S>(pattern: &[S], options: &EditOptions) -> bool {
    rows(pattern.len(), options.max_distance.unwrap_or(u64::MAX)) <= MAX_ROWS
}

/// Expected seconds of the search of a pattern in a text of `len` symbols.
pub(crate) fn seconds(engine: &Engine, pattern: usize, len: usize, options: &EditOptions) -> f64 {
    let bound = options.max_distance.unwrap_or(u64::MAX);
    let cells = rows(pattern, bound) as f64 * (len as f64 + text::LEAST_POSITIONS);
    let rate = profile::cpu::TEXT_CELLS_PER_SECOND * profile::speedup(engine.threads());
    cells / rate
}

/// The ends of all substrings of `b` with the least distance from `a`, and the computed cells. No
/// ends if the least distance exceeds the maximum of the options.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled).
pub(crate) fn nearest<S: Symbol>(
    call: &Call<'_>,
    a: &[S],
    b: &[S],
    options: &EditOptions,
) -> Result<(Option<Ends>, u64)> {
    let engine = call.engine;
    let found = if let (Some(a), Some(b)) = (S::bytes(a), S::bytes(b)) {
        in_text(engine, b, &Pattern::of_bytes(a), options)?
    } else if let (Some(a), Some(b)) = (S::letters(a), S::letters(b)) {
        let bytes: Vec<u8> = b.iter().map(|letter| letter.byte()).collect();
        call.phases.lap(Phase::Encode);
        in_text(engine, &bytes, &letters(a, b), options)?
    } else {
        let codes = Encoded::by(engine, b, a);
        call.phases.lap(Phase::Encode);
        let pattern = Pattern::of_codes(&codes.b, codes.shared + 1);
        in_text(engine, &codes.a[..], &pattern, options)?
    };
    let Nearest {
        distance,
        ends,
        cells,
    } = found;
    let is_within = distance <= options.max_distance.unwrap_or(u64::MAX);
    Ok((is_within.then_some(Ends { distance, ends }), cells))
}

/// A pattern of letters, for the bytes of the letters of a text.
fn letters(pattern: &[Letter], text: &[Letter]) -> Pattern {
    let by_byte = |letters: &[Letter]| {
        let mut by_byte = [None; 256];
        for &letter in letters {
            by_byte[usize::from(letter.byte())] = Some(letter);
        }
        by_byte
    };
    let (of_pattern, of_text) = (by_byte(pattern), by_byte(text));
    let matched = |byte: u8| {
        let matches = |other: &u32| {
            let other = of_text[*other as usize];
            other.is_some() && other == of_pattern[usize::from(byte)]
        };
        (0..256).filter(matches).collect()
    };
    Pattern::of_symbols::<u8, _>(pattern.iter().map(|letter| letter.byte()), matched, 256)
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
