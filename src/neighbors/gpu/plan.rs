//! Plan of a pass: index the columns of a level by their keys, and find the pairs of some rows.

use std::sync::Arc;

use super::stored::StoredStrings;
use super::tables::Placement;
use crate::backend::Capabilities;
use crate::engine::profile::gpu::neighbors as figures;
use crate::error::Result;
use crate::kernels::neighbors::{self, LANES};
use crate::plan::{BufferId, Contents, Plan, Resident};
use crate::sort::key::{digits, low_bits};
use crate::sort::shape::SortTuning;
use crate::sort::sizes::{KeyArrays, SortSizes};

/// Words of `control`, as in control.wgsl.
pub(super) const ENTRIES: usize = 0;
pub(super) const FOUND: usize = 1;
pub(super) const INCOMPLETE: usize = 2;
pub(super) const CANDIDATES: usize = 3;
pub(super) const VERIFIED: usize = 5;
pub(super) const COLUMNS: usize = 7;
pub(super) const FLAGS: usize = 16;
/// Bits of the columns in a pair's key, behind those of the distance.
pub(super) const DISTANCE_BITS: u32 = 4;
/// Bits of a key that select its bucket.
const BUCKET_BITS: (u32, u32) = (8, 28);

/// Words of the tables of a pass, and the strings in them.
pub(super) struct Table {
    pub(super) words: Arc<Vec<u32>>,
    pub(super) placement: Placement,
}

pub(super) struct Sizes {
    pub(super) entries: SortSizes,
    pub(super) pairs: SortSizes,
}

impl Sizes {
    pub(super) fn new(entries: u64, pairs: u64, caps: &Capabilities) -> Result<Self> {
        let tuning = SortTuning::default();
        Ok(Self {
            entries: SortSizes::new(1, true, entries.max(1), caps, &tuning)?,
            pairs: SortSizes::new(2, false, pairs.max(1), caps, &tuning)?,
        })
    }

    fn bucket_bits(&self) -> u32 {
        let bits = self.entries.keys.max(1).ilog2();
        bits.clamp(BUCKET_BITS.0, BUCKET_BITS.1)
    }
}

pub(super) struct Round<'r> {
    pub(super) strings: &'r StoredStrings<'r>,
    pub(super) level: usize,
    /// Part of the keys: its number, and the bits that tell it.
    pub(super) part: (u32, u32),
    /// Columns with keys.
    pub(super) columns: &'r [Table],
    pub(super) rows: &'r Table,
    pub(super) sizes: &'r Sizes,
    pub(super) number_of_columns: usize,
    pub(super) within: u32,
    pub(super) is_same: bool,
    /// True if columns with frequent keys are marked.
    pub(super) marks: bool,
    pub(super) max_groups: u32,
}

pub(super) struct RoundPlan {
    plan: Plan,
    pub(super) control: BufferId,
    /// A bit per column with a frequent key.
    pub(super) marks: Option<BufferId>,
    pub(super) pairs: KeyArrays,
}

impl AsMut<Plan> for RoundPlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

impl From<RoundPlan> for Plan {
    fn from(planned: RoundPlan) -> Self {
        planned.plan
    }
}

impl Round<'_> {
    pub(super) fn control_words(&self) -> u64 {
        (FLAGS + self.rows.placement.strings.div_ceil(32)) as u64
    }

    pub(super) fn mark_words(&self) -> u64 {
        self.number_of_columns.div_ceil(32) as u64
    }

    pub(super) fn plan(&self, resident: &Resident) -> RoundPlan {
        let mut plan = Plan {
            cell_cost: 1,
            ..Plan::default()
        };
        let join = plan.kernel_by_group(neighbors::join(self.strings.bits));
        let [records, planes] = self.strings.inputs(&mut plan, resident);
        let mut header = vec![0; self.control_words() as usize];
        header[INCOMPLETE] = u32::MAX;
        let control = plan.upload("control", header);
        let part = self.part.0 | self.part.1 << 24;
        let shift = u32::BITS - self.sizes.bucket_bits();
        let arrays = [
            self.sizes.entries.scratch(&mut plan),
            self.sizes.entries.scratch(&mut plan),
        ];
        let capacity = self.sizes.entries.keys as u32;
        for (number, columns) in self.columns.iter().enumerate() {
            let key = vec![self.within.into(), self.level as u64, number as u64];
            let table = plan.input(
                "keys of columns",
                columns.words.len() as u64,
                key,
                resident,
                || columns.words.clone(),
            );
            let Placement {
                strings_at,
                tiles_at,
                slots,
                ..
            } = columns.placement;
            let bound = vec![
                records,
                planes,
                table,
                arrays[0].keys[0],
                arrays[0].payload[0],
                control,
            ];
            let words = [0, slots, strings_at, tiles_at, part, capacity];
            let kernel = plan.kernel_by_group(neighbors::index_keys(self.strings.bits));
            self.add(
                &mut plan,
                kernel,
                bound,
                slots.into(),
                words,
                figures::KEY_CELLS,
            );
        }
        let mut sorted = &arrays[0];
        if !self.columns.is_empty() {
            let index = self.sizes.entries.add_passes(
                &mut plan,
                [&arrays[0], &arrays[1]],
                (control, ENTRIES as u32),
                &digits(low_bits(u32::BITS)),
            );
            sorted = &arrays[index];
        }
        let starts = (1u64 << self.sizes.bucket_bits()) + 1;
        let starts = plan.buffer("starts of buckets", starts, Contents::Unspecified);
        let entries = self.sizes.entries.keys;
        let words = [0, capacity, part, shift];
        let bound = vec![sorted.keys[0], starts, control];
        let kernel = plan.kernel_by_group(neighbors::directory());
        self.add(
            &mut plan,
            kernel,
            bound,
            entries + 1,
            words,
            figures::ENTRY_CELLS,
        );
        let rows = plan.upload("keys of rows", self.rows.words.clone());
        let marks = self.marks.then(|| {
            let marks = plan.buffer("marked columns", self.mark_words().max(1), Contents::Zeros);
            let bound = vec![
                records,
                rows,
                sorted.keys[0],
                sorted.payload[0],
                starts,
                marks,
                control,
            ];
            let kernel = plan.kernel_by_group(neighbors::mark());
            self.add(
                &mut plan,
                kernel,
                bound,
                entries,
                words,
                figures::ENTRY_CELLS,
            );
            marks
        });
        let pairs = [
            self.sizes.pairs.scratch(&mut plan),
            self.sizes.pairs.scratch(&mut plan),
        ];
        let bound = vec![
            records,
            planes,
            rows,
            sorted.keys[0],
            sorted.payload[0],
            starts,
            pairs[0].keys[0],
            control,
        ];
        let Placement {
            strings_at,
            tiles_at,
            slots,
            strings,
        } = self.rows.placement;
        let words = [
            0,
            slots,
            strings_at,
            tiles_at,
            part,
            shift,
            self.within,
            self.sizes.pairs.keys as u32,
            self.is_same.into(),
        ];
        self.add(
            &mut plan,
            join,
            bound,
            slots.into(),
            words,
            figures::LOOKUP_CELLS,
        );
        let bits = |count: usize| u64::BITS - (count as u64).leading_zeros();
        let of_column = low_bits(bits(self.number_of_columns)) << DISTANCE_BITS;
        let of_row = low_bits(bits(strings)) << u32::BITS;
        let index = self.sizes.pairs.add_passes(
            &mut plan,
            [&pairs[0], &pairs[1]],
            (control, FOUND as u32),
            &digits(of_column | of_row),
        );
        let pairs = pairs[index].clone();
        RoundPlan {
            plan,
            control,
            marks,
            pairs,
        }
    }

    /// Adds passes with a lane per item.
    fn add<const N: usize>(
        &self,
        plan: &mut Plan,
        kernel: usize,
        bound: Vec<BufferId>,
        items: u64,
        words: [u32; N],
        item_cells: u64,
    ) {
        let lanes = u64::from(LANES);
        let groups = items.div_ceil(lanes) as u32;
        let group_cells = lanes * item_cells;
        plan.passes_by_group(kernel, bound, groups, self.max_groups, words, group_cells);
    }
}
