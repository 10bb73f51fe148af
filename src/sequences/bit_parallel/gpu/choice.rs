//! Choice of a sweep's sizes: the fastest under the cost model among those that the device can run.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::checkpoints::{CheckpointLayout, REPLAY_BYTES};
use super::tiling::{MAX_SYMBOLS, Tiling, limb_rows};
use crate::backend::{Capabilities, NOT_EMBEDDED};
use crate::engine::profile::gpu::stored_boundaries;
use crate::error::{Error, Result};
use crate::kernels::bit_parallel::{CarryExchange, Matching};
use crate::sequences::bit_parallel::shape::{Shape, TableKind};
use crate::sequences::tuning::Tuning;

impl Tiling {
    /// The fastest tiling for `shape` within `budget_bytes`, by the cost model.
    ///
    /// # Errors
    /// [`Error::TooManySymbols`], [`Error::MethodUnavailable`], [`Error::InputTooLong`] and
    /// [`Error::MemoryBudget`].
    pub fn new(
        shape: Shape,
        caps: &Capabilities,
        tuning: &Tuning,
        budget_bytes: u64,
    ) -> Result<Self> {
        let candidates = Self::candidates(shape, caps, tuning)?;
        let mut ranked = RankedTilings::new(&candidates, caps, |_| 0.0)
            .map(|(_, tiling)| tiling)
            .peekable();
        let needed = ranked.peek().map_or(0, Self::size_bytes);
        let Some(tiling) = ranked.find(|tiling| tiling.size_bytes() <= budget_bytes) else {
            let smallest = candidates
                .iter()
                .map(Self::size_bytes)
                .min()
                .unwrap_or_default();
            return Err(Error::MemoryBudget {
                what: "the strip sweep".to_string(),
                needed,
                limit: budget_bytes,
                smallest,
            });
        };
        tiling.check_lengths(caps)?;
        Ok(tiling)
    }

    /// Tiling and checkpoint layout for a sweep with stored boundaries, within `budget_bytes`
    /// together. Minimises the total time to sweep, store and trace back. `None` if no layout fits.
    ///
    /// # Errors
    /// [`Error::TooManySymbols`], [`Error::MethodUnavailable`] and [`Error::InputTooLong`].
    pub fn for_path(
        shape: Shape,
        caps: &Capabilities,
        tuning: &Tuning,
        budget_bytes: u64,
    ) -> Result<Option<(Self, CheckpointLayout)>> {
        let candidates = Self::candidates(shape, caps, tuning)?;
        let replay_bytes = tuning
            .replay_bytes
            .unwrap_or(REPLAY_BYTES.min(budget_bytes / REPLAY_SHARE));
        let mut ranked = RankedTilings::new(&candidates, caps, Self::walk_seconds).peekable();
        if let Some((_, fastest)) = ranked.peek() {
            fastest.check_lengths(caps)?;
        }
        let mut choices: Vec<(f64, Self, u64)> = Vec::new();
        for _ in 0..MAX_LAYOUTS {
            let mut best =
                (0..choices.len()).min_by(|&x, &y| choices[x].0.total_cmp(&choices[y].0));
            // Storing takes time: stop once no remaining candidate can beat the best choice.
            while let Some((sweep, tiling)) = ranked
                .next_if(|&(sweep, _)| best.is_none_or(|best: usize| sweep <= choices[best].0))
            {
                let room = budget_bytes.saturating_sub(tiling.size_bytes());
                for passes in tiling.checkpoint_passes(caps) {
                    let (keeping, bytes) = CheckpointLayout::cost(&tiling, passes);
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
            // The byte counts were lower bounds, so the best choice may not fit. Then the next best
            // is tried.
            let layout = CheckpointLayout::new(&tiling, passes, replay_bytes, caps.chunk_bytes)
                .filter(|layout| layout.size_bytes(&tiling) + tiling.size_bytes() <= budget_bytes);
            if let Some(layout) = layout {
                return Ok(Some((tiling, layout.reading_at_most(caps.readback_bytes))));
            }
        }
        Ok(None)
    }

    /// Seconds of the traceback, with one thread per direction.
    pub(super) fn walk_seconds(&self) -> f64 {
        self.shape.cols as f64 * stored_boundaries::WALK_SECONDS_PER_COLUMN
            / f64::from(self.directions)
    }

    /// Cells that are swept in the time in which the traceback crosses a column.
    pub(super) fn walked_column_cells(&self, caps: &Capabilities) -> f64 {
        let cells_per_second = self.shape.cells() as f64 / self.seconds(caps);
        cells_per_second * stored_boundaries::FIRST_WALK_SECONDS_PER_COLUMN
            / f64::from(self.directions)
    }

    /// All tilings that kernels support; at least one.
    ///
    /// # Errors
    /// [`Error::InvalidTuning`], [`Error::TooManySymbols`], and [`Error::MethodUnavailable`] if no
    /// kernel fits the device.
    pub fn candidates(shape: Shape, caps: &Capabilities, tuning: &Tuning) -> Result<Vec<Self>> {
        tuning.check(caps)?;
        let limb_rows = limb_rows(caps.carry_flag);
        if shape.alphabet.shared > MAX_SYMBOLS {
            return Err(Error::TooManySymbols {
                method: "bit-parallel",
                actual: u64::from(shape.alphabet.shared),
                limit: u64::from(MAX_SYMBOLS),
                remedy: shape.table.unlimited(),
            });
        }
        let one_subgroup = caps
            .subgroup
            .filter(|subgroup| (16..=64).contains(subgroup));
        // With carries exchanged through subgroups, workgroups that small have no advantage.
        let small = if tuning.carry_exchange.is_none() {
            one_subgroup.unwrap_or(0)
        } else {
            0
        };
        let sizes = |forced: Option<u32>, all: &[u32]| {
            forced.map_or_else(|| all.to_vec(), |forced| vec![forced])
        };
        let workgroups = sizes(tuning.lanes, &[32, 64, 128])
            .into_iter()
            .filter(|&lanes| tuning.lanes.is_some() || lanes > small);
        let mut crews: Vec<_> = workgroups
            .map(|lanes| (CarryExchange::Workgroup, lanes))
            .collect();
        crews.extend(
            one_subgroup
                .or(tuning.lanes)
                .map(|lanes| (CarryExchange::Subgroup, lanes)),
        );
        crews.retain(|&(carry_exchange, lanes)| {
            let possible =
                carry_exchange == CarryExchange::Workgroup || caps.subgroup == Some(lanes);
            possible
                && tuning
                    .carry_exchange
                    .is_none_or(|forced| forced == carry_exchange)
                && tuning.lanes.is_none_or(|forced| forced == lanes)
        });
        let matchings = match tuning.matching {
            Some(matching) => vec![matching],
            None if shape.alphabet.shared <= MAX_TABLE_ONLY_SYMBOLS => vec![Matching::Table],
            None if shape.alphabet.shared <= 32 => vec![Matching::Table, Matching::Planes],
            None => vec![Matching::Planes],
        };
        // Without 16, which the model ranks too high.
        let limbs = sizes(tuning.limbs, &[2, 4, 6, 8, 10, 12]);
        let columns = sizes(tuning.columns, &[8, 16, 32]);
        let steps = sizes(tuning.steps, &[16, 32, 64, 128, 256]);
        // A path of an infix may end anywhere in the last column, so there is no second direction.
        let infix = (shape.table == TableKind::EditInfix).then_some(1);
        let directions = sizes(infix.or(tuning.directions), &[1, 2]);
        let mut all = Vec::new();
        for &matching in &matchings {
            let shape = if caps.compiles {
                shape
            } else {
                shape.embedded(matching)
            };
            for &limbs in &limbs {
                for &columns in &columns {
                    for &steps in &steps {
                        for &directions in &directions {
                            for &(carry_exchange, lanes) in &crews {
                                all.push(Self {
                                    shape,
                                    matching,
                                    carry_exchange,
                                    lanes,
                                    limbs,
                                    limb_rows,
                                    columns,
                                    steps,
                                    directions,
                                });
                            }
                        }
                    }
                }
            }
        }
        let vertical = shape.table.vertical();
        all.retain(|tiling: &Self| {
            let matching = match tiling.matching {
                Matching::Table => {
                    tiling.shape.alphabet.shared <= MAX_TABLE_SYMBOLS
                        && vertical * tiling.limbs <= MAX_DIFFERENCES
                }
                Matching::Planes => {
                    (tiling.planes() + vertical - 1) * tiling.limbs <= 48 || tiling.limbs == 2
                }
            };
            let fits = tiling.workgroup_bytes() <= caps.workgroup_bytes
                && tiling.lanes <= caps.workgroup_lanes;
            matching && fits && (caps.compiles || tiling.is_embedded())
        });
        if all.is_empty() {
            return Err(Error::MethodUnavailable {
                method: "bit-parallel",
                device: "this device".to_string(),
                reason: if caps.compiles {
                    format!("no kernel variant fits its limits and {tuning:?}")
                } else {
                    format!("no embedded kernel fits {tuning:?}: {NOT_EMBEDDED}")
                },
            });
        }
        Ok(all)
    }
}

/// Iterator over candidates by increasing time. Computes exact times only as needed.
struct RankedTilings<'c> {
    candidates: &'c [Tiling],
    caps: &'c Capabilities,
    /// Additional time of a tiling besides its sweep.
    besides: fn(&Tiling) -> f64,
    times: BinaryHeap<CandidateTime>,
}

struct CandidateTime {
    seconds: f64,
    exact: bool,
    candidate: usize,
}

impl<'c> RankedTilings<'c> {
    fn new(candidates: &'c [Tiling], caps: &'c Capabilities, besides: fn(&Tiling) -> f64) -> Self {
        let bound = |(candidate, tiling): (usize, &Tiling)| {
            let seconds = tiling.least_seconds(caps) + besides(tiling);
            CandidateTime {
                seconds,
                exact: false,
                candidate,
            }
        };
        Self {
            candidates,
            caps,
            besides,
            times: candidates.iter().enumerate().map(bound).collect(),
        }
    }
}

impl Iterator for RankedTilings<'_> {
    type Item = (f64, Tiling);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let time = self.times.pop()?;
            let tiling = self.candidates[time.candidate];
            if time.exact {
                return Some((time.seconds, tiling));
            }
            let seconds = tiling.seconds(self.caps) + (self.besides)(&tiling);
            self.times.push(CandidateTime {
                seconds,
                exact: true,
                ..time
            });
        }
    }
}

impl Ord for CandidateTime {
    /// Max-heap order: least time first, then exact times before bounds, then the first candidate.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_time = other.seconds.total_cmp(&self.seconds);
        by_time
            .then(self.exact.cmp(&other.exact))
            .then(other.candidate.cmp(&self.candidate))
    }
}

impl PartialOrd for CandidateTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for CandidateTime {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for CandidateTime {}

/// Divisor of the budget for replayed tiles on the device.
const REPLAY_SHARE: u64 = 8;
/// Maximum layouts tried for size, best first.
const MAX_LAYOUTS: usize = 256;
/// Maximum words of differences that a lane keeps in registers next to the masks of a table.
const MAX_DIFFERENCES: u32 = 24;
/// Alphabet size up to which a match table always beats planes.
const MAX_TABLE_ONLY_SYMBOLS: u32 = 6;
/// Maximum shared symbols of a match table: a column's code is one byte.
const MAX_TABLE_SYMBOLS: u32 = 255;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranked_tilings_come_in_order_of_their_times() {
        let device = Capabilities {
            subgroup: Some(32),
            compute_units: Some(132),
            workgroup_bytes: 48 << 10,
            workgroup_lanes: 1024,
            ..Capabilities::default()
        };
        let forward = Capabilities {
            forward_progress: true,
            ..device
        };
        for caps in [device, forward, Capabilities::default()] {
            for (rows, cols) in [
                (1, 1),
                (40, 7),
                (5_000, 300),
                (100_000, 100_000),
                (10_000_000, 9_000_000),
            ] {
                for (table, shared) in [
                    (TableKind::Lcs, 4),
                    (TableKind::Lcs, 20),
                    (TableKind::Edit, 4),
                    (TableKind::EditInfix, 90),
                ] {
                    for cost in [u64::MAX, cols / 10, cols / 1000] {
                        let shape = Shape::new(table, rows, cols, shared).within(cost);
                        let all =
                            Tiling::candidates(shape, &caps, &Tuning::default()).expect("kernels");
                        let mut times: Vec<_> =
                            all.iter().map(|tiling| tiling.seconds(&caps)).collect();
                        times.sort_by(f64::total_cmp);
                        let ranked: Vec<_> = RankedTilings::new(&all, &caps, |_| 0.0)
                            .map(|(seconds, _)| seconds)
                            .collect();
                        assert_eq!(ranked, times, "{shape:?}");
                    }
                }
            }
        }
    }
}
