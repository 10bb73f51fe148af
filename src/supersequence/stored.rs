//! Which layers of a table are stored for the traceback, and the memory that this takes.
//!
//! A layer is a row or an anti-diagonal. While the layers roll, every cell carries its origin: the place where the canonical path
//! from it, walked back, first comes to the last stored layer or before it. A stored layer keeps the origins of its cells, so that
//! the midpoints of the whole path are one load each, from the last to the first (see [`midpoints`](super::midpoints)); between
//! two midpoints the path is a segment, a table of its own (see [`traceback`](super::traceback)).

use super::segment;
use crate::error::{Error, Result};

/// Layers between two stored ones, where memory has room for so many: the table of a segment is then small beside the whole.
const EVERY: u64 = 256;
/// Segments of which there should be no more: the midpoints are loads that wait for each other, on a GPU a microsecond each.
const MANY_SEGMENTS: u64 = 1 << 16;

/// What a layer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layer {
    /// The place of a cell is its column.
    Row,
    /// A diagonal step may pass over an anti-diagonal, so the one before is stored with it. The place of a cell is twice its
    /// column, and one more on the one before.
    AntiDiagonal,
}

/// A table that is computed layer by layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Table {
    pub layer: Layer,
    /// Symbols of `a`.
    pub rows: u64,
    /// Symbols of `b`.
    pub cols: u64,
    /// Words of the origins of one stored layer.
    pub stored_words: u64,
    /// Bytes of the origins that roll.
    pub origins_bytes: u64,
    /// Bytes of the largest buffer where origins roll, but the stored ones.
    pub largest_bytes: u64,
}

impl Table {
    /// Layers behind the first.
    pub(super) fn layers(&self) -> u64 {
        match self.layer {
            Layer::Row => self.rows,
            Layer::AntiDiagonal => self.rows + self.cols,
        }
    }

    /// The place of the last cell.
    pub(super) fn last_place(&self) -> u64 {
        match self.layer {
            Layer::Row => self.cols,
            Layer::AntiDiagonal => 2 * self.cols,
        }
    }

    /// Row and column of a place of a layer; `None` where the table has no such cell.
    fn cell(&self, layer: u64, place: u64) -> Option<(u64, u64)> {
        let (row, column) = match self.layer {
            Layer::Row => (layer, place),
            Layer::AntiDiagonal => (layer.checked_sub(place % 2 + place / 2)?, place / 2),
        };
        (row <= self.rows && column <= self.cols).then_some((row, column))
    }

    /// Stored layers, where they are so far apart: one less than segments.
    pub(super) fn stored(&self, every: u64) -> u64 {
        self.layers().div_ceil(every).saturating_sub(1)
    }

    /// Bytes of the origins, those that roll and those that are stored, and of the midpoints.
    fn trace_bytes(&self, every: u64) -> u64 {
        match self.stored(every) {
            0 => 0,
            stored => self
                .origins_bytes
                .saturating_add(4 * stored.saturating_mul(self.stored_words + 1)),
        }
    }

    /// Bytes of the tables of all segments, at most.
    fn segments_bytes(&self, every: u64) -> u64 {
        let rows = match self.layer {
            Layer::Row => every,
            Layer::AntiDiagonal => every + 1,
        };
        segment::size_bytes(rows.min(self.rows), self.cols)
    }

    /// Whether each buffer is small enough.
    fn has_buffers(&self, every: u64, limit: u64) -> bool {
        let stored = 4 * self.stored(every).saturating_mul(self.stored_words);
        stored == 0 || stored.max(self.largest_bytes) <= limit
    }
}

/// Memory that a budget allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// What it is for.
    pub what: &'static str,
    /// What is taken before any origin.
    pub used: u64,
    /// The budget.
    pub limit: u64,
    /// The most that one buffer may have.
    pub buffer: u64,
}

impl Room {
    fn refuse(&self, what: String, needed: u64) -> Error {
        Error::MemoryBudget {
            what,
            needed,
            limit: self.limit,
            smallest: needed,
        }
    }
}

/// Memory for the table with its origins and, where that is other memory, for the segments.
pub(super) type Memory = (Room, Option<Room>);

/// The layers of a table that are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stored {
    table: Table,
    every: u64,
    /// Bytes beside the table, for all origins.
    pub trace_bytes: u64,
    /// Bytes of the tables of the segments, on the host.
    pub segments_bytes: u64,
}

impl Stored {
    /// The stored layers for a path in this memory; `None` for the length alone.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`] where the table does not fit, or with a path no choice of layers beside it.
    pub(super) fn choose(table: Table, path: bool, memory: Memory) -> Result<Option<Self>> {
        if path {
            return Self::within(table, memory).map(Some);
        }
        let room = memory.0;
        if room.used > room.limit {
            Err(room.refuse(room.what.to_string(), room.used))
        } else {
            Ok(None)
        }
    }

    /// Every [`EVERY`] layers where there is room for so many, else as close to that as there is.
    fn within(table: Table, (room, host): Memory) -> Result<Self> {
        let limbs = |layers: u64| layers.div_ceil(segment::LIMB).max(1);
        let (whole, wanted) = (
            limbs(table.layers()),
            limbs(EVERY.max(table.layers().div_ceil(MANY_SEGMENTS))),
        );
        let wanted = wanted.min(whole);
        let choices = || {
            let stored = (wanted..=whole)
                .chain((1..wanted).rev())
                .map(|limbs| Self::new(table, limbs * segment::LIMB));
            stored.filter(|stored| table.has_buffers(stored.every, room.buffer))
        };
        // Bytes in either memory.
        let bytes = |stored: Self| {
            let with_origins = room.used.saturating_add(stored.trace_bytes);
            match host {
                Some(_) => (with_origins, stored.segments_bytes),
                None => (with_origins.saturating_add(stored.segments_bytes), 0),
            }
        };
        let fits = |stored: Self| bytes(stored).0 <= room.limit;
        let fits_host = |stored: Self| host.is_none_or(|host| bytes(stored).1 <= host.limit);
        if let Some(stored) = choices().find(|&stored| fits(stored) && fits_host(stored)) {
            return Ok(stored);
        }
        // One budget alone may be too small for all that the other one allows.
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
            _ => room.refuse(
                format!("{} and what leads to the string", room.what),
                least.unwrap_or(u64::MAX),
            ),
        })
    }

    /// Every so many layers, a multiple of the rows of a limb.
    pub(super) fn new(table: Table, every: u64) -> Self {
        let (trace_bytes, segments_bytes) = (table.trace_bytes(every), table.segments_bytes(every));
        Self {
            table,
            every,
            trace_bytes,
            segments_bytes,
        }
    }

    /// Layers between two stored ones; `None` where the whole table is one segment.
    pub(super) fn every(&self) -> Option<u64> {
        (self.table.stored(self.every) > 0).then_some(self.every)
    }

    /// Cells of all segments, at most.
    pub(super) fn cells(&self) -> u64 {
        self.every
            .min(self.table.rows)
            .saturating_mul(self.table.cols)
    }

    /// How the path is recovered, as in [`Run::path_mode`](crate::engine::report::Run::path_mode).
    pub(super) fn mode(&self) -> &'static str {
        match (self.every(), self.table.layer) {
            (None, _) => "table",
            (_, Layer::Row) => "stored rows",
            (_, Layer::AntiDiagonal) => "stored anti-diagonals",
        }
    }

    /// The ends of all segments, from the first cell of the table to the last, with the places of the midpoints.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] where no path can have these midpoints.
    pub(super) fn ends(&self, places: &[u32]) -> Result<Vec<(usize, usize)>> {
        let midpoints = (1..).zip(places).map(|(layer, &place)| {
            self.table
                .cell(layer * self.every, place.into())
                .ok_or_else(|| {
                    Error::CertificateFailed(format!(
                        "place {place} of stored layer {layer} is outside of the table"
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
