//! Passes that sort arrays on a device, for calls, application commands and other planners.
//!
//! One 8-bit digit per round, lowest first: an upsweep counts the digits of each workgroup's keys,
//! a scan sums the counts, and a downsweep writes the keys in order into the other array. Arrays
//! longer than a binding are chunked; a downsweep per pair of chunks writes the keys that belong
//! there, so that with c chunks keys are read c times. On devices with forward progress, arrays of
//! one chunk use [`onesweep`].

use super::key::Digit;
use super::onesweep;
use super::passes::by_groups;
use super::sizes::{KeyArrays, SortSizes, move_bindings};
use crate::engine::profile::gpu::radix_sort::COUNT_CELLS;
use crate::kernels::sort::{self, RADIX};
use crate::plan::{Bounds, BufferId, Contents, PARAMS, Pass, PassSplit, Plan, params};

/// Parameter of a pass's first workgroup, see range.wgsl.
const FIRST_GROUP: usize = 10;
const BY_GROUPS: PassSplit = PassSplit::by_group(Bounds::First(FIRST_GROUP));
/// Slices of a scan by digit; parameter 1 is the first.
const BY_DIGITS: PassSplit = PassSplit::by_group(Bounds::First(1));

impl SortSizes {
    /// Adds the passes that sort the first arrays by these digits; the word `length.1` of the
    /// buffer `length.0` is the number of keys. The second arrays are scratch. Returns the index of
    /// the arrays with the result: 0 for an even number of digits.
    pub fn add_passes(
        &self,
        plan: &mut Plan,
        arrays: [&KeyArrays; 2],
        length: (BufferId, u32),
        digits: &[Digit],
    ) -> usize {
        if digits.is_empty() {
            return 0;
        }
        if let Some(kernels) = &self.onesweep {
            return onesweep::add_passes(self, kernels, plan, arrays, length.0, length.1, digits);
        }
        let counts = plan.buffer("counts", self.counts_words(), Contents::Unspecified);
        let [upsweep, scan, downsweep] = [self.sort.upsweep(), sort::scan(), self.sort.downsweep()]
            .map(|kernel| plan.kernel(kernel));
        plan.splits
            .extend([upsweep, downsweep].map(|kernel| (kernel, BY_GROUPS)));
        plan.splits.push((scan, BY_DIGITS));
        let chunks = self.chunks();
        let summed = plan.bind(vec![counts]);
        // Bindings by direction, then by source and target chunk.
        let directions = [[arrays[0], arrays[1]], [arrays[1], arrays[0]]].map(|[from, into]| {
            let counted: Vec<_> = (0..chunks)
                .map(|chunk| plan.bind(vec![length.0, from.keys[chunk], counts]))
                .collect();
            let pairs = (0..chunks).flat_map(|chunk| (0..chunks).map(move |other| (chunk, other)));
            let moved = pairs.map(|(chunk, other)| {
                let arrays = [from, into];
                plan.bind(move_bindings(length.0, arrays, chunk, other, Some(counts)))
            });
            (counted, moved.collect::<Vec<_>>())
        });
        for (round, digit) in digits.iter().enumerate() {
            let (counted, moved) = &directions[round % 2];
            for (chunk, &bindings) in counted.iter().enumerate() {
                let params = self.params(chunk, 0, length.1, *digit);
                plan.passes
                    .extend(self.passes(upsweep, bindings, params, chunk, COUNT_CELLS));
            }
            let columns = self.columns();
            plan.passes.push(Pass {
                kernel: scan,
                bindings: summed,
                groups: [RADIX, 1, 1],
                params: params([columns as u32, 0]),
                cells: columns * u64::from(RADIX) * COUNT_CELLS,
            });
            for (pair, &bindings) in moved.iter().enumerate() {
                let (chunk, other) = (pair / chunks, pair % chunks);
                let params = self.params(chunk, other, length.1, *digit);
                plan.passes.extend(self.passes(
                    downsweep,
                    bindings,
                    params,
                    chunk,
                    3 * COUNT_CELLS,
                ));
            }
        }
        digits.len() % 2
    }

    /// Adds the passes that copy keys and payload.
    pub fn add_copy(
        &self,
        plan: &mut Plan,
        [from, into]: [&KeyArrays; 2],
        length: BufferId,
        length_at: u32,
    ) {
        let copy = plan.kernel(self.sort.copy());
        plan.splits.push((copy, BY_GROUPS));
        for chunk in 0..self.chunks() {
            let bindings = plan.bind(move_bindings(length, [from, into], chunk, chunk, None));
            let params = self.params(chunk, chunk, length_at, Digit { shift: 0, mask: 0 });
            plan.passes
                .extend(self.passes(copy, bindings, params, chunk, COUNT_CELLS));
        }
    }

    /// Parameters in the order of `Params` in range.wgsl.
    fn params(&self, chunk: usize, into: usize, length_at: u32, digit: Digit) -> [u32; PARAMS] {
        let [(first, keys), (into_first, into_keys)] = [self.chunk(chunk), self.chunk(into)];
        let (column, columns) = (chunk as u64 * u64::from(self.groups), self.columns());
        let [first, keys, into_first, into_keys, column, columns] =
            [first, keys, into_first, into_keys, column, columns].map(|number| number as u32);
        params([
            first,
            keys,
            length_at,
            self.groups,
            column,
            columns,
            digit.shift,
            digit.mask,
            into_first,
            into_keys,
        ])
    }

    /// The passes over a chunk, at most `pass_groups` workgroups each.
    fn passes(
        &self,
        kernel: usize,
        bindings: usize,
        params: [u32; PARAMS],
        chunk: usize,
        cells: u64,
    ) -> impl Iterator<Item = Pass> {
        let groups = self.groups;
        let whole = Pass {
            kernel,
            bindings,
            groups: [groups, 1, 1],
            params,
            cells: self.chunk(chunk).1.div_ceil(groups.into()) * cells,
        };
        by_groups(whole, self.pass_groups, Some(FIRST_GROUP))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Capabilities;
    use crate::sort::key::digits;
    use crate::sort::shape::SortTuning;

    /// The plan of a sort by these bits, with the index of its result, and a copy back for `copies`.
    fn planned(
        key_words: u32,
        keys: u64,
        bits: u64,
        pass_keys: Option<u64>,
        copies: bool,
    ) -> (Plan, usize) {
        let tuning = SortTuning {
            pass_keys,
            ..SortTuning::default()
        };
        let caps = Capabilities::default();
        let sizes = SortSizes::new(key_words, true, keys, &caps, &tuning).expect("it fits");
        let mut plan = Plan::default();
        let length = plan.upload("length", vec![keys as u32]);
        let [keys, other] = [sizes.scratch(&mut plan), sizes.scratch(&mut plan)];
        let result = sizes.add_passes(&mut plan, [&keys, &other], (length, 0), &digits(bits));
        if copies {
            sizes.add_copy(&mut plan, [&other, &keys], length, 0);
        }
        (plan, result)
    }

    #[test]
    fn sort_pass_has_eight_bindings_and_a_digit_three_dispatches() {
        let (plan, result) = planned(2, 100_000, 0xff_ffff, None, false);
        assert_eq!((result, plan.passes.len()), (1, 9));
        assert!(plan.bindings.iter().all(|bindings| bindings.len() <= 8));
    }

    #[test]
    fn sort_passes_of_many_keys_split_at_workgroups() {
        let [whole, cut] = [None, Some(1 << 22)]
            .map(|pass_keys| planned(1, 1 << 25, 0xff, pass_keys, false).0.passes);
        assert_eq!(whole.len(), 3);
        assert!((17..=21).contains(&cut.len()), "{}", cut.len());
        let groups = |passes: &[Pass]| passes.iter().map(|pass| pass.groups[0]).sum::<u32>();
        assert_eq!(groups(&cut), groups(&whole));
    }

    #[test]
    fn sort_passes_slice_at_any_workgroup_and_scans_at_digits() {
        let planned = |pass_keys| planned(1, 1 << 20, 0xff, Some(pass_keys), true).0;
        let (whole, short) = (planned(u64::MAX), planned(1));
        let kernels: Vec<_> = whole.splits.iter().map(|(kernel, _)| *kernel).collect();
        assert_eq!(kernels, [0, 2, 1, 3]);
        let (scans, others): (Vec<_>, Vec<_>) = whole
            .cut_down()
            .into_iter()
            .partition(|pass| pass.kernel == 1);
        let of_plan: Vec<_> = short
            .passes
            .into_iter()
            .filter(|pass| pass.kernel != 1)
            .collect();
        assert!(whole.passes.len() == 4 && others == of_plan);
        assert!(
            scans
                .iter()
                .map(|pass| (pass.groups, pass.params[1]))
                .eq((0..RADIX).map(|digit| ([1; 3], digit)))
        );
    }
}
