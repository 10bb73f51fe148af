//! A call for two inputs: choose a method, solve, merge, verify.

use std::time::Instant;

use super::choice::{self, ANTI_DIAGONAL, ROW_WISE, decide};
use super::witness::Supersequence;
use super::{Method, Run, ScsOptions, Solved, reference};
use crate::backend::Backend;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{CPU, Device, Engine};
use crate::error::{Error, Result};
use crate::lcs::subsequence::Subsequence;
use crate::lcs::{self, LcsOptions};
use crate::pairwise::affixes::Stripped;
use crate::pairwise::codes::{Encoded, Symbol};
use crate::pairwise::reference_method;
use crate::papers::anti_diagonal::cpu::size_bytes;
use crate::papers::anti_diagonal::{check_lengths, supersequence as anti_diagonal};
use crate::papers::layers::midpoints::Swept;
use crate::papers::layers::{LayeredTable, MemoryBudget, Stored, traceback};
use crate::papers::row_wise::{cpu, gpu};
use crate::path_mode::PathMode;

pub(super) async fn pair<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &ScsOptions,
) -> Result<Solved> {
    let started = Instant::now();
    let (length, shared, mut run) = match lcs_options(options) {
        Some(options) => by_subsequence(engine, a, b, &options).await?,
        None => by_table(engine, a, b, options).await?,
    };
    let phases = Phases::start();
    let merge = |shared: Subsequence| {
        let supersequence = Supersequence::merge(shared.blocks(), a.len(), b.len());
        phases.lap(Phase::Merge);
        options.control.set_phase(Phase::Verify);
        supersequence.verify(&[a, b], length)?;
        phases.lap(Phase::Verify);
        Ok::<_, Error>(supersequence)
    };
    let supersequence = shared
        .map(|shared| engine.on_threads(|| merge(shared)))
        .transpose()?;
    run.phases.extend(phases.totals());
    run.elapsed = started.elapsed();
    Ok(Solved {
        length,
        lower_bound: length,
        exact: true,
        supersequence,
        run,
    })
}

/// Options of the LCS call behind a method; `None` for the table methods.
pub(super) fn lcs_options(options: &ScsOptions) -> Option<LcsOptions> {
    let method = match options.method {
        Method::Auto => lcs::Method::Auto,
        Method::BitParallel => lcs::Method::BitParallel,
        Method::Banded => lcs::Method::Banded,
        Method::Wavefront => lcs::Method::Wavefront,
        _ => return None,
    };
    Some(LcsOptions {
        method,
        path: options.path,
        control: options.control.clone(),
        ..LcsOptions::default()
    })
}

/// Method to report for an LCS method.
pub(super) fn from_lcs(method: &str) -> Method {
    method.parse().unwrap_or(Method::BitParallel)
}

async fn by_subsequence<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &LcsOptions,
) -> Result<(u64, Option<Subsequence>, Run)> {
    let lcs = lcs::unverified(engine, a, b, options).await?;
    let method = from_lcs(lcs.run.method);
    Ok((
        (a.len() + b.len()) as u64 - lcs.length,
        lcs.subsequence,
        lcs.run.with_method(method),
    ))
}

/// Result for the affix-stripped inputs.
pub(super) struct TableResult {
    pub device: String,
    pub path_mode: PathMode,
    pub length: u64,
    pub shared: Option<Subsequence>,
    /// Cells of path segments, in addition to the table's.
    pub segment_cells: u128,
}

async fn by_table<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &ScsOptions,
) -> Result<(u64, Option<Subsequence>, Run)> {
    let phases = Phases::start();
    let stripped = Stripped::new(a, b);
    phases.lap(Phase::Strip);
    let found = if stripped.cells() == 0 {
        let length = (stripped.rows.len() + stripped.cols.len()) as u64;
        let path_mode = PathMode::Table.if_path(options.path);
        let shared = options.path.then(Subsequence::default);
        TableResult {
            device: CPU.to_string(),
            path_mode,
            length,
            shared,
            segment_cells: 0,
        }
    } else if options.method == Method::Reference {
        by_reference(engine, &stripped, options, &phases)?
    } else {
        let codes = Encoded::new(stripped.rows, stripped.cols);
        phases.lap(Phase::Encode);
        let (_, gpu) = engine
            .plan_and_open(&phases, || decide(engine, &codes, options), Option::is_some)
            .await?;
        phases.lap(Phase::OpenDevice);
        options.control.set_phase(Phase::Sweep);
        options
            .control
            .add_total(u64::try_from(stripped.cells()).unwrap_or(u64::MAX));
        match gpu.as_deref() {
            Some(gpu) => on_gpu(engine, gpu, &codes, options, &phases).await?,
            None => on_cpu(engine, &codes, options, &phases)?,
        }
    };
    let computed_cells = stripped.cells() + found.segment_cells;
    let run = stripped.run(
        options.method,
        (found.device, found.path_mode),
        computed_cells,
    );
    let run = Run {
        phases: phases.totals(),
        ..run
    };
    let length = found.length + (stripped.prefix + stripped.suffix) as u64;
    Ok((
        length,
        found
            .shared
            .map(|shared| Subsequence(stripped.with_affixes(shared.0, a.len(), b.len()))),
        run,
    ))
}

/// Solves exactly these codes on this backend: no affix stripping, no choice of device.
pub(super) async fn on_gpu(
    engine: &Engine,
    backend: &dyn Backend,
    codes: &Encoded,
    options: &ScsOptions,
    phases: &Phases,
) -> Result<TableResult> {
    let device = engine.device(backend, &options.control, phases);
    let (_, stored) = choice::on_device(engine, limits(&device), codes, options)?;
    let swept = sweep(&device, options.method, codes, every(stored)).await?;
    trace_segments(
        engine,
        backend.name(),
        codes,
        options,
        phases,
        (stored, swept),
    )
}

fn limits<'a>(device: &'a Device<'_>) -> choice::Limits<'a> {
    (device.backend.capabilities(), device.budget_bytes)
}

/// Sweeps the table of a method on a device; `every` is the spacing of stored layers.
pub(super) async fn sweep(
    device: &Device<'_>,
    method: Method,
    codes: &Encoded,
    every: Option<u64>,
) -> Result<Swept> {
    match method {
        Method::RowWise => gpu::sweep(device, codes, every).await,
        _ => anti_diagonal::on_device(device, codes, every).await,
    }
}

/// Cells where the canonical path of two non-empty inputs crosses the layers stored at spacing
/// `every`, including the first and last cell of the table.
///
/// # Errors
/// The errors of the method, and [`Error::CertificateFailed`](crate::Error::CertificateFailed) if
/// no path has these midpoints.
pub async fn cells(
    device: &Device<'_>,
    method: Method,
    codes: &Encoded,
    every: u64,
) -> Result<Vec<(usize, usize)>> {
    let (table, _) = choice::table(limits(device), method, codes)?;
    let stored = Stored::new(table, every);
    let swept = sweep(device, method, codes, stored.every()).await?;
    stored.ends(&swept.places)
}

fn every(stored: Option<Stored>) -> Option<u64> {
    stored.and_then(|stored| stored.every())
}

/// Completes a sweep: traces the segments between the midpoints.
fn trace_segments(
    engine: &Engine,
    device: &str,
    codes: &Encoded,
    options: &ScsOptions,
    phases: &Phases,
    (stored, Swept { length, places }): (Option<Stored>, Swept),
) -> Result<TableResult> {
    let device = device.to_string();
    let Some(stored) = stored else {
        return Ok(TableResult {
            device,
            path_mode: PathMode::None,
            length,
            shared: None,
            segment_cells: 0,
        });
    };
    let ends = stored.ends(&places)?;
    let (shared, segment_cells) =
        engine.on_threads(|| traceback::shared(&codes.a, &codes.b, &ends, &options.control))?;
    phases.lap(Phase::Trace);
    Ok(TableResult {
        device,
        path_mode: stored.path_mode(),
        length,
        shared: Some(shared),
        segment_cells,
    })
}

/// Table layout and memory budget on the host.
pub(super) fn host_table(
    engine: &Engine,
    method: Method,
    codes: &Encoded,
) -> (LayeredTable, MemoryBudget) {
    let (table, what, used) = if method == Method::RowWise {
        let grid = cpu::grid(codes);
        (cpu::layers(&grid), ROW_WISE, cpu::size_bytes(&grid))
    } else {
        let (rows, cols) = (codes.a.len() as u64, codes.b.len() as u64);
        (
            anti_diagonal::layers(rows, cols),
            ANTI_DIAGONAL,
            size_bytes(rows, cols),
        )
    };
    (
        table,
        MemoryBudget {
            what,
            used,
            limit: engine.host_budget(),
            buffer: u64::MAX,
        },
    )
}

fn on_cpu(
    engine: &Engine,
    codes: &Encoded,
    options: &ScsOptions,
    phases: &Phases,
) -> Result<TableResult> {
    let control = &options.control;
    check_lengths(codes.a.len(), codes.b.len())?;
    let (table, budget) = host_table(engine, options.method, codes);
    let stored = Stored::choose(table, options.path, (budget, None))?;
    let swept = engine.on_threads(|| match options.method {
        Method::RowWise => cpu::sweep(codes, every(stored), control),
        _ => anti_diagonal::on_threads(codes, every(stored), control),
    })?;
    phases.lap(Phase::Sweep);
    trace_segments(engine, CPU, codes, options, phases, (stored, swept))
}

fn by_reference<S: Symbol>(
    engine: &Engine,
    stripped: &Stripped<'_, S>,
    options: &ScsOptions,
    phases: &Phases,
) -> Result<TableResult> {
    let fill = |rows: &[S], cols: &[S], more: &mut dyn FnMut() -> bool| {
        if !options.path {
            return Some((reference::length_while(rows, cols, more)?, None));
        }
        let shared = reference::shared_while(rows, cols, more)?;
        Some((
            (rows.len() + cols.len()) as u64 - shared.len(),
            Some(shared),
        ))
    };
    let (length, shared) = reference_method::answer(
        engine,
        stripped,
        options.path,
        &options.control,
        phases,
        fill,
    )?;
    let path_mode = PathMode::Table.if_path(options.path);
    Ok(TableResult {
        device: CPU.to_string(),
        path_mode,
        length,
        shared,
        segment_cells: 0,
    })
}
