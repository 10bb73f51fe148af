//! Consecutive pieces of texts, swept together.
//!
//! Pieces are swept with what a place may have before or after them. Between two of them lie more
//! symbols that match nothing than a place may have edits, so that no place crosses from one to the
//! next and all values within the bound are those of the texts alone.

use std::ops::Range;
use std::sync::OnceLock;

use super::minima::End;
use super::patterns::{Classes, Probe};
use super::words::MAX_WINDOW;
use crate::call::control::Control;
use crate::error::Result;
use crate::pairs::strings::List;
use crate::sequences::bit_parallel::cpu::text::{self, Class, Text};

/// Positions of a text whose ends are found together.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) text: usize,
    pub(crate) positions: Range<usize>,
    /// True if the text ends here.
    pub(super) is_last: bool,
}

/// Texts that are cut into pieces, one after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor {
    text: usize,
    /// Position in it up to which pieces are cut.
    position: usize,
    end: usize,
}

impl Cursor {
    pub(crate) fn new(texts: Range<usize>) -> Self {
        Self {
            text: texts.start,
            position: 0,
            end: texts.end,
        }
    }

    /// The next pieces, of about `symbols` symbols; none after the last text.
    pub(crate) fn next(&mut self, texts: List<'_>, symbols: usize) -> Vec<Piece> {
        let (mut pieces, mut left) = (Vec::new(), symbols);
        while self.text < self.end && left > 0 {
            let len = texts.len_of(self.text);
            let end = len.min(self.position + left);
            pieces.push(Piece {
                text: self.text,
                positions: self.position..end,
                is_last: end == len,
            });
            // An empty text costs time as well.
            left = left.saturating_sub((end - self.position).max(1));
            (self.text, self.position) = if end == len {
                (self.text + 1, 0)
            } else {
                (self.text, end)
            };
        }
        pieces
    }
}

/// An end of a probe in a piece of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Found {
    pub(super) piece: u32,
    pub(super) probe: u32,
    pub(super) position: u64,
    pub(super) cost: u32,
}

impl Found {
    pub(super) fn end(self) -> End {
        End {
            position: self.position,
            cost: self.cost,
        }
    }
}

/// Where a piece is in the buffer.
struct Span {
    positions: Range<usize>,
    /// With the positions outside of its text on either side, if it reaches there.
    all: Range<usize>,
}

/// Pieces in one buffer of classes. [`MAX_WINDOW`] symbols that match nothing are on either side.
pub(super) struct Unit<C> {
    pub(super) pieces: Vec<Piece>,
    /// Of each piece.
    spans: Vec<Span>,
    pub(super) forward: Vec<C>,
    /// The classes of `forward` in reverse order, once they are needed.
    reversed: OnceLock<Vec<C>>,
    within: u64,
}

impl<C: Class> Unit<C> {
    /// Encodes the pieces with `margin` symbols on either side, for sweeps in the directions that the
    /// probes have, and `overhang` symbols outside of each text.
    pub(super) fn new(
        texts: List<'_>,
        pieces: Vec<Piece>,
        classes: &Classes,
        margin: usize,
        overhang: usize,
        within: u64,
        directions: [bool; 2],
    ) -> Self {
        let [is_forward, is_reversed] = directions;
        let (before, after) = (
            if is_forward { margin } else { 0 },
            if is_reversed { margin } else { 0 },
        );
        let mut forward = vec![C::of(0); MAX_WINDOW];
        let mut spans = Vec::with_capacity(pieces.len());
        for piece in &pieces {
            if !spans.is_empty() {
                forward.resize(forward.len() + within as usize + 1, C::of(0));
            }
            let text = texts.string(piece.text);
            let first = piece.positions.start.saturating_sub(before);
            let end = text.len().min(piece.positions.end + after);
            let outside = vec![C::of(classes.outside.unwrap_or(0)); overhang];
            if first == 0 {
                forward.extend(&outside);
            }
            let start = forward.len() + piece.positions.start - first;
            let positions = start..start + piece.positions.len();
            classes.append(text.part(first..end), &mut forward);
            if end == text.len() {
                forward.extend(&outside);
            }
            let before = if piece.positions.start == 0 {
                overhang
            } else {
                0
            };
            let after = if piece.is_last { overhang } else { 0 };
            let all = positions.start - before..positions.end + after;
            spans.push(Span { positions, all });
        }
        forward.resize(forward.len() + MAX_WINDOW, C::of(0));
        Self {
            pieces,
            spans,
            forward,
            reversed: OnceLock::new(),
            within,
        }
    }

    pub(super) fn reversed(&self) -> &[C] {
        self.reversed
            .get_or_init(|| self.forward.iter().rev().copied().collect())
    }

    /// Finds the ends of a probe within the bound in the order of its sweep. Returns the computed cells.
    pub(super) fn sweep(
        &self,
        probe: &Probe<'_>,
        ends: &mut Vec<(usize, u64)>,
        control: &Control,
    ) -> Result<u64> {
        let text = Text {
            symbols: if probe.from_end {
                self.reversed()
            } else {
                &self.forward
            },
            pattern: &probe.swept,
        };
        ends.clear();
        text::within(&text, self.within, control, ends)
    }

    /// Appends the ends of a probe in pieces, by position. `ends` are in the order of its sweep.
    pub(super) fn place(
        &self,
        number: u32,
        probe: &Probe<'_>,
        ends: &[(usize, u64)],
        found: &mut Vec<Found>,
    ) {
        let mut piece = 0;
        let mut take = |&(end, cost): &(usize, u64)| {
            // Symbol that is swept last.
            let at = if probe.from_end {
                self.forward.len() - end
            } else {
                end - 1
            };
            piece += self.spans[piece..].partition_point(|span| span.all.end <= at);
            let Some(span) = self.spans.get(piece).filter(|span| span.all.start <= at) else {
                return;
            };
            let Range { start, end } = span.positions;
            // A place that ends outside of a text ends where the text does.
            let (is_here, inside) = if probe.from_end {
                (at < end, at.max(start))
            } else {
                (at >= start, end.min(at + 1))
            };
            if !is_here {
                return;
            }
            let position = (self.pieces[piece].positions.start + inside - start) as u64;
            found.push(Found {
                piece: piece as u32,
                probe: number,
                position,
                cost: cost as u32,
            });
        };
        if probe.from_end {
            ends.iter().rev().for_each(&mut take);
        } else {
            ends.iter().for_each(&mut take);
        }
    }

    pub(super) fn positions(&self) -> u64 {
        let lens = self.pieces.iter().map(|piece| piece.positions.len() as u64);
        lens.sum()
    }
}
