//! The ways of a call: its keys on the CPU or on a GPU.

use std::sync::OnceLock;

use super::blocks::Consumer;
use super::estimate::Estimate;
use super::expansion::Expand;
use super::gpu;
use super::index;
use super::plan::{Costs, Plan};
use super::request::Request;
use super::solve::{Joined, OnDevices};
use crate::call::control::Control;
use crate::call::hand_over::HandOver;
use crate::engine::placement::{self, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::{Device, DeviceEstimate, Engine, PlanSummary, Report, profile};
use crate::error::Result;
use crate::symbols::alphabet::Alphabet;

/// Time to hash a string and to find its copies.
const UNIQUE_SECONDS: f64 = 1.5e-7;

/// A join, and what its costs depend on.
struct Query<'q, 'a, C> {
    joined: Joined<'q, 'a, C>,
    /// Keys on the CPU and on GPUs, as if all strings were distinct.
    plans: [OnceLock<Plan>; 2],
    /// Alphabet of all strings, if they have few symbols.
    alphabet: OnceLock<Option<Alphabet>>,
    /// Expected seconds besides the keys, on the CPU and on GPUs.
    other_seconds: [f64; 2],
    gpus: usize,
}

impl<'q, 'a, C: Consumer> Query<'q, 'a, C> {
    fn new(request: &'q Request<'a>, consumer: C) -> Self {
        Self {
            joined: Joined::new(request, consumer),
            plans: Default::default(),
            alphabet: OnceLock::new(),
            other_seconds: [0.0; 2],
            gpus: 1,
        }
    }

    fn plan(&self, is_on_gpu: bool) -> &Plan {
        let make = || self.joined.request.plan_of_all(is_on_gpu);
        self.plans[usize::from(is_on_gpu)].get_or_init(make)
    }

    /// Expected time of the keys on the CPU. Candidates are not known: they count nowhere.
    fn cpu_seconds(&self, engine: &Engine) -> f64 {
        self.plan(false).seconds() / profile::speedup(engine.threads())
    }

    fn cost(&self, seconds: f64, is_on_gpu: bool) -> Cost {
        Cost {
            passes: self.plan(is_on_gpu).levels as u64,
            host_bytes: self.joined.request.fixed_bytes(),
            ..Cost::new(seconds)
        }
    }

    /// Bytes of the first index, or of a part of it that fits `room`.
    fn index_bytes(&self, is_on_gpu: bool, entry_bytes: u64, room: u64) -> u64 {
        let plan = self.plan(is_on_gpu);
        let entries = plan.entries(0, |index| plan.lengths[index].count);
        room.min((entries * entry_bytes as f64) as u64)
    }
}

impl<C: Consumer> Ways for Query<'_, '_, C> {
    type Answer = C::Answer;

    fn cells(&self) -> u128 {
        self.joined.request.cells()
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        if round == 0 { vec![&Keys] } else { Vec::new() }
    }

    fn host_seconds(&self, _: &Engine, _: &str, is_on_gpu: bool) -> f64 {
        self.other_seconds[usize::from(is_on_gpu)]
    }
}

struct Keys;

impl<C: Consumer> Way<Query<'_, '_, C>> for Keys {
    fn method(&self) -> &'static str {
        "pieces"
    }

    fn reported_method(&self, query: &Query<'_, '_, C>, is_on_gpu: bool) -> &'static str {
        let planned = || query.plan(is_on_gpu).method();
        query.joined.method.unwrap_or_else(planned)
    }

    fn on_cpu(&self, engine: &Engine, query: &Query<'_, '_, C>) -> Result<Option<Cost>> {
        let mut cost = query.cost(query.cpu_seconds(engine), false);
        let room = query.joined.request.room(engine).index_bytes;
        cost.host_bytes += query.index_bytes(false, index::BUILD_BYTES, room);
        Ok(Some(cost))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &Query<'_, '_, C>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let request = query.joined.request;
        let lengths = request.lengths().iter().map(|of_list| &**of_list);
        let mut lengths: Vec<_> = lengths.collect();
        let kept = request.kept();
        if !gpu::takes(&lengths, request.k()) {
            return Ok(None);
        }
        let (plan, caps) = (query.plan(true), &device.capabilities);
        // The alphabet takes time: not for less work than the CPU's.
        let min_bytes = gpu::strings_bytes(&lengths, 1);
        let min_seconds = device.call_seconds(gpu::seconds(plan, min_bytes, caps));
        if engine.chooses_device() && min_seconds >= query.cpu_seconds(engine) {
            return Ok(None);
        }
        let make = || {
            engine.on_threads(|| match &kept {
                Some(kept) => kept.alphabet(request),
                None => gpu::alphabet(&request.lists(), request.both_strands),
            })
        };
        let Some(alphabet) = query.alphabet.get_or_init(make) else {
            return Ok(None);
        };
        lengths.extend(request.both_strands.then_some(&*request.lengths()[0]));
        let planes = kept
            .as_ref()
            .map_or_else(|| gpu::planes(alphabet), |kept| kept.planes(alphabet));
        let bytes = gpu::strings_bytes(&lengths, planes);
        let is_there = kept
            .as_ref()
            .is_some_and(|kept| kept.is_indexed(request, true));
        let uploaded = if is_there {
            &lengths[..1]
        } else {
            &lengths[..]
        };
        let uploaded = gpu::strings_bytes(uploaded, planes);
        let fits_host = request.fixed_bytes() + 2 * bytes <= engine.host_budget();
        // Buffers with kept columns have room for up to twice the rows.
        let more = kept
            .as_ref()
            .map_or(0, |_| gpu::strings_bytes(&lengths[..1], planes));
        let more = more * request.strands().len() as u64;
        if !fits_host || !gpu::fits(bytes + more, (caps, device.budget_bytes)) {
            return Ok(None);
        }
        let room = device.budget_bytes.saturating_sub(bytes) / 2;
        Ok(Some(Cost {
            device_bytes: bytes + query.index_bytes(true, gpu::ENTRY_BYTES, room),
            ..query.cost(gpu::seconds(plan, uploaded, caps), true)
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut Query<'_, '_, C>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, C::Answer> {
        Box::pin(async move {
            let mut gpus = Vec::new();
            if let Some(device) = device {
                let caps = device.backend.capabilities();
                let passes = gpu::seconds(query.plan(true), 0, caps);
                gpus = call.engine.open_gpus(passes).await?;
                query.gpus = gpus.len();
            }
            let Query {
                joined, alphabet, ..
            } = query;
            let alphabet = alphabet.get().and_then(Option::as_ref);
            let on_devices = device.zip(alphabet).map(|(device, alphabet)| OnDevices {
                devices: call.devices(device, &gpus),
                alphabet,
            });
            let answer = joined.run(call, None, on_devices).await?;
            Ok(Some(Answered::without_path(answer, joined.counts.cells)))
        })
    }
}

impl Request<'_> {
    pub(super) async fn join<C: Consumer>(
        &self,
        engine: &Engine,
        control: &Control,
        consumer: C,
    ) -> Result<Report<C::Answer>> {
        let call = Call::start(engine, control);
        control.check()?;
        self.check(engine)?;
        let mut query = Query::new(self, consumer);
        let (answer, mut run) = placement::run(&call, &mut query).await?;
        if query.gpus > 1 {
            run.device = engine.gpu_names();
        }
        Ok(Report::new(answer, run))
    }

    /// Plan of a call with about these numbers of pairs.
    pub(super) fn summary(&self, engine: &Engine, estimate: Estimate) -> Result<PlanSummary> {
        self.check(engine)?;
        let blocks = HandOver::default();
        let mut query = Query::new(self, Expand::new(&blocks, &|_| Ok(())));
        let strings = self.rows.len() + self.columns.map_or(0, |columns| columns.len());
        let (pairs, candidates) = (estimate.pairs as f64, estimate.candidates as f64);
        let seconds = |candidates: f64| {
            let seconds = strings as f64 * UNIQUE_SECONDS + candidates * Costs::CPU.candidate;
            seconds / profile::speedup(engine.threads())
        };
        query.other_seconds = [
            seconds(candidates + pairs),
            seconds(pairs) + candidates * gpu::COSTS.candidate,
        ];
        Ok(engine.plan_on_all(placement::plan(engine, &query)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Capabilities;
    use crate::engine::task::Erased;
    use crate::neighbors::Neighbors;
    use crate::pairs::Strings;

    use crate::{DeviceChoice, Options};

    #[test]
    fn devices_that_take_prepared_columns_have_room_for_their_buffers() {
        let engine = Engine::new(Options::new().device(DeviceChoice::Cpu));
        let engine = engine.expect("the CPU is always here");
        let blocks = HandOver::default();
        for (rows, columns) in [(300, 200), (33, 400), (1, 50)] {
            let [rows, columns] = [rows, columns].map(|count| {
                Strings::from_slices((0..count).map(|number| format!("{number:017b}").into_bytes()))
            });
            let columns = columns.prepared();
            let neighbors = Neighbors::between(&rows, &columns).within(2);
            let query = neighbors.query().expect("they are bytes");
            let request = query.request().expect("they are bytes");
            let kept = request.kept().expect("the columns are prepared");
            let alphabet = kept.alphabet(&request).expect("they have two letters");
            let made = request.sides(&engine, &Control::default());
            let made = made.expect("it is not cancelled");
            let planes = Some(kept.planes(&alphabet));
            let lists = [made.columns(), &made.rows];
            let stored = gpu::StoredStrings::new(&lists, &alphabet, Vec::new(), planes);
            let takes = |binding_bytes| {
                let device = DeviceEstimate {
                    name: String::new(),
                    capabilities: Capabilities {
                        binding_bytes,
                        ..Capabilities::default()
                    },
                    budget_bytes: 1 << 40,
                    overhead: 0.0,
                    pace: 1.0,
                };
                let query = Query::new(&request, Expand::new(&blocks, &|_| Ok(())));
                Keys.on_gpu(&engine, &query, &device)
                    .expect("a request that fits")
            };
            let needed = stored.size_bytes();
            let least = (0..).find(|kib| takes(kib << 10).is_some());
            let least = least.expect("a device of some size takes them") << 10;
            assert!(
                (needed..4 * needed).contains(&least),
                "{least} for {needed}"
            );
        }
    }
}
