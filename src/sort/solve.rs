//! Runs a call: decides on the device, sorts there.

use std::ops::Range;
use std::time::{Duration, Instant};

use super::key::{digits, words_of};
use super::shape::SortTuning;
use super::sizes::SortSizes;
use super::{Key, Sorted, cpu, gpu};
use crate::backend::Capabilities;
use crate::backend::memory::check_limit;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::profile::gpu::{compute_units, radix_sort};
use crate::engine::{CPU, DeviceEstimate, Engine, PlanSummary, Report, Run, profile};
use crate::error::{Error, Result};
use crate::host::parallel::map_ranges;
use crate::path_mode::PathMode;
use crate::plan::Plan;

pub(super) struct SortRequest<'a, K> {
    pub keys: &'a [K],
    pub payload: Option<&'a [u32]>,
    /// Bits to sort by.
    pub mask: u64,
    pub tuning: SortTuning,
}

/// Keys per task that looks for differing bits.
const TASK_KEYS: usize = 1 << 14;
const METHOD: &str = "radix-sort";

/// Decision of a call or a dry run.
struct Decision {
    /// Bits of the mask in which keys differ.
    bits: u64,
    /// The GPU with its sizes and its plan without contents; `None` for the CPU.
    on_gpu: Option<(DeviceEstimate, SortSizes, Plan)>,
}

impl<K: Key> SortRequest<'_, K> {
    fn check(&self) -> Result<()> {
        let (keys, payload) = (
            self.keys.len() as u64,
            self.payload.map_or(self.keys.len(), <[u32]>::len) as u64,
        );
        if keys == payload {
            Ok(())
        } else {
            Err(Error::LengthMismatch { keys, payload })
        }
    }

    /// Bits of the mask in which keys differ.
    fn differing_bits(&self) -> u64 {
        let first = self.keys.first().map_or(0, |key| key.wide());
        let of_range = |range: Range<usize>| {
            let differing = self.keys[range].iter().map(|key| key.wide() ^ first);
            differing.fold(0, |a, b| a | b)
        };
        let differing = map_ranges(self.keys.len(), TASK_KEYS, of_range);
        differing.into_iter().fold(0, |a, b| a | b) & self.mask
    }

    fn size_bytes(&self) -> u64 {
        (u64::from(words_of::<K>()) + u64::from(self.payload.is_some()))
            * 4
            * self.keys.len() as u64
    }

    /// Checks the host memory of a sort on the CPU.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`](crate::Error::MemoryBudget).
    fn check_copies(&self, engine: &Engine) -> Result<()> {
        engine.check_host_budget("a copy of the arrays", 2 * u128::from(self.size_bytes()))
    }

    /// Decides where to sort by these bits.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`](crate::Error::MemoryBudget) and
    /// [`Error::InputTooLong`](crate::Error::InputTooLong).
    fn decide(&self, engine: &Engine, bits: u64) -> Result<Decision> {
        let on_gpu = |caps: &Capabilities| {
            let measured = self.plan_on(caps, bits).ok();
            // Arrays that do not fit the device are sorted on the CPU.
            let fits =
                measured.filter(|(_, plan)| plan.size_bytes() <= engine.device_budget_of(caps));
            fits.map_or(f64::INFINITY, |(sizes, _)| {
                self.gpu_seconds(&sizes, caps, bits)
            })
        };
        let gpu = if bits == 0 {
            None
        } else {
            engine.faster_device(self.cpu_seconds(engine, bits), on_gpu)?
        };
        let Some(estimate) = gpu else {
            self.check_copies(engine)?;
            return Ok(Decision { bits, on_gpu: None });
        };
        let (sizes, plan) = self.plan_on(&estimate.capabilities, bits)?;
        check_limit(plan.size_bytes(), estimate.budget_bytes)?;
        Ok(Decision {
            bits,
            on_gpu: Some((estimate, sizes, plan)),
        })
    }

    /// Dry-run summary of a decision.
    fn summarize(&self, engine: &Engine, Decision { bits, on_gpu }: Decision) -> PlanSummary {
        let cells = self.keys.len() as u128;
        let Some((gpu, sizes, plan)) = on_gpu else {
            return PlanSummary {
                method: METHOD,
                device: CPU.to_string(),
                path_mode: PathMode::None,
                cells,
                tile: (1, 1),
                strips: 1,
                passes: 1,
                device_bytes: 0,
                host_bytes: 2 * self.size_bytes(),
                expected: Duration::from_secs_f64(self.cpu_seconds(engine, bits)),
            };
        };
        let (tile, groups) = sizes.tiles();
        PlanSummary {
            method: METHOD,
            expected: gpu.expected(self.gpu_seconds(&sizes, &gpu.capabilities, bits)),
            device: gpu.name,
            path_mode: PathMode::None,
            cells,
            tile: (1, u64::from(tile)),
            strips: groups,
            passes: plan.passes.len() as u64,
            device_bytes: plan.size_bytes(),
            host_bytes: self.size_bytes(),
        }
    }

    /// Sizes on a device, and the plan without contents.
    fn plan_on(&self, caps: &Capabilities, bits: u64) -> Result<(SortSizes, Plan)> {
        let keys = self.keys.len() as u64;
        let sizes = SortSizes::new(
            words_of::<K>(),
            self.payload.is_some(),
            keys,
            caps,
            &self.tuning,
        )?;
        Ok((sizes, gpu::plan(&sizes, bits).plan))
    }

    /// Estimated seconds of upload, sort and readback.
    fn gpu_seconds(&self, sizes: &SortSizes, caps: &Capabilities, bits: u64) -> f64 {
        let bytes = self.size_bytes() as f64;
        let transfer = 2.0 * bytes / radix_sort::TRANSFER_BYTES_PER_SECOND;
        transfer
            + sizes.moves(digits(bits).len()) * bytes
                / (compute_units(caps) * radix_sort::BYTES_PER_SECOND)
    }

    fn cpu_seconds(&self, engine: &Engine, bits: u64) -> f64 {
        let words = self.size_bytes() as f64 / 4.0 * digits(bits).len() as f64;
        words * profile::cpu::RADIX_SORT_WORD_SECONDS
            / profile::speedup(engine.threads()).min(profile::cpu::RADIX_SORT_SPEEDUP)
    }
}

pub(super) async fn solve<K: Key>(
    engine: &Engine,
    request: &SortRequest<'_, K>,
    control: &Control,
) -> Result<Report<Sorted<K>>> {
    let started = Instant::now();
    let phases = Phases::start();
    request.check()?;
    control.check()?;
    let bits = engine.on_threads(|| request.differing_bits());
    phases.lap(Phase::Decide);
    let (_, gpu) = engine
        .plan_and_open(
            &phases,
            || request.decide(engine, bits),
            |decision| decision.on_gpu.is_some(),
        )
        .await?;
    phases.lap(Phase::OpenDevice);
    control.set_phase(Phase::Sweep);
    let ((keys, payload), device) = match gpu.as_deref() {
        Some(gpu) => {
            let device = engine.device(gpu, control, &phases);
            let arrays = gpu::HostArrays {
                keys: request.keys,
                payload: request.payload,
            };
            let sorted = gpu::sort(&device, &arrays, bits, &request.tuning).await?;
            (sorted, gpu.name().to_string())
        }
        None => {
            let sorted =
                engine.on_threads(|| cpu::sort(request.keys, request.payload, bits, control))?;
            phases.lap(Phase::Sweep);
            (sorted, CPU.to_string())
        }
    };
    let run = Run {
        method: METHOD,
        path_mode: PathMode::None,
        device,
        cells: request.keys.len() as u128,
        computed_cells: request.keys.len() as u128,
        common_prefix: 0,
        common_suffix: 0,
        elapsed: started.elapsed(),
        phases: phases.totals(),
    };
    Ok(Report::new(Sorted { keys, payload }, run))
}

pub(super) fn plan<K: Key>(engine: &Engine, request: &SortRequest<'_, K>) -> Result<PlanSummary> {
    request.check()?;
    let bits = engine.on_threads(|| request.differing_bits());
    Ok(request.summarize(engine, request.decide(engine, bits)?))
}
