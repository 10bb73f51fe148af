//! Stored layers for the traceback of supersequences, and their memory.
//!
//! A layer is a row or an anti-diagonal. While the layers roll, every cell carries its origin: the
//! position where the canonical path from it, walked back, first reaches the last stored layer or
//! passes it. A stored layer keeps the origins of its cells, so each midpoint of the whole path is
//! one load, from the last layer to the first (see [`midpoints`]). Between two
//! midpoints the path is a segment, with a table of its own (see [`traceback`]).

pub(crate) mod midpoints;
mod segment;
pub(crate) mod traceback;
pub(crate) mod way;

use crate::error::{Error, Result};
use crate::path_mode::PathMode;

/// Preferred spacing of stored layers: a segment's table is then small beside the whole.
const LAYER_SPACING: u64 = 256;
/// Target maximum of segments. The midpoints are dependent loads, about 1 us each on a GPU.
const MAX_SEGMENTS: u64 = 1 << 16;

/// Kind of a layer; defines the position of a cell in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layer {
    /// The position is the column.
    Row,
    /// A diagonal step may skip an anti-diagonal, so the previous one is stored too. The position
    /// is twice the column, plus one on the previous anti-diagonal.
    AntiDiagonal,
}

/// Layout of a table that is computed layer by layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayeredTable {
    pub layer: Layer,
    /// Length of `a`.
    pub rows: u64,
    /// Length of `b`.
    pub cols: u64,
    /// Words of one stored layer.
    pub stored_words: u64,
    /// Bytes of the rolling origins.
    pub origins_bytes: u64,
    /// Bytes of the largest buffer of a call with origins, without the stored layers.
    pub largest_bytes: u64,
}

impl LayeredTable {
    /// Number of layers after the first.
    pub(crate) fn layers(&self) -> u64 {
        match self.layer {
            Layer::Row => self.rows,
            Layer::AntiDiagonal => self.rows + self.cols,
        }
    }

    /// Position of the last cell.
    pub(crate) fn last_place(&self) -> u64 {
        match self.layer {
            Layer::Row => self.cols,
            Layer::AntiDiagonal => 2 * self.cols,
        }
    }

    /// Row and column of a position; `None` outside of the table.
    fn cell(&self, layer: u64, index: u64) -> Option<(u64, u64)> {
        let (row, column) = match self.layer {
            Layer::Row => (layer, index),
            Layer::AntiDiagonal => (layer.checked_sub(index % 2 + index / 2)?, index / 2),
        };
        (row <= self.rows && column <= self.cols).then_some((row, column))
    }

    /// Number of stored layers at spacing `every`: one less than segments.
    pub(crate) fn stored(&self, every: u64) -> u64 {
        self.layers().div_ceil(every).saturating_sub(1)
    }

    /// Bytes of rolling origins, stored origins and midpoints.
    fn trace_bytes(&self, every: u64) -> u64 {
        match self.stored(every) {
            0 => 0,
            stored => self
                .origins_bytes
                .saturating_add(4 * stored.saturating_mul(self.stored_words + 1)),
        }
    }

    /// Upper bound of the bytes of all segment tables.
    fn segments_bytes(&self, every: u64) -> u64 {
        let rows = match self.layer {
            Layer::Row => every,
            Layer::AntiDiagonal => every + 1,
        };
        segment::size_bytes(rows.min(self.rows), self.cols)
    }

    /// True if every buffer is at most `limit` bytes.
    fn has_buffers(&self, every: u64, limit: u64) -> bool {
        let stored = 4 * self.stored(every).saturating_mul(self.stored_words);
        stored == 0 || stored.max(self.largest_bytes) <= limit
    }
}

/// Memory budget of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryBudget {
    /// Name of the user, for errors.
    pub what: &'static str,
    /// Bytes needed before any origin.
    pub used: u64,
    /// Budget in bytes.
    pub limit: u64,
    /// Maximum bytes of one buffer.
    pub buffer: u64,
}

impl MemoryBudget {
    fn refuse(&self, what: String, needed: u64) -> Error {
        Error::MemoryBudget {
            what,
            needed,
            limit: self.limit,
            smallest: needed,
        }
    }
}

/// Choice of stored layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stored {
    table: LayeredTable,
    every: u64,
    /// Bytes of all origins, in addition to the table.
    pub trace_bytes: u64,
    /// Host bytes of the segment tables.
    pub segments_bytes: u64,
}

impl Stored {
    /// Chooses the stored layers for a path; `None` without a path. `host` is the budget of the
    /// segments if they are in other memory than the table with its origins.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`] if the table, or the table with every choice of layers, does not
    /// fit.
    pub(crate) fn choose(
        table: LayeredTable,
        path: bool,
        budget: MemoryBudget,
        host: Option<MemoryBudget>,
    ) -> Result<Option<Self>> {
        if path {
            return Self::within(table, budget, host).map(Some);
        }
        if budget.used > budget.limit {
            Err(budget.refuse(budget.what.to_string(), budget.used))
        } else {
            Ok(None)
        }
    }

    /// Takes spacing [`LAYER_SPACING`] if it fits, otherwise the nearest that does.
    fn within(
        table: LayeredTable,
        budget: MemoryBudget,
        host: Option<MemoryBudget>,
    ) -> Result<Self> {
        let limbs = |layers: u64| layers.div_ceil(segment::LIMB).max(1);
        let (whole, wanted) = (
            limbs(table.layers()),
            limbs(LAYER_SPACING.max(table.layers().div_ceil(MAX_SEGMENTS))),
        );
        let wanted = wanted.min(whole);
        let choices = || {
            let stored = (wanted..=whole)
                .chain((1..wanted).rev())
                .map(|limbs| Self::new(table, limbs * segment::LIMB));
            stored.filter(|stored| table.has_buffers(stored.every, budget.buffer))
        };
        // Bytes in either memory.
        let bytes = |stored: Self| {
            let with_origins = budget.used.saturating_add(stored.trace_bytes);
            match host {
                Some(_) => (with_origins, stored.segments_bytes),
                None => (with_origins.saturating_add(stored.segments_bytes), 0),
            }
        };
        let fits = |stored: Self| bytes(stored).0 <= budget.limit;
        let fits_host = |stored: Self| host.is_none_or(|host| bytes(stored).1 <= host.limit);
        if let Some(stored) = choices().find(|&stored| fits(stored) && fits_host(stored)) {
            return Ok(stored);
        }
        // The smallest budget that works, given the other one.
        let least = choices()
            .filter(|&stored| fits_host(stored))
            .map(|stored| bytes(stored).0)
            .min();
        Err(match (least, host) {
            (None, Some(host)) => {
                let least = choices()
                    .filter(|&stored| fits(stored))
                    .map(|stored| bytes(stored).1)
                    .min();
                let least = least.or_else(|| choices().map(|stored| bytes(stored).1).min());
                host.refuse(host.what.to_string(), least.unwrap_or(u64::MAX))
            }
            _ => budget.refuse(
                format!("{} and what leads to the string", budget.what),
                least.unwrap_or(u64::MAX),
            ),
        })
    }

    /// `every` is the spacing in layers, a multiple of the rows of a limb.
    pub(crate) fn new(table: LayeredTable, every: u64) -> Self {
        let (trace_bytes, segments_bytes) = (table.trace_bytes(every), table.segments_bytes(every));
        Self {
            table,
            every,
            trace_bytes,
            segments_bytes,
        }
    }

    /// Spacing of stored layers; `None` if the whole table is one segment.
    pub(crate) fn every(&self) -> Option<u64> {
        (self.table.stored(self.every) > 0).then_some(self.every)
    }

    /// Upper bound of the cells of all segments.
    pub(crate) fn cells(&self) -> u64 {
        self.every
            .min(self.table.rows)
            .saturating_mul(self.table.cols)
    }

    /// Recovery of a path from these layers.
    pub(crate) fn path_mode(&self) -> PathMode {
        match (self.every(), self.table.layer) {
            (None, _) => PathMode::Table,
            (_, Layer::Row) => PathMode::StoredRows,
            (_, Layer::AntiDiagonal) => PathMode::StoredAntiDiagonals,
        }
    }

    /// Ends of all segments from the positions of the midpoints, including the first and last cell.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if no path can have these midpoints.
    pub(crate) fn ends(&self, places: &[u32]) -> Result<Vec<(usize, usize)>> {
        let midpoints = (1..).zip(places).map(|(layer, &index)| {
            self.table
                .cell(layer * self.every, index.into())
                .ok_or_else(|| {
                    Error::CertificateFailed(format!(
                        "place {index} of stored layer {layer} is outside of the table"
                    ))
                })
        });
        let mut ends = vec![(0, 0)];
        for cell in midpoints.chain([Ok((self.table.rows, self.table.cols))]) {
            let (row, column) = cell?;
            let end = (row as usize, column as usize);
            let before = ends[ends.len() - 1];
            if end.0 < before.0 || end.1 < before.1 {
                return Err(Error::CertificateFailed(format!(
                    "the path goes from {before:?} to {end:?}"
                )));
            }
            ends.push(end);
        }
        Ok(ends)
    }
}
