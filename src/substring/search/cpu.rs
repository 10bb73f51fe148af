//! The cascade on the CPU: shared bitmaps, and parallel tasks of 16,384 windows.

use std::sync::atomic::{AtomicU64, Ordering};

use super::alphabet::Alphabet;
use super::filter::{CAPACITY, Filter, Keys, Shares, Survivor, Survivors, Windows};
use super::hash::mix;
use super::prefixes::prefixes;
use super::{Cascade, Convergence, Settings, SubstringQuery, bitmap_log2};
use crate::call::control::Control;
use crate::error::Result;
use crate::host::parallel::{concat, for_each_chunk_mut, for_each_mut, map, map_each, map_places};
use crate::substring::texts::Code;

/// Windows per survivor word.
const WORD: usize = u64::BITS as usize;
/// Survivor words per task.
const TASK_WORDS: usize = 256;
/// Bitmap words per task.
const BITMAP_WORDS: usize = 1 << 13;
/// Seed of the sampling hash, distinct from those of the bitmaps.
const SAMPLE_SEED: u64 = u64::MAX;

pub struct CpuFilter<'a, C: Code> {
    query: SubstringQuery<'a, C>,
    settings: Settings,
    control: &'a Control,
    alphabet: Alphabet,
    /// Hash base, and the prefix hashes of every text for it.
    prefixes: Option<(u64, Vec<Vec<u64>>)>,
    windows: u64,
}

/// Bloom filter with one hash function.
struct Bitmap {
    words: Vec<AtomicU64>,
    shift: u32,
}

#[derive(Clone, Copy)]
struct SeededBitmap<'a> {
    bitmap: &'a Bitmap,
    seed: u64,
}

impl Bitmap {
    fn new(log2: u32) -> Self {
        let words = 1usize << log2.saturating_sub(6);
        Self {
            words: map_places(words, BITMAP_WORDS, |_| AtomicU64::new(0)),
            shift: u64::BITS - log2,
        }
    }

    fn clear(&mut self) {
        for_each_chunk_mut(&mut self.words, BITMAP_WORDS, |_, words| {
            words.iter_mut().for_each(|word| *word.get_mut() = 0);
        });
    }
}

impl SeededBitmap<'_> {
    /// Word index and bit mask of a key.
    #[inline(always)]
    fn place(&self, key: u64) -> (usize, u64) {
        let mixed = (key ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        let bit = mixed >> self.bitmap.shift;
        ((bit >> 6) as usize, 1 << (bit & 63))
    }

    #[inline(always)]
    fn has(&self, key: u64) -> bool {
        let (word, bit) = self.place(key);
        self.bitmap.words[word].load(Ordering::Relaxed) & bit != 0
    }

    /// Sets the bit of a key. The cache line was just read, or the bit is already set.
    #[inline(always)]
    fn set(&self, key: u64) {
        let (word, bit) = self.place(key);
        self.bitmap.words[word].fetch_or(bit, Ordering::Relaxed);
    }
}

impl<'a, C: Code> CpuFilter<'a, C> {
    pub fn new(
        query: SubstringQuery<'a, C>,
        alphabet: Alphabet,
        settings: &Settings,
        control: &'a Control,
    ) -> Self {
        Self {
            query,
            settings: *settings,
            control,
            alphabet,
            prefixes: None,
            windows: 0,
        }
    }

    pub fn alphabet(&self) -> &Alphabet {
        &self.alphabet
    }

    /// Lists all survivors given as bitmaps over positions, one per text.
    pub fn list_all(&mut self, windows: Windows, left: &[Vec<u64>]) -> Vec<Survivor> {
        self.prepare(windows);
        self.list(windows, left, &Shares::whole(left.len()))
    }

    /// Computes the prefix hashes if the windows need them.
    fn prepare(&mut self, windows: Windows) {
        let known = self
            .prefixes
            .as_ref()
            .is_some_and(|(base, _)| *base == windows.base);
        if !self.alphabet.packs(windows.length) && !known {
            let of = |text: &&[C]| prefixes(text, windows.base);
            self.prefixes = Some((windows.base, self.query.texts.iter().map(of).collect()));
        }
    }

    fn keys(&self, text: usize, windows: Windows, power: u64) -> Keys<'_, C> {
        let prefixes = self
            .prefixes
            .as_ref()
            .map_or(&[][..], |(_, prefixes)| &prefixes[text]);
        Keys::new(
            self.query.texts[text],
            &self.alphabet,
            windows,
            power,
            prefixes,
        )
    }

    /// Tests and marks the remaining windows of a text; returns the number of survivors.
    fn visit(
        &self,
        text: usize,
        windows: Windows,
        left: &mut [u64],
        test: Option<SeededBitmap<'_>>,
        mark: SeededBitmap<'_>,
    ) -> Result<u64> {
        let power = windows.power();
        let task = |(task, words): (usize, &mut [u64])| -> Result<u64> {
            self.control.check()?;
            let mut keys = self.keys(text, windows, power);
            let mut count = 0;
            for (place, word) in words.iter_mut().enumerate().filter(|(_, word)| **word != 0) {
                let first = (task * TASK_WORDS + place) * WORD;
                *word = visit_word(&mut keys, first, *word, test, mark);
                count += u64::from(word.count_ones());
            }
            self.control.add_done((words.len() * WORD) as u64);
            Ok(count)
        };
        let tasks = left.chunks_mut(TASK_WORDS).enumerate().collect();
        map_each(tasks, task).into_iter().sum()
    }

    /// Survivors as bitmaps over positions, and their number per text; empty if some text of a
    /// chain has none.
    fn cascade(&mut self, windows: Windows) -> Result<(Vec<Vec<u64>>, Vec<u64>)> {
        let counts: Vec<_> = self
            .query
            .texts
            .iter()
            .map(|text| windows.count(text.len()))
            .collect();
        let mut left: Vec<_> = counts.iter().map(|&count| ones(count)).collect();
        let cascade = Cascade {
            texts: counts.len(),
            inputs: self.query.inputs,
        };
        if counts.iter().filter(|&&count| count > 0).count() < cascade.inputs {
            return Ok(Default::default());
        }
        let max = counts.iter().copied().max().unwrap_or(0);
        let log2 = bitmap_log2(max, self.settings.tuning.bitmap_log2);
        let mut convergence = Convergence::of(counts.iter().map(|&count| count as u64).collect());
        let seed = |marked: usize| mix(windows.base ^ marked as u64);
        let mut bitmaps = [Bitmap::new(log2), Bitmap::new(log2)];
        let mut levels: Vec<_> = (0..cascade.levels()).map(|_| Bitmap::new(log2)).collect();
        for visit in cascade.visits() {
            let words = left[visit.text].len() as u64;
            self.windows += words * WORD as u64;
            self.control.add_total(words * WORD as u64);
            let marked = cascade.marked(&visit);
            // The mark bitmap of one visit is the test bitmap of the next.
            let [mark, test] = &mut bitmaps;
            let test_with = visit.tests.then(|| SeededBitmap {
                bitmap: test,
                seed: seed(marked.wrapping_sub(1)),
            });
            let mark_with = SeededBitmap {
                bitmap: mark,
                seed: seed(marked),
            };
            let count = self.visit(
                visit.text,
                windows,
                &mut left[visit.text],
                test_with,
                mark_with,
            )?;
            let ends = convergence.record(&visit, count);
            match cascade.is_chain() {
                true if count == 0 => return Ok(Default::default()),
                true => {
                    test.clear();
                    bitmaps.swap(0, 1);
                }
                false => {
                    count_level(&mut levels, mark);
                    if visit.ends_round {
                        if let Some(top) = levels.last_mut() {
                            std::mem::swap(top, test);
                        }
                        levels.iter_mut().for_each(Bitmap::clear);
                    }
                }
            }
            if ends {
                break;
            }
        }
        Ok((left, convergence.survivors))
    }

    /// Lists the survivors that are sampled.
    fn list(&self, windows: Windows, left: &[Vec<u64>], shares: &Shares) -> Vec<Survivor> {
        let power = windows.power();
        let texts = left.iter().enumerate();
        let tasks: Vec<_> = texts
            .flat_map(|(text, left)| {
                left.chunks(TASK_WORDS)
                    .enumerate()
                    .map(move |task| (text, task))
            })
            .collect();
        let of_task = |task: usize| {
            let (text, (task, words)) = tasks[task];
            let mut keys = self.keys(text, windows, power);
            let mut list = Vec::new();
            for (place, &word) in words.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    let position =
                        (task * TASK_WORDS + place) * WORD + rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    let key = keys.key(position);
                    let is_sampled =
                        |number: u64, log2| mix(number ^ SAMPLE_SEED).leading_zeros() >= log2;
                    if is_sampled(key, shares.keys)
                        || is_sampled(position as u64, shares.positions[text])
                    {
                        list.push(Survivor {
                            key,
                            text,
                            position,
                        });
                    }
                }
            }
            list
        };
        concat(map(tasks.len(), of_task))
    }
}

impl<C: Code> Filter for CpuFilter<'_, C> {
    async fn survivors(&mut self, windows: Windows, all: bool) -> Result<Survivors> {
        self.prepare(windows);
        let (left, count) = self.cascade(windows)?;
        let capacity = if all {
            usize::MAX
        } else {
            self.settings.tuning.capacity.unwrap_or(CAPACITY)
        };
        if all {
            self.settings.check_places(count.iter().sum())?;
        }
        let shares = Shares::of(&count, capacity);
        Ok(Survivors {
            list: self.list(windows, &left, &shares),
            complete: shares.keys == 0,
        })
    }

    fn cells(&self, windows: Windows) -> u64 {
        self.query
            .texts
            .iter()
            .map(|text| windows.count(text.len()) as u64)
            .sum::<u64>()
            * VISITS_OF_TEXT
    }

    fn windows(&self) -> u64 {
        self.windows
    }
}

/// Typical number of visits of a text.
const VISITS_OF_TEXT: u64 = 3;

/// Tests and marks the windows of one word; returns the survivors. All bitmap words are loaded
/// before any is used, so that the loads overlap.
#[inline(always)]
fn visit_word<C: Code>(
    keys: &mut Keys<'_, C>,
    first: usize,
    word: u64,
    test: Option<SeededBitmap<'_>>,
    mark: SeededBitmap<'_>,
) -> u64 {
    let mut of = [0; WORD];
    let mut rest = word;
    while rest != 0 {
        let place = rest.trailing_zeros() as usize;
        rest &= rest - 1;
        of[place] = keys.key(first + place);
    }
    let left = test.map_or(word, |test| present(&of, word, test));
    let mut missing = left & !present(&of, left, mark);
    while missing != 0 {
        mark.set(of[missing.trailing_zeros() as usize]);
        missing &= missing - 1;
    }
    left
}

/// Bit mask of the keys, among those in `from`, that are in the bitmap.
#[inline(always)]
fn present(of: &[u64; WORD], from: u64, bitmap: SeededBitmap<'_>) -> u64 {
    let mut picked = 0;
    if from == u64::MAX {
        for (place, &key) in of.iter().enumerate() {
            picked |= u64::from(bitmap.has(key)) << place;
        }
        return picked;
    }
    let mut rest = from;
    while rest != 0 {
        let place = rest.trailing_zeros();
        rest &= rest - 1;
        picked |= u64::from(bitmap.has(of[place as usize])) << place;
    }
    picked
}

/// Adds the keys of a text to the levels: a key on level `j - 1` is added to level `j`. Clears the
/// text's bitmap.
fn count_level(levels: &mut [Bitmap], text: &mut Bitmap) {
    for level in (1..levels.len()).rev() {
        let (below, above) = levels.split_at_mut(level);
        let below = &below[level - 1].words;
        for_each_chunk_mut(&mut above[0].words, BITMAP_WORDS, |task, above| {
            let first = task * BITMAP_WORDS;
            let others = below[first..].iter().zip(&text.words[first..]);
            for (above, (below, text)) in above.iter_mut().zip(others) {
                *above.get_mut() |= below.load(Ordering::Relaxed) & text.load(Ordering::Relaxed);
            }
        });
    }
    let of_level = levels[0].words.chunks_mut(BITMAP_WORDS);
    let mut chunks: Vec<_> = of_level.zip(text.words.chunks_mut(BITMAP_WORDS)).collect();
    for_each_mut(&mut chunks, |_, (level, text)| {
        for (level, text) in level.iter_mut().zip(text.iter_mut()) {
            *level.get_mut() |= std::mem::take(text.get_mut());
        }
    });
}

/// A bitmap whose first `count` bits are set.
fn ones(count: usize) -> Vec<u64> {
    let mut words = vec![u64::MAX; count.div_ceil(WORD)];
    if let (Some(last), cut @ 1..) = (words.last_mut(), count % WORD) {
        *last = (1 << cut) - 1;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::super::hash;
    use super::*;

    #[test]
    fn rolled_keys_equal_direct_keys() {
        let text: Vec<u8> = (0..1000).map(|place| (mix(place) % 5) as u8).collect();
        let alphabet = Alphabet::of(&[&text[..]]);
        let base = hash::base(3);
        let prefixes = prefixes(&text, base);
        for length in [1, 2, 20, 21, 22, 64, 65, 500, 1000] {
            let windows = Windows { length, base };
            let keys = || Keys::new(&text, &alphabet, windows, windows.power(), &prefixes);
            let mut rolled = keys();
            for position in 0..windows.count(text.len()) {
                assert_eq!(
                    rolled.key(position),
                    keys().key(position),
                    "{length} at {position}"
                );
            }
        }
    }
}
