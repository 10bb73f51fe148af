//! Texts on a device: packed codes in chunks, one buffer per chunk.

use std::ops::Range;

use crate::backend::{Capabilities, UploadSource};
use crate::engine::profile::gpu::substring::PASS_STRETCHES;
use crate::error::{Error, Result};
use crate::kernels::substring::LANES;
use crate::plan::{Bounds, Buffer, BufferId, PassSplit, Plan, Resident};
use crate::substring::search::alphabet::Alphabet;
use crate::substring::texts::Code;

/// Symbols of a stretch. Its codes fill as many words as a code has bits, and its survivors one
/// word.
pub const STRETCH: u64 = 32;
/// Stretches that one workgroup hashes.
pub const BLOCK: u64 = LANES as u64;
/// Overlap of a chunk with the next one, in stretches: windows may end there, and a code may need
/// the words there.
const OVERLAP: u64 = 3;

/// Slices by workgroup; parameters 0 and 1 are the first stretch and the end. Slices are
/// independent: they share only bits and counters that are updated atomically.
pub const BY_STRETCHES: PassSplit = PassSplit {
    step: LANES,
    ..PassSplit::by_group(Bounds::End { first: 0, end: 1 })
};

/// Maximum length of an array: positions are 32-bit.
const MAX_LEN: u64 = u32::MAX as u64 - 64;

/// Checks that positions of an array fit 32 bits.
///
/// # Errors
/// [`Error::InputTooLong`], with what is too long and the remedy.
pub fn check_length(what: &'static str, symbols: u64, remedy: &'static str) -> Result<()> {
    if symbols <= MAX_LEN {
        Ok(())
    } else {
        Err(Error::InputTooLong {
            what,
            actual: symbols,
            limit: MAX_LEN,
            remedy,
        })
    }
}

/// Layout of a text in chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chunking {
    /// Stretches of the text, a multiple of [`BLOCK`].
    pub stretches: u64,
    /// Stretches of every chunk but the last.
    pub chunk: u64,
    /// Bits per code.
    bits: u64,
}

/// Consecutive stretches of one chunk whose windows also end in one chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WindowRange {
    /// Chunk of the window starts and chunk of the window ends.
    pub chunks: (usize, usize),
    /// Stretches within the chunk of the starts.
    pub stretches: Range<u32>,
    /// Stretch of an end minus stretch of its start, each relative to its chunk, modulo 2^32.
    pub head: u32,
}

impl Chunking {
    /// Layout of a text of `symbols` symbols; `forced` is the chunk length in symbols.
    pub fn new(symbols: u64, bits: u32, caps: &Capabilities, forced: Option<usize>) -> Self {
        let bits = u64::from(bits);
        // A window as long as the text ends in the stretch after it.
        let stretches = (symbols / STRETCH + 1).next_multiple_of(BLOCK);
        let bytes = caps.chunk_bytes.min(caps.binding_bytes);
        // Per stretch, a chunk holds `bits` words of codes or two words of hash.
        let fitting = (bytes / (4 * bits.max(2))).saturating_sub(OVERLAP);
        let wanted = forced.map_or(fitting, |symbols| fitting.min(symbols as u64 / STRETCH));
        let max = wanted.min(u64::from(caps.groups_per_dimension) * BLOCK);
        Self {
            stretches,
            chunk: (max / BLOCK).max(1) * BLOCK,
            bits,
        }
    }

    pub fn chunks(&self) -> usize {
        self.stretches.div_ceil(self.chunk) as usize
    }

    pub fn blocks(&self) -> u64 {
        self.stretches / BLOCK
    }

    /// The stretches of a chunk.
    pub fn of_chunk(&self, chunk: usize) -> Range<u64> {
        let first = chunk as u64 * self.chunk;
        first..self.stretches.min(first + self.chunk)
    }

    /// Words of a chunk's buffer.
    pub fn words(&self, chunk: usize) -> u64 {
        let Range { start, end } = self.of_chunk(chunk);
        (end - start + OVERLAP) * self.bits
    }

    /// Splits the `windows` windows that start from stretch `first` on into ranges. `length` is the
    /// window length if the kernel reads the end of a window, too.
    pub fn ranges(&self, first: u64, windows: u64, length: Option<u64>) -> Vec<WindowRange> {
        let (end, mut ranges) = (first + windows.div_ceil(STRETCH), Vec::new());
        let distance = length.map_or(0, |length| length / STRETCH);
        let mut stretch = first;
        while stretch < end {
            let (tail, head) = (stretch / self.chunk, (stretch + distance) / self.chunk);
            let (tail_first, head_first) = (tail * self.chunk, head * self.chunk);
            let next = (tail_first + self.chunk)
                .min(head_first + self.chunk - distance)
                .min(stretch + PASS_STRETCHES);
            let next = next.min(end);
            ranges.push(WindowRange {
                chunks: (tail as usize, head as usize),
                stretches: (stretch - tail_first) as u32..(next - tail_first) as u32,
                head: (distance + tail_first).wrapping_sub(head_first) as u32,
            });
            stretch = next;
        }
        ranges
    }
}

/// Packs texts into the code buffers of a device.
pub struct TextPacker<'a, C: Code> {
    /// For each array its texts, each with its first stretch, which it shares with no other text.
    arrays: Vec<Vec<(u64, &'a [C])>>,
    alphabet: &'a Alphabet,
}

/// Texts one after the other, with their first stretches.
pub fn concatenated<'a, C: Code>(texts: &[&'a [C]]) -> Vec<(u64, &'a [C])> {
    let mut next = 0;
    let place = |&text: &&'a [C]| {
        let first = next;
        // A window as long as the text ends in the stretch after it.
        next += text.len() as u64 / STRETCH + 1;
        (first, text)
    };
    texts.iter().map(place).collect()
}

/// Adds the buffer of a chunk of an array of codes; a [`TextPacker`] streams its contents.
pub fn codes_input(
    plan: &mut Plan,
    array: usize,
    chunk: usize,
    chunking: &Chunking,
    resident: &Resident,
) -> BufferId {
    let key = vec![
        array as u64,
        chunking.of_chunk(chunk).start,
        chunking.chunk,
        chunking.bits,
    ];
    plan.input_in_parts("codes", chunking.words(chunk), key, resident, chunking.bits)
}

impl<'a, C: Code> TextPacker<'a, C> {
    pub fn new(arrays: Vec<Vec<(u64, &'a [C])>>, alphabet: &'a Alphabet) -> Self {
        Self { arrays, alphabet }
    }

    /// Writes the words of an array from stretch `first` on.
    fn pack(&self, array: usize, first: u64, words: &mut [u32]) {
        words.fill(0);
        let (texts, bits) = (&self.arrays[array], self.alphabet.bits as usize);
        let end = first + (words.len() / bits) as u64;
        let begun = texts
            .partition_point(|&(start, _)| start <= first)
            .saturating_sub(1);
        for &(start, text) in texts[begun..].iter().take_while(|&&(start, _)| start < end) {
            let from = first.max(start);
            let place = |stretch: u64| ((stretch - start) * STRETCH) as usize;
            let symbols = text
                .get(place(from)..text.len().min(place(end)))
                .unwrap_or(&[]);
            pack(
                symbols,
                self.alphabet,
                &mut words[(from - first) as usize * bits..],
            );
        }
    }
}

impl<C: Code> UploadSource for TextPacker<'_, C> {
    fn write(&self, buffer: &Buffer, first: u64, words: &mut [u32]) {
        match buffer.input.as_deref() {
            Some(&[array, chunk, ..]) => self.pack(
                array as usize,
                chunk + first / u64::from(self.alphabet.bits),
                words,
            ),
            _ => words.fill(0),
        }
    }
}

/// Packs codes into words, from the lowest bit on.
fn pack<C: Code>(symbols: &[C], alphabet: &Alphabet, words: &mut [u32]) {
    let Some(table) = alphabet.table() else {
        return pack_codes(symbols, alphabet.bits, words, C::number);
    };
    match alphabet.bits {
        1 => pack_narrow::<C, 1>(symbols, table, words),
        2 => pack_narrow::<C, 2>(symbols, table, words),
        3 => pack_narrow::<C, 3>(symbols, table, words),
        4 => pack_narrow::<C, 4>(symbols, table, words),
        5 => pack_narrow::<C, 5>(symbols, table, words),
        6 => pack_narrow::<C, 6>(symbols, table, words),
        7 => pack_narrow::<C, 7>(symbols, table, words),
        _ => pack_narrow::<C, 8>(symbols, table, words),
    }
}

/// Symbols that are combined before they are stored.
const GROUP: usize = 8;

/// Packs stretch by stretch; with a constant code width every shift is a constant.
fn pack_narrow<C: Code, const BITS: usize>(symbols: &[C], table: &[u8; 256], words: &mut [u32]) {
    let code = |symbol: C| table[usize::from(symbol.number() as u8)];
    let (stretches, rest) = symbols.as_chunks::<{ STRETCH as usize }>();
    let (into, into_rest) = words.split_at_mut(stretches.len() * BITS);
    for (stretch, words) in stretches.iter().zip(into.as_chunks_mut::<BITS>().0) {
        let mut held = [0u64; 5];
        for (group, symbols) in stretch.as_chunks::<GROUP>().0.iter().enumerate() {
            let mut value = 0u64;
            for (place, &symbol) in symbols.iter().enumerate() {
                value |= u64::from(code(symbol)) << (place * BITS);
            }
            let bit = group * GROUP * BITS;
            let wide = u128::from(value) << (bit % 64);
            held[bit / 64] |= wide as u64;
            held[bit / 64 + 1] |= (wide >> 64) as u64;
        }
        for (place, word) in words.iter_mut().enumerate() {
            *word = (held[place / 2] >> (place % 2 * 32)) as u32;
        }
    }
    pack_codes(rest, BITS as u32, into_rest, |symbol| code(symbol).into());
}

fn pack_codes<C: Code>(symbols: &[C], bits: u32, words: &mut [u32], code: impl Fn(C) -> u32) {
    let (mut held, mut count, mut words) = (0u64, 0, words.iter_mut());
    for &symbol in symbols {
        held |= u64::from(code(symbol)) << count;
        count += bits;
        if count >= u32::BITS {
            if let Some(word) = words.next() {
                *word = held as u32;
            }
            (held, count) = (held >> u32::BITS, count - u32::BITS);
        }
    }
    if let (Some(word), 1..) = (words.next(), count) {
        *word = held as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_codes_have_no_gaps_and_chunks_overlap() {
        for letters in [1u64, 2, 3, 5, 12, 26, 50, 100, 200, 1 << 20] {
            let text: Vec<u32> = (0..40_000u64)
                .map(|place| (place * place % 7919 % letters) as u32)
                .collect();
            let alphabet = Alphabet::of(&[&text[..]]);
            let caps = Capabilities::default();
            let chunking = Chunking::new(text.len() as u64, alphabet.bits, &caps, Some(8192));
            let packer = TextPacker::new(vec![vec![(0, &text[..])]], &alphabet);
            assert_eq!(chunking.chunks(), 5);
            for chunk in 0..5 {
                let mut words = vec![7; chunking.words(chunk) as usize];
                packer.pack(0, chunking.of_chunk(chunk).start, &mut words);
                let first = chunking.of_chunk(chunk).start * STRETCH;
                let count = words.len() as u64 * 32 / u64::from(alphabet.bits);
                for place in 0..count {
                    let (bit, bits) = (place * u64::from(alphabet.bits), u64::from(alphabet.bits));
                    let word =
                        |place: u64| u64::from(words.get(place as usize).copied().unwrap_or(0));
                    let both = word(bit / 32) | word(bit / 32 + 1) << 32;
                    let code = both >> (bit % 32) & ((1 << bits) - 1);
                    let symbol = text
                        .get((first + place) as usize)
                        .map_or(0, |&symbol| alphabet.code(symbol));
                    assert_eq!(
                        code,
                        u64::from(symbol),
                        "chunk {chunk}, place {place}, {letters} letters"
                    );
                }
            }
        }
    }

    #[test]
    fn window_ranges_cover_all_windows_within_single_chunks() {
        let caps = Capabilities::default();
        for symbols in [1u64, 8191, 8192, 50_000] {
            let chunking = Chunking::new(symbols, 2, &caps, Some(8192));
            for length in [1, 31, 32, 33, 8191, 8192, 8193, 20_000, 50_000] {
                let windows = (symbols + 1).saturating_sub(length);
                let mut next = 0;
                for range in chunking.ranges(0, windows, Some(length)) {
                    let (tail, head) = (
                        chunking.of_chunk(range.chunks.0),
                        chunking.of_chunk(range.chunks.1),
                    );
                    for stretch in range.stretches {
                        assert_eq!(tail.start + u64::from(stretch), next);
                        let end = head.start + u64::from(stretch.wrapping_add(range.head));
                        assert_eq!(end, next + length / STRETCH);
                        assert!(
                            tail.contains(&next) && head.contains(&end),
                            "{symbols} {length}"
                        );
                        next += 1;
                    }
                }
                assert_eq!(next, windows.div_ceil(STRETCH), "{symbols} {length}");
            }
        }
    }
}
