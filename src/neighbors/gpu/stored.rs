//! Distinct strings as bit planes with counts of their symbols, as in strings.wgsl.

use crate::backend::UploadSource;
use crate::host::parallel;
use crate::neighbors::side::Side;
use crate::pairs::strings::List;
use crate::plan::Buffer;
use crate::sequences::typed::Codes;
use crate::substring::dna;
use crate::symbols::alphabet::Alphabet;
use crate::symbols::planes::pack;

/// Strings per parallel task.
const TASK: usize = 1 << 12;
/// Maximum bits of a code.
const MAX_PLANES: u32 = 8;
/// Bits of codes: few numbers, so that few kernels are built.
pub(super) const BITS: [u32; 4] = [2, 3, 5, MAX_PLANES];
/// Symbols of a block of planes.
const BLOCK: usize = 32;
const RECORD_WORDS: usize = 8;
/// Greatest count of a class of symbols, so that a byte has a free bit.
const MAX_COUNT: u8 = 127;

/// Names of the inputs.
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
    let mut alphabet = Alphabet::few_by_threads(strings, string, 1 << MAX_PLANES)?;
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

/// Bits of the codes of an alphabet.
pub(in crate::neighbors) fn planes(alphabet: &Alphabet) -> u32 {
    let mut planes = BITS.into_iter();
    let fitting = planes.find(|&planes| alphabet.codes() <= 1 << planes);
    fitting.unwrap_or(MAX_PLANES)
}

/// Blocks of a string of this length.
pub(super) fn blocks(len: usize) -> usize {
    len.div_ceil(BLOCK)
}

/// Words of the planes of strings with this number of blocks, with a block of zeros behind them.
pub(super) fn plane_words(blocks: usize, planes: u32) -> u64 {
    (blocks as u64 + 1) * u64::from(planes)
}

/// Words of the records of this number of strings.
pub(super) fn record_words(strings: usize) -> u64 {
    (strings.max(1) * RECORD_WORDS) as u64
}

/// The distinct strings of the columns, then those of rows of another list; reverse complements
/// behind their list.
pub(in crate::neighbors) struct StoredStrings {
    records: Vec<u32>,
    planes: Vec<u32>,
    pub(super) bits: u32,
    pub(super) longest: usize,
}

impl StoredStrings {
    /// Encodes the strings. `last` is the greatest place of each column. Runs on the current thread
    /// pool.
    pub(in crate::neighbors) fn new(
        sides: &[&Side<'_>],
        alphabet: &Alphabet,
        last: &[u32],
    ) -> Self {
        let count: usize = sides.iter().map(|side| side.len()).sum();
        let side = |record: usize| match record.checked_sub(sides[0].len()) {
            None => (sides[0], record as u32),
            Some(row) => (sides[1], row as u32),
        };
        let sizes = parallel::map_ranges(count, TASK, |range| {
            let lens = range.map(|record| {
                let (side, number) = side(record);
                side.len_of(number)
            });
            lens.fold((0, 0), |(blocks_before, longest), len| {
                (blocks_before + blocks(len), len.max(longest))
            })
        });
        let bits = planes(alphabet);
        let all_blocks = sizes.iter().map(|&(blocks, _)| blocks).sum();
        let mut planes = vec![0; plane_words(all_blocks, bits) as usize];
        let mut records = vec![0; record_words(count) as usize];
        let (mut rest, mut next, mut tasks) = (&mut planes[..], 0, Vec::new());
        let of_tasks = records.chunks_mut(TASK * RECORD_WORDS).zip(&sizes);
        for (task, (records, (blocks, _))) in of_tasks.enumerate() {
            let own = task * TASK..((task + 1) * TASK).min(count);
            let words = blocks * bits as usize;
            let (of_task, later) = std::mem::take(&mut rest).split_at_mut(words);
            rest = later;
            tasks.push((own, next, records, of_task));
            next += words;
        }
        parallel::map_each(tasks, |(own, mut first, records, mut planes)| {
            for (record, words) in own.zip(records.chunks_exact_mut(RECORD_WORDS)) {
                let (side, number) = side(record);
                let string = side.string(number);
                let size = blocks(string.len()) * bits as usize;
                let (of_string, later) = std::mem::take(&mut planes).split_at_mut(size);
                planes = later;
                let last = last.get(record).copied().unwrap_or(0);
                let group = side.group(number);
                words[..4].copy_from_slice(&[first as u32, string.len() as u32, last, group]);
                let counts = encode(string, alphabet, of_string, bits);
                for (word, counts) in words[4..].iter_mut().zip(counts.as_chunks().0) {
                    *word = u32::from_le_bytes(*counts);
                }
                first += size;
            }
        });
        Self {
            records,
            planes,
            bits,
            longest: sizes.iter().map(|&(_, len)| len).max().unwrap_or(0),
        }
    }

    pub(super) fn record_words(&self) -> u64 {
        self.records.len() as u64
    }

    pub(super) fn plane_words(&self) -> u64 {
        self.planes.len() as u64
    }

    pub(super) fn size_bytes(&self) -> u64 {
        4 * (self.record_words() + self.plane_words())
    }
}

/// Writes the planes of a string. Returns the counts of its symbols by class.
fn encode(string: Codes<'_>, alphabet: &Alphabet, planes: &mut [u32], bits: u32) -> [u8; 16] {
    let (mut counts, mut codes, mut place) = ([0u8; 16], [0; BLOCK], 0);
    let mut words = planes.chunks_exact_mut(bits as usize);
    alphabet.for_each(string, |code| {
        let code = code.saturating_sub(1) as u8;
        codes[place % BLOCK] = code;
        place += 1;
        let count = &mut counts[usize::from(code) % 16];
        *count = (*count + 1).min(MAX_COUNT);
        if place % BLOCK == 0 || place == string.len() {
            words
                .next()
                .into_iter()
                .for_each(|words| pack(&codes, words));
            codes = [0; BLOCK];
        }
    });
    counts
}

impl UploadSource for StoredStrings {
    fn write(&self, buffer: &Buffer, first: u64, words: &mut [u32]) {
        let all = if buffer.name == RECORDS {
            &self.records
        } else {
            &self.planes
        };
        match all.get(first as usize..first as usize + words.len()) {
            Some(stored) => words.copy_from_slice(stored),
            None => words.fill(0),
        }
    }
}
