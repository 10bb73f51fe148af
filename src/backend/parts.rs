//! Uploads that are made part by part, by the threads that put them where the device takes them from: no second copy of a long input
//! lies on the host.

use rayon::prelude::*;

use crate::plan::Buffer;

/// What makes the words of buffers whose [contents](crate::plan::Contents::Parts) come in parts.
pub trait Source: Sync {
    /// Writes the words of a buffer from `first` on, a multiple of its unit; all of them.
    fn write(&self, buffer: &Buffer, first: u64, words: &mut [u32]);
}

/// The source of plans that need none.
#[derive(Debug)]
pub struct NoSource;

impl Source for NoSource {
    fn write(&self, _: &Buffer, _: u64, words: &mut [u32]) {
        words.fill(0);
    }
}

/// Words of a part that is made at once: it stays in a cache.
const PART_WORDS: u64 = 1 << 13;

/// Words of the parts of a buffer whose unit is this.
pub fn part_words(unit: u64) -> u64 {
    (PART_WORDS / unit.max(1)).max(1) * unit.max(1)
}

/// All words of a buffer, for a device that takes no parts.
pub fn whole(source: &dyn Source, buffer: &Buffer, unit: u64) -> Vec<u32> {
    let part = part_words(unit);
    let mut words = vec![0; buffer.words as usize];
    let write = |(place, words): (usize, &mut [u32])| source.write(buffer, place as u64 * part, words);
    words.par_chunks_mut(part as usize).enumerate().for_each(write);
    words
}
