//! Traceback chunks: tiles around the expected path, fetched to the host.
//!
//! A replay recomputes the strips around many chunks on the device, all in parallel, each from its
//! own record, and leaves the boundaries of small tiles there. The tiles of a chunk, as close to
//! the path as known by then, are read back while the preceding chunk is traced. The path is
//! expected to return to its course; where that is unknown for long, to keep its last slope.

use std::ops::Range;

use super::checkpoints::CheckpointLayout;
use super::expected_path::{ExpectedLanes, ExpectedPath, Line};
use super::plan::{Replay, Sweep};
use super::tiles::{Crossing, TilePlace, Tiles};
use super::tiling::Tiling;
use crate::backend::{Pending, Session, Span, Words};
use crate::error::Result;
use crate::sequences::bit_parallel::shape::TableKind;
use crate::sequences::course::Course;

const REPLAY_CHECKPOINTS: u64 = 512;
/// Maximum checkpoints per replay after the path left its expected course.
const TRUSTED_AFTER_A_MISS: u64 = 2;
/// Extra strips of a replay beyond those of its widest checkpoint.
const REPLAY_STRIPS: u64 = 2;
/// Lanes that are replayed around those that are read back.
const SLACK: u64 = 6;
const MAX_DOUBT: u64 = 512;
/// Minimum extra rows around the expected path that are read back.
const MARGIN: u64 = 250;
/// Rows of unknown course from which the path's place is not guessed.
const MAX_UNKNOWN: u64 = 1 << 16;
/// Almost no path strays further than the average path of this many times its length.
const STRAY_LENGTHS: f64 = 2.0;

#[derive(Clone, Copy)]
pub(super) struct Boundaries<'a> {
    pub session: &'a Session<'a>,
    pub sweep: &'a Sweep,
    pub tiling: &'a Tiling,
    pub layout: &'a CheckpointLayout,
    pub course: &'a Course,
}

/// All tiles of neighbouring lanes in one checkpoint.
#[derive(Clone, Debug)]
struct LaneRun {
    checkpoint: u64,
    lanes: Range<u64>,
    first_word: usize,
}

#[derive(Default)]
struct TracebackChunk {
    /// Sorted by checkpoint.
    runs: Vec<LaneRun>,
    words: Option<Box<dyn Words>>,
}

fn run_of(runs: &[LaneRun], lane: u64, checkpoint: u64) -> Option<usize> {
    let first = runs.partition_point(|run| run.checkpoint < checkpoint);
    let mut of_checkpoint = runs[first..]
        .iter()
        .take_while(|run| run.checkpoint == checkpoint);
    of_checkpoint
        .position(|run| run.lanes.contains(&lane))
        .map(|index| first + index)
}

/// Lanes by which optimal paths through random symbols stray: about length to the power 2/3.
fn stray(rows: f64, tiling: &Tiling) -> u64 {
    (rows.powf(2.0 / 3.0) / tiling.lane_rows() as f64) as u64
}

/// Strips of the first checkpoint such that a replay with slope `skew` covers `strips`, given per
/// checkpoint from the last one back.
fn around(strips: &[Range<i64>], skew: u32) -> Range<i64> {
    let offset = |before_last: usize| {
        (((strips.len() - 1 - before_last) as u64 * u64::from(skew)) >> 16) as i64
    };
    let held = strips
        .iter()
        .enumerate()
        .filter(|(_, strips)| !strips.is_empty());
    let moved =
        held.map(|(index, strips)| strips.start - offset(index)..strips.end - offset(index));
    moved
        .reduce(|x, y| x.start.min(y.start)..x.end.max(y.end))
        .unwrap_or(0..0)
}

/// Strips per checkpoint of a replay of `strips`, given per checkpoint from the last one back, in
/// 16.16 fixed point.
fn skew(strips: &[Range<i64>]) -> u32 {
    let mut held = (0i64..)
        .zip(strips)
        .filter(|(_, strips)| !strips.is_empty());
    let last = held.next();
    match (held.last(), last) {
        (Some((back, first)), Some((from, last))) => {
            let strips = ((last.start - first.start).max(0) << 16) / (back - from);
            strips.min(i64::from(u32::MAX >> 7)) as u32
        }
        _ => 0,
    }
}

pub(super) struct PendingChunk {
    runs: Vec<LaneRun>,
    words: Pending<Box<dyn Words>>,
    /// State of the device's tile buffer after the read.
    replay: Replay,
}

pub(super) struct TracebackChunks<'a> {
    boundaries: Boundaries<'a>,
    tiles: &'a Tiles<'a>,
    direction: u32,
    expected: ExpectedPath,
    /// Uncertainty of the path's start, in lanes.
    spread: u64,
    /// Lanes around the expected path that are read because the path was elsewhere before.
    doubt: u64,
    chunk: TracebackChunk,
    arriving: Option<PendingChunk>,
    /// Replay in the device's tile buffer, as of the pending read.
    replay: Replay,
    ahead: Option<PendingChunk>,
    /// Positions of the traceback at two earlier chunks that tell its slope, the latest first.
    passed: [Option<TilePlace>; 2],
    /// Line through them, once the path left a course that is unknown for long.
    strayed: Option<Line>,
    /// Number of checkpoints for which the expected course is trusted.
    trusted: u64,
}

impl<'a> TracebackChunks<'a> {
    pub(super) fn new(
        boundaries: Boundaries<'a>,
        tiles: &'a Tiles<'a>,
        direction: u32,
        ahead: Option<PendingChunk>,
    ) -> Self {
        let replay = ahead
            .as_ref()
            .map(|ahead| ahead.replay.clone())
            .unwrap_or_default();
        let (chunk, passed) = (TracebackChunk::default(), [None; 2]);
        Self {
            boundaries,
            tiles,
            direction,
            expected: ExpectedPath::new(boundaries.course, tiles, direction),
            spread: 0,
            doubt: 0,
            chunk,
            arriving: None,
            replay,
            ahead,
            passed,
            strayed: None,
            trusted: REPLAY_CHECKPOINTS,
        }
    }

    /// Starts to fetch the chunk at the end of the expected path, as wide as paths stray.
    pub(super) fn ahead(
        boundaries: Boundaries<'a>,
        tiles: &'a Tiles<'a>,
        direction: u32,
    ) -> Result<Option<PendingChunk>> {
        let mut chunks = Self::new(boundaries, tiles, direction, None);
        let end = chunks.expected.at(tiles.tiling.least_steps());
        let Some(index) = tiles.nearest(end) else {
            return Ok(None);
        };
        let around = chunks.lanes(index, end.step..end.step);
        chunks.spread = SLACK + 2 * stray(around.unknown_rows as f64, tiles.tiling);
        // A straying path reaches the meeting line at a different step, up to the last.
        let last = tiles.layout.checkpoints.len() as u64 - 1;
        chunks.fetch(index, last).map(Some)
    }

    pub(super) fn chunk(&self) -> LoadedChunk<'_> {
        let words = self.chunk.words.as_ref();
        LoadedChunk {
            runs: &self.chunk.runs,
            tiles: self.tiles,
            words: words.map(|words| words.words()).unwrap_or_default(),
        }
    }

    /// Cells in the loaded chunk where the path from `i`, `j` is expected, each above and left of
    /// the one before, by about `part_columns` columns or more; at most `parts` - 1, and none where
    /// the course is unknown.
    pub(super) fn guesses(
        &self,
        place: TilePlace,
        i: usize,
        j: usize,
        part_columns: usize,
        parts: usize,
    ) -> Vec<(usize, usize)> {
        let (tiling, end) = (self.tiles.tiling, self.crossing(place).step);
        let first_of = |run: &LaneRun| run.checkpoint * self.tiles.layout.steps(tiling);
        let steps = end.saturating_sub(self.chunk.runs.first().map_or(end, first_of));
        let columns = steps as usize * tiling.columns as usize;
        let parts = (columns / part_columns.max(1)).clamp(1, parts.max(1)) as u64;
        let guess = |part: u64| {
            let step = end - steps * part / parts;
            let expected = self.lanes(place, step..step);
            let lane = expected.lanes.start;
            (expected.unknown_rows < MAX_UNKNOWN).then(|| self.tiles.cell(Crossing { step, lane }))
        };
        // A steep course lags by more than it advances: later steps may lie further right.
        let mut last = (i, j);
        let mut guesses: Vec<_> = (1..parts).filter_map(guess).collect();
        guesses.retain(|&cell| {
            let follows = cell.0 <= last.0 && cell.1 < last.1;
            if follows {
                last = cell;
            }
            follows
        });
        guesses
    }

    /// Starts to fetch a chunk that contains the tile at `place`, if none is on its way, and the
    /// expected continuation, which is replayed and read while this one is traced.
    pub(super) fn fetch_at(&mut self, place: TilePlace) -> Result<()> {
        let checkpoint = self.tiles.checkpoint(place);
        let expected = self.ahead.is_some();
        let ahead = self
            .ahead
            .take()
            .filter(|ahead| run_of(&ahead.runs, place.lane, checkpoint).is_some());
        let missed = expected && ahead.is_none();
        self.trusted = if missed {
            TRUSTED_AFTER_A_MISS
        } else {
            (self.trusted * 4).min(REPLAY_CHECKPOINTS)
        };
        self.doubt = if missed {
            (self.doubt * 2).clamp(SLACK, MAX_DOUBT)
        } else {
            self.doubt / 2
        };
        let (here, latest) = (self.crossing(place), self.passed[0]);
        if missed || self.strayed.is_some() {
            let passed = self.passed.iter().flatten();
            self.strayed = passed
                .filter_map(|from| self.expected.own_line(here, self.crossing(*from)))
                .next();
        }
        if latest.is_none_or(|latest| self.expected.tells(here, self.crossing(latest))) {
            self.passed = [Some(place), latest];
        }
        let arriving = match ahead {
            Some(ahead) => ahead,
            None => self.fetch(place, checkpoint)?,
        };
        if let Some(before) = arriving
            .runs
            .first()
            .and_then(|run| run.checkpoint.checked_sub(1))
        {
            self.ahead = Some(self.fetch(place, before)?);
        }
        self.arriving = Some(arriving);
        Ok(())
    }

    pub(super) async fn arrive(&mut self) -> Result<()> {
        if let Some(arriving) = self.arriving.take() {
            self.chunk = TracebackChunk {
                words: Some(arriving.words.await?),
                runs: arriving.runs,
            };
        }
        Ok(())
    }

    fn crossing(&self, place: TilePlace) -> Crossing {
        place.crossing(self.tiles.layout.tile_steps)
    }

    fn lanes(&self, place: TilePlace, steps: Range<u64>) -> ExpectedLanes {
        self.expected
            .lanes(self.crossing(place), self.strayed.as_ref(), steps)
    }

    /// Lanes of a checkpoint worth reading back: those of the expected path during the checkpoint,
    /// plus the stray of almost all paths through random symbols, and `more` around them.
    fn near(&self, place: TilePlace, checkpoint: u64, more: u64) -> Range<u64> {
        let tiling = self.tiles.tiling;
        let (pass, steps) = (u64::from(tiling.steps), self.tiles.layout.steps(tiling));
        // A path that strayed into another strip is there earlier or later, by less than a pass. In
        // checkpoints after its own it has its starting lane.
        let first = (checkpoint * steps).saturating_sub(pass);
        let ExpectedLanes {
            lanes: expected,
            unknown_rows,
        } = self.lanes(place, first..(checkpoint + 1) * steps + pass);
        // Without mismatches, paths stray further the rarer matches are.
        let lengths = match tiling.shape.table {
            TableKind::Lcs => STRAY_LENGTHS * f64::from(tiling.shape.alphabet.shared).sqrt(),
            TableKind::Edit | TableKind::EditInfix => STRAY_LENGTHS,
        };
        let slack = MARGIN.div_ceil(tiling.lane_rows())
            + self.spread
            + self.doubt
            + stray(lengths * unknown_rows as f64, tiling)
            + more;
        let exact = checkpoint == self.tiles.checkpoint(place) && self.spread == 0;
        let last = if exact {
            place.lane
        } else {
            expected.end + slack
        };
        let strips = &self.tiles.layout.checkpoints[checkpoint as usize].strips;
        let lanes = u64::from(tiling.lanes);
        let first = expected.start.saturating_sub(slack);
        let first = first.max(strips.start * lanes);
        first..(last + 1).min(strips.end * lanes).max(first)
    }

    /// Strips that a path from `place` can cross in the checkpoints up to `last`: as many
    /// checkpoints as the device can hold and replay within a slice, and at least the tile at
    /// `place`.
    fn replay(&self, place: TilePlace, last: u64) -> Replay {
        let Tiles { tiling, layout, .. } = *self.tiles;
        let in_slice = self.boundaries.session.replay_cells() / layout.record_cells(tiling);
        let max_records = layout.replay_records.min(in_slice).max(1);
        let lanes = u64::from(tiling.lanes);
        let chunk = layout.checkpoints[last as usize].chunk;
        // Strips of each checkpoint's corridor, from the last checkpoint back.
        let mut held: Vec<Range<i64>> = Vec::new();
        let mut widest = 0;
        for checkpoint in (0..=last).rev().take(self.trusted as usize) {
            let strips = self.strips(&self.near(place, checkpoint, SLACK));
            widest = widest.max(strips.end - strips.start + REPLAY_STRIPS);
            let records = (last + 1 - checkpoint) * widest.min(tiling.strips());
            if layout.checkpoints[checkpoint as usize].chunk != chunk || records > max_records {
                break;
            }
            held.push(strips.start as i64..strips.end as i64);
        }
        while !held.is_empty() {
            let checkpoints = last + 1 - held.len() as u64..last + 1;
            let skew = skew(&held);
            let around = around(&held, skew);
            let strips = (around.end - around.start) as u64;
            let replay = if strips < tiling.strips() {
                Replay {
                    checkpoints,
                    first_strip: around.start,
                    skew,
                    strips,
                }
            } else {
                Replay {
                    checkpoints,
                    first_strip: 0,
                    skew: 0,
                    strips: tiling.strips(),
                }
            };
            if strips > 0 && held.len() as u64 * replay.strips <= max_records {
                return replay;
            }
            held.truncate(held.len() * 3 / 4);
        }
        Replay {
            checkpoints: last..last + 1,
            first_strip: (place.lane / lanes) as i64,
            skew: 0,
            strips: 1,
        }
    }

    fn strips(&self, lanes: &Range<u64>) -> Range<u64> {
        let in_strip = u64::from(self.tiles.tiling.lanes);
        if lanes.is_empty() {
            0..0
        } else {
            lanes.start / in_strip..lanes.end.div_ceil(in_strip)
        }
    }

    /// Lanes of each checkpoint to read back together, from `last` back. Includes the lane of
    /// `place`.
    fn lanes_to_read(&self, place: TilePlace, last: u64) -> Vec<(u64, Range<u64>)> {
        let Tiles { tiling, layout, .. } = *self.tiles;
        let lane_bytes = layout.tiles(tiling) * layout.tile_words(tiling) * 4;
        let (mut to_read, mut bytes) = (Vec::new(), 0);
        for checkpoint in (0..=last).rev() {
            let mut near = self.near(place, checkpoint, 0);
            if checkpoint == self.tiles.checkpoint(place) {
                near = near.start.min(place.lane)..near.end.max(place.lane + 1);
            }
            bytes += (near.end - near.start) * lane_bytes;
            if bytes > layout.chunk_bytes_read && checkpoint < last {
                break;
            }
            to_read.push((checkpoint, near));
        }
        to_read
    }

    /// Starts to read back the expected path from `place` in the checkpoints up to `last`. Replays
    /// them first if necessary.
    fn fetch(&mut self, place: TilePlace, last: u64) -> Result<PendingChunk> {
        let Tiles { tiling, layout, .. } = *self.tiles;
        let (lanes, per_lane) = (
            u64::from(tiling.lanes),
            layout.tiles(tiling) * layout.tile_words(tiling),
        );
        let mut to_read = self.lanes_to_read(place, last);
        let has_run = self.replay.holds(last, self.strips(&to_read[0].1));
        if !has_run {
            self.replay = self.replay(place, last);
        }
        let behind = to_read[1..]
            .iter()
            .take_while(|(checkpoint, near)| self.replay.holds(*checkpoint, self.strips(near)));
        to_read.truncate(1 + behind.count());
        let first_record = u64::from(self.direction) * layout.replay_records;
        let (mut runs, mut spans) = (Vec::new(), Vec::new());
        let mut first_word = 0;
        for (checkpoint, near) in to_read.into_iter().rev() {
            for (index, strip) in self.replay.strips(checkpoint) {
                let lanes_held = near.start.max(strip * lanes)..near.end.min((strip + 1) * lanes);
                if lanes_held.is_empty() {
                    continue;
                }
                let record = first_record
                    + (checkpoint - self.replay.checkpoints.start) * self.replay.strips
                    + index;
                let first = record * layout.replay_record_words(tiling)
                    + (lanes_held.start - strip * lanes) * per_lane;
                let words = (lanes_held.end - lanes_held.start) * per_lane;
                spans.push(Span {
                    buffer: self.boundaries.sweep.tiles,
                    first,
                    words,
                });
                runs.push(LaneRun {
                    checkpoint,
                    lanes: lanes_held,
                    first_word,
                });
                first_word += words as usize;
            }
        }
        let replay = self
            .boundaries
            .sweep
            .replay(tiling, layout, self.direction, &self.replay);
        let words = self.boundaries.session.replay(&[replay], has_run, &spans)?;
        Ok(PendingChunk {
            runs,
            words,
            replay: self.replay.clone(),
        })
    }
}

pub(super) struct LoadedChunk<'a> {
    runs: &'a [LaneRun],
    tiles: &'a Tiles<'a>,
    words: &'a [u32],
}

impl LoadedChunk<'_> {
    /// The record of a tile; `None` if the chunk lacks it. `found` is the index of the run found
    /// last.
    pub(super) fn record(&self, place: TilePlace, found: &mut usize) -> Option<&[u32]> {
        let (runs, tiles) = (self.runs, self.tiles);
        let checkpoint = tiles.checkpoint(place);
        if runs
            .get(*found)
            .is_none_or(|run| run.checkpoint != checkpoint || !run.lanes.contains(&place.lane))
        {
            *found = run_of(runs, place.lane, checkpoint)?;
        }
        let run = &runs[*found];
        let before =
            (place.lane - run.lanes.start) * tiles.in_checkpoint + place.tile % tiles.in_checkpoint;
        let first = run.first_word + before as usize * tiles.words;
        Some(&self.words[first..first + tiles.words])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sequences::bit_parallel::inputs::Random;

    #[test]
    fn replay_is_the_narrowest_that_covers_every_checkpoint() {
        let mut random = Random::new(21);
        for checkpoints in 1..40 {
            let skew = random.below(1 << 17) as u32;
            // Corridors at most as steep as the replay, some of them empty.
            let corridor = |checkpoint: usize, random: &mut Random| -> Range<i64> {
                let first = ((checkpoint as i64 * i64::from(skew)) >> 16) - random.below(3) as i64;
                first..first + random.below(4) as i64
            };
            let last = checkpoints as u64 + 4;
            let held: Vec<_> = (0..checkpoints)
                .rev()
                .map(|checkpoint| corridor(checkpoint, &mut random))
                .collect();
            let around = around(&held, skew);
            let strips = (around.end - around.start) as u64;
            let replay = Replay {
                checkpoints: last + 1 - checkpoints as u64..last + 1,
                first_strip: around.start,
                skew,
                strips,
            };
            let mut edges = [false; 2];
            for (checkpoint, corridor) in replay
                .checkpoints
                .clone()
                .rev()
                .zip(&held)
                .filter(|(_, corridor)| !corridor.is_empty())
            {
                let first = replay.first_strip
                    + (((checkpoint - replay.checkpoints.start) * u64::from(skew)) >> 16) as i64;
                assert!(
                    first <= corridor.start && corridor.end <= first + strips as i64,
                    "{checkpoint} {corridor:?} {replay:?}"
                );
                edges = [
                    edges[0] | (first == corridor.start),
                    edges[1] | (first + strips as i64 == corridor.end),
                ];
                // Strips before the table's first are skipped, and the others keep their index.
                let listed: Vec<_> = replay.strips(checkpoint).collect();
                let expected = (0..strips).filter(|&place| first + place as i64 >= 0);
                let expected: Vec<_> = expected
                    .map(|place| (place, (first + place as i64) as u64))
                    .collect();
                assert_eq!(listed, expected);
            }
            assert!(strips == 0 || edges == [true; 2], "{replay:?}");
        }
    }
}
