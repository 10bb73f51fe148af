//! Sweeps of an infix or prefix search.

use std::ops::Range;
use std::sync::Arc;

use super::locate::{self, Ends};
use super::{EditOptions, Mode, gpu};
use crate::backend::Backend;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::{Error, Result};
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::bit_parallel::cpu::banded::Codes;
use crate::pairwise::bit_parallel::cpu::{self, SweepWork};
use crate::pairwise::bit_parallel::recurrence::{Column, Edit};
use crate::pairwise::codes::{Alphabet, Encoded};

/// One search: sweeps of parts of the target and of prefixes of the query.
pub(super) struct PieceSearch<'a> {
    engine: &'a Engine,
    pub options: &'a EditOptions,
    phases: &'a Phases,
    /// The target as rows, the query as columns.
    pub codes: Codes<'a>,
    /// Cells computed so far.
    pub cells: u64,
    /// Name of the GPU, once it has swept a part.
    pub device: Option<String>,
}

impl<'a> PieceSearch<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        options: &'a EditOptions,
        phases: &'a Phases,
        codes: &'a Encoded,
    ) -> Self {
        let codes = Codes {
            rows: &codes.a,
            cols: &codes.b,
            shared: codes.shared,
        };
        Self {
            engine,
            options,
            phases,
            codes,
            cells: 0,
            device: None,
        }
    }

    /// Minimum distance from the first `len` query symbols to a piece that ends in each row of a
    /// part of the target: the differences from row to row, and the value above the first row.
    ///
    /// # Errors
    /// [`Error::Cancelled`] and the errors of the device.
    pub(super) async fn infix(&mut self, part: Range<usize>, len: usize) -> Result<(Column, i64)> {
        let codes = Codes {
            rows: &self.codes.rows[part],
            cols: &self.codes.cols[..len],
            ..self.codes
        };
        if let Some(gpu) = self.gpu((codes.rows.len(), len)).await? {
            return self.on_gpu(&*gpu, codes).await;
        }
        let control = &self.options.control;
        let column = self.on_threads(codes, || locate::infix_column(codes, control))?;
        self.cells += column.cells;
        Ok(column.found)
    }

    /// Prefixes of the target at the minimum distance from the first `len` query symbols; `None` if
    /// that exceeds `max_distance`.
    pub(super) async fn prefixes(&mut self, len: usize, max_distance: u64) -> Result<Option<Ends>> {
        let query = &self.codes.cols[..len];
        let codes = Codes {
            rows: locate::within_reach(query, self.codes.rows, max_distance),
            cols: query,
            ..self.codes
        };
        if let Some(gpu) = self.gpu((codes.rows.len(), len)).await? {
            let column = self.on_gpu(&*gpu, codes).await?;
            return Ok(Some(locate::minimum(&column, codes.rows.len()))
                .filter(|found| found.distance <= max_distance));
        }
        let (control, mut cells) = (&self.options.control, self.cells);
        let found = self.on_threads(codes, || {
            locate::prefixes(codes, max_distance, control, &mut cells)
        })?;
        self.cells = cells;
        Ok(found)
    }

    /// Runs a sweep on the threads of the engine, or on this thread if waking them takes longer.
    fn on_threads<T: Send>(&self, codes: Codes<'_>, sweep: impl FnOnce() -> T + Send) -> T {
        if cpu::is_serial(codes.rows.len(), codes.cols.len()) {
            sweep()
        } else {
            self.engine.on_threads(sweep)
        }
    }

    async fn gpu(&self, shape: (usize, usize)) -> Result<Option<Arc<dyn Backend>>> {
        Ok(self
            .engine
            .plan_and_open(self.phases, || Ok(self.faster(shape)?.0), Option::is_some)
            .await?
            .1)
    }

    async fn on_gpu(&mut self, backend: &dyn Backend, codes: Codes<'_>) -> Result<(Column, i64)> {
        self.phases.lap(Phase::OpenDevice);
        let device = self.device(backend);
        let cells = (codes.rows.len() as u64).saturating_mul(codes.cols.len() as u64);
        self.options.control.set_phase(Phase::Sweep);
        self.options.control.add_total(cells);
        let column = gpu::last_column(&device, self.options, codes).await;
        if let Err(Error::MemoryBudget { .. }) = column {
            // Report the memory that the whole call needs, not only this sweep.
            let Codes { rows, cols, shared } = self.codes;
            gpu::summarize_pieces(
                device.sizing(self.options.tuning),
                self.options,
                (rows.len(), cols.len()),
                shared,
            )?;
        }
        let column = column?;
        self.cells = self.cells.saturating_add(cells);
        self.device = Some(backend.name().to_string());
        Ok((column, codes.cols.len() as i64))
    }

    /// Estimated time of a sweep; infinite if no device fits it.
    pub(super) fn seconds(&self, rows: usize, len: usize) -> f64 {
        self.faster((rows, len))
            .map_or(f64::INFINITY, |(_, seconds)| seconds)
    }

    /// The GPU if it is expected to be faster than the CPU, or was requested and the table is the
    /// whole one; and the estimated seconds. Tables with few columns leave most of a GPU idle.
    pub(super) fn faster(
        &self,
        (rows, len): (usize, usize),
    ) -> Result<(Option<DeviceEstimate>, f64)> {
        let planes = Alphabet::from(self.codes.shared).planes() as usize;
        let work = SweepWork {
            rows,
            cols: len,
            planes,
            band: Band::WHOLE,
            threads: self.engine.threads(),
        };
        let on_cpu = work.seconds_by_cells::<Edit>();
        let Some(estimate) = self.engine.device_estimate(on_cpu)? else {
            return Ok((None, on_cpu));
        };
        let sizing = estimate.sizing(self.options.tuning);
        let swept = gpu::expected_seconds(sizing, self.options, (rows, len), self.codes.shared);
        let on_gpu = swept * estimate.pace;
        let whole = rows == self.codes.rows.len() && len == self.codes.cols.len();
        let faster = if self.engine.chooses_device() {
            estimate.call_seconds(swept) < on_cpu
        } else {
            whole || on_gpu <= on_cpu || self.options.mode == Mode::Prefix
        };
        Ok(if faster {
            (Some(estimate), on_gpu)
        } else {
            (None, on_cpu)
        })
    }

    fn device<'b>(&'b self, backend: &'b dyn Backend) -> Device<'b> {
        self.engine
            .device(backend, &self.options.control, self.phases)
    }
}
