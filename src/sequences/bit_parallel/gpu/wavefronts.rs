//! Schedule of strips and column words by step.
//!
//! Strip s of a direction processes its word w from step `s * lag + w` on, and its last lane is the
//! last to do so. With two directions the second one sweeps the table from its last cell: its strip
//! s is strip `strips - 1 - s` of the first direction, and its word w is `words - 1 - w`. They meet
//! on a line that every strip reaches at about the same step.

use std::ops::Range;

use super::tiling::Tiling;
use crate::sequences::bit_parallel::band::Band;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wavefront {
    pub first: u64,
    /// Last strip, inclusive.
    pub last: u64,
}

impl Tiling {
    /// Strips of the full table, at least 1.
    pub fn table_strips(&self) -> u64 {
        self.shape.rows.div_ceil(self.strip_rows()).max(1)
    }

    /// Column words of the full table, at least 1.
    pub fn table_words(&self) -> u64 {
        self.shape.cols.div_ceil(u64::from(self.columns)).max(1)
    }

    /// Padding columns of code 0 before a direction's first column. They make the first direction's
    /// columns end with a word, and align the words of both directions.
    pub fn front_columns(&self, direction: u32) -> u64 {
        let padded = self.table_words() * u64::from(self.columns);
        if direction == 0 {
            padded - self.shape.cols
        } else {
            0
        }
    }

    /// Padding rows above a direction's first row. They align the strips of both directions.
    pub fn top_rows(&self, direction: u32) -> u64 {
        let padded = self.table_strips() * self.strip_rows();
        if direction == 0 {
            0
        } else {
            padded - self.shape.rows
        }
    }

    pub fn columns_before(&self, direction: u32, word: u64) -> u64 {
        (word * u64::from(self.columns))
            .saturating_sub(self.front_columns(direction))
            .min(self.shape.cols)
    }

    /// Steps by which a strip lags behind the one above it: the minimum that lets a pass overwrite
    /// carries in place.
    pub fn lag(&self) -> u64 {
        u64::from(self.steps + self.lanes - 1)
    }

    fn words_in_band(&self, strip: u64) -> Range<u64> {
        let words = self.table_words();
        if self.shape.band == Band::WHOLE {
            return 0..words;
        }
        let first_row = strip * self.strip_rows();
        let columns = self
            .shape
            .band
            .columns(&(first_row..first_row + self.strip_rows()), self.shape.cols);
        let word = |column: u64| (column + self.front_columns(0)) / u64::from(self.columns);
        word(columns.start).min(words - 1)..(word(columns.end) + 1).min(words)
    }

    /// End of the words of a strip that the first direction sweeps.
    fn meeting(&self, strip: u64) -> u64 {
        let words = self.words_in_band(strip);
        if self.directions == 1 {
            return words.end;
        }
        // The first word has padding columns, which the second direction cannot sweep.
        self.least_steps()
            .saturating_sub(strip * self.lag())
            .clamp(words.start.max(1), words.end)
    }

    /// Minimum steps to sweep the full table. With two directions, the first lane of each strip
    /// reaches the meeting line at that step: its steps from both sides add up to the total.
    pub(super) fn least_steps(&self) -> u64 {
        (self.table_words() + (self.table_strips() - 1) * self.lag())
            .div_ceil(u64::from(self.directions))
    }

    /// Column words that a direction sweeps in a strip. Empty for its last strips.
    pub fn span(&self, direction: u32, strip: u64) -> Range<u64> {
        if direction == 0 {
            return self.words_in_band(strip).start..self.meeting(strip);
        }
        let (mirrored, words) = (self.table_strips() - 1 - strip, self.table_words());
        words - self.words_in_band(mirrored).end..words - self.meeting(mirrored)
    }

    /// Whether strips differ in the words that they sweep.
    pub fn has_spans(&self) -> bool {
        self.directions > 1 || self.shape.band != Band::WHOLE
    }

    /// Words of the buffer with the span of every strip; 0 if all spans are equal.
    pub fn span_words(&self) -> u64 {
        if self.has_spans() {
            2 * u64::from(self.directions) * self.strips()
        } else {
            0
        }
    }

    pub fn strips_of(&self, direction: u32) -> u64 {
        let (mut strips, mut beyond) = (0, self.table_strips());
        if !self.span(direction, beyond - 1).is_empty() {
            return beyond;
        }
        while strips < beyond {
            let middle = strips.midpoint(beyond);
            if self.span(direction, middle).is_empty() {
                beyond = middle
            } else {
                strips = middle + 1
            }
        }
        strips
    }

    /// Maximum strips over all directions, at least 1.
    pub fn strips(&self) -> u64 {
        (0..self.directions)
            .map(|direction| self.strips_of(direction))
            .max()
            .unwrap_or(0)
            .max(1)
    }

    pub fn first_meeting(&self, direction: u32) -> u64 {
        let met = if self.directions == 1 {
            0
        } else {
            self.strips_of(1 - direction)
        };
        self.table_strips() - met
    }

    pub fn longest(&self, direction: u32) -> u64 {
        // Up to the first meeting, the strips of a band end further and further right; after it,
        // further and further left.
        let first = self.first_meeting(direction);
        let around = first.saturating_sub(1)..(first + 1).min(self.table_strips());
        around
            .map(|strip| self.span(direction, strip).end)
            .max()
            .unwrap_or(0)
    }

    /// Maximum column words over all directions, at least 1.
    pub fn words(&self) -> u64 {
        (0..self.directions)
            .map(|direction| self.longest(direction))
            .max()
            .unwrap_or(0)
            .max(1)
    }

    fn max_words(&self) -> u64 {
        let diagonals =
            self.shape
                .band
                .width(self.shape.rows as usize, self.shape.cols as usize) as u64;
        let columns = diagonals.saturating_add(self.strip_rows());
        self.table_words()
            .min(columns / u64::from(self.columns) + 2)
    }

    /// Steps from the first lane's first word to the last lane's last, in the longest strip of a
    /// direction.
    pub fn strip_steps(&self) -> u64 {
        self.max_words().min(self.words()) + u64::from(self.lanes) - 1
    }

    /// [`strip_steps`](Self::strip_steps) of a strip of average length.
    pub fn mean_strip_steps(&self) -> u64 {
        let words =
            self.max_words() * self.table_strips() / (u64::from(self.directions) * self.strips());
        words + u64::from(self.lanes) - 1
    }

    /// Steps of a strip, counted from the first step of all strips. Strips start and end one after
    /// the other.
    fn steps_of(&self, direction: u32, strip: u64) -> Range<u64> {
        let (span, before) = (self.span(direction, strip), strip * self.lag());
        let drained = if span.is_empty() {
            0
        } else {
            u64::from(self.lanes) - 1
        };
        before + span.start..before + span.end + drained
    }

    pub fn passes(&self) -> u64 {
        let ends = (0..self.directions).map(|direction| match self.strips_of(direction) {
            0 => 0,
            strips => self.steps_of(direction, strips - 1).end,
        });
        ends.max().unwrap_or(0).div_ceil(u64::from(self.steps))
    }

    /// Strips that each pass advances in any direction; empty if `first > last`.
    pub fn wavefronts(&self) -> impl Iterator<Item = Wavefront> {
        let mut cursors: Vec<_> = (0..self.directions)
            .map(|direction| Cursor::new(self, direction))
            .collect();
        let (tiling, pass_steps) = (*self, u64::from(self.steps));
        (0..self.passes()).map(move |pass| {
            let steps = pass * pass_steps..(pass + 1) * pass_steps;
            let wavefronts = cursors
                .iter_mut()
                .map(|cursor| cursor.advance(&tiling, &steps));
            let both = |x: Wavefront, y: Wavefront| Wavefront {
                first: x.first.min(y.first),
                last: x.last.max(y.last),
            };
            wavefronts
                .reduce(both)
                .unwrap_or(Wavefront { first: 1, last: 0 })
        })
    }
}

struct Cursor {
    direction: u32,
    strips: u64,
    max_strips: u64,
    wavefront: Wavefront,
    first_ends: u64,
    next_starts: u64,
}

impl Cursor {
    fn new(tiling: &Tiling, direction: u32) -> Self {
        let (strips, max_strips) = (tiling.strips_of(direction), tiling.strips());
        let wavefront = Wavefront { first: 0, last: 0 };
        let mut cursor = Self {
            direction,
            strips,
            max_strips,
            wavefront,
            first_ends: 0,
            next_starts: 0,
        };
        (cursor.first_ends, cursor.next_starts) =
            (cursor.first_ends(tiling), cursor.next_starts(tiling));
        cursor
    }

    fn steps(&self, tiling: &Tiling, strip: u64) -> Option<Range<u64>> {
        (strip < self.strips).then(|| tiling.steps_of(self.direction, strip))
    }

    fn first_ends(&self, tiling: &Tiling) -> u64 {
        self.steps(tiling, self.wavefront.first)
            .map_or(u64::MAX, |steps| steps.end)
    }

    fn next_starts(&self, tiling: &Tiling) -> u64 {
        self.steps(tiling, self.wavefront.last + 1)
            .map_or(u64::MAX, |steps| steps.start)
    }

    /// Strips in flight at one of these steps, which must be later than those of the previous call.
    fn advance(&mut self, tiling: &Tiling, steps: &Range<u64>) -> Wavefront {
        while self.first_ends <= steps.start {
            self.wavefront.first += 1;
            self.first_ends = self.first_ends(tiling);
        }
        while self.next_starts < steps.end {
            self.wavefront.last += 1;
            self.next_starts = self.next_starts(tiling);
        }
        let done = self.wavefront.first >= self.strips;
        Wavefront {
            first: if done {
                self.max_strips
            } else {
                self.wavefront.first
            },
            ..self.wavefront
        }
    }
}
