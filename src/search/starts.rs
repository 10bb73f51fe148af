//! Starts of pieces with known ends.
//!
//! A piece is a prefix of the reversed sequences: of a short query by words around the diagonals that
//! it can end on, of a long one in a band of the strip sweep.

use std::ops::Range;

use super::column::prefixes;
use crate::call::control::Control;
use crate::edit_distance::known::KnownDistance;
use crate::engine::placement::Call;
use crate::error::{Error, Result};
use crate::host::parallel;
use crate::sequences::bit_parallel::cpu;
use crate::sequences::codes::{Encoded, Symbol};
use crate::sequences::pair::Pair;

/// First start of a piece of `b` with `distance` to `a`, for each of the ascending `ends`.
/// `distance` must be the least of the pieces that end there.
///
/// # Errors
/// [`Error::Cancelled`] after cancellation; [`Error::CertificateFailed`] if no such piece ends at
/// one of `ends`.
pub(crate) fn starts<S: Symbol>(
    call: &Call<'_>,
    Pair { a, b }: Pair<'_, S>,
    ends: &[usize],
    distance: u64,
    cells: &mut u64,
) -> Result<Vec<usize>> {
    let Call {
        engine, control, ..
    } = call;
    let cells_of = |end: usize| {
        let longest = a.len().saturating_add(distance as usize);
        (a.len() as u64).saturating_mul(end.min(longest) as u64)
    };
    let total = ends.iter().map(|&end| cells_of(end));
    control.add_total(total.fold(0, u64::saturating_add));
    let quiet = control.unreported();
    let find = |range: Range<usize>| {
        let (mut known, mut cells) = (KnownDistance::default(), 0);
        let starts = ends[range].iter().map(|&end| {
            let of_end = Pair::new(a, &b[..end]);
            let len = longest_piece(&mut known, of_end, distance, true, &quiet, &mut cells)?;
            control.add_done(cells_of(end));
            Ok(end - len)
        });
        Ok((starts.collect::<Result<Vec<_>>>()?, cells))
    };
    // No thread has to wake up.
    let found = if cpu::is_serial(ends.len().saturating_mul(a.len()), a.len()) {
        vec![find(0..ends.len())?]
    } else {
        engine.on_threads(|| {
            let of_range = parallel::range_len(ends.len(), 1);
            parallel::try_map_ranges(ends.len(), of_range, find)
        })?
    };
    *cells += found.iter().map(|(_, cells)| cells).sum::<u64>();
    Ok(found.into_iter().flat_map(|(starts, _)| starts).collect())
}

/// Longest query whose match masks are made for each end: they take a word for 64 rows and a symbol.
const MAX_COLUMN: usize = 1 << 10;

/// Length of the longest piece at one end of `b` with `distance` to `a`: a suffix or a prefix.
/// `distance` must be the least of the pieces with that end.
pub(super) fn longest_piece<S: Symbol>(
    known: &mut KnownDistance,
    Pair { a, b }: Pair<'_, S>,
    distance: u64,
    is_suffix: bool,
    control: &Control,
    cells: &mut u64,
) -> Result<usize> {
    let max_len = b.len().min(a.len().saturating_add(distance as usize));
    let longest = if a.len() <= MAX_COLUMN {
        control.check()?;
        *cells += (a.len() as u64).saturating_mul(max_len as u64);
        known.longest(a, b, distance as usize, is_suffix)
    } else {
        let codes = if is_suffix {
            let reversed = |symbols: &[S]| symbols.iter().rev().copied().collect::<Vec<_>>();
            Encoded::new(&reversed(&b[b.len() - max_len..]), &reversed(a))
        } else {
            Encoded::new(&b[..max_len], a)
        };
        let found = prefixes(codes.codes(), distance, control, cells)?;
        (found.distance == distance)
            .then(|| found.ends.last().copied())
            .flatten()
    };
    let end = if is_suffix { b.len() } else { 0 };
    longest.ok_or_else(|| {
        Error::CertificateFailed(format!(
            "no piece that ends at {end} has the distance {distance}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::super::column::{infix_column, minimum};
    use super::*;
    use crate::edit_distance::{Mode, reference};
    use crate::engine::Engine;
    use crate::sequences::bit_parallel::band::Band;
    use crate::sequences::bit_parallel::inputs::{self, Random};
    use crate::sequences::bit_parallel::recurrence::Edit;

    fn distance(a: &[u32], b: &[u32], control: &Control) -> u64 {
        let codes = Encoded::new(b, a);
        let value = cpu::value::<Edit>(codes.codes(), Band::WHOLE, control);
        value.expect("not cancelled").found as u64
    }

    /// Compares with the reference for all best ends.
    fn assert_starts(a: &[u32], b: &[u32]) {
        let (engine, control, pair) = (Engine::cpu(), Control::default(), Pair::new(a, b));
        let call = Call::start(&engine, &control);
        let (distance, ends) = reference::ends(a, b, Mode::Infix);
        let expected: Vec<usize> = ends
            .iter()
            .map(|&end| reference::start(a, b, end, distance))
            .collect();
        let shown = || format!("let (a, b) = (vec!{a:?}, vec!{b:?});");
        assert_eq!(
            starts(&call, pair, &ends, distance, &mut 0).expect("they start"),
            expected,
            "{}",
            shown()
        );
        if distance > 0 {
            let none = starts(&call, pair, &ends, distance - 1, &mut 0);
            assert!(matches!(none, Err(Error::CertificateFailed(_))), "{none:?}");
        }
    }

    #[test]
    fn starts_match_the_reference_on_random_and_periodic_inputs() {
        let mut random = Random::new(61);
        for _ in 0..150 {
            let letters = 1 + random.below(4) as u32;
            let (query, target) = (1 + random.below(30), random.below(200));
            let (a, b) = (random.codes(query, letters), random.codes(target, letters));
            assert_starts(&a, &b);
            // Copies of the query with occasional edits.
            let mut copies = a.iter().copied().cycle().take(target).collect::<Vec<_>>();
            assert_starts(&a, &copies);
            (0..copies.len())
                .step_by(7 + query)
                .for_each(|place| copies[place] = 9);
            assert_starts(&a, &copies);
        }
        for (query, target) in [(12, 90), (40, 60), (30, 20), (200, 400)] {
            for (a, b) in inputs::pairs(query, target) {
                if !a.is_empty() {
                    assert_starts(&a, &b);
                }
            }
        }
    }

    #[test]
    fn starts_give_pieces_of_the_requested_distance() {
        let (mut random, control) = (Random::new(42), Control::default());
        for (query, target) in [(20_000, 17_000), (17_000, 20_000), (20_000, 20_000)] {
            let (a, b) = (random.codes(query, 4), random.codes(target, 4));
            let codes = Encoded::new(&b, &a);
            let column = infix_column(codes.codes(), &control).expect("not cancelled");
            let found = minimum(&column.found, target);
            let end = found.ends[0];
            let known = &mut KnownDistance::default();
            let mut longest = |distance| {
                let of_end = Pair::new(&a, &b[..end]);
                longest_piece(known, of_end, distance, true, &control, &mut 0)
            };
            let first = end - longest(found.distance).expect("it has a start");
            assert_eq!(
                distance(&a, &b[first..end], &control),
                found.distance,
                "{query} {target}"
            );
            let none = longest(found.distance - 1);
            assert!(matches!(none, Err(Error::CertificateFailed(_))), "{none:?}");
        }
    }
}
