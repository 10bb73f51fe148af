//! Where both directions of a search meet: the distance, and a cell of the canonical path.
//!
//! What one direction reaches at a distance of d and the other at one of e overlaps on a diagonal where the distance of all is at most
//! d + e, so that the first sum with such a diagonal is the distance. Each of these diagonals has cells of a shortest path, and the
//! canonical path, to the right and above of which there is no other, goes along the lowest of them: where two paths change sides they have
//! a cell in common, and along a diagonal distances never fall. It has come there from above as far down as that is possible within
//! the overlap, and else where that begins.

use std::ops::RangeInclusive;

use super::side::Side;
use super::sizes::{Kept, WAVEFRONTS};
use crate::backend::Session;
use crate::error::{Error, Result};
use crate::pairwise::codes::Symbol;
use crate::pairwise::diagonal_transition::Recurrence;
use crate::pairwise::diagonal_transition::wavefront::Wavefront;

/// A cell of the canonical path, and its distance from the first cell and to the last, each as its direction has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Meeting {
    pub cells: [(usize, usize); 2],
    pub distances: [u64; 2],
}

/// The meeting of two directions whose wavefronts of the distance `met` overlap, but none of those that a device looked at before.
///
/// # Errors
/// As [`Session::read`], and [`Error::CertificateFailed`] where they do not.
pub(super) async fn find<R: Recurrence<SPACING>, S: Symbol, const SPACING: i64>(
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
    session.device.phases.lap("readback");
    let mut words = words.words();
    let mut wavefront = |kept: &Kept, side: &Side<'_, S>| {
        let (own, rest) = words.split_at((kept.indices.end - kept.indices.start) as usize);
        words = rest;
        kept.wavefront::<SPACING>(&kept.indices, own, side.slid)
    };
    let pairs = pairs().map(|(ahead, back)| {
        let wavefronts = [wavefront(ahead, &sides[0]), wavefront(back, &sides[1])];
        Pair {
            distance: ahead.distance,
            wavefronts,
        }
    });
    let meeting = among::<R, S, SPACING>(sides, pairs.collect());
    session.device.phases.lap("meet");
    meeting.ok_or_else(|| {
        Error::CertificateFailed(format!("wavefronts of the distance {met} do not meet"))
    })
}

/// The wavefronts of both directions at a distance.
struct Pair<const SPACING: i64> {
    distance: u64,
    wavefronts: [Wavefront<SPACING>; 2],
}

/// The meeting of the first of these pairs that overlap, and of those between them and the pair before.
fn among<R: Recurrence<SPACING>, S: Symbol, const SPACING: i64>(
    sides: &[Side<'_, S>; 2],
    mut pairs: Vec<Pair<SPACING>>,
) -> Option<Meeting> {
    let table = Table {
        rows: sides[0].a.len() as i64,
        cols: sides[0].b.len() as i64,
    };
    let overlaps =
        |(place, pair): (usize, &Pair<SPACING>)| Some((place, table.near(&pair.wavefronts)?));
    let (place, diagonals) = pairs.iter().enumerate().find_map(overlaps)?;
    let last = pairs[place].distance;
    let Pair {
        distance: first,
        wavefronts: [ahead, back],
    } = pairs.swap_remove(place.saturating_sub(1));
    // At distances that are less by one, what overlaps does so on the same diagonals or beside them.
    let diagonals = diagonals.start() - 1..=diagonals.end() + 1;
    let back_diagonals = diagonals.start() - table.skew()..=diagonals.end() - table.skew();
    let mut ahead = Corridor::new(&sides[0], diagonals, ahead, first..=last + 1);
    let mut back = Corridor::new(&sides[1], back_diagonals, back, first..=last + 1);
    let mut before = None;
    for sum in 2 * first + 1..=2 * last + 1 {
        match sum % 2 {
            1 => before = Some(ahead.step::<R>()),
            _ => _ = back.step::<R>(),
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

/// Wavefronts of one direction on the diagonals that those of a last distance on a few of them depend on.
struct Corridor<'a, S, const SPACING: i64> {
    side: &'a Side<'a, S>,
    diagonals: RangeInclusive<i64>,
    now: Wavefront<SPACING>,
    /// Distances from the wavefront to the last.
    left: i64,
}

impl<'a, S: Symbol, const SPACING: i64> Corridor<'a, S, SPACING> {
    fn new(
        side: &'a Side<'a, S>,
        diagonals: RangeInclusive<i64>,
        mut now: Wavefront<SPACING>,
        distances: RangeInclusive<u64>,
    ) -> Self {
        let left = (distances.end() - distances.start()) as i64;
        // One more on either side, since every second one may have no point.
        now.narrow(diagonals.start() - left - 1..=diagonals.end() + left + 1);
        Self {
            side,
            diagonals,
            now,
            left,
        }
    }

    /// Goes to the next wavefront; the one before.
    fn step<R: Recurrence<SPACING>>(&mut self) -> Wavefront<SPACING> {
        self.left -= 1;
        let Side { a, b, .. } = *self.side;
        let all = self.now.next_diagonals(a.len() as i64, b.len() as i64);
        let aligned = |diagonal: i64| diagonal - (diagonal - all.start()).rem_euclid(SPACING);
        let low = aligned((*all.start()).max(self.diagonals.start() - self.left));
        let high = aligned((*all.end()).min(self.diagonals.end() + self.left));
        let next = self.now.next::<R, S>(low..=high, a, b);
        std::mem::replace(&mut self.now, next)
    }
}

/// A table, whose diagonals are those of the forward direction.
#[derive(Clone, Copy)]
struct Table {
    rows: i64,
    cols: i64,
}

impl Table {
    /// How much greater a diagonal is than what the other direction has in its place.
    fn skew(self) -> i64 {
        self.rows - self.cols
    }

    /// Diagonals on which two wavefronts overlap, or, where no diagonal has points of both, can after a step of either: the first and the
    /// last.
    fn near<const SPACING: i64>(
        self,
        [ahead, back]: &[Wavefront<SPACING>; 2],
    ) -> Option<RangeInclusive<i64>> {
        let (low, high) = ahead.diagonals();
        let apart = (low - self.skew() - back.low).rem_euclid(SPACING) != 0;
        let overlaps = |&diagonal: &i64| match apart {
            false => self.overlap(diagonal, ahead, back).is_some(),
            true => {
                let column = ahead.reach(diagonal).map(|row| row as i64 - diagonal);
                let gets = |diagonal: i64, more: i64| {
                    let reached = back.reach(diagonal - self.skew()).map(|row| row as i64);
                    column
                        .zip(reached)
                        .is_some_and(|(column, reached)| column + more + reached >= self.cols)
                };
                gets(diagonal - 1, 1) || gets(diagonal + 1, 0)
            }
        };
        let first = (low..=high).step_by(SPACING as usize).find(overlaps)?;
        let mut from_last = (0..=high - first)
            .step_by(SPACING as usize)
            .map(|behind| high - behind);
        Some(first..=from_last.find(overlaps)?)
    }

    /// The lowest diagonal on which two wavefronts overlap.
    fn lowest<const SPACING: i64>(
        self,
        ahead: &Wavefront<SPACING>,
        back: &Wavefront<SPACING>,
    ) -> Option<i64> {
        let (low, high) = ahead.diagonals();
        if (low - self.skew() - back.low).rem_euclid(SPACING) != 0 {
            return None;
        }
        (low..=high)
            .step_by(SPACING as usize)
            .find(|&diagonal| self.overlap(diagonal, ahead, back).is_some())
    }

    /// The rows of a diagonal that both wavefronts reach, where there are any.
    fn overlap<const SPACING: i64>(
        self,
        diagonal: i64,
        ahead: &Wavefront<SPACING>,
        back: &Wavefront<SPACING>,
    ) -> Option<RangeInclusive<i64>> {
        let last = ahead.reach(diagonal)? as i64;
        let first = self.cols - back.reach(diagonal - self.skew())? as i64 + diagonal;
        let first = first.max(diagonal).max(0);
        let last = last.min(self.rows).min(self.cols + diagonal);
        (first <= last).then_some(first..=last)
    }

    /// The cell of the canonical path on a diagonal of the overlap: the last that comes from above, by the wavefront before.
    fn cell<const SPACING: i64>(
        self,
        diagonal: i64,
        ahead: &Wavefront<SPACING>,
        before: Option<&Wavefront<SPACING>>,
        back: &Wavefront<SPACING>,
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
    use crate::pairwise::blocks::{Block, Blocks};
    use crate::pairwise::diagonal_transition::cases::{NO_LIMIT, for_each};
    use crate::pairwise::diagonal_transition::walk::{Walk, Wavefronts};
    use crate::pairwise::diagonal_transition::{Found, search};

    /// All wavefronts of a direction up to a distance.
    fn wavefronts<R: Recurrence<SPACING>, const SPACING: i64>(
        (a, b): (&[u32], &[u32]),
        last: u64,
    ) -> Vec<Wavefront<SPACING>> {
        let mut all = vec![Wavefront::<SPACING>::first(a, b)];
        for _ in 0..last {
            let now = &all[all.len() - 1];
            all.push(now.next::<R, u32>(now.next_diagonals(a.len() as i64, b.len() as i64), a, b));
        }
        all
    }

    /// The path from a cell to the first one.
    fn walked<R: Recurrence<SPACING>, const SPACING: i64>(
        sides: (&[u32], &[u32]),
        cell: (usize, usize),
        distance: u64,
    ) -> Blocks {
        let mut kept = Wavefronts::from(0);
        wavefronts::<R, SPACING>(sides, distance)
            .iter()
            .for_each(|wavefront| kept.push(wavefront));
        let mut walk = Walk::from(cell, distance);
        walk.through(&kept, sides.0, sides.1);
        walk.blocks()
    }

    fn check<R: Recurrence<SPACING>, const SPACING: i64>(a: &[u32], b: &[u32]) {
        let Ok(Found::Distance {
            distance,
            path: Some(path),
            ..
        }) = search::<R, _, SPACING>((a, b), true, NO_LIMIT, &Default::default())
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
            .map(|side| wavefronts::<R, SPACING>((sides[side].a, sides[side].b), distance + 8));
        for every in [1, 2, 8] {
            let pair = |distance: u64| {
                let wavefronts = [0, 1].map(|side: usize| each[side][distance as usize].clone());
                Pair {
                    distance,
                    wavefronts,
                }
            };
            let pairs = (0..distance + 8).step_by(every).map(pair).collect();
            let meeting = among::<R, _, SPACING>(&sides, pairs).expect("they meet");
            assert_eq!(
                meeting.distances,
                [distance.div_ceil(2), distance / 2],
                "{a:?} {b:?} every {every}"
            );
            let [ahead, back] = [0, 1].map(|side| {
                let Meeting { cells, distances } = meeting;
                walked::<R, SPACING>((sides[side].a, sides[side].b), cells[side], distances[side])
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
    fn both_directions_meet_at_the_distance_and_on_the_canonical_path() {
        for_each(|a, b| {
            check::<Levenshtein, 1>(a, b);
            check::<Indel, 2>(a, b);
        });
    }
}
