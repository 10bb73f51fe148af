//! Runs a call: where to sort is placed by the engine.

use std::ops::Range;

use super::key::{digits, low_bits, words_of};
use super::shape::SortTuning;
use super::sizes::SortSizes;
use super::{Key, RadixSort, Sorted, cpu, gpu};
use crate::backend::Capabilities;
use crate::backend::memory::check_limit;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::engine::placement::{self, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::profile::gpu::{compute_units, radix_sort};
use crate::engine::{Device, DeviceEstimate, Engine, PlanSummary, Report, profile};
use crate::error::{Error, Result};
use crate::host::parallel::map_ranges;
use crate::path_mode::PathMode;

/// Keys per task that looks for differing bits.
const TASK_KEYS: usize = 1 << 14;

/// A checked task.
struct SortQuery<'a, K> {
    keys: &'a [K],
    payload: Option<&'a [u32]>,
    tuning: &'a SortTuning,
    /// Bits to sort by in which keys differ.
    bits: u64,
}

impl<'a, K: Key> SortQuery<'a, K> {
    fn new(engine: &Engine, task: &'a RadixSort<'_, K>) -> Result<Self> {
        let (keys, payload) = (&task.keys[..], task.payload.as_deref());
        if let Some(payload) = payload.filter(|payload| payload.len() != keys.len()) {
            let (keys, payload) = (keys.len() as u64, payload.len() as u64);
            return Err(Error::LengthMismatch { keys, payload });
        }
        let bits = engine.on_threads(|| differing_bits(keys)) & low_bits(task.key_bits);
        Ok(Self {
            keys,
            payload,
            tuning: &task.tuning,
            bits,
        })
    }

    fn size_bytes(&self) -> u64 {
        (u64::from(words_of::<K>()) + u64::from(self.payload.is_some()))
            * 4
            * self.keys.len() as u64
    }

    /// Estimated seconds of upload, sort and readback.
    fn gpu_seconds(&self, sizes: &SortSizes, caps: &Capabilities) -> f64 {
        let bytes = self.size_bytes() as f64;
        let transfer = 2.0 * bytes / radix_sort::TRANSFER_BYTES_PER_SECOND;
        transfer
            + sizes.moves(digits(self.bits).len()) * bytes
                / (compute_units(caps) * radix_sort::BYTES_PER_SECOND)
    }

    fn cpu_seconds(&self, engine: &Engine) -> f64 {
        let words = self.size_bytes() as f64 / 4.0 * digits(self.bits).len() as f64;
        words * profile::cpu::RADIX_SORT_WORD_SECONDS
            / profile::speedup(engine.threads()).min(profile::cpu::RADIX_SORT_SPEEDUP)
    }
}

fn differing_bits<K: Key>(keys: &[K]) -> u64 {
    let first = keys.first().map_or(0, |key| key.wide());
    let of_range = |range: Range<usize>| {
        let differing = keys[range].iter().map(|key| key.wide() ^ first);
        differing.fold(0, |a, b| a | b)
    };
    let differing = map_ranges(keys.len(), TASK_KEYS, of_range);
    differing.into_iter().fold(0, |a, b| a | b)
}

impl<K: Key> Ways for SortQuery<'_, K> {
    type Answer = Sorted<K>;

    fn cells(&self) -> u128 {
        self.keys.len() as u128
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        if round == 0 {
            vec![&ByRadix]
        } else {
            Vec::new()
        }
    }
}

struct ByRadix;

impl<K: Key> Way<SortQuery<'_, K>> for ByRadix {
    fn method(&self) -> &'static str {
        "radix-sort"
    }

    fn on_cpu(&self, engine: &Engine, query: &SortQuery<'_, K>) -> Result<Option<Cost>> {
        let host_bytes = 2 * query.size_bytes();
        engine.check_host_budget("a copy of the arrays", host_bytes.into())?;
        Ok(Some(Cost {
            host_bytes,
            ..Cost::new(query.cpu_seconds(engine))
        }))
    }

    fn on_gpu(
        &self,
        _: &Engine,
        query: &SortQuery<'_, K>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        if query.bits == 0 {
            return Ok(None);
        }
        let caps = &device.capabilities;
        let (keys, has_payload) = (query.keys.len() as u64, query.payload.is_some());
        let sizes = SortSizes::new(words_of::<K>(), has_payload, keys, caps, query.tuning)?;
        let plan = gpu::plan(&sizes, query.bits).plan;
        check_limit(plan.size_bytes(), device.budget_bytes)?;
        let (tile, groups) = sizes.tiles();
        Ok(Some(Cost {
            tile: (1, u64::from(tile)),
            strips: groups,
            passes: plan.passes.len() as u64,
            device_bytes: plan.size_bytes(),
            host_bytes: query.size_bytes(),
            ..Cost::new(query.gpu_seconds(&sizes, caps))
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut SortQuery<'_, K>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Sorted<K>> {
        Box::pin(async move {
            call.control.set_phase(Phase::Sweep);
            let (keys, payload) = match device {
                Some(device) => {
                    let arrays = gpu::HostArrays {
                        keys: query.keys,
                        payload: query.payload,
                    };
                    gpu::sort(device, &arrays, query.bits, query.tuning).await?
                }
                None => {
                    let sort = || cpu::sort(query.keys, query.payload, query.bits, call.control);
                    let sorted = call.engine.on_threads(sort)?;
                    call.phases.lap(Phase::Sweep);
                    sorted
                }
            };
            Ok(Some(Answered {
                answer: Sorted { keys, payload },
                path_mode: PathMode::None,
                computed_cells: query.keys.len() as u128,
            }))
        })
    }
}

pub(super) async fn solve<K: Key>(
    engine: &Engine,
    task: &RadixSort<'_, K>,
    control: &Control,
) -> Result<Report<Sorted<K>>> {
    let call = Call::start(engine, control);
    control.check()?;
    let mut query = SortQuery::new(engine, task)?;
    let (sorted, run) = placement::run(&call, &mut query).await?;
    Ok(Report::new(sorted, run))
}

pub(super) fn plan<K: Key>(engine: &Engine, task: &RadixSort<'_, K>) -> Result<PlanSummary> {
    placement::plan(engine, &SortQuery::new(engine, task)?)
}
