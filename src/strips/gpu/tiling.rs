//! Sizes of the strip sweep: pure arithmetic, so that plans are tested without a device.

use std::ops::Range;

use crate::alphabet::Encoded;
use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::plan::CHUNK_BYTES;
use crate::strips::band::Band;

use super::history::History;

/// Rows in one limb: bit 31 is the guard.
pub const LIMB_ROWS: u64 = 31;

/// Which table is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Table {
    /// Lengths of longest common subsequences.
    Lcs,
    /// Edit distances.
    Edit,
    /// Edit distances with a first column of zeros: the last one tells how near the columns' sequence comes to any piece of
    /// the rows' that ends at a row.
    EditInfix,
}

impl Table {
    /// Vectors of vertical differences.
    pub const fn vertical(self) -> u32 {
        if matches!(self, Table::Lcs) { 1 } else { 2 }
    }

    /// Horizontal differences that a limb hands on, in bits a column.
    pub const fn horizontal(self) -> u32 {
        if matches!(self, Table::Lcs) { 1 } else { 2 }
    }

    /// The vertical differences left of the first column, 64 rows.
    pub const fn first_column(self) -> [u64; 2] {
        if matches!(self, Table::EditInfix) { [0, 0] } else { [!0, 0] }
    }

    /// The method that has no limit on symbols.
    fn unlimited(self) -> &'static str {
        if self == Table::Lcs { "wavefront" } else { "anti-diagonal" }
    }
}

/// Size of one problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Which table.
    pub table: Table,
    /// Length of `a`.
    pub rows: u64,
    /// Length of `b`.
    pub cols: u64,
    /// Symbols that both have.
    pub shared: u32,
    /// What is computed of the table.
    pub band: Band,
}

impl Shape {
    /// A whole table.
    pub fn new(table: Table, rows: u64, cols: u64, shared: u32) -> Self {
        Self { table, rows, cols, shared, band: Band::WHOLE }
    }

    /// The band that holds every path from corner to corner of no greater cost, or the whole table where that is no less.
    pub fn within(self, cost: u64) -> Self {
        let slack = Band::slack(self.rows, self.cols, cost).unwrap_or(0);
        let whole = slack >= self.rows.min(self.cols);
        Self { band: if whole { Band::WHOLE } else { Band::around(self.rows, self.cols, slack) }, ..self }
    }

    /// Cells that are computed; strips at the edges of a band have some more.
    pub fn cells(&self) -> u128 {
        self.band.cells(self.rows, self.cols)
    }
}

/// Where match masks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matching {
    /// A table in workgroup memory, for few symbols.
    Table,
    /// Bit planes in registers, for any number of symbols.
    Planes,
}

/// How carries pass from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandOver {
    /// A subgroup shuffle; the workgroup is one subgroup.
    Subgroup,
    /// Workgroup memory and a barrier.
    Workgroup,
}

/// Forces parts of the kernel's shape, for tests and benchmarks; what is `None` is chosen from the sizes and the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// Where match masks come from.
    pub matching: Option<Matching>,
    /// How carries pass from lane to lane.
    pub hand_over: Option<HandOver>,
    /// Lanes of a strip; with [`HandOver::Subgroup`] the device's subgroup size.
    pub lanes: Option<u32>,
    /// Limbs of a lane, even.
    pub limbs: Option<u32>,
    /// Columns in a carry word: 8, 16 or 32.
    pub columns: Option<u32>,
    /// Column words of one pass.
    pub steps: Option<u32>,
    /// 1 to sweep from the first column on, 2 to sweep from both ends towards the middle.
    pub directions: Option<u32>,
}

/// The strip sweep's sizes for one problem on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    /// The problem.
    pub shape: Shape,
    /// Where match masks come from.
    pub matching: Matching,
    /// How carries pass from lane to lane.
    pub hand_over: HandOver,
    /// Lanes of a strip: one workgroup.
    pub lanes: u32,
    /// Limbs of a lane.
    pub limbs: u32,
    /// Columns in a carry word.
    pub columns: u32,
    /// Column words that a pass advances each strip by.
    pub steps: u32,
    /// Tables swept side by side: 1, or 2 where each takes half of the columns, one from either end.
    pub directions: u32,
}

/// The strips that one pass advances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wave {
    /// First strip.
    pub first: u64,
    /// Last strip, inclusive.
    pub last: u64,
}

impl Tiling {
    /// Sizes for `shape` in `budget_bytes`, as fast as the cost model knows how to choose them.
    ///
    /// # Errors
    /// [`Error::TooManySymbols`], [`Error::InputTooLong`] and [`Error::MemoryBudget`].
    pub fn new(shape: Shape, caps: &Capabilities, tuning: &Tuning, budget_bytes: u64) -> Result<Self> {
        let candidates = Self::ranked(shape, caps, tuning)?;
        Self::best_of(&candidates, caps, tuning, budget_bytes)
    }

    /// The fastest of the candidates that fits.
    fn best_of(candidates: &[(f64, Self)], caps: &Capabilities, tuning: &Tuning, budget_bytes: u64) -> Result<Self> {
        let faster = |x: &&(f64, Self), y: &&(f64, Self)| x.0.total_cmp(&y.0);
        let fastest = candidates.iter().min_by(faster);
        let fastest = fastest.ok_or_else(|| Error::MethodUnavailable {
            method: "bit-parallel",
            device: "this device".to_string(),
            reason: format!("no kernel variant fits its limits and {tuning:?}"),
        })?;
        let fits = |(_, tiling): &&(f64, Self)| tiling.size_bytes() <= budget_bytes;
        let fitting = match fits(&fastest) {
            true => Some(fastest),
            false => candidates.iter().filter(fits).min_by(faster),
        };
        let (_, tiling) = fitting.ok_or_else(|| Error::MemoryBudget {
            what: "the strip sweep".to_string(),
            needed: fastest.1.size_bytes(),
            limit: budget_bytes,
            smallest: candidates.iter().map(|(_, tiling)| tiling.size_bytes()).min().unwrap_or_default(),
        })?;
        tiling.check_lengths(caps)?;
        Ok(*tiling)
    }

    /// Sizes for a sweep whose boundaries are kept, all in `budget_bytes`, and the history that keeps them:
    /// the two together cost least to sweep, to store and to walk. `None` where no history fits.
    ///
    /// # Errors
    /// As [`Tiling::new`].
    pub fn for_path(
        shape: Shape,
        caps: &Capabilities,
        tuning: &Tuning,
        budget_bytes: u64,
    ) -> Result<Option<(Self, History)>> {
        let mut candidates = Self::ranked(shape, caps, tuning)?;
        Self::best_of(&candidates, caps, tuning, u64::MAX)?;
        for (seconds, tiling) in &mut candidates {
            // Each direction's part of the path is walked on a thread of its own.
            *seconds += shape.cols as f64 * WALK_SECONDS_PER_COLUMN / f64::from(tiling.directions);
        }
        candidates.sort_by(|x, y| x.0.total_cmp(&y.0));
        let chunk_bytes = CHUNK_BYTES.min(caps.binding_bytes).min(caps.buffer_bytes);
        let mut candidates = candidates.into_iter().peekable();
        let mut choices: Vec<(f64, Self, u64)> = Vec::new();
        for _ in 0..MOST_HISTORIES {
            let mut best = (0..choices.len()).min_by(|&x, &y| choices[x].0.total_cmp(&choices[y].0));
            // Keeping costs something: a choice comes next that is no slower than the sweep of any candidate left.
            while let Some((sweep, tiling)) =
                candidates.next_if(|&(sweep, _)| best.is_none_or(|best: usize| sweep <= choices[best].0))
            {
                let room = budget_bytes.saturating_sub(tiling.size_bytes());
                for passes in History::PASSES {
                    let (keeping, bytes) = History::cost(&tiling, passes);
                    let replay = tiling.workgroup_bytes_for(passes * u64::from(tiling.steps));
                    if bytes > room || replay > u64::from(caps.workgroup_bytes) {
                        continue;
                    }
                    choices.push((sweep + keeping, tiling, passes));
                    if best.is_none_or(|best| sweep + keeping < choices[best].0) {
                        best = Some(choices.len() - 1);
                    }
                }
            }
            let Some(best) = best else { break };
            let (_, tiling, passes) = choices.remove(best);
            // The bytes were a lower bound, so the best may turn out too large: the others stand in for it.
            let history = History::new(&tiling, passes, chunk_bytes)
                .filter(|history| history.size_bytes(&tiling) + tiling.size_bytes() <= budget_bytes);
            if let Some(history) = history {
                return Ok(Some((tiling, history)));
            }
        }
        Ok(None)
    }

    /// The candidates and the time that each is expected to take.
    fn ranked(shape: Shape, caps: &Capabilities, tuning: &Tuning) -> Result<Vec<(f64, Self)>> {
        if shape.shared > MAX_SYMBOLS {
            return Err(Error::TooManySymbols {
                method: "bit-parallel",
                actual: u64::from(shape.shared),
                limit: u64::from(MAX_SYMBOLS),
                remedy: shape.table.unlimited(),
            });
        }
        Ok(Self::candidates(shape, caps, tuning).map(|tiling| (tiling.seconds(caps), tiling)).collect())
    }

    fn candidates(shape: Shape, caps: &Capabilities, tuning: &Tuning) -> impl Iterator<Item = Self> {
        let (caps, tuning) = (*caps, *tuning);
        let one_subgroup = caps.subgroup.filter(|subgroup| (16..=64).contains(subgroup));
        let workgroups = tuning.lanes.map_or(vec![32, 64, 128], |lanes| vec![lanes]).into_iter();
        let mut crews: Vec<_> = workgroups.map(|lanes| (HandOver::Workgroup, lanes)).collect();
        crews.extend(one_subgroup.or(tuning.lanes).map(|lanes| (HandOver::Subgroup, lanes)));
        crews.retain(|&(hand_over, lanes)| {
            let possible = hand_over == HandOver::Workgroup || caps.subgroup == Some(lanes);
            possible
                && tuning.hand_over.is_none_or(|forced| forced == hand_over)
                && tuning.lanes.is_none_or(|forced| forced == lanes)
        });
        let matchings = match tuning.matching {
            Some(matching) => vec![matching],
            None if shape.shared <= TABLE_ALONE => vec![Matching::Table],
            None if shape.shared <= 32 => vec![Matching::Table, Matching::Planes],
            None => vec![Matching::Planes],
        };
        let limbs = tuning.limbs.map_or(vec![2, 4, 6, 8, 10, 12, 16], |limbs| vec![limbs]);
        let columns = tuning.columns.map_or(vec![8, 16, 32], |columns| vec![columns]);
        let steps = tuning.steps.map_or(vec![16, 32, 64, 128, 256], |steps| vec![steps]);
        let directions = match tuning.directions {
            // Nothing is known of its other end.
            _ if shape.table == Table::EditInfix => vec![1],
            Some(directions) => vec![directions],
            None => vec![1, 2],
        };
        let mut all = Vec::new();
        for &matching in &matchings {
            for &limbs in &limbs {
                for &columns in &columns {
                    for &steps in &steps {
                        for &directions in &directions {
                            for &(hand_over, lanes) in &crews {
                                all.push(Self { shape, matching, hand_over, lanes, limbs, columns, steps, directions });
                            }
                        }
                    }
                }
            }
        }
        let vertical = shape.table.vertical();
        all.into_iter().filter(move |tiling| {
            let matching = match tiling.matching {
                Matching::Table => shape.shared <= MOST_TABLE_SYMBOLS && vertical * tiling.limbs <= MOST_DIFFERENCES,
                Matching::Planes => (tiling.planes() + vertical - 1) * tiling.limbs <= 48 || tiling.limbs == 2,
            };
            matching && tiling.workgroup_bytes() <= caps.workgroup_bytes && tiling.lanes <= caps.workgroup_lanes
        })
    }

    fn check_lengths(&self, caps: &Capabilities) -> Result<()> {
        let limit_words = caps.binding_bytes.min(CHUNK_BYTES) / 4;
        let row_limit = limit_words * LIMB_ROWS / u64::from(self.planes().max(2)) - self.strip_rows();
        let column_limit = limit_words * 32 / u64::from(self.column_bits()) - 4096;
        let too_long =
            |what, actual, limit| Error::InputTooLong { what, actual, limit, remedy: "use the device 'cpu'" };
        if self.shape.rows > row_limit {
            return Err(too_long("the longer input", self.shape.rows, row_limit));
        }
        if self.shape.cols > column_limit {
            return Err(too_long("the shorter input", self.shape.cols, column_limit));
        }
        Ok(())
    }

    fn column_bits(&self) -> u32 {
        match self.matching {
            Matching::Table => 8,
            Matching::Planes => self.planes(),
        }
    }

    /// Bits of a code.
    pub fn planes(&self) -> u32 {
        Encoded::planes(self.padding_code() - 1)
    }

    /// The code of guard rows and of rows past the last: one that no column has, or one that matches every column.
    pub fn padding_code(&self) -> u32 {
        if self.shape.table == Table::Lcs { self.shape.shared + 1 } else { self.wild_code() }
    }

    /// The code of rows that match every column, 0 where there are none.
    pub fn wild_code(&self) -> u32 {
        if self.shape.table == Table::Lcs { 0 } else { self.shape.shared + 2 }
    }

    /// Components of the kernel's vector of limbs.
    pub fn vector(&self) -> u32 {
        if self.limbs.is_multiple_of(4) { 4 } else { 2 }
    }

    fn workgroup_bytes(&self) -> u32 {
        self.workgroup_bytes_for(u64::from(self.steps)) as u32
    }

    /// Workgroup memory of a kernel that sweeps so many steps at once.
    fn workgroup_bytes_for(&self, steps: u64) -> u64 {
        let table = match self.matching {
            Matching::Table => (self.shape.shared + 1) * self.limbs * self.lanes * 4,
            Matching::Planes => 0,
        };
        let words = match self.hand_over {
            HandOver::Workgroup => 2 * self.lanes * 4,
            HandOver::Subgroup => 0,
        };
        u64::from(table + words) + 4 * steps * u64::from(self.shape.table.horizontal())
    }

    /// Rows of one lane.
    pub fn lane_rows(&self) -> u64 {
        u64::from(self.limbs) * LIMB_ROWS
    }

    /// Rows of one strip.
    pub fn strip_rows(&self) -> u64 {
        u64::from(self.lanes) * self.lane_rows()
    }

    /// Strips that are swept, at least 1: no row below them is in the band.
    pub fn strips(&self) -> u64 {
        let rows = (self.direction_cols() as i64).saturating_add(self.shape.band.high);
        let rows = self.shape.rows.min(u64::try_from(rows).unwrap_or(0));
        rows.div_ceil(self.strip_rows()).max(1)
    }

    /// The column words that a strip is swept through, the same in every direction; none below the last strip.
    pub fn span(&self, strip: u64) -> Range<u64> {
        if self.shape.band == Band::WHOLE {
            return 0..self.words();
        }
        let first_row = strip * self.strip_rows();
        let cols = self.direction_cols();
        let columns = self.shape.band.columns(&(first_row..first_row + self.strip_rows()), cols);
        // A direction of one column less has one more in front.
        let front = self.front_columns(cols);
        let word = |column: u64| (column / u64::from(self.columns)).min(self.words());
        if strip < self.strips() {
            word(columns.start + front)..(word(columns.end + front) + 1).min(self.words())
        } else {
            self.words()..self.words()
        }
    }

    /// Columns that one direction sweeps; with two, the first has the odd one.
    pub fn direction_cols(&self) -> u64 {
        self.shape.cols.div_ceil(u64::from(self.directions))
    }

    /// Columns of code 0 in front of a direction's columns, of which there are `cols`, so that they end with a word.
    pub fn front_columns(&self, cols: u64) -> u64 {
        self.words() * u64::from(self.columns) - cols
    }

    /// Words that a lane keeps: limbs, then the carry words in flight.
    pub fn lane_words(&self) -> u32 {
        self.limbs * self.shape.table.vertical() + self.shape.table.horizontal()
    }

    /// Column words of the table, at least 1.
    pub fn words(&self) -> u64 {
        self.direction_cols().div_ceil(u64::from(self.columns)).max(1)
    }

    /// Steps that a strip runs behind the one above it: the least that lets a pass overwrite carries in place.
    pub fn lag(&self) -> u64 {
        u64::from(self.steps + self.lanes - 1)
    }

    /// Steps from the first lane's first word to the last lane's last, in the longest strip.
    pub fn strip_steps(&self) -> u64 {
        let diagonals = self.shape.band.width(self.shape.rows as usize, self.shape.cols as usize) as u64;
        let columns = diagonals.saturating_add(self.strip_rows());
        self.words().min(columns / u64::from(self.columns) + 2) + u64::from(self.lanes) - 1
    }

    /// The steps of a strip, counted from the first step of all strips.
    fn steps_of(&self, strip: u64) -> Range<u64> {
        let (span, before) = (self.span(strip), strip * self.lag());
        before + span.start..before + span.end + u64::from(self.lanes) - 1
    }

    /// Passes until the last strip is done.
    pub fn passes(&self) -> u64 {
        self.steps_of(self.strips() - 1).end.div_ceil(u64::from(self.steps))
    }

    /// The strips that each pass advances; empty where `first > last`. Strips start and end one after the other.
    pub fn waves(&self) -> impl Iterator<Item = Wave> {
        let (tiling, pass_steps) = (*self, u64::from(self.steps));
        let mut wave = Wave { first: 0, last: 0 };
        let (mut first_ends, mut next_starts) = (tiling.steps_of(0).end, tiling.steps_of(1).start);
        (0..tiling.passes()).map(move |pass| {
            let begin = pass * pass_steps;
            while first_ends <= begin {
                wave.first += 1;
                first_ends = tiling.steps_of(wave.first).end;
            }
            while wave.last + 1 < tiling.strips() && next_starts < begin + pass_steps {
                wave.last += 1;
                next_starts = tiling.steps_of(wave.last + 1).start;
            }
            wave
        })
    }

    /// Words of the limbs and carries in flight.
    pub fn state_words(&self) -> u64 {
        self.strips() * u64::from(self.lane_words() * self.lanes * self.directions)
    }

    /// Words of the rows' bit planes.
    pub fn row_words(&self) -> u64 {
        self.strips() * u64::from(self.limbs * self.lanes * self.directions) * u64::from(self.planes())
    }

    /// Columns of one direction with their padding of `lanes` words before and after, a multiple of 32.
    pub fn padded_columns(&self) -> u64 {
        ((self.words() + 2 * u64::from(self.lanes)) * u64::from(self.columns)).next_multiple_of(32)
    }

    /// Words of the columns' codes.
    pub fn column_words(&self) -> u64 {
        match self.matching {
            Matching::Table => self.padded_columns() / 4 * u64::from(self.directions),
            Matching::Planes => self.padded_columns() / 32 * u64::from(self.planes() * self.directions),
        }
    }

    /// Words of the carry rows.
    pub fn above_words(&self) -> u64 {
        (self.words() + 2 * u64::from(self.lanes)) * u64::from(self.directions * self.shape.table.horizontal())
    }

    /// Bytes of all buffers but the history.
    pub fn size_bytes(&self) -> u64 {
        4 * (self.state_words() + self.row_words() + self.column_words() + self.above_words())
    }

    /// Instructions that a lane spends on one column: the limbs, and what every column costs once.
    fn column_instructions(&self) -> f64 {
        let planes = f64::from(self.planes());
        let (a_limb, once) = match (self.shape.table, self.matching) {
            // Masks are loaded a vector at a time.
            (Table::Lcs, Matching::Table) => (if self.vector() == 4 { 3.5 } else { 4.2 }, 6.5),
            (Table::Lcs, Matching::Planes) => (2.2 + planes, 6.0),
            (_, Matching::Table) => (10.5, 12.0),
            (_, Matching::Planes) => (10.5 + planes, 11.0),
        };
        f64::from(self.limbs) * a_limb + once
    }

    /// Cycles of a column where a subgroup is alone on its scheduler: each limb waits for the one above it.
    fn lone_column_cycles(&self) -> f64 {
        let planes = f64::from(self.planes());
        let (a_limb, once) = match (self.shape.table, self.matching) {
            (Table::Lcs, Matching::Table) => (9.0, 8.0),
            (Table::Lcs, Matching::Planes) => (3.0 + 2.5 * planes, 11.0),
            (_, Matching::Table) => (18.5, 25.5),
            (_, Matching::Planes) => (20.0 + 2.5 * planes, 25.5),
        };
        f64::from(self.limbs) * a_limb + once
    }

    /// Instructions that a lane spends on its match table at the start of a pass.
    fn table_instructions(&self) -> f64 {
        match self.matching {
            Matching::Table => f64::from((self.shape.shared + 1) * self.limbs * (self.planes() + 1)),
            Matching::Planes => 0.0,
        }
    }

    /// An even rougher time, for any tiling.
    pub fn rough_seconds(shape: Shape, caps: &Capabilities) -> f64 {
        let units = f64::from(caps.compute_units.unwrap_or(DEFAULT_UNITS)) * SCHEDULERS;
        let (cells_per_cycle, column_seconds) = if shape.table == Table::Lcs { (89.0, 20e-9) } else { (39.0, 28e-9) };
        shape.cells() as f64 / (units * cells_per_cycle * CLOCK_HZ) + shape.cols as f64 * column_seconds
    }

    /// The cost model: a rough time for the sweep, right enough to rank tilings.
    pub fn seconds(&self, caps: &Capabilities) -> f64 {
        let units = f64::from(caps.compute_units.unwrap_or(DEFAULT_UNITS)) * SCHEDULERS;
        let subgroups = f64::from(self.lanes.div_ceil(32) * self.directions);
        let passes = self.passes();
        // From strip to strip a band moves on by as many columns as there are rows in one.
        let moves = if self.shape.band == Band::WHOLE { 0 } else { self.strip_rows() / u64::from(self.columns) };
        let active = (self.strip_steps() as f64 / (self.lag() + moves) as f64).clamp(1.0, self.strips() as f64);
        let sharing = (active * subgroups / units).ceil().max(1.0);
        // Where workgroup memory keeps a unit from holding all its workgroups at once, they run in rounds.
        let resident = (UNIT_WORKGROUP_BYTES / f64::from(self.workgroup_bytes()).max(1.0)).floor().max(1.0);
        let a_unit = (active * f64::from(self.directions) * SCHEDULERS / units).max(1.0);
        let rounds = (a_unit / resident).max(1.0);
        let alone = self.lone_column_cycles() + STEP_STALL / f64::from(self.columns);
        let together =
            (self.column_instructions() + STEP_INSTRUCTIONS / f64::from(self.columns)) * CYCLES_PER_INSTRUCTION;
        let cycles = (alone * rounds.ceil()).max(together * sharing);
        let columns = (passes * u64::from(self.steps)) as f64 * f64::from(self.columns);
        let pass = PASS_SECONDS + self.table_instructions() * CYCLES_PER_INSTRUCTION * sharing / CLOCK_HZ;
        columns * cycles / CLOCK_HZ + passes as f64 * pass
    }
}

/// Histories that are laid out to see whether they fit, the best first.
const MOST_HISTORIES: usize = 256;
/// Most words of differences that a lane keeps in registers beside the masks of a table.
const MOST_DIFFERENCES: u32 = 24;
/// Symbols up to which a match table is always better than planes.
const TABLE_ALONE: u32 = 6;
/// Most shared symbols of a match table: a column's code is one byte.
const MOST_TABLE_SYMBOLS: u32 = 255;
/// Most shared symbols of the bit-parallel method.
pub const MAX_SYMBOLS: u32 = 1 << 20;

/// Compute units assumed where the driver does not say.
const DEFAULT_UNITS: u32 = 32;
/// Workgroup memory of a compute unit assumed: no portable interface tells it.
const UNIT_WORKGROUP_BYTES: f64 = 56e3;
/// Subgroups that a compute unit advances at once.
const SCHEDULERS: f64 = 4.0;
/// Cycles between integer instructions of one subgroup.
const CYCLES_PER_INSTRUCTION: f64 = 2.0;
/// Cycles of a step beside its columns where a subgroup is alone on its scheduler.
const STEP_STALL: f64 = 210.0;
/// Instructions of a step beside its columns.
const STEP_INSTRUCTIONS: f64 = 40.0;
/// Time to walk over a column of the table, its tiles recomputed.
const WALK_SECONDS_PER_COLUMN: f64 = 12e-9;
/// Clock assumed.
const CLOCK_HZ: f64 = 1.85e9;
/// Time between dependent dispatches.
const PASS_SECONDS: f64 = 3.4e-6;
