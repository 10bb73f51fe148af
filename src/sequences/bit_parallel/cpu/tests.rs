use std::fmt::Debug;

use super::super::band::Band;
use super::super::differences::ReferenceValues;
use super::super::inputs::{self, Random};
use super::super::recurrence::{Edit, LastColumn};
use super::coding::Coding;
use super::kept::Keep;
use super::kernel::SNAPSHOT_STEPS;
use super::kernels::Kernel;
use super::lanes::Lanes;
use super::schedule::BLOCK_COLS;
use super::table::StripTable;
use super::*;
use crate::call::control::Control;
use crate::edit_distance;
use crate::host::simd::Instructions;
use crate::lcs::reference;
use crate::matching::Matching;
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::{Codes, Encoded, SetCode, Symbol};

const BLOCK: usize = 128;

/// Kernels with few limbs, so that small inputs cross strips: every register type of this
/// processor, with planes in registers and in memory.
fn kernels<R: Kernels>(planes: usize) -> Vec<Kernel> {
    let mut kernels = vec![
        Kernel::new::<R, [u64; 2], 2, 1, 0>(),
        Kernel::new::<R, [u64; 1], 1, 2, 0>(),
    ];
    if planes == 2 {
        kernels.extend([
            Kernel::new::<R, [u64; 2], 1, 2, 2>(),
            Kernel::new::<R, [u64; 4], 2, 1, 2>(),
        ]);
    }
    #[cfg(target_arch = "x86_64")]
    {
        use super::vector::{Avx2, Avx512};
        kernels.extend([
            Kernel::new::<R, Avx2, 2, 1, 0>(),
            Kernel::new::<R, Avx512, 1, 1, 0>(),
        ]);
        if planes == 2 {
            kernels.extend([
                Kernel::new::<R, Avx2, 1, 2, 2>(),
                Kernel::new::<R, Avx512, 2, 1, 2>(),
            ]);
        }
        if planes == 3 {
            kernels.extend([
                Kernel::new::<R, Avx2, 2, 2, 3>(),
                Kernel::new::<R, Avx512, 1, 2, 3>(),
            ]);
        }
    }
    #[cfg(target_arch = "aarch64")]
    {
        use super::vector::Neon;
        kernels.extend([
            Kernel::new::<R, Neon, 2, 1, 0>(),
            Kernel::new::<R, Neon, 1, 2, 0>(),
        ]);
        if planes == 2 {
            kernels.extend([
                Kernel::new::<R, Neon, 1, 2, 2>(),
                Kernel::new::<R, Neon, 2, 1, 2>(),
            ]);
        }
        if planes == 3 {
            kernels.extend([
                Kernel::new::<R, Neon, 2, 2, 3>(),
                Kernel::new::<R, Neon, 1, 1, 3>(),
            ]);
        }
    }
    kernels.into_iter().flatten().collect()
}

trait Oracle: Kernels {
    fn column<S: Symbol>(a: &[S], b: &[S]) -> Vec<i64> {
        ReferenceValues::new::<Self, S>(a, b).last_column()
    }

    fn path<S: Symbol>(a: &[S], b: &[S]) -> Blocks;
}

impl Oracle for Lcs {
    fn path<S: Symbol>(a: &[S], b: &[S]) -> Blocks {
        reference::subsequence(a, b).0
    }
}

impl Oracle for Edit {
    fn path<S: Symbol>(a: &[S], b: &[S]) -> Blocks {
        edit_distance::reference::path(a, b)
    }
}

fn values<R: Lanes>(last: &LastColumn, rows: usize) -> Vec<i64> {
    let mut value = last.above;
    let mut values = vec![value];
    for row in 0..rows {
        let [plus, minus] = last.column.gains::<R>(row, 1);
        value += R::GAIN * (plus as i64 - minus as i64);
        values.push(value);
    }
    values
}

fn swept<R: Kernels>(
    kernel: Kernel,
    codes: Codes<'_>,
    block_cols: usize,
    band: Band,
    keep: Keep,
) -> StripTable<'_, R> {
    let coding = Coding::new(codes);
    StripTable::<R>::with_kernel(kernel, coding, codes, block_cols, R::FIRST_COLUMN, band)
        .keeping(keep)
        .run(&Control::default())
        .expect("not cancelled")
}

fn assert_matches_reference<R: Oracle, S: Symbol + Debug>(block: usize, a: &[S], b: &[S]) {
    let encoded = Encoded::new(a, b);
    let codes = encoded.codes();
    let control = Control::default();
    let column = R::column(a, b);
    let path = R::path(a, b);
    let coding = Coding::new(codes);
    let last = value::<R>(codes, Band::WHOLE, &control).expect("not cancelled");
    assert_eq!(Some(&last.found), column.last());
    let with = |instructions| {
        if codes.alphabet.sets {
            return [Kernel::with_sets::<R>(instructions, a.len()), None];
        }
        [false, true].map(|store| Kernel::with::<R>(instructions, a.len(), coding.planes, store))
    };
    let picked = Instructions::all_available().flat_map(with).flatten();
    let equal = if codes.alphabet.sets {
        Vec::new()
    } else {
        kernels::<R>(coding.planes)
    };
    for kernel in equal.into_iter().chain(picked) {
        let table = |keep| swept::<R>(kernel, codes, block, Band::WHOLE, keep);
        let sizes = format!(
            "{} lanes, {} chains, {} limbs",
            kernel.lanes, kernel.chains, kernel.limbs
        );
        let plain = table(Keep::Nothing);
        assert_eq!(
            values::<R>(&plain.last_column(), a.len()),
            column,
            "{sizes}, a = {a:?}, b = {b:?}"
        );
        assert_eq!(
            Some(&plain.last_value()),
            column.last(),
            "{sizes}, a = {a:?}, b = {b:?}"
        );
        for keep in [Keep::Entries, Keep::Boundaries] {
            let kept = table(keep);
            for parts in [1, 2, 7] {
                let found = kept
                    .walk_in_parts(codes, parts, &control)
                    .expect("not cancelled");
                assert_eq!(
                    found, path,
                    "{keep:?}, {sizes}, {parts} parts, a = {a:?}, b = {b:?}"
                );
            }
        }
    }
}

fn assert_both_match_reference<S: Symbol + Debug>(a: &[S], b: &[S]) {
    assert_matches_reference::<Lcs, _>(BLOCK, a, b);
    assert_matches_reference::<Edit, _>(BLOCK, a, b);
}

#[test]
fn every_kernel_matches_the_reference_on_limb_lane_and_strip_edges() {
    let mut random = Random::new(2);
    for rows in [
        1, 62, 63, 64, 125, 126, 127, 251, 252, 253, 503, 504, 505, 1007, 1008, 1009,
    ] {
        for letters in [4, 5] {
            assert_both_match_reference(&random.codes(rows, letters), &random.codes(150, letters));
        }
    }
}

#[test]
fn every_kernel_matches_the_reference_on_block_edges() {
    let mut random = Random::new(3);
    for cols in [
        1, 7, 8, 9, 15, 16, 17, 22, 23, 24, 63, 64, 65, 127, 128, 129, 255, 256, 257,
    ] {
        for letters in [4, 26] {
            assert_both_match_reference(&random.codes(300, letters), &random.codes(cols, letters));
        }
    }
}

#[test]
fn every_kernel_matches_the_reference_around_snapshots() {
    let mut random = Random::new(15);
    let around = [1, 2, 3]
        .map(|place| place * SNAPSHOT_STEPS)
        .into_iter()
        .flat_map(|steps| [steps - 1, steps, steps + 1]);
    for cols in around.chain([BLOCK_COLS, BLOCK_COLS + 40]) {
        for letters in [4, 5] {
            let a = random.codes(cols + 300, letters);
            // The path stays near the diagonal for one, and wanders for the other.
            for b in [
                random.edited(&a[..cols], 9, letters),
                random.codes(cols, letters),
            ] {
                assert_matches_reference::<Lcs, _>(BLOCK_COLS, &a, &b);
                assert_matches_reference::<Edit, _>(BLOCK_COLS, &a, &b);
            }
        }
    }
}

#[test]
fn every_kernel_matches_the_reference_on_every_kind_of_input() {
    for (a, b) in inputs::pairs(330, 290) {
        assert_both_match_reference(&a, &b);
    }
}

/// Matchings, each with the letters of its texts. Their codes are sets alone, sets with bits for single
/// letters, sets with numbers of a few and of eight bits, and sets with more groups than a byte has bits.
fn letters() -> Vec<(Matching, Vec<u8>)> {
    let pairs = |pairs: &[&[u8; 2]]| {
        let equal = |all: Matching, [x, y]: &&[u8; 2]| all.equal(*x, *y).expect("few");
        pairs.iter().fold(Matching::default(), equal)
    };
    let (six, ten) = (
        [b"ab", b"cd", b"ef", b"gh", b"ij", b"kl"],
        [
            b"ab", b"bc", b"cd", b"de", b"ef", b"fg", b"gh", b"hi", b"ij", b"jk",
        ],
    );
    vec![
        (Matching::iupac(), b"ACGTRNYSacgu".to_vec()),
        (pairs(&[b"xy", b"yz"]), b"xyzw-".to_vec()),
        (pairs(&[b"xy", b"yz"]), b"ABCDEFGHIJKLxyzw".to_vec()),
        (pairs(&six), b"abcdefghijklmn".to_vec()),
        (pairs(&ten), b"abcdefghijk".to_vec()),
        (pairs(&[b"ab", b"bc"]), (0..=255).collect()),
    ]
}

#[test]
fn every_kernel_of_sets_matches_the_reference() {
    let mut random = Random::new(31);
    for (matching, letters) in letters() {
        let mut text = |len: usize| -> Vec<u8> {
            (0..len)
                .map(|_| letters[random.below(letters.len())])
                .collect()
        };
        for (rows, cols) in [
            (1, 1),
            (63, 64),
            (64, 150),
            (505, 255),
            (1009, 257),
            (3100, 130),
        ] {
            let (a, mut b) = (text(rows), text(cols));
            assert_both_match_reference(&matching.letters(&a), &matching.letters(&b));
            let shorter = rows.min(cols);
            b[..shorter].copy_from_slice(&a[..shorter]);
            b[shorter / 2] = letters[0];
            assert_both_match_reference(&matching.letters(&a), &matching.letters(&b));
        }
    }
}

#[test]
fn codes_of_letters_match_where_the_letters_do() {
    for (matching, letters) in letters() {
        let rows = matching.letters(&letters);
        // Of the other side some letters are missing.
        let columns = [&rows[..rows.len() * 2 / 3], &matching.letters(b"?~")].concat();
        let codes = Encoded::new(&rows, &columns);
        let [a, b] = [&codes.a, &codes.b].map(|all| SetCode::all(all, codes.alphabet));
        for (row, one) in rows.iter().enumerate() {
            for (column, other) in columns.iter().enumerate() {
                let found = if codes.alphabet.sets {
                    a[row] == b[column]
                } else {
                    codes.a[row] == codes.b[column]
                };
                assert_eq!(found, one == other, "{one:?} {other:?}");
            }
        }
    }
}

fn assert_every_shape_matches<R: Oracle>(
    instructions: Instructions,
    letters: u32,
    random: &mut Random,
) {
    let (a, b) = (random.codes(3100, letters), random.codes(300, letters));
    let encoded = Encoded::new(&a, &b);
    let codes = encoded.codes();
    let coding = Coding::new(codes);
    let column = R::column(&a, &b);
    for kernel in
        [false, true].map(|store| Kernel::with::<R>(instructions, a.len(), coding.planes, store))
    {
        let kernel = kernel.expect("this processor has the instructions");
        assert_eq!(kernel.instructions, instructions);
        let table = StripTable::<R>::with_kernel(
            kernel,
            coding,
            codes,
            BLOCK,
            R::FIRST_COLUMN,
            Band::WHOLE,
        );
        let found = table
            .run(&Control::default())
            .expect("not cancelled")
            .last_column();
        assert!(
            values::<R>(&found, a.len()) == column,
            "{instructions:?}, {} planes",
            coding.planes
        );
    }
}

#[test]
fn every_kernel_shape_matches_the_reference() {
    let mut random = Random::new(14);
    for instructions in Instructions::all_available() {
        for letters in [2, 4, 7, 12, 26, 60, 100, 256, 600] {
            assert_every_shape_matches::<Lcs>(instructions, letters, &mut random);
            assert_every_shape_matches::<Edit>(instructions, letters, &mut random);
        }
    }
}

fn assert_picked_kernels_match<R: Oracle>(letters: u32, random: &mut Random) {
    let (a, b) = (random.codes(6100, letters), random.codes(1100, letters));
    let encoded = Encoded::new(&a, &b);
    let codes = encoded.codes();
    let control = Control::default();
    let column = R::column(&a, &b);
    let found =
        last_column::<R>(codes, R::FIRST_COLUMN, Band::WHOLE, &control).expect("not cancelled");
    assert!(
        values::<R>(&found.found, a.len()) == column,
        "{letters} letters"
    );
    let (found, value) = path::<R>(codes, Band::WHOLE, &control)
        .expect("not cancelled")
        .found;
    assert!(found == R::path(&a, &b), "{letters} letters");
    assert_eq!(Some(&value), column.last(), "{letters} letters");
}

#[test]
fn picked_kernels_match_the_reference_across_strips() {
    let mut random = Random::new(10);
    for letters in [2, 4, 7, 12, 26, 60, 100, 256, 600] {
        assert_picked_kernels_match::<Lcs>(letters, &mut random);
        assert_picked_kernels_match::<Edit>(letters, &mut random);
    }
}

#[test]
fn flat_first_column_allows_any_start_row() {
    let mut random = Random::new(12);
    let (a, b) = (random.codes(3000, 4), random.codes(90, 4));
    let codes = Encoded::new(&a, &b);
    let mut column = vec![0i64; a.len() + 1];
    for (j, y) in b.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut column[0], j as i64 + 1);
        for (i, x) in a.iter().enumerate() {
            let next = (diagonal + i64::from(x != y))
                .min(column[i + 1] + 1)
                .min(column[i] + 1);
            diagonal = std::mem::replace(&mut column[i + 1], next);
        }
    }
    let found = last_column::<Edit>(codes.codes(), [0, 0], Band::WHOLE, &Control::default());
    assert!(values::<Edit>(&found.expect("not cancelled").found, a.len()) == column);
}

#[test]
fn band_with_all_optimal_paths_gives_cost_and_canonical_path() {
    let mut random = Random::new(13);
    for (rows, cols, every) in [
        (3000, 2950, 20),
        (700, 650, 9),
        (3000, 3100, 40),
        (1500, 1500, 3),
    ] {
        let a = random.codes(rows, 4);
        let mut b = random.edited(&a, every, 4);
        b.resize(cols, 1);
        let encoded = Encoded::new(&a, &b);
        let codes = encoded.codes();
        let (control, coding) = (Control::default(), Coding::new(codes));
        let (cost, best) = (
            Edit::column(&a, &b)[rows],
            edit_distance::reference::path(&a, &b),
        );
        let skew = rows as i64 - cols as i64;
        let slack = (cost - skew.abs()) / 2;
        let exact = Band {
            low: skew.min(0) - slack,
            high: skew.max(0) + slack,
        };
        let narrow = Band {
            low: skew.min(0),
            high: skew.max(0),
        };
        for kernel in kernels::<Edit>(coding.planes) {
            let run = |band, keep| swept::<Edit>(kernel, codes, 64, band, keep);
            for keep in [Keep::Entries, Keep::Boundaries] {
                let table = run(exact, keep);
                assert_eq!(table.last_value(), cost);
                for parts in [1, 5] {
                    let found = table.walk_in_parts(codes, parts, &control);
                    assert_eq!(found.expect("not cancelled"), best);
                }
            }
            assert!(
                run(narrow, Keep::Nothing).last_value() >= cost,
                "what a band leaves out makes no path cheaper"
            );
        }
    }
}

fn assert_budget_covers_what_is_kept<R: Kernels>(letters: u32, band: Band, threads: usize) {
    let mut random = Random::new(4);
    let encoded = Encoded::new(&random.codes(9000, letters), &random.codes(9000, letters));
    let codes = encoded.codes();
    let work = SweepWork::of(codes, band, threads);
    for keep in [Keep::Entries, Keep::Boundaries] {
        let kernel = work.kernel::<R>(keep);
        let (_, block_cols) = work.tile(&kernel, keep);
        let strips = swept::<R>(kernel, codes, block_cols, band, keep).strips;
        let kept = strips
            .iter()
            .map(|strip| {
                let words = [&strip.entry_v, &strip.entry_carries, &strip.boundaries.v];
                words.map(Vec::len).iter().sum::<usize>() * 8 + strip.boundaries.carries.len()
            })
            .sum::<usize>() as u64;
        let budget = work.kept_bytes::<R>(keep);
        assert!(
            (kept..=kept * 4).contains(&budget),
            "{kept} bytes with {letters} letters, budget {budget}, {keep:?}"
        );
    }
}

#[test]
fn path_bytes_bound_what_is_kept() {
    for letters in [2, 4, 26, 300] {
        for band in [
            Band::WHOLE,
            Band {
                low: -700,
                high: 900,
            },
        ] {
            for threads in [1, 8] {
                assert_budget_covers_what_is_kept::<Lcs>(letters, band, threads);
                assert_budget_covers_what_is_kept::<Edit>(letters, band, threads);
            }
        }
    }
}

/// Of few tiles a path crosses many, so that they are not computed again.
#[test]
fn tiles_of_large_tables_are_computed_again() {
    let keep =
        |len: usize, band, threads| SweepWork::new(len, len, 4, band, threads).keep::<Edit>(true);
    assert_eq!(keep(1 << 21, Band::WHOLE, 2), Keep::Entries);
    assert_eq!(keep(1 << 21, Band::WHOLE, 1 << 10), Keep::Boundaries);
    assert_eq!(keep(3000, Band::WHOLE, 1), Keep::Boundaries);
    let band = Band::around(1 << 21, 1 << 21, 1000);
    assert_eq!(keep(1 << 21, band, 1), Keep::Boundaries);
    let work = SweepWork::new(1 << 21, 1 << 21, 4, Band::WHOLE, 2);
    assert!(10 * work.path_bytes::<Edit>() < work.kept_bytes::<Edit>(Keep::Boundaries));
}

#[test]
fn cancelled_sweep_returns_an_error() {
    let control = Control::default();
    let codes = Encoded::new(&[1u8], &[1]);
    assert!(value::<Lcs>(codes.codes(), Band::WHOLE, &control).is_ok());
    let cancel = crate::call::control::CancelHandle::new();
    cancel.cancel();
    let cancelled = Control::new(cancel, None);
    assert!(value::<Lcs>(codes.codes(), Band::WHOLE, &cancelled).is_err());
}

#[test]
fn scratch_buffers_do_not_leak_between_kernels() {
    let mut random = Random::new(11);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .expect("a pool of one thread");
    let narrow = Kernel::new::<Edit, [u64; 1], 1, 2, 0>().expect("always available");
    let wide = Kernel::new::<Edit, [u64; 2], 2, 1, 0>().expect("always available");
    // Padding of 0 and of 17 on both sides gives blocks of the same length.
    for (kernel, cols) in [(narrow, 98), (wide, 64), (narrow, 98)] {
        let (a, b) = (random.codes(260, 3), random.codes(cols, 3));
        let codes = Encoded::new(&a, &b);
        let codes = codes.codes();
        let table = || swept::<Edit>(kernel, codes, BLOCK, Band::WHOLE, Keep::Nothing);
        let found = pool.install(table).last_column();
        assert_eq!(
            values::<Edit>(&found, a.len()),
            Edit::column(&a, &b),
            "{cols} columns"
        );
    }
}
