//! Pairs of long, similar strings within bands: a query and a target per lane.
//!
//! All strings of a call are on the device as bit planes, in which a lane finds the rows that enter
//! its window. Pairs that a window does not settle go on to the next one, and those that are left to
//! whole tables ([`entries`]).

use std::mem::take;
use std::ops::Range;

use rayon::prelude::*;

use super::{Room, ValuesPlan, entries, values_of};
use crate::backend::{Capabilities, Session};
use crate::call::phase::Phase;
use crate::engine::Device;
use crate::error::Result;
use crate::kernels::pairs::{Keep, LANES, bands};
use crate::pairs::Strings;
use crate::pairs::alphabet::Alphabet;
use crate::pairs::bands::{Bands, LIMB_ROWS, proven};
use crate::pairs::request::Request;
use crate::pairs::solve::Work;
use crate::pairs::values::Value;
use crate::pairwise::codes::Symbol;
use crate::plan::{Bounds, Contents, Pass, PassSplit, Plan, Resident, params};

/// Words of a lane: differences, planes, and masks and sums of a column. A lane has 255 registers.
const LANE_WORDS: u32 = 224;
/// Maximum limbs on software adapters: see `cross.rs`.
const MAX_LIMBS_ON_HOST: u32 = 20;
/// Symbols whose codes are packed at once: one byte each of a 64-bit word.
const PACKED: usize = 8;

/// Maximum limbs of a window.
pub(super) fn max_limbs(codes: usize, caps: &Capabilities) -> u32 {
    let fitting = LANE_WORDS / (4 + planes(codes));
    match caps.host_threads {
        Some(_) => fitting.min(MAX_LIMBS_ON_HOST),
        None => fitting,
    }
}

/// Bit planes of the codes of an alphabet, on a device that compiles.
pub(super) fn planes(codes: usize) -> u32 {
    entries::planes(codes, true)
}

/// Words of the planes of all strings.
pub(super) fn words<S: Symbol>(request: &Request<'_, S>, codes: usize) -> u64 {
    let count = |strings: &Strings<'_, S>| -> u64 {
        let words = |index| strings.len_of(index).div_ceil(LIMB_ROWS as usize) as u64;
        (0..strings.len()).map(words).sum()
    };
    let targets = match is_one_list(request) {
        true => 0,
        false => count(request.targets),
    };
    u64::from(planes(codes)) * (count(request.queries) + targets).max(1)
}

fn is_one_list<S: Symbol>(request: &Request<'_, S>) -> bool {
    std::ptr::eq(request.queries, request.targets)
}

/// A pair by its position in a part.
#[derive(Clone, Copy)]
struct Pair {
    place: u32,
    query: u32,
    target: u32,
}

impl Pair {
    fn strings(self) -> (usize, usize) {
        (self.query as usize, self.target as usize)
    }
}

/// Everything that is the same for all parts of a call.
pub(super) struct Banded<'a, 'r, S: Symbol> {
    work: &'a Work<'a, 'r, S>,
    alphabet: &'a Alphabet<S>,
    bands: &'a Bands,
    /// First words of the queries, and of the targets if they are another list.
    queries: Vec<u32>,
    targets: Option<Vec<u32>>,
    planes: u32,
    max_limbs: u32,
    words: u64,
    max_pairs: u64,
    shapes: entries::Shapes,
}

impl<'a, 'r, S: Symbol> Banded<'a, 'r, S> {
    pub(super) fn new(
        work: &'a Work<'a, 'r, S>,
        alphabet: &'a Alphabet<S>,
        bands: &'a Bands,
        (caps, room): (&Capabilities, &Room),
    ) -> Self {
        let request = work.request;
        let mut next = 0;
        let mut firsts = |strings: &Strings<'_, S>| -> Vec<u32> {
            let first = |index| {
                let first = next;
                next += strings.len_of(index).div_ceil(LIMB_ROWS as usize) as u32;
                first
            };
            (0..strings.len()).map(first).collect()
        };
        let queries = firsts(request.queries);
        let targets = (!is_one_list(request)).then(|| firsts(request.targets));
        let shapes = entries::Shapes::new(alphabet.codes(), caps, room);
        let fitting = u64::from(caps.groups_per_dimension) * u64::from(LANES);
        Self {
            work,
            alphabet,
            bands,
            queries,
            targets,
            planes: planes(alphabet.codes()),
            max_limbs: max_limbs(alphabet.codes(), caps),
            words: words(request, alphabet.codes()),
            max_pairs: shapes.max_pairs().min(fitting),
            shapes,
        }
    }

    pub(super) fn work(&self) -> &'a Work<'a, 'r, S> {
        self.work
    }

    /// The next part from pair `place` on.
    pub(super) fn next(&self, place: u64, max_pairs: u64) -> Range<u64> {
        let pairs = max_pairs.min(self.max_pairs).max(1);
        place..self.work.places.end.min(place.saturating_add(pairs))
    }

    /// Computes the values of a part. Returns the cells.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub(super) async fn solve<T: Value>(
        &self,
        (device, session): (&Device<'_>, &Session<'_>),
        part: Range<u64>,
        values: &mut [T],
    ) -> Result<u128> {
        let request = self.work.request;
        let mut left = device.on_threads(|| self.pairs(part));
        let mut cells = 0;
        left.retain(|pair| match self.value_of_lens(*pair) {
            Some(value) => {
                values[pair.place as usize] = T::narrowed(value);
                false
            }
            None => true,
        });
        let all = left.len() as u64;
        for &limbs in &self.bands.limbs {
            let fits = |pair: &Pair| self.bands.proven(limbs, self.lens(*pair)).is_some();
            let of_window = (limbs, &mut left, fits);
            cells += self.by_window((device, session), of_window, values).await?;
        }
        let wider = self.bands.wider(self.max_limbs, (left.len() as u64, all));
        for limbs in wider {
            let fits = |pair: &Pair| {
                let lens = self.lens(*pair);
                proven(limbs, lens).is_some() && u64::from(limbs) * LIMB_ROWS < lens.0
            };
            let of_window = (limbs, &mut left, fits);
            cells += self.by_window((device, session), of_window, values).await?;
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
                let (query, target) = self.lens(pair);
                cells += u128::from(query) * u128::from(target);
                values[pair.place as usize] = value;
            }
            device.phases.lap(Phase::Readback);
        }
        Ok(cells)
    }

    /// Computes the values of those pairs in a window that fit, and leaves the ones that it does not
    /// settle. Returns the cells.
    async fn by_window<T: Value>(
        &self,
        (device, session): (&Device<'_>, &Session<'_>),
        (limbs, left, fits): (u32, &mut Vec<Pair>, impl Fn(&Pair) -> bool),
        values: &mut [T],
    ) -> Result<u128> {
        let (banded, mut others): (Vec<_>, Vec<_>) = take(left).into_iter().partition(fits);
        let mut cells = 0;
        if !banded.is_empty() {
            let plan = |resident: &Resident| self.plan(limbs, &banded, resident);
            let words = values_of(session, &plan).await?;
            for (&pair, &found) in banded.iter().zip(words.words()) {
                match self.settled(limbs, pair, found) {
                    Some(value) => values[pair.place as usize] = T::narrowed(value),
                    None => others.push(pair),
                }
            }
            cells = self.cells(limbs, &banded).into();
            device.phases.lap(Phase::Readback);
        }
        *left = others;
        Ok(cells)
    }

    /// The pairs of a part that are not computed one at a time, by length of the target.
    fn pairs(&self, part: Range<u64>) -> Vec<Pair> {
        let targets = self.work.targets();
        let all = part.clone().into_par_iter();
        let short = all.filter(|&place| !self.work.long.contains(place));
        let pair = |place| {
            let (query, target) = self.work.selection.pair(place, targets);
            Pair {
                place: (place - part.start) as u32,
                query: query as u32,
                target: target as u32,
            }
        };
        let mut pairs: Vec<_> = short.map(pair).collect();
        pairs.par_sort_by_key(|&pair| self.lens(pair).1.div_ceil(LIMB_ROWS));
        pairs
    }

    /// Lengths of the query and of the target.
    fn lens(&self, pair: Pair) -> (u64, u64) {
        self.work.request.lens(pair.strings())
    }

    /// Value that follows from the lengths alone.
    fn value_of_lens(&self, pair: Pair) -> Option<u32> {
        let (query, target) = self.lens(pair);
        let most = u64::from(self.work.request.most());
        let least = query.abs_diff(target);
        (query.min(target) == 0 || least >= most).then_some(least.min(most) as u32)
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
        let columns = |&pair: &Pair| self.lens(pair).1.next_multiple_of(LIMB_ROWS);
        pairs.iter().map(columns).sum::<u64>() * u64::from(limbs) * LIMB_ROWS
    }

    fn plan(&self, limbs: u32, pairs: &[Pair], resident: &Resident) -> ValuesPlan {
        let mut plan = Plan::default();
        let sized = (self.words, Vec::new());
        let strings = plan.input("planes of strings", sized, resident, || self.planes());
        let targets = self.targets.as_ref().unwrap_or(&self.queries);
        let table = pairs.par_iter().flat_map_iter(|&pair| {
            let (query, target) = pair.strings();
            let lens = self.lens(pair);
            [
                self.queries[query],
                targets[target],
                lens.0 as u32,
                lens.1 as u32,
            ]
        });
        let table = plan.upload("pairs", table.collect());
        let values = plan.buffer("values", pairs.len() as u64, Contents::Unspecified);
        let kernel = plan.kernel(bands(limbs, self.planes, Keep::Nothing));
        let split = PassSplit::by_group(Bounds::First(0));
        plan.splits.push((kernel, split));
        let bindings = plan.bind(vec![strings, table, values]);
        plan.passes.push(Pass {
            kernel,
            bindings,
            groups: [pairs.len().div_ceil(LANES as usize) as u32, 1, 1],
            params: params([0, pairs.len() as u32, self.work.request.most()]),
            cells: self.cells(limbs, pairs),
        });
        ValuesPlan { plan, values }
    }

    /// Planes of all strings: `[word][plane]`, with the last symbol in the highest bit.
    fn planes(&self) -> Vec<u32> {
        let request = self.work.request;
        let mut words = vec![0; self.words as usize];
        let targets = self.targets.as_ref().map(|_| request.targets);
        let lists = [Some(request.queries), targets].into_iter().flatten();
        let mut rest = &mut words[..];
        let own = |string| {
            let len = <[S]>::len(string).div_ceil(LIMB_ROWS as usize) * self.planes as usize;
            let (own, later) = take(&mut rest).split_at_mut(len);
            rest = later;
            (own, string)
        };
        let strings: Vec<_> = lists.flat_map(|list| list.iter()).map(own).collect();
        strings
            .into_par_iter()
            .for_each(|(words, string)| pack(self.alphabet, string, words));
        words
    }
}

/// Writes the planes of a string, `[word][plane]`, with the last symbol in the highest bit.
pub(super) fn pack<S: Symbol>(alphabet: &Alphabet<S>, string: &[S], words: &mut [u32]) {
    let unknown = alphabet.codes() as u32 + 1;
    let planes = planes(alphabet.codes()) as usize;
    let limbs = words.chunks_exact_mut(planes).rev();
    for (words, symbols) in limbs.zip(string.rchunks(LIMB_ROWS as usize)) {
        for (group, symbols) in symbols.rchunks(PACKED).enumerate() {
            let codes = symbols.iter().rev().fold(0, |codes, &symbol| {
                let code = match alphabet.code(symbol) {
                    0 => unknown,
                    code => code,
                };
                codes << 8 | u64::from(code)
            });
            let codes = codes << (8 * (PACKED - symbols.len()));
            let shift = LIMB_ROWS as usize - PACKED * (group + 1);
            for (plane, word) in words.iter_mut().enumerate() {
                // The lowest bits of eight bytes as eight bits.
                let bits = (codes >> plane & 0x0101_0101_0101_0101)
                    .wrapping_mul(0x0102_0408_1020_4080)
                    >> 56;
                *word |= (bits as u32) << shift;
            }
        }
    }
}
