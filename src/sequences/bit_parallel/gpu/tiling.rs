//! Sizes of the strip sweep. Pure arithmetic, testable without a device.

use crate::backend::Capabilities;
use crate::error::{Error, Result};
use crate::kernels::bit_parallel::{CarryExchange, Matching};
use crate::sequences::bit_parallel::shape::{Shape, TableKind};

/// Rows per limb: all bits with a carry flag, else all except a guard bit.
pub fn limb_rows(carry_flag: bool) -> u32 {
    if carry_flag { u32::BITS } else { u32::BITS - 1 }
}

/// Sizes of the strip sweep for one table on one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiling {
    pub shape: Shape,
    pub matching: Matching,
    pub carry_exchange: CarryExchange,
    /// Lanes per strip: one workgroup.
    pub lanes: u32,
    pub limbs: u32,
    /// Rows per limb; see [`limb_rows`].
    pub limb_rows: u32,
    /// Columns per carry word.
    pub columns: u32,
    /// Column words per pass and strip.
    pub steps: u32,
    /// Concurrent sweeps: 1, or 2 that start from either end and take half of the columns each.
    pub directions: u32,
}

impl Tiling {
    pub(super) fn check_lengths(&self, caps: &Capabilities) -> Result<()> {
        let limit_words = caps.chunk_bytes / 4;
        let row_limit = limit_words * u64::from(self.limb_rows) / u64::from(self.planes().max(2))
            - self.strip_rows();
        let column_limit = limit_words * 32 / u64::from(self.column_bits()) - 4096;
        let too_long = |what, actual, limit| Error::InputTooLong {
            what,
            actual,
            limit,
            remedy: "use the device 'cpu'",
        };
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

    pub fn planes(&self) -> u32 {
        let greatest = self.padding_code().max(self.shape.alphabet.shared);
        u32::BITS - greatest.leading_zeros()
    }

    /// Code of guard rows and of rows past the last: one that no column has, or one that matches
    /// every column.
    pub fn padding_code(&self) -> u32 {
        if self.shape.table == TableKind::Lcs {
            self.shape.alphabet.row_only()
        } else {
            self.wild_code()
        }
    }

    /// Code of rows that match every column; 0 if there are none.
    pub fn wild_code(&self) -> u32 {
        if self.shape.table == TableKind::Lcs {
            0
        } else {
            self.shape.alphabet.wildcard()
        }
    }

    pub fn vector(&self) -> u32 {
        if self.limbs.is_multiple_of(4) { 4 } else { 2 }
    }

    /// Columns whose codes a lane loads at once. Few for many limbs, whose unrolled code would
    /// exceed the instruction cache.
    pub fn unit(&self) -> u32 {
        let many = self.limbs * self.shape.table.vertical() > MAX_UNROLLED_LIMBS;
        if many { 8 } else { self.columns.min(16) }
    }

    pub(super) fn workgroup_bytes(&self) -> u32 {
        self.workgroup_bytes_for(u64::from(self.steps)) as u32
    }

    pub(super) fn workgroup_bytes_for(&self, steps: u64) -> u64 {
        let table = match self.matching {
            Matching::Table => (self.shape.alphabet.shared + 1) * self.limbs * self.lanes * 4,
            Matching::Planes => 0,
        };
        let words = match self.carry_exchange {
            CarryExchange::Workgroup => 2 * self.lanes * 4,
            CarryExchange::Subgroup => 0,
        };
        u64::from(table + words) + 8 * steps * u64::from(self.shape.table.horizontal())
    }

    pub fn lane_rows(&self) -> u64 {
        u64::from(self.limbs * self.limb_rows)
    }

    pub(super) fn rows_of_limb(&self) -> u32 {
        u32::MAX >> (u32::BITS - self.limb_rows)
    }

    pub fn strip_rows(&self) -> u64 {
        u64::from(self.lanes) * self.lane_rows()
    }

    /// Words of state per lane: limbs, then the carry words in flight.
    pub fn lane_words(&self) -> u32 {
        self.limbs * self.shape.table.vertical() + self.shape.table.horizontal()
    }

    pub fn state_words(&self) -> u64 {
        self.strips() * u64::from(self.lane_words() * self.lanes * self.directions)
    }

    pub fn row_words(&self) -> u64 {
        self.strips()
            * u64::from(self.limbs * self.lanes * self.directions)
            * u64::from(self.planes())
    }

    /// Columns per direction with padding, a multiple of 32: `lanes` words before and after, and
    /// one word for the prefetch.
    pub fn padded_columns(&self) -> u64 {
        ((self.row_length() + 1) * u64::from(self.columns)).next_multiple_of(32)
    }

    pub fn column_words(&self) -> u64 {
        match self.matching {
            Matching::Table => self.padded_columns() / 4 * u64::from(self.directions),
            Matching::Planes => {
                self.padded_columns() / 32 * u64::from(self.planes() * self.directions)
            }
        }
    }

    /// Words of a carry row, per bit and direction, with `lanes` words of padding before and after.
    pub fn row_length(&self) -> u64 {
        self.words() + 2 * u64::from(self.lanes)
    }

    pub fn above_words(&self) -> u64 {
        self.row_length() * u64::from(self.directions * self.shape.table.horizontal())
    }

    /// Bytes of all buffers except the layout.
    pub fn size_bytes(&self) -> u64 {
        4 * (self.state_words()
            + self.row_words()
            + self.column_words()
            + self.above_words()
            + self.span_words())
    }
}

/// Maximum words of differences per lane to load 16 column codes at once.
const MAX_UNROLLED_LIMBS: u32 = 8;
/// Maximum shared symbols of the bit-parallel method.
pub const MAX_SYMBOLS: u32 = 1 << 20;
