//! Symbols that match others: bit vectors whose match masks are unions, and on the CPU wavefronts.
//!
//! Codes of the other methods stand for classes of equal symbols, and matching letters have no
//! classes. Here the mask of a column's symbol has the rows of all symbols that it matches. Common
//! affixes and the furthest-reaching points need no classes either: neighbouring cells differ by at
//! most one whatever matches.
//!
//! Cost: as wavefronts; as the strip sweep on a GPU; or on the CPU `rows * cols / 64` limb steps on
//! one thread, twice that with the path.

use crate::call::control::Control;
use crate::engine::placement::{AUTO, Cost};
use crate::engine::{Engine, profile};
use crate::error::{Error, Result};
use crate::host::threads::join;
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::hirschberg::column_midpoint;
use crate::sequences::bit_parallel::recurrence::{Column, LastColumn, Recurrence, growth};
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::{Symbol, distinct};
use crate::sequences::pair::Pair;
use crate::sequences::problem::Problem;
use crate::sequences::request::{BIT_PARALLEL, REFERENCE, Solution, WAVEFRONT};
use crate::symbols::alphabet::Alphabet;

/// Limbs of a strip, whose state stays in the first-level cache.
const STRIP_LIMBS: usize = 256;
/// Columns between checks for cancellation.
const CHUNK_COLS: usize = 1 << 12;
/// Parts up to this size are traced back through the plain table.
const TABLE_CELLS: usize = 1 << 14;

/// Last column of a table.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn last_column<R: Recurrence, S: Symbol>(
    rows: &[S],
    cols: &[S],
    first_column: [u64; 2],
    control: &Control,
) -> Result<LastColumn> {
    let (of_rows, row_alphabet) = kinds(rows);
    let (of_cols, col_alphabet) = kinds(cols);
    let cols = col_alphabet.encoded(cols);
    // Codes of columns that match each kind of row.
    let matched = |row: &S| {
        let all = (1..).zip(&of_cols).filter(|&(_, col)| col == row);
        all.map(|(code, _)| code).collect::<Vec<usize>>()
    };
    let matched: Vec<_> = of_rows.iter().map(matched).collect();
    let mut column = [const { Vec::new() }; 2];
    // Horizontal differences above the strip.
    let mut carries = vec![[0u8; 2]; cols.len()];
    // `[code][limb]`
    let mut masks: Vec<u64> = Vec::new();
    for strip in rows.chunks(64 * STRIP_LIMBS) {
        let limbs = strip.len().div_ceil(64);
        masks.clear();
        masks.resize((of_cols.len() + 1) * limbs, 0);
        for (row, symbol) in strip.iter().enumerate() {
            let kind = row_alphabet.code(symbol.place()) as usize - 1;
            for &code in &matched[kind] {
                masks[code * limbs + row / 64] |= 1 << (row % 64);
            }
        }
        let mut v = vec![first_column; limbs];
        let chunks = cols.chunks(CHUNK_COLS);
        for (chunk, carries) in chunks.zip(carries.chunks_mut(CHUNK_COLS)) {
            control.check()?;
            for (&code, carry) in chunk.iter().zip(carries) {
                let mask = &masks[code as usize * limbs..][..limbs];
                let mut h = carry.map(u64::from);
                for (v, &mask) in v.iter_mut().zip(mask) {
                    (*v, h) = R::limb(*v, mask, h);
                }
                *carry = h.map(|bit| bit as u8);
            }
            control.add_done(strip.len() as u64 * chunk.len() as u64);
        }
        for limb in v {
            column[0].push(limb[0]);
            column[1].push(limb[1]);
        }
    }
    Ok(LastColumn {
        column: Column(column),
        above: cols.len() as i64 * growth(R::FIRST_ROW.map(|word| word & 1)),
    })
}

/// Last value of a table.
fn last_value<R: Recurrence, S: Symbol>(rows: &[S], cols: &[S], control: &Control) -> Result<i64> {
    let LastColumn { column, above } = last_column::<R, S>(rows, cols, R::FIRST_COLUMN, control)?;
    Ok(above + R::GAIN * column.growth::<R>(rows.len()))
}

/// One of each kind of symbol, by code - 1.
fn kinds<S: Symbol>(symbols: &[S]) -> (Vec<S>, Alphabet) {
    let kinds = distinct(symbols);
    let alphabet = Alphabet::of([&kinds[..]]);
    (kinds, alphabet)
}

/// Canonical path (Hirschberg 1975, doi:10.1145/360825.360861).
fn path<P: Problem, S: Symbol>(a: &[S], b: &[S], control: &Control) -> Result<Blocks> {
    let mut found = Blocks::default();
    let mut parts = vec![(0..a.len(), 0..b.len())];
    while let Some((rows, cols)) = parts.pop() {
        let (part_a, part_b) = (&a[rows.clone()], &b[cols.clone()]);
        if rows.is_empty() || cols.is_empty() {
            continue;
        }
        if cols.len() == 1 || rows.len().saturating_mul(cols.len()) <= TABLE_CELLS {
            let pair = Pair::new(part_a, part_b);
            let solved = P::reference(pair, true, u64::MAX, &mut || control.check().is_ok());
            let (_, path) = solved.ok_or(Error::Cancelled)?;
            found.append(&path.unwrap_or_default(), rows.start, cols.start);
            continue;
        }
        let (left, right) = part_b.split_at(part_b.len().div_ceil(2));
        let reversed = |symbols: &[S]| symbols.iter().rev().copied().collect::<Vec<_>>();
        let column =
            |a: &[S], b: &[S]| last_column::<P::Sweep, S>(a, b, P::Sweep::FIRST_COLUMN, control);
        let (before, behind) = join(
            || column(part_a, left),
            || column(&reversed(part_a), &reversed(right)),
        );
        let (before, behind) = (before?.column, behind?.column);
        let split = column_midpoint::<P::Sweep>(&before, &behind, part_a.len(), part_b.len());
        let (row, col) = (rows.start + split.row, cols.start + split.col);
        parts.push((row..rows.end, col..cols.end));
        parts.push((rows.start..row, cols.start..col));
    }
    Ok(found)
}

/// Maximum bits of codes on GPUs, which have a match mask for each code.
pub(super) const MAX_SETS: u32 = 7;
/// Part of a wavefront search after which it must be on track to finish.
pub(super) const PROBE_SHARE: u64 = 8;

/// Sweep on the CPU.
///
/// # Errors
/// [`Error::Cancelled`].
pub(super) fn sweep<P: Problem, S: Symbol>(
    rows: &[S],
    cols: &[S],
    with_path: bool,
    control: &Control,
) -> Result<Solution> {
    if with_path {
        let path = path::<P, S>(rows, cols, control)?;
        return Ok(Solution {
            cost: P::Sweep::path_cost(&path, rows, cols),
            path: Some(path),
            path_mode: PathMode::Hirschberg,
        });
    }
    let value = last_value::<P::Sweep, S>(rows, cols, control)?;
    Ok(Solution::of_cost(P::Sweep::cost(
        value,
        rows.len(),
        cols.len(),
    )))
}

/// Cost of a sweep on the CPU.
pub(crate) fn cost(rows: usize, cols: usize, path: bool) -> Cost {
    let computed = rows as f64 * cols as f64 * if path { 2.0 } else { 1.0 };
    Cost {
        path_mode: PathMode::Hirschberg.if_path(path),
        tile: (rows as u64, cols as u64),
        strips: rows.div_ceil(64 * STRIP_LIMBS) as u64,
        host_bytes: (6 * cols + rows) as u64,
        ..Cost::new(computed / profile::cpu::SMALL_CELLS_PER_SECOND)
    }
}

/// The error of symbols that match too many others for a GPU.
pub(super) fn too_many_sets(device: &str) -> Error {
    Error::MethodUnavailable {
        method: BIT_PARALLEL,
        device: device.to_string(),
        reason: format!(
            "symbols match others in more than {MAX_SETS} ways; choose the device 'cpu' or 'auto'"
        ),
    }
}

/// Checks that a method can match symbols that are not equal, on the named GPU if there is one.
///
/// # Errors
/// [`Error::MethodUnavailable`].
pub(super) fn check(engine: &Engine, method: &'static str) -> Result<()> {
    match method {
        AUTO | BIT_PARALLEL | REFERENCE => Ok(()),
        WAVEFRONT => check_device(engine, WAVEFRONT),
        _ => Err(Error::MethodUnavailable {
            method,
            device: "symbols that match others".to_string(),
            reason: "it needs classes of equal symbols; take the method 'auto'".to_string(),
        }),
    }
}

/// Refuses a named GPU.
///
/// # Errors
/// [`Error::MethodUnavailable`].
fn check_device(engine: &Engine, method: &'static str) -> Result<()> {
    if !engine.names_gpu()? {
        return Ok(());
    }
    Err(Error::MethodUnavailable {
        method,
        device: "a GPU with symbols that match others".to_string(),
        reason: "choose the device 'cpu' or 'auto'".to_string(),
    })
}

/// Checks that the CPU may match a query with the pieces of a text.
///
/// # Errors
/// [`Error::MethodUnavailable`].
pub(crate) fn check_pieces(engine: &Engine, method: &'static str) -> Result<()> {
    check(engine, method)?;
    check_device(engine, BIT_PARALLEL)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{self, Mode};
    use crate::engine::Options;
    use crate::matching::{Letter, Matching};
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::{DeviceChoice, Edit, Lcs, lcs};

    fn cpu() -> Engine {
        Engine::new(Options {
            device: DeviceChoice::Cpu,
            ..Options::default()
        })
        .expect("the CPU is always here")
    }

    fn random(random: &mut Random, len: usize, letters: &[u8]) -> Vec<u8> {
        (0..len)
            .map(|_| letters[random.below(letters.len())])
            .collect()
    }

    /// Pairs of letters of several lengths around limbs and strips, unrelated and similar.
    fn for_each(check: impl Fn(&[Letter], &[Letter])) {
        let mut rng = Random::new(91);
        let iupac = Matching::iupac();
        let chain = Matching::default()
            .equal(b'x', b'y')
            .and_then(|one| one.equal(b'y', b'z'));
        for (matching, letters) in [
            (&iupac, &b"ACGTNRYacgu"[..]),
            (&chain.expect("few"), b"xyzw"),
        ] {
            for (m, n) in [
                (0, 0),
                (0, 5),
                (1, 1),
                (63, 64),
                (65, 63),
                (130, 129),
                (300, 257),
                (700, 90),
            ] {
                for _ in 0..4 {
                    let a = random(&mut rng, m, letters);
                    let b = random(&mut rng, n, letters);
                    let mut similar = a.clone();
                    if m > 8 {
                        similar[m / 2] = b'N';
                        similar.remove(m / 3);
                        similar.insert(m / 4, letters[0]);
                    }
                    check(&matching.letters(&a), &matching.letters(&b));
                    check(&matching.letters(&a), &matching.letters(&similar));
                }
            }
        }
    }

    #[test]
    fn distances_and_alignments_are_those_of_the_plain_table() {
        let engine = cpu();
        for_each(|a, b| {
            let distance = edit_distance::reference::distance(a, b, Mode::Global);
            for name in ["auto", "bit-parallel", "wavefront", "reference"] {
                let method: edit_distance::Method = name.parse().expect("a name");
                let found = engine.run(&Edit::of(a, b).method(method)).expect("small");
                assert_eq!(found.distance.exactly(), Some(distance), "{name}");
                let path = engine
                    .run(&Edit::of(a, b).method(method).path())
                    .expect("small");
                assert_eq!(path.distance.exactly(), Some(distance), "{name}");
                let plain = engine.run(
                    &Edit::of(a, b)
                        .method(edit_distance::Method::Reference)
                        .path(),
                );
                assert_eq!(path.alignment, plain.expect("small").alignment, "{name}");
                for gaps in edit_distance::Gaps::ALL {
                    let task = Edit::of(a, b).method(method).path().gaps(gaps);
                    assert!(engine.run(&task).is_ok(), "{name} {gaps}");
                }
            }
        });
    }

    #[test]
    fn pieces_are_those_of_the_plain_table() {
        let engine = cpu();
        for_each(|a, b| {
            let a = &a[..a.len().min(40)];
            for mode in [Mode::Prefix, Mode::Infix] {
                if a.is_empty() && mode == Mode::Infix {
                    continue;
                }
                let (distance, ends) = edit_distance::reference::ends(a, b, mode);
                let task = Edit::of(a, b).mode(mode).starts().path();
                let found = engine.run(&task).expect("small");
                assert_eq!(found.distance.exactly(), Some(distance), "{mode}");
                let found_ends: Vec<_> = found.pieces.iter().map(|piece| piece.end).collect();
                assert_eq!(found_ends, ends, "{mode}");
                for piece in &found.pieces {
                    let start = match mode {
                        Mode::Infix => edit_distance::reference::start(a, b, piece.end, distance),
                        _ => 0,
                    };
                    assert_eq!(piece.start, Some(start), "{mode}");
                }
            }
        });
    }

    #[test]
    fn subsequences_are_those_of_the_plain_table() {
        let engine = cpu();
        for_each(|a, b| {
            let length = lcs::reference::length(a, b);
            for name in ["auto", "bit-parallel", "wavefront", "reference"] {
                let method: lcs::Method = name.parse().expect("a name");
                let found = engine.run(&Lcs::of(a, b).method(method)).expect("small");
                assert_eq!(found.length, length, "{name}");
                let path = engine
                    .run(&Lcs::of(a, b).method(method).path())
                    .expect("small");
                let plain = engine.run(&Lcs::of(a, b).method(lcs::Method::Reference).path());
                assert_eq!(
                    path.subsequence,
                    plain.expect("small").subsequence,
                    "{name}"
                );
            }
        });
    }

    #[test]
    fn paths_of_many_parts_and_strips_are_canonical() {
        let engine = cpu();
        let mut rng = Random::new(92);
        let iupac = Matching::iupac();
        let a = iupac.letters(&random(&mut rng, 20_000, b"ACGTN"));
        let b = iupac.letters(&random(&mut rng, 700, b"ACGTR"));
        for (a, b) in [(&a, &b), (&b, &a)] {
            let run = |method| {
                engine
                    .run(&Edit::of(a, b).method(method).path())
                    .expect("small")
            };
            let swept = run(edit_distance::Method::BitParallel);
            let plain = run(edit_distance::Method::Reference);
            assert_eq!(
                (swept.distance, &swept.alignment),
                (plain.distance, &plain.alignment)
            );
        }
    }

    #[test]
    fn methods_with_classes_of_symbols_are_refused() {
        let letters = Matching::iupac().letters(b"ACGTN");
        for method in ["banded", "tiled", "anti-diagonal"] {
            let method = method.parse().expect("a name");
            let run = cpu().run(&Edit::of(&letters, &letters[1..]).method(method));
            assert!(matches!(run, Err(Error::MethodUnavailable { .. })));
        }
        let scs = cpu().run(&crate::Scs::of(&letters, &letters));
        assert!(matches!(scs, Err(Error::MethodUnavailable { .. })));
        let substring = cpu().run(&crate::Substring::of(&letters, &letters));
        assert!(matches!(substring, Err(Error::MethodUnavailable { .. })));
    }
}
