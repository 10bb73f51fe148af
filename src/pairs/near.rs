//! Distances of long, similar strings on the CPU: one pair per thread, by wavefronts.

use super::cpu;
use super::measure::Measure;
use super::wavefront::{max_distance, search};
use super::work::Work;
use crate::call::control::Control;
use crate::edit_distance::Mode;
use crate::engine::Engine;
use crate::engine::profile::cpu::PAIRS_EDIT_CELLS_PER_SECOND;
use crate::error::Result;
use crate::host::parallel;
use crate::sequences::diagonal_transition::SearchOutcome;

/// Minimum cells of a call whose distances are sampled: half a second of a thread, ten times the
/// sample of unrelated strings.
const SAMPLED_CELLS: u128 = 1 << 34;

/// Expected time by [`values`] as a share of that of whole tables, if it is less.
pub(super) fn share(engine: &Engine, work: &Work<'_>) -> Option<f64> {
    let request = &work.request;
    let is_global = request.measure == Measure::Edit && request.mode == Mode::Global;
    if !is_global || work.lane_cells() < SAMPLED_CELLS || !work.has_large_tables() {
        return None;
    }
    let sample = work.sample(engine);
    let share = sample.share_by_wavefronts(PAIRS_EDIT_CELLS_PER_SECOND);
    (share < 1.0).then_some(share)
}

/// Values of pairs in their order, and the cells: furthest-reaching points and comparisons, and those
/// of whole tables for pairs that are too far apart.
pub(super) fn values(
    work: &Work<'_>,
    pairs: &[(usize, usize)],
    control: &Control,
) -> Result<(Vec<u32>, u128)> {
    let request = &work.request;
    let of_pair = |index: usize| -> Result<(Option<u32>, u64)> {
        let (query, target) = pairs[index];
        Ok(
            match search(request, query, target, &control.unreported())? {
                SearchOutcome::Distance {
                    distance, cells, ..
                } => (Some(distance as u32), cells),
                SearchOutcome::TooFar { cells } => {
                    let is_bound = request.within == Some(max_distance(request, query, target));
                    (is_bound.then(|| request.most()), cells)
                }
                SearchOutcome::GaveUp => (None, 0),
            },
        )
    };
    let found = parallel::try_map(pairs.len(), of_pair)?;
    let far: Vec<_> = (0..pairs.len())
        .filter(|&index| found[index].0.is_none())
        .collect();
    let of_tables: Vec<_> = far.iter().map(|&index| pairs[index]).collect();
    let tables = cpu::entries(work, &of_tables, control)?;
    let cells = found
        .iter()
        .map(|&(_, cells)| u128::from(cells))
        .sum::<u128>()
        + of_tables
            .iter()
            .map(|&(query, target)| request.lens(query, target).cells())
            .sum::<u128>();
    let mut values: Vec<_> = found
        .into_iter()
        .map(|(value, _)| value.unwrap_or(0))
        .collect();
    for (index, value) in far.into_iter().zip(tables) {
        values[index] = value;
    }
    Ok((values, cells))
}
