//! Plan of a filter: uploads texts, clears bitmaps, and runs a pass per visit, range of a text and
//! partition of the keys.

use super::prefixes;
use super::sizes::{CONTROL_LEFT, FilterSizes};
use super::texts::{BY_STRETCHES, STRETCH, WindowRange, codes_input};
use crate::engine::profile::gpu::substring as figures;
use crate::kernels::substring::{self, LANES, Windows as Form};
use crate::plan::{Bounds, BufferId, Contents, PassSplit, Plan, Resident, Units};
use crate::substring::search::Visit;
use crate::substring::search::filter::sample;
use crate::substring::search::hash::mix;

/// Mode bits of visit.wgsl.
const TESTS: u32 = 1;
const CONTINUES: u32 = 2;
/// Workgroups of a grid-stride pass over a bitmap.
const BITMAP_GROUPS: u64 = 4096;
/// Slices by words; parameters 0 and 1 are the first word and the end.
const BY_WORDS: PassSplit = PassSplit {
    units: Units::Persistent { groups: 1 },
    bounds: Bounds::End { first: 0, end: 1 },
    step: LANES,
};
/// Words of an entry of the list.
pub(super) const ENTRY_WORDS: u64 = 4;
/// Kernel indices of the passes over stretches.
const VISIT: usize = 0;
const LIST: usize = 1;

#[derive(Clone, Debug)]
pub struct FilterPlan {
    pub plan: Plan,
    /// The control words; layout in control.wgsl.
    pub control: BufferId,
    /// Listed windows, `ENTRY_WORDS` words each.
    pub entries: BufferId,
    /// Surviving windows as bits, by text and chunk.
    pub survivors: Vec<Vec<BufferId>>,
}

impl AsMut<Plan> for FilterPlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

struct TextBuffers {
    codes: Vec<BufferId>,
    prefixes: Vec<BufferId>,
    survivors: Vec<BufferId>,
    ranges: Vec<WindowRange>,
}

/// Buffers of a bitmap, one per partition.
type Bitmap = Vec<BufferId>;

struct PlanBuilder<'s> {
    sizes: &'s FilterSizes,
    plan: Plan,
    control: BufferId,
    texts: Vec<TextBuffers>,
    settle: usize,
    clear: usize,
    power: u64,
}

impl FilterPlan {
    /// The plan for these sizes; texts that are resident on the device are reused.
    pub fn new(sizes: &FilterSizes, resident: &Resident) -> Self {
        let mut builder = PlanBuilder::new(sizes, resident);
        let capacity = sizes.capacity as u64 * ENTRY_WORDS;
        let entries = builder
            .plan
            .buffer("survivors listed", capacity, Contents::Unspecified);
        let (marked, tested) = (builder.bitmap("marked keys"), builder.bitmap("tested keys"));
        if sizes.cascade.is_chain() {
            builder.chain(marked, tested)
        } else {
            builder.levels(marked, tested)
        }
        builder.list(entries);
        let survivors = builder
            .texts
            .into_iter()
            .map(|text| text.survivors)
            .collect();
        Self {
            plan: builder.plan,
            control: builder.control,
            entries,
            survivors,
        }
    }
}

impl<'s> PlanBuilder<'s> {
    fn new(sizes: &'s FilterSizes, resident: &Resident) -> Self {
        let mut plan = Plan {
            cell_cost: figures::CELL_COST,
            ..Plan::default()
        };
        // First, because the workload is identified by the first kernel.
        let [visit, list] =
            [substring::visit, substring::list].map(|of| plan.kernel(of(sizes.form, sizes.bits)));
        debug_assert_eq!([visit, list], [VISIT, LIST]);
        plan.splits
            .extend([VISIT, LIST].map(|kernel| (kernel, BY_STRETCHES)));
        let [settle, clear] =
            [substring::settle(), substring::clear()].map(|kernel| plan.kernel(kernel));
        plan.splits.push((clear, BY_WORDS));
        let mut control = vec![0; sizes.control_words() as usize];
        (control[0], control[1]) = (sizes.windows.base as u32, (sizes.windows.base >> 32) as u32);
        for (left, text) in control[CONTROL_LEFT as usize..]
            .iter_mut()
            .zip(&sizes.texts)
        {
            *left = text.windows as u32;
        }
        let control = plan.upload("control", control);
        let hashing =
            (sizes.form == Form::Hashed).then(|| prefixes::Kernels::new(&mut plan, sizes.bits));
        let length = hashing.map(|_| sizes.windows.length as u64);
        let mut texts = Vec::with_capacity(sizes.texts.len());
        for (number, of_text) in sizes.texts.iter().enumerate() {
            let chunking = of_text.chunking;
            let chunks = 0..chunking.chunks();
            let code = |chunk: usize| codes_input(&mut plan, number, chunk, &chunking, resident);
            let codes: Vec<_> = chunks.clone().map(code).collect();
            let stretches =
                |chunk: usize| chunking.of_chunk(chunk).end - chunking.of_chunk(chunk).start;
            let survivors = chunks
                .map(|chunk| plan.buffer("survivors", stretches(chunk), Contents::Unspecified))
                .collect();
            let prefixes =
                hashing.map(|hashing| hashing.add_passes(&mut plan, &chunking, &codes, control));
            let ranges = chunking.ranges(0, of_text.windows, length);
            texts.push(TextBuffers {
                codes,
                prefixes: prefixes.unwrap_or_default(),
                survivors,
                ranges,
            });
        }
        Self {
            sizes,
            plan,
            control,
            texts,
            settle,
            clear,
            power: sizes.windows.power(),
        }
    }

    fn bitmap(&mut self, name: &str) -> Bitmap {
        let words = self.sizes.partition_words();
        (0..1 << self.sizes.partitions_log2)
            .map(|_| self.plan.buffer(name, words, Contents::Zeros))
            .collect()
    }

    /// Adds the visits where each passes its bitmap to the next one.
    fn chain(&mut self, mut marked: Bitmap, mut tested: Bitmap) {
        for visit in self.sizes.cascade.visits() {
            self.visit(&visit, &marked, &tested);
            self.clear(&tested);
            std::mem::swap(&mut marked, &mut tested);
        }
    }

    /// Adds the visits where bitmap levels count the texts of a key, and the next round tests
    /// against the top level.
    fn levels(&mut self, marked: Bitmap, mut tested: Bitmap) {
        let count_level = self.plan.kernel(substring::count_level());
        self.plan.splits.push((count_level, BY_WORDS));
        let mut levels: Vec<_> = (0..self.sizes.cascade.inputs)
            .map(|_| self.bitmap("keys by text count"))
            .collect();
        for visit in self.sizes.cascade.visits() {
            self.visit(&visit, &marked, &tested);
            for level in (0..levels.len()).rev() {
                for (partition, &text) in marked.iter().enumerate() {
                    let below = level
                        .checked_sub(1)
                        .map_or(text, |below| levels[below][partition]);
                    let words = [
                        0,
                        self.sizes.partition_words() as u32,
                        u32::from(level == 0),
                    ];
                    let buffers = vec![text, below, levels[level][partition]];
                    // Words moved: the text, the level below (if any), and the level twice.
                    let cells = self.bitmap_cells(if level == 0 { 3 } else { 4 });
                    let groups = self.bitmap_groups();
                    self.plan.pass(count_level, buffers, groups, words, cells);
                }
            }
            self.clear(&marked);
            if visit.ends_round {
                if let Some(top) = levels.last_mut() {
                    std::mem::swap(top, &mut tested);
                }
                levels.iter().for_each(|level| self.clear(level));
            }
        }
    }

    fn bitmap_groups(&self) -> u64 {
        self.sizes
            .partition_words()
            .div_ceil(u64::from(LANES))
            .min(BITMAP_GROUPS)
    }

    /// Work of a pass that moves `moved` words per word of a partition, in cells.
    fn bitmap_cells(&self, moved: u64) -> u64 {
        (self.sizes.partition_words() * moved * figures::WORD_CELLS).div_ceil(figures::CELL_COST)
    }

    fn clear(&mut self, bitmap: &Bitmap) {
        for &partition in bitmap {
            let words = [0, self.sizes.partition_words() as u32];
            let (groups, cells) = (self.bitmap_groups(), self.bitmap_cells(1));
            self.plan
                .pass(self.clear, vec![partition], groups, words, cells);
        }
    }

    /// Buffers that a kernel binds to read a range's windows.
    fn window_bindings(&self, text: usize, range: &WindowRange) -> Vec<BufferId> {
        let on_device = &self.texts[text];
        let (tail, head) = range.chunks;
        match self.sizes.form {
            Form::Packed => vec![on_device.codes[tail]],
            Form::Hashed => {
                let (codes, prefixes) = (&on_device.codes, &on_device.prefixes);
                vec![codes[tail], codes[head], prefixes[tail], prefixes[head]]
            }
        }
    }

    /// Parameter `rest` of the kernels that read windows: key bits, or the length modulo
    /// [`STRETCH`].
    fn rest(&self) -> u32 {
        match self.sizes.form {
            Form::Packed => self.sizes.windows.length as u32 * self.sizes.bits,
            Form::Hashed => (self.sizes.windows.length as u64 % STRETCH) as u32,
        }
    }

    fn visit(&mut self, visit: &Visit, marked: &Bitmap, tested: &Bitmap) {
        let FilterSizes {
            cascade,
            partition_log2,
            partitions_log2,
            windows,
            ..
        } = *self.sizes;
        let seed = |bitmap: usize| mix(windows.base ^ bitmap as u64) as u32;
        let mark = cascade.marked(visit);
        let count = CONTROL_LEFT as usize + cascade.texts + visit.number;
        for (partition, (&marked, &tested)) in marked.iter().zip(tested).enumerate() {
            for range in self.texts[visit.text].ranges.clone() {
                let text = &self.sizes.texts[visit.text];
                let position = text.chunking.of_chunk(range.chunks.0).start * STRETCH;
                let starts = (text.windows - position).min(u64::from(u32::MAX)) as u32;
                let mut modes = (32 - partition_log2) << 8 | partitions_log2 << 16;
                modes |= if visit.tests { TESTS } else { 0 };
                modes |= if visit.first && partition == 0 {
                    0
                } else {
                    CONTINUES
                };
                let words = [
                    range.stretches.start,
                    range.stretches.end,
                    starts,
                    range.head,
                    count as u32,
                    modes,
                    partition as u32,
                    seed(mark.wrapping_sub(1)),
                    seed(mark),
                    self.power as u32,
                    (self.power >> 32) as u32,
                    self.rest(),
                ];
                let mut buffers = self.window_bindings(visit.text, &range);
                buffers.extend([
                    self.texts[visit.text].survivors[range.chunks.0],
                    tested,
                    marked,
                    self.control,
                ]);
                let stretches = u64::from(range.stretches.end - range.stretches.start);
                let groups = stretches.div_ceil(u64::from(LANES));
                self.plan
                    .pass(VISIT, buffers, groups, words, stretches * STRETCH);
            }
        }
        let capacity = self.sizes.capacity;
        let words = [
            visit.number as u32,
            visit.text as u32,
            cascade.texts as u32,
            u32::from(visit.tests),
            u32::from(visit.ends_round),
            capacity as u32,
            sample(capacity, 1) as u32,
        ];
        self.plan.pass(self.settle, vec![self.control], 1, words, 1);
    }

    fn list(&mut self, entries: BufferId) {
        for text in 0..self.texts.len() {
            for range in self.texts[text].ranges.clone() {
                let position = self.sizes.texts[text]
                    .chunking
                    .of_chunk(range.chunks.0)
                    .start
                    * STRETCH;
                let words = [
                    range.stretches.start,
                    range.stretches.end,
                    position as u32,
                    range.head,
                    text as u32,
                    self.sizes.capacity as u32,
                    sample(self.sizes.capacity, self.texts.len()) as u32,
                    self.power as u32,
                    (self.power >> 32) as u32,
                    self.rest(),
                ];
                let mut buffers = self.window_bindings(text, &range);
                buffers.extend([
                    self.texts[text].survivors[range.chunks.0],
                    entries,
                    self.control,
                ]);
                let stretches = u64::from(range.stretches.end - range.stretches.start);
                let groups = stretches.div_ceil(u64::from(LANES));
                self.plan
                    .pass(LIST, buffers, groups, words, stretches * STRETCH);
            }
        }
    }
}
