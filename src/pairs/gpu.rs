//! Values of pairs on a GPU: every query of a part with every target.
//!
//! Targets are divided into chunks, and sorted by length within each chunk. A tile is one target per
//! lane. Their codes are interleaved, so that lanes load adjacent words, and stay on the device
//! while the parts of the queries change.

use std::ops::Range;

use rayon::prelude::*;

use super::alphabet::{Alphabet, SHARED_CODES};
use super::request::{Measure, Request};
use super::selection::{Part, Selection};
use super::solve::{Output, Work};
use super::values::{Value, Width};
use crate::backend::{Capabilities, Session, Span, Words};
use crate::call::phase::Phase;
use crate::edit_distance::Mode;
use crate::engine::Device;
use crate::engine::profile::gpu::{compute_units, pairs as figures};
use crate::error::Result;
use crate::kernels::pairs::{Ends, LANES, PairLanes, Recurrence};
use crate::pairwise::codes::Symbol;
use crate::plan::{Bounds, Contents, Pass, PassSplit, Plan, Resident, params};

/// Columns per load of a lane.
const UNIT: usize = 16;
/// Maximum limbs of a strip: their differences fit the registers of a lane, and 1,000 symbols are
/// one strip in limbs of 31 rows, too.
const MAX_LIMBS: u32 = 36;
/// As `MAX_LIMBS`, for software adapters: llvmpipe of Mesa 22.3 gives wrong values for several strips
/// of 24 limbs or more (docs/drivers.md).
const MAX_LIMBS_ON_HOST: u32 = 20;
/// Target symbols of a chunk, less if bindings are smaller, and maximum targets.
const CHUNK_SYMBOLS: u64 = 1 << 26;
const CHUNK_TARGETS: usize = 1 << 17;
/// Tiles per workgroup: more tiles amortise the masks of the query.
const GROUP_COLUMNS: usize = 1 << 10;
const MAX_GROUP_TILES: usize = 32;
/// Approximate cells of a query in one pass, which is not split.
const QUERY_PASS_CELLS: u64 = 1 << 28;
/// Bytes of the differences between strips, per pass.
const CARRY_BYTES: u64 = 64 << 20;
/// Values per part: a readback of some megabytes.
const PART_BYTES: u64 = 64 << 20;

/// Name of the buffer of values.
const VALUES: &str = "values";

/// True if GPUs take these pairs.
pub(super) fn takes<S: Symbol>(work: &Work<'_, '_, S>) -> bool {
    let rows = matches!(work.selection, Selection::Cross | Selection::Symmetric);
    rows && work.alphabet.is_some()
}

/// Expected time of all passes and transfers.
pub(super) fn seconds<S: Symbol>(work: &Work<'_, '_, S>, cells: u128, caps: &Capabilities) -> f64 {
    if !caps.compiles {
        return f64::INFINITY;
    }
    let rate = match work.request.measure {
        Measure::Edit => figures::EDIT_CELLS_PER_SECOND,
        Measure::Indel | Measure::Lcs => figures::LCS_CELLS_PER_SECOND,
    };
    let pairs = (work.places.end - work.places.start) as f64;
    let bytes = pairs * work.request.width().bytes() as f64;
    cells as f64 / (rate * compute_units(caps)) + bytes / figures::VALUE_BYTES_PER_SECOND
}

/// Device memory of the largest plan, approximately.
pub(super) fn size_bytes<S: Symbol>(work: &Work<'_, '_, S>, caps: &Capabilities) -> u64 {
    let targets = work.request.targets;
    let symbols = targets
        .symbols_before(targets.len())
        .min(chunk_symbols(caps));
    2 * symbols + PART_BYTES + CARRY_BYTES
}

fn chunk_symbols(caps: &Capabilities) -> u64 {
    CHUNK_SYMBOLS.min(caps.chunk_bytes / 2)
}

/// Rows of a limb.
fn limb_rows(caps: &Capabilities) -> usize {
    if caps.carry_flag { 32 } else { 31 }
}

/// Interleaved targets.
struct Chunk {
    targets: Range<usize>,
    /// Targets by lane.
    order: Vec<u32>,
    /// True if `order` is ascending.
    is_sorted: bool,
    /// First unit and number of units by tile, then lengths by lane.
    table: Vec<u32>,
    units: u64,
}

impl Chunk {
    fn new<S: Symbol>(request: &Request<'_, S>, targets: Range<usize>) -> Self {
        let len = |target: u32| request.targets.len_of(target as usize);
        let mut order: Vec<u32> = targets.clone().map(|target| target as u32).collect();
        order.sort_by_key(|&target| len(target));
        let is_sorted = order.is_sorted();
        let mut table = Vec::new();
        let mut units = 0u64;
        for tile in order.chunks(LANES as usize) {
            let longest = tile.iter().map(|&target| len(target)).max().unwrap_or(0);
            let tile_units = longest.div_ceil(UNIT);
            table.extend([units as u32, tile_units as u32]);
            units += tile_units as u64;
        }
        let lanes = order.len().next_multiple_of(LANES as usize);
        let lens = order.iter().map(|&target| len(target) as u32);
        table.extend(lens.chain(std::iter::repeat(0)).take(lanes));
        Self {
            targets,
            order,
            is_sorted,
            table,
            units,
        }
    }

    fn tiles(&self) -> usize {
        self.order.len().div_ceil(LANES as usize)
    }

    fn tile_units(&self, tile: usize) -> u32 {
        self.table[2 * tile + 1]
    }

    /// Words of the interleaved codes.
    fn words(&self) -> u64 {
        (self.units * 4 * u64::from(LANES)).max(4)
    }

    /// Codes of all targets: `[tile][unit][lane]`, 16 columns each.
    fn codes<S: Symbol>(&self, request: &Request<'_, S>, alphabet: &Alphabet<S>) -> Vec<u32> {
        let mut words = vec![0; self.words() as usize];
        let mut rest = &mut words[..];
        let mut tiles = Vec::new();
        for (tile, targets) in self.order.chunks(LANES as usize).enumerate() {
            let len = self.tile_units(tile) as usize * 4 * LANES as usize;
            let (own, later) = rest.split_at_mut(len);
            tiles.push((own, targets));
            rest = later;
        }
        tiles.into_par_iter().for_each(|(words, targets)| {
            for (lane, &target) in targets.iter().enumerate() {
                let units = request.targets[target as usize].chunks(UNIT);
                for (unit, symbols) in units.enumerate() {
                    let first = (unit * LANES as usize + lane) * 4;
                    for (place, &symbol) in symbols.iter().enumerate() {
                        words[first + place / 4] |= alphabet.code(symbol) << (8 * (place % 4));
                    }
                }
            }
        });
        words
    }
}

/// Queries of a part with kernels of the same shape.
struct Class {
    limbs: u32,
    strips: bool,
    /// Queries by position in the part.
    rows: Vec<u32>,
}

/// Sizes on a device, the same for all parts.
struct Shapes {
    /// Rows per limb.
    limb_rows: usize,
    /// Maximum limbs of a strip.
    max_limbs: u32,
    symbols: u32,
    packed: u32,
    max_groups: u32,
}

impl Shapes {
    fn new(width: Width, codes: usize, caps: &Capabilities) -> Self {
        // Few sizes of alphabets and queries, so that few kernels are built.
        let symbols = [4, 31, 63, 127, SHARED_CODES]
            .into_iter()
            .find(|&symbols| symbols >= codes)
            .unwrap_or(SHARED_CODES) as u32;
        let max_limbs = match caps.host_threads {
            Some(_) => MAX_LIMBS_ON_HOST,
            None => MAX_LIMBS,
        };
        let mask_words = (caps.workgroup_bytes / 4).saturating_sub(LANES);
        // An odd stride takes up to one word more per code.
        let fitting = (mask_words / (symbols + 1)).saturating_sub(1);
        Self {
            limb_rows: limb_rows(caps),
            max_limbs: limbs_of_class(fitting.clamp(1, max_limbs), false),
            symbols,
            packed: 4 / width.bytes() as u32,
            max_groups: caps.groups_per_dimension,
        }
    }

    /// The queries of a part by the shape of their kernel.
    fn classes<S: Symbol>(&self, request: &Request<'_, S>, rows: &Range<usize>) -> Vec<Class> {
        let mut classes: Vec<Class> = Vec::new();
        for (place, row) in rows.clone().enumerate() {
            let limbs = request.queries.len_of(row).div_ceil(self.limb_rows).max(1);
            let strips = limbs > self.max_limbs as usize;
            // Strips of equal heights.
            let limbs = limbs.div_ceil(limbs.div_ceil(self.max_limbs as usize));
            let limbs = limbs_of_class(limbs as u32, true).min(self.max_limbs);
            let known = classes
                .iter_mut()
                .find(|class| (class.limbs, class.strips) == (limbs, strips));
            match known {
                Some(class) => class.rows.push(place as u32),
                None => classes.push(Class {
                    limbs,
                    strips,
                    rows: vec![place as u32],
                }),
            }
        }
        classes
    }
}

/// Limbs of a kernel for queries of `limbs` limbs: every number up to 8, then multiples of 4,
/// rounded up or down.
fn limbs_of_class(limbs: u32, up: bool) -> u32 {
    match limbs {
        0..=8 => limbs,
        _ if up => limbs.next_multiple_of(4),
        _ => limbs / 4 * 4,
    }
}

/// A part of the queries with one chunk of the targets.
struct Block<'a, 'r, S: Symbol> {
    request: &'a Request<'r, S>,
    alphabet: &'a Alphabet<S>,
    shapes: &'a Shapes,
    rows: Range<usize>,
    chunk: &'a Chunk,
}

impl<S: Symbol> Block<'_, '_, S> {
    /// Words per row of the values.
    fn row_words(&self) -> u64 {
        (self.chunk.tiles() as u32 * (LANES / self.shapes.packed)).into()
    }

    fn value_words(&self) -> u64 {
        self.rows.len() as u64 * self.row_words()
    }

    fn plan(&self, resident: &Resident) -> Plan {
        let Self {
            request,
            shapes,
            chunk,
            ..
        } = self;
        let mut plan = Plan::default();
        let classes = shapes.classes(request, &self.rows);
        // The codes and the table of the queries, class by class.
        let (mut codes, mut table) = (Vec::new(), Vec::new());
        for &row in classes.iter().flat_map(|class| &class.rows) {
            let query = &request.queries[self.rows.start + row as usize];
            table.extend([row, codes.len() as u32, query.len() as u32, 0]);
            codes.extend(query.chunks(4).map(|symbols| {
                let code = |word: u32, &symbol: &S| word << 8 | self.alphabet.code(symbol);
                symbols.iter().rev().fold(0, code)
            }));
        }
        codes.resize(codes.len().max(1), 0);
        table.resize(table.len().max(4), 0);
        let codes = plan.upload("codes of queries", codes);
        let table = plan.upload("queries", table);
        let key = vec![chunk.targets.start as u64, chunk.targets.end as u64];
        let target_codes = plan.input(
            "codes of targets",
            (chunk.words(), key.clone()),
            resident,
            || chunk.codes(request, self.alphabet),
        );
        let target_table = plan.input(
            "targets",
            (chunk.table.len().max(1) as u64, key),
            resident,
            || chunk.table.clone(),
        );
        let values = plan.buffer(VALUES, self.value_words().max(1), Contents::Unspecified);
        let mut passes = Passes {
            plan: &mut plan,
            block: self,
            buffers: [codes, table, target_codes, target_table, values],
            carry_words: 1,
            first_query: 0,
        };
        let added: Vec<_> = classes.iter().map(|class| passes.add(class)).collect();
        let carry_words = passes.carry_words;
        let carries = plan.buffer(
            "differences between strips",
            carry_words,
            Contents::Unspecified,
        );
        for bindings in added {
            plan.bindings[bindings].push(carries);
        }
        plan
    }

    /// Writes packed values to their rows, in the order of the targets.
    fn unpack<T: Value>(&self, words: &[u32], rows: &mut [Row<'_, T>]) {
        let found: &[T] = bytemuck::cast_slice(words);
        let stride = self.row_words() as usize * self.shapes.packed as usize;
        let targets = &self.chunk.targets;
        let rows = rows.par_iter_mut().zip(found.par_chunks(stride));
        rows.for_each(|(row, found)| {
            let (first, end) = (row.first.max(targets.start), row.end().min(targets.end));
            if first >= end {
                return;
            }
            let values = &mut row.values[first - row.first..end - row.first];
            if self.chunk.is_sorted {
                values.copy_from_slice(&found[first - targets.start..end - targets.start]);
                return;
            }
            for (&target, &value) in self.chunk.order.iter().zip(found) {
                // Targets before `first` wrap to large numbers.
                if let Some(place) = values.get_mut((target as usize).wrapping_sub(first)) {
                    *place = value;
                }
            }
        });
    }
}

/// Values of one query with the targets from `first` on.
struct Row<'a, T> {
    first: usize,
    values: &'a mut [T],
}

impl<T> Row<'_, T> {
    fn end(&self) -> usize {
        self.first + self.values.len()
    }
}

/// Divides the values of a part into rows. With `is_upper`, each row has one target less than the
/// row before.
fn rows_of<'a, T>(
    mut values: &'a mut [T],
    (rows, columns): (usize, &Range<usize>),
    is_upper: bool,
) -> Vec<Row<'a, T>> {
    let row = |row: usize| {
        let first = columns.start + if is_upper { row } else { 0 };
        let (own, later) = std::mem::take(&mut values).split_at_mut(columns.end - first);
        values = later;
        Row { first, values: own }
    };
    (0..rows).map(row).collect()
}

/// Adds the passes of the classes to a plan.
struct Passes<'p, 'a, 'r, S: Symbol> {
    plan: &'p mut Plan,
    block: &'p Block<'a, 'r, S>,
    buffers: [usize; 5],
    carry_words: u64,
    /// First entry of the class in the table of queries.
    first_query: u32,
}

impl<S: Symbol> Passes<'_, '_, '_, S> {
    /// Adds the passes of a class; returns its bindings, without the carries.
    fn add(&mut self, class: &Class) -> usize {
        let Block {
            request,
            shapes,
            chunk,
            rows: part,
            ..
        } = self.block;
        let kernel = PairLanes {
            recurrence: match request.measure {
                Measure::Edit => Recurrence::Edit,
                Measure::Indel => Recurrence::Indel,
                Measure::Lcs => Recurrence::Lcs,
            },
            ends: match request.mode {
                Mode::Global => Ends::Whole,
                Mode::Prefix => Ends::Prefix,
                Mode::Infix => Ends::Piece,
            },
            limbs: class.limbs,
            strips: class.strips,
            symbols: shapes.symbols,
            packed: shapes.packed,
            limited: request.limit().is_some() && request.mode == Mode::Global,
        };
        let kernel = self.plan.kernel(kernel.kernel());
        let split = PassSplit::by_group(Bounds::First(0));
        self.plan.splits.push((kernel, split));
        let bindings = self.plan.bind(self.buffers.to_vec());
        let len = |&row: &u32| request.queries.len_of(part.start + row as usize).max(1) as u64;
        let query_symbols: u64 = class.rows.iter().map(len).sum();
        let longest = class.rows.iter().map(len).max().unwrap_or(1);
        let most = request.within.map_or(u32::MAX, |within| {
            u32::try_from(within.saturating_add(1)).unwrap_or(u32::MAX)
        });
        let carry_vectors = if request.measure == Measure::Edit {
            2
        } else {
            1
        };
        let mut first_tile = 0;
        while first_tile < chunk.tiles() {
            // A range of tiles whose columns are few enough for one query.
            let mut columns = 0;
            let mut end_tile = first_tile;
            while end_tile < chunk.tiles() {
                let own = u64::from(chunk.tile_units(end_tile)) * UNIT as u64 * u64::from(LANES);
                if end_tile > first_tile && (columns + own) * longest > QUERY_PASS_CELLS {
                    break;
                }
                columns += own;
                end_tile += 1;
            }
            let units = u64::from(chunk.tile_units(end_tile - 1));
            let tile_columns = (columns / u64::from(LANES)) as usize / (end_tile - first_tile);
            let group_tiles = (GROUP_COLUMNS / tile_columns.max(1)).clamp(1, MAX_GROUP_TILES);
            let groups = (end_tile - first_tile).div_ceil(group_tiles) as u32;
            let group_words = units * carry_vectors * u64::from(LANES);
            let max_queries = match class.strips {
                false => shapes.max_groups,
                true => {
                    let words = group_words * u64::from(groups);
                    let queries = (CARRY_BYTES / 4 / words.max(1)).max(1);
                    shapes
                        .max_groups
                        .min(u32::try_from(queries).unwrap_or(u32::MAX))
                }
            };
            let mut first = 0;
            while first < class.rows.len() as u32 {
                let queries = max_queries.min(class.rows.len() as u32 - first);
                if class.strips {
                    let words = group_words * u64::from(groups) * u64::from(queries);
                    self.carry_words = self.carry_words.max(words);
                }
                let part = query_symbols * u64::from(queries) / class.rows.len() as u64;
                self.plan.passes.push(Pass {
                    kernel,
                    bindings,
                    groups: [queries, groups, 1],
                    params: params([
                        self.first_query + first,
                        first_tile as u32,
                        end_tile as u32,
                        group_tiles as u32,
                        self.block.row_words() as u32,
                        chunk.tiles() as u32,
                        most,
                        if class.strips { units as u32 } else { 0 },
                    ]),
                    cells: part * columns,
                });
                first += queries;
            }
            first_tile = end_tile;
        }
        self.first_query += class.rows.len() as u32;
        bindings
    }
}

/// Chunks of the targets.
fn chunks<S: Symbol>(request: &Request<'_, S>, caps: &Capabilities) -> Vec<Range<usize>> {
    let targets = request.targets;
    let mut chunks = Vec::new();
    let mut first = 0;
    while first < targets.len() {
        let last = targets.len().min(first + CHUNK_TARGETS);
        let end = targets.chunk_end((first, last), chunk_symbols(caps));
        chunks.push(first..end);
        first = end;
    }
    chunks
}

/// Computes all pairs in order; returns the number of pairs that were passed on.
///
/// # Errors
/// As [`Session::run`].
pub(super) async fn solve<S: Symbol>(
    device: &Device<'_>,
    work: &Work<'_, '_, S>,
    alphabet: &Alphabet<S>,
    part_pairs: u64,
    output: &mut Output<'_>,
) -> Result<u64> {
    match work.request.width() {
        Width::U8 => solve_as::<u8, S>(device, work, alphabet, part_pairs, output).await,
        Width::U16 => solve_as::<u16, S>(device, work, alphabet, part_pairs, output).await,
        Width::U32 => solve_as::<u32, S>(device, work, alphabet, part_pairs, output).await,
    }
}

async fn solve_as<T: Value, S: Symbol>(
    device: &Device<'_>,
    work: &Work<'_, '_, S>,
    alphabet: &Alphabet<S>,
    part_pairs: u64,
    output: &mut Output<'_>,
) -> Result<u64> {
    let (caps, request) = (device.backend.capabilities(), work.request);
    let shapes = Shapes::new(request.width(), alphabet.codes, caps);
    let chunks: Vec<_> = device.on_threads(|| {
        let chunks = chunks(request, caps);
        chunks
            .into_par_iter()
            .map(|chunk| Chunk::new(request, chunk))
            .collect()
    });
    device.phases.lap(Phase::Encode);
    let session = device.open_session()?;
    let max_bytes = PART_BYTES.min(caps.chunk_bytes / 2);
    let max_pairs = part_pairs.min(max_bytes / size_of::<T>() as u64);
    let all = (work.places.end - work.places.start) as usize;
    // Either all values, or those of one part.
    let mut values = match output {
        Output::All(_) => vec![T::default(); all],
        Output::Each(_) => Vec::new(),
    };
    let (mut place, mut done) = (work.places.start, 0);
    while place < work.places.end {
        let targets = request.targets.len();
        let part = work
            .selection
            .part(place, work.places.end, max_pairs, targets);
        let pairs = work.selection.pairs_of(&part);
        let Part::Rectangle(rows, columns) = part else {
            unreachable!("only selections with rows run on a GPU");
        };
        let of_part = match output {
            Output::All(_) => &mut values[done..done + pairs],
            Output::Each(_) => {
                values.resize(pairs, T::default());
                &mut values[..]
            }
        };
        let is_upper = matches!(work.selection, Selection::Symmetric);
        let mut of_rows = rows_of(of_part, (rows.len(), &columns), is_upper);
        for chunk in &chunks {
            if chunk.targets.end <= columns.start || chunk.targets.start >= columns.end {
                continue;
            }
            let block = Block {
                request,
                alphabet,
                shapes: &shapes,
                rows: rows.clone(),
                chunk,
            };
            let words = of_block(&session, &block).await?;
            let found = words.words();
            device.on_threads(|| block.unpack(found, &mut of_rows));
            device.phases.lap(Phase::Readback);
        }
        place += pairs as u64;
        done += pairs;
        if let Output::Each(sink) = output {
            let block = T::values(std::mem::take(&mut values));
            let flow = sink(place - pairs as u64, &block);
            if flow.is_break() {
                break;
            }
            values = T::vec(block);
        }
    }
    if let Output::All(all) = output {
        *all = T::values(values);
    }
    Ok(done as u64)
}

/// Packed values of a block, in memory of the driver.
async fn of_block<S: Symbol>(
    session: &Session<'_>,
    block: &Block<'_, '_, S>,
) -> Result<Box<dyn Words>> {
    let words = block.value_words();
    let read = |plan: &Plan| {
        let buffer = plan.buffers.iter().position(|buffer| buffer.name == VALUES);
        let span = |buffer| Span {
            buffer,
            first: 0,
            words,
        };
        session.read(&buffer.map(span).into_iter().collect::<Vec<_>>())
    };
    let (_, pending) = session
        .round(&|resident| block.plan(resident), &|_| Vec::new(), &read)
        .await?;
    match pending {
        Some(pending) => pending.await,
        None => Ok(Box::new(Vec::new())),
    }
}
