//! The shared symbols from one stored bit a cell: whether the path may come from the cell above.
//!
//! Layers (rows, or anti-diagonals) are computed in order, each from the last one or two. Where memory has room for the bits of all
//! cells they are kept; else the state between segments of layers is, and every segment is computed a second time on the way
//! back. Cost: at most twice the cells of the table, and one step for every symbol of the supersequence.

use std::ops::Range;

use crate::backend::{Loaded, Span};
use crate::blocks::Block;
use crate::control::Control;
use crate::error::{Error, Result};
use crate::lcs::subsequence::Subsequence;
use crate::plan::BufferId;

/// Layers whose bits share a word.
pub(super) const WORD: u64 = 32;
/// Words of layers that are read from the device together, and indices of each.
const WINDOW: (u64, u64) = (64, 4096);

/// Sizes of a table that is computed layer by layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// Layers of the table.
    pub layers: u64,
    /// Indices of a layer: words that hold the bits of [`WORD`] layers.
    pub width: u64,
    /// Words between two segments.
    pub state_words: u64,
}

/// A table that is computed layer by layer.
pub(super) trait Table {
    /// Its sizes.
    fn layout(&self) -> Layout;
    /// The state in front of the first layer.
    fn first(&self) -> Vec<u32>;
    /// Layer and index of the cell in row `i` and column `j`, from 1.
    fn place(&self, i: usize, j: usize) -> (u64, u64);
    /// The last cell, from the state behind the last layer.
    fn length(&self, state: &[u32]) -> u64;
    /// The state behind a range of layers, which starts at a multiple of [`WORD`], and its bits where `keep` asks for them.
    async fn advance(&mut self, state: Vec<u32>, layers: Range<u64>, keep: bool) -> Result<(Vec<u32>, Option<Bits>)>;
}

/// The bits of a range of layers: `[layer / WORD][index]` from the start of the range.
pub(super) enum Bits {
    /// In host memory, in bands of so many indices, one band after the other.
    Host { bands: Vec<Vec<u32>>, band: u64 },
    /// On the device.
    Device { loaded: Box<dyn Loaded>, buffer: BufferId, width: u64 },
}

impl Bits {
    async fn read(&mut self, words: Range<u64>, indices: Range<u64>) -> Result<Vec<u32>> {
        match self {
            Bits::Host { bands, band } => {
                let one =
                    |word: u64, index: u64| bands[(index / *band) as usize][(word * *band + index % *band) as usize];
                Ok(words
                    .flat_map(|word| indices.clone().map(move |index| (word, index)))
                    .map(|(w, i)| one(w, i))
                    .collect())
            }
            Bits::Device { loaded, buffer, width } => {
                let span = |word: u64| Span {
                    buffer: *buffer,
                    first: word * *width + indices.start,
                    words: indices.end - indices.start,
                };
                loaded.read(&words.map(span).collect::<Vec<_>>())?.await
            }
        }
    }
}

/// How a table's segments are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segments {
    /// Layers of a segment, a multiple of [`WORD`].
    pub layers: u64,
    /// Bytes of bits of one segment.
    pub bits_bytes: u64,
    /// Bytes of all states, on the host.
    pub states_bytes: u64,
}

/// Memory that a budget allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// The table.
    pub what: &'static str,
    /// What the table itself takes.
    pub used: u64,
    /// The budget.
    pub limit: u64,
    /// The most that one buffer may have.
    pub buffer: u64,
}

impl Room {
    fn free(&self) -> u64 {
        self.limit.saturating_sub(self.used)
    }

    fn refuse(&self, what: String, more: u64) -> Error {
        let needed = self.used.saturating_add(more);
        Error::MemoryBudget { what, needed, limit: self.limit, smallest: needed }
    }
}

/// The segments of a table in the memory for directions and, where that is other memory, for states; none for the length alone.
///
/// # Errors
/// [`Error::MemoryBudget`] where the table, or with a path no segments beside it, fit.
pub(super) fn segments(layout: Layout, path: bool, (bits, states): (Room, Option<Room>)) -> Result<Option<Segments>> {
    if path {
        return Segments::new(layout, bits, states).map(Some);
    }
    if bits.used > bits.limit { Err(bits.refuse(bits.what.to_string(), 0)) } else { Ok(None) }
}

impl Segments {
    /// The longest segments whose bits fit into `bits` and whose states fit into `states`; without that they share the room of
    /// the bits.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`] where no segments fit.
    pub fn new(layout: Layout, bits: Room, states: Option<Room>) -> Result<Self> {
        let word_bytes = 4 * layout.width;
        let words = layout.layers.div_ceil(WORD).max(1);
        let states_bytes = |kept: u64| words.div_ceil(kept).saturating_mul(4 * layout.state_words);
        let mut kept = words.min(bits.free().min(bits.buffer) / word_bytes);
        // Shorter segments leave room for more states, until both fit.
        while states.is_none() && kept > 0 {
            let left = bits.free().saturating_sub(states_bytes(kept)) / word_bytes;
            if left >= kept {
                break;
            }
            kept = left;
        }
        if kept == 0 {
            let least = match states {
                Some(_) => word_bytes,
                None => (1..=words).map(|kept| kept * word_bytes + states_bytes(kept)).min().unwrap_or(word_bytes),
            };
            return Err(bits.refuse(format!("{} and its directions for the string", bits.what), least));
        }
        if let Some(room) = states.filter(|room| states_bytes(kept) > room.free()) {
            return Err(room.refuse(format!("{} for the string", room.what), states_bytes(kept)));
        }
        Ok(Self { layers: kept * WORD, bits_bytes: kept * word_bytes, states_bytes: states_bytes(kept) })
    }

    /// How the path is recovered, as in [`Run::path_mode`](crate::run::Run::path_mode).
    pub fn mode(&self, layout: Layout) -> &'static str {
        if self.layers >= layout.layers { "stored directions" } else { "directions between checkpoints" }
    }
}

/// The length and the canonical shared symbols of `a` and `b`, whose table it is.
///
/// # Errors
/// What the table returns, [`Error::Cancelled`] after the caller has cancelled.
pub(super) async fn path<T: Table>(
    table: &mut T,
    a: &[u32],
    b: &[u32],
    segments: Segments,
    control: &Control,
) -> Result<(u64, Subsequence)> {
    let layers = table.layout().layers;
    let range = |segment: u64| segment * segments.layers..((segment + 1) * segments.layers).min(layers);
    let last = layers.div_ceil(segments.layers).max(1) - 1;
    let mut states = vec![table.first()];
    for segment in 0..last {
        let state = table.advance(states[segment as usize].clone(), range(segment), false).await?.0;
        states.push(state);
    }
    let mut length = None;
    let mut walk = Walk { a, b, i: a.len(), j: b.len(), runs: Vec::new() };
    for segment in (0..=last).rev() {
        let state = states.pop().unwrap_or_default();
        let (state, bits) = table.advance(state, range(segment), true).await?;
        length.get_or_insert_with(|| table.length(&state));
        if let Some(bits) = bits {
            walk.through(table, bits, range(segment).start, control).await?;
        }
    }
    Ok((length.unwrap_or_default(), walk.runs.into_iter().rev().collect()))
}

/// The walk from the last cell to the first.
struct Walk<'a> {
    a: &'a [u32],
    b: &'a [u32],
    i: usize,
    j: usize,
    /// Runs of shared symbols, the last of the path first.
    runs: Vec<Block>,
}

impl Walk<'_> {
    /// Walks back until the path leaves the layers from `first` on: up while the bit is set, else a shared symbol, else left.
    async fn through<T: Table>(&mut self, table: &T, mut bits: Bits, first: u64, control: &Control) -> Result<()> {
        let (mut words, mut indices) = (0..0, 0..0);
        let mut window = Vec::new();
        while self.i > 0 && self.j > 0 {
            let (layer, index) = table.place(self.i, self.j);
            if layer < first {
                return Ok(());
            }
            let word = (layer - first) / WORD;
            if !words.contains(&word) || !indices.contains(&index) {
                control.check()?;
                words = (word + 1).saturating_sub(WINDOW.0)..word + 1;
                indices = (index + 1).saturating_sub(WINDOW.1)..index + 1;
                window = bits.read(words.clone(), indices.clone()).await?;
            }
            let width = indices.end - indices.start;
            let kept = window[((word - words.start) * width + index - indices.start) as usize];
            if kept >> (layer % WORD) & 1 == 1 {
                self.i -= 1;
            } else if self.a[self.i - 1] == self.b[self.j - 1] {
                (self.i, self.j) = (self.i - 1, self.j - 1);
                self.pair();
            } else {
                self.j -= 1;
            }
        }
        Ok(())
    }

    /// Adds the shared symbol at the position, which joins the run behind it where they touch.
    fn pair(&mut self) {
        match self.runs.last_mut() {
            Some(run) if run.a == self.i + 1 && run.b == self.j + 1 => {
                *run = Block { a: self.i, b: self.j, len: run.len + 1 }
            }
            _ => self.runs.push(Block { a: self.i, b: self.j, len: 1 }),
        }
    }
}
