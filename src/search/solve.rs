//! The query of a search: what it costs on the CPU and on a GPU.

use std::ops::ControlFlow;

use super::batch::{Found, Unit};
use super::patterns::Probe;
use super::request::Request;
use super::restricted::Fronts;
use super::run::{Block, Run, SearchDone, UNITS_PER_THREAD};
use super::{gpu, nearest};
use crate::backend::Capabilities;
use crate::call::control::Control;
use crate::call::hand_over::HandOver;
use crate::engine::placement::{self, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::{CPU, Device, DeviceEstimate, Engine, PlanSummary, Report};
use crate::error::Result;
use crate::path_mode::PathMode;
use crate::sequences::bit_parallel::cpu::text::Class;
use crate::sequences::request::BIT_PARALLEL;

/// Share of the host memory that the symbols of a batch for a GPU take at most, of which there are
/// two, in both directions.
const HOST_SHARE: u64 = 8;
/// Host memory of a row of a pattern, on each thread.
const ROW_BYTES: u64 = 128;

impl Request<'_> {
    /// Symbols of a unit of a batch for a GPU.
    pub(super) fn gpu_unit_symbols(
        &self,
        engine: &Engine,
        caps: &Capabilities,
        budget_bytes: u64,
    ) -> usize {
        if let Some(symbols) = self.options.unit_symbols {
            return symbols;
        }
        let of_host = engine.host_budget() / HOST_SHARE;
        let of_batch = gpu::batch_positions(caps, budget_bytes).min(of_host);
        let units = engine.threads() * UNITS_PER_THREAD;
        (of_batch as usize / units).max(self.unit_symbols())
    }

    /// Host memory with units of this length.
    fn host_bytes(&self, engine: &Engine, unit_symbols: u64) -> u64 {
        let symbols = unit_symbols.min(self.text_symbols());
        // Buffers for both directions.
        let symbol_bytes = if self.probes.classes.are_bytes() {
            2
        } else {
            8
        };
        let of_units = symbols * symbol_bytes * UNITS_PER_THREAD as u64;
        let of_rows = self.probes.max_len as u64 * ROW_BYTES;
        self.probes.size_bytes + engine.threads() as u64 * (of_units + of_rows)
    }

    /// Expected seconds of some probes on the CPU.
    fn cpu_seconds(&self, engine: &Engine, has: impl Fn(&Probe<'_>) -> bool) -> f64 {
        let within = self.options.within;
        let rows = |probe: &Probe<'_>| nearest::rows(probe.swept.len(), within) as f64;
        let probes = self.probes.all.iter().filter(|probe| has(probe));
        let cells = probes.map(rows).sum::<f64>() * self.text_symbols() as f64;
        nearest::seconds(engine, cells)
    }

    fn path_mode(&self) -> PathMode {
        PathMode::Table.if_path(self.options.alignments)
    }

    pub(super) fn plan(self, engine: &Engine) -> Result<PlanSummary> {
        let query = Query {
            request: self,
            blocks: &HandOver::default(),
        };
        let plan = placement::plan(engine, &query)?;
        Ok(engine.plan_on_all(plan))
    }

    pub(super) async fn solve(
        self,
        engine: &Engine,
        control: &Control,
        consume: &mut dyn FnMut(&mut Block) -> Result<ControlFlow<()>>,
    ) -> Result<Report<SearchDone>> {
        let call = Call::start(engine, control);
        control.check()?;
        let blocks = HandOver::default();
        let mut query = Query {
            request: self,
            blocks: &blocks,
        };
        let solving = placement::run(&call, &mut query);
        let (done, mut run) = blocks.drive(solving, consume).await?;
        if run.device != CPU {
            run.device = engine.gpu_names();
        }
        Ok(Report::new(done, run))
    }
}

struct Query<'a, 'b> {
    request: Request<'a>,
    blocks: &'b HandOver<Block>,
}

impl Ways for Query<'_, '_> {
    type Answer = SearchDone;

    fn cells(&self) -> u128 {
        u128::from(self.request.probes.symbols) * u128::from(self.request.text_symbols())
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        if round == 0 { vec![&Sweep] } else { Vec::new() }
    }
}

/// 64 positions of a text per limb, one pattern after the other.
struct Sweep;

impl Way<Query<'_, '_>> for Sweep {
    fn method(&self) -> &'static str {
        BIT_PARALLEL
    }

    fn on_cpu(&self, engine: &Engine, query: &Query<'_, '_>) -> Result<Option<Cost>> {
        let request = &query.request;
        let host_bytes =
            request.host_bytes(engine, request.unit_symbols() as u64) + request.plans().host_bytes;
        engine.check_host_budget("the search", host_bytes.into())?;
        let swept = request.cpu_seconds(engine, |_| true);
        Ok(Some(Cost {
            host_bytes,
            path_mode: request.path_mode(),
            ..Cost::new(swept * request.plans().share)
        }))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &Query<'_, '_>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let request = &query.request;
        let probes = &request.probes;
        let is_short = |probe: &Probe<'_>| gpu::limbs(&probe.swept).is_some();
        if !probes.classes.are_bytes() || !probes.all.iter().any(is_short) {
            return Ok(None);
        }
        let caps = &device.capabilities;
        let unit_symbols = request.gpu_unit_symbols(engine, caps, device.budget_bytes) as u64;
        // The next batch is encoded while the device works.
        let host_bytes = request.host_bytes(engine, 2 * unit_symbols);
        engine.check_host_budget("the search", host_bytes.into())?;
        let of_batch = (engine.threads() * UNITS_PER_THREAD) as u64 * unit_symbols;
        let positions = of_batch.min(request.text_symbols());
        let on_cpu = request.cpu_seconds(engine, |probe| !is_short(probe));
        let on_gpu = gpu::seconds(probes, request.text_symbols(), caps);
        Ok(Some(Cost {
            host_bytes,
            device_bytes: gpu::device_bytes(probes, positions),
            path_mode: request.path_mode(),
            ..Cost::new(on_cpu + on_gpu)
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        Query { request, blocks }: &'a mut Query<'_, '_>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, SearchDone> {
        Box::pin(async move {
            let mut gpus = Vec::new();
            if let Some(device) = device {
                let caps = device.backend.capabilities();
                let passes = gpu::seconds(&request.probes, request.text_symbols(), caps);
                gpus = call.engine.open_gpus(passes).await?;
            }
            let devices = device.map_or_else(Vec::new, |device| call.devices(device, &gpus));
            let mut run = Run::new(request, call, blocks, devices);
            if request.probes.classes.are_bytes() {
                run.all::<u8>().await?;
            } else {
                run.all::<u32>().await?;
            }
            Ok(Some(Answered {
                answer: SearchDone { places: run.places },
                path_mode: request.path_mode(),
                computed_cells: run.cells.into(),
            }))
        })
    }
}

impl Request<'_> {
    /// Appends the ends of a probe in a unit, in the order of its sweep, that have the exact symbols
    /// and an allowed alignment, with its cost.
    pub(super) fn take<C: Class>(
        &self,
        unit: &Unit<C>,
        number: u32,
        ends: &[(usize, u64)],
        found: &mut Vec<Found>,
    ) {
        let probe = &self.probes.all[number as usize];
        let first = found.len();
        unit.place(number, probe, ends, found);
        if !probe.has_exact() && self.rules.is_none() {
            return;
        }
        let mut fronts = Fronts::default();
        let mut kept = first;
        let mut before = None;
        for index in first..found.len() {
            let mut one = found[index];
            let text = unit.pieces[one.piece as usize].text;
            // Several ends outside of a text are one.
            let is_known = before.replace((text, one.position)) == before;
            let text = self.texts.string(text);
            if is_known || !probe.is_exact_at(text, one.position) {
                continue;
            }
            if let Some(rules) = self.rules_at(probe, text.len(), one.position) {
                let end = one.position;
                let found = self.restricted(&mut fronts, rules, probe, text, end, None);
                let Ok(Some(piece)) = found else {
                    continue;
                };
                one.cost = piece.cost;
            }
            found[kept] = one;
            kept += 1;
        }
        found.truncate(kept);
    }
}
