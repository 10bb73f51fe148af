//! Passes that sort arrays on a device: for calls, for an application's commands, and for other planners.
//!
//! One digit of eight bits a round, the lowest first: an upsweep counts the digits of each workgroup's keys, a scan sums the counts,
//! and a downsweep writes the keys, in order, into another array. Arrays longer than a binding lie in chunks; a downsweep from each
//! chunk into each chunk writes what belongs there, so that with c chunks keys are read c times. Where workgroups may wait for each
//! other, arrays of one chunk take the passes of [`onesweep`].

use super::key::Digit;
use super::onesweep;
use super::shape::{Tuning, shape};
use crate::backend::Capabilities;
use crate::engine::profile::gpu::radix_sort::{DOWNSWEEP_CELLS, UPSWEEP_CELLS};
use crate::error::{Error, Result};
use crate::kernels::sort::{self, Onesweep, RADIX, RadixSort};
use crate::plan::{BufferId, Contents, Pass, Plan, params};

/// Most keys of an array: the sum of a place and a tile is a word.
pub const MOST_KEYS: u64 = 1 << 31;
/// Workgroups that share an array: so many that the last ones to end are a small part of all.
const WORKGROUPS: u32 = 4096;
/// Fewest of them that a chunk gets, where it has as many tiles.
const WORKGROUPS_OF_CHUNK: u32 = 64;

/// Keys that a pass moves at the most, about: a small GPU takes a slice for them.
const PASS_KEYS: u64 = 1 << 26;
/// Where the parameters say which workgroup of a chunk is a pass's first, as range.wgsl has it.
const FIRST_GROUP: usize = 10;

/// Keys and their payload on a device, chunk by chunk.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrays {
    /// Words of the keys, of each the low one first.
    pub keys: Vec<BufferId>,
    /// Words of the payload, as many chunks or none.
    pub payload: Vec<BufferId>,
}

/// Sizes of a sort on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The kernels.
    pub sort: RadixSort,
    /// Those that take their place where workgroups may wait for each other.
    pub onesweep: Option<Onesweep>,
    /// Most keys that the arrays hold.
    pub keys: u64,
    /// Keys of every chunk but the last.
    pub chunk_keys: u64,
    /// Workgroups of a chunk.
    pub groups: u32,
    /// Most of them in one pass.
    pub pass_groups: u32,
    /// Keys that a pass moves, about.
    pub pass_keys: u64,
}

impl Sizes {
    /// For so many keys, of so many words each, at the most.
    ///
    /// # Errors
    /// [`Error::InputTooLong`], and [`Error::InvalidTuning`] where a forced shape does not fit into a workgroup.
    pub fn new(key_words: u32, payload: bool, keys: u64, caps: &Capabilities, tuning: &Tuning) -> Result<Self> {
        let key_bytes = u64::from(key_words) * 4;
        // One chunk is faster than two: where a binding holds the array, it is one.
        let one = keys.saturating_mul(key_bytes) <= caps.binding_bytes.min(caps.buffer_bytes);
        let array = (keys, one && tuning.chunk_keys.is_none());
        let onesweep = onesweep::shape((key_words, payload), array, caps, tuning)?;
        // A shape that is forced is that of the kernels that run.
        let own = if onesweep.is_some() { Tuning { lanes: None, steps: None, ..*tuning } } else { *tuning };
        let sort = shape(key_words, payload, caps, &own)?;
        let tile = u64::from(sort.tile());
        let fitting = if one { keys.div_ceil(tile).saturating_mul(tile) } else { caps.chunk_bytes / key_bytes };
        let chunk_keys = tuning.chunk_keys.unwrap_or(u64::MAX).min(fitting) / tile * tile;
        let chunk_keys = chunk_keys.max(tile);
        Self { sort, onesweep, keys: 0, chunk_keys, groups: u32::MAX, pass_groups: 1, pass_keys: 1 }
            .for_keys(keys, tuning)
    }

    /// The same kernels for fewer keys, which take no more memory.
    ///
    /// # Errors
    /// [`Error::InputTooLong`].
    pub fn for_keys(self, keys: u64, tuning: &Tuning) -> Result<Self> {
        if keys > MOST_KEYS {
            let remedy = "sort parts of it, and merge them";
            return Err(Error::InputTooLong { what: "the array of keys", actual: keys, limit: MOST_KEYS, remedy });
        }
        let sizes = Self { keys, ..self };
        let tiles = keys.min(self.chunk_keys).div_ceil(u64::from(self.sort.tile())) as u32;
        let most = (WORKGROUPS / sizes.chunks() as u32).max(WORKGROUPS_OF_CHUNK);
        let groups = tiles.min(tuning.workgroups.unwrap_or(most)).min(self.groups).max(1);
        let of_group = keys.min(self.chunk_keys).div_ceil(groups.into()).max(1);
        let pass_keys = tuning.pass_keys.unwrap_or(PASS_KEYS);
        let pass_groups = (pass_keys / of_group).clamp(1, groups.into()) as u32;
        Ok(Self { groups, pass_groups, pass_keys, ..sizes })
    }

    /// Chunks of each array.
    pub fn chunks(&self) -> usize {
        self.keys.div_ceil(self.chunk_keys).max(1) as usize
    }

    /// The first key of a chunk, and how many it holds.
    pub fn chunk(&self, chunk: usize) -> (u64, u64) {
        let first = chunk as u64 * self.chunk_keys;
        (first, (self.keys - first).min(self.chunk_keys))
    }

    /// Keys of a tile, and how many workgroups share all tiles.
    pub fn tiles(&self) -> (u32, u64) {
        match self.onesweep {
            Some(onesweep) => (onesweep.tile(), self.keys.div_ceil(onesweep.tile().into()).max(1)),
            None => (self.sort.tile(), u64::from(self.groups) * self.chunks() as u64),
        }
    }

    /// How often so many rounds read and write the arrays.
    pub fn moves(&self, rounds: usize) -> f64 {
        match self.onesweep {
            Some(_) => 2.0 * rounds as f64 + 1.0,
            None => 3.0 * rounds as f64,
        }
    }

    /// Words of the counts.
    pub fn counts_words(&self) -> u64 {
        u64::from(RADIX) * (self.columns() + 1)
    }

    /// Arrays of this size; `keys` and `payload` make the contents of the chunks of so many keys behind the first.
    pub fn arrays(
        &self,
        plan: &mut Plan,
        name: &str,
        keys: impl Fn(u64, u64) -> Contents,
        payload: impl Fn(u64, u64) -> Contents,
    ) -> Arrays {
        let key_words = u64::from(self.sort.key_words);
        let mut arrays = Arrays::default();
        for (first, count) in (0..self.chunks()).map(|chunk| self.chunk(chunk)) {
            // A buffer has a key at least, so that it can be bound.
            let room = count.max(1);
            arrays.keys.push(plan.buffer(format!("{name} keys"), room * key_words, keys(first, count)));
            if self.sort.payload {
                arrays.payload.push(plan.buffer(format!("{name} payload"), room, payload(first, count)));
            }
        }
        arrays
    }

    /// Arrays that hold anything.
    pub fn scratch(&self, plan: &mut Plan) -> Arrays {
        self.arrays(plan, "scratch", |_, _| Contents::Unspecified, |_, _| Contents::Unspecified)
    }

    /// Sorts what lies in the first arrays by these digits, as many keys as the word of the buffer `length` says. The second ones are
    /// scratch; what is told is in which of them the sorted keys lie: in the first after an even number of digits.
    pub fn add_passes(
        &self,
        plan: &mut Plan,
        arrays: [&Arrays; 2],
        length: (BufferId, u32),
        digits: &[Digit],
    ) -> usize {
        if digits.is_empty() {
            return 0;
        }
        if let Some(kernels) = &self.onesweep {
            return onesweep::add_passes((self, kernels), plan, arrays, length, digits);
        }
        let counts = plan.buffer("counts", self.counts_words(), Contents::Unspecified);
        let [upsweep, scan, downsweep] =
            [self.sort.upsweep(), sort::scan(), self.sort.downsweep()].map(|kernel| plan.kernel(kernel));
        let chunks = self.chunks();
        let summed = plan.bind(vec![counts]);
        // By direction, and from which chunk into which.
        let directions = [[arrays[0], arrays[1]], [arrays[1], arrays[0]]].map(|[from, into]| {
            let counted: Vec<_> =
                (0..chunks).map(|chunk| plan.bind(vec![length.0, from.keys[chunk], counts])).collect();
            let pairs = (0..chunks).flat_map(|chunk| (0..chunks).map(move |other| (chunk, other)));
            let moved = pairs.map(|pair| plan.bind(move_bindings(length.0, [from, into], pair, Some(counts))));
            (counted, moved.collect::<Vec<_>>())
        });
        for (round, digit) in digits.iter().enumerate() {
            let (counted, moved) = &directions[round % 2];
            for (chunk, &bindings) in counted.iter().enumerate() {
                let params = self.params(chunk, 0, length.1, *digit);
                plan.passes.extend(self.passes((upsweep, bindings), params, chunk, UPSWEEP_CELLS));
            }
            let columns = self.columns();
            plan.passes.push(Pass {
                kernel: scan,
                bindings: summed,
                groups: [RADIX, 1, 1],
                params: params([columns as u32]),
                cells: columns * u64::from(RADIX),
            });
            for (pair, &bindings) in moved.iter().enumerate() {
                let (chunk, other) = (pair / chunks, pair % chunks);
                let params = self.params(chunk, other, length.1, *digit);
                plan.passes.extend(self.passes((downsweep, bindings), params, chunk, DOWNSWEEP_CELLS));
            }
        }
        digits.len() % 2
    }

    /// Copies keys and payload.
    pub fn add_copy(&self, plan: &mut Plan, [from, into]: [&Arrays; 2], length: (BufferId, u32)) {
        let copy = plan.kernel(self.sort.copy());
        for chunk in 0..self.chunks() {
            let bindings = plan.bind(move_bindings(length.0, [from, into], (chunk, chunk), None));
            let params = self.params(chunk, chunk, length.1, Digit { shift: 0, mask: 0 });
            plan.passes.extend(self.passes((copy, bindings), params, chunk, UPSWEEP_CELLS));
        }
    }

    /// Workgroups of all chunks.
    fn columns(&self) -> u64 {
        self.chunks() as u64 * u64::from(self.groups)
    }

    /// In the order of `Params` in range.wgsl.
    fn params(&self, chunk: usize, into: usize, length_at: u32, digit: Digit) -> [u32; crate::plan::PARAMS] {
        let [(first, keys), (into_first, into_keys)] = [self.chunk(chunk), self.chunk(into)];
        let (column, columns) = (chunk as u64 * u64::from(self.groups), self.columns());
        let [first, keys, into_first, into_keys, column, columns] =
            [first, keys, into_first, into_keys, column, columns].map(|number| number as u32);
        params([first, keys, length_at, self.groups, column, columns, digit.shift, digit.mask, into_first, into_keys])
    }

    /// Passes over the keys of a chunk, each of some of its workgroups.
    fn passes(
        &self,
        (kernel, bindings): (usize, usize),
        params: [u32; crate::plan::PARAMS],
        chunk: usize,
        cells: u64,
    ) -> impl Iterator<Item = Pass> {
        let Self { groups, pass_groups, .. } = *self;
        let of_group = self.chunk(chunk).1.div_ceil(groups.into()) * cells;
        (0..groups).step_by(pass_groups as usize).map(move |first| {
            let (mut params, groups) = (params, pass_groups.min(groups - first));
            params[FIRST_GROUP] = first;
            Pass { kernel, bindings, groups: [groups, 1, 1], params, cells: of_group * u64::from(groups) }
        })
    }
}

/// What a pass binds that moves keys from one chunk into another.
pub(super) fn move_bindings(
    length: BufferId,
    [from, into]: [&Arrays; 2],
    (chunk, other): (usize, usize),
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
    use crate::sort::key::digits;

    fn caps(subgroup: Option<u32>, workgroup_bytes: u32) -> Capabilities {
        Capabilities { subgroup, workgroup_bytes, ..Capabilities::default() }
    }

    #[test]
    fn an_array_that_a_binding_holds_is_one_chunk_and_a_longer_one_is_cut_at_tiles() {
        let caps = caps(None, 16 << 10);
        let whole = Sizes::new(2, true, (128 << 20) / 8, &caps, &Tuning::default()).expect("it fits");
        assert_eq!(whole.chunks(), 1);
        let cut = Sizes::new(2, true, (128 << 20) / 8 + 1, &caps, &Tuning::default()).expect("it fits");
        assert_eq!(cut.chunks(), 2);
        assert_eq!(cut.chunk_keys % u64::from(cut.sort.tile()), 0);
        let all: u64 = (0..cut.chunks()).map(|chunk| cut.chunk(chunk).1).sum();
        assert_eq!(all, cut.keys);
        assert!(
            Sizes::new(1, false, MOST_KEYS, &caps, &Tuning::default())
                .is_ok_and(|sizes| sizes.counts_words() < 1 << 24)
        );
        assert!(matches!(
            Sizes::new(1, false, MOST_KEYS + 1, &caps, &Tuning::default()),
            Err(Error::InputTooLong { .. })
        ));
    }

    #[test]
    fn a_pass_takes_eight_bindings_at_the_most_and_a_digit_three_dispatches() {
        let sizes = Sizes::new(2, true, 100_000, &caps(None, 16 << 10), &Tuning::default()).expect("it fits");
        let mut plan = Plan::default();
        let length = plan.upload("length", vec![100_000]);
        let [keys, other] = [sizes.scratch(&mut plan), sizes.scratch(&mut plan)];
        let lies_in = sizes.add_passes(&mut plan, [&keys, &other], (length, 0), &digits(0xff_ffff));
        assert_eq!((lies_in, plan.passes.len()), (1, 9));
        assert!(plan.bindings.iter().all(|bindings| bindings.len() <= 8));
    }

    #[test]
    fn passes_of_many_keys_are_cut_between_workgroups() {
        let sizes = Sizes::new(1, false, 1 << 25, &caps(None, 16 << 10), &Tuning::default()).expect("it fits");
        let tuning = Tuning { pass_keys: Some(1 << 22), ..Tuning::default() };
        let cut = Sizes::new(1, false, 1 << 25, &caps(None, 16 << 10), &tuning).expect("it fits");
        let passes = |sizes: &Sizes| {
            let mut plan = Plan::default();
            let length = plan.upload("length", vec![1 << 25]);
            let [keys, other] = [sizes.scratch(&mut plan), sizes.scratch(&mut plan)];
            sizes.add_passes(&mut plan, [&keys, &other], (length, 0), &digits(0xff));
            plan.passes
        };
        assert_eq!(passes(&sizes).len(), 3);
        let cut = passes(&cut);
        assert!((17..=21).contains(&cut.len()), "{}", cut.len());
        let groups = |passes: &[Pass]| passes.iter().map(|pass| pass.groups[0]).sum::<u32>();
        assert_eq!(groups(&cut), groups(&passes(&sizes)));
    }
}
