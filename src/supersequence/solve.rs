//! One call from two inputs to a proven answer.

use std::time::Instant;

use super::row_wise::{cpu, gpu};
use super::traceback::{self, Room, Segments, Table, segments};
use super::witness::Supersequence;
use super::{Method, Run, Scs, ScsOptions, anti_diagonal, many, reference};
use crate::alphabet::{Encoded, Symbol};
use crate::anti_diagonal::check_lengths;
use crate::anti_diagonal::cpu::size_bytes;
use crate::anti_diagonal::gpu::Grid;
use crate::backend::Backend;
use crate::ends::Core;
use crate::engine::{CPU, Device, Engine};
use crate::error::{Error, Result};
use crate::lcs::subsequence::Subsequence;
use crate::lcs::{self, LcsOptions};
use crate::phases::Phases;
use crate::plan::CHUNK_BYTES;
use crate::textbook;

/// The answer of [`Engine::scs_with`].
pub(crate) async fn solve<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &ScsOptions) -> Result<Scs> {
    many::solve(engine, &[a, b], options).await
}

/// The answer of a method for two inputs.
pub(super) async fn pair<S: Symbol>(engine: &Engine, a: &[S], b: &[S], options: &ScsOptions) -> Result<Scs> {
    let started = Instant::now();
    let (length, shared, mut run) = match lcs_options(options) {
        Some(options) => by_subsequence(engine, a, b, &options).await?,
        None => by_table(engine, a, b, options).await?,
    };
    let phases = Phases::start();
    let merge = |shared: Subsequence| {
        let supersequence = Supersequence::merge(shared.blocks(), a.len(), b.len());
        phases.lap("merge");
        supersequence.verify(&[a, b], length)?;
        phases.lap("verify");
        Ok::<_, Error>(supersequence)
    };
    let supersequence = shared.map(|shared| engine.on_threads(|| merge(shared))).transpose()?;
    run.phases.extend(phases.totals());
    run.elapsed = started.elapsed();
    Ok(Scs { length, lower_bound: length, exact: true, supersequence, run })
}

/// What a method asks of the longest common subsequence; `None` for methods with a table of their own.
pub(super) fn lcs_options(options: &ScsOptions) -> Option<LcsOptions> {
    let method = match options.method {
        Method::Auto => lcs::Method::Auto,
        Method::BitParallel => lcs::Method::BitParallel,
        Method::Banded => lcs::Method::Banded,
        Method::Wavefront => lcs::Method::Wavefront,
        _ => return None,
    };
    Some(LcsOptions { method, path: options.path, control: options.control.clone(), ..LcsOptions::default() })
}

/// The method that an answer by the longest common subsequence is reported under.
pub(super) fn from_lcs(method: lcs::Method) -> Method {
    match method {
        lcs::Method::Wavefront => Method::Wavefront,
        lcs::Method::Banded => Method::Banded,
        _ => Method::BitParallel,
    }
}

async fn by_subsequence<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &LcsOptions,
) -> Result<(u64, Option<Subsequence>, Run)> {
    let lcs = lcs::unverified(engine, a, b, options).await?;
    let method = from_lcs(lcs.run.method);
    Ok(((a.len() + b.len()) as u64 - lcs.length, lcs.subsequence, lcs.run.with_method(method)))
}

/// What a table gave for the core.
pub(super) struct Found {
    pub device: String,
    pub path_mode: &'static str,
    pub length: u64,
    pub shared: Option<Subsequence>,
}

async fn by_table<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &ScsOptions,
) -> Result<(u64, Option<Subsequence>, Run)> {
    let phases = Phases::start();
    let core = Core::new(a, b);
    phases.lap("strip");
    let found = if core.cells() == 0 {
        let length = (core.rows.len() + core.cols.len()) as u64;
        let path_mode = if options.path { "table" } else { "none" };
        Found { device: CPU.to_string(), path_mode, length, shared: options.path.then(Subsequence::default) }
    } else if options.method == Method::Reference {
        by_reference(engine, &core, options, &phases)?
    } else {
        let gpu = engine.gpu(core.cells())?;
        phases.lap("open device");
        let codes = Encoded::new(core.rows, core.cols);
        phases.lap("encode");
        options.control.expect(u64::try_from(core.cells()).unwrap_or(u64::MAX));
        match gpu.as_deref() {
            Some(gpu) => on_gpu(engine, gpu, &codes, options, &phases).await?,
            None => on_cpu(engine, &codes, options, &phases)?,
        }
    };
    let run = Run {
        method: options.method,
        path_mode: found.path_mode,
        device: found.device,
        cells: a.len() as u128 * b.len() as u128,
        computed_cells: core.cells() * if found.path_mode == CHECKPOINTS { 2 } else { 1 },
        common_prefix: core.prefix as u64,
        common_suffix: core.suffix as u64,
        elapsed: std::time::Duration::ZERO,
        phases: phases.totals(),
    };
    let length = found.length + (core.prefix + core.suffix) as u64;
    Ok((length, found.shared.map(|shared| Subsequence(core.with_ends(shared.0, a.len(), b.len()))), run))
}

/// The path mode that computes the table twice.
const CHECKPOINTS: &str = "directions between checkpoints";

/// The table of these very codes on this backend.
pub(super) async fn on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &ScsOptions,
    phases: &Phases,
) -> Result<Found> {
    let device = engine.device(backend, &options.control, phases);
    let (rows, cols) = (codes.a.len(), codes.b.len());
    let memory = |what, used| device_memory(engine, &device, what, used);
    let (length, shared, path_mode) = if options.method == Method::RowWise {
        let grid = gpu::OnDevice::grid(&device, rows, cols, codes.shared)?;
        let segments = segments(grid.layout(), options.path, memory(ROW_WISE, gpu::size_bytes(&grid)))?;
        let mut table = gpu::OnDevice::new(&device, &codes.a, &codes.b, grid);
        run(&mut table, codes, options, segments).await?
    } else {
        let grid = Grid::new(rows as u64, cols as u64, backend.capabilities())?;
        let layout = anti_diagonal::layout(grid.rows, grid.cols);
        let segments = segments(layout, options.path, memory(ANTI_DIAGONAL, grid.size_bytes()))?;
        let mut table = anti_diagonal::OnDevice::new(&device, &codes.a, &codes.b)?;
        run(&mut table, codes, options, segments).await?
    };
    phases.lap("trace");
    Ok(Found { device: backend.name().to_string(), path_mode, length, shared })
}

/// Memory for directions on a device, and on the host for states.
type Memory = (Room, Option<Room>);

/// What takes the memory.
pub(super) const ROW_WISE: &str = "the method 'row-wise' with its table of last occurrences";
pub(super) const ANTI_DIAGONAL: &str = "the method 'anti-diagonal'";

/// What is left beside a plan on a device.
pub(super) fn device_memory(engine: &Engine, device: &Device<'_>, what: &'static str, used: u64) -> Memory {
    let buffer = device.backend.capabilities().binding_bytes.min(CHUNK_BYTES);
    let states = Room { what: "states between segments", used: 0, limit: engine.host_budget(), buffer: u64::MAX };
    (Room { what, used, limit: device.budget_bytes, buffer }, Some(states))
}

/// What is left beside a table on the host.
pub(super) fn host_memory(engine: &Engine, what: &'static str, used: u64) -> Memory {
    (Room { what, used, limit: engine.host_budget(), buffer: u64::MAX }, None)
}

fn on_cpu(engine: &Engine, codes: &Encoded, options: &ScsOptions, phases: &Phases) -> Result<Found> {
    let control = &options.control;
    let (rows, cols) = (codes.a.len(), codes.b.len());
    check_lengths(rows, cols)?;
    let (length, shared, path_mode) = if options.method == Method::RowWise {
        let grid = cpu::OnThreads::grid(rows, cols, codes.shared);
        let memory = host_memory(engine, ROW_WISE, grid.table_bytes());
        let segments = segments(grid.layout(), options.path, memory)?;
        engine.on_threads(|| {
            let mut table = cpu::OnThreads::new(&codes.a, &codes.b, grid, control);
            pollster::block_on(run(&mut table, codes, options, segments))
        })?
    } else {
        let (rows, cols) = (rows as u64, cols as u64);
        let memory = host_memory(engine, ANTI_DIAGONAL, size_bytes(rows, cols));
        let segments = segments(anti_diagonal::layout(rows, cols), options.path, memory)?;
        engine.on_threads(|| {
            let mut table = anti_diagonal::OnThreads::new(&codes.a, &codes.b, control);
            pollster::block_on(run(&mut table, codes, options, segments))
        })?
    };
    phases.lap("sweep");
    Ok(Found { device: CPU.to_string(), path_mode, length, shared })
}

/// Length, shared symbols where they were asked for, and how they were recovered.
type Ran = (u64, Option<Subsequence>, &'static str);

/// Length and, where there are segments for it, shared symbols from a table.
async fn run<T: Table>(
    table: &mut T,
    codes: &Encoded,
    options: &ScsOptions,
    segments: Option<Segments>,
) -> Result<Ran> {
    let layout = table.layout();
    let Some(segments) = segments else {
        let first = table.first();
        let (state, _) = table.advance(first, 0..layout.layers, false).await?;
        return Ok((table.length(&state), None, "none"));
    };
    if segments.mode(layout) == CHECKPOINTS {
        options.control.expect(codes.a.len() as u64 * codes.b.len() as u64);
    }
    let (length, shared) = traceback::path(table, &codes.a, &codes.b, segments, &options.control).await?;
    Ok((length, Some(shared), segments.mode(layout)))
}

fn by_reference<S: Symbol>(
    engine: &Engine,
    core: &Core<'_, S>,
    options: &ScsOptions,
    phases: &Phases,
) -> Result<Found> {
    let fill = |rows: &[S], cols: &[S], more: &mut dyn FnMut() -> bool| {
        if !options.path {
            return Some((reference::length_while(rows, cols, more)?, None));
        }
        let shared = reference::shared_while(rows, cols, more)?;
        Some(((rows.len() + cols.len()) as u64 - shared.len(), Some(shared)))
    };
    let (length, shared) = textbook::answer(engine, core, options.path, &options.control, phases, fill)?;
    let path_mode = if options.path { "table" } else { "none" };
    Ok(Found { device: CPU.to_string(), path_mode, length, shared })
}
