//! Where a call runs: on the CPU or on a GPU.

use std::sync::Arc;
use std::time::Duration;

use super::estimate::Estimate;
use super::gpu::{self, Codes};
use super::plan::{Costs, Plan};
use super::solve::{Request, Watched};
use crate::backend::{Backend, Capabilities};
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{CPU, Device, DeviceEstimate, Engine, PlanSummary, profile};
use crate::error::Result;
use crate::pairs::Strings;
use crate::pairwise::codes::Symbol;
use crate::path_mode::PathMode;

/// Time to hash a string and to find its copies.
const UNIQUE_SECONDS: f64 = 1.5e-7;
/// Time to collect and compare a candidate.
const CANDIDATE_SECONDS: f64 = 3e-8;

/// Where a call runs.
pub(super) struct Decision<S> {
    /// Keys of the CPU, as if all strings were distinct.
    plan: Plan,
    cpu_seconds: f64,
    on_gpu: Option<OnGpu<S>>,
}

/// A call on a GPU.
struct OnGpu<S> {
    estimate: DeviceEstimate,
    codes: Codes<S>,
    method: &'static str,
    strings_bytes: u64,
    seconds: f64,
}

/// Device of a join.
pub(super) enum Place<'p, S> {
    Cpu,
    /// With the codes of all symbols.
    Gpu(Device<'p>, &'p Codes<S>),
}

impl<S> Clone for Place<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Place<'_, S> {}

impl<S> Place<'_, S> {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Cpu => CPU,
            Self::Gpu(device, _) => device.backend.name(),
        }
    }
}

impl<S> Decision<S> {
    /// The CPU, or the opened device.
    pub(super) fn place<'p>(
        &'p self,
        engine: &'p Engine,
        gpu: Option<&'p dyn Backend>,
        (control, phases): Watched<'p>,
    ) -> Place<'p, S> {
        match (&self.on_gpu, gpu) {
            (Some(decided), Some(gpu)) => {
                Place::Gpu(engine.device(gpu, control, phases), &decided.codes)
            }
            _ => Place::Cpu,
        }
    }
}

impl<S: Symbol> Request<'_, S> {
    /// Decides where a call runs. Candidates are not known: they count on neither side.
    ///
    /// # Errors
    /// Errors of [`check`](Self::check), and
    /// [`Error::UnknownDevice`](crate::Error::UnknownDevice).
    pub(super) fn decide(&self, engine: &Engine) -> Result<Decision<S>> {
        self.check(engine)?;
        let plan = self.plan_of_all(Costs::CPU);
        let cpu_seconds = plan.seconds / profile::speedup(engine.threads());
        let on_gpu = self.on_gpu(engine, cpu_seconds)?;
        Ok(Decision {
            plan,
            cpu_seconds,
            on_gpu,
        })
    }

    fn on_gpu(&self, engine: &Engine, cpu_seconds: f64) -> Result<Option<OnGpu<S>>> {
        let lists = self.lists();
        if !gpu::takes(&lists, self.k()) {
            return Ok(None);
        }
        let plan = self.plan_of_all(gpu::COSTS);
        let least_bytes = gpu::strings_bytes(&lists, 1);
        let seconds = |caps: &Capabilities| gpu::seconds(&plan, least_bytes, caps);
        let Some(estimate) = engine.faster_device(cpu_seconds, seconds)? else {
            return Ok(None);
        };
        let Some(codes) = engine.on_threads(|| Codes::of(&lists)) else {
            return Ok(None);
        };
        let strings_bytes = gpu::strings_bytes(&lists, codes.planes);
        let seconds = gpu::seconds(&plan, strings_bytes, &estimate.capabilities);
        let limits = (&estimate.capabilities, estimate.budget_bytes);
        let fits_host = self.fixed_bytes() + 2 * strings_bytes <= engine.host_budget();
        let is_taken = fits_host && gpu::fits(strings_bytes, limits);
        Ok(is_taken.then(|| OnGpu {
            estimate,
            codes,
            method: plan.method(),
            strings_bytes,
            seconds,
        }))
    }

    /// Decides where a call runs, and opens the device.
    ///
    /// # Errors
    /// Errors of [`decide`](Self::decide) and of opening the device.
    pub(super) async fn decide_and_open(
        &self,
        engine: &Engine,
        phases: &Phases,
    ) -> Result<(Decision<S>, Option<Arc<dyn Backend>>)> {
        let uses_gpu = |decision: &Decision<S>| decision.on_gpu.is_some();
        let decided = engine
            .plan_and_open(phases, || self.decide(engine), uses_gpu)
            .await?;
        phases.lap(Phase::Decide);
        Ok(decided)
    }

    /// Plan of a call with about these numbers of pairs.
    pub(super) fn summary(
        &self,
        engine: &Engine,
        Estimate { pairs, candidates }: Estimate,
    ) -> Result<PlanSummary> {
        let Decision {
            plan,
            cpu_seconds,
            on_gpu,
        } = self.decide(engine)?;
        let speedup = profile::speedup(engine.threads());
        let strings = self.rows.len() + self.columns.map_or(0, Strings::len);
        let on_host = strings as f64 * UNIQUE_SECONDS / speedup;
        let (device, method, device_bytes, seconds) = match on_gpu {
            Some(gpu) => {
                let candidates = candidates as f64 * gpu::COSTS.candidate;
                let seconds = gpu.estimate.call_seconds(gpu.seconds + candidates);
                let rows = pairs as f64 * CANDIDATE_SECONDS / speedup;
                (
                    gpu.estimate.name,
                    gpu.method,
                    gpu.strings_bytes,
                    seconds + rows,
                )
            }
            None => {
                let rows = (candidates + pairs) as f64 * CANDIDATE_SECONDS / speedup;
                (CPU.to_string(), plan.method(), 0, cpu_seconds + rows)
            }
        };
        Ok(PlanSummary {
            method,
            device,
            path_mode: PathMode::None,
            cells: self.cells(),
            tile: (1, 1),
            strips: 1,
            passes: plan.levels as u64,
            device_bytes,
            host_bytes: self.fixed_bytes(),
            expected: Duration::from_secs_f64(on_host + seconds),
        })
    }
}
