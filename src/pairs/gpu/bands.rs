//! Pairs of long, similar strings within bands: a query and a target per lane.
//!
//! The strings of a call, or of a part of a zip, are on the device as bit planes. From these a lane
//! reads the rows that enter its window. A pair whose distance a window does not prove is computed
//! again in a wider window, and at last in a whole table ([`entries`]).

use std::iter::once;
use std::mem::take;
use std::ops::Range;

use super::{Room, ValuesPlan, entries, limbs_on, values_of};
use crate::backend::{Capabilities, Session};
use crate::call::phase::Phase;
use crate::edit_distance::Mode;
use crate::engine::{Device, Engine};
use crate::error::Result;
use crate::host::parallel;
use crate::kernels::pairs::{Keep, LANES, bands};
use crate::pairs::bands::{Bands, LIMB_ROWS, LIMBS, PLANES_COST, proven};
use crate::pairs::measure::Measure;
use crate::pairs::request::{PairLens, Request};
use crate::pairs::selection::Selection;
use crate::pairs::strings::List;
use crate::pairs::values::Value;
use crate::pairs::work::Work;
use crate::plan::{Contents, Plan, Resident};
use crate::sequences::typed::for_type;
use crate::symbols::alphabet::Alphabet;
use crate::symbols::places::Places;
use crate::symbols::planes;

/// Words of a lane: differences, planes, and masks and sums of a column. A lane has 255 registers.
const LANE_WORDS: u32 = 224;
/// Minimum cells of a call whose distances are sampled: 10 ms of a large GPU, which is more than the
/// sample takes.
const SAMPLED_CELLS: u128 = 1 << 38;
/// Minimum pairs that a thread lists at once.
const MIN_TASK_PAIRS: usize = 1 << 8;

pub(super) fn max_limbs(codes: usize, caps: &Capabilities) -> u32 {
    limbs_on(caps, LANE_WORDS / (4 + planes(codes)))
}

/// The windows of up to `max_limbs` limbs that are expected to take the least time, if whole
/// tables take more.
pub(super) fn choose(engine: &Engine, work: &Work<'_>, max_limbs: u32) -> Option<Bands> {
    let request = &work.request;
    if request.measure != Measure::Edit || request.mode != Mode::Global {
        return None;
    }
    let classes = LIMBS.iter().copied().filter(|&limbs| limbs <= max_limbs);
    let covers = |limbs: &u32| {
        let room = LIMB_ROWS * u64::from(limbs - 1);
        request.within.is_some_and(|within| within <= room)
    };
    if let Some(limbs) = classes.clone().find(covers) {
        let queries = request.queries;
        let rows = queries.symbols_before(queries.len()) as f64 / queries.len().max(1) as f64;
        let share = f64::from(limbs) * LIMB_ROWS as f64 / rows.max(1.0);
        let limbs = vec![limbs];
        let bands = Bands {
            limbs,
            rate: 0.0,
            share,
        };
        return (share * PLANES_COST < 1.0).then_some(bands);
    }
    if work.lane_cells() < SAMPLED_CELLS || !work.has_large_tables() {
        return None;
    }
    let classes: Vec<u32> = classes.collect();
    let least = work.sample(engine).bands(&classes)?;
    (least.share * PLANES_COST < 1.0).then_some(least)
}

/// Bit planes of the codes of an alphabet, on a device that compiles.
pub(super) fn planes(codes: usize) -> u32 {
    entries::planes(codes, true)
}

/// Words of a plane of a string.
fn limbs_of(len: usize) -> u32 {
    len.div_ceil(LIMB_ROWS as usize) as u32
}

/// Bytes of the planes of the strings that are on the device at once; `None` if they are more than
/// `max_bytes`.
pub(super) fn bytes(work: &Work<'_>, codes: usize, max_bytes: u64) -> Option<u64> {
    let request = &work.request;
    let count = |strings: List<'_>| -> u64 {
        let words = |index| u64::from(limbs_of(strings.len_of(index)));
        (0..strings.len()).map(words).sum()
    };
    let targets = if is_one_list(request) {
        0
    } else {
        count(request.targets)
    };
    let words = u64::from(planes(codes)) * (count(request.queries) + targets).max(1);
    if has_parts(work) {
        Some((4 * words).min(max_bytes))
    } else {
        Some(4 * words).filter(|&bytes| bytes <= max_bytes)
    }
}

/// True if each string is in one pair, so that a part needs its own strings alone.
fn has_parts(work: &Work<'_>) -> bool {
    matches!(work.selection, Selection::Zip)
}

fn is_one_list(request: &Request<'_>) -> bool {
    let address = |list: List<'_>| for_type!(list, |list| std::ptr::from_ref(list).addr());
    address(request.queries) == address(request.targets)
}

/// A pair by its position in a part.
#[derive(Clone, Copy)]
struct Pair {
    index: u32,
    query: u32,
    target: u32,
}

impl Pair {
    fn strings(self) -> (usize, usize) {
        (self.query as usize, self.target as usize)
    }
}

/// Positions of the strings in the planes on the device.
struct Layout {
    /// Index of the first string of both lists that is on the device.
    start: usize,
    /// First word of each query in a plane, and the end.
    queries: Vec<u32>,
    /// First word of each target in a plane, and the end; `None` if the targets are the queries.
    targets: Option<Vec<u32>>,
    /// Words of a plane.
    words: u32,
}

impl Layout {
    fn whole(request: &Request<'_>) -> Self {
        let (queries, targets) = (request.queries, request.targets);
        let of_queries = (0..queries.len()).map(|index| limbs_of(queries.len_of(index)));
        let of_targets = (0..targets.len()).map(|index| limbs_of(targets.len_of(index)));
        let is_one = is_one_list(request);
        Self::new(0, of_queries, (!is_one).then_some(of_targets))
    }

    /// Layout of the strings of a part of a zip, without pairs that are computed one at a time.
    fn of_part(work: &Work<'_>, part: &Range<u64>) -> Self {
        let of_list = |strings: List<'_>| {
            let limbs = |index| {
                if work.long.contains(index) {
                    0
                } else {
                    limbs_of(strings.len_of(index as usize))
                }
            };
            part.clone().map(limbs).collect::<Vec<_>>()
        };
        let [queries, targets] = [work.request.queries, work.request.targets].map(of_list);
        Self::new(part.start as usize, queries, Some(targets))
    }

    fn new(
        start: usize,
        queries: impl IntoIterator<Item = u32>,
        targets: Option<impl IntoIterator<Item = u32>>,
    ) -> Self {
        let mut words = 0;
        let mut end_of = |limbs: u32| {
            words += limbs;
            words
        };
        let queries: Vec<u32> = once(0).chain(queries).map(&mut end_of).collect();
        let targets = targets.map(|targets| once(0).chain(targets).map(&mut end_of).collect());
        Self {
            start,
            queries,
            targets,
            words,
        }
    }

    /// First words of the strings of a pair.
    fn firsts(&self, pair: Pair) -> [u32; 2] {
        let (query, target) = pair.strings();
        let targets = self.targets.as_ref().unwrap_or(&self.queries);
        [
            self.queries[query - self.start],
            targets[target - self.start],
        ]
    }
}

/// Everything that is the same for all parts of a call.
pub(super) struct Banded<'a> {
    work: &'a Work<'a>,
    alphabet: &'a Alphabet,
    bands: &'a Bands,
    /// Positions of all strings; `None` if each part has its own strings.
    layout: Option<Layout>,
    planes: u32,
    max_limbs: u32,
    max_bytes: u64,
    max_pairs: u64,
    shapes: entries::Shapes,
}

impl<'a> Banded<'a> {
    pub(super) fn new(
        work: &'a Work<'a>,
        alphabet: &'a Alphabet,
        bands: &'a Bands,
        (caps, room): (&Capabilities, &Room),
    ) -> Self {
        let layout = (!has_parts(work)).then(|| Layout::whole(&work.request));
        let shapes = entries::Shapes::new(work.request.measure, alphabet.codes(), caps, room);
        let fitting = u64::from(caps.groups_per_dimension) * u64::from(LANES);
        Self {
            work,
            alphabet,
            bands,
            layout,
            planes: planes(alphabet.codes()),
            max_limbs: max_limbs(alphabet.codes(), caps),
            max_bytes: room.max_bytes,
            max_pairs: shapes.max_pairs.min(fitting),
            shapes,
        }
    }

    /// The next part from pair `position` on.
    pub(super) fn next(&self, position: u64, max_pairs: u64) -> Range<u64> {
        let pairs = max_pairs.min(self.max_pairs).max(1);
        let part = position..self.work.positions.end.min(position.saturating_add(pairs));
        if self.layout.is_some() {
            return part;
        }
        let request = &self.work.request;
        let mut bytes = 0;
        let fits = |&position: &u64| {
            let strings = [request.queries, request.targets];
            let limbs = strings.map(|list| limbs_of(list.len_of(position as usize)));
            let words = u64::from(self.planes) * u64::from(limbs[0] + limbs[1]);
            bytes += if self.work.long.contains(position) {
                0
            } else {
                4 * words
            };
            bytes <= self.max_bytes
        };
        let fitting = part.clone().take_while(fits).count() as u64;
        position..part.end.min(position + fitting.max(1))
    }

    /// Computes the values of a part. Returns the cells.
    pub(super) async fn solve<T: Value>(
        &self,
        (device, session): (&Device<'_>, &Session<'_>),
        part: Range<u64>,
        values: &mut [T],
    ) -> Result<u128> {
        let request = &self.work.request;
        let of_part;
        let layout = match &self.layout {
            Some(layout) => layout,
            None => {
                of_part = Layout::of_part(self.work, &part);
                &of_part
            }
        };
        let mut left = device.on_threads(|| self.pairs(part));
        let mut cells = 0;
        left.retain(|pair| match self.value_of_lens(*pair) {
            Some(value) => {
                values[pair.index as usize] = T::narrowed(value);
                false
            }
            None => true,
        });
        let all = left.len() as u64;

        for &limbs in &self.bands.limbs {
            let fits = |lens| self.bands.proven(limbs, lens).is_some();
            cells += self
                .by_window((device, session), layout, limbs, fits, &mut left, values)
                .await?;
        }
        let wider = self.bands.wider(self.max_limbs, left.len() as u64, all);
        for limbs in wider {
            let fits = |lens: PairLens| {
                proven(limbs, lens).is_some() && u64::from(limbs) * LIMB_ROWS < lens.query
            };
            cells += self
                .by_window((device, session), layout, limbs, fits, &mut left, values)
                .await?;
        }
        while !left.is_empty() {
            let all = left.iter().map(|pair| (pair.strings(), true));
            let all = (all, self.max_pairs);
            let block = device
                .on_threads(|| entries::Block::of_first(request, self.alphabet, &self.shapes, all));
            let words = values_of(session, &|_| block.plan()).await?;
            let mut found = vec![T::default(); block.pairs()];
            block.unpack(words.words(), &mut found);
            for (pair, value) in left.drain(..found.len()).zip(found) {
                cells += self.lens(pair).cells();
                values[pair.index as usize] = value;
            }
            device.phases.lap(Phase::Readback);
        }
        Ok(cells)
    }

    /// Computes the values of the pairs of `left` that fit a window. Those that it does not settle
    /// are left again, behind the others. Returns the cells.
    async fn by_window<T: Value>(
        &self,
        (device, session): (&Device<'_>, &Session<'_>),
        layout: &Layout,
        limbs: u32,
        fits: impl Fn(PairLens) -> bool,
        left: &mut Vec<Pair>,
        values: &mut [T],
    ) -> Result<u128> {
        let fitting = left.extract_if(.., |pair| fits(self.lens(*pair)));
        let banded: Vec<_> = fitting.collect();
        if banded.is_empty() {
            return Ok(0);
        }
        let plan = |resident: &Resident| self.plan(limbs, layout, &banded, resident);
        let words = values_of(session, &plan).await?;
        for (&pair, &found) in banded.iter().zip(words.words()) {
            match self.settled(limbs, pair, found) {
                Some(value) => values[pair.index as usize] = T::narrowed(value),
                None => left.push(pair),
            }
        }
        device.phases.lap(Phase::Readback);
        Ok(self.cells(limbs, &banded).into())
    }

    /// The pairs of a part that are not computed one at a time, by length of the target.
    fn pairs(&self, part: Range<u64>) -> Vec<Pair> {
        let targets = self.work.targets();
        let add = |index: usize, pairs: &mut Vec<Pair>| {
            let position = part.start + index as u64;
            if !self.work.long.contains(position) {
                let (query, target) = self.work.selection.pair(position, targets);
                pairs.push(Pair {
                    index: index as u32,
                    query: query as u32,
                    target: target as u32,
                });
            }
        };
        let mut pairs = Vec::new();
        let count = (part.end - part.start) as usize;
        let of_range = parallel::range_len(count, MIN_TASK_PAIRS);
        parallel::extend(&mut pairs, count, of_range, add);
        parallel::sort_by_key(&mut pairs, |&pair| {
            self.lens(pair).target.div_ceil(LIMB_ROWS)
        });
        pairs
    }

    fn lens(&self, pair: Pair) -> PairLens {
        let (query, target) = pair.strings();
        self.work.request.lens(query, target)
    }

    /// Value that follows from the lengths alone.
    fn value_of_lens(&self, pair: Pair) -> Option<u32> {
        let lens = self.lens(pair);
        let most = u64::from(self.work.request.most());
        let least = lens.longer() - lens.shorter();
        (lens.shorter() == 0 || least >= most).then_some(least.min(most) as u32)
    }

    /// Value that follows from that in a window.
    fn settled(&self, limbs: u32, pair: Pair, found: u32) -> Option<u32> {
        let proven = proven(limbs, self.lens(pair))?;
        let most = self.work.request.most();
        match u64::from(found) <= proven {
            true => Some(found.min(most)),
            false if proven >= most.into() => Some(most),
            false => None,
        }
    }

    fn cells(&self, limbs: u32, pairs: &[Pair]) -> u64 {
        let columns = |&pair: &Pair| self.lens(pair).target.next_multiple_of(LIMB_ROWS);
        pairs.iter().map(columns).sum::<u64>() * u64::from(limbs) * LIMB_ROWS
    }

    fn plan(&self, limbs: u32, layout: &Layout, pairs: &[Pair], resident: &Resident) -> ValuesPlan {
        let mut plan = Plan::default();
        let words = u64::from(self.planes) * u64::from(layout.words.max(1));
        let key = vec![layout.start as u64];
        let strings = plan.input("planes of strings", words, key, resident, || {
            self.planes(layout, words as usize)
        });
        let of_range = parallel::range_len(pairs.len(), MIN_TASK_PAIRS);
        let table = parallel::map_places(pairs.len(), of_range, |index| {
            let pair = pairs[index];
            let ([query, target], lens) = (layout.firsts(pair), self.lens(pair));
            [query, target, lens.query as u32, lens.target as u32]
        });
        let table = plan.upload("pairs", table.into_flattened());
        let values = plan.buffer("values", pairs.len() as u64, Contents::Unspecified);
        let kernel = plan.kernel_by_group(bands(limbs, self.planes, Keep::Nothing));
        let groups = pairs.len().div_ceil(LANES as usize) as u64;
        let words = [0, pairs.len() as u32, self.work.request.most()];
        let cells = self.cells(limbs, pairs);
        plan.pass(kernel, vec![strings, table, values], groups, words, cells);
        ValuesPlan { plan, values }
    }

    /// Planes of strings: `[word][plane]`, with the last symbol in the highest bit.
    fn planes(&self, layout: &Layout, len: usize) -> Vec<u32> {
        let request = &self.work.request;
        let mut words = vec![0; len];
        let mut rest = &mut words[..];
        let of_targets = layout.targets.as_ref();
        let lists = [
            Some((request.queries, &layout.queries)),
            of_targets.map(|firsts| (request.targets, firsts)),
        ];
        let places = lists.into_iter().flatten().flat_map(|(list, firsts)| {
            let ends = firsts.windows(2).enumerate();
            ends.map(move |(index, ends)| (list.string(layout.start + index), ends[1] - ends[0]))
        });
        let own = |(string, limbs)| {
            let (own, later) = take(&mut rest).split_at_mut((limbs * self.planes) as usize);
            rest = later;
            (own, string)
        };
        let mut strings: Vec<_> = places.map(own).collect();
        let of_task = parallel::range_len(strings.len(), 1);
        parallel::for_each_chunk_mut(&mut strings, of_task, |_, strings| {
            for (words, string) in strings {
                pack(self.alphabet, *string, string.len(), words);
            }
        });
        words
    }
}

/// Writes the planes of a string, `[word][plane]`, with the last symbol in the highest bit.
pub(super) fn pack(alphabet: &Alphabet, string: impl Places, len: usize, words: &mut [u32]) {
    let planes = planes(alphabet.codes()) as usize;
    let limbs = words.chunks_exact_mut(planes);
    let mut codes = vec![0; limbs.len() * LIMB_ROWS as usize];
    let before = codes.len() - len;
    alphabet.write(string, alphabet.codes() as u8 + 1, &mut codes[before..]);
    for (words, codes) in limbs.zip(codes.as_chunks().0) {
        planes::pack(codes, words);
    }
}
