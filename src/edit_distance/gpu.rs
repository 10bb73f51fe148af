//! Edit distance of encoded inputs by the strip sweep on a GPU.

use crate::alphabet::Encoded;
use crate::blocks::Blocks;
use crate::engine::Device;
use crate::error::Result;
use crate::strips::gpu::GpuSweep;
use crate::strips::gpu::tiling::{Table, Tuning};
use crate::strips::hirschberg;
use crate::strips::recurrence::{Column, Edit};

/// The distance.
///
/// # Errors
/// As [`Tiling::new`](crate::strips::gpu::tiling::Tiling::new) and [`Device::run`].
pub async fn distance(device: &Device<'_>, tuning: Tuning, codes: &Encoded) -> Result<u64> {
    let distance = GpuSweep::new(device, tuning).value::<Edit>(&codes.a, &codes.b, codes.shared).await?;
    Ok(distance as u64)
}

/// The canonical path, and how it was recovered.
///
/// # Errors
/// As [`distance`].
pub async fn path(device: &Device<'_>, tuning: Tuning, codes: &Encoded) -> Result<(Blocks, &'static str)> {
    let mut sweep = GpuSweep::new(device, tuning);
    hirschberg::path::<Edit, _>(&mut sweep, &codes.a, &codes.b, codes.shared).await
}

/// The last column of a table whose rows are a target and whose columns a query: each row tells the distance of the whole query
/// to the piece of the target that ends there, and starts at its first symbol, or with `anywhere` wherever it is best.
///
/// # Errors
/// As [`distance`].
pub(crate) async fn last_column(
    device: &Device<'_>,
    tuning: Tuning,
    codes: &Encoded,
    anywhere: bool,
) -> Result<Column> {
    let table = if anywhere { Table::EditInfix } else { Table::Edit };
    GpuSweep::new(device, tuning).last_column(table, &codes.a, &codes.b, codes.shared).await
}
