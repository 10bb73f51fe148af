//! Distinct strings as bit planes with counts of their symbols, as in strings.wgsl.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use crate::backend::UploadSource;
use crate::host::lock;
use crate::host::parallel;
use crate::neighbors::join::Side;
use crate::pairs::Strings;
use crate::pairwise::codes::Symbol;
use crate::plan::Buffer;

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

/// Codes of all symbols of some lists.
pub(in crate::neighbors) struct Codes<S> {
    /// By symbol, if the type has few.
    table: Vec<u8>,
    others: HashMap<S, u8>,
    /// Bits of a code.
    pub(in crate::neighbors) planes: u32,
}

impl<S: Symbol> Codes<S> {
    /// `None` if the lists have too many symbols. Runs on the current thread pool.
    pub(in crate::neighbors) fn of(lists: &[&Strings<'_, S>]) -> Option<Self> {
        let max = 1 << MAX_PLANES;
        let all = Mutex::new(HashSet::<S>::new());
        let are_few = |strings: &&Strings<'_, S>| {
            let of_task = |task: usize| {
                let (mut is_known, mut symbols) = (vec![false; S::TABLE], HashSet::new());
                let own = task * TASK..((task + 1) * TASK).min(strings.len());
                for string in own.map(|at| &strings[at]) {
                    for &symbol in string {
                        match is_known.get_mut(symbol.place()) {
                            Some(true) => {}
                            Some(known) => {
                                *known = true;
                                symbols.insert(symbol);
                            }
                            None => drop(symbols.insert(symbol)),
                        }
                    }
                    if symbols.len() > max {
                        return false;
                    }
                }
                let mut all = lock(&all);
                all.extend(symbols);
                all.len() <= max
            };
            parallel::all(strings.len().div_ceil(TASK), of_task)
        };
        if !lists.iter().all(are_few) {
            return None;
        }
        let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut codes = Self {
            table: vec![0; S::TABLE],
            others: HashMap::new(),
            planes: BITS
                .into_iter()
                .find(|&planes| all.len() <= 1 << planes)
                .unwrap_or(MAX_PLANES),
        };
        let mut all: Vec<S> = all.into_iter().collect();
        all.sort_unstable_by_key(|symbol| symbol.place());
        for (symbol, code) in all.into_iter().zip(0..=u8::MAX) {
            match codes.table.get_mut(symbol.place()) {
                Some(known) => *known = code,
                None => drop(codes.others.insert(symbol, code)),
            }
        }
        Some(codes)
    }

    fn code(&self, symbol: S) -> u8 {
        match self.table.get(symbol.place()) {
            Some(&code) => code,
            None => self.others.get(&symbol).copied().unwrap_or(0),
        }
    }
}

/// Words of the planes of strings with these lengths, with a block of zeros behind them.
pub(super) fn plane_words(lens: impl Iterator<Item = usize>, planes: u32) -> u64 {
    let blocks = lens.map(|len| len.div_ceil(BLOCK) as u64).sum::<u64>() + 1;
    blocks * u64::from(planes)
}

/// Words of the records of this number of strings.
pub(super) fn record_words(strings: usize) -> u64 {
    (strings.max(1) * RECORD_WORDS) as u64
}

/// The distinct strings of the columns, then those of rows of another list.
pub(in crate::neighbors) struct StoredStrings {
    records: Vec<u32>,
    planes: Vec<u32>,
    pub(super) bits: u32,
    pub(super) longest: usize,
}

impl StoredStrings {
    /// Encodes the strings. `last` is the greatest place of each column. Runs on the current thread
    /// pool.
    pub(in crate::neighbors) fn new<S: Symbol>(
        sides: &[&Side<'_, S>],
        codes: &Codes<S>,
        last: &[u32],
    ) -> Self {
        let count: usize = sides.iter().map(|side| side.unique.len()).sum();
        let string = |record: usize| {
            let columns = sides[0].unique.len();
            match record.checked_sub(columns) {
                None => sides[0].string(record as u32),
                Some(row) => sides[1].string(row as u32),
            }
        };
        let (bits, lens) = (codes.planes, (0..count).map(|record| string(record).len()));
        let mut planes = vec![0; plane_words(lens.clone(), bits) as usize];
        let mut records = vec![0; record_words(count) as usize];
        let (mut rest, mut next, mut tasks) = (&mut planes[..], 0, Vec::new());
        for (task, records) in records.chunks_mut(TASK * RECORD_WORDS).enumerate() {
            let own = task * TASK..((task + 1) * TASK).min(count);
            let words = own
                .clone()
                .map(|record| string(record).len().div_ceil(BLOCK));
            let words = words.sum::<usize>() * bits as usize;
            let (of_task, later) = std::mem::take(&mut rest).split_at_mut(words);
            rest = later;
            tasks.push((own, next, records, of_task));
            next += words;
        }
        parallel::map_each(tasks, |(own, mut first, records, mut planes)| {
            for (record, words) in own.zip(records.chunks_exact_mut(RECORD_WORDS)) {
                let string = string(record);
                let size = string.len().div_ceil(BLOCK) * bits as usize;
                let (of_string, later) = std::mem::take(&mut planes).split_at_mut(size);
                planes = later;
                let last = last.get(record).copied().unwrap_or(0);
                words[..3].copy_from_slice(&[first as u32, string.len() as u32, last]);
                let counts = encode(string, codes, of_string);
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
            longest: lens.max().unwrap_or(0),
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
fn encode<S: Symbol>(string: &[S], codes: &Codes<S>, planes: &mut [u32]) -> [u8; 16] {
    let (mut counts, bits) = ([0u8; 16], codes.planes as usize);
    for (symbols, words) in string.chunks(BLOCK).zip(planes.chunks_exact_mut(bits)) {
        let mut block = [0u32; MAX_PLANES as usize];
        for (place, &symbol) in symbols.iter().enumerate() {
            let code = codes.code(symbol);
            for (plane, word) in block[..bits].iter_mut().enumerate() {
                *word |= u32::from(code >> plane & 1) << place;
            }
            let count = &mut counts[usize::from(code) % 16];
            *count = (*count + 1).min(MAX_COUNT);
        }
        words.copy_from_slice(&block[..bits]);
    }
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
