//! Values of a table that are wanted without a path.

use super::kernels::Kernels;
use super::table::Table;
use crate::call::control::Control;
use crate::error::Result;
use crate::pairwise::bit_parallel::band::Band;
use crate::pairwise::bit_parallel::recurrence::{Column, Edit, Lcs};
use crate::pairwise::codes::Encoded;

/// What a sweep found, and the cells that it took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Counted<T> {
    pub found: T,
    pub cells: u64,
}

/// A recurrence whose last value is told by a function that is no generic one: so it is compiled with this crate, and not once more
/// with every one that has a pair answered.
pub(crate) trait Values: Kernels {
    /// [`value`] of a whole table.
    ///
    /// # Errors
    /// As that.
    fn of_codes(codes: &Encoded, control: &Control) -> Result<Counted<i64>>;
}

impl Values for Lcs {
    fn of_codes(codes: &Encoded, control: &Control) -> Result<Counted<i64>> {
        value::<Self>((&codes.a, &codes.b), codes.shared, Band::WHOLE, control)
    }
}

impl Values for Edit {
    fn of_codes(codes: &Encoded, control: &Control) -> Result<Counted<i64>> {
        value::<Self>((&codes.a, &codes.b), codes.shared, Band::WHOLE, control)
    }
}

/// The last value of the table, or of what a band leaves of it.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn value<R: Kernels>(
    (a, b): (&[u32], &[u32]),
    shared: u32,
    band: Band,
    control: &Control,
) -> Result<Counted<i64>> {
    let table = Table::<R>::new((a, b), shared, false, R::FIRST_COLUMN, band);
    let table = table.run(false, control)?;
    Ok(Counted {
        found: table.last_value(),
        cells: table.cells,
    })
}

/// The last column of a table whose first column has these vertical differences in every row, and the value above it. Rows
/// outside the band continue it at a cost of one each.
///
/// # Errors
/// [`Error::Cancelled`](crate::Error::Cancelled) after the caller has cancelled.
pub(crate) fn last_column<R: Kernels>(
    (a, b): (&[u32], &[u32]),
    shared: u32,
    first_column: [u64; 2],
    band: Band,
    control: &Control,
) -> Result<Counted<(Column, i64)>> {
    let table = Table::<R>::new((a, b), shared, false, first_column, band);
    let table = table.run(false, control)?;
    Ok(Counted {
        found: table.last_column(),
        cells: table.cells,
    })
}
