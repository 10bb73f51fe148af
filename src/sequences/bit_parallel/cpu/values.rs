//! Table values without a path.

use super::kernels::Kernels;
use super::table::StripTable;
use crate::call::control::Control;
use crate::error::Result;
use crate::sequences::bit_parallel::band::Band;
use crate::sequences::bit_parallel::recurrence::LastColumn;
use crate::sequences::codes::Codes;

/// A result and the number of computed cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Computed<T> {
    pub found: T,
    pub cells: u64,
}

pub(crate) fn value<R: Kernels>(
    codes: Codes<'_>,
    band: Band,
    control: &Control,
) -> Result<Computed<i64>> {
    let table = StripTable::<R>::new(codes, false, R::FIRST_COLUMN, band).run(control)?;
    Ok(Computed {
        found: table.last_value(),
        cells: table.cells,
    })
}

/// Last column of a table with this first column, and the value above it. Rows outside the band
/// continue the column at a cost of one each.
pub(crate) fn last_column<R: Kernels>(
    codes: Codes<'_>,
    first_column: [u64; 2],
    band: Band,
    control: &Control,
) -> Result<Computed<LastColumn>> {
    let table = StripTable::<R>::new(codes, false, first_column, band).run(control)?;
    Ok(Computed {
        found: table.last_column(),
        cells: table.cells,
    })
}
