//! Sizes of the strip sweep: pure arithmetic, so that plans are tested without a device.

use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::codes::Encoded;

pub use super::wavefronts::Wavefront;
pub use crate::kernels::bit_parallel::{HandOver, Matching};

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

    /// A method that has no limit on symbols.
    pub(crate) fn unlimited(self) -> &'static str {
        if self == Table::EditInfix { "reference" } else { "wavefront" }
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

/// Forces parts of the kernel's shape, for tests and benchmarks; what is `None` is chosen from the sizes and the device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tuning {
    /// Where match masks come from.
    pub matching: Option<Matching>,
    /// How carries pass from lane to lane.
    pub hand_over: Option<HandOver>,
    /// Lanes of a strip, a power of two; with [`HandOver::Subgroup`] the device's subgroup size.
    pub lanes: Option<u32>,
    /// Limbs of a lane, even, from 2 to 16.
    pub limbs: Option<u32>,
    /// Columns in a carry word: 8, 16 or 32.
    pub columns: Option<u32>,
    /// Column words of one pass, from 1 to 4096.
    pub steps: Option<u32>,
    /// 1 to sweep from the first column on, 2 to sweep from both ends towards the middle.
    pub directions: Option<u32>,
    /// Bytes of the tiles that a walk has on the device.
    pub replay_bytes: Option<u64>,
}

impl Tuning {
    /// # Errors
    /// [`Error::InvalidTuning`] where a part is none that kernels have.
    pub(super) fn check(&self, caps: &Capabilities) -> Result<()> {
        let most_lanes = caps.workgroup_lanes;
        let check = |knob, value: Option<u32>, is_known: &dyn Fn(u32) -> bool, allowed: &str| match value {
            Some(value) if !is_known(value) => {
                Err(Error::InvalidTuning { knob, value: u64::from(value), allowed: allowed.to_string() })
            }
            _ => Ok(()),
        };
        let lanes = |lanes: u32| lanes.is_power_of_two() && (2..=most_lanes).contains(&lanes);
        check("lanes", self.lanes, &lanes, &format!("2, 4, 8 or another power of two up to {most_lanes}"))?;
        check("limbs", self.limbs, &|limbs| limbs % 2 == 0 && (2..=16).contains(&limbs), "2, 4, 6 or more up to 16")?;
        check("columns", self.columns, &|columns| [8, 16, 32].contains(&columns), "8, 16 or 32")?;
        check("steps", self.steps, &|steps| (1..=MOST_STEPS).contains(&steps), &format!("1 to {MOST_STEPS}"))?;
        check("directions", self.directions, &|directions| [1, 2].contains(&directions), "1 or 2")
    }
}

/// Column words of one pass at most: more do not fit into the memory of a workgroup.
const MOST_STEPS: u32 = 4096;

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
    /// Whether the device has room for inputs of these lengths.
    ///
    /// # Errors
    /// [`Error::InputTooLong`].
    pub(super) fn check_lengths(&self, caps: &Capabilities) -> Result<()> {
        let limit_words = caps.chunk_bytes / 4;
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
    pub(super) fn workgroup_bytes_for(&self, steps: u64) -> u64 {
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

    /// Columns of one direction with their padding of `lanes` words before and after and a word that is loaded ahead of its use, a
    /// multiple of 32.
    pub fn padded_columns(&self) -> u64 {
        ((self.row_length() + 1) * u64::from(self.columns)).next_multiple_of(32)
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

    /// Bytes of all buffers but the layout.
    pub fn size_bytes(&self) -> u64 {
        4 * (self.state_words() + self.row_words() + self.column_words() + self.above_words() + self.span_words())
    }
}

/// Most words of differences of a lane that is swept through 16 columns at once.
const MOST_LIMBS_AT_ONCE: u32 = 8;
/// Most shared symbols of the bit-parallel method.
pub const MAX_SYMBOLS: u32 = 1 << 20;
