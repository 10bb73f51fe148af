//! Meeting point of both directions of a search: the distance, and a cell of the canonical path.
//!
//! If a point reached forward at distance d and one reached backward at distance e overlap on a
//! diagonal, the total distance is at most d + e. So the first sum with an overlapping diagonal is
//! the distance. Every such diagonal has cells of an optimal path. The canonical path has no
//! optimal path to its right or above, and follows the lowest such diagonal: where two paths cross
//! they share a cell, and distances never fall along a diagonal. It enters that diagonal from
//! above, as far down as the overlap allows, or else where the overlap begins.

use std::ops::RangeInclusive;

use super::side::Side;
use super::sizes::{StoredWavefront, WAVEFRONTS};
use crate::backend::Session;
use crate::call::phase::Phase;
use crate::error::{Error, Result};
use crate::sequences::codes::Symbol;
use crate::sequences::diagonal_transition::WavefrontRecurrence;
use crate::sequences::diagonal_transition::wavefront::Wavefront;

/// A cell of the canonical path, and its distances from the first and to the last cell, each in the
/// coordinates of its direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    pub cells: [(usize, usize); 2],
    pub distances: [u64; 2],
}

/// Meeting of two directions whose wavefronts at distance `met` overlap, the first of those checked
/// on the device.
pub(super) async fn find<R: WavefrontRecurrence, S: Symbol>(
    session: &Session<'_>,
    sides: &[Side<'_, S>; 2],
    met: u64,
) -> Result<Meeting> {
    let kept = sides.each_ref().map(|side| {
        let place_of = |distance| side.kept.partition_point(|kept| kept.distance < distance);
        &side.kept[place_of(met.saturating_sub(WAVEFRONTS))..place_of(met + 1)]
    });
    let pairs = || kept[0].iter().zip(kept[1]);
    let spans =
        pairs().flat_map(|(ahead, back)| [ahead, back].map(|kept| kept.span(&kept.indices)));
    let words = session.read(&spans.collect::<Vec<_>>())?.await?;
    session.device.phases.lap(Phase::Readback);
    let mut words = words.words();
    let mut wavefront = |kept: &StoredWavefront, side: &Side<'_, S>| {
        let (own, rest) = words.split_at((kept.indices.end - kept.indices.start) as usize);
        words = rest;
        kept.wavefront::<R, _>(&kept.indices, own, side)
    };
    let pairs = pairs().map(|(ahead, back)| {
        let wavefronts = [wavefront(ahead, &sides[0]), wavefront(back, &sides[1])];
        WavefrontPair {
            distance: ahead.distance,
            wavefronts,
        }
    });
    let meeting = among::<R, S>(sides, pairs.collect());
    session.device.phases.lap(Phase::Meet);
    meeting.ok_or_else(|| {
        Error::CertificateFailed(format!("wavefronts of the distance {met} do not meet"))
    })
}

struct WavefrontPair<R> {
    distance: u64,
    wavefronts: [Wavefront<R>; 2],
}

/// Meeting within the first overlapping pair, or between it and the preceding pair.
fn among<R: WavefrontRecurrence, S: Symbol>(
    sides: &[Side<'_, S>; 2],
    mut pairs: Vec<WavefrontPair<R>>,
) -> Option<Meeting> {
    let table = TableSize {
        rows: sides[0].a.len() as i64,
        cols: sides[0].b.len() as i64,
    };
    let overlaps =
        |(index, pair): (usize, &WavefrontPair<R>)| Some((index, table.near(&pair.wavefronts)?));
    let (index, diagonals) = pairs.iter().enumerate().find_map(overlaps)?;
    let last = pairs[index].distance;
    let WavefrontPair {
        distance: first,
        wavefronts: [ahead, back],
    } = pairs.swap_remove(index.saturating_sub(1));
    // At a distance smaller by one, an overlap is on the same diagonals or their neighbours.
    let diagonals = diagonals.start() - 1..=diagonals.end() + 1;
    let back_diagonals = diagonals.start() - table.skew()..=diagonals.end() - table.skew();
    let mut ahead = Corridor::new(&sides[0], diagonals, ahead, first..=last + 1);
    let mut back = Corridor::new(&sides[1], back_diagonals, back, first..=last + 1);
    let mut before = None;
    for sum in 2 * first + 1..=2 * last + 1 {
        match sum % 2 {
            1 => before = Some(ahead.step()),
            _ => _ = back.step(),
        }
        if let Some(diagonal) = table.lowest(&ahead.now, &back.now) {
            let cell = table.cell(diagonal, &ahead.now, before.as_ref(), &back.now)?;
            let from_end = (
                (table.cols - cell.1) as usize,
                (table.rows - cell.0) as usize,
            );
            let cells = [(cell.0 as usize, cell.1 as usize), from_end];
            return Some(Meeting {
                cells,
                distances: [sum.div_ceil(2), sum / 2],
            });
        }
    }
    None
}

/// Wavefronts of one direction, restricted to the diagonals that the last distance depends on.
struct Corridor<'a, S, R> {
    side: &'a Side<'a, S>,
    diagonals: RangeInclusive<i64>,
    now: Wavefront<R>,
    left: i64,
}

impl<'a, S: Symbol, R: WavefrontRecurrence> Corridor<'a, S, R> {
    fn new(
        side: &'a Side<'a, S>,
        diagonals: RangeInclusive<i64>,
        mut now: Wavefront<R>,
        distances: RangeInclusive<u64>,
    ) -> Self {
        let left = (distances.end() - distances.start()) as i64;
        // One extra diagonal on either side, since every second one may have no point.
        now.narrow(diagonals.start() - left - 1..=diagonals.end() + left + 1);
        Self {
            side,
            diagonals,
            now,
            left,
        }
    }

    /// Advances to the next wavefront and returns the previous one.
    fn step(&mut self) -> Wavefront<R> {
        self.left -= 1;
        let Side { a, b, .. } = *self.side;
        let all = self.now.next_diagonals(a.len() as i64, b.len() as i64);
        let aligned =
            |diagonal: i64| diagonal - (diagonal - all.start()).rem_euclid(R::DIAGONAL_STEP);
        let low = aligned((*all.start()).max(self.diagonals.start() - self.left));
        let high = aligned((*all.end()).min(self.diagonals.end() + self.left));
        let next = self.now.next(low..=high, a, b);
        std::mem::replace(&mut self.now, next)
    }
}

/// Table dimensions, with diagonals numbered as in the forward direction.
#[derive(Clone, Copy)]
struct TableSize {
    rows: i64,
    cols: i64,
}

impl TableSize {
    /// Offset from the backward to the forward number of a diagonal.
    fn skew(self) -> i64 {
        self.rows - self.cols
    }

    /// First and last diagonal on which two wavefronts overlap. If their parities differ, those
    /// that can overlap after one more step.
    fn near<R: WavefrontRecurrence>(
        self,
        [ahead, back]: &[Wavefront<R>; 2],
    ) -> Option<RangeInclusive<i64>> {
        let (low, high) = ahead.diagonals();
        let apart = (low - self.skew() - back.low).rem_euclid(R::DIAGONAL_STEP) != 0;
        let overlaps = |&diagonal: &i64| {
            if apart {
                let column = ahead.reach(diagonal).map(|row| row as i64 - diagonal);
                let gets = |diagonal: i64, more: i64| {
                    let reached = back.reach(diagonal - self.skew()).map(|row| row as i64);
                    column
                        .zip(reached)
                        .is_some_and(|(column, reached)| column + more + reached >= self.cols)
                };
                gets(diagonal - 1, 1) || gets(diagonal + 1, 0)
            } else {
                self.overlap(diagonal, ahead, back).is_some()
            }
        };
        let first = (low..=high)
            .step_by(R::DIAGONAL_STEP as usize)
            .find(overlaps)?;
        let mut from_last = (0..=high - first)
            .step_by(R::DIAGONAL_STEP as usize)
            .map(|behind| high - behind);
        Some(first..=from_last.find(overlaps)?)
    }

    fn lowest<R: WavefrontRecurrence>(
        self,
        ahead: &Wavefront<R>,
        back: &Wavefront<R>,
    ) -> Option<i64> {
        let (low, high) = ahead.diagonals();
        if (low - self.skew() - back.low).rem_euclid(R::DIAGONAL_STEP) != 0 {
            return None;
        }
        (low..=high)
            .step_by(R::DIAGONAL_STEP as usize)
            .find(|&diagonal| self.overlap(diagonal, ahead, back).is_some())
    }

    fn overlap<R: WavefrontRecurrence>(
        self,
        diagonal: i64,
        ahead: &Wavefront<R>,
        back: &Wavefront<R>,
    ) -> Option<RangeInclusive<i64>> {
        let last = ahead.reach(diagonal)? as i64;
        let first = self.cols - back.reach(diagonal - self.skew())? as i64 + diagonal;
        let first = first.max(diagonal).max(0);
        let last = last.min(self.rows).min(self.cols + diagonal);
        (first <= last).then_some(first..=last)
    }

    /// Cell of the canonical path on an overlapping diagonal: the last row entered from above out
    /// of the preceding wavefront.
    fn cell<R: WavefrontRecurrence>(
        self,
        diagonal: i64,
        ahead: &Wavefront<R>,
        before: Option<&Wavefront<R>>,
        back: &Wavefront<R>,
    ) -> Option<(i64, i64)> {
        let overlap = self.overlap(diagonal, ahead, back)?;
        let from_above = before
            .and_then(|before| before.reach(diagonal - 1))
            .map_or(-1, |row| row as i64 + 1);
        let row = from_above.clamp(*overlap.start(), *overlap.end());
        Some((row, row - diagonal))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit_distance::wavefront::Levenshtein;
    use crate::lcs::wavefront::Indel;
    use crate::sequences::blocks::{Block, Blocks};
    use crate::sequences::diagonal_transition::cases::{NO_LIMIT, for_each};
    use crate::sequences::diagonal_transition::walk::{Walk, Wavefronts};
    use crate::sequences::diagonal_transition::{SearchOutcome, search};
    use crate::sequences::pair::Pair;

    fn wavefronts<R: WavefrontRecurrence>(
        Pair { a, b }: Pair<'_, u32>,
        last: u64,
    ) -> Vec<Wavefront<R>> {
        let mut all = vec![Wavefront::<R>::first(a, b)];
        for _ in 0..last {
            let now = &all[all.len() - 1];
            all.push(now.next(now.next_diagonals(a.len() as i64, b.len() as i64), a, b));
        }
        all
    }

    fn walked<R: WavefrontRecurrence>(
        pair: Pair<'_, u32>,
        i: usize,
        j: usize,
        distance: u64,
    ) -> Blocks {
        let mut kept = Wavefronts::from(0);
        wavefronts::<R>(pair, distance)
            .iter()
            .for_each(|wavefront| kept.push(wavefront));
        let mut walk = Walk::from(i, j, distance);
        walk.through(&kept, pair.a, pair.b);
        walk.blocks()
    }

    fn check<R: WavefrontRecurrence>(a: &[u32], b: &[u32]) {
        let Ok(SearchOutcome::Distance {
            distance,
            path: Some(path),
            ..
        }) = search::<R, _>(Pair { a, b }, true, NO_LIMIT, &Default::default())
        else {
            panic!("nothing limits it")
        };
        if distance == 0 {
            return;
        }
        let [b_back, a_back] = [b, a].map(|codes| codes.iter().rev().copied().collect::<Vec<_>>());
        let side = |a, b| Side {
            a,
            b,
            kept: &[],
            slid: 0,
        };
        let sides = [side(a, b), side(&b_back, &a_back)];
        let each = [0, 1]
            .map(|side| wavefronts::<R>(Pair::new(sides[side].a, sides[side].b), distance + 8));
        for every in [1, 2, 8] {
            let pair = |distance: u64| {
                let wavefronts = [0, 1].map(|side: usize| each[side][distance as usize].clone());
                WavefrontPair {
                    distance,
                    wavefronts,
                }
            };
            let pairs = (0..distance + 8).step_by(every).map(pair).collect();
            let meeting = among::<R, _>(&sides, pairs).expect("they meet");
            assert_eq!(
                meeting.distances,
                [distance.div_ceil(2), distance / 2],
                "{a:?} {b:?} every {every}"
            );
            let [ahead, back] = [0, 1].map(|side| {
                let Meeting { cells, distances } = meeting;
                let (pair, (i, j)) = (Pair::new(sides[side].a, sides[side].b), cells[side]);
                walked::<R>(pair, i, j, distances[side])
            });
            let mut found = ahead;
            for run in back.as_slice().iter().rev() {
                found.push(Block {
                    a: a.len() - (run.b + run.len),
                    b: b.len() - (run.a + run.len),
                    len: run.len,
                });
            }
            assert_eq!(found, path, "{a:?} {b:?} every {every}: {meeting:?}");
        }
    }

    #[test]
    fn meeting_is_at_the_distance_on_the_canonical_path() {
        for_each(|a, b| {
            check::<Levenshtein>(a, b);
            check::<Indel>(a, b);
        });
    }
}
