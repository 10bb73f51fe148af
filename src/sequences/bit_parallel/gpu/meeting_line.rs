//! Result of a sweep from its final state: at the last column, or on the line where two directions
//! meet.
//!
//! The meeting line goes from the upper right of the table to the lower left, down the last columns
//! of strips and along their last rows. Every path from the first cell to the last crosses it.

use std::ops::Range;

use super::plan::Sweep;
use super::tiling::Tiling;
use crate::backend::Span;
use crate::host::parallel::map_ranges;
use crate::host::simd;
use crate::sequences::bit_parallel::midpoint::{MidpointSearch, reversed};
use crate::sequences::bit_parallel::recurrence::{Column, Recurrence, growth};
use crate::sequences::bit_parallel::trace::pack_rows;

#[derive(Clone, Copy, Debug)]
pub(super) struct SweepResult {
    /// Values of both directions' parts up to the midpoint.
    pub values: [i64; 2],
    /// Cell where the canonical path crosses from the first direction's part to the second's; the
    /// last cell without a second direction.
    pub midpoint: (usize, usize),
}

impl SweepResult {
    pub(super) fn value(&self) -> i64 {
        self.values.iter().sum()
    }
}

pub(super) fn spans(tiling: &Tiling, sweep: &Sweep) -> Vec<Span> {
    let mut spans = vec![Span {
        buffer: sweep.state,
        first: 0,
        words: tiling.state_words(),
    }];
    if tiling.directions > 1 {
        spans.push(Span {
            buffer: sweep.above,
            first: 0,
            words: tiling.above_words(),
        });
    }
    spans
}

/// Result of a sweep, from the words of its [`spans`].
pub(super) fn decode<R: Recurrence>(words: &[u32], tiling: &Tiling) -> SweepResult {
    let (state, above) = words.split_at(tiling.state_words() as usize);
    let before = Side::new(tiling, 0, state, above);
    if tiling.first_meeting(0) == tiling.table_strips() {
        let midpoint = (tiling.shape.rows as usize, tiling.shape.cols as usize);
        return SweepResult {
            values: [before.first::<R>(), 0],
            midpoint,
        };
    }
    let behind = Side::new(tiling, 1, state, above);
    let pieces: Vec<_> = before.pieces().collect();
    let meet = |places: Range<usize>| {
        simd::with_bits(
            #[inline(always)]
            || meet::<R>(&before, &behind, &pieces[places]),
        )
    };
    let met = map_ranges(pieces.len(), before.strips_of_a_task(), meet);
    let met = met
        .into_iter()
        .fold(MidpointSearch::default(), MidpointSearch::then)
        .best();
    SweepResult {
        values: [
            before.first::<R>() + R::GAIN * met.before,
            behind.first::<R>() + R::GAIN * met.behind,
        ],
        midpoint: before.place(met.steps as u64),
    }
}

/// Midpoint search along pieces of the meeting line. The second direction sees them from the other
/// end.
#[inline(always)]
fn meet<R: Recurrence>(before: &Side<'_>, behind: &Side<'_>, pieces: &[Piece]) -> MidpointSearch {
    let tiling = before.tiling;
    let mut midpoint = MidpointSearch::default();
    for piece in pieces {
        match piece {
            Piece::Down(strip) => {
                let mirrored = tiling.table_strips() - 1 - strip;
                for ((gains, rows), (lost, _)) in before
                    .down::<R>(*strip)
                    .zip(behind.down::<R>(mirrored).rev())
                {
                    midpoint.push(gains, reversed(lost, rows), rows);
                }
            }
            Piece::Back(words) => {
                let in_a_push = u64::from(u64::BITS / tiling.columns);
                let mut end = words.end;
                while end > words.start {
                    let some = end.saturating_sub(in_a_push).max(words.start)..end;
                    end = some.start;
                    let mirrored =
                        tiling.table_words() - some.end..tiling.table_words() - some.start;
                    let columns = (some.end - some.start) as usize * tiling.columns as usize;
                    midpoint.push(
                        reversed(before.back::<R>(some), columns),
                        behind.back::<R>(mirrored),
                        columns,
                    );
                }
            }
        }
    }
    midpoint
}

/// Last column of a full table swept in one direction, from the words of its [`spans`].
pub(super) fn last_column(words: &[u32], tiling: &Tiling) -> Column {
    let side = Side::new(tiling, 0, words, &[]);
    let in_strip = u64::from(tiling.lanes * tiling.limbs);
    Column([0, 1].map(|vector: usize| {
        let limbs =
            (0..tiling.strips()).flat_map(|strip| (0..in_strip).map(move |limb| (strip, limb)));
        pack_rows(
            limbs.map(|(strip, limb)| side.limb(strip, limb)[vector]),
            tiling.limb_rows,
        )
    }))
}

/// A piece of the meeting line, which starts at its upper right end.
#[derive(Clone, Debug)]
enum Piece {
    /// Down the rows of a strip, after its last column.
    Down(u64),
    /// Leftwards through words of the last row of a strip.
    Back(Range<u64>),
}

struct Side<'a> {
    tiling: &'a Tiling,
    direction: u32,
    /// Padding rows above the table's first.
    top: u64,
    /// `[strip][limbs and carries in flight][lane]`.
    state: &'a [u32],
    /// Carry words below the last strip, per bit.
    below: [&'a [u32]; 2],
}

impl<'a> Side<'a> {
    /// Takes the state and the carry rows of all directions.
    fn new(tiling: &'a Tiling, direction: u32, state: &'a [u32], above: &'a [u32]) -> Self {
        let (directions, state_words) = (
            tiling.directions as usize,
            state.len() / tiling.directions as usize,
        );
        let row = |bit: usize| {
            let first = (bit * directions + direction as usize) * tiling.row_length() as usize
                + tiling.lanes as usize;
            above
                .get(first..first + tiling.words() as usize)
                .unwrap_or_default()
        };
        let state = &state[direction as usize * state_words..][..state_words];
        Self {
            tiling,
            direction,
            top: tiling.top_rows(direction),
            state,
            below: [row(0), row(1)],
        }
    }

    fn pieces(&self) -> impl Iterator<Item = Piece> {
        let (tiling, direction) = (*self.tiling, self.direction);
        // Along the last row of a strip back to the end of the strip below. In a band that end may
        // be further right.
        let back = move |strip: u64| {
            let [end, below] = [strip, strip + 1].map(|strip| tiling.span(direction, strip).end);
            Piece::Back(below.min(end)..end)
        };
        let (first, strips) = (tiling.first_meeting(direction), tiling.strips_of(direction));
        let above = first.checked_sub(1).map(back);
        let strips = (first..strips).flat_map(move |strip| {
            let below = (strip + 1 < tiling.table_strips()).then(|| back(strip));
            [Some(Piece::Down(strip)), below]
        });
        above.into_iter().chain(strips.flatten())
    }

    fn steps(&self, piece: &Piece) -> u64 {
        match piece {
            Piece::Down(strip) => {
                let rows = self.rows(*strip);
                rows.end - rows.start
            }
            Piece::Back(words) => (words.end - words.start) * u64::from(self.tiling.columns),
        }
    }

    fn rows(&self, strip: u64) -> Range<u64> {
        let rows = self.tiling.strip_rows();
        let row = |row: u64| row.saturating_sub(self.top).min(self.tiling.shape.rows);
        row(strip * rows)..row((strip + 1) * rows)
    }

    fn place(&self, steps: u64) -> (usize, usize) {
        let mut place = (
            self.rows(self.tiling.first_meeting(self.direction)).start,
            self.first_columns(),
        );
        let mut left = steps;
        for piece in self.pieces() {
            let here = self.steps(&piece).min(left);
            match piece {
                Piece::Down(_) => place.0 += here,
                Piece::Back(_) => place.1 -= here,
            }
            left -= here;
        }
        (place.0 as usize, place.1 as usize)
    }

    fn first_columns(&self) -> u64 {
        self.tiling
            .columns_before(self.direction, self.tiling.longest(self.direction))
    }

    /// Value at the start of the line; without a second direction, at the end of the last row.
    fn first<R: Recurrence>(&self) -> i64 {
        let strips = self.tiling.first_meeting(self.direction) as usize;
        let growth_of = |strips: Range<usize>| {
            simd::with_bits(
                #[inline(always)]
                || {
                    let limbs = strips.flat_map(|strip| self.down::<R>(strip as u64));
                    limbs.map(|(gains, _)| growth(gains)).sum::<i64>()
                },
            )
        };
        let down: i64 = map_ranges(strips, self.strips_of_a_task(), growth_of)
            .into_iter()
            .sum();
        // Right of the columns swept in the strip above, a row has the differences of a first row.
        let along = growth(R::FIRST_ROW.map(|word| word & 1));
        self.first_columns() as i64 * along + R::GAIN * down
    }

    fn strips_of_a_task(&self) -> usize {
        TASK_LIMBS.div_ceil((self.tiling.lanes * self.tiling.limbs) as usize)
    }

    /// Growing and shrinking rows of a strip downwards, with their count, two limbs at a time.
    #[inline(always)]
    fn down<R: Recurrence>(
        &self,
        strip: u64,
    ) -> impl DoubleEndedIterator<Item = ([u64; 2], usize)> {
        let limb_rows = self.tiling.limb_rows;
        let pair_rows = u64::from(2 * limb_rows);
        let rows = self.rows(strip);
        // Rows relative to the strip.
        let place = |row| row + self.top - strip * self.tiling.strip_rows();
        let places = place(rows.start)..place(rows.end);
        (places.start / pair_rows..places.end.div_ceil(pair_rows)).map(
            #[inline(always)]
            move |pair| {
                let first = (pair * pair_rows).max(places.start);
                let count = ((pair + 1) * pair_rows).min(places.end) - first;
                let (low, high) = (
                    R::gains(self.limb(strip, 2 * pair)),
                    R::gains(self.limb(strip, 2 * pair + 1)),
                );
                let gains = [0, 1].map(|sign: usize| {
                    let rows = low[sign] & !(!0 << limb_rows) | high[sign] << limb_rows;
                    rows >> (first - pair * pair_rows) & !u64::MAX.unbounded_shl(count as u32)
                });
                (gains, count as usize)
            },
        )
    }

    /// Growing and shrinking columns of some words below the last strip, in leftward direction.
    /// Bits are in column order, at most 64.
    #[inline(always)]
    fn back<R: Recurrence>(&self, words: Range<u64>) -> [u64; 2] {
        let columns = self.tiling.columns;
        let join = |row: &[u32]| {
            let words = row
                .get(words.start as usize..words.end as usize)
                .unwrap_or_default()
                .iter()
                .rev();
            let column = u32::MAX >> (u32::BITS - columns);
            words.fold(0, |joined: u64, &word| {
                joined.unbounded_shl(columns) | u64::from(word & column)
            })
        };
        R::gains_back(self.below.map(join))
    }

    /// The vectors of a limb of a strip. Bits past its rows are unspecified.
    #[inline(always)]
    fn limb(&self, strip: u64, limb: u64) -> [u64; 2] {
        let Tiling { lanes, limbs, .. } = *self.tiling;
        let (lane, limb) = (limb as u32 / limbs, limb as u32 % limbs);
        let first = strip as usize * (self.tiling.lane_words() * lanes) as usize;
        let word = |vector: u32| {
            u64::from(self.state[first + ((vector * limbs + limb) * lanes + lane) as usize])
        };
        [0, 1].map(|vector| {
            if vector < self.tiling.shape.table.vertical() {
                word(vector)
            } else {
                0
            }
        })
    }
}

/// Limbs per parallel task.
const TASK_LIMBS: usize = 1 << 13;
