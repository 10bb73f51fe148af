//! What a call would do.

use super::solve::{check, needs_kernel};
use super::{EditOptions, Method, Mode, PlanSummary};
use crate::alphabet::{Encoded, Symbol};
use crate::backend::Backend;
use crate::ends::Core;
use crate::engine::{CPU, Engine};
use crate::error::Result;
use crate::phases::Phases;
use crate::strips::cpu;
use crate::strips::gpu::GpuSweep;
use crate::strips::gpu::tiling::{Shape, Table};
use crate::strips::recurrence::Edit;

/// The answer of [`Engine::edit_distance_plan`].
pub(crate) async fn summarize<S: Symbol>(
    engine: &Engine,
    a: &[S],
    b: &[S],
    options: &EditOptions,
) -> Result<PlanSummary> {
    check((a.len(), b.len()), options)?;
    let global = options.mode == Mode::Global;
    let core = Core::new(a, b);
    // Pieces have the target as rows.
    let (rows, cols) = if global { (core.rows, core.cols) } else { (b, a) };
    let codes = Encoded::new(rows, cols);
    let shape = Shape { table: Table::Edit, rows: rows.len() as u64, cols: cols.len() as u64, shared: codes.shared };
    let native = matches!(options.method, Method::Reference | Method::Wavefront | Method::Banded);
    let gpu = if native || !global { None } else { engine.gpu(core.cells())? };
    let phases = Phases::start();
    let mut summary = match gpu.as_deref() {
        Some(backend) => {
            needs_kernel(options.method, backend.name())?;
            let device = engine.device(backend, &options.control, &phases);
            let sweep = GpuSweep { device: &device, tuning: options.tuning };
            let summary = sweep.summarize(Method::BitParallel, shape, options.path)?;
            device.check_budget(summary.device_bytes)?;
            summary
        }
        None => {
            needs_kernel(options.method, CPU)?;
            let method = if native { options.method } else { Method::BitParallel };
            let path = options.path && global;
            let (host, threads) = (engine.host_budget(), engine.threads());
            cpu::summarize::<Edit, _>(method, (shape.rows, shape.cols), path, host, threads)
        }
    };
    summary.host_bytes += 4 * (shape.rows + shape.cols);
    summary.cells = a.len() as u128 * b.len() as u128;
    Ok(summary)
}
