//! Traceback of the canonical path from the meeting point to both ends, through the stored
//! wavefronts.

use std::ops::Range;

use super::meeting::Meeting;
use super::side::Side;
use super::sizes::{StoredWavefront, WAVEFRONTS};
use crate::backend::{MAX_GATHERED_SPANS, Session, Span};
use crate::call::phase::Phase;
use crate::error::Result;
use crate::host::threads::join_in_place;
use crate::sequences::blocks::{Block, Blocks};
use crate::sequences::codes::Symbol;
use crate::sequences::diagonal_transition::WavefrontRecurrence;
use crate::sequences::diagonal_transition::walk::{Walk, Wavefronts};
use crate::sequences::diagonal_transition::wavefront::Wavefront;

/// Initial half-width, in diagonals, of the part that is read around the walk. A path drifts far
/// less than one diagonal per step.
const FIRST_HALF_WIDTH: u64 = 256;
const _: () = assert!(FIRST_HALF_WIDTH >= WAVEFRONTS);
/// Maximum wavefronts per read and direction, and maximum words of them.
const MAX_WAVEFRONTS: usize = MAX_GATHERED_SPANS / 2;
const MAX_WORDS: u64 = 1 << 20;
/// Distance to an end that is worth a thread: waking one takes longer than a few hundred.
const MIN_THREAD_DISTANCE: u64 = 1 << 11;

pub(super) async fn path<R: WavefrontRecurrence, S: Symbol>(
    session: &Session<'_>,
    sides: &[Side<'_, S>; 2],
    meeting: &Meeting,
) -> Result<Blocks> {
    let [ahead, back] = sides;
    let (mut one, mut other) = (
        Trace::from(ahead, meeting, 0),
        Trace::from(back, meeting, 1),
    );
    let threads = session.device.threads;
    while !one.is_done() || !other.is_done() {
        let (parts, parts_back) = (one.parts::<R>(), other.parts::<R>());
        let spans: Vec<_> = parts
            .iter()
            .chain(&parts_back)
            .map(WavefrontPart::span)
            .collect();
        let words = session.read(&spans)?.await?;
        session.device.phases.lap(Phase::Readback);
        let (words, words_back) = words
            .words()
            .split_at(parts.iter().map(|part| part.span().words as usize).sum());
        let mut walk = || one.back::<R>(&parts, words);
        let mut walk_back = || other.back::<R>(&parts_back, words_back);
        if meeting
            .distances
            .iter()
            .all(|&distance| distance >= MIN_THREAD_DISTANCE)
        {
            _ = join_in_place(threads, walk, walk_back)
        } else {
            _ = (walk(), walk_back())
        }
        session.device.phases.lap(Phase::Trace);
    }
    let (mut blocks, back) = (one.blocks::<R>(), other.blocks::<R>());
    let (rows, cols) = (ahead.a.len(), ahead.b.len());
    for block in back.as_slice().iter().rev() {
        blocks.push(Block {
            a: rows - (block.b + block.len),
            b: cols - (block.a + block.len),
            len: block.len,
        });
    }
    Ok(blocks)
}

struct WavefrontPart<'a> {
    kept: &'a StoredWavefront,
    indices: Range<u64>,
}

impl WavefrontPart<'_> {
    fn span(&self) -> Span {
        self.kept.span(&self.indices)
    }

    fn has(&self, indices: &Range<u64>) -> bool {
        indices.is_empty()
            || (self.indices.start <= indices.start && indices.end <= self.indices.end)
    }
}

struct Trace<'a, S> {
    side: &'a Side<'a, S>,
    walk: Walk,
    kept: &'a [StoredWavefront],
    /// Half-width of the parts to read, in diagonals.
    near: u64,
}

impl<'a, S: Symbol> Trace<'a, S> {
    fn from(side: &'a Side<'a, S>, meeting: &Meeting, direction: usize) -> Self {
        let ((i, j), distance) = (meeting.cells[direction], meeting.distances[direction]);
        let kept = &side.kept[..side.kept.partition_point(|kept| kept.distance < distance)];
        Self {
            side,
            walk: Walk::from(i, j, distance),
            kept,
            near: FIRST_HALF_WIDTH,
        }
    }

    /// On the first row or column only gaps remain.
    fn is_done(&self) -> bool {
        self.kept.is_empty() || self.walk.i == 0 || self.walk.j == 0
    }

    /// Parts that the walk needs of the next wavefronts, nearest first, if it stays within `near`
    /// diagonals.
    fn parts<R: WavefrontRecurrence>(&self) -> Vec<WavefrontPart<'a>> {
        if self.is_done() {
            return Vec::new();
        }
        let fit = (MAX_WORDS / (2 * self.near + 1)).clamp(1, MAX_WAVEFRONTS as u64) as usize;
        let part = |kept: &'a StoredWavefront| WavefrontPart {
            kept,
            indices: kept.corridor::<R>(&self.walk, self.near),
        };
        self.kept.iter().rev().take(fit).map(part).collect()
    }

    /// Walks through `parts` until one of them is too narrow; then doubles `near`.
    fn back<R: WavefrontRecurrence>(&mut self, parts: &[WavefrontPart<'_>], mut words: &[u32]) {
        let mut wavefronts = Wavefronts::from(0);
        for part in parts {
            let WavefrontPart { kept, indices } = part;
            let (stored, later) = words.split_at((indices.end - indices.start) as usize);
            words = later;
            if self.is_done() {
                return;
            }
            // Far narrower than the part that was read.
            let needed = kept.corridor::<R>(&self.walk, u64::MAX);
            if !part.has(&needed) {
                self.near = (2 * self.near).min(MAX_WORDS);
                return;
            }
            let stored = if needed.is_empty() {
                &[]
            } else {
                &stored
                    [(needed.start - indices.start) as usize..(needed.end - indices.start) as usize]
            };
            let wavefront = kept.wavefront::<R, _>(&needed, stored, self.side);
            wavefronts.restart(kept.distance);
            back(
                &mut self.walk,
                &mut wavefronts,
                wavefront,
                self.side.a,
                self.side.b,
            );
            self.kept = &self.kept[..self.kept.len() - 1];
        }
    }

    /// The path. The remainder at distance 0 is one run.
    fn blocks<R: WavefrontRecurrence>(mut self) -> Blocks {
        self.walk
            .through(&Wavefronts::<R>::from(0), self.side.a, self.side.b);
        self.walk.blocks()
    }
}

impl StoredWavefront {
    /// Indices of the diagonals, and of their neighbours, that the walk can have come from. Each
    /// step changes the diagonal by at most one; `near` caps the distance.
    fn corridor<R: WavefrontRecurrence>(&self, walk: &Walk, near: u64) -> Range<u64> {
        let diagonal = walk.i as i64 - walk.j as i64;
        let steps = walk.distance.saturating_sub(self.distance).min(near) as i64;
        let index =
            |diagonal: i64| ((diagonal + self.distance as i64) / R::DIAGONAL_STEP).max(0) as u64;
        let bounded = |index: u64| index.clamp(self.indices.start, self.indices.end);
        bounded(index(diagonal - steps))..bounded(index(diagonal + steps) + 1)
    }
}

/// Walks back to `wavefront`, at most [`WAVEFRONTS`] distances, by recomputing those between.
/// `wavefront` must contain the corridor of the walk.
fn back<R: WavefrontRecurrence, S: Symbol>(
    walk: &mut Walk,
    wavefronts: &mut Wavefronts<R>,
    mut wavefront: Wavefront<R>,
    a: &[S],
    b: &[S],
) {
    let diagonal = walk.i as i64 - walk.j as i64;
    let steps = walk.distance.saturating_sub(wavefronts.first) as i64;
    for left in (0..steps).rev() {
        wavefronts.push(&wavefront);
        if left == 0 {
            break;
        }
        let next = wavefront.next_diagonals(a.len() as i64, b.len() as i64);
        let (low, high) = (
            (*next.start()).max(diagonal - left),
            (*next.end()).min(diagonal + left),
        );
        wavefront = wavefront.next(low..=high, a, b);
    }
    walk.through(wavefronts, a, b);
}
