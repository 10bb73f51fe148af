//! Traceback through a finished sweep whose boundaries are stored on the device.

use super::tiles::{TilePart, Tiles};
use super::traceback_chunks::{Boundaries, LoadedChunk, PendingChunk, TracebackChunks};
use crate::error::Result;
use crate::host::parallel::map;
use crate::host::threads::{join, threads};
use crate::sequences::bit_parallel::recurrence::Recurrence;
use crate::sequences::bit_parallel::tile::Tile;
use crate::sequences::bit_parallel::trace::{PartialTraceback, Walker};
use crate::sequences::bit_parallel::traced_path::TracedPath;
use crate::sequences::codes::Codes;

impl Boundaries<'_> {
    /// Starts to fetch the first chunk of a direction before the start of the path is known, where
    /// a straight path would start.
    pub(super) fn ahead(&self, direction: u32) -> Result<Option<PendingChunk>> {
        let tiles = Tiles::new(self.tiling, self.layout, direction, 0, 0);
        TracebackChunks::ahead(*self, &tiles, direction)
    }
}

/// Traceback through a part of the table in one direction. A `TURNED` one is that of the second
/// direction. For its result see [`Walker::finish`].
///
/// Within a chunk, further threads trace back from cells where the path is expected; once it meets
/// such a traceback, it follows it.
pub(super) struct Traceback<'a, R: Recurrence, const TURNED: bool> {
    boundaries: Boundaries<'a>,
    codes: Codes<'a>,
    tiles: &'a Tiles<'a>,
    chunks: TracebackChunks<'a>,
    walker: Walker<'a, R, TURNED>,
    /// Cells of progress per column.
    column_cells: f64,
}

impl<'a, R: Recurrence, const TURNED: bool> Traceback<'a, R, TURNED> {
    pub(super) fn new(
        boundaries: Boundaries<'a>,
        tiles: &'a Tiles<'a>,
        codes: Codes<'a>,
        ahead: Option<PendingChunk>,
    ) -> Self {
        let Boundaries {
            tiling, session, ..
        } = boundaries;
        Self {
            boundaries,
            tiles,
            chunks: TracebackChunks::new(boundaries, tiles, u32::from(TURNED), ahead),
            walker: Walker::new(codes, codes.a.len()),
            column_cells: tiling.walked_column_cells(session.device.backend.capabilities()),
            codes,
        }
    }

    /// Starts to fetch the next chunk; `false` if the path is complete.
    pub(super) fn fetch(&mut self) -> Result<bool> {
        let (i @ 1.., j @ 1..) = self.walker.position() else {
            return Ok(false);
        };
        self.chunks.fetch_at(self.tiles.place(i - 1, j - 1)?)?;
        Ok(true)
    }

    pub(super) async fn arrive(&mut self) -> Result<()> {
        self.chunks.arrive().await
    }

    pub(super) fn cross(&mut self) -> Result<()> {
        let Self {
            boundaries,
            codes,
            tiles,
            chunks,
            walker,
            ..
        } = self;
        let (i @ 1.., j @ 1..) = walker.position() else {
            return Ok(());
        };
        let tiling = boundaries.tiling;
        let tile_columns = (boundaries.layout.tile_steps * tiling.columns) as usize;
        let parts = threads(None) / tiling.directions as usize;
        let index = tiles.place(i - 1, j - 1)?;
        let ends = chunks.guesses(index, i, j, PART_TILES * tile_columns, parts);
        let until = |part: usize| ends.get(part).map_or(0, |&(_, col)| col);
        let chunk = chunks.chunk();
        let cursor = || Cursor::new(tiles, &chunk);
        let guess = |part: usize| {
            let (row, col) = ends[part];
            let b = if TURNED {
                &codes.b[codes.b.len() - col..]
            } else {
                &codes.b[..col]
            };
            let first = until(part + 1).saturating_sub(tile_columns);
            let walker = Walker::back_to(first, Codes { b, ..*codes }, row);
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
                while walker.position().1 > until(0) && own.cross(walker)? {}
                Ok(())
            },
            || map(ends.len(), guess),
        );
        crossed?;
        walker.follow_all(guesses.iter(), |walker| own.cross(walker))?;
        let crossed = j - walker.position().1;
        let control = boundaries.session.device.control;
        control.add_done((self.column_cells * crossed as f64) as u64);
        Ok(())
    }

    pub(super) fn finish(self) -> TracedPath {
        self.walker.finish()
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
    fn cross<R: Recurrence, const TURNED: bool>(
        &mut self,
        walker: &mut Walker<'_, R, TURNED>,
    ) -> Result<bool> {
        let (i @ 1.., j @ 1..) = walker.position() else {
            return Ok(false);
        };
        if !self.part.holds(i - 1, j - 1) {
            let index = self.tiles.place(i - 1, j - 1)?;
            let Some(record) = self.chunk.record(index, &mut self.run) else {
                return Ok(false);
            };
            (self.part, self.record) = (self.tiles.part(index), record);
        }
        self.tiles
            .fill::<R>(&mut self.tile, &self.part, i - 1, self.record);
        walker.walk(&self.tile);
        Ok(true)
    }
}
