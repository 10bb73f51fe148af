//! Runs a call: decides on the device, and computes the pairs part by part.

use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use super::alphabet::Alphabet;
use super::bands::{Bands, Sample};
use super::long::LongPairs;
use super::request::{Measure, Request};
use super::search;
use super::selection::{Part, Selection};
use super::task::PairValue;
use super::values::Values;
use super::{cpu, gpu, near};
use crate::backend::Capabilities;
use crate::call::control::Control;
use crate::call::hand_over::HandOver;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::{CPU, DeviceEstimate, Engine, PlanSummary, Run, profile};
use crate::error::{Error, Result};
use crate::pairwise::codes::Symbol;
use crate::path_mode::PathMode;

/// Maximum pairs of a part: rows come out while the work goes on.
const PART_PAIRS: u64 = 1 << 26;
/// Approximate cells of a part on the CPU: a fraction of a second.
const PART_CELLS: u128 = 1 << 34;
/// Share of the host memory that the values of a part take, with their copies on the way.
const PART_SHARE: u64 = 16;

/// Method in reports.
const METHOD: &str = "bit-parallel";

/// The pairs of a call.
pub(super) struct Work<'a, 'r, S: Symbol> {
    pub(super) request: &'a Request<'r, S>,
    /// Codes of the symbols of all queries, if they are few.
    pub(super) alphabet: Option<Alphabet<S>>,
    pub(super) selection: &'a Selection<'a>,
    pub(super) places: Range<u64>,
    /// Pairs among them that are computed one at a time.
    pub(super) long: LongPairs,
    /// True if the values of all pairs are kept.
    pub(super) keeps_all: bool,
    pub(super) sample: OnceLock<Sample>,
}

/// Values of consecutive pairs on their way to the caller.
#[derive(Debug)]
pub(super) struct Block {
    /// Positions of the pairs.
    pub(super) pairs: Range<u64>,
    /// All values; empty if the caller takes the pairs within the bound alone.
    pub(super) values: Values,
    /// The pairs within the bound, if the caller takes them alone.
    pub(super) kept: Vec<PairValue>,
    /// [Offsets](super::KeptBlock::offsets) of the kept pairs.
    pub(super) offsets: Option<Vec<u32>>,
}

impl Block {
    pub(super) fn of(pairs: Range<u64>) -> Self {
        Self {
            pairs,
            values: Values::none(0),
            kept: Vec::new(),
            offsets: None,
        }
    }
}

/// Values that a caller asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// All values at the end.
    All,
    /// All values, block by block.
    Blocks,
    /// The pairs within the bound, block by block.
    Kept,
}

/// Where the values go.
pub(super) struct Output<'a> {
    pub(super) takes: Takes,
    /// All values, if the caller takes them at the end.
    pub(super) all: Values,
    pub(super) blocks: &'a HandOver<Block>,
}

/// Maximum pairs within the bound that are passed on at once.
const MAX_KEPT: usize = 1 << 16;

impl Output<'_> {
    /// Passes on the values of consecutive pairs, which are appended to those of a call that keeps
    /// all, and perhaps their [offsets](super::KeptBlock::offsets).
    pub(super) async fn pass<S: Symbol>(
        &mut self,
        work: &Work<'_, '_, S>,
        first: u64,
        values: Values,
        offsets: Option<&[u32]>,
    ) -> ControlFlow<()> {
        let end = first + values.len() as u64;
        let mut block = Block::of(first..end);
        match self.takes {
            Takes::All => {
                self.all.append(&values);
                return ControlFlow::Continue(());
            }
            Takes::Blocks => {
                block.values = values;
                return self.blocks.pass(block).await.1;
            }
            Takes::Kept => {}
        }
        let max_value = work.request.within.unwrap_or(u64::MAX);
        let mut start = first;
        block.offsets = offsets.map(|_| Vec::new());
        for (index, value) in values.up_to(max_value) {
            if let (Some(kept), Some(offsets)) = (&mut block.offsets, offsets) {
                kept.push(offsets[index]);
            }
            let pair = first + index as u64;
            let (query, target) = work.selection.pair(pair, work.targets());
            block.kept.push(PairValue {
                query,
                target,
                value,
            });
            if block.kept.len() == MAX_KEPT {
                block.pairs = start..pair + 1;
                let flow;
                (block, flow) = self.blocks.pass(block).await;
                flow?;
                block.kept.clear();
                block.offsets.iter_mut().for_each(Vec::clear);
                start = pair + 1;
            }
        }
        if start < end {
            block.pairs = start..end;
            self.blocks.pass(block).await.1?;
        }
        ControlFlow::Continue(())
    }
}

struct Decision {
    cells: u128,
    cpu_seconds: f64,
    /// Expected time on the CPU by wavefronts, as a share of that of whole tables; `None` for whole
    /// tables.
    near: Option<f64>,
    /// `None` for the CPU.
    on_gpu: Option<OnGpu>,
}

/// A GPU with the expected time of its passes.
struct OnGpu {
    device: DeviceEstimate,
    seconds: f64,
    /// `None` for whole tables.
    bands: Option<Bands>,
}

impl Decision {
    fn bands(&self) -> Option<&Bands> {
        self.on_gpu.as_ref()?.bands.as_ref()
    }

    /// Expected cells.
    fn expected_cells(&self) -> u128 {
        let share = match &self.on_gpu {
            Some(gpu) => gpu.bands.as_ref().map(|bands| bands.share),
            None => self.near,
        };
        (self.cells as f64 * share.unwrap_or(1.0)) as u128
    }
}

impl<S: Symbol> Work<'_, '_, S> {
    pub(super) fn targets(&self) -> usize {
        self.request.targets.len()
    }

    /// Pairs of one part.
    fn part_pairs(&self, engine: &Engine) -> u64 {
        (engine.host_budget() / PART_SHARE / 4).clamp(1, PART_PAIRS)
    }

    fn host_bytes(&self, engine: &Engine) -> u128 {
        let pairs = self.places.end - self.places.start;
        let part = pairs.min(self.part_pairs(engine));
        let all = if self.keeps_all { pairs } else { 0 };
        let width = self.request.width().bytes();
        u128::from(all) * u128::from(width) + u128::from(part) * 3 * 4
    }

    /// Cells of these pairs; an empty query counts as one symbol.
    fn cells_of(&self, places: Range<u64>) -> u128 {
        let Request {
            queries, targets, ..
        } = self.request;
        self.selection.cells(places, queries, targets)
    }

    /// How the CPU searches these queries and targets, if that is faster than comparing them.
    fn search(
        &self,
        (rows, columns): (Range<usize>, Range<usize>),
    ) -> Option<(&Alphabet<S>, search::Plan)> {
        let alphabet = self.alphabet.as_ref()?;
        if !matches!(self.selection, Selection::Cross) || !self.long.is_empty() {
            return None;
        }
        let plan = search::Plan::new(self.request, alphabet, (rows, columns))?;
        Some((alphabet, plan))
    }

    /// Plan of the search for all pairs.
    fn search_all(&self) -> Option<search::Plan> {
        let all = (0..self.request.queries.len(), 0..self.targets());
        self.search(all).map(|(_, plan)| plan)
    }

    fn check(&self, engine: &Engine) -> Result<()> {
        self.request.check()?;
        let longest = self.request.greatest();
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

    fn decide(&self, engine: &Engine) -> Result<Decision> {
        self.check(engine)?;
        let cells = self.cells_of(self.places.clone());
        let rate = match self.request.measure {
            Measure::Edit => profile::cpu::PAIRS_EDIT_CELLS_PER_SECOND,
            Measure::Indel | Measure::Lcs => profile::cpu::PAIRS_LCS_CELLS_PER_SECOND,
        };
        let sample = || {
            let make = || engine.on_threads(|| Sample::of(self));
            self.sample.get_or_init(make)
        };
        let near = near::share(self, cells, sample);
        let share = self
            .search_all()
            .map_or(near.unwrap_or(1.0), |plan| plan.share);
        let pairs = (self.places.end - self.places.start) as f64;
        let of_one_thread = pairs * profile::cpu::PAIRS_LANE_SECONDS + cells as f64 * share / rate;
        let cpu_seconds = of_one_thread / profile::speedup(engine.threads());
        let bands = |caps: &Capabilities, budget| gpu::bands(self, cells, (caps, budget), sample);
        let seconds = |caps: &Capabilities| {
            let bands = bands(caps, u64::MAX);
            gpu::seconds(self, (cells, bands.as_ref()), caps)
        };
        let on_gpu = if gpu::takes(self) {
            engine.faster_device(cpu_seconds, seconds)?
        } else {
            None
        };
        let on_gpu = on_gpu.map(|device| {
            let caps = &device.capabilities;
            let bands = bands(caps, device.budget_bytes);
            let seconds = gpu::seconds(self, (cells, bands.as_ref()), caps);
            OnGpu {
                device,
                seconds,
                bands,
            }
        });
        Ok(Decision {
            cells,
            cpu_seconds,
            near,
            on_gpu,
        })
    }
}

/// Computes all pairs, in order. Returns the number of pairs that were passed on.
pub(super) async fn solve<S: Symbol>(
    engine: &Engine,
    work: &mut Work<'_, '_, S>,
    control: &Control,
    output: &mut Output<'_>,
) -> Result<(u64, Run)> {
    let started = Instant::now();
    let phases = Phases::start();
    control.check()?;
    let (decision, gpu) = engine
        .plan_and_open(
            &phases,
            || work.decide(engine),
            |decision| decision.on_gpu.is_some(),
        )
        .await?;
    phases.lap(Phase::Decide);
    control.set_phase(Phase::Sweep);
    control.add_total(u64::try_from(decision.expected_cells()).unwrap_or(u64::MAX));
    let (request, selection) = (work.request, work.selection);
    work.long.solve(engine, request, selection, control).await?;
    let work = &*work;
    let (mut done, mut computed_cells) = (0, decision.cells);
    let device = match (gpu.as_deref(), &work.alphabet) {
        (Some(gpu), Some(alphabet)) => {
            let device = engine.device(gpu, control, &phases);
            let (bands, part_pairs) = (decision.bands(), work.part_pairs(engine));
            let solved = gpu::solve(&device, (work, bands), alphabet, part_pairs, output).await?;
            done = solved.pairs;
            if bands.is_some() {
                computed_cells = solved.banded_cells;
            }
            gpu.name().to_string()
        }
        _ => {
            let mut place = work.places.start;
            let pairs = work.places.end - work.places.start;
            let cells_of_pair = decision.expected_cells() / u128::from(pairs.max(1));
            computed_cells = 0;
            let fitting = (PART_CELLS / cells_of_pair.max(1)).clamp(1, PART_PAIRS.into()) as u64;
            let max_pairs = match work.search_all() {
                // Each part reads all targets once.
                Some(_) => work.part_pairs(engine),
                None => work.part_pairs(engine).min(fitting),
            };
            while place < work.places.end {
                control.check()?;
                let part = work
                    .selection
                    .part(place, work.places.end, max_pairs, work.targets());
                let near = decision.near;
                let (values, offsets, cells) =
                    engine.on_threads(|| of_part(work, (place, part), near, control))?;
                phases.lap(Phase::Sweep);
                let pairs = values.len() as u64;
                computed_cells += cells;
                let flow = output.pass(work, place, values, offsets.as_deref()).await;
                place += pairs;
                done += pairs;
                if flow.is_break() {
                    break;
                }
            }
            CPU.to_string()
        }
    };
    let run = Run {
        method: METHOD,
        path_mode: PathMode::None,
        device,
        cells: decision.cells,
        computed_cells,
        common_prefix: 0,
        common_suffix: 0,
        elapsed: started.elapsed(),
        phases: phases.totals(),
    };
    Ok((done, run))
}

/// Values of a part on the CPU, their offsets if it was searched, and the computed cells. `first` is the place of its first pair,
/// `near` the share of the cells that is expected in bands. Reports the expected cells as done.
fn of_part<S: Symbol>(
    work: &Work<'_, '_, S>,
    (first, part): (u64, Part),
    near: Option<f64>,
    control: &Control,
) -> Result<(Values, Option<Vec<u32>>, u128)> {
    let shared = work.alphabet.as_ref();
    let request = work.request;
    let end = first + work.selection.pairs_of(&part) as u64;
    let cells = work.cells_of(first..end);
    if let (Part::Rectangle(rows, columns), true, None) = (&part, work.long.is_empty(), near) {
        let rectangle = (rows.clone(), columns.clone());
        if let Some((alphabet, plan)) = work.search(rectangle.clone()) {
            let part = (&plan, rectangle);
            let (values, offsets) = cpu::searched(request, alphabet, part, control)?;
            return Ok((values, Some(offsets), cells));
        }
        let is_triangle = matches!(work.selection, Selection::Symmetric);
        let values = cpu::rectangle(request, shared, rectangle, is_triangle, control)?;
        control.add_done(u64::try_from(cells).unwrap_or(u64::MAX));
        return Ok((values, None, cells));
    }
    let pairs: Vec<_> = (first..end)
        .filter(|&place| !work.long.contains(place))
        .map(|place| (place, work.selection.pair(place, work.targets())))
        .collect();
    let short: Vec<_> = pairs.iter().map(|&(_, pair)| pair).collect();
    let (found, cells) = match near {
        Some(_) => near::values(work, &short, control)?,
        None => (cpu::entries(request, shared, &short, control)?, cells),
    };
    let mut values = vec![0; (end - first) as usize];
    for (&(place, _), value) in pairs.iter().zip(found) {
        values[(place - first) as usize] = value;
    }
    work.long.write(first, &mut values);
    control.add_done((work.cells_of(first..end) as f64 * near.unwrap_or(1.0)) as u64);
    Ok((request.width().narrow(values), None, cells))
}

/// Plan of a call.
pub(super) fn plan<S: Symbol>(engine: &Engine, work: &Work<'_, '_, S>) -> Result<PlanSummary> {
    let decision = work.decide(engine)?;
    let pairs = work.places.end - work.places.start;
    let parts = pairs.div_ceil(work.part_pairs(engine)).max(1);
    let host_bytes = u64::try_from(work.host_bytes(engine)).unwrap_or(u64::MAX);
    let (device, expected, device_bytes) = match decision.on_gpu {
        Some(OnGpu {
            device: gpu,
            seconds,
            bands,
        }) => (
            gpu.name.clone(),
            gpu.expected(seconds),
            gpu::size_bytes(work, bands.as_ref(), (&gpu.capabilities, gpu.budget_bytes)),
        ),
        None => (
            CPU.to_string(),
            Duration::from_secs_f64(decision.cpu_seconds),
            0,
        ),
    };
    Ok(PlanSummary {
        method: METHOD,
        device,
        path_mode: PathMode::None,
        cells: decision.cells,
        tile: (1, 1),
        strips: 1,
        passes: parts,
        device_bytes,
        host_bytes,
        expected,
    })
}
