//! Symbols that match others: bit vectors whose match masks are unions, and on the CPU wavefronts.
//!
//! Codes of the other methods stand for classes of equal symbols, and matching letters have no
//! classes. Here the mask of a column's symbol has the rows of all symbols that it matches. Common
//! affixes and the furthest-reaching points need no classes either: neighbouring cells differ by at
//! most one whatever matches.
//!
//! Cost: as wavefronts; as the strip sweep on a GPU; or on the CPU `rows * cols / 64` limb steps on
//! one thread, twice that with the path.

use std::collections::HashMap;
use std::time::Duration;

use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::report::PlanSummary;
use crate::engine::{CPU, Engine, profile};
use crate::error::{Error, Result};
use crate::host::threads::join;
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::gpu;
use crate::pairwise::bit_parallel::hirschberg::column_midpoint;
use crate::pairwise::bit_parallel::recurrence::{Column, Recurrence, growth};
use crate::pairwise::blocks::Blocks;
use crate::pairwise::candidate::{MethodCandidate, PairContext};
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::diagonal_transition::SearchLimit;
use crate::pairwise::pair::Pair;
use crate::pairwise::problem::Problem;
use crate::pairwise::request::{Outcome, Request, Strategy};
use crate::pairwise::wavefront_trial;
use crate::path_mode::PathMode;

/// Limbs of a strip, whose state stays in the first-level cache.
const STRIP_LIMBS: usize = 256;
/// Columns between checks for cancellation.
const CHUNK_COLS: usize = 1 << 12;
/// Parts up to this size are traced back through the plain table.
const TABLE_CELLS: usize = 1 << 14;
/// Limb steps that take as long as a step of the wavefronts.
const LIMBS_PER_STEP: u128 = 1;

/// Last column of a table, and the value above its first row.
///
/// # Errors
/// [`Error::Cancelled`].
pub(crate) fn last_column<R: Recurrence, S: Symbol>(
    rows: &[S],
    cols: &[S],
    first_column: [u64; 2],
    control: &Control,
) -> Result<(Column, i64)> {
    let numbers = Numbers::new(cols);
    let mut column = [const { Vec::new() }; 2];
    // Horizontal differences above the strip.
    let mut carries = vec![[0u8; 2]; cols.len()];
    let mut masks = Vec::new();
    for strip in rows.chunks(64 * STRIP_LIMBS) {
        let limbs = strip.len().div_ceil(64);
        numbers.masks(strip, limbs, &mut masks);
        let mut v = vec![first_column; limbs];
        let chunks = numbers.of_cols.chunks(CHUNK_COLS);
        for (chunk, carries) in chunks.zip(carries.chunks_mut(CHUNK_COLS)) {
            control.check()?;
            for (&number, carry) in chunk.iter().zip(carries) {
                let mask = &masks[number as usize * limbs..][..limbs];
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
    let above = cols.len() as i64 * growth(R::FIRST_ROW.map(|word| word & 1));
    Ok((Column(column), above))
}

/// Last value of a table.
fn last_value<R: Recurrence, S: Symbol>(rows: &[S], cols: &[S], control: &Control) -> Result<i64> {
    let (column, above) = last_column::<R, S>(rows, cols, R::FIRST_COLUMN, control)?;
    Ok(above + R::GAIN * column.growth::<R>(rows.len()))
}

/// Distinct symbols of the columns.
struct Numbers<S> {
    symbols: Vec<S>,
    of_cols: Vec<u32>,
}

impl<S: Symbol> Numbers<S> {
    fn new(cols: &[S]) -> Self {
        let mut numbers: HashMap<usize, u32> = HashMap::new();
        let mut symbols = Vec::new();
        let number = |&symbol: &S| {
            *numbers.entry(symbol.place()).or_insert_with(|| {
                symbols.push(symbol);
                symbols.len() as u32 - 1
            })
        };
        let of_cols = cols.iter().map(number).collect();
        Self { symbols, of_cols }
    }

    /// Match masks of a strip, `[symbol][limb]`.
    fn masks(&self, rows: &[S], limbs: usize, masks: &mut Vec<u64>) {
        masks.clear();
        masks.resize(self.symbols.len() * limbs, 0);
        let mut matching: HashMap<usize, Vec<usize>> = HashMap::new();
        for (row, &symbol) in rows.iter().enumerate() {
            let numbers = matching.entry(symbol.place()).or_insert_with(|| {
                let all = self.symbols.iter().enumerate();
                let matched = all.filter(|&(_, &other)| other == symbol);
                matched.map(|(number, _)| number).collect()
            });
            for &number in &*numbers {
                masks[number * limbs + row / 64] |= 1 << (row % 64);
            }
        }
    }
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
        let lens = (part_a.len(), part_b.len());
        let (row, col) = column_midpoint::<P::Sweep>((&before?.0, &behind?.0), lens);
        let (row, col) = (rows.start + row, cols.start + col);
        parts.push((row..rows.end, col..cols.end));
        parts.push((rows.start..row, cols.start..col));
    }
    Ok(found)
}

/// Maximum bits of codes on GPUs, which have a match mask for each code.
const MAX_SETS: u32 = 7;

/// Answer for the table between the affixes.
///
/// # Errors
/// [`Error::MethodUnavailable`] for methods and devices that need classes of equal symbols,
/// [`Error::MemoryBudget`] for forced wavefronts, [`Error::Cancelled`], and errors of the device.
pub(crate) async fn solve<P: Problem, S: Symbol>(
    engine: &Engine,
    stripped: &Stripped<'_, S>,
    request: Request<'_>,
    phases: &Phases,
) -> Result<Outcome> {
    check(engine, request.strategy)?;
    let cpu_seconds = cpu_seconds(stripped.cells(), request.path);
    let codes = match request.strategy {
        Strategy::Wavefronts => None,
        _ => codes(engine, stripped, cpu_seconds)?,
    };
    phases.lap(Phase::Encode);
    let plan = || match &codes {
        Some(codes) => plan_on_gpu::<P>(engine, codes, &request, cpu_seconds),
        None => Ok(None),
    };
    if request.strategy != Strategy::Sweep {
        request.control.set_phase(Phase::Wavefronts);
        let seconds = plan()?.map(|plan| plan.expected.as_secs_f64());
        let limit = limit(engine, (stripped.cells(), seconds), &request);
        let found =
            engine.on_threads(|| wavefront_trial::solve::<P, S>(stripped, request, limit))?;
        phases.lap(Phase::Wavefront);
        if let Some(found) = found {
            return Ok(found);
        }
    }
    let (_, gpu) = engine
        .plan_and_open(phases, plan, |plan| plan.is_some())
        .await?;
    if let (Some(codes), Some(gpu)) = (&codes, gpu) {
        let context = PairContext {
            engine,
            bytes: None,
            codes,
            request: Request {
                strategy: Strategy::Sweep,
                ..request
            },
            phases,
        };
        let candidate = MethodCandidate::new(Strategy::Sweep, true);
        return P::answer(context, vec![candidate], Some(&*gpu)).await;
    }
    on_cpu::<P, S>(engine, stripped, &request, phases)
}

/// Sweep on the CPU.
fn on_cpu<P: Problem, S: Symbol>(
    engine: &Engine,
    stripped: &Stripped<'_, S>,
    request: &Request<'_>,
    phases: &Phases,
) -> Result<Outcome> {
    let (rows, cols, control) = (stripped.rows, stripped.cols, request.control);
    control.set_phase(Phase::Sweep);
    let cells = u64::try_from(stripped.cells()).unwrap_or(u64::MAX);
    control.add_total(cells.saturating_mul(1 + u64::from(request.path)));
    let (cost, path, path_mode) = engine.on_threads(|| {
        if request.path {
            let path = path::<P, S>(rows, cols, control)?;
            let cost = P::Sweep::path_cost(&path, rows, cols);
            Ok::<_, Error>((cost, Some(path), PathMode::Hirschberg))
        } else {
            let value = last_value::<P::Sweep, S>(rows, cols, control)?;
            let cost = P::Sweep::cost(value, rows.len(), cols.len());
            Ok((cost, None, PathMode::None))
        }
    })?;
    phases.lap(Phase::Sweep);
    let is_within = cost <= request.max_cost;
    Ok(Outcome {
        strategy: Strategy::Sweep,
        cost: is_within.then_some(cost),
        path: path.filter(|_| is_within),
        path_mode: if is_within { path_mode } else { PathMode::None },
        device: CPU.to_string(),
        computed_cells: stripped.cells(),
    })
}

fn cpu_seconds(cells: u128, path: bool) -> f64 {
    let computed = cells as f64 * if path { 2.0 } else { 1.0 };
    computed / profile::cpu::SMALL_CELLS_PER_SECOND
}

/// Codes for a GPU, if it was named or may be faster.
///
/// # Errors
/// [`Error::MethodUnavailable`] if symbols match too many others for a named GPU, and errors of
/// listing the devices.
fn codes<S: Symbol>(
    engine: &Engine,
    stripped: &Stripped<'_, S>,
    cpu_seconds: f64,
) -> Result<Option<Encoded>> {
    let Some(device) = engine.device_estimate(cpu_seconds)? else {
        return Ok(None);
    };
    if engine.chooses_device() && device.call_seconds(0.0) >= cpu_seconds {
        return Ok(None);
    }
    let encoded = engine.on_threads(|| Encoded::of_sets(stripped.rows, stripped.cols, MAX_SETS));
    if encoded.is_none() && !engine.chooses_device() {
        return Err(Error::MethodUnavailable {
            method: "bit-parallel",
            device: device.name,
            reason: format!(
                "symbols match others in more than {MAX_SETS} ways; choose the device 'cpu' or 'auto'"
            ),
        });
    }
    Ok(encoded)
}

/// Plan of a sweep on the GPU, if it was named or is expected to answer before the CPU.
///
/// # Errors
/// Too little memory on a named GPU, and errors of listing the devices.
fn plan_on_gpu<P: Problem>(
    engine: &Engine,
    codes: &Encoded,
    request: &Request<'_>,
    cpu_seconds: f64,
) -> Result<Option<PlanSummary<Strategy>>> {
    let Some(device) = engine.device_estimate(cpu_seconds)? else {
        return Ok(None);
    };
    let shape = gpu::shape(P::Sweep::TABLE, &codes.a, &codes.b, codes.alphabet());
    let sizing = device.sizing(request.tuning);
    let plan = sizing.summarize(Strategy::Sweep, shape, request.path);
    if !engine.chooses_device() {
        return plan.map(Some);
    }
    let expected = |plan: PlanSummary<Strategy>| PlanSummary {
        expected: device.expected(plan.expected.as_secs_f64()),
        ..plan
    };
    let is_faster = |plan: &PlanSummary<Strategy>| plan.expected.as_secs_f64() < cpu_seconds;
    let is_gpu = device.capabilities.host_threads.is_none();
    Ok(plan.ok().map(expected).filter(is_faster).filter(|_| is_gpu))
}

/// Limits of the wavefronts: as long as the sweep takes, on a GPU `gpu_seconds`, unless they are
/// forced. For a named GPU they answer only what costs next to nothing.
fn limit(
    engine: &Engine,
    (cells, gpu_seconds): (u128, Option<f64>),
    request: &Request<'_>,
) -> SearchLimit {
    let of_sweep = u64::try_from(cells / 64 / LIMBS_PER_STEP).unwrap_or(u64::MAX);
    let steps = match (request.strategy, gpu_seconds) {
        (Strategy::Wavefronts, _) => u64::MAX,
        (_, Some(_)) if !engine.chooses_device() => profile::cpu::MIN_WAVEFRONT_STEPS,
        (_, Some(seconds)) => of_sweep.min((seconds / profile::cpu::WAVEFRONT_STEP_SECONDS) as u64),
        (_, None) => of_sweep,
    };
    SearchLimit {
        wavefronts: request.max_cost,
        steps,
        probe: steps / 8,
        bytes: engine.host_budget(),
    }
}

/// Checks that a method can match symbols that are not equal, on the named GPU if there is one.
///
/// # Errors
/// [`Error::MethodUnavailable`].
fn check(engine: &Engine, strategy: Strategy) -> Result<()> {
    let name = match strategy {
        Strategy::Bands => "banded",
        Strategy::Baseline(name) => name,
        Strategy::Wavefronts => return check_device(engine, "wavefront"),
        _ => return Ok(()),
    };
    Err(Error::MethodUnavailable {
        method: name,
        device: "symbols that match others".to_string(),
        reason: "it needs classes of equal symbols; take the method 'auto'".to_string(),
    })
}

/// Refuses a named GPU.
///
/// # Errors
/// [`Error::MethodUnavailable`].
fn check_device(engine: &Engine, method: &'static str) -> Result<()> {
    match engine.device_estimate(0.0)? {
        Some(_) if !engine.chooses_device() => Err(Error::MethodUnavailable {
            method,
            device: "a GPU with symbols that match others".to_string(),
            reason: "choose the device 'cpu' or 'auto'".to_string(),
        }),
        _ => Ok(()),
    }
}

/// Checks that the CPU may match a query with the pieces of a text.
///
/// # Errors
/// [`Error::MethodUnavailable`].
pub(crate) fn check_pieces(engine: &Engine, strategy: Strategy) -> Result<()> {
    check(engine, strategy)?;
    check_device(engine, "bit-parallel")
}

/// Plan of a call.
///
/// # Errors
/// As [`solve`].
pub(crate) fn plan<P: Problem, S: Symbol>(
    engine: &Engine,
    stripped: &Stripped<'_, S>,
    request: &Request<'_>,
) -> Result<PlanSummary<Strategy>> {
    check(engine, request.strategy)?;
    if request.strategy != Strategy::Wavefronts {
        let cpu_seconds = cpu_seconds(stripped.cells(), request.path);
        let codes = codes(engine, stripped, cpu_seconds)?;
        let plan = codes.map(|codes| plan_on_gpu::<P>(engine, &codes, request, cpu_seconds));
        if let Some(plan) = plan.transpose()?.flatten() {
            return Ok(plan);
        }
    }
    Ok(plan_on_cpu(
        (stripped.rows.len(), stripped.cols.len()),
        request,
    ))
}

/// Plan of a call on the CPU.
pub(crate) fn plan_on_cpu(
    (rows, cols): (usize, usize),
    request: &Request<'_>,
) -> PlanSummary<Strategy> {
    let strategy = match request.strategy {
        Strategy::Auto => Strategy::Sweep,
        strategy => strategy,
    };
    let cells = rows as u128 * cols as u128;
    PlanSummary {
        method: strategy,
        device: CPU.to_string(),
        path_mode: PathMode::Hirschberg.if_path(request.path),
        cells,
        tile: (rows as u64, cols as u64),
        strips: rows.div_ceil(64 * STRIP_LIMBS) as u64,
        passes: 1,
        device_bytes: 0,
        host_bytes: (6 * cols + rows) as u64,
        expected: Duration::from_secs_f64(cpu_seconds(cells, request.path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::{self, Mode};
    use crate::engine::Options;
    use crate::matching::{Letter, Matching};
    use crate::pairwise::bit_parallel::inputs::Random;
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
