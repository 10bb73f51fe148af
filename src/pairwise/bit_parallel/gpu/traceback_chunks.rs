//! Traceback chunks: tiles around the expected path, fetched to the host.
//!
//! A replay recomputes the strips around many chunks on the device, all in parallel, each from its
//! own record, and leaves the boundaries of small tiles there. The tiles of a chunk, as close to
//! the path as known by then, are read back while the preceding chunk is traced. The path is
//! expected to go straight to the first cell; once it deviates, to keep its last slope.

use std::ops::Range;

use super::checkpoints::CheckpointLayout;
use super::plan::{Replay, Sweep};
use super::tiles::{PathSlope, TilePlace, Tiles};
use super::tiling::Tiling;
use crate::backend::{Pending, Session, Span, Words, wait_on_this_thread};
use crate::error::Result;
use crate::pairwise::bit_parallel::shape::{Shape, TableKind};

/// Maximum checkpoints per replay.
const REPLAY_CHECKPOINTS: u64 = 512;
/// Maximum checkpoints per replay after the path left its expected course.
const TRUSTED_AFTER_A_MISS: u64 = 2;
/// Extra strips of a replay beyond those of its widest checkpoint.
const REPLAY_STRIPS: u64 = 2;
/// Minimum extra lanes around the straight path in a replay.
const SLACK: u64 = 6;
/// Minimum extra rows around the straight path that are read back.
const MARGIN: u64 = 250;
/// Almost no path strays further than the average path of this many times its length.
const STRAY_LENGTHS: f64 = 2.0;
/// Factor on the relative cost of a path that gives its share of the maximum stray.
const STRAY_BY_COST: f64 = 4.0;

/// Boundaries of a sweep, on the device.
#[derive(Clone, Copy)]
pub(super) struct Boundaries<'a> {
    pub session: &'a Session<'a>,
    pub sweep: &'a Sweep,
    pub tiling: &'a Tiling,
    pub layout: &'a CheckpointLayout,
}

/// All tiles of neighbouring lanes in one checkpoint.
#[derive(Clone, Debug)]
struct LaneRun {
    checkpoint: u64,
    lanes: Range<u64>,
    first_word: usize,
}

/// Tiles on the host.
#[derive(Default)]
struct TracebackChunk {
    /// Sorted by checkpoint.
    runs: Vec<LaneRun>,
    /// Index of the last run found.
    found: usize,
    words: Option<Box<dyn Words>>,
}

/// The run that contains a lane and checkpoint.
fn run_of(runs: &[LaneRun], lane: u64, checkpoint: u64) -> Option<usize> {
    let first = runs.partition_point(|run| run.checkpoint < checkpoint);
    let mut of_checkpoint = runs[first..]
        .iter()
        .take_while(|run| run.checkpoint == checkpoint);
    of_checkpoint
        .position(|run| run.lanes.contains(&lane))
        .map(|place| first + place)
}

/// Lanes by which optimal paths through random symbols stray: about length to the power 2/3, less
/// for cheap paths.
fn stray(rows: f64, tiling: &Tiling) -> u64 {
    let Shape {
        rows: all,
        cols,
        band,
        ..
    } = tiling.shape;
    let cost = band.width(all as usize, cols as usize) as f64 - all.abs_diff(cols) as f64;
    let cost = cost / all.max(1) as f64;
    (rows.powf(2.0 / 3.0) / tiling.lane_rows() as f64 * (cost * STRAY_BY_COST).min(1.0)) as u64
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
        held.map(|(place, strips)| strips.start - offset(place)..strips.end - offset(place));
    moved
        .reduce(|x, y| x.start.min(y.start)..x.end.max(y.end))
        .unwrap_or(0..0)
}

/// A chunk being read back.
pub(super) struct PendingChunk {
    runs: Vec<LaneRun>,
    words: Pending<Box<dyn Words>>,
    /// State of the device's tile buffer after the read.
    replay: Replay,
}

/// Chunks of one direction's traceback.
pub(super) struct TracebackChunks<'a> {
    boundaries: Boundaries<'a>,
    tiles: &'a Tiles<'a>,
    direction: u32,
    /// Uncertainty of the path's start, in lanes.
    spread: u64,
    chunk: TracebackChunk,
    /// Replay in the device's tile buffer, as of the pending read.
    replay: Replay,
    /// The next chunk, being read back.
    ahead: Option<PendingChunk>,
    /// Positions of the traceback at the last two chunks, the latest first.
    passed: [Option<TilePlace>; 2],
    /// Slope between them, once the path left the straight course.
    strayed: Option<PathSlope>,
    /// Number of checkpoints for which the expected course is trusted.
    trusted: u64,
}

impl<'a> TracebackChunks<'a> {
    /// Starts with the chunk being read back, if any.
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
            spread: 0,
            chunk,
            replay,
            ahead,
            passed,
            strayed: None,
            trusted: REPLAY_CHECKPOINTS,
        }
    }

    /// Starts to fetch the chunk at the end of a straight path, as wide as paths stray.
    ///
    /// # Errors
    /// Errors of the replay and of the read.
    pub(super) fn ahead(
        boundaries: Boundaries<'a>,
        tiles: &'a Tiles<'a>,
        direction: u32,
    ) -> Result<Option<PendingChunk>> {
        let spread = 2 * stray(tiles.tiling.shape.rows as f64, tiles.tiling);
        let mut chunks = Self {
            spread,
            ..Self::new(boundaries, tiles, direction, None)
        };
        // A straying path reaches the meeting line at a different step, up to the last.
        let last = tiles.layout.checkpoints.len() as u64 - 1;
        tiles
            .last()
            .map(|place| chunks.fetch(place, last))
            .transpose()
    }

    /// Word offset of a tile's record; `None` if the chunk lacks it.
    pub(super) fn find(&mut self, place: TilePlace) -> Option<usize> {
        let (TracebackChunk { runs, found, .. }, tiles) = (&mut self.chunk, self.tiles);
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
        Some(run.first_word + before as usize * tiles.words)
    }

    /// The record at word `first` of the chunk.
    pub(super) fn record(&self, first: usize) -> &[u32] {
        let words = self
            .chunk
            .words
            .as_ref()
            .map(|words| words.words())
            .unwrap_or_default();
        &words[first..first + self.tiles.words]
    }

    /// Loads a chunk that contains the tile at `place`.
    ///
    /// # Errors
    /// Errors of the replay and of the read.
    pub(super) fn reach(&mut self, place: TilePlace) -> Result<()> {
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
        if missed || self.strayed.is_some() {
            let slope_from = |from: &TilePlace| self.tiles.slope_between(place, *from);
            let slope = self
                .passed
                .iter()
                .flatten()
                .find_map(slope_from)
                .or(self.strayed);
            self.strayed = slope.filter(|slope| !slope.is_near(self.tiles.straight_slope(place)));
        }
        self.passed = [Some(place), self.passed[0]];
        let arriving = match ahead {
            Some(ahead) => ahead,
            None => self.fetch(place, checkpoint)?,
        };
        // Replays and reads the expected continuation while this chunk is traced.
        if let Some(before) = arriving
            .runs
            .first()
            .and_then(|run| run.checkpoint.checked_sub(1))
        {
            self.ahead = Some(self.fetch(place, before)?);
        }
        // Each traceback has its own thread to block.
        let words = Some(wait_on_this_thread(arriving.words)?);
        self.chunk = TracebackChunk {
            words,
            runs: arriving.runs,
            found: 0,
        };
        Ok(())
    }

    /// Expected slope of the path from `place`.
    fn expected_slope(&self, place: TilePlace) -> PathSlope {
        self.strayed
            .unwrap_or_else(|| self.tiles.straight_slope(place))
    }

    /// Lanes that a path from `place` can cross in a checkpoint, on the expected course and around
    /// it. In checkpoints after its own it has its starting lane.
    fn corridor(&self, place: TilePlace, checkpoint: u64) -> Range<u64> {
        let (tiling, from) = (self.tiles.tiling, self.tiles.checkpoint(place));
        let lanes_per_checkpoint = self
            .tiles
            .lanes_a_checkpoint(place, self.expected_slope(place));
        let distance = from.saturating_sub(checkpoint) as f64 * lanes_per_checkpoint;
        // Steps jump between strips, by less than a checkpoint.
        let jump = lanes_per_checkpoint as u64 + 1;
        let slack = SLACK
            + jump
            + self.spread
            + stray(
                (distance + lanes_per_checkpoint) * tiling.lane_rows() as f64,
                tiling,
            );
        let exact = checkpoint == from && self.spread == 0;
        let last = place.lane.saturating_sub(distance as u64) + if exact { 0 } else { slack };
        let first = place
            .lane
            .saturating_sub((distance + lanes_per_checkpoint) as u64 + slack);
        let strips = &self.tiles.layout.checkpoints[checkpoint as usize].strips;
        let lanes = u64::from(tiling.lanes);
        let first = first.max(strips.start * lanes);
        first..(last + 1).min(strips.end * lanes).max(first)
    }

    /// Lanes of the corridor worth reading back: those of the expected path during the checkpoint,
    /// plus the stray of almost all paths through random symbols.
    fn near(&self, place: TilePlace, checkpoint: u64) -> Range<u64> {
        let (tiling, corridor) = (self.tiles.tiling, self.corridor(place, checkpoint));
        let (pass, steps) = (u64::from(tiling.steps), self.tiles.layout.steps(tiling));
        // A path that strayed into another strip is there earlier or later, by less than a pass.
        let steps = [
            (checkpoint * steps).saturating_sub(pass),
            (checkpoint + 1) * steps + pass,
        ];
        let [first, last] = steps.map(|step| {
            self.tiles
                .lane_in(place, self.expected_slope(place), step)
                .min(place.lane)
        });
        // Without mismatches, paths stray further the rarer matches are.
        let lengths = match tiling.shape.table {
            TableKind::Lcs => STRAY_LENGTHS * f64::from(tiling.shape.shared).sqrt(),
            TableKind::Edit | TableKind::EditInfix => STRAY_LENGTHS,
        };
        let rows = ((place.lane - first) * tiling.lane_rows()) as f64;
        let slack =
            MARGIN.div_ceil(tiling.lane_rows()) + self.spread + stray(lengths * rows, tiling);
        let first = first
            .saturating_sub(slack)
            .clamp(corridor.start, corridor.end);
        first..(last + slack + 1).clamp(first, corridor.end)
    }

    /// Strips that a path from `place` can cross in the checkpoints up to `last`: as many
    /// checkpoints as the device can hold and replay within a slice, and at least the tile at
    /// `place`.
    fn replay(&self, place: TilePlace, last: u64) -> Replay {
        let Tiles { tiling, layout, .. } = *self.tiles;
        let in_slice = self.boundaries.session.replay_cells() / layout.record_cells(tiling);
        let max_records = layout.replay_records.min(in_slice).max(1);
        let lanes = u64::from(tiling.lanes);
        let strips_per_checkpoint = self
            .tiles
            .lanes_a_checkpoint(place, self.expected_slope(place))
            / lanes as f64;
        let skew = (strips_per_checkpoint * 65536.0).min(f64::from(u32::MAX >> 7)) as u32;
        let chunk = layout.checkpoints[last as usize].chunk;
        // Strips of each checkpoint's corridor, from the last checkpoint back.
        let mut held: Vec<Range<i64>> = Vec::new();
        let mut widest = 0;
        for checkpoint in (0..=last).rev().take(self.trusted as usize) {
            let strips = self.strips(&self.corridor(place, checkpoint));
            widest = widest.max(strips.end - strips.start + REPLAY_STRIPS);
            let records = (last + 1 - checkpoint) * widest.min(tiling.strips());
            if layout.checkpoints[checkpoint as usize].chunk != chunk || records > max_records {
                break;
            }
            held.push(strips.start as i64..strips.end as i64);
        }
        while !held.is_empty() {
            let checkpoints = last + 1 - held.len() as u64..last + 1;
            let around = around(&held, skew);
            let strips = (around.end - around.start) as u64;
            let replay = match strips < tiling.strips() {
                true => Replay {
                    checkpoints,
                    first_strip: around.start,
                    skew,
                    strips,
                },
                false => Replay {
                    checkpoints,
                    first_strip: 0,
                    skew: 0,
                    strips: tiling.strips(),
                },
            };
            let fitting = max_records / replay.strips.max(1);
            if strips > 0 && held.len() as u64 <= fitting {
                return replay;
            }
            held.truncate((fitting as usize).min(held.len() - 1));
        }
        Replay {
            checkpoints: last..last + 1,
            first_strip: (place.lane / lanes) as i64,
            skew,
            strips: 1,
        }
    }

    /// Strips of some lanes.
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
            let mut near = self.near(place, checkpoint);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairwise::bit_parallel::inputs::Random;

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
