//! Starts of pieces with known ends.
//!
//! A single piece is a prefix of the reversed sequences: of a short query by whole columns, of a long
//! one in a band. Nearby ends share most of the table, so
//! one table of query and target serves all of them. Each of its cells holds the distance and the
//! first start of a piece with that distance. Rows whose distance is too large are skipped (Ukkonen
//! 1985, doi:10.1016/0196-6774(85)90023-9).

use std::ops::Range;

use super::column::prefixes;
use crate::call::control::Control;
use crate::edit_distance::known::KnownDistance;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::host::parallel::map_each;
use crate::sequences::bit_parallel::cpu;
use crate::sequences::bit_parallel::cpu::banded::{Codes, FIRST_SLACK};
use crate::sequences::codes::{Encoded, Symbol};
use crate::sequences::pair::Pair;

/// First start of a piece of `b` with `distance` to `a`, for each of the ascending `ends`.
/// `distance` must be the least of the pieces that end there.
///
/// # Errors
/// [`Error::Cancelled`] after cancellation; [`Error::CertificateFailed`] if no such piece ends at
/// one of `ends`.
pub(crate) fn starts<S: Symbol>(
    engine: &Engine,
    pair: Pair<'_, S>,
    ends: &[usize],
    distance: u64,
    control: &Control,
    cells: &mut u64,
) -> Result<Vec<usize>> {
    let Pair { a, b } = pair;
    let longest = a.len().saturating_add(distance as usize);
    let close = ends.chunk_by(|end, next| next - end <= longest);
    let parts: Vec<&[usize]> = close
        .flat_map(|ends| parts(ends, longest.saturating_mul(MAX_SPAN)))
        .flat_map(|ends| {
            if !S::MATCHES_OTHERS && one_table_pays(a.len(), ends, distance) {
                ends.chunks(ends.len())
            } else {
                ends.chunks(1)
            }
        })
        .collect();
    // Cells of the whole tables: how many of them can be skipped is known at the end.
    let table = |ends: &[usize]| {
        (a.len() as u64).saturating_mul(window(a.len(), ends, distance).len() as u64)
    };
    control.add_total(
        parts
            .iter()
            .map(|ends| table(ends))
            .fold(0, u64::saturating_add),
    );
    let quiet = control.unreported();
    let find = |ends: &[usize]| {
        let mut cells = 0;
        let starts = match ends {
            [end] => {
                let (of_end, known) = (Pair::new(a, &b[..*end]), &mut KnownDistance::default());
                let len = longest_piece(known, of_end, distance, true, &quiet, &mut cells)?;
                vec![end - len]
            }
            _ => from_one_table(pair, ends, distance, control, &mut cells)?,
        };
        control.add_done(table(ends));
        Ok((starts, cells))
    };
    let rows = parts
        .iter()
        .map(|ends| window(a.len(), ends, distance).len())
        .fold(0, usize::saturating_add);
    // No thread has to wake up.
    let found: Vec<_> = if cpu::is_serial(rows, a.len()) {
        parts.into_iter().map(find).collect()
    } else {
        engine.on_threads(|| map_each(parts, find))
    };
    let found: Vec<(Vec<usize>, u64)> = found.into_iter().collect::<Result<_>>()?;
    *cells += found.iter().map(|(_, cells)| cells).sum::<u64>();
    Ok(found.into_iter().flat_map(|(starts, _)| starts).collect())
}

/// Maximum span of a part, in lengths of the longest piece.
const MAX_SPAN: usize = 16;
/// Bit-vector cells computed in the time of one cell of numbers.
const BIT_CELLS_PER_CELL: u64 = 16;
/// Upper bound of distances and positions in a part, so that one limb holds both.
const PACKED_LIMIT: u64 = 1 << 31;

fn parts(ends: &[usize], span: usize) -> Vec<&[usize]> {
    let mut parts = Vec::new();
    let mut rest = ends;
    while let Some(&first) = rest.first() {
        let (part, behind) = rest.split_at(rest.partition_point(|&end| end - first <= span));
        parts.push(part);
        rest = behind;
    }
    parts
}

/// True if one table for all ends is faster than one band per end.
fn one_table_pays(query: usize, ends: &[usize], distance: u64) -> bool {
    let (query, longest) = (query as u64, (query as u64).saturating_add(distance));
    let span = longest.saturating_add((ends[ends.len() - 1] - ends[0]) as u64);
    let band = distance
        .saturating_mul(2)
        .saturating_add(2 * FIRST_SLACK)
        .min(query);
    let one_by_one = (ends.len() as u64)
        .saturating_mul(longest)
        .saturating_mul(band)
        / BIT_CELLS_PER_CELL;
    span < PACKED_LIMIT && query.saturating_mul(span) <= one_by_one
}

/// Longest query whose columns are computed whole.
const MAX_COLUMN: usize = 1 << 10;

/// Length of the longest piece at one end of `b` with `distance` to `a`: a suffix or a prefix.
/// `distance` must be the least of the pieces with that end.
///
/// # Errors
/// As [`starts`].
pub(crate) fn longest_piece<S: Symbol>(
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
        let codes = Codes {
            rows: &codes.a,
            cols: &codes.b,
            alphabet: codes.alphabet(),
        };
        prefixes(codes, distance, control, cells)?
            .filter(|found| found.distance == distance)
            .and_then(|found| found.ends.last().copied())
    };
    let end = if is_suffix { b.len() } else { 0 };
    longest.ok_or_else(|| missing(end, distance))
}

fn missing(end: usize, distance: u64) -> Error {
    Error::CertificateFailed(format!(
        "no piece that ends at {end} has the distance {distance}"
    ))
}

/// One edit. The upper 32 bits of a cell hold the distance, the lower 32 the start.
const EDIT: u64 = 1 << 32;
/// Symbols of the target between cancellation checks.
const CHECK_EVERY: usize = 1 << 10;

/// Starts of all pieces that end at `ends`, from one table. The minimum of two cells has the least
/// distance and, among equals, the first start; both only grow along an alignment.
fn from_one_table<S: Symbol>(
    Pair { a, b }: Pair<'_, S>,
    ends: &[usize],
    distance: u64,
    control: &Control,
    cells: &mut u64,
) -> Result<Vec<usize>> {
    let Range {
        start: first,
        end: last,
    } = window(a.len(), ends, distance);
    let far = (distance + 1) * EDIT;
    // Invariant: every row after `near` holds `far`.
    let mut near = a.len().min(distance as usize);
    let mut column: Vec<u64> = (0..=a.len() as u64)
        .map(|row| (row * EDIT).min(far))
        .collect();
    let mut starts = Vec::with_capacity(ends.len());
    let mut ends = ends.iter().copied().peekable();
    let mut settle = |place: usize, column: &[u64]| {
        if ends.next_if_eq(&place).is_some() {
            let cell = column[a.len()];
            if cell / EDIT != distance {
                return Err(missing(place, distance));
            }
            starts.push(first + (cell % EDIT) as usize);
        }
        Ok(())
    };
    settle(first, &column)?;
    for (place, symbol) in (first..last).zip(&b[first..last]) {
        let rows = (near + 1).min(a.len());
        let mut corner = column[0];
        let mut above = (place + 1 - first) as u64;
        column[0] = above;
        for (cell, row) in column[1..=rows].iter_mut().zip(a) {
            let paired = corner + if row == symbol { 0 } else { EDIT };
            corner = *cell;
            above = paired.min(corner + EDIT).min(above + EDIT);
            *cell = above;
        }
        near = rows;
        while column[near] >= far {
            column[near] = far;
            near -= 1;
        }
        *cells += rows as u64;
        settle(place + 1, &column)?;
        if place.is_multiple_of(CHECK_EVERY) {
            control.check()?;
        }
    }
    Ok(starts)
}

/// Range of the target that contains all pieces that end at `ends`.
fn window(query: usize, ends: &[usize], distance: u64) -> Range<usize> {
    let longest = query.saturating_add(distance as usize);
    ends[0].saturating_sub(longest)..ends[ends.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::super::column::{infix_column, minimum};
    use super::*;
    use crate::backend::DeviceChoice;
    use crate::edit_distance::{Mode, reference};
    use crate::engine::Options;
    use crate::sequences::bit_parallel::band::Band;
    use crate::sequences::bit_parallel::inputs::{self, Random};
    use crate::sequences::bit_parallel::recurrence::Edit;

    /// Global distance.
    fn distance(a: &[u32], b: &[u32], control: &Control) -> u64 {
        let codes = Encoded::new(b, a);
        let value = cpu::value::<Edit>(codes.pair(), codes.shared, Band::WHOLE, control);
        value.expect("not cancelled").found as u64
    }

    fn engine() -> Engine {
        Engine::new(Options::new().device(DeviceChoice::Cpu)).expect("the CPU is there")
    }

    /// Compares with the reference for all best ends and for some of them, singly and
    /// from_one_table.
    fn assert_starts(a: &[u32], b: &[u32]) {
        let (control, pair) = (Control::default(), Pair::new(a, b));
        let (distance, ends) = reference::ends(a, b, Mode::Infix);
        let expected: Vec<usize> = ends
            .iter()
            .map(|&end| reference::start(a, b, end, distance))
            .collect();
        let shown = || format!("let (a, b) = (vec!{a:?}, vec!{b:?});");
        assert_eq!(
            starts(&engine(), pair, &ends, distance, &control, &mut 0).expect("they start"),
            expected,
            "{}",
            shown()
        );
        assert_eq!(
            from_one_table(pair, &ends, distance, &control, &mut 0).expect("they start"),
            expected,
            "{}",
            shown()
        );
        for (place, &end) in ends.iter().enumerate().step_by(1 + ends.len() / 5) {
            let known = &mut KnownDistance::default();
            let of_end = Pair::new(a, &b[..end]);
            let one =
                longest_piece(known, of_end, distance, true, &control, &mut 0).expect("it starts");
            assert_eq!(end - one, expected[place], "{}", shown());
            let rest = from_one_table(pair, &ends[place..], distance, &control, &mut 0)
                .expect("they start");
            assert_eq!(rest, expected[place..], "{}", shown());
        }
        if distance > 0 {
            let none = from_one_table(pair, &ends, distance - 1, &control, &mut 0);
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
        for (query, target) in [(12, 90), (40, 60), (30, 20)] {
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
            let codes = Codes {
                rows: &codes.a,
                cols: &codes.b,
                alphabet: codes.alphabet(),
            };
            let found = minimum(
                &infix_column(codes, &control).expect("not cancelled").found,
                target,
            );
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

    #[test]
    fn many_ends_share_one_table() {
        let control = Control::default();
        let (query, target) = (1000, 50_000);
        let (a, b) = (vec![1u32; query], vec![1u32; target]);
        let ends: Vec<usize> = (query..=target).collect();
        let mut cells = 0;
        let found = starts(&engine(), Pair::new(&a, &b), &ends, 0, &control, &mut cells)
            .expect("they start");
        assert!(
            found
                .iter()
                .zip(&ends)
                .all(|(start, end)| end - start == query)
        );
        assert!(cells <= 2 * (query * target) as u64, "{cells}");
        // Distant ends do not fill the columns between them.
        let b: Vec<u32> = (0..target)
            .map(|place| if place % 10_000 < query { 1 } else { 2 })
            .collect();
        let ends: Vec<usize> = (0..5).map(|place| place * 10_000 + query).collect();
        let mut cells = 0;
        let found = starts(&engine(), Pair::new(&a, &b), &ends, 0, &control, &mut cells)
            .expect("they start");
        assert!(
            found
                .iter()
                .zip(&ends)
                .all(|(start, end)| end - start == query)
        );
        assert!(cells <= 5 * (query * query) as u64, "{cells}");
    }

    #[test]
    fn parts_contain_every_end_once_within_the_maximum_span() {
        let mut random = Random::new(62);
        for span in [0, 1, 5, 100] {
            let mut ends: Vec<usize> = (0..60).map(|_| random.below(500)).collect();
            ends.sort_unstable();
            ends.dedup();
            let parts = parts(&ends, span);
            assert_eq!(parts.concat(), ends);
            assert!(
                parts
                    .iter()
                    .all(|part| part[part.len() - 1] - part[0] <= span)
            );
            assert!(parts.windows(2).all(|two| two[1][0] - two[0][0] > span));
        }
    }
}
