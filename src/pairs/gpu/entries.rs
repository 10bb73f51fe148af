//! Pairs that share nothing: a query and a target per lane.
//!
//! The strings of a part are on the device once, however many pairs they are in. Pairs are sorted by
//! the kernel for their query, then by lengths, so that lanes of a workgroup end together.

use super::{EMBEDDED_PLANES, Limbs, Made, Room, Shape, UNIT, ValuesPlan};
use crate::backend::Capabilities;
use crate::host::parallel;
use crate::kernels::Kernel;
use crate::kernels::pairs::{LANES, PairTable, entries};
use crate::pairs::measure::Measure;
use crate::pairs::request::Request;
use crate::pairs::values::Value;
use crate::plan::{BufferId, Contents, Pass, Plan, params};
use crate::symbols::alphabet::Alphabet;

/// Words of a lane for one strip: differences, planes, and masks and sums of a column.
const LANE_WORDS: u32 = 180;
/// Codes besides those of the alphabet: padding, and symbols that no query has.
const OTHER_CODES: usize = 2;
/// Maximum codes of the alphabet: all codes are bytes.
pub(super) const MAX_CODES: usize = (1 << 8) - OTHER_CODES;
/// Bytes per pair of the device's table.
const PAIR_BYTES: u64 = 16;

/// Bit planes of the codes of an alphabet. Few numbers, so that few kernels are built.
pub(super) fn planes(codes: usize, compiles: bool) -> u32 {
    let numbers: &[u32] = if compiles {
        &[3, 5, 7]
    } else {
        &EMBEDDED_PLANES
    };
    let mut numbers = numbers.iter().copied();
    numbers
        .find(|&planes| codes + OTHER_CODES <= 1 << planes)
        .unwrap_or(8)
}

/// Sizes on a device, the same for all parts.
pub(super) struct Shapes {
    pub(super) limbs: Limbs,
    planes: u32,
    max_groups: u32,
    /// Maximum pairs of a part.
    pub(super) max_pairs: u64,
    symbols: u64,
    carry_bytes: u64,
}

impl Shapes {
    pub(super) fn new(measure: Measure, codes: usize, caps: &Capabilities, room: &Room) -> Self {
        let words = if measure.is_swept() { 4 } else { 6 };
        let planes = planes(codes, caps.compiles);
        Self {
            limbs: Limbs::new(LANE_WORDS / (words + planes), caps, measure),
            planes,
            max_groups: caps.groups_per_dimension,
            max_pairs: room.part_bytes / PAIR_BYTES,
            symbols: room.symbols,
            carry_bytes: room.carry_bytes,
        }
    }

    pub(super) fn kernel(&self, table: &PairTable) -> Kernel {
        entries(table, self.planes)
    }
}

/// Strings on the device, in order, and their first units.
struct Store {
    strings: Vec<Stored>,
    /// By position of a query, and of a target; [`ABSENT`] without it.
    queries: Vec<u32>,
    targets: Vec<u32>,
    units: u64,
}

enum Stored {
    Query(usize),
    Target(usize),
}

const ABSENT: u32 = u32::MAX;

impl Store {
    fn new(request: &Request<'_>) -> Self {
        Self {
            strings: Vec::new(),
            queries: vec![ABSENT; request.queries.len()],
            targets: vec![ABSENT; request.targets.len()],
            units: 0,
        }
    }

    /// Adds the strings of a pair if at most `max_symbols` are on the device then, and in any case
    /// to an empty store. Returns whether the pair has its strings.
    fn add(
        &mut self,
        request: &Request<'_>,
        query: usize,
        target: usize,
        max_symbols: u64,
    ) -> bool {
        let units = |len: usize| len.div_ceil(UNIT) as u64;
        let own = [
            (
                &mut self.queries[query],
                units(request.queries.len_of(query)),
                Stored::Query(query),
            ),
            (
                &mut self.targets[target],
                units(request.targets.len_of(target)),
                Stored::Target(target),
            ),
        ];
        let absent = own.iter().filter(|(first, ..)| **first == ABSENT);
        let more: u64 = absent.map(|(_, units, _)| units).sum();
        if self.units > 0 && (self.units + more) * UNIT as u64 > max_symbols {
            return false;
        }
        for (first, units, stored) in own {
            if *first == ABSENT {
                *first = self.units as u32;
                self.units += units;
                self.strings.push(stored);
            }
        }
        true
    }

    /// Codes of all strings, four per word.
    fn codes(&self, request: &Request<'_>, alphabet: &Alphabet) -> Vec<u32> {
        // A query's last rows are loaded with the word behind them.
        let mut words = vec![0; (self.units as usize + 1) * UNIT / 4];
        let mut rest = &mut words[..];
        let own = |stored: &Stored| {
            let string = match *stored {
                Stored::Query(query) => request.queries.string(query),
                Stored::Target(target) => request.targets.string(target),
            };
            let words = string.len().div_ceil(UNIT) * UNIT / 4;
            let (own, later) = std::mem::take(&mut rest).split_at_mut(words);
            rest = later;
            (own, string)
        };
        let mut strings: Vec<_> = self.strings.iter().map(own).collect();
        let of_task = parallel::range_len(strings.len(), 1);
        parallel::for_each_chunk_mut(&mut strings, of_task, |_, strings| {
            for (words, string) in strings {
                let codes: &mut [u8] = bytemuck::cast_slice_mut(words);
                alphabet.write(*string, alphabet.codes() as u8 + 1, codes);
            }
        });
        words
    }
}

/// Pairs of a part in the order of the lanes.
pub(super) struct Block<'a> {
    request: &'a Request<'a>,
    alphabet: &'a Alphabet,
    shapes: &'a Shapes,
    pairs: Vec<(usize, usize)>,
    store: Store,
    /// Pairs by lane.
    order: Vec<u32>,
    made: Made,
}

impl<'a> Block<'a> {
    /// The first of these pairs whose strings fit the device together; at least one pair. Each is
    /// marked whether it is computed.
    pub(super) fn of_first(
        request: &'a Request<'a>,
        alphabet: &'a Alphabet,
        shapes: &'a Shapes,
        (all, max_pairs): (impl Iterator<Item = ((usize, usize), bool)>, u64),
    ) -> Self {
        let mut store = Store::new(request);
        let has_room = |&((query, target), is_computed): &((usize, usize), bool)| {
            !is_computed || store.add(request, query, target, shapes.symbols)
        };
        let max_pairs = max_pairs.min(shapes.max_pairs).max(1) as usize;
        let (mut pairs, mut order) = (Vec::new(), Vec::new());
        for (pair, is_computed) in all.take(max_pairs).take_while(has_room) {
            if is_computed {
                order.push(pairs.len() as u32);
            }
            pairs.push(pair);
        }
        // By shape, strips and length of the target.
        parallel::sort_by_cached_key(&mut order, |&index| {
            let (query, target) = pairs[index as usize];
            let len = request.queries.len_of(query);
            let shape = shapes.limbs.shape(len);
            let strips = shapes.limbs.strips(shape, len);
            let shape = u128::from(shape.limbs) << 1 | u128::from(shape.strips);
            shape << 96 | u128::from(strips) << 64 | request.targets.len_of(target) as u128
        });
        let mut block = Self {
            request,
            alphabet,
            shapes,
            pairs,
            store,
            order,
            made: Made::default(),
        };
        block.made = Made::new(block.make());
        block
    }

    pub(super) fn pairs(&self) -> usize {
        self.pairs.len()
    }

    fn lens(&self, index: u32) -> (usize, usize) {
        let (query, target) = self.pairs[index as usize];
        let Request {
            queries, targets, ..
        } = self.request;
        (queries.len_of(query), targets.len_of(target))
    }

    fn shape(&self, index: u32) -> Shape {
        self.shapes.limbs.shape(self.lens(index).0)
    }

    pub(super) fn plan(&self) -> ValuesPlan {
        self.made.take_or(|| self.make())
    }

    fn make(&self) -> ValuesPlan {
        let mut plan = Plan::default();
        let codes = self.store.codes(self.request, self.alphabet);
        let codes = plan.upload("codes of strings", codes);
        let carries = plan.buffer("differences between strips", 1, Contents::Unspecified);
        let mut table: Vec<u32> = Vec::with_capacity(4 * self.order.len());
        for &index in &self.order {
            let (query, target) = self.pairs[index as usize];
            let (query_len, target_len) = self.lens(index);
            let firsts = [self.store.queries[query], self.store.targets[target]];
            table.extend(firsts);
            table.extend([query_len as u32, target_len as u32]);
        }
        table.resize(table.len().max(4), 0);
        let table = plan.upload("pairs", table);
        let words = self.order.len().max(1) as u64;
        let values = plan.buffer("values", words, Contents::Unspecified);
        let bound = [codes, carries, table, values];
        let mut first = 0;
        for class in self.order.chunk_by(|&a, &b| self.shape(a) == self.shape(b)) {
            self.add(&mut plan, bound, first, class);
            first += class.len();
        }
        ValuesPlan { plan, values }
    }

    /// Adds the passes of the pairs with one kernel, of which the first has lane `first`.
    fn add(&self, plan: &mut Plan, bound: [BufferId; 4], first: usize, class: &[u32]) {
        let Self {
            request, shapes, ..
        } = self;
        let shape = self.shape(class[0]);
        let kernel = plan.kernel_by_group(shapes.kernel(&request.table(shape)));
        let bindings = plan.bind(bound.to_vec());
        let lanes = LANES as usize;
        let mut start = 0;
        while start < class.len() {
            let (end, units) = self.window(shape, class, start);
            let window = &class[start..end];
            let words = if shape.strips {
                units * request.carry_words() * window.len().div_ceil(lanes) as u64
            } else {
                0
            };
            let carries = &mut plan.buffers[bound[1]];
            carries.words = carries.words.max(words);
            let strips = |&index: &u32| shapes.limbs.strips(shape, self.lens(index).0);
            let last_strip = window.iter().map(strips).max().unwrap_or(1);
            for strip in 0..last_strip {
                let cells = |index: &u32| {
                    let rows = match shape.strips {
                        true if strip >= strips(index) => 0,
                        true => shapes.limbs.strip_rows(shape),
                        false => self.lens(*index).0.max(1) as u64,
                    };
                    rows * self.lens(*index).1 as u64
                };
                plan.passes.push(Pass {
                    kernel,
                    bindings,
                    groups: [window.len().div_ceil(lanes) as u32, 1, 1],
                    params: params([
                        (start / lanes) as u32,
                        (first + class.len()) as u32,
                        first as u32,
                        request.most(),
                        strip,
                        (start / lanes) as u32,
                        units as u32,
                    ]),
                    cells: window.iter().map(cells).sum(),
                });
            }
            start = end;
        }
    }

    /// End of the pairs from `start` on whose differences between strips fit together, whole
    /// workgroups of pairs, and the most units of a target among them.
    fn window(&self, shape: Shape, class: &[u32], start: usize) -> (usize, u64) {
        let max_pairs = self.shapes.max_groups as usize * LANES as usize;
        let (mut end, mut units, mut groups) = (start, 0, 0);
        for group in class[start..].chunks(LANES as usize) {
            let of_group = group.iter().map(|&index| self.lens(index).1);
            let more = of_group.max().unwrap_or(0).div_ceil(UNIT) as u64;
            groups += 1;
            let words = units.max(more) * self.request.carry_words() * groups;
            let is_full = shape.strips && 4 * words > self.shapes.carry_bytes;
            if end > start && (is_full || end - start >= max_pairs) {
                break;
            }
            units = units.max(more);
            end += group.len();
        }
        (end, units)
    }

    /// Writes values in the order of the pairs.
    pub(super) fn unpack<T: Value>(&self, found: &[u32], values: &mut [T]) {
        for (&index, &value) in self.order.iter().zip(found) {
            values[index as usize] = T::narrowed(value);
        }
    }
}
