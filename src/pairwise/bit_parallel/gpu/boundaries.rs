//! Traceback through a finished sweep whose boundaries are stored on the device.

use super::tiles::{TilePart, Tiles};
use super::traceback_chunks::{Boundaries, PendingChunk, TracebackChunks};
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::error::Result;
use crate::pairwise::bit_parallel::recurrence::Recurrence;
use crate::pairwise::bit_parallel::tile::Tile;
use crate::pairwise::bit_parallel::trace::Walker;
use crate::pairwise::bit_parallel::traced_path::TracedPath;
use crate::pairwise::pair::Pair;

impl Boundaries<'_> {
    /// Starts to fetch the first chunk of a direction before the start of the path is known, where
    /// a straight path would start.
    ///
    /// # Errors
    /// Errors of the replay and of the read.
    pub(super) fn ahead(&self, direction: u32) -> Result<Option<PendingChunk>> {
        let tiles = Tiles::new(self.tiling, self.layout, direction, Pair::new(&[], &[]));
        TracebackChunks::ahead(*self, &tiles, direction)
    }

    /// The path through all of `a` and `b`, which are its part of the table in one direction, and
    /// the phases spent. A `TURNED` path is that of the second direction. For `origin` and the
    /// result see [`Walker::finish`].
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled), and errors of the replay and of the read.
    pub(super) fn walk<R: Recurrence, const TURNED: bool>(
        &self,
        Pair { a, b }: Pair<'_, u32>,
        origin: (usize, usize),
        ahead: Option<PendingChunk>,
    ) -> Result<(TracedPath, Phases)> {
        let phases = Phases::start();
        let tiles = Tiles::new(self.tiling, self.layout, u32::from(TURNED), Pair { a, b });
        let mut chunks = TracebackChunks::new(*self, &tiles, u32::from(TURNED), ahead);
        let mut walker =
            Walker::<R, TURNED>::new(Pair { a, b }, a.len(), self.tiling.shape.shared, origin);
        let (mut part, mut record, mut tile) = (TilePart::default(), 0, Tile::default());
        while let (i @ 1.., j @ 1..) = walker.position() {
            if !part.holds(i - 1, j - 1) {
                let place = tiles.place(i - 1, j - 1)?;
                let Some(found) = chunks.find(place) else {
                    phases.lap(Phase::Trace);
                    chunks.reach(place)?;
                    phases.lap(Phase::Readback);
                    continue;
                };
                (part, record) = (tiles.part(place), found);
            }
            tiles.fill::<R>(&mut tile, &part, i - 1, chunks.record(record));
            walker.walk(&tile);
        }
        phases.lap(Phase::Trace);
        Ok((walker.finish(), phases))
    }
}
