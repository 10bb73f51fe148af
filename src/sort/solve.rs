//! Runs a call: where to sort is placed by the engine.

use std::ops::Range;

use super::key::{digits, words_of};
use super::shape::SortTuning;
use super::sizes::SortSizes;
use super::{Key, Sorted, cpu, gpu};
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

/// A checked request.
struct SortQuery<'a, K> {
    request: &'a SortRequest<'a, K>,
    /// Bits of the mask in which keys differ.
    bits: u64,
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

impl<'a, K: Key> SortQuery<'a, K> {
    fn new(engine: &Engine, request: &'a SortRequest<'a, K>) -> Result<Self> {
        request.check()?;
        let bits = engine.on_threads(|| request.differing_bits());
        Ok(Self { request, bits })
    }
}

impl<K: Key> Ways for SortQuery<'_, K> {
    type Answer = Sorted<K>;

    fn cells(&self) -> u128 {
        self.request.keys.len() as u128
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        if round == 0 {
            vec![&RadixSort]
        } else {
            Vec::new()
        }
    }
}

struct RadixSort;

impl<K: Key> Way<SortQuery<'_, K>> for RadixSort {
    fn method(&self) -> &'static str {
        "radix-sort"
    }

    fn on_cpu(&self, engine: &Engine, query: &SortQuery<'_, K>) -> Result<Option<Cost>> {
        let host_bytes = 2 * query.request.size_bytes();
        engine.check_host_budget("a copy of the arrays", host_bytes.into())?;
        Ok(Some(Cost {
            host_bytes,
            ..Cost::new(query.request.cpu_seconds(engine, query.bits))
        }))
    }

    fn on_gpu(
        &self,
        _: &Engine,
        SortQuery { request, bits }: &SortQuery<'_, K>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        if *bits == 0 {
            return Ok(None);
        }
        let caps = &device.capabilities;
        let (sizes, plan) = request.plan_on(caps, *bits)?;
        check_limit(plan.size_bytes(), device.budget_bytes)?;
        let (tile, groups) = sizes.tiles();
        Ok(Some(Cost {
            tile: (1, u64::from(tile)),
            strips: groups,
            passes: plan.passes.len() as u64,
            device_bytes: plan.size_bytes(),
            host_bytes: request.size_bytes(),
            ..Cost::new(request.gpu_seconds(&sizes, caps, *bits))
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        SortQuery { request, bits }: &'a mut SortQuery<'_, K>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Sorted<K>> {
        Box::pin(async move {
            call.control.set_phase(Phase::Sweep);
            let (keys, payload) = match device {
                Some(device) => {
                    let arrays = gpu::HostArrays {
                        keys: request.keys,
                        payload: request.payload,
                    };
                    gpu::sort(device, &arrays, *bits, &request.tuning).await?
                }
                None => {
                    let sort = || cpu::sort(request.keys, request.payload, *bits, call.control);
                    let sorted = call.engine.on_threads(sort)?;
                    call.phases.lap(Phase::Sweep);
                    sorted
                }
            };
            Ok(Some(Answered {
                answer: Sorted { keys, payload },
                path_mode: PathMode::None,
                computed_cells: request.keys.len() as u128,
            }))
        })
    }
}

pub(super) async fn solve<K: Key>(
    engine: &Engine,
    request: &SortRequest<'_, K>,
    control: &Control,
) -> Result<Report<Sorted<K>>> {
    let call = Call::start(engine, control);
    control.check()?;
    let mut query = SortQuery::new(engine, request)?;
    let (sorted, run) = placement::run(&call, &mut query).await?;
    Ok(Report::new(sorted, run))
}

pub(super) fn plan<K: Key>(engine: &Engine, request: &SortRequest<'_, K>) -> Result<PlanSummary> {
    placement::plan(engine, &SortQuery::new(engine, request)?)
}
