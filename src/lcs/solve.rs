//! One call from inputs to a proven answer: strip, choose, encode, sweep, walk, verify.

use std::time::{Duration, Instant};

use super::subsequence::Subsequence;
use super::wavefront::Indel;
use super::{Lcs, LcsOptions, Method, Run, conditional_sum, gpu, reference, wavefront};
use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::{CPU, Engine};
use crate::error::{Error, Result};
use crate::pairwise::affixes::Stripped;
use crate::pairwise::bit_parallel::cpu::{self, CpuSweep};
use crate::pairwise::bit_parallel::gpu::tiling::Table;
use crate::pairwise::bit_parallel::hirschberg;
use crate::pairwise::bit_parallel::recurrence;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::diagonal_transition::Limit;
use crate::pairwise::search::{self, Outcome, Request, Strategy};
use crate::pairwise::{by_reference, expected, similarity, small};

/// What a method found in the core.
struct Found {
    method: Method,
    device: String,
    path_mode: &'static str,
    length: u64,
    subsequence: Option<Subsequence>,
    computed_cells: u128,
}

/// The answer of [`Engine::lcs_with`].
pub(crate) async fn solve<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &LcsOptions) -> Result<Lcs> {
    let started = Instant::now();
    let mut found = unverified(engine, a, b, options).await?;
    let verifying = Instant::now();
    if let Some(subsequence) = &found.subsequence {
        engine.on_threads(|| subsequence.verify(a, b, found.length))?;
        found.run.phases.push(("verify", verifying.elapsed()));
    }
    found.run.elapsed = started.elapsed();
    Ok(found)
}

/// The same for callers that prove what they make of the subsequence, and time the whole call.
pub(crate) async fn unverified<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &LcsOptions) -> Result<Lcs> {
    let phases = Phases::start();
    if options.method == Method::Auto
        && !options.path
        && let Some(found) =
            small::last_value::<recurrence::Lcs, S, _>(engine, (a, b), &options.control, &phases, Method::BitParallel)?
    {
        let (length, run) = found;
        return Ok(Lcs { length: length + run.common_prefix + run.common_suffix, subsequence: None, run });
    }
    let core = Stripped::new(a, b);
    phases.lap("strip");
    let gpu = if options.method == Method::Reference { None } else { engine.gpu(core.cells())? };
    let gpu = gpu.as_deref().map(|gpu| gpu as &dyn Backend);
    phases.lap("open device");
    let forced = options.method == Method::Banded || options.method == Method::Wavefront && gpu.is_some();
    let guessed = forced || options.method == Method::Auto;
    let guess = guessed.then(|| similarity::guess::<recurrence::Lcs, S>(&core, gpu.is_some(), forced)).flatten();
    phases.lap("similarity");
    let similar = similar(engine, gpu, &core, options, guess)?;
    phases.lap("wavefront");
    let found = match similar {
        Some(found) => found,
        None => dissimilar(engine, gpu, &core, options, guess, &phases).await?,
    };
    let length = found.length + (core.prefix + core.suffix) as u64;
    let subsequence = found.subsequence.map(|found| Subsequence(core.with_affixes(found.0, a.len(), b.len())));
    let run = Run {
        method: found.method,
        path_mode: found.path_mode,
        device: found.device,
        cells: a.len() as u128 * b.len() as u128,
        computed_cells: found.computed_cells,
        common_prefix: core.prefix as u64,
        common_suffix: core.suffix as u64,
        elapsed: Duration::ZERO,
        phases: phases.totals(),
    };
    Ok(Lcs { length, subsequence, run })
}

/// The share of the expected time that is spent on trying the wavefront.
const TRIAL_SHARE: f64 = 0.05;
/// Time of one step of the wavefront.
const STEP_SECONDS: f64 = 3e-9;
/// How much less than the guess a cost may well be.
const GUESS_ERROR: f64 = 4.0;
/// Steps that are always worth a try.
const LEAST_STEPS: f64 = 1e4;

/// The wavefront's answer, where it is asked for or cheap.
fn similar<S: Symbol>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    core: &Stripped<'_, S>,
    options: &LcsOptions,
    guess: Option<u64>,
) -> Result<Option<Found>> {
    let bytes = engine.host_budget();
    let limit = match options.method {
        Method::Wavefront if gpu.is_some() => return Ok(None),
        Method::Wavefront => Limit { wavefronts: u64::MAX, steps: u64::MAX, bytes },
        Method::Auto => {
            let expected = expected::without_a_trial::<2>(engine, gpu, core.shape(Table::Lcs), guess, options.path);
            let most = (expected * TRIAL_SHARE / STEP_SECONDS).max(LEAST_STEPS);
            // A wavefront of this many unpaired symbols takes up to half the square of them.
            let hopeless = guess.is_some_and(|guess| (guess as f64 / GUESS_ERROR).powi(2) / 2.0 > most);
            Limit { wavefronts: u64::MAX, steps: if hopeless { LEAST_STEPS } else { most } as u64, bytes: bytes / 4 }
        }
        _ => return Ok(None),
    };
    let found = wavefront::solve(core.rows, core.cols, options.path, limit, &options.control)?;
    if found.is_none() && options.method == Method::Wavefront {
        // At most every symbol stays unpaired.
        return Err(limit.memory_error((core.rows.len() + core.cols.len()) as u64));
    }
    Ok(found.map(|found| Found {
        method: Method::Wavefront,
        device: CPU.to_string(),
        path_mode: if options.path { "wavefronts" } else { "none" },
        length: found.length,
        subsequence: found.subsequence,
        computed_cells: u128::from(found.cells),
    }))
}

async fn dissimilar<S: Symbol>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    core: &Stripped<'_, S>,
    options: &LcsOptions,
    guess: Option<u64>,
    phases: &Phases,
) -> Result<Found> {
    if options.method == Method::Reference {
        return by_reference(engine, core, options, phases);
    }
    let codes = engine.on_threads(|| Encoded::new(core.rows, core.cols));
    phases.lap("encode");
    if let Some(found) = by_bound(engine, gpu, (core.rows, core.cols), &codes, options, guess, phases).await? {
        return Ok(found);
    }
    let native = options.method != Method::ConditionalSum;
    let gpu = if native { engine.with_codes_for(codes.shared, gpu) } else { gpu };
    options.control.expect(u64::try_from(core.cells()).unwrap_or(u64::MAX));
    let mut found = match gpu {
        Some(gpu) => sweep_on_gpu(engine, gpu, &codes, options, phases).await?,
        None => sweep_on_cpu(engine, &codes, options, phases)?,
    };
    found.computed_cells = core.cells();
    Ok(found)
}

/// Wavefronts or bands, where they are asked for or cheaper than all cells.
async fn by_bound<S: Symbol>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    (rows, cols): (&[S], &[S]),
    codes: &Encoded,
    options: &LcsOptions,
    guess: Option<u64>,
    phases: &Phases,
) -> Result<Option<Found>> {
    let by = match options.method {
        Method::Wavefront => Strategy::Wavefronts,
        Method::Banded => Strategy::Bands,
        Method::Auto => Strategy::Either,
        _ => return Ok(None),
    };
    let (path, tuning, control) = (options.path, options.tuning, &options.control);
    let ask = Request { guess, most: u64::MAX, forced: by != Strategy::Either, path, tuning, control };
    let found =
        search::solve::<recurrence::Lcs, Indel, S, 2>(engine, gpu, (rows, cols), codes, by, ask, phases).await?;
    Ok(found.map(|(by, found)| {
        let Outcome { cost, path, path_mode, device, computed_cells } = found;
        let method = if by == Strategy::Wavefronts { Method::Wavefront } else { Method::Banded };
        // What is not paired was paid for; every cost is of interest.
        let length = ((rows.len() + cols.len()) as u64 - cost.unwrap_or_default()) / 2;
        Found { method, device, path_mode, length, subsequence: path.map(Subsequence), computed_cells }
    }))
}

/// Length and, where asked for, subsequence of these very codes on this backend.
pub(super) async fn on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &LcsOptions,
) -> Result<(u64, Option<Subsequence>)> {
    let (phases, both) = (Phases::start(), (&codes.a[..], &codes.b[..]));
    let guess = Some(both.0.len().max(both.1.len()) as u64);
    let found = match by_bound(engine, Some(backend), both, codes, options, guess, &phases).await? {
        Some(found) => found,
        None => sweep_on_gpu(engine, backend, codes, options, &phases).await?,
    };
    Ok((found.length, found.subsequence))
}

async fn sweep_on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &LcsOptions,
    phases: &Phases,
) -> Result<Found> {
    let device = engine.device(backend, &options.control, phases);
    let conditional_sum = options.method == Method::ConditionalSum;
    let (length, path_mode, subsequence) = match (options.path, conditional_sum) {
        _ if codes.shared == 0 => {
            (0, if options.path { "table" } else { "none" }, options.path.then(Subsequence::default))
        }
        (false, false) => (gpu::length(&device, options.tuning, codes).await?, "none", None),
        (false, true) => (conditional_sum::length(&device, codes).await?, "none", None),
        (true, conditional_sum) => {
            let (found, mode) = match conditional_sum {
                false => gpu::subsequence(&device, options.tuning, codes).await?,
                true => conditional_sum::subsequence(&device, codes).await?,
            };
            (found.len(), mode, Some(found))
        }
    };
    let method = if conditional_sum { Method::ConditionalSum } else { Method::BitParallel };
    Ok(Found { method, device: backend.name().to_string(), path_mode, length, subsequence, computed_cells: 0 })
}

fn sweep_on_cpu(engine: &Engine, codes: &Encoded, options: &LcsOptions, phases: &Phases) -> Result<Found> {
    needs_gpu(options.method)?;
    let (length, path_mode, subsequence) = engine.on_threads(|| {
        if !options.path {
            return Ok((cpu::length(codes, &options.control)?, "none", None));
        }
        let mut sweep = CpuSweep { limit_bytes: engine.host_budget(), control: &options.control };
        let (found, mode) =
            pollster::block_on(hirschberg::path::<recurrence::Lcs, _>(&mut sweep, &codes.a, &codes.b, codes.shared))?;
        Ok::<_, Error>((found.steps(), mode, Some(Subsequence(found))))
    })?;
    phases.lap("sweep");
    let device = CPU.to_string();
    Ok(Found { method: Method::BitParallel, device, path_mode, length, subsequence, computed_cells: 0 })
}

pub(super) fn needs_gpu(method: Method) -> Result<()> {
    if method == Method::ConditionalSum {
        let reason =
            "it is a GPU kernel; name a GPU with the device option, or take the method 'bit-parallel'".to_string();
        return Err(Error::MethodUnavailable { method: method.name(), device: CPU.to_string(), reason });
    }
    Ok(())
}

/// The textbook table's answer.
fn by_reference<S: Symbol>(
    engine: &Engine,
    core: &Stripped<'_, S>,
    options: &LcsOptions,
    phases: &Phases,
) -> Result<Found> {
    let fill = |rows: &[S], cols: &[S], more: &mut dyn FnMut() -> bool| {
        if !options.path {
            return Some((reference::length_while(rows, cols, more)?, None));
        }
        let subsequence = reference::subsequence_while(rows, cols, more)?;
        Some((subsequence.len(), Some(subsequence)))
    };
    let (length, subsequence) = by_reference::answer(engine, core, options.path, &options.control, phases, fill)?;
    Ok(Found {
        method: Method::Reference,
        device: CPU.to_string(),
        path_mode: if options.path { "table" } else { "none" },
        length,
        subsequence,
        computed_cells: core.cells(),
    })
}
