//! Edit distance of encoded inputs by the strip sweep on a GPU.

use super::{EditOptions, Mode};
use crate::engine::Device;
use crate::engine::placement::Cost;
use crate::error::{Error, Result};
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::gpu::{GpuSweep, Sizing};
use crate::sequences::bit_parallel::hirschberg;
use crate::sequences::bit_parallel::recurrence::{Column, Edit};
use crate::sequences::bit_parallel::shape::{Shape, TableKind};
use crate::sequences::blocks::Blocks;
use crate::sequences::codes::{Alphabet, Codes, Encoded};
use crate::sequences::tuning::Tuning;

/// # Errors
/// As [`Tiling::new`](crate::sequences::bit_parallel::gpu::tiling::Tiling::new) and [`Device::run`].
pub async fn distance(device: &Device<'_>, tuning: Tuning, codes: &Encoded) -> Result<u64> {
    let distance = GpuSweep::new(device, tuning)
        .value::<Edit>(codes.codes())
        .await?;
    Ok(distance as u64)
}

/// The canonical path and its path mode.
///
/// # Errors
/// As [`distance`].
pub async fn path(
    device: &Device<'_>,
    tuning: Tuning,
    codes: &Encoded,
) -> Result<(Blocks, PathMode)> {
    let mut sweep = GpuSweep::new(device, tuning);
    hirschberg::path::<Edit, _>(&mut sweep, codes.codes()).await
}

/// Last column of a table with the target as rows and the query as columns. Row i holds the
/// distance of the query to the piece that ends at i: from the first symbol of the target, or from
/// the best start with [`Mode::Infix`].
pub(crate) async fn last_column(
    device: &Device<'_>,
    options: &EditOptions,
    codes: Codes<'_>,
) -> Result<Column> {
    let sweep = GpuSweep::new(device, options.tuning);
    sweep.last_column(table(options.mode), codes).await
}

/// Estimated time of [`last_column`]; infinite if no plan fits.
pub(crate) fn expected_seconds(
    sizing: Sizing<'_>,
    options: &EditOptions,
    rows: usize,
    cols: usize,
    alphabet: impl Into<Alphabet>,
) -> f64 {
    let one = Tuning {
        directions: Some(1),
        ..options.tuning
    };
    let shape = Shape::new(table(options.mode), rows as u64, cols as u64, alphabet);
    Sizing {
        tuning: one,
        ..sizing
    }
    .seconds(shape)
    .unwrap_or(f64::INFINITY)
}

fn table(mode: Mode) -> TableKind {
    if mode == Mode::Infix {
        TableKind::EditInfix
    } else {
        TableKind::Edit
    }
}

/// Cost of a search over a target (rows), followed by the path to the longest possible piece.
///
/// # Errors
/// [`Error::MemoryBudget`] if the budget is too small for the search. Its `needed` also covers the
/// path.
pub(crate) fn pieces_cost(
    sizing: Sizing<'_>,
    options: &EditOptions,
    rows: usize,
    cols: usize,
    alphabet: impl Into<Alphabet>,
) -> Result<Cost> {
    let one = Tuning {
        directions: Some(1),
        ..options.tuning
    };
    let (rows, cols, alphabet) = (rows as u64, cols as u64, alphabet.into());
    let search = Sizing {
        tuning: one,
        ..sizing
    }
    .cost(Shape::new(table(options.mode), rows, cols, alphabet), false);
    if !options.path {
        return search;
    }
    // A longer piece has more symbols to delete than the query has.
    let longest = Shape::new(
        TableKind::Edit,
        rows.min(cols.saturating_mul(2)),
        cols,
        alphabet,
    );
    let path = sizing.cost(longest, true);
    let mut search = match (search, &path) {
        (
            Err(Error::MemoryBudget {
                what,
                needed,
                limit,
                smallest,
            }),
            Err(Error::MemoryBudget {
                needed: of_path,
                smallest: least,
                ..
            }),
        ) => {
            let (needed, smallest) = (needed.max(*of_path), smallest.max(*least));
            return Err(Error::MemoryBudget {
                what,
                needed,
                limit,
                smallest,
            });
        }
        (search, _) => search?,
    };
    // The path may still fit if the piece that is found is shorter.
    if let Ok(path) = path {
        search.path_mode = path.path_mode;
        search.device_bytes = search.device_bytes.max(path.device_bytes);
        search.seconds += path.seconds;
    }
    Ok(search)
}
