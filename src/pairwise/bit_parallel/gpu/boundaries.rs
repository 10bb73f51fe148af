//! Traceback through a finished sweep whose boundaries are stored on the device.

use super::tiles::{TilePart, Tiles};
use super::traceback_chunks::{Boundaries, LoadedChunk, PendingChunk, TracebackChunks};
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::Device;
use crate::error::Result;
use crate::host::parallel::map;
use crate::host::threads::{join, threads};
use crate::pairwise::bit_parallel::recurrence::Recurrence;
use crate::pairwise::bit_parallel::tile::Tile;
use crate::pairwise::bit_parallel::trace::{PartialTraceback, Walker};
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
    /// Within a chunk, further threads trace back from cells where the path is expected; once it
    /// meets such a traceback, it follows it.
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
        let alphabet = self.tiling.shape.alphabet;
        let mut walker = Walker::<R, TURNED>::new(Pair { a, b }, a.len(), alphabet, origin);
        let parts = threads(None) / self.tiling.directions as usize;
        let part_columns = PART_TILES * self.tile_columns();
        let Device {
            backend, control, ..
        } = self.session.device;
        let column_cells = self.tiling.walked_column_cells(backend.capabilities());
        while let (i @ 1.., j @ 1..) = walker.position() {
            let place = tiles.place(i - 1, j - 1)?;
            phases.lap(Phase::Trace);
            chunks.reach(place)?;
            phases.lap(Phase::Readback);
            let ends = chunks.guesses(place, (i, j), part_columns, parts);
            let until = |part: usize| ends.get(part).map_or(0, |&(_, col)| col);
            let chunk = chunks.chunk();
            let cursor = || Cursor::new(&tiles, &chunk);
            let guess = |part: usize| {
                let (row, col) = ends[part];
                let b = if TURNED {
                    &b[b.len() - col..]
                } else {
                    &b[..col]
                };
                let first = until(part + 1).saturating_sub(self.tile_columns());
                let walker = Walker::back_to(first, Pair { a, b }, row, alphabet, origin);
                let mut guess = PartialTraceback::<R, TURNED>::start(walker);
                let mut cursor = cursor();
                // A guess may leave the band.
                while guess.walker.position().1 > until(part + 1)
                    && cursor.cross(&mut guess.walker).unwrap_or(false)
                {
                    guess.mark();
                }
                guess
            };
            let mut own = cursor();
            let (crossed, guesses) = join(
                || -> Result<()> {
                    while walker.position().1 > until(0) && own.cross(&mut walker)? {}
                    Ok(())
                },
                || map(ends.len(), guess),
            );
            crossed?;
            for guess in guesses {
                let (_, end) = guess.walker.position();
                while walker.position().1 > end {
                    if let Some(words) = guess.words_at(walker.position()) {
                        walker.follow(&guess.walker, words);
                    } else if !own.cross(&mut walker)? {
                        break;
                    }
                }
            }
            while own.cross(&mut walker)? {}
            let crossed = j - walker.position().1;
            control.add_done((column_cells * crossed as f64) as u64);
        }
        phases.lap(Phase::Trace);
        Ok((walker.finish(), phases))
    }

    /// Columns of a tile.
    fn tile_columns(&self) -> usize {
        (self.layout.tile_steps * self.tiling.columns) as usize
    }
}

/// Tiles per parallel traceback, of 128 columns on most devices.
const PART_TILES: usize = 64;

/// The tile of a chunk that a traceback is in.
struct Cursor<'a> {
    tiles: &'a Tiles<'a>,
    chunk: &'a LoadedChunk<'a>,
    part: TilePart,
    record: &'a [u32],
    /// Index of its run in the chunk.
    run: usize,
    tile: Tile,
}

impl<'a> Cursor<'a> {
    fn new(tiles: &'a Tiles<'a>, chunk: &'a LoadedChunk<'a>) -> Self {
        Self {
            tiles,
            chunk,
            part: TilePart::default(),
            record: &[],
            run: 0,
            tile: Tile::default(),
        }
    }

    /// Traces back through one tile; `false` if the path is complete or the chunk lacks the tile.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`](crate::Error::CertificateFailed) if the path leaves the band.
    fn cross<R: Recurrence, const TURNED: bool>(
        &mut self,
        walker: &mut Walker<'_, R, TURNED>,
    ) -> Result<bool> {
        let (i @ 1.., j @ 1..) = walker.position() else {
            return Ok(false);
        };
        if !self.part.holds(i - 1, j - 1) {
            let place = self.tiles.place(i - 1, j - 1)?;
            let Some(record) = self.chunk.record(place, &mut self.run) else {
                return Ok(false);
            };
            (self.part, self.record) = (self.tiles.part(place), record);
        }
        self.tiles
            .fill::<R>(&mut self.tile, &self.part, i - 1, self.record);
        walker.walk(&self.tile);
        Ok(true)
    }
}
