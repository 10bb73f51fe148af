//! One call from inputs to a proven answer: strip, choose, encode, sweep, walk, verify.

use std::time::Instant;

use super::wavefront::Levenshtein;
use super::{
    Alignment, Distance, EditDistance, EditOptions, Method, Mode, Run, gpu, pieces, reference, tiled, tiled_cpu,
    wavefront,
};
use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::{CPU, Engine};
use crate::error::{Error, Result};
use crate::pairwise::affixes::Stripped;
use crate::pairwise::anti_diagonal::{self, Recurrence};
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::bit_parallel::cpu::{self, CpuSweep};
use crate::pairwise::bit_parallel::gpu::tiling::Table;
use crate::pairwise::bit_parallel::hirschberg;
use crate::pairwise::bit_parallel::recurrence::{Edit, Recurrence as _};
use crate::pairwise::blocks::Blocks;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::diagonal_transition::{self, Limit};
use crate::pairwise::search::{self, Outcome, Request, Strategy};
use crate::pairwise::{by_reference, expected, similarity, small};

/// What a method found between the common ends.
pub(super) struct Found {
    method: Method,
    device: String,
    path_mode: &'static str,
    /// `None` where it is greater than was asked for.
    pub distance: Option<u64>,
    pub path: Option<Blocks>,
    computed_cells: u128,
}

/// The answer of [`Engine::edit_distance_with`].
pub(crate) async fn solve<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &EditOptions) -> Result<EditDistance> {
    check((a.len(), b.len()), options)?;
    let started = Instant::now();
    let phases = Phases::start();
    let mut answer = match options.mode {
        Mode::Global => global(engine, a, b, options, &phases).await?,
        Mode::Prefix | Mode::Infix => pieces::solve(engine, a, b, options, &phases).await?,
    };
    if let (Some(alignment), Some(distance)) = (&mut answer.alignment, answer.distance.exactly()) {
        engine.on_threads(|| alignment.verify(a, b, distance))?;
        if let Some(gaps) = options.gaps {
            *alignment = alignment.with_gaps_moved(a, b, gaps);
            engine.on_threads(|| alignment.verify(a, b, distance))?;
        }
        phases.lap("verify");
    }
    answer.run.elapsed = started.elapsed();
    answer.run.phases = phases.totals();
    Ok(answer)
}

/// What can be told from the options and the lengths alone.
///
/// # Errors
/// [`Error::DistanceBound`], [`Error::EmptyQuery`] and [`Error::MethodUnavailable`].
pub(super) fn check((rows, cols): (usize, usize), options: &EditOptions) -> Result<()> {
    let most = rows.max(cols) as u64;
    if let Some(bound) = options.max_distance
        && bound > most
    {
        return Err(Error::DistanceBound { bound, most });
    }
    if options.mode == Mode::Infix && rows == 0 {
        return Err(Error::EmptyQuery);
    }
    let unavailable = |why: String| {
        let (device, reason) = (format!("any device {why}"), "take the method 'auto'".to_string());
        Err(Error::MethodUnavailable { method: options.method.name(), device, reason })
    };
    let global_only = baseline(options.method) || options.method == Method::Wavefront;
    if options.mode != Mode::Global && global_only {
        return unavailable(format!("in the mode '{}'", options.mode.name()));
    }
    if options.path && baseline(options.method) {
        return unavailable("where the path is asked for".to_string());
    }
    Ok(())
}

/// The distance of the whole sequences.
pub(super) async fn global<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
    phases: &Phases,
) -> Result<EditDistance> {
    if options.method == Method::Auto
        && !options.path
        && let Some((distance, run)) =
            small::last_value::<Edit, S, _>(engine, (a, b), &options.control, phases, Method::BitParallel)?
    {
        let distance = options
            .max_distance
            .filter(|&most| distance > most)
            .map_or(Distance::Exactly(distance), Distance::MoreThan);
        return Ok(EditDistance { distance, pieces: Vec::new(), alignment: None, run });
    }
    let core = Stripped::new(a, b);
    phases.lap("strip");
    let gpu = if options.method == Method::Reference { None } else { engine.gpu(core.cells())? };
    let gpu = gpu.as_deref().map(|gpu| gpu as &dyn Backend);
    phases.lap("open device");
    let found = match options.method {
        Method::Reference => by_reference(engine, &core, options, phases)?,
        method => {
            let forced = method == Method::Banded || method == Method::Wavefront && gpu.is_some();
            let guessed = forced || method == Method::Auto;
            let guess = guessed.then(|| similarity::guess::<Edit, S>(&core, gpu.is_some(), forced)).flatten();
            phases.lap("similarity");
            let similar = matches!(method, Method::Auto | Method::Wavefront);
            let found = if similar { by_wavefront(engine, gpu, &core, options, guess)? } else { None };
            phases.lap("wavefront");
            match found {
                Some(found) => found,
                None => dissimilar(engine, gpu, &core, options, guess, phases).await?,
            }
        }
    };
    let path = found.path.map(|path| core.with_affixes(path, a.len(), b.len()));
    let bound = options.max_distance.unwrap_or(u64::MAX);
    Ok(EditDistance {
        distance: found.distance.map_or(Distance::MoreThan(bound), Distance::Exactly),
        pieces: Vec::new(),
        alignment: path.map(|path| Alignment::new(path, a.len(), 0..b.len())),
        run: Run {
            method: found.method,
            path_mode: found.path_mode,
            device: found.device,
            cells: a.len() as u128 * b.len() as u128,
            computed_cells: found.computed_cells,
            common_prefix: core.prefix as u64,
            common_suffix: core.suffix as u64,
            elapsed: std::time::Duration::ZERO,
            phases: Vec::new(),
        },
    })
}

/// Time of one step of the wavefront.
const STEP_SECONDS: f64 = 1e-8;
/// The share of the expected time that is spent on trying the wavefront.
const TRIAL_SHARE: f64 = 0.05;
/// Steps a row that the narrowest band is worth.
const STEPS_PER_ROW: f64 = 2.0;
/// How much less than the guess a distance may well be.
const GUESS_ERROR: f64 = 4.0;
/// Steps that are always worth a try.
const LEAST_STEPS: f64 = 2e3;

/// The wavefront's answer, where it is asked for or cheap.
fn by_wavefront<S: Symbol>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    core: &Stripped<'_, S>,
    options: &EditOptions,
    guess: Option<u64>,
) -> Result<Option<Found>> {
    let bytes = engine.host_budget();
    let wavefronts = options.max_distance.unwrap_or(u64::MAX);
    let forced = options.method == Method::Wavefront;
    if forced && gpu.is_some() {
        return Ok(None);
    }
    let limit = if forced {
        Limit { wavefronts, steps: u64::MAX, bytes }
    } else {
        let expected = expected::without_a_trial::<1>(engine, gpu, core.shape(Table::Edit), guess, options.path);
        let share = expected * TRIAL_SHARE / STEP_SECONDS;
        let most = share.min(STEPS_PER_ROW * core.rows.len() as f64).max(LEAST_STEPS);
        // A wavefront of this many edits takes up to the square of them.
        let hopeless = guess.is_some_and(|guess| (guess as f64 / GUESS_ERROR).powi(2) > most);
        Limit { wavefronts, steps: if hopeless { LEAST_STEPS } else { most } as u64, bytes: bytes / 4 }
    };
    let found = wavefront::solve(core.rows, core.cols, options.path, limit, &options.control)?;
    let (distance, path, cells) = match found {
        diagonal_transition::Found::Distance { distance, path, cells } => (Some(distance), path, cells),
        diagonal_transition::Found::TooFar { cells } => (None, None, cells),
        // The distance is at most the longer length.
        diagonal_transition::Found::GaveUp if forced => return Err(limit.memory_error(core.rows.len() as u64)),
        diagonal_transition::Found::GaveUp => return Ok(None),
    };
    Ok(Some(Found {
        method: Method::Wavefront,
        device: CPU.to_string(),
        path_mode: if path.is_some() { "wavefronts" } else { "none" },
        distance,
        path,
        computed_cells: u128::from(cells),
    }))
}

/// Bands where they are asked for or cheaper than all cells, else all cells.
async fn dissimilar<S: Symbol>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    core: &Stripped<'_, S>,
    options: &EditOptions,
    guess: Option<u64>,
    phases: &Phases,
) -> Result<Found> {
    let codes = engine.on_threads(|| Encoded::new(core.rows, core.cols));
    phases.lap("encode");
    if let Some(found) = by_bound(engine, gpu, (core.rows, core.cols), &codes, options, guess, phases).await? {
        return Ok(found);
    }
    let gpu = if baseline(options.method) { gpu } else { engine.with_codes_for(codes.shared, gpu) };
    options.control.expect(u64::try_from(core.cells()).unwrap_or(u64::MAX));
    let mut found = match gpu {
        Some(gpu) => sweep_on_gpu(engine, gpu, &codes, options, phases).await?,
        None => sweep_on_cpu(engine, &codes, options, phases)?,
    };
    found.computed_cells = core.cells();
    let most = options.max_distance.unwrap_or(u64::MAX);
    if found.distance.is_some_and(|distance| distance > most) {
        (found.distance, found.path, found.path_mode) = (None, None, "none");
    }
    Ok(found)
}

/// Wavefronts or bands, where they are asked for or cheaper than all cells.
async fn by_bound<S: Symbol>(
    engine: &Engine,
    gpu: Option<&dyn Backend>,
    (rows, cols): (&[S], &[S]),
    codes: &Encoded,
    options: &EditOptions,
    guess: Option<u64>,
    phases: &Phases,
) -> Result<Option<Found>> {
    let by = match options.method {
        Method::Wavefront => Strategy::Wavefronts,
        Method::Banded => Strategy::Bands,
        Method::Auto => Strategy::Either,
        _ => return Ok(None),
    };
    let ask = Request {
        // A bound that is asked for is as good.
        guess: guess.or(options.max_distance),
        most: options.max_distance.unwrap_or(u64::MAX),
        forced: by != Strategy::Either,
        path: options.path,
        tuning: options.tuning,
        control: &options.control,
    };
    let found = search::solve::<Edit, Levenshtein, S, 1>(engine, gpu, (rows, cols), codes, by, ask, phases).await?;
    Ok(found.map(|(by, found)| {
        let Outcome { cost: distance, path, path_mode, device, computed_cells } = found;
        let method = if by == Strategy::Wavefronts { Method::Wavefront } else { Method::Banded };
        Found { method, device, path_mode, distance, path, computed_cells }
    }))
}

/// Distance and, where asked for, path of these very codes on this backend.
pub(super) async fn on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &EditOptions,
) -> Result<Found> {
    let (phases, both) = (Phases::start(), (&codes.a[..], &codes.b[..]));
    let guess = Some(both.0.len().max(both.1.len()) as u64);
    match by_bound(engine, Some(backend), both, codes, options, guess, &phases).await? {
        Some(found) => Ok(found),
        None => sweep_on_gpu(engine, backend, codes, options, &phases).await,
    }
}

/// The same by a kernel that computes all cells.
async fn sweep_on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &EditOptions,
    phases: &Phases,
) -> Result<Found> {
    let device = engine.device(backend, &options.control, phases);
    let (distance, path_mode, path) = if baseline(options.method) {
        let distance = match options.method {
            Method::Tiled => tiled::distance(&device, &codes.a, &codes.b).await?,
            _ => anti_diagonal::last_cell(&device, Recurrence::EditDistance, &codes.a, &codes.b).await?,
        };
        (distance, "none", None)
    } else if options.path {
        let (path, mode) = gpu::path(&device, options.tuning, codes).await?;
        (Edit::path_cost(&path, &codes.a, &codes.b), mode, Some(path))
    } else {
        (gpu::distance(&device, options.tuning, codes).await?, "none", None)
    };
    let device = backend.name().to_string();
    let method = if baseline(options.method) { options.method } else { Method::BitParallel };
    Ok(Found { method, device, path_mode, distance: Some(distance), path, computed_cells: 0 })
}

fn sweep_on_cpu(engine: &Engine, codes: &Encoded, options: &EditOptions, phases: &Phases) -> Result<Found> {
    let method = if baseline(options.method) { options.method } else { Method::BitParallel };
    let (distance, path_mode, path) = engine.on_threads(|| {
        let (a, b, control) = (&codes.a[..], &codes.b[..], &options.control);
        if options.path {
            let mut sweep = CpuSweep { limit_bytes: engine.host_budget(), control };
            let (path, mode) = pollster::block_on(hirschberg::path::<Edit, _>(&mut sweep, a, b, codes.shared))?;
            return Ok((Edit::path_cost(&path, &codes.a, &codes.b), mode, Some(path)));
        }
        let distance = match method {
            Method::Tiled => tiled_cpu::distance(a, b, control)?,
            Method::AntiDiagonal => anti_diagonal::cpu::last_cell(Recurrence::EditDistance, a, b, control)?,
            _ => cpu::value::<Edit>((a, b), codes.shared, Band::WHOLE, control)?.found as u64,
        };
        Ok::<_, Error>((distance, "none", None))
    })?;
    phases.lap("sweep");
    Ok(Found { method, device: CPU.to_string(), path_mode, distance: Some(distance), path, computed_cells: 0 })
}

/// Methods of the whole table that keep nothing of it for a path.
pub(super) fn baseline(method: Method) -> bool {
    matches!(method, Method::AntiDiagonal | Method::Tiled)
}

/// The textbook table's answer.
fn by_reference<S: Symbol>(
    engine: &Engine,
    core: &Stripped<'_, S>,
    options: &EditOptions,
    phases: &Phases,
) -> Result<Found> {
    let fill = |rows: &[S], cols: &[S], more: &mut dyn FnMut() -> bool| {
        let (distance, _) = reference::ends_while(rows, cols, Mode::Global, more)?;
        let within = options.max_distance.is_none_or(|most| distance <= most);
        let path = if options.path && within { Some(reference::path_while(rows, cols, more)?) } else { None };
        Some((within.then_some(distance), path))
    };
    let (distance, path) = by_reference::answer(engine, core, options.path, &options.control, phases, fill)?;
    Ok(Found {
        method: Method::Reference,
        device: CPU.to_string(),
        path_mode: if path.is_some() { "table" } else { "none" },
        distance,
        path,
        computed_cells: core.cells(),
    })
}
