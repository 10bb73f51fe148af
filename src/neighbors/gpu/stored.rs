//! Distinct strings as bit planes with counts of their symbols, as in strings.wgsl.

use std::sync::OnceLock;

use crate::backend::UploadSource;
use crate::backend::streaming::StreamedBuffer;
use crate::host::parallel;
use crate::neighbors::side::Side;
use crate::pairs::strings::List;
use crate::plan::{Buffer, BufferId, Plan, Resident};
use crate::sequences::typed::SymbolSlice;
use crate::substring::dna;
use crate::symbols::alphabet::Alphabet;
use crate::symbols::planes::pack;

/// Strings per parallel task.
const TASK: usize = 1 << 12;
/// Maximum bits of a code, and codes.
const MAX_PLANES: u32 = 8;
pub(in crate::neighbors) const MAX_CODES: usize = 1 << MAX_PLANES;
/// Bits of codes: few numbers, so that few kernels are built.
pub(super) const BITS: [u32; 4] = [2, 3, 5, MAX_PLANES];
/// Symbols of a block of planes.
const BLOCK: usize = 32;
const RECORD_WORDS: usize = 8;
/// Greatest count of a class of symbols, so that a byte has a free bit.
const MAX_COUNT: u8 = 127;

pub(super) const RECORDS: &str = "records of strings";
pub(super) const PLANES: &str = "planes of strings";

/// Alphabet of some lists, and of the complements for both strands; `None` if they have too many
/// symbols. Runs on the current thread pool.
pub(in crate::neighbors) fn alphabet(lists: &[List<'_>], both_strands: bool) -> Option<Alphabet> {
    let strings = lists.iter().map(|list| list.len()).sum();
    let string = |index: usize| match index.checked_sub(lists[0].len()) {
        None => lists[0].string(index),
        Some(index) => lists[1].string(index),
    };
    let mut alphabet = Alphabet::few_by_threads(strings, string, MAX_CODES)?;
    if both_strands {
        let letters = 0..=u8::MAX;
        let known = letters.filter(|&letter| alphabet.code(usize::from(letter)) > 0);
        let complements: Vec<u8> = known.map(dna::complement).collect();
        for letter in complements {
            alphabet.add(letter.into());
        }
    }
    Some(alphabet)
}

pub(in crate::neighbors) fn planes(alphabet: &Alphabet) -> u32 {
    let mut planes = BITS.into_iter();
    let fitting = planes.find(|&planes| alphabet.codes() <= 1 << planes);
    fitting.unwrap_or(MAX_PLANES)
}

pub(super) fn blocks(len: usize) -> usize {
    len.div_ceil(BLOCK)
}

/// Words of the planes of strings with this number of blocks, with a block of zeros behind them.
pub(super) fn plane_words(blocks: usize, planes: u32) -> u64 {
    (blocks as u64 + 1) * u64::from(planes)
}

pub(super) fn record_words(strings: usize) -> u64 {
    (strings.max(1) * RECORD_WORDS) as u64
}

/// The distinct strings of the columns, then those of rows of another list; reverse complements
/// behind their list.
pub(in crate::neighbors) struct StoredStrings<'a> {
    /// Of the columns, and of rows of another list.
    parts: Vec<Part<'a>>,
    alphabet: &'a Alphabet,
    /// Greatest place of each column, for rows of the same list.
    last: Vec<u32>,
    pub(super) bits: u32,
    pub(super) longest: usize,
    /// True if the columns stay on devices for later calls.
    is_kept: bool,
}

struct Part<'a> {
    side: &'a Side<'a>,
    /// Blocks before those of each task, and all blocks: of both sides.
    blocks: Vec<usize>,
    encoded: OnceLock<Encoded>,
}

/// Records and planes.
struct Encoded([Vec<u32>; 2]);

impl<'a> StoredStrings<'a> {
    /// The strings of one or two sides, which are encoded when a device needs them. `last` is the
    /// greatest place of each column, for rows of the same list. Codes of columns that stay on devices
    /// have `kept_bits`. Runs on the current thread pool.
    pub(in crate::neighbors) fn new(
        sides: &[&'a Side<'a>],
        alphabet: &'a Alphabet,
        last: Vec<u32>,
        kept_bits: Option<u32>,
    ) -> Self {
        let (mut all_blocks, mut longest, mut parts) = (0, 0, Vec::new());
        for &side in sides {
            let sizes = parallel::map_ranges(side.len(), TASK, |range| {
                let lens = range.map(|number| side.len_of(number as u32));
                lens.fold((0, 0), |(blocks_before, longest), len| {
                    (blocks_before + blocks(len), len.max(longest))
                })
            });
            let mut blocks = vec![all_blocks];
            for (of_task, longest_of_task) in sizes {
                all_blocks += of_task;
                blocks.push(all_blocks);
                longest = longest.max(longest_of_task);
            }
            let encoded = OnceLock::new();
            parts.push(Part {
                side,
                blocks,
                encoded,
            });
        }
        Self {
            parts,
            alphabet,
            last,
            bits: kept_bits.unwrap_or_else(|| planes(alphabet)),
            longest,
            is_kept: kept_bits.is_some(),
        }
    }

    /// Words of the records and planes of the columns.
    fn column_words(&self) -> [u64; 2] {
        let columns = &self.parts[0];
        let blocks = columns.blocks.last().copied().unwrap_or(0);
        let records = columns.side.len() * RECORD_WORDS;
        [records as u64, blocks as u64 * u64::from(self.bits)]
    }

    /// Words of all records and planes.
    fn words(&self) -> [u64; 2] {
        let strings = self.parts.iter().map(|part| part.side.len()).sum();
        let blocks = self.parts.last().and_then(|part| part.blocks.last());
        let planes = plane_words(blocks.copied().unwrap_or(0), self.bits);
        let words = [record_words(strings), planes];
        if !self.is_kept {
            return words;
        }
        // Later calls may have more rows.
        let mut columns = self.column_words().into_iter();
        words.map(|words| {
            let first = columns.next().unwrap_or(0);
            first + (words - first).next_power_of_two()
        })
    }

    pub(super) fn inputs(&self, plan: &mut Plan, resident: &Resident) -> [BufferId; 2] {
        let (words, first) = (self.words(), self.column_words());
        [0, 1].map(|which| {
            let (name, words) = ([RECORDS, PLANES][which], words[which]);
            let key = vec![u64::from(self.bits)];
            if self.is_kept {
                plan.input_with_rest(name, words, first[which], key, resident)
            } else {
                plan.input_in_parts(name, words, key, resident, 1)
            }
        })
    }

    /// Encodes the strings that a plan uploads. Runs on the current thread pool.
    pub(super) fn encode_uploads(&self, plan: &Plan) {
        let streamed = StreamedBuffer::of(plan);
        let with_columns = streamed.iter().any(|streamed| streamed.first == 0);
        let skipped = usize::from(!with_columns);
        for part in self
            .parts
            .iter()
            .skip(skipped)
            .filter(|_| !streamed.is_empty())
        {
            if part.encoded.get().is_none() {
                // Outside of the cell, as a thread of the pool that waits for it could have this work.
                let encoded = self.encode(part);
                part.encoded.get_or_init(|| encoded);
            }
        }
    }

    fn encode(&self, part: &Part<'_>) -> Encoded {
        let Part { side, blocks, .. } = part;
        let bits = self.bits as usize;
        let first_block = blocks[0];
        let all_blocks = blocks[blocks.len() - 1] - first_block;
        let mut planes = vec![0; all_blocks * bits];
        let mut records = vec![0; side.len() * RECORD_WORDS];
        let (mut rest, mut tasks) = (&mut planes[..], Vec::new());
        let of_tasks = records
            .chunks_mut(TASK * RECORD_WORDS)
            .zip(blocks.windows(2));
        for (task, (records, blocks)) in of_tasks.enumerate() {
            let words = (blocks[1] - blocks[0]) * bits;
            let (of_task, later) = std::mem::take(&mut rest).split_at_mut(words);
            rest = later;
            tasks.push((task * TASK, blocks[0] * bits, records, of_task));
        }
        parallel::map_each(tasks, |(first_number, mut first, records, mut planes)| {
            for (number, words) in (first_number..).zip(records.chunks_exact_mut(RECORD_WORDS)) {
                let string = side.string(number as u32);
                let size = super::stored::blocks(string.len()) * bits;
                let (of_string, later) = std::mem::take(&mut planes).split_at_mut(size);
                planes = later;
                let last = self.last.get(number).copied().unwrap_or(0);
                let group = side.group(number as u32);
                words[..4].copy_from_slice(&[first as u32, string.len() as u32, last, group]);
                let counts = encode(string, self.alphabet, of_string, self.bits);
                for (word, counts) in words[4..].iter_mut().zip(counts.as_chunks().0) {
                    *word = u32::from_le_bytes(*counts);
                }
                first += size;
            }
        });
        Encoded([records, planes])
    }

    pub(in crate::neighbors) fn size_bytes(&self) -> u64 {
        4 * self.words().iter().sum::<u64>()
    }
}

/// Writes the planes of a string. Returns the counts of its symbols by class.
fn encode(string: SymbolSlice<'_>, alphabet: &Alphabet, planes: &mut [u32], bits: u32) -> [u8; 16] {
    let (mut counts, mut codes, mut index) = ([0u8; 16], [0; BLOCK], 0);
    let mut words = planes.chunks_exact_mut(bits as usize);
    alphabet.for_each(string, |code| {
        let code = code.saturating_sub(1) as u8;
        codes[index % BLOCK] = code;
        index += 1;
        let count = &mut counts[usize::from(code) % 16];
        *count = (*count + 1).min(MAX_COUNT);
        if index % BLOCK == 0 || index == string.len() {
            words
                .next()
                .into_iter()
                .for_each(|words| pack(&codes, words));
            codes = [0; BLOCK];
        }
    });
    counts
}

impl UploadSource for StoredStrings<'_> {
    fn write(&self, buffer: &Buffer, first: u64, words: &mut [u32]) {
        let which = usize::from(buffer.name == PLANES);
        let end = first as usize + words.len();
        let mut start = 0;
        words.fill(0);
        for part in &self.parts {
            let blocks = part.blocks[part.blocks.len() - 1] - part.blocks[0];
            let len = [part.side.len() * RECORD_WORDS, blocks * self.bits as usize][which];
            let from = start.max(first as usize);
            let to = (start + len).min(end);
            if from < to
                && let Some(Encoded(encoded)) = part.encoded.get()
            {
                let of_part = &encoded[which][from - start..to - start];
                words[from - first as usize..to - first as usize].copy_from_slice(of_part);
            }
            start += len;
        }
    }
}
