//! Pairs that are long enough to occupy a device each: they are computed one at a time, as a call of
//! its own would be.

use std::ops::Range;
use std::time::Duration;

use super::measure::Measure;
use super::request::{PairLens, Request};
use super::selection::Selection;
use super::values::Value;
use crate::call::control::Control;
use crate::edit_distance::{self, Distance, EditOptions};
use crate::engine::{CPU, Engine, PlanSummary};
use crate::error::Result;
use crate::lcs::{self, LcsOptions};

/// Cells of such a pair. One lane takes seconds for so many, a whole device milliseconds.
const LONG_CELLS: u64 = 1 << 32;

/// Pairs of which a plan of all is made.
const PLANNED: usize = 8;

/// True if a pair of strings of these lengths is computed alone.
pub(super) fn is_long(lens: PairLens) -> bool {
    lens.cells() >= LONG_CELLS.into()
}

#[derive(Debug, Default)]
pub(super) struct LongPairs {
    positions: Vec<u64>,
    pub(super) cells: u128,
    /// Empty until they are computed.
    values: Vec<u32>,
}

impl LongPairs {
    pub(super) fn of(
        request: &Request<'_>,
        selection: &Selection<'_>,
        positions: &Range<u64>,
    ) -> Self {
        if !request.measure.is_swept() {
            return Self::default();
        }
        let (queries, targets) = (request.queries, request.targets);
        let is_long = |query: usize, target: usize| is_long(request.lens(query, target));
        let mut found = Vec::new();
        if let Selection::Zip | Selection::List(_) = selection {
            let is_long = |&position: &u64| {
                let (query, target) = selection.pair(position, targets.len());
                is_long(query, target)
            };
            found.extend(positions.clone().filter(is_long));
        } else {
            // Only strings that are long with the longest of the other list.
            let longest = (0..targets.len()).max_by_key(|&target| targets.len_of(target));
            let rows = (0..queries.len())
                .filter(|&query| longest.is_some_and(|target| is_long(query, target)));
            for query in rows {
                let columns = (0..targets.len()).filter(|&target| is_long(query, target));
                found.extend(
                    columns
                        .filter_map(|target| selection.position(query, target, targets.len()))
                        .filter(|position| positions.contains(position)),
                );
            }
        }
        let cells = |&position: &u64| {
            let (query, target) = selection.pair(position, targets.len());
            request.lens(query, target).cells()
        };
        Self {
            cells: found.iter().map(cells).sum(),
            positions: found,
            values: Vec::new(),
        }
    }

    /// A plan of all pairs, from plans of some of them; `None` without any pair.
    pub(super) fn plan(
        &self,
        engine: &Engine,
        request: &Request<'_>,
        selection: &Selection<'_>,
    ) -> Result<Option<PlanSummary>> {
        let step = self.positions.len().div_ceil(PLANNED).max(1);
        let (mut all, mut each, mut fixed) = (None, Vec::new(), 0.0);
        for &position in self.positions.iter().step_by(step) {
            let (query, target) = selection.pair(position, request.targets.len());
            let strings = request.pair(query, target)?;
            let plan = match request.measure {
                Measure::Edit => {
                    let options = EditOptions {
                        mode: request.mode,
                        max_distance: request.within,
                        ..EditOptions::default()
                    };
                    edit_distance::plan(engine, strings.slices(), &options)?
                }
                _ => lcs::plan(engine, strings.slices(), &LcsOptions::default())?,
            };
            // A device is opened once.
            let opening = match engine.device_estimate(f64::INFINITY)? {
                Some(device) if plan.device != CPU => device.call_seconds(0.0),
                _ => 0.0,
            };
            fixed = opening.max(fixed);
            each.push(plan.expected.as_secs_f64() - opening);
            let all: &mut PlanSummary = all.get_or_insert_with(|| plan.clone());
            all.device_bytes = all.device_bytes.max(plan.device_bytes);
            all.host_bytes = all.host_bytes.max(plan.host_bytes);
        }
        let mean = each.iter().sum::<f64>() / each.len().max(1) as f64;
        let seconds = fixed + mean * self.positions.len() as f64;
        Ok(all.map(|all| PlanSummary {
            expected: Duration::from_secs_f64(seconds.max(0.0)),
            cells: self.cells,
            ..all
        }))
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    pub(super) fn contains(&self, position: u64) -> bool {
        self.positions.binary_search(&position).is_ok()
    }

    /// Computes the pairs, unless they were computed before.
    pub(super) async fn solve(
        &mut self,
        engine: &Engine,
        request: &Request<'_>,
        selection: &Selection<'_>,
        control: &Control,
    ) -> Result<()> {
        for &position in &self.positions[self.values.len()..] {
            let (query, target) = selection.pair(position, request.targets.len());
            let strings = request.pair(query, target)?;
            let PairLens { query, target } = request.lens(query, target);
            let unreported = control.unreported();
            let last = match request.measure {
                Measure::Edit => {
                    let options = EditOptions {
                        control: unreported,
                        mode: request.mode,
                        max_distance: request.within,
                        ..EditOptions::default()
                    };
                    let solved = edit_distance::solve(engine, strings.slices(), &options).await?;
                    match solved.distance {
                        Distance::Exactly(distance) => distance,
                        Distance::MoreThan(bound) => bound.saturating_add(1),
                    }
                }
                _ => {
                    let options = LcsOptions {
                        control: unreported,
                        ..LcsOptions::default()
                    };
                    lcs::solve(engine, strings.slices(), &options).await?.length
                }
            };
            self.values
                .push(request.scoring().value(last, (query, target)));
            control.add_done(query.saturating_mul(target));
        }
        Ok(())
    }

    /// Writes the values of those among consecutive pairs from `first` on.
    pub(super) fn write<T: Value>(&self, first: u64, values: &mut [T]) {
        let start = self.positions.partition_point(|&position| position < first);
        for (&position, &value) in self.positions[start..].iter().zip(&self.values[start..]) {
            match values.get_mut((position - first) as usize) {
                Some(found) => *found = T::narrowed(value),
                None => return,
            }
        }
    }
}
