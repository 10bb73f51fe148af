//! Runs a call: its ways to compute the values, part by part.

use std::ops::Range;

use super::bands::Bands;
use super::measure::Measure;
use super::output::{Output, Takes};
use super::search;
use super::selection::{Part, Selection};
use super::work::Work;
use super::{cpu, gpu, near};
use crate::backend::Capabilities;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::engine::placement::{self, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::{Device, DeviceEstimate, Engine, PlanSummary, Run, profile};
use crate::error::{Error, Result};
use crate::search::words;
use crate::symbols::alphabet::Alphabet;

/// Maximum pairs of a part: rows come out while the work goes on.
const PART_PAIRS: u64 = 1 << 26;
/// Approximate cells of a part on the CPU: a fraction of a second.
const PART_CELLS: u128 = 1 << 34;
/// Share of the host memory that the values of a part take, with their copies on the way.
const PART_SHARE: u64 = 16;

const METHOD: &str = "bit-parallel";

impl Work<'_> {
    fn part_pairs(&self, engine: &Engine) -> u64 {
        (engine.host_budget() / PART_SHARE / 4).clamp(1, PART_PAIRS)
    }

    /// How the CPU searches these queries and targets, if that is faster than comparing them.
    fn search(
        &self,
        engine: &Engine,
        rows: Range<usize>,
        columns: Range<usize>,
    ) -> Option<(&Alphabet, words::Plan)> {
        let alphabet = self.alphabet.as_ref()?;
        if !matches!(self.selection, Selection::Cross) || !self.long.is_empty() {
            return None;
        }
        let max_bytes = engine.host_budget() / PART_SHARE;
        let plan = search::plan(&self.request, alphabet, rows, columns, max_bytes)?;
        Some((alphabet, plan))
    }

    /// Computes the long pairs, and announces `share` of all cells.
    async fn begin(&mut self, call: &Call<'_>, share: f64) -> Result<()> {
        let Call {
            engine, control, ..
        } = call;
        control.set_phase(Phase::Sweep);
        control.add_total((self.cells as f64 * share) as u64);
        let (request, selection) = (&self.request, self.selection);
        self.long.solve(engine, request, selection, control).await
    }
}

/// A call: its pairs, and where their values go.
pub(super) struct Query<'a, 'o> {
    pub(super) work: Work<'a>,
    pub(super) output: Output<'o>,
    /// True if several GPUs have divided it.
    pub(super) is_divided: bool,
}

impl Query<'_, '_> {
    fn host_bytes(&self, engine: &Engine) -> u128 {
        let pairs = self.work.pairs();
        let part = pairs.min(self.work.part_pairs(engine));
        let all = if self.output.takes == Takes::All {
            pairs
        } else {
            0
        };
        let width = self.work.request.width().bytes();
        u128::from(all) * u128::from(width) + u128::from(part) * 3 * 4
    }

    fn check(&self, engine: &Engine) -> Result<()> {
        let request = self.work.request;
        request.check()?;
        let longest = request.greatest();
        if longest > u64::from(u32::MAX) {
            return Err(Error::InputTooLong {
                what: "a string",
                actual: longest,
                limit: u32::MAX.into(),
                remedy: "compare it with 'edit' or 'lcs'",
            });
        }
        engine.check_host_budget("the values of the pairs", self.host_bytes(engine))
    }

    fn cost(&self, engine: &Engine, seconds: f64) -> Cost {
        let parts = self.work.pairs().div_ceil(self.work.part_pairs(engine));
        Cost {
            passes: parts.max(1),
            host_bytes: u64::try_from(self.host_bytes(engine)).unwrap_or(u64::MAX),
            ..Cost::new(seconds)
        }
    }
}

impl Ways for Query<'_, '_> {
    type Answer = ();

    fn cells(&self) -> u128 {
        self.work.cells
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        if round > 0 {
            return Vec::new();
        }
        vec![
            &Values::Searched,
            &Values::Wavefronts,
            &Values::Banded,
            &Values::Tables,
        ]
    }
}

#[derive(PartialEq, Eq)]
enum Values {
    /// Search of pieces of short queries, on the CPU.
    Searched,
    /// Wavefronts of a pair per thread, on the CPU.
    Wavefronts,
    /// Bands of a pair per lane, on GPUs.
    Banded,
    /// Whole tables of a pair per lane.
    Tables,
}

impl Values {
    /// Expected time on the CPU as a share of that of whole tables, and host memory beside that of the
    /// values; `None` if the way is slower or does not apply.
    fn share(&self, engine: &Engine, work: &Work<'_>) -> Option<(f64, u64)> {
        match self {
            Self::Searched => {
                let rows = 0..work.request.queries.len();
                let found = work.search(engine, rows, 0..work.targets());
                found.map(|(_, plan)| (plan.share, plan.host_bytes(1)))
            }
            Self::Wavefronts => near::share(engine, work).map(|share| (share, 0)),
            Self::Banded => None,
            Self::Tables => Some((1.0, 0)),
        }
    }

    /// Maximum pairs of a part, of which `share` of the cells are expected.
    fn part_pairs(&self, engine: &Engine, work: &Work<'_>, share: f64) -> u64 {
        let max = work.part_pairs(engine);
        if *self == Self::Searched {
            // Each part reads all targets once.
            return max;
        }
        let cells = (work.cells as f64 * share) as u128 / u128::from(work.pairs().max(1));
        let fitting = PART_CELLS / cells.max(1);
        max.min(fitting.clamp(1, PART_PAIRS.into()) as u64)
    }

    /// Values of a part whose first pair is at position `first`. Reports `share` of its cells as
    /// done. Returns the offsets of searched ones, and the cells.
    fn part(
        &self,
        Call {
            engine, control, ..
        }: &Call<'_>,
        work: &Work<'_>,
        first: u64,
        part: Part,
        share: f64,
    ) -> Result<(super::Values, Option<Vec<u32>>, u128)> {
        let request = &work.request;
        let end = first + work.selection.pairs_of(&part) as u64;
        let cells = work
            .selection
            .cells(first..end, request.queries, request.targets);
        let add_done = || control.add_done((cells as f64 * share) as u64);
        if let Part::Rectangle(rows, columns) = part
            && *self != Self::Wavefronts
            && work.long.is_empty()
        {
            if *self == Self::Searched
                && let Some((alphabet, plan)) = work.search(engine, rows.clone(), columns.clone())
            {
                let (values, offsets) =
                    cpu::searched(request, alphabet, &plan, rows, columns, control)?;
                return Ok((values, Some(offsets), cells));
            }
            let values = cpu::rectangle(work, rows, columns, control)?;
            add_done();
            return Ok((values, None, cells));
        }
        let positions: Vec<_> = (first..end)
            .filter(|&position| !work.long.contains(position))
            .collect();
        let pair = |&position: &u64| work.selection.pair(position, work.targets());
        let pairs: Vec<_> = positions.iter().map(pair).collect();
        let (found, computed_cells) = match self {
            Self::Wavefronts => near::values(work, &pairs, control)?,
            _ => (cpu::entries(work, &pairs, control)?, cells),
        };
        let mut values = vec![0; (end - first) as usize];
        for (position, value) in positions.into_iter().zip(found) {
            values[(position - first) as usize] = value;
        }
        work.long.write(first, &mut values);
        add_done();
        Ok((request.width().narrow(values), None, computed_cells))
    }
    /// Computes the values on the CPU. Returns the cells.
    async fn by_cpu(
        &self,
        call: &Call<'_>,
        Query { work, output, .. }: &mut Query<'_, '_>,
    ) -> Result<u128> {
        let Call {
            engine, control, ..
        } = call;
        let share = match self {
            Self::Wavefronts => near::share(engine, work).unwrap_or(1.0),
            _ => 1.0,
        };
        work.begin(call, share).await?;
        let (work, end) = (&*work, work.positions.end);
        let max_pairs = self.part_pairs(engine, work, share);
        let mut cells = 0;
        while output.next < end {
            control.check()?;
            let first = output.next;
            let part = work.selection.part(first, end, max_pairs, work.targets());
            let (values, offsets, more) =
                engine.on_threads(|| self.part(call, work, first, part, share))?;
            call.phases.lap(Phase::Sweep);
            cells += more;
            let passed = output.pass(work, values, offsets.as_deref());
            if passed.await.1.is_break() {
                break;
            }
        }
        Ok(cells)
    }

    /// The bands, or none for whole tables; `None` if GPUs do not take the pairs so.
    fn bands(
        &self,
        engine: &Engine,
        work: &Work<'_>,
        caps: &Capabilities,
        budget_bytes: u64,
    ) -> Option<Option<Bands>> {
        match self {
            Self::Banded => gpu::bands(engine, work, caps, budget_bytes).map(Some),
            Self::Tables => gpu::takes(work, caps).then_some(None),
            _ => None,
        }
    }

    /// Computes the values on a GPU. Returns the cells; `None` if the GPU does not take the pairs.
    async fn by_gpu(
        &self,
        call: &Call<'_>,
        device: &Device<'_>,
        query: &mut Query<'_, '_>,
    ) -> Result<Option<u128>> {
        let Query {
            work,
            output,
            is_divided,
        } = query;
        let (engine, caps) = (call.engine, device.backend.capabilities());
        let Some(bands) = self.bands(engine, work, caps, device.budget_bytes) else {
            return Ok(None);
        };
        work.begin(call, bands.as_ref().map_or(1.0, |bands| bands.share))
            .await?;
        let Some(alphabet) = &work.alphabet else {
            return Ok(None);
        };
        let (bands, max_pairs) = (bands.as_ref(), work.part_pairs(engine));
        let gpus = engine.open_gpus(gpu::seconds(work, bands, caps)).await?;
        *is_divided = gpus.len() > 1;
        let devices = call.devices(device, &gpus);
        let cells = gpu::solve(devices, work, alphabet, bands, max_pairs, output).await?;
        Ok(Some(cells))
    }
}

impl Way<Query<'_, '_>> for Values {
    fn method(&self) -> &'static str {
        METHOD
    }

    fn on_cpu(&self, engine: &Engine, query: &Query<'_, '_>) -> Result<Option<Cost>> {
        let work = &query.work;
        let rate = match work.request.measure {
            Measure::Edit | Measure::Osa => profile::cpu::PAIRS_EDIT_CELLS_PER_SECOND,
            Measure::Indel | Measure::Lcs => {
                profile::cpu::PAIRS_EDIT_CELLS_PER_SECOND * profile::cpu::PAIRS_LCS_SPEEDUP
            }
            _ => profile::cpu::PAIRS_EACH_CELLS_PER_SECOND,
        };
        let lanes = work.pairs() as f64 * profile::cpu::PAIRS_LANE_SECONDS;
        Ok(self.share(engine, work).map(|(share, host_bytes)| {
            let one_thread = lanes + work.lane_cells() as f64 * share / rate;
            let cost = query.cost(engine, one_thread / profile::speedup(engine.threads()));
            Cost {
                host_bytes: cost.host_bytes.saturating_add(host_bytes),
                ..cost
            }
        }))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &Query<'_, '_>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let (work, caps, budget_bytes) = (&query.work, &device.capabilities, device.budget_bytes);
        let bands = self.bands(engine, work, caps, budget_bytes);
        Ok(bands.map(|bands| Cost {
            device_bytes: gpu::size_bytes(work, bands.as_ref(), caps, budget_bytes),
            ..query.cost(engine, gpu::seconds(work, bands.as_ref(), caps))
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut Query<'_, '_>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, ()> {
        Box::pin(async move {
            let cells = match device {
                Some(device) => self.by_gpu(call, device, query).await?,
                None => Some(self.by_cpu(call, query).await?),
            };
            Ok(cells.map(|cells| Answered::without_path((), cells)))
        })
    }
}

pub(super) async fn solve(
    engine: &Engine,
    query: &mut Query<'_, '_>,
    control: &Control,
) -> Result<Run> {
    let call = Call::start(engine, control);
    control.check()?;
    query.check(engine)?;
    let ((), mut run) = placement::run(&call, query).await?;
    if query.is_divided {
        run.device = engine.gpu_names();
    }
    Ok(run)
}

pub(super) fn plan(engine: &Engine, query: &Query<'_, '_>) -> Result<PlanSummary> {
    query.check(engine)?;
    let plan = engine.plan_on_all(placement::plan(engine, query)?);
    let work = &query.work;
    let Some(long) = work.long.plan(engine, &work.request, work.selection)? else {
        return Ok(plan);
    };
    let (first, other) = if work.long.len() as u64 == work.pairs() {
        (long, plan)
    } else {
        (plan, long)
    };
    Ok(PlanSummary {
        cells: work.cells,
        device_bytes: first.device_bytes.max(other.device_bytes),
        host_bytes: first.host_bytes.max(other.host_bytes),
        expected: first.expected + other.expected,
        ..first
    })
}
