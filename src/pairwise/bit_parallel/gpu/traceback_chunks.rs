//! Traceback chunks: parts of the table around the path that is expected whose tiles are on the host.
//!
//! The strips of a replay, around many chunks, are swept again on the device, all at once, each from its own record, and leave
//! the boundaries of small tiles there. Those of a chunk, as near to the path as is known by then, are read back while the
//! chunk before is walked. A path is expected to go straight to the first cell, and where it did not, as it went last.

use std::ops::Range;

use super::checkpoints::CheckpointLayout;
use super::plan::{Replay, Sweep};
use super::tiles::{Course, Place, Tiles};
use super::tiling::Tiling;
use crate::backend::{Pending, Session, Span, Words, wait_on_this_thread};
use crate::error::Result;
use crate::pairwise::bit_parallel::shape::{Shape, Table};

/// Most checkpoints of one replay.
const REPLAY_CHECKPOINTS: u64 = 512;
/// The same where the path has not gone where it was expected.
const TRUSTED_AFTER_A_MISS: u64 = 2;
/// Strips of a replay beside those of its widest checkpoint.
const REPLAY_STRIPS: u64 = 2;
/// Lanes beside the straight path that a chunk takes along at least.
const SLACK: u64 = 6;
/// Rows beside the straight path that are read back at least.
const MARGIN: u64 = 250;
/// Nearly no path strays further than paths of so many times its length do on average.
const STRAY_LENGTHS: f64 = 2.0;
/// How many times a path's cost a row is its share of how far costly paths stray.
const STRAY_BY_COST: f64 = 4.0;

/// The boundaries of a sweep, on the device.
#[derive(Clone, Copy)]
pub(super) struct Boundaries<'a> {
    pub session: &'a Session<'a>,
    pub sweep: &'a Sweep,
    pub tiling: &'a Tiling,
    pub layout: &'a CheckpointLayout,
}

/// Neighbouring lanes of one checkpoint, all their tiles.
#[derive(Clone, Debug)]
struct Run {
    checkpoint: u64,
    lanes: Range<u64>,
    first_word: usize,
}

/// Tiles on the host.
#[derive(Default)]
struct TracebackChunk {
    /// In the order of checkpoints.
    runs: Vec<Run>,
    /// The run that was found last.
    found: usize,
    words: Option<Box<dyn Words>>,
}

/// The run that holds a tile of a lane and checkpoint.
fn run_of(runs: &[Run], lane: u64, checkpoint: u64) -> Option<usize> {
    let first = runs.partition_point(|run| run.checkpoint < checkpoint);
    let mut of_checkpoint = runs[first..]
        .iter()
        .take_while(|run| run.checkpoint == checkpoint);
    of_checkpoint
        .position(|run| run.lanes.contains(&lane))
        .map(|place| first + place)
}

/// Lanes by which best paths through random symbols stray: about the power 2/3 of their length, less where they cost little.
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

/// The strips of a replay's first checkpoint if the replay, of this slope, holds those of all checkpoints, the last one's first.
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

/// A chunk on its way.
pub(super) struct Arriving {
    runs: Vec<Run>,
    words: Pending<Box<dyn Words>>,
    /// What the device holds when it has arrived.
    replay: Replay,
}

/// The chunks of one direction's walk.
pub(super) struct TracebackChunks<'a> {
    boundaries: Boundaries<'a>,
    tiles: &'a Tiles<'a>,
    direction: u32,
    /// How many lanes beside the path may be where a chunk is fetched.
    spread: u64,
    chunk: TracebackChunk,
    /// What the device holds, or will when the chunk that comes next has arrived.
    replay: Replay,
    /// The chunk that comes next.
    ahead: Option<Arriving>,
    /// Where the walk was when the last two chunks came, the last one first.
    passed: [Option<Place>; 2],
    /// How it went between them, since it left the way straight to the first cell.
    strayed: Option<Course>,
    /// Checkpoints that the way is trusted to be right for.
    trusted: u64,
}

impl<'a> TracebackChunks<'a> {
    /// No chunk yet but the one that is on its way.
    pub(super) fn new(
        boundaries: Boundaries<'a>,
        tiles: &'a Tiles<'a>,
        direction: u32,
        ahead: Option<Arriving>,
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

    /// Starts fetching the chunk where a straight path ends, as wide as other paths stray.
    ///
    /// # Errors
    /// What replaying on the device and reading from it return.
    pub(super) fn ahead(
        boundaries: Boundaries<'a>,
        tiles: &'a Tiles<'a>,
        direction: u32,
    ) -> Result<Option<Arriving>> {
        let spread = 2 * stray(tiles.tiling.shape.rows as f64, tiles.tiling);
        let mut chunks = Self {
            spread,
            ..Self::new(boundaries, tiles, direction, None)
        };
        // A path that strays reaches the line where directions meet in another step, up to the last.
        let last = tiles.layout.checkpoints.len() as u64 - 1;
        tiles
            .last()
            .map(|place| chunks.fetch(place, last))
            .transpose()
    }

    /// Where the record of a tile starts, if the chunk holds it.
    pub(super) fn find(&mut self, place: Place) -> Option<usize> {
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

    /// The record that starts at word `first` of the chunk.
    pub(super) fn record(&self, first: usize) -> &[u32] {
        let words = self
            .chunk
            .words
            .as_ref()
            .map(|words| words.words())
            .unwrap_or_default();
        &words[first..first + self.tiles.words]
    }

    /// Has a chunk on the host that holds the tile at `place`.
    ///
    /// # Errors
    /// What replaying on the device and reading from it return.
    pub(super) fn reach(&mut self, place: Place) -> Result<()> {
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
            let course = |from: &Place| self.tiles.between(place, *from);
            let course = self
                .passed
                .iter()
                .flatten()
                .find_map(course)
                .or(self.strayed);
            self.strayed = course.filter(|course| !course.is_near(self.tiles.straight(place)));
        }
        self.passed = [Some(place), self.passed[0]];
        let arriving = match ahead {
            Some(ahead) => ahead,
            None => self.fetch(place, checkpoint)?,
        };
        // The path goes on towards the first cell about as straight as it has to: replay there while this chunk is walked.
        if let Some(before) = arriving
            .runs
            .first()
            .and_then(|run| run.checkpoint.checked_sub(1))
        {
            self.ahead = Some(self.fetch(place, before)?);
        }
        // A walk has a thread to itself.
        let words = Some(wait_on_this_thread(arriving.words)?);
        self.chunk = TracebackChunk {
            words,
            runs: arriving.runs,
            found: 0,
        };
        Ok(())
    }

    /// Where a path from `place` is expected to go.
    fn course(&self, place: Place) -> Course {
        self.strayed.unwrap_or_else(|| self.tiles.straight(place))
    }

    /// The lanes that a path from `place` may cross in checkpoint `checkpoint`, going where it is expected or some way beside. In checkpoints
    /// behind its own it is where it starts.
    fn corridor(&self, place: Place, checkpoint: u64) -> Range<u64> {
        let (tiling, from) = (self.tiles.tiling, self.tiles.checkpoint(place));
        let lanes_per_checkpoint = self.tiles.lanes_a_checkpoint(place, self.course(place));
        let distance = from.saturating_sub(checkpoint) as f64 * lanes_per_checkpoint;
        // From strip to strip the steps jump, by less than a checkpoint.
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

    /// Of the corridor's lanes those that are worth reading back: where the straight path is in the steps of the checkpoint, and as
    /// far beside as nearly no path through random symbols strays.
    fn near(&self, place: Place, checkpoint: u64) -> Range<u64> {
        let (tiling, corridor) = (self.tiles.tiling, self.corridor(place, checkpoint));
        let (pass, steps) = (u64::from(tiling.steps), self.tiles.layout.steps(tiling));
        // A path that has strayed to another strip is in its steps sooner or later, by less than a pass.
        let steps = [
            (checkpoint * steps).saturating_sub(pass),
            (checkpoint + 1) * steps + pass,
        ];
        let [first, last] = steps.map(|step| {
            self.tiles
                .lane_in(place, self.course(place), step)
                .min(place.lane)
        });
        // Where unequal symbols never match, paths stray further the rarer equal ones are.
        let lengths = match tiling.shape.table {
            Table::Lcs => STRAY_LENGTHS * f64::from(tiling.shape.shared).sqrt(),
            Table::Edit | Table::EditInfix => STRAY_LENGTHS,
        };
        let rows = ((place.lane - first) * tiling.lane_rows()) as f64;
        let slack =
            MARGIN.div_ceil(tiling.lane_rows()) + self.spread + stray(lengths * rows, tiling);
        let first = first
            .saturating_sub(slack)
            .clamp(corridor.start, corridor.end);
        first..(last + slack + 1).clamp(first, corridor.end)
    }

    /// The strips of the checkpoints up to `last` that a path from `place` may cross, as many checkpoints as the device holds and sweeps
    /// within a slice; at least the tile where the walk stands.
    fn replay(&self, place: Place, last: u64) -> Replay {
        let Tiles { tiling, layout, .. } = *self.tiles;
        let in_slice = self.boundaries.session.replay_cells() / layout.record_cells(tiling);
        let most_records = layout.replay_records.min(in_slice).max(1);
        let lanes = u64::from(tiling.lanes);
        let strips_per_checkpoint =
            self.tiles.lanes_a_checkpoint(place, self.course(place)) / lanes as f64;
        let skew = (strips_per_checkpoint * 65536.0).min(f64::from(u32::MAX >> 7)) as u32;
        let chunk = layout.checkpoints[last as usize].chunk;
        // The strips of each checkpoint's corridor, from the last checkpoint on.
        let mut held: Vec<Range<i64>> = Vec::new();
        let mut widest = 0;
        for checkpoint in (0..=last).rev().take(self.trusted as usize) {
            let strips = self.strips(&self.corridor(place, checkpoint));
            widest = widest.max(strips.end - strips.start + REPLAY_STRIPS);
            let records = (last + 1 - checkpoint) * widest.min(tiling.strips());
            if layout.checkpoints[checkpoint as usize].chunk != chunk || records > most_records {
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
            let fitting = most_records / replay.strips.max(1);
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

    /// The strips of some lanes.
    fn strips(&self, lanes: &Range<u64>) -> Range<u64> {
        let in_strip = u64::from(self.tiles.tiling.lanes);
        if lanes.is_empty() {
            0..0
        } else {
            lanes.start / in_strip..lanes.end.div_ceil(in_strip)
        }
    }

    /// The lanes of each checkpoint, from `last` back, that are worth reading back at once; where the walk stands is among them.
    fn wanted(&self, place: Place, last: u64) -> Vec<(u64, Range<u64>)> {
        let Tiles { tiling, layout, .. } = *self.tiles;
        let lane_bytes = layout.tiles(tiling) * layout.tile_words(tiling) * 4;
        let (mut wanted, mut bytes) = (Vec::new(), 0);
        for checkpoint in (0..=last).rev() {
            let mut near = self.near(place, checkpoint);
            if checkpoint == self.tiles.checkpoint(place) {
                near = near.start.min(place.lane)..near.end.max(place.lane + 1);
            }
            bytes += (near.end - near.start) * lane_bytes;
            if bytes > layout.chunk_bytes_read && checkpoint < last {
                break;
            }
            wanted.push((checkpoint, near));
        }
        wanted
    }

    /// Starts reading back what a path from `place` may cross in the checkpoints up to `last`, once it is replayed.
    fn fetch(&mut self, place: Place, last: u64) -> Result<Arriving> {
        let Tiles { tiling, layout, .. } = *self.tiles;
        let (lanes, per_lane) = (
            u64::from(tiling.lanes),
            layout.tiles(tiling) * layout.tile_words(tiling),
        );
        let mut wanted = self.wanted(place, last);
        let has_run = self.replay.holds(last, self.strips(&wanted[0].1));
        if !has_run {
            self.replay = self.replay(place, last);
        }
        let behind = wanted[1..]
            .iter()
            .take_while(|(checkpoint, near)| self.replay.holds(*checkpoint, self.strips(near)));
        wanted.truncate(1 + behind.count());
        let first_record = u64::from(self.direction) * layout.replay_records;
        let (mut runs, mut spans) = (Vec::new(), Vec::new());
        let mut first_word = 0;
        for (checkpoint, near) in wanted.into_iter().rev() {
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
                runs.push(Run {
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
        Ok(Arriving {
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
    fn a_replay_holds_the_strips_of_every_checkpoint_and_could_be_no_narrower() {
        let mut random = Random::new(21);
        for checkpoints in 1..40 {
            let skew = random.below(1 << 17) as u32;
            // Corridors that go down as steep as the replay or less, some of them empty.
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
                // What lies before the table's first strip is left out, and each other one keeps its place.
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
