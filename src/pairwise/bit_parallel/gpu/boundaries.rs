//! The path through a finished sweep whose boundaries the device has kept.

use super::tiles::{Part, Tiles};
use super::traceback_chunks::{Arriving, Boundaries, TracebackChunks};
use crate::call::phases::Phases;
use crate::error::Result;
use crate::pairwise::bit_parallel::recurrence::Recurrence;
use crate::pairwise::bit_parallel::tile::Tile;
use crate::pairwise::bit_parallel::trace::Walker;
use crate::pairwise::bit_parallel::traced_path::TracedPath;

impl Boundaries<'_> {
    /// Starts fetching the first chunk of a direction before it is known where the path begins: about where a straight path
    /// would.
    ///
    /// # Errors
    /// What replaying on the device and reading from it return.
    pub(super) fn ahead(&self, direction: u32) -> Result<Option<Arriving>> {
        let tiles = Tiles::new(self.tiling, self.layout, direction, (&[], &[]));
        TracebackChunks::ahead(*self, &tiles, direction)
    }

    /// The path from the first cell through all of `a` and `b`, the part of the table that the path has in a direction; and where
    /// the time went. A `TURNED` path is that of the second direction. For `origin` and what comes back see
    /// [`Walker::finish`].
    ///
    /// # Errors
    /// [`Error::Cancelled`], and what replaying on the device and reading from it return.
    pub(super) fn walk<R: Recurrence, const TURNED: bool>(
        &self,
        (a, b): (&[u32], &[u32]),
        origin: (usize, usize),
        ahead: Option<Arriving>,
    ) -> Result<(TracedPath, Phases)> {
        let phases = Phases::start();
        let tiles = Tiles::new(self.tiling, self.layout, u32::from(TURNED), (a, b));
        let mut chunks = TracebackChunks::new(*self, &tiles, u32::from(TURNED), ahead);
        let mut walker =
            Walker::<R, TURNED>::new((a, b), a.len(), self.tiling.shape.shared, origin);
        let (mut part, mut record, mut tile) = (Part::default(), 0, Tile::default());
        while let (i @ 1.., j @ 1..) = walker.position() {
            if !part.holds(i - 1, j - 1) {
                let place = tiles.place(i - 1, j - 1)?;
                let Some(found) = chunks.find(place) else {
                    phases.lap("trace");
                    chunks.reach(place)?;
                    phases.lap("readback");
                    continue;
                };
                (part, record) = (tiles.part(place), found);
            }
            tiles.fill::<R>(&mut tile, &part, i - 1, chunks.record(record));
            walker.walk(&tile);
        }
        phases.lap("trace");
        Ok((walker.finish(), phases))
    }
}
