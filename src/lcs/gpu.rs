//! LCS of encoded inputs by the strip sweep on a GPU.

use super::subsequence::Subsequence;
use crate::engine::Device;
use crate::error::Result;
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::gpu::GpuSweep;
use crate::sequences::bit_parallel::hirschberg;
use crate::sequences::bit_parallel::recurrence::Lcs;
use crate::sequences::codes::Encoded;
use crate::sequences::tuning::Tuning;

/// # Errors
/// As [`Tiling::new`](crate::sequences::bit_parallel::gpu::tiling::Tiling::new) and [`Device::run`].
pub async fn length(device: &Device<'_>, tuning: Tuning, codes: &Encoded) -> Result<u64> {
    let length = GpuSweep::new(device, tuning)
        .value::<Lcs>(codes.codes())
        .await?;
    Ok(length as u64)
}

/// The canonical path and its path mode.
///
/// # Errors
/// As [`length`].
pub async fn subsequence(
    device: &Device<'_>,
    tuning: Tuning,
    codes: &Encoded,
) -> Result<(Subsequence, PathMode)> {
    let mut sweep = GpuSweep::new(device, tuning);
    let (found, mode) = hirschberg::path::<Lcs, _>(&mut sweep, codes.codes()).await?;
    Ok((Subsequence(found), mode))
}
