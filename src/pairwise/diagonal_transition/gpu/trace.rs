//! The canonical path, from where both directions meet back through the wavefronts that were kept, to both ends in turn.

use std::collections::VecDeque;
use std::ops::Range;

use super::meeting::Meeting;
use super::side::Side;
use super::sizes::Kept;
use crate::backend::{Pending, Session, Words};
use crate::error::Result;
use crate::pairwise::blocks::{Block, Blocks};
use crate::pairwise::codes::Symbol;
use crate::pairwise::diagonal_transition::Recurrence;
use crate::pairwise::diagonal_transition::walk::{Walk, Wavefronts};
use crate::pairwise::diagonal_transition::wavefront::Wavefront;

/// Distances of the wavefronts that are read back together.
const CHUNK_DISTANCES: u64 = 1024;
/// Chunks that are read ahead.
const AHEAD: usize = 2;

/// The path through the cell of a meeting.
///
/// # Errors
/// As [`Session::read`].
pub(super) async fn path<R: Recurrence<SPACING>, S: Symbol, const SPACING: i64>(
    session: &Session<'_>,
    sides: &[Side<'_, S>; 2],
    meeting: &Meeting,
) -> Result<Blocks> {
    let [ahead, back] = sides;
    let (mut one, mut other) = (Trace::from(ahead, meeting, 0), Trace::from(back, meeting, 1));
    while !one.is_done() || !other.is_done() {
        let (next, next_back) = (one.next::<SPACING>(session)?, other.next::<SPACING>(session)?);
        let (next, next_back) = (arrived(next).await?, arrived(next_back).await?);
        session.device.phases.lap("readback");
        // Less than a millisecond, of which waking a thread would be much.
        one.back::<R, SPACING>(next);
        other.back::<R, SPACING>(next_back);
        session.device.phases.lap("trace");
    }
    let (mut blocks, back) = (one.blocks(), other.blocks());
    let (rows, cols) = (ahead.a.len(), ahead.b.len());
    for block in back.as_slice().iter().rev() {
        blocks.push(Block { a: rows - (block.b + block.len), b: cols - (block.a + block.len), len: block.len });
    }
    Ok(blocks)
}

/// Words of some wavefronts, and the indices that they have of each.
type Chunk = (Box<dyn Words>, Vec<Range<u64>>);
type Arriving = (Pending<Box<dyn Words>>, Vec<Range<u64>>);

async fn arrived(arriving: Option<Arriving>) -> Result<Option<Chunk>> {
    match arriving {
        Some((words, corridors)) => Ok(Some((words.await?, corridors))),
        None => Ok(None),
    }
}

/// The walk to one end.
struct Trace<'a, S> {
    side: &'a Side<'a, S>,
    walk: Walk,
    /// Wavefronts that the path starts from, those of the first chunk first.
    chunks: Vec<&'a [Kept]>,
    walked: usize,
    arriving: VecDeque<Arriving>,
}

impl<'a, S: Symbol> Trace<'a, S> {
    fn from(side: &'a Side<'a, S>, meeting: &Meeting, direction: usize) -> Self {
        let (cell, distance) = (meeting.cells[direction], meeting.distances[direction]);
        let chunks = chunks(&side.kept[..side.kept.partition_point(|kept| kept.distance < distance)]);
        Self { side, walk: Walk::from(cell, distance), chunks, walked: 0, arriving: VecDeque::new() }
    }

    fn is_done(&self) -> bool {
        self.walked == self.chunks.len()
    }

    /// What the next chunk is made of; those behind it are read while it is walked.
    fn next<const SPACING: i64>(&mut self, session: &Session<'_>) -> Result<Option<Arriving>> {
        while let Some(next) =
            self.chunks.get(self.walked + self.arriving.len()).filter(|_| self.arriving.len() < AHEAD)
        {
            let corridors: Vec<_> = next.iter().map(|kept| kept.corridor::<SPACING>(&self.walk)).collect();
            let spans: Vec<_> = next.iter().zip(&corridors).map(|(kept, part)| kept.span(part)).collect();
            self.arriving.push_back((session.read(&spans)?, corridors));
        }
        Ok(self.arriving.pop_front())
    }

    /// Walks through that chunk.
    fn back<R: Recurrence<SPACING>, const SPACING: i64>(&mut self, chunk: Option<Chunk>) {
        let Some((words, corridors)) = chunk else { return };
        let (words, chunk) = (words.words(), self.chunks[self.walked]);
        let mut end = words.len();
        for (kept, part) in chunk.iter().zip(corridors).rev() {
            let start = end - (part.end - part.start) as usize;
            // Far fewer than were read ahead.
            let near = kept.corridor::<SPACING>(&self.walk);
            let near = near.start.clamp(part.start, part.end)..near.end.clamp(part.start, part.end);
            let own = (near.start - part.start) as usize..(near.end - part.start) as usize;
            let wavefront = kept.wavefront::<SPACING>(&near, &words[start..end][own], self.side.slid);
            end = start;
            back::<R, _, SPACING>(&mut self.walk, kept.distance, wavefront, self.side.a, self.side.b);
        }
        self.walked += 1;
    }

    /// The path. What is left at the distance 0 is one run.
    fn blocks(mut self) -> Blocks {
        self.walk.through(&Wavefronts::<1>::from(0), self.side.a, self.side.b);
        self.walk.blocks()
    }
}

/// Wavefronts that are read back together, from the last to the first.
fn chunks(kept: &[Kept]) -> Vec<&[Kept]> {
    let alike = |x: &Kept, y: &Kept| x.distance / CHUNK_DISTANCES == y.distance / CHUNK_DISTANCES;
    kept.chunk_by(alike).rev().collect()
}

impl Kept {
    /// The indices of the diagonals that a path through a cell farther on can have come from, and their neighbours': each of its
    /// steps changes the diagonal by one at the most.
    fn corridor<const SPACING: i64>(&self, walk: &Walk) -> Range<u64> {
        let (diagonal, steps) = (walk.i as i64 - walk.j as i64, (walk.distance - self.distance) as i64);
        let index = |diagonal: i64| ((diagonal + self.distance as i64) / SPACING).max(0) as u64;
        let bounded = |index: u64| index.clamp(self.indices.start, self.indices.end);
        bounded(index(diagonal - steps))..bounded(index(diagonal + steps) + 1)
    }
}

/// Walks back to a wavefront, of which there is what the walk's corridor has, from at most [`WAVEFRONTS`] wavefronts behind it.
fn back<R: Recurrence<SPACING>, S: PartialEq, const SPACING: i64>(
    walk: &mut Walk,
    distance: u64,
    mut wavefront: Wavefront<SPACING>,
    a: &[S],
    b: &[S],
) {
    let diagonal = walk.i as i64 - walk.j as i64;
    let mut wavefronts = Wavefronts::from(distance);
    let steps = (walk.distance - distance) as i64;
    for left in (0..steps).rev() {
        wavefronts.push(&wavefront);
        if left == 0 {
            break;
        }
        let next = wavefront.next_diagonals(a.len() as i64, b.len() as i64);
        let (low, high) = ((*next.start()).max(diagonal - left), (*next.end()).min(diagonal + left));
        wavefront = R::next(&wavefront, low..=high, a, b);
    }
    walk.through(&wavefronts, a, b);
}
