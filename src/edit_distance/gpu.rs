//! Edit distance of encoded inputs by the strip sweep on a GPU.

use crate::alphabet::Encoded;
use crate::blocks::Blocks;
use crate::engine::Device;
use crate::error::Result;
use crate::strips::gpu::tiling::{Table, Tuning};
use crate::strips::gpu::{GpuSweep, shape};
use crate::strips::hirschberg;
use crate::strips::recurrence::Edit;

/// The distance.
///
/// # Errors
/// As [`Tiling::new`](crate::strips::gpu::tiling::Tiling::new) and [`Device::run`].
pub async fn distance(device: &Device<'_>, tuning: Tuning, codes: &Encoded) -> Result<u64> {
    let sweep = GpuSweep { device, tuning };
    let tiling = sweep.length_tiling(shape(Table::Edit, &codes.a, &codes.b, codes.shared))?;
    let columns = sweep.columns(&tiling, &codes.a, &codes.b).await?;
    let growth = match &columns[..] {
        [before, behind] => hirschberg::crossing::<Edit>(before, behind, codes.a.len()).1,
        columns => columns[0].growth::<Edit>(codes.a.len()),
    };
    // The first row costs a column each, and down from it a distance that grows is a loss.
    Ok((codes.b.len() as i64 - growth) as u64)
}

/// The canonical path, and how it was recovered.
///
/// # Errors
/// As [`distance`].
pub async fn path(device: &Device<'_>, tuning: Tuning, codes: &Encoded) -> Result<(Blocks, &'static str)> {
    let mut sweep = GpuSweep { device, tuning };
    hirschberg::path::<Edit, _>(&mut sweep, &codes.a, &codes.b, codes.shared).await
}
