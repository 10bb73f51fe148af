//! Limited wavefront search on the CPU, tried before the ways that need codes.

use crate::call::phase::Phase;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{Device, Engine};
use crate::error::Result;
use crate::path_mode::PathMode;
use crate::sequences::cost_estimate::CostEstimate;
use crate::sequences::diagonal_transition::{SearchLimit, SearchOutcome};
use crate::sequences::problem::Problem;
use crate::sequences::query::{PairQuery, Start};
use crate::sequences::request::{Found, Outcome, WAVEFRONT};

/// Overhead of a call that the first few wavefronts answer: affixes, replay of the path, report.
const ANSWERED_SECONDS: f64 = 1e-5;

pub(crate) struct Trial;

impl Trial {
    /// Wavefront search on the CPU; `None` if it hits the limit.
    pub(crate) fn search<P: Problem>(
        query: &PairQuery<'_, P>,
        limit: SearchLimit,
    ) -> Result<Option<Found>> {
        let found = query.sequences.wavefronts::<P>(&query.request, limit)?;
        let (cost, path, cells) = match found {
            SearchOutcome::Distance {
                distance,
                path,
                cells,
            } => (Some(distance), path, cells),
            SearchOutcome::TooFar { cells } => (None, None, cells),
            SearchOutcome::GaveUp => return Ok(None),
        };
        Ok(Some(Found {
            path_mode: PathMode::Wavefronts.if_path(path.is_some()),
            answer: Outcome { cost, path },
            computed_cells: cells.into(),
        }))
    }
}

impl<P: Problem> Way<PairQuery<'_, P>> for Trial {
    fn method(&self) -> &'static str {
        WAVEFRONT
    }

    fn on_cpu(&self, engine: &Engine, query: &PairQuery<'_, P>) -> Result<Option<Cost>> {
        let cost = |estimate| query.wavefront_cost(engine, estimate);
        let greatest = query.greatest_cost();
        Ok(match &query.start {
            Start::Answered(Some(found), took) => {
                let found = found.answer.cost.unwrap_or(query.request.max_cost);
                Some(Cost {
                    seconds: took.as_secs_f64() + ANSWERED_SECONDS,
                    ..cost(CostEstimate::from_bound(found))
                })
            }
            Start::Trial(trial) => {
                let estimate = query.request.estimate;
                let estimate = estimate.unwrap_or(CostEstimate::from_bound(greatest));
                Some(Cost {
                    answers: trial.likely_to_answer,
                    ..cost(estimate.within(greatest))
                })
            }
            _ => None,
        })
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut PairQuery<'_, P>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, Outcome> {
        Box::pin(async {
            let trial = match &mut query.start {
                Start::Answered(found, _) => return Ok(found.take()),
                Start::Trial(trial) => *trial,
                _ => return Ok(None),
            };
            let control = query.request.control;
            control.set_phase(Phase::Wavefronts);
            control.set_estimate(trial.expected_steps);
            let found = Self::search(query, trial.limit)?;
            call.phases.lap(Phase::Wavefront);
            Ok(found)
        })
    }
}
