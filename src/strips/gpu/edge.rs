//! Where a sweep ends, read back from the device: at the last column, or where two directions meet.
//!
//! Directions meet on a line from the table's upper right to its lower left, down the last columns of strips and along their
//! last rows, and every path from the first cell to the last crosses it.

use std::ops::Range;

use super::plan::Sweep;
use super::tiling::{LIMB_ROWS, Tiling};
use crate::backend::Span;
use crate::strips::bits::Bits;
use crate::strips::line::{Line, crossing};
use crate::strips::recurrence::{Column, Recurrence, growth};

/// What a sweep found.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Found {
    /// The last value of the table, or of what its band leaves of it.
    pub value: i64,
    /// Rows and columns before the cell where the canonical path goes from the first direction's part to the second's; the
    /// whole table where that has none.
    pub crossing: (usize, usize),
}

/// What is to be read of a finished sweep.
pub(super) fn spans(tiling: &Tiling, sweep: &Sweep) -> Vec<Span> {
    let mut spans = vec![Span { buffer: sweep.state, first: 0, words: tiling.state_words() }];
    if tiling.directions > 1 {
        spans.push(Span { buffer: sweep.above, first: 0, words: tiling.above_words() });
    }
    spans
}

/// What a sweep found, from the words of its [`spans`].
pub(super) fn found<R: Recurrence>(words: &[u32], tiling: &Tiling) -> Found {
    let (state, above) = words.split_at(tiling.state_words() as usize);
    let before = Side::new(tiling, 0, state, above);
    if tiling.first_meeting(0) == tiling.table_strips() {
        let crossing = (tiling.shape.rows as usize, tiling.shape.cols as usize);
        return Found { value: before.first::<R>(), crossing };
    }
    let behind = Side::new(tiling, 1, state, above);
    let (ahead, back) = rayon::join(|| before.line::<R>(), || behind.line::<R>());
    let (step, gain) = crossing(&ahead, &back);
    let value = before.first::<R>() + behind.first::<R>() + R::GAIN * gain;
    Found { value, crossing: before.place(step as u64) }
}

/// The last column of a whole table that is swept in one direction, from the words of its [`spans`].
pub(super) fn last_column(words: &[u32], tiling: &Tiling) -> Column {
    let side = Side::new(tiling, 0, words, &[]);
    let mut vectors = [Bits::default(), Bits::default()];
    for strip in 0..tiling.strips() {
        for limb in 0..u64::from(tiling.lanes * tiling.limbs) {
            let words = side.limb(strip, limb);
            let rows = words.map(|word| word & !(!0 << LIMB_ROWS));
            vectors.iter_mut().zip(rows).for_each(|(bits, word)| bits.push(word, LIMB_ROWS as usize));
        }
    }
    Column(vectors.map(Bits::into_words))
}

/// A piece of the line where directions meet, from its upper right end on.
#[derive(Clone, Debug)]
enum Piece {
    /// Down the rows of a strip, behind its last column.
    Down(u64),
    /// Back through words of the last row of a strip.
    Back(Range<u64>),
}

/// What one direction has swept.
struct Side<'a> {
    tiling: &'a Tiling,
    direction: u32,
    /// Rows above the table's first.
    top: u64,
    /// `[strip][limbs and carries in flight][lane]`.
    state: &'a [u32],
    /// By bit: the carry words below the last strip.
    below: [&'a [u32]; 2],
}

impl<'a> Side<'a> {
    /// Takes the state and the carry rows of all directions.
    fn new(tiling: &'a Tiling, direction: u32, state: &'a [u32], above: &'a [u32]) -> Self {
        let (directions, state_words) = (tiling.directions as usize, state.len() / tiling.directions as usize);
        let row = |bit: usize| {
            let first = (bit * directions + direction as usize) * tiling.row_length() as usize + tiling.lanes as usize;
            above.get(first..first + tiling.words() as usize).unwrap_or_default()
        };
        let state = &state[direction as usize * state_words..][..state_words];
        Self { tiling, direction, top: tiling.top_rows(direction), state, below: [row(0), row(1)] }
    }

    /// The pieces of the line that lie between strips of this direction and strips of the other.
    fn pieces(&self) -> impl Iterator<Item = Piece> {
        let (tiling, direction) = (*self.tiling, self.direction);
        // Along the last row of a strip back to where the one below ends; in a band that may lie further to the right.
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

    /// Steps of a piece.
    fn steps(&self, piece: &Piece) -> u64 {
        match piece {
            Piece::Down(strip) => {
                let rows = self.rows(*strip);
                rows.end - rows.start
            }
            Piece::Back(words) => (words.end - words.start) * u64::from(self.tiling.columns),
        }
    }

    /// Rows of a strip that the table has, from 0.
    fn rows(&self, strip: u64) -> Range<u64> {
        let rows = self.tiling.strip_rows();
        let row = |row: u64| row.saturating_sub(self.top).min(self.tiling.shape.rows);
        row(strip * rows)..row((strip + 1) * rows)
    }

    /// Rows and columns before the cell that lies so many steps along the line.
    fn place(&self, steps: u64) -> (usize, usize) {
        let mut place = (self.rows(self.tiling.first_meeting(self.direction)).start, self.first_columns());
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

    /// Columns before the cell where the line begins.
    fn first_columns(&self) -> u64 {
        self.tiling.columns_before(self.direction, self.tiling.longest(self.direction))
    }

    /// The value where the line begins, or without one at the end of the last row.
    fn first<R: Recurrence>(&self) -> i64 {
        let mut down = Line::default();
        for strip in 0..self.tiling.first_meeting(self.direction) {
            self.push_down::<R>(&mut down, strip);
        }
        // Right of what a strip above has swept, a row has the differences of a first row.
        let along = growth(R::FIRST_ROW.map(|word| word & 1));
        self.first_columns() as i64 * along + R::GAIN * down.growth()
    }

    /// The whole line.
    fn line<R: Recurrence>(&self) -> Line {
        let mut line = Line::default();
        for piece in self.pieces() {
            match piece {
                Piece::Down(strip) => self.push_down::<R>(&mut line, strip),
                Piece::Back(words) => self.push_back::<R>(&mut line, words),
            }
        }
        line
    }

    fn push_down<R: Recurrence>(&self, line: &mut Line, strip: u64) {
        let rows = self.rows(strip);
        // Places in the strip, from 0.
        let place = |row| row + self.top - strip * self.tiling.strip_rows();
        let places = place(rows.start)..place(rows.end);
        for limb in places.start / LIMB_ROWS..places.end.div_ceil(LIMB_ROWS) {
            let first = (limb * LIMB_ROWS).max(places.start);
            let count = ((limb + 1) * LIMB_ROWS).min(places.end) - first;
            let gains = R::gains(self.limb(strip, limb)).map(|word| word >> (first % LIMB_ROWS) & !(!0 << count));
            line.push(gains, count as usize);
        }
    }

    fn push_back<R: Recurrence>(&self, line: &mut Line, words: Range<u64>) {
        let columns = self.tiling.columns;
        for word in words.rev() {
            let differences = self.below.map(|row| row.get(word as usize).copied().unwrap_or_default());
            let reversed = differences.map(|word| u64::from(word.reverse_bits() >> (u32::BITS - columns)));
            line.push(R::gains_back(reversed), columns as usize);
        }
    }

    /// The vectors of a limb of a strip; what bits past its rows hold is not specified.
    fn limb(&self, strip: u64, limb: u64) -> [u64; 2] {
        let Tiling { lanes, limbs, .. } = *self.tiling;
        let (lane, limb) = (limb / u64::from(limbs), limb % u64::from(limbs));
        let word = |vector: u32| {
            let word = strip * u64::from(self.tiling.lane_words()) + u64::from(vector * limbs) + limb;
            u64::from(self.state[(word * u64::from(lanes) + lane) as usize])
        };
        [0, 1].map(|vector| if vector < self.tiling.shape.table.vertical() { word(vector) } else { 0 })
    }
}
