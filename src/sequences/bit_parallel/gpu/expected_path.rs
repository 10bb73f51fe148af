//! Lanes that a path is expected to cross, by step.

use std::ops::Range;

use super::tiles::{Crossing, TilePlace, Tiles};
use super::tiling::Tiling;
use crate::sequences::course::Course;

/// Rows plus columns from which a slope can be estimated.
const TELLING_CELLS: u64 = 4096;
/// Multiple of the telling steps without a known cell after which a path is trusted to keep its own
/// line rather than the course.
const MAX_UNKNOWN: u64 = 8;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    end: Crossing,
    lane_steps: f64,
    lanes: u64,
    /// Steps that a path waits between two strips.
    wait: f64,
}

impl Line {
    fn between(from: Crossing, to: Crossing, tiling: &Tiling) -> Self {
        let lanes = u64::from(tiling.lanes);
        let wait = (tiling.lag() - lanes) as f64;
        let strips = (to.lane / lanes).saturating_sub(from.lane / lanes) as f64;
        let steps = to.step.saturating_sub(from.step) as f64 - strips * wait;
        // A lane is at least a step behind the one above it.
        let lane_steps = (steps / to.lane.saturating_sub(from.lane).max(1) as f64).max(1.0);
        Self {
            end: to,
            lane_steps,
            lanes,
            wait,
        }
    }

    /// Lane at `step`, on the line or on its continuation.
    fn lane(&self, step: u64) -> u64 {
        let Self {
            end,
            lane_steps,
            lanes,
            wait,
        } = *self;
        // Relative to the first lane.
        let to_end = end.lane as f64 * lane_steps + (end.lane / lanes) as f64 * wait;
        let steps = (step as f64 - end.step as f64 + to_end).max(0.0);
        let in_lanes = lanes as f64 * lane_steps;
        let strip = (steps / (in_lanes + wait)).floor();
        let lane = (steps - strip * (in_lanes + wait)).min(in_lanes) / lane_steps;
        (strip * lanes as f64 + lane) as u64
    }

    /// Whether the slopes of two lines differ by at most 10 %.
    fn is_near(&self, other: &Self) -> bool {
        let words = [self, other].map(|line| line.lane_steps - 1.0);
        words[0].max(words[1]) <= 1.1 * words[0].min(words[1])
    }
}

/// Course through the tiles of a direction.
pub(super) struct ExpectedPath {
    tiling: Tiling,
    /// Ascending.
    vertices: Vec<Crossing>,
    telling: u64,
}

/// Lanes that a path crosses in some steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ExpectedLanes {
    pub lanes: Range<u64>,
    /// Rows over which the path may stray: the shorter of those that it has come by then, and those
    /// between the known cells around it.
    pub unknown_rows: u64,
}

impl ExpectedPath {
    pub(super) fn new(course: &Course, tiles: &Tiles<'_>, direction: u32) -> Self {
        let reversed = (direction > 0).then(|| course.reversed());
        let Course(cells) = reversed.as_ref().unwrap_or(course);
        let tiling = *tiles.tiling;
        Self {
            tiling,
            vertices: cells
                .iter()
                .map(|&(row, col)| tiles.crossing(row, col))
                .collect(),
            telling: TELLING_CELLS / u64::from(tiling.columns),
        }
    }

    pub(super) fn at(&self, step: u64) -> Crossing {
        Crossing {
            step,
            lane: self.lane(step),
        }
    }

    pub(super) fn lanes(
        &self,
        place: Crossing,
        own: Option<&Line>,
        steps: Range<u64>,
    ) -> ExpectedLanes {
        let before = self.before(place);
        let back = self.vertices[before];
        let to_course = Line::between(back, place, &self.tiling);
        let lane = |step: u64| {
            let lane = match own {
                Some(line) => line.lane(step),
                None if step >= back.step => to_course.lane(step),
                None => self.lane(step),
            };
            lane.min(place.lane)
        };
        let lanes = lane(steps.start)..lane(steps.end);
        let mut unknown = place.lane - lanes.start;
        if own.is_none() {
            let first = self.segment(steps.start);
            let last = self.segment(steps.end).min(before);
            let between = |at: usize| {
                let end = self.vertices[at + 1].lane.min(place.lane);
                end.saturating_sub(self.vertices[at].lane)
            };
            unknown = unknown.min((first..=last.max(first)).map(between).max().unwrap_or(0));
        }
        ExpectedLanes {
            lanes: lanes.start..lanes.end.max(lanes.start),
            unknown_rows: unknown * self.tiling.lane_rows(),
        }
    }

    /// Line on which a path continues that was in `from` before it came to `place`; `None` if it
    /// keeps to the course, or if they are too close to tell.
    pub(super) fn own_line(&self, place: Crossing, from: Crossing) -> Option<Line> {
        let back = self.vertices[self.before(place)];
        let unknown = place.step.saturating_sub(back.step) > MAX_UNKNOWN * self.telling;
        let mut own = Line::between(place, from, &self.tiling);
        own.end = place;
        (self.tells(place, from)
            && unknown
            && !own.is_near(&Line::between(back, place, &self.tiling)))
        .then_some(own)
    }

    /// True if the path from `from` to `place` is long enough to tell its slope.
    pub(super) fn tells(&self, place: Crossing, from: Crossing) -> bool {
        let lanes = from.lane.saturating_sub(place.lane);
        let words = from.step.saturating_sub(place.step).saturating_sub(lanes);
        let cells = lanes * self.tiling.lane_rows() + words * u64::from(self.tiling.columns);
        cells >= TELLING_CELLS
    }

    /// The last vertex that is so far before a place that it tells how a path came there.
    fn before(&self, place: Crossing) -> usize {
        let before = self.vertices.partition_point(|vertex| {
            vertex.step + self.telling <= place.step && vertex.lane <= place.lane
        });
        before.saturating_sub(1)
    }

    /// Vertex at the start of the course's segment at a step.
    fn segment(&self, step: u64) -> usize {
        let behind = self.vertices.partition_point(|vertex| vertex.step <= step);
        behind.clamp(1, self.vertices.len() - 1) - 1
    }

    fn lane(&self, step: u64) -> u64 {
        let segment = self.segment(step);
        let (from, to) = (self.vertices[segment], self.vertices[segment + 1]);
        let lane = Line::between(from, to, &self.tiling).lane(step);
        lane.clamp(from.lane, to.lane)
    }
}

impl TilePlace {
    /// Crossing of a tile's first step.
    pub(super) fn crossing(self, tile_steps: u32) -> Crossing {
        Crossing {
            step: self.tile * u64::from(tile_steps),
            lane: self.lane,
        }
    }
}
