//! The layered methods as ways to answer a supersequence query.

use super::midpoints::Swept;
use super::{LayeredTable, MemoryBudget, Stored, traceback};
use crate::backend::Capabilities;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{Device, DeviceEstimate, Engine, profile};
use crate::error::Result;
use crate::papers::anti_diagonal::check_lengths;
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::gpu::Sizing;
use crate::sequences::codes::Encoded;
use crate::sequences::tuning::Tuning;
use crate::supersequence::query::{TableAnswer, TableQuery};

/// The segments' memory, as named in errors.
const SEGMENTS: &str = "the tables of the segments for the string";

/// A method that computes the table layer by layer.
pub(crate) trait LayeredMethod {
    const NAME: &'static str;
    /// The method's memory, as named in errors.
    const MEMORY: &'static str;

    fn cpu_table(codes: &Encoded, threads: usize) -> SizedTable;

    fn gpu_table(codes: &Encoded, caps: &Capabilities) -> Result<SizedTable>;

    /// Computes the table on the caller's thread pool. With `every`, stores layers at that spacing
    /// and returns the midpoints.
    fn sweep_on_cpu(codes: &Encoded, every: Option<u64>, control: &Control) -> Result<Swept>;

    /// Computes the table on a device, as [`sweep_on_cpu`](Self::sweep_on_cpu).
    async fn sweep_on_gpu(
        device: &Device<'_>,
        codes: &Encoded,
        every: Option<u64>,
    ) -> Result<Swept>;
}

/// A table and what it costs without any path.
pub(crate) struct SizedTable {
    pub table: LayeredTable,
    /// Bytes where it is computed.
    pub bytes: u64,
    pub cost: Cost,
}

/// Cost of a query on the CPU or on a GPU of these limits, and the layers stored for a path.
fn layout<M: LayeredMethod>(
    engine: &Engine,
    query: &TableQuery<'_>,
    gpu: Option<Sizing<'_>>,
) -> Result<(Cost, Option<Stored>)> {
    let codes = &query.codes;
    let host = MemoryBudget {
        what: M::MEMORY,
        used: 0,
        limit: engine.host_budget(),
        buffer: u64::MAX,
    };
    let (sized, limits, segments) = match gpu {
        None => (M::cpu_table(codes, engine.threads()), host, None),
        Some(gpu) => (
            M::gpu_table(codes, gpu.capabilities)?,
            MemoryBudget {
                limit: gpu.budget_bytes,
                buffer: gpu.capabilities.chunk_bytes,
                ..host
            },
            Some(MemoryBudget {
                what: SEGMENTS,
                ..host
            }),
        ),
    };
    let SizedTable {
        table,
        mut bytes,
        mut cost,
    } = sized;
    let budget = MemoryBudget {
        used: bytes,
        ..limits
    };
    let stored = Stored::choose(table, query.path && query.has_table(), budget, segments)?;
    cost.host_bytes += query.code_bytes();
    cost.path_mode = PathMode::Table.if_path(query.path);
    if let Some(stored) = stored {
        let mut threads = 1;
        if stored.every().is_some() {
            threads = engine.threads();
            match gpu {
                None => cost.seconds *= profile::cpu::ORIGINS_TIMES,
                Some(_) => cost.passes += 1,
            }
        }
        bytes += stored.trace_bytes;
        cost.host_bytes += stored.segments_bytes;
        cost.path_mode = stored.path_mode();
        cost.seconds += stored.cells() as f64
            / profile::cpu::ANTI_DIAGONAL_CELLS_PER_SECOND
            / profile::speedup(threads);
    }
    match gpu {
        None => cost.host_bytes += bytes,
        Some(_) => cost.device_bytes += bytes,
    }
    Ok((cost, stored))
}

impl<M: LayeredMethod> Way<TableQuery<'_>> for M {
    fn method(&self) -> &'static str {
        M::NAME
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, engine: &Engine, query: &TableQuery<'_>) -> Result<Option<Cost>> {
        if query.has_table() {
            check_lengths(query.codes.a.len(), query.codes.b.len())?;
        }
        Ok(Some(layout::<M>(engine, query, None)?.0))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &TableQuery<'_>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        if !query.has_table() {
            return Ok(None);
        }
        let limits = device.sizing(Tuning::default());
        Ok(Some(layout::<M>(engine, query, Some(limits))?.0))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut TableQuery<'_>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, TableAnswer> {
        Box::pin(async move {
            if !query.has_table() {
                return Ok(Some(query.unmatched()));
            }
            let Call {
                engine, control, ..
            } = *call;
            let codes = &query.codes;
            let limits = device.map(|device| device.sizing(Tuning::default()));
            let (_, stored) = layout::<M>(engine, query, limits)?;
            let every = stored.and_then(|stored| stored.every());
            control.set_phase(Phase::Sweep);
            control.add_total(u64::try_from(query.table_cells()).unwrap_or(u64::MAX));
            let swept = match device {
                Some(device) => M::sweep_on_gpu(device, codes, every).await?,
                None => {
                    let swept = engine.on_threads(|| M::sweep_on_cpu(codes, every, control))?;
                    call.phases.lap(Phase::Sweep);
                    swept
                }
            };
            let mut answered = query.answered(swept.length, None);
            if let Some(stored) = stored {
                let ends = stored.ends(&swept.places)?;
                let (shared, cells) =
                    engine.on_threads(|| traceback::shared(&codes.a, &codes.b, &ends, control))?;
                call.phases.lap(Phase::Trace);
                answered.answer.shared = Some(shared);
                answered.path_mode = stored.path_mode();
                answered.computed_cells += cells;
            }
            Ok(Some(answered))
        })
    }
}

/// Cells where the canonical path of two non-empty inputs crosses the layers stored at spacing
/// `every`, including the first and last cell of the table.
///
/// # Errors
/// The errors of the method, and [`Error::CertificateFailed`](crate::Error::CertificateFailed) if
/// no path has these midpoints.
pub(crate) async fn cells<M: LayeredMethod>(
    device: &Device<'_>,
    codes: &Encoded,
    every: u64,
) -> Result<Vec<(usize, usize)>> {
    let sized = M::gpu_table(codes, device.backend.capabilities())?;
    let stored = Stored::new(sized.table, every);
    let swept = M::sweep_on_gpu(device, codes, stored.every()).await?;
    stored.ends(&swept.places)
}
