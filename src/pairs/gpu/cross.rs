//! Every query of a part with every target.
//!
//! Targets are divided into chunks, and sorted by length within each chunk. A tile is one target per
//! lane. Their codes are interleaved, so that lanes load adjacent words, and stay on the device
//! while the parts of the queries change.

use std::ops::Range;
use std::sync::Arc;

use super::{EMBEDDED_SYMBOLS, Limbs, Room, Shape, UNIT, ValuesPlan};
use crate::backend::Capabilities;
use crate::host::parallel;
use crate::kernels::Kernel;
use crate::kernels::pairs::{LANES, PairTable, Store, lanes};
use crate::pairs::SHARED_CODES;
use crate::pairs::measure::Measure;
use crate::pairs::request::Request;
use crate::pairs::values::PairValue;
use crate::pairs::values::{Value, Width};
use crate::plan::{BufferId, Contents, Pass, Plan, Resident, params};
use crate::symbols::alphabet::Alphabet;

/// Maximum limbs of a strip: their differences fit the registers of a lane, and 1,000 symbols are
/// one strip in limbs of 31 rows, too.
const MAX_LIMBS: u32 = 36;
/// Maximum limbs of a strip of measures that keep twice the words of a limb.
const MAX_LIMBS_OF_MANY_WORDS: u32 = 16;
/// Maximum values within the bound of a part and a chunk; more are read back with all others.
const MAX_KEPT: u64 = 1 << 20;
/// Maximum targets of a chunk.
const CHUNK_TARGETS: usize = 1 << 17;
/// Tiles per workgroup: more tiles amortise the masks of the query.
const GROUP_COLUMNS: usize = 1 << 10;
const MAX_GROUP_TILES: usize = 32;
/// Values that a thread unpacks at once.
const TASK_VALUES: usize = 1 << 14;
/// Approximate cells of a query in one pass, which is not split.
const QUERY_PASS_CELLS: u64 = 1 << 28;

pub(super) fn chunks(request: &Request<'_>, room: &Room) -> Vec<Range<usize>> {
    let targets = request.targets;
    let mut chunks = Vec::new();
    let mut first = 0;
    while first < targets.len() {
        let last = targets.len().min(first + CHUNK_TARGETS);
        let end = targets.chunk_end(first..last, room.symbols);
        chunks.push(first..end);
        first = end;
    }
    chunks
}

pub(super) struct Chunk {
    pub(super) targets: Range<usize>,
    /// Targets by lane.
    order: Vec<u32>,
    is_sorted: bool,
    /// First unit, number of units and last target by tile, then lengths by lane.
    table: Vec<u32>,
    units: u64,
}

/// Key of the order of targets: their units to 3 %. Targets of about the same length stay in order,
/// so that most values need no reordering, and tiles before the queries of a symmetric selection
/// are skipped.
fn about(units: usize) -> usize {
    let dropped = (usize::BITS - units.leading_zeros()).saturating_sub(5);
    units >> dropped << dropped
}

impl Chunk {
    pub(super) fn new(request: &Request<'_>, targets: Range<usize>) -> Self {
        let len = |target: u32| request.targets.len_of(target as usize);
        let mut order: Vec<u32> = targets.clone().map(|target| target as u32).collect();
        order.sort_by_key(|&target| about(len(target).div_ceil(UNIT)));
        let is_sorted = order.is_sorted();
        let mut table = Vec::new();
        let mut units = 0u64;
        for tile in order.chunks(LANES as usize) {
            let longest = tile.iter().map(|&target| len(target)).max().unwrap_or(0);
            let tile_units = longest.div_ceil(UNIT);
            let last = tile.iter().max().copied().unwrap_or(0);
            table.extend([units as u32, tile_units as u32, last]);
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

    fn first_unit(&self, tile: usize) -> u32 {
        self.table[3 * tile]
    }

    fn tile_units(&self, tile: usize) -> u32 {
        self.table[3 * tile + 1]
    }

    /// Words of the interleaved codes.
    fn words(&self) -> u64 {
        (self.units * 4 * u64::from(LANES)).max(4)
    }

    /// Codes of all targets: `[tile][unit][lane]`, 16 columns each.
    fn codes(&self, request: &Request<'_>, alphabet: &Alphabet) -> Vec<u32> {
        let mut words = vec![0; self.words() as usize];
        let mut rest = &mut words[..];
        let mut tiles = Vec::new();
        for (tile, targets) in self.order.chunks(LANES as usize).enumerate() {
            let len = self.tile_units(tile) as usize * 4 * LANES as usize;
            let (own, later) = rest.split_at_mut(len);
            tiles.push((own, targets));
            rest = later;
        }
        parallel::for_each_mut(&mut tiles, |_, (words, targets)| {
            for (lane, &target) in targets.iter().enumerate() {
                let mut index = 0;
                alphabet.for_each(request.targets.string(target as usize), |code| {
                    let first = (index / UNIT * LANES as usize + lane) * 4;
                    words[first + index % UNIT / 4] |= code << (8 * (index % 4));
                    index += 1;
                });
            }
        });
        words
    }
}

/// Sizes on a device, the same for all parts.
pub(super) struct Shapes {
    pub(super) limbs: Limbs,
    symbols: u32,
    packed: u32,
    max_groups: u32,
    /// Symbols of the queries of a part.
    query_symbols: u64,
    carry_bytes: u64,
}

impl Shapes {
    pub(super) fn new(
        measure: Measure,
        width: Width,
        codes: usize,
        caps: &Capabilities,
        room: &Room,
    ) -> Self {
        // Few sizes of alphabets, so that few kernels are built.
        let sizes: &[usize] = if caps.compiles {
            &[4, 31, 63, 127]
        } else {
            &EMBEDDED_SYMBOLS
        };
        let symbols = sizes.iter().copied().find(|&symbols| symbols >= codes);
        let symbols = symbols.unwrap_or(SHARED_CODES) as u32;
        let max_limbs = if measure.is_swept() {
            MAX_LIMBS
        } else {
            MAX_LIMBS_OF_MANY_WORDS
        };
        let mask_words = (caps.workgroup_bytes / 4).saturating_sub(LANES);
        // An odd stride takes up to one word more per code.
        let fitting = (mask_words / (symbols + 1)).saturating_sub(1);
        Self {
            limbs: Limbs::new(max_limbs.min(fitting), caps, measure),
            symbols,
            packed: 4 / width.bytes() as u32,
            max_groups: caps.groups_per_dimension,
            query_symbols: room.symbols,
            carry_bytes: room.carry_bytes,
        }
    }

    pub(super) fn kernel(&self, table: &PairTable, keeps_some: bool) -> Kernel {
        lanes(table, self.symbols, self.store(keeps_some))
    }

    fn store(&self, keeps_some: bool) -> Store {
        if keeps_some {
            Store::Kept(MAX_KEPT as u32)
        } else {
            Store::Packed(self.packed)
        }
    }

    /// Maximum rows of a part: the places of all its values are words.
    pub(super) fn max_rows(&self, chunks: &[Chunk]) -> u64 {
        let tiles = chunks.iter().map(Chunk::tiles).max().unwrap_or(0) as u64;
        u64::from(u32::MAX) / (tiles * u64::from(LANES)).max(1)
    }

    /// End of the rows whose queries fit the device together; at least one row.
    pub(super) fn rows_end(&self, request: &Request<'_>, rows: &Range<usize>) -> usize {
        let queries = request.queries;
        queries.chunk_end(rows.clone(), self.query_symbols)
    }

    /// The queries of a part by the shape of their kernel; within a class by length, so that those
    /// with several strips have equally many.
    fn classes(&self, request: &Request<'_>, rows: &Range<usize>) -> Vec<Class> {
        let mut classes: Vec<Class> = Vec::new();
        for (index, row) in rows.clone().enumerate() {
            let shape = self.limbs.shape(request.queries.len_of(row));
            match classes.iter_mut().find(|class| class.shape == shape) {
                Some(class) => class.rows.push(index as u32),
                None => classes.push(Class {
                    shape,
                    rows: vec![index as u32],
                }),
            }
        }
        let len = |&row: &u32| request.queries.len_of(rows.start + row as usize);
        for class in classes.iter_mut().filter(|class| class.shape.strips) {
            class.rows.sort_by_key(len);
        }
        classes
    }
}

/// Queries of a part with kernels of the same shape.
#[derive(Clone)]
struct Class {
    shape: Shape,
    /// Queries by position in the part.
    rows: Vec<u32>,
}

/// Queries of a part, as they are uploaded.
#[derive(Clone)]
pub(super) struct Queries {
    pub(super) rows: Range<usize>,
    classes: Vec<Class>,
    codes: Vec<u32>,
    table: Vec<u32>,
}

impl Queries {
    /// With `is_upper`, the targets of a query are behind it.
    pub(super) fn new(
        request: &Request<'_>,
        alphabet: &Alphabet,
        shapes: &Shapes,
        rows: Range<usize>,
        is_upper: bool,
    ) -> Self {
        let classes = shapes.classes(request, &rows);
        // Class by class.
        let (mut codes, mut table) = (Vec::new(), Vec::new());
        for &row in classes.iter().flat_map(|class| &class.rows) {
            let query_row = rows.start + row as usize;
            let query = request.queries.string(query_row);
            let first_target = if is_upper { query_row + 1 } else { 0 };
            table.extend([
                row,
                codes.len() as u32,
                query.len() as u32,
                first_target as u32,
            ]);
            let first_word = codes.len();
            codes.resize(first_word + query.len().div_ceil(4), 0);
            alphabet.write(query, 0, bytemuck::cast_slice_mut(&mut codes[first_word..]));
        }
        codes.resize(codes.len().max(1), 0);
        table.resize(table.len().max(4), 0);
        Self {
            rows,
            classes,
            codes,
            table,
        }
    }
}

/// A part of the queries with one chunk of the targets.
pub(super) struct Block<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) alphabet: &'a Alphabet,
    pub(super) shapes: &'a Shapes,
    pub(super) queries: Arc<Queries>,
    pub(super) chunk: &'a Chunk,
    /// True for the pairs of a symmetric selection.
    pub(super) is_upper: bool,
    /// True if only values within the bound are stored.
    pub(super) keeps_some: bool,
}

impl Block<'_> {
    /// Words per row of the values; of kept ones, places per row.
    fn row_words(&self) -> u64 {
        let words = match self.shapes.store(self.keeps_some) {
            Store::Packed(values) => LANES / values,
            Store::Kept(_) => LANES,
        };
        self.chunk.tiles() as u64 * u64::from(words)
    }

    /// The kept values by row and target.
    pub(super) fn kept(&self, words: &[u32]) -> Vec<PairValue> {
        let (count, entries) = words.split_at(words.len().min(1));
        let count = count.first().map_or(0, |&count| count as usize);
        let value = |entry: &[u32]| {
            let places = self.row_words() as u32;
            // Lanes behind the last target have none.
            let target = *self.chunk.order.get((entry[0] % places) as usize)? as usize;
            let query = self.queries.rows.start + (entry[0] / places) as usize;
            let is_asked = !self.is_upper || query < target;
            is_asked.then_some(PairValue {
                query,
                target,
                value: entry[1],
            })
        };
        let entries = entries.chunks_exact(2).take(count);
        entries.filter_map(value).collect()
    }

    pub(super) fn plan(&self, resident: &Resident) -> ValuesPlan {
        let Self { request, chunk, .. } = self;
        let mut plan = Plan::default();
        let Queries {
            rows,
            classes,
            codes,
            table,
        } = &*self.queries;
        let key = vec![chunk.targets.start as u64, chunk.targets.end as u64];
        let target_codes = plan.input(
            "codes of targets",
            chunk.words(),
            key.clone(),
            resident,
            || chunk.codes(request, self.alphabet),
        );
        let carries = plan.buffer("differences between strips", 1, Contents::Unspecified);
        let codes = plan.upload("codes of queries", codes.clone());
        let table = plan.upload("queries", table.clone());
        let target_table = plan.input(
            "targets",
            chunk.table.len().max(1) as u64,
            key,
            resident,
            || chunk.table.clone(),
        );
        let values = if self.keeps_some {
            plan.buffer("kept values", 1 + 2 * MAX_KEPT, Contents::Zeros)
        } else {
            let words = rows.len() as u64 * self.row_words();
            plan.buffer("values", words.max(1), Contents::Unspecified)
        };
        let bound = [target_codes, carries, codes, table, target_table, values];
        let mut first_query = 0;
        for class in classes {
            self.add(&mut plan, bound, first_query, class);
            first_query += class.rows.len() as u32;
        }
        ValuesPlan { plan, values }
    }

    /// Adds the passes of a class, whose first entry in the table of queries is `first_query`.
    fn add(&self, plan: &mut Plan, bound: [BufferId; 6], first_query: u32, class: &Class) {
        let Self {
            request,
            shapes,
            chunk,
            queries,
            ..
        } = self;
        let carries = bound[1];
        let first_row = queries.rows.start;
        let table = request.table(class.shape);
        let kernel = plan.kernel_by_group(shapes.kernel(&table, self.keeps_some));
        let bindings = plan.bind(bound.to_vec());
        let len = |row: u32| request.queries.len_of(first_row + row as usize);
        let longest = class.rows.iter().map(|&row| len(row)).max().unwrap_or(0);
        // Rows of a query in one pass.
        let pass_rows = shapes
            .limbs
            .strip_rows(class.shape)
            .min(longest.max(1) as u64);
        let mut first_tile = 0;
        while first_tile < chunk.tiles() {
            // A range of tiles whose columns are few enough for one query.
            let (mut units, mut end_tile) = (0, first_tile);
            let columns = |units: u64| units * UNIT as u64 * u64::from(LANES);
            while end_tile < chunk.tiles() {
                let own = u64::from(chunk.tile_units(end_tile));
                if end_tile > first_tile && columns(units + own) * pass_rows > QUERY_PASS_CELLS {
                    break;
                }
                units += own;
                end_tile += 1;
            }
            let tile_columns = units as usize * UNIT / (end_tile - first_tile);
            let group_tiles = (GROUP_COLUMNS / tile_columns.max(1)).clamp(1, MAX_GROUP_TILES);
            let groups = (end_tile - first_tile).div_ceil(group_tiles) as u32;
            let carried_words = if class.shape.strips {
                units * request.carry_words()
            } else {
                0
            };
            let fitting = shapes.carry_bytes / 4 / carried_words.max(1);
            let max_queries = fitting.clamp(1, shapes.max_groups.into()) as usize;
            for (window, queries) in class.rows.chunks(max_queries).enumerate() {
                let carries = &mut plan.buffers[carries];
                carries.words = carries.words.max(carried_words * queries.len() as u64);
                let first = first_query + (window * max_queries) as u32;
                let strips = |&row: &u32| shapes.limbs.strips(class.shape, len(row));
                let last_strip = queries.iter().map(strips).max().unwrap_or(1);
                for strip in 0..last_strip {
                    let rows_of = |&row: &u32| match class.shape.strips {
                        true if strip >= strips(&row) => 0,
                        true => pass_rows,
                        false => len(row).max(1) as u64,
                    };
                    let rows: u64 = queries.iter().map(rows_of).sum();
                    plan.passes.push(Pass {
                        kernel,
                        bindings,
                        groups: [queries.len() as u32, groups, 1],
                        params: params([
                            first,
                            first_tile as u32,
                            end_tile as u32,
                            group_tiles as u32,
                            self.row_words() as u32,
                            chunk.tiles() as u32,
                            request.most(),
                            strip,
                            first,
                            chunk.first_unit(first_tile),
                            units as u32,
                        ]),
                        cells: rows * columns(units),
                    });
                }
            }
            first_tile = end_tile;
        }
    }

    /// Writes packed values to their rows, in the order of the targets.
    pub(super) fn unpack<T: Value>(&self, words: &[u32], rows: &mut [Row<'_, T>]) {
        let found: &[T] = bytemuck::cast_slice(words);
        let stride = self.row_words() as usize * self.shapes.packed as usize;
        let targets = &self.chunk.targets;
        let unpack = |row: &mut Row<'_, T>, found: &[T]| {
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
                if let Some(slot) = values.get_mut((target as usize).wrapping_sub(first)) {
                    *slot = value;
                }
            }
        };
        let task_rows = TASK_VALUES.div_ceil(stride);
        parallel::for_each_chunk_mut(rows, task_rows, |task, rows| {
            let found = found[task * task_rows * stride..].chunks(stride);
            rows.iter_mut()
                .zip(found)
                .for_each(|(row, found)| unpack(row, found));
        });
    }
}

/// True if all kept values are among the words; if not, they are too many.
pub(super) fn has_all_kept(words: &[u32]) -> bool {
    words
        .first()
        .is_none_or(|&count| u64::from(count) <= MAX_KEPT)
}

/// Values of one query with the targets from `first` on.
pub(super) struct Row<'a, T> {
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
pub(super) fn rows_of<'a, T>(
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
