//! Sizes of a sort on a device: chunks, workgroups and kernels.

use super::onesweep_shape;
use super::shape::{SortTuning, shape};
use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::kernels::sort::{Onesweep, RADIX, RadixSort};
use crate::plan::{BufferId, Contents, Plan};

/// Maximum keys of an array: an index plus a tile fits a word.
pub(crate) const MAX_KEYS: u64 = 1 << 31;
/// Workgroups per array: many, to keep the tail of the last ones short.
const WORKGROUPS: u32 = 4096;
/// Minimum workgroups per chunk, if it has as many tiles.
const WORKGROUPS_OF_CHUNK: u32 = 64;
/// Approximate maximum of keys per pass: one time slice of a small GPU. Nothing else limits a pass
/// recorded by an application.
const PASS_KEYS: u64 = 1 << 26;

/// Keys and payload on a device, by chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyArrays {
    /// Key words, low word first.
    pub keys: Vec<BufferId>,
    /// Payload words; empty if there is no payload.
    pub payload: Vec<BufferId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SortSizes {
    pub sort: RadixSort,
    /// Kernels used instead of `sort` if the device supports them.
    pub onesweep: Option<Onesweep>,
    pub keys: u64,
    /// Keys of every chunk but the last.
    pub chunk_keys: u64,
    pub groups: u32,
    pub pass_groups: u32,
    pub pass_keys: u64,
}

impl SortSizes {
    /// Sizes for at most `keys` keys of `key_words` words.
    ///
    /// # Errors
    /// [`Error::InputTooLong`], and [`Error::InvalidTuning`] if a forced shape exceeds the
    /// workgroup memory.
    pub fn new(
        key_words: u32,
        payload: bool,
        keys: u64,
        caps: &Capabilities,
        tuning: &SortTuning,
    ) -> Result<Self> {
        let key_bytes = u64::from(key_words) * 4;
        // One chunk is faster than several: use it if a binding holds the array.
        let one = keys.saturating_mul(key_bytes) <= caps.binding_bytes.min(caps.buffer_bytes);
        let in_one_chunk = one && tuning.chunk_keys.is_none();
        let onesweep = onesweep_shape::shape(key_words, payload, keys, in_one_chunk, caps, tuning)?;
        // A forced shape applies to the kernels that run.
        let mut shape_tuning = *tuning;
        if onesweep.is_some() {
            (shape_tuning.lanes, shape_tuning.steps) = (None, None);
        }
        let sort = shape(key_words, payload, caps, &shape_tuning)?;
        let tile = u64::from(sort.tile());
        let fitting = if one {
            keys.div_ceil(tile).saturating_mul(tile)
        } else {
            caps.chunk_bytes / key_bytes
        };
        let chunk_keys = tuning.chunk_keys.unwrap_or(u64::MAX).min(fitting) / tile * tile;
        let chunk_keys = chunk_keys.max(tile);
        Self {
            sort,
            onesweep,
            keys: 0,
            chunk_keys,
            groups: u32::MAX,
            pass_groups: 1,
            pass_keys: 1,
        }
        .for_keys(keys, tuning)
    }

    /// The same kernels for fewer keys, within the same memory.
    ///
    /// # Errors
    /// [`Error::InputTooLong`].
    pub fn for_keys(self, keys: u64, tuning: &SortTuning) -> Result<Self> {
        if keys > MAX_KEYS {
            let remedy = "sort parts of it, and merge them";
            return Err(Error::InputTooLong {
                what: "the array of keys",
                actual: keys,
                limit: MAX_KEYS,
                remedy,
            });
        }
        let sizes = Self { keys, ..self };
        let tiles = keys
            .min(self.chunk_keys)
            .div_ceil(u64::from(self.sort.tile())) as u32;
        let max = (WORKGROUPS / sizes.chunks() as u32).max(WORKGROUPS_OF_CHUNK);
        let groups = tiles
            .min(tuning.workgroups.unwrap_or(max))
            .min(self.groups)
            .max(1);
        let of_group = keys.min(self.chunk_keys).div_ceil(groups.into()).max(1);
        let pass_keys = tuning.pass_keys.unwrap_or(PASS_KEYS);
        let pass_groups = (pass_keys / of_group).clamp(1, groups.into()) as u32;
        Ok(Self {
            groups,
            pass_groups,
            pass_keys,
            ..sizes
        })
    }

    pub fn chunks(&self) -> usize {
        self.keys.div_ceil(self.chunk_keys).max(1) as usize
    }

    /// Index of a chunk's first key, and its number of keys.
    pub fn chunk(&self, chunk: usize) -> (u64, u64) {
        let first = chunk as u64 * self.chunk_keys;
        (first, (self.keys - first).min(self.chunk_keys))
    }

    /// Keys per tile, and number of workgroups.
    pub fn tiles(&self) -> (u32, u64) {
        match self.onesweep {
            Some(onesweep) => (
                onesweep.tile(),
                self.keys.div_ceil(onesweep.tile().into()).max(1),
            ),
            None => (
                self.sort.tile(),
                u64::from(self.groups) * self.chunks() as u64,
            ),
        }
    }

    /// Number of reads and writes of the arrays in `rounds` rounds.
    pub fn moves(&self, rounds: usize) -> f64 {
        match self.onesweep {
            Some(_) => 2.0 * rounds as f64 + 1.0,
            None => 3.0 * rounds as f64,
        }
    }

    pub fn counts_words(&self) -> u64 {
        u64::from(RADIX) * (self.columns() + 1)
    }

    /// Adds arrays of this size; `contents` are those of keys and of payload.
    pub fn arrays(&self, plan: &mut Plan, name: &str, contents: [&Contents; 2]) -> KeyArrays {
        let key_words = u64::from(self.sort.key_words);
        let [keys, payload] = contents;
        let mut arrays = KeyArrays::default();
        for chunk in 0..self.chunks() {
            // Buffers must not be empty, so that they can be bound.
            let room = self.chunk(chunk).1.max(1);
            let key_buffer = plan.buffer(format!("{name} keys"), room * key_words, keys.clone());
            arrays.keys.push(key_buffer);
            if self.sort.payload {
                let payload_buffer = plan.buffer(format!("{name} payload"), room, payload.clone());
                arrays.payload.push(payload_buffer);
            }
        }
        arrays
    }

    pub fn scratch(&self, plan: &mut Plan) -> KeyArrays {
        self.arrays(plan, "scratch", [&Contents::Unspecified; 2])
    }

    pub(super) fn columns(&self) -> u64 {
        self.chunks() as u64 * u64::from(self.groups)
    }
}

/// Bindings of a pass that moves keys from one chunk to another.
pub(super) fn move_bindings(
    length: BufferId,
    [from, into]: [&KeyArrays; 2],
    chunk: usize,
    other: usize,
    counts: Option<BufferId>,
) -> Vec<BufferId> {
    let mut bindings = vec![length, from.keys[chunk], into.keys[other]];
    bindings.extend(counts);
    bindings.extend(from.payload.get(chunk));
    bindings.extend(into.payload.get(other));
    bindings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_chunked_at_tiles_only_beyond_a_binding() {
        let (caps, tuning) = (Capabilities::default(), SortTuning::default());
        let whole = SortSizes::new(2, true, (128 << 20) / 8, &caps, &tuning).expect("it fits");
        assert_eq!(whole.chunks(), 1);
        let cut = SortSizes::new(2, true, (128 << 20) / 8 + 1, &caps, &tuning).expect("it fits");
        assert_eq!(cut.chunks(), 2);
        assert_eq!(cut.chunk_keys % u64::from(cut.sort.tile()), 0);
        let all: u64 = (0..cut.chunks()).map(|chunk| cut.chunk(chunk).1).sum();
        assert_eq!(all, cut.keys);
        assert!(
            SortSizes::new(1, false, MAX_KEYS, &caps, &tuning)
                .is_ok_and(|sizes| sizes.counts_words() < 1 << 24)
        );
        assert!(matches!(
            SortSizes::new(1, false, MAX_KEYS + 1, &caps, &tuning),
            Err(Error::InputTooLong { .. })
        ));
    }
}
