//! Sizes of the strip sweep: pure arithmetic, so that plans are tested without a device.

use crate::alphabet::Encoded;
use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::plan::CHUNK_BYTES;
use crate::strips::band::Band;

use super::history::History;
pub use super::waves::Wave;

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
        // Where subgroups hand over there is no need for workgroups as small.
        let small = if tuning.hand_over.is_none() { one_subgroup.unwrap_or(0) } else { 0 };
        let workgroups = tuning.lanes.map_or(vec![32, 64, 128], |lanes| vec![lanes]);
        let workgroups = workgroups.into_iter().filter(|&lanes| tuning.lanes.is_some() || lanes > small);
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

    /// Columns whose codes a lane loads at once: few where the code of many limbs would not stay in the instruction cache.
    pub fn unit(&self) -> u32 {
        let many = self.limbs * self.shape.table.vertical() > MOST_LIMBS_AT_ONCE;
        if many { 8 } else { self.columns.min(16) }
    }

    pub(super) fn workgroup_bytes(&self) -> u32 {
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
        u64::from(table + words) + 8 * steps * u64::from(self.shape.table.horizontal())
    }

    /// Rows of one lane.
    pub fn lane_rows(&self) -> u64 {
        u64::from(self.limbs) * LIMB_ROWS
    }

    /// Rows of one strip.
    pub fn strip_rows(&self) -> u64 {
        u64::from(self.lanes) * self.lane_rows()
    }

    /// Words that a lane keeps: limbs, then the carry words in flight.
    pub fn lane_words(&self) -> u32 {
        self.limbs * self.shape.table.vertical() + self.shape.table.horizontal()
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
        (self.row_length() * u64::from(self.columns)).next_multiple_of(32)
    }

    /// Words of the columns' codes.
    pub fn column_words(&self) -> u64 {
        match self.matching {
            Matching::Table => self.padded_columns() / 4 * u64::from(self.directions),
            Matching::Planes => self.padded_columns() / 32 * u64::from(self.planes() * self.directions),
        }
    }

    /// Words of a carry row: of one bit and direction, with `lanes` words before and after.
    pub fn row_length(&self) -> u64 {
        self.words() + 2 * u64::from(self.lanes)
    }

    /// Words of the carry rows.
    pub fn above_words(&self) -> u64 {
        self.row_length() * u64::from(self.directions * self.shape.table.horizontal())
    }

    /// Bytes of all buffers but the history.
    pub fn size_bytes(&self) -> u64 {
        4 * (self.state_words() + self.row_words() + self.column_words() + self.above_words() + self.span_words())
    }
}

/// Histories that are laid out to see whether they fit, the best first.
const MOST_HISTORIES: usize = 256;
/// Most words of differences that a lane keeps in registers beside the masks of a table.
const MOST_DIFFERENCES: u32 = 24;
/// Most words of differences of a lane that is swept through 16 columns at once.
const MOST_LIMBS_AT_ONCE: u32 = 8;
/// Symbols up to which a match table is always better than planes.
const TABLE_ALONE: u32 = 6;
/// Most shared symbols of a match table: a column's code is one byte.
const MOST_TABLE_SYMBOLS: u32 = 255;
/// Most shared symbols of the bit-parallel method.
pub const MAX_SYMBOLS: u32 = 1 << 20;
/// Time to walk over a column of the table, its tiles recomputed.
const WALK_SECONDS_PER_COLUMN: f64 = 8e-9;
