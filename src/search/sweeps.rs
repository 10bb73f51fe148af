//! Sweeps of an infix or prefix search.

use std::ops::Range;

use super::column;
use crate::call::phase::Phase;
use crate::edit_distance::{EditOptions, Mode, gpu};
use crate::engine::{Device, Engine};
use crate::error::{Error, Result};
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::cpu::text::Ends;
use crate::sequences::bit_parallel::cpu::{self, SweepWork};
use crate::sequences::bit_parallel::recurrence::{Edit, LastColumn};
use crate::sequences::codes::{Alphabet, Codes, Encoded};

/// One search: sweeps of parts of the target and of prefixes of the query.
pub(super) struct PieceSearch<'a> {
    engine: &'a Engine,
    pub options: &'a EditOptions,
    /// The GPU that may sweep parts.
    device: Option<&'a Device<'a>>,
    /// The target as rows, the query as columns.
    pub codes: Codes<'a>,
    /// Cells computed so far.
    pub cells: u64,
}

impl<'a> PieceSearch<'a> {
    pub(super) fn new(
        engine: &'a Engine,
        options: &'a EditOptions,
        device: Option<&'a Device<'a>>,
        codes: &'a Encoded,
    ) -> Self {
        Self {
            engine,
            options,
            device,
            codes: codes.codes(),
            cells: 0,
        }
    }

    /// Minimum distance from the first `len` query symbols to a piece that ends in each row of a
    /// part of the target.
    pub(super) async fn infix(&mut self, part: Range<usize>, len: usize) -> Result<LastColumn> {
        let codes = Codes {
            a: &self.codes.a[part],
            b: &self.codes.b[..len],
            ..self.codes
        };
        if let Some(device) = self.gpu(codes.a.len(), len) {
            return self.on_gpu(device, codes).await;
        }
        let control = &self.options.control;
        let column = self.on_threads(codes, || column::infix_column(codes, control))?;
        self.cells += column.cells;
        Ok(column.found)
    }

    /// Prefixes of the target at the minimum distance from the first `len` query symbols; a greater
    /// distance than `max_distance` need not be exact.
    pub(super) async fn prefixes(&mut self, len: usize, max_distance: u64) -> Result<Ends> {
        let query = &self.codes.b[..len];
        let codes = Codes {
            a: &self.codes.a[..column::reach(len, self.codes.a.len(), max_distance)],
            b: query,
            ..self.codes
        };
        if let Some(device) = self.gpu(codes.a.len(), len) {
            let column = self.on_gpu(device, codes).await?;
            return Ok(column::minimum(&column, codes.a.len()));
        }
        let (control, mut cells) = (&self.options.control, self.cells);
        let found = self.on_threads(codes, || {
            column::prefixes(codes, max_distance, control, &mut cells)
        })?;
        self.cells = cells;
        Ok(found)
    }

    /// Runs a sweep on the threads of the engine, or on this thread if waking them takes longer.
    fn on_threads<T: Send>(&self, codes: Codes<'_>, sweep: impl FnOnce() -> T + Send) -> T {
        if cpu::is_serial(codes.a.len(), codes.b.len()) {
            sweep()
        } else {
            self.engine.on_threads(sweep)
        }
    }

    async fn on_gpu(&mut self, device: &Device<'_>, codes: Codes<'_>) -> Result<LastColumn> {
        let cells = (codes.a.len() as u64).saturating_mul(codes.b.len() as u64);
        self.options.control.set_phase(Phase::Sweep);
        self.options.control.add_total(cells);
        let column = gpu::last_column(device, self.options, codes).await;
        if let Err(Error::MemoryBudget { .. }) = column {
            // Report the memory that the whole call needs, not only this sweep.
            let Codes { a, b, alphabet } = self.codes;
            let sizing = device.sizing(self.options.tuning);
            gpu::pieces_cost(sizing, self.options, a.len(), b.len(), alphabet)?;
        }
        let column = column?;
        self.cells = self.cells.saturating_add(cells);
        Ok(LastColumn {
            column,
            above: codes.b.len() as i64,
        })
    }

    /// Expected seconds of a sweep of `rows` symbols of the target and `len` of the query.
    pub(super) fn seconds(&self, rows: usize, len: usize) -> f64 {
        match self.gpu(rows, len) {
            Some(device) => self.gpu_seconds(device, rows, len),
            None => self.cpu_seconds(rows, len),
        }
    }

    /// The GPU if it sweeps the whole table, or is expected to be faster than the CPU. Tables with
    /// few columns leave most of a GPU idle.
    fn gpu(&self, rows: usize, len: usize) -> Option<&'a Device<'a>> {
        let is_whole = rows == self.codes.a.len() && len == self.codes.b.len();
        let takes = |device: &&Device<'_>| {
            is_whole
                || self.options.mode == Mode::Prefix
                || self.gpu_seconds(device, rows, len) <= self.cpu_seconds(rows, len)
        };
        self.device.filter(takes)
    }

    fn cpu_seconds(&self, rows: usize, len: usize) -> f64 {
        work(self.engine, rows, len, self.codes.alphabet).seconds_by_cells::<Edit>()
    }

    fn gpu_seconds(&self, device: &Device<'_>, rows: usize, len: usize) -> f64 {
        let sizing = device.sizing(self.options.tuning);
        gpu::expected_seconds(sizing, self.options, rows, len, self.codes.alphabet)
    }
}

/// A sweep of a whole table on the CPU.
pub(super) fn work(engine: &Engine, rows: usize, cols: usize, alphabet: Alphabet) -> SweepWork {
    SweepWork {
        rows,
        cols,
        planes: alphabet.planes() as usize,
        sets: alphabet.sets,
        band: Band::WHOLE,
        threads: engine.threads(),
    }
}
