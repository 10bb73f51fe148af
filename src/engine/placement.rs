//! Placement: the one choice of method and device, for all problems.
//!
//! A query lists its ways to answer. Placement asks each way for its cost on the CPU and on the
//! GPU, leaves out the ways that cannot run, orders the others by expected time, opens the device,
//! and runs them in turn until one answers. A dry run takes the same list and prints the first one.
//! Nothing is computed here: a cost is a formula.

use std::pin::Pin;
use std::time::Duration;

use super::estimate::DeviceEstimate;
use super::report::{PlanSummary, Run};
use super::{CPU, Engine};
use crate::backend::Device;
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::error::{Error, Result};
use crate::host::Instant;
use crate::path_mode::PathMode;

/// Name of the requested method if placement chooses it.
pub(crate) const AUTO: &str = "auto";

/// A query with several ways to answer it.
pub(crate) trait Ways: Sized {
    type Answer;

    /// Name of the requested method, or [`AUTO`].
    fn requested(&self) -> &'static str {
        AUTO
    }

    /// Size of the problem, as in [`Run::cells`].
    fn cells(&self) -> u128;

    /// All ways of a round. The ways of round 1 are placed after all of round 0 gave up, and so on;
    /// a round without ways is the last. Ways of equal time run in the order of the list.
    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w;

    /// False if no requested way runs on a GPU; then no device is listed.
    fn may_use_gpu(&self, _engine: &Engine) -> bool {
        true
    }

    /// Expected seconds on the host besides the way that answers, by its method.
    fn host_seconds(&self, _engine: &Engine, _method: &str, _is_on_gpu: bool) -> f64 {
        0.0
    }
}

/// A way to answer queries of a type: a method, on the CPU, on GPUs, or on both.
pub(crate) trait Way<Q: Ways> {
    /// Name of the method; never [`AUTO`].
    fn method(&self) -> &'static str;

    /// Name in plans and, after the way has run, in reports, if it depends on the query.
    fn reported_method(&self, _query: &Q, _is_on_gpu: bool) -> &'static str {
        self.method()
    }

    /// True if placement may choose the way for [`AUTO`].
    fn is_automatic(&self) -> bool {
        true
    }

    /// Cost on the CPU; `None` if the way does not run there.
    ///
    /// # Errors
    /// What excludes this query, such as its memory.
    fn on_cpu(&self, _engine: &Engine, _query: &Q) -> Result<Option<Cost>> {
        Ok(None)
    }

    /// Cost on a GPU; `None` if the way does not run there.
    fn on_gpu(
        &self,
        _engine: &Engine,
        _query: &Q,
        _device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        Ok(None)
    }

    /// Answers on the GPU, or on the CPU without one; `None` if the way gives up.
    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut Q,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Q::Answer>;
}

pub(crate) type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Future of the answer of a way.
pub(crate) type Running<'a, A> = Boxed<'a, Result<Option<Answered<A>>>>;

/// An answer, and how it was computed.
#[derive(Clone, Debug)]
pub(crate) struct Answered<A> {
    pub answer: A,
    pub path_mode: PathMode,
    pub computed_cells: u128,
}

impl<A> Answered<A> {
    /// An answer without a path.
    pub(crate) fn without_path(answer: A, computed_cells: u128) -> Self {
        Self {
            answer,
            path_mode: PathMode::None,
            computed_cells,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Cost {
    /// Expected seconds; on a GPU of the passes and transfers, by its profile.
    pub seconds: f64,
    /// False for a trial that is worth its short time but will probably give up.
    pub answers: bool,
    pub path_mode: PathMode,
    /// Rows and columns of a tile.
    pub tile: (u64, u64),
    pub strips: u64,
    pub passes: u64,
    pub device_bytes: u64,
    pub host_bytes: u64,
}

impl Cost {
    /// A single tile in a single pass that takes no memory to speak of.
    pub(crate) fn new(seconds: f64) -> Self {
        Self {
            seconds,
            answers: true,
            path_mode: PathMode::None,
            tile: (1, 1),
            strips: 1,
            passes: 1,
            device_bytes: 0,
            host_bytes: 0,
        }
    }
}

pub(crate) struct Call<'a> {
    pub engine: &'a Engine,
    pub control: &'a Control,
    pub phases: Phases,
    started: Instant,
}

impl<'a> Call<'a> {
    pub(crate) fn start(engine: &'a Engine, control: &'a Control) -> Self {
        Self {
            engine,
            control,
            phases: Phases::start(),
            started: Instant::now(),
        }
    }

    /// Adds what came after the answer, such as its verification, to the times of a run.
    pub(crate) fn close(&self, run: &mut Run) {
        run.elapsed = self.started.elapsed();
        run.phases = self.phases.totals();
    }
}

struct Placed<'w, Q> {
    /// Index in the list of ways.
    index: usize,
    way: &'w dyn Way<Q>,
    cost: Cost,
    /// `None` for the CPU.
    device: Option<DeviceEstimate>,
    /// Expected seconds of the call.
    seconds: f64,
}

/// Answers a query by the fastest way that does not give up.
pub(crate) async fn run<Q: Ways>(call: &Call<'_>, query: &mut Q) -> Result<(Q::Answer, Run)> {
    let Call {
        engine,
        control,
        phases,
        ..
    } = call;
    for round in 0.. {
        let ways = query.ways(round);
        if ways.is_empty() {
            break;
        }
        let mut tried = Vec::new();
        let mut without_gpu = false;
        while let Some(next) = place(engine, query, &ways, without_gpu)?
            .into_iter()
            .find(|placed| !tried.contains(&(placed.index, placed.device.is_some())))
        {
            phases.lap(Phase::Decide);
            let on_gpu = next.device.is_some();
            let mut gpu = None;
            if on_gpu {
                let was_open = engine.has_open_gpu();
                gpu = engine.open_gpu().await?;
                phases.lap(Phase::OpenDevice);
                without_gpu = gpu.is_none();
                // The opened device may be slower than expected, another one, or unavailable.
                if !was_open || without_gpu {
                    continue;
                }
            }
            control.check()?;
            tried.push((next.index, on_gpu));
            let device = gpu
                .as_deref()
                .map(|gpu| engine.device(gpu, control, phases));
            match next.way.run(call, query, device.as_ref()).await {
                Ok(Some(answered)) => {
                    let method = next.way.reported_method(query, on_gpu);
                    return Ok(report(call, query, method, device, answered));
                }
                Ok(None) => {}
                // The device has less memory than its budget promised.
                Err(error) if on_gpu && engine.chooses_device() && error.is_lack_of_room() => {}
                Err(error) => return Err(error),
            }
        }
    }
    Err(no_way(query.requested()))
}

/// Answers a query on a device by the only way of that name, whatever it costs.
pub(crate) async fn run_on<Q: Ways>(
    call: &Call<'_>,
    query: &mut Q,
    device: &Device<'_>,
) -> Result<(Q::Answer, Run)> {
    let requested = query.requested();
    for round in 0.. {
        let ways = query.ways(round);
        if ways.is_empty() {
            break;
        }
        for way in ways.into_iter().filter(|way| way.method() == requested) {
            if let Some(answered) = way.run(call, query, Some(device)).await? {
                return Ok(report(call, query, requested, Some(*device), answered));
            }
        }
    }
    Err(no_way(requested))
}

/// The answer of a way with its run record.
pub(crate) fn report<Q: Ways>(
    call: &Call<'_>,
    query: &Q,
    method: &'static str,
    device: Option<Device<'_>>,
    answered: Answered<Q::Answer>,
) -> (Q::Answer, Run) {
    let run = Run {
        method,
        path_mode: answered.path_mode,
        device: device
            .map_or(CPU, |device| device.backend.name())
            .to_string(),
        cells: query.cells(),
        computed_cells: answered.computed_cells,
        common_prefix: 0,
        common_suffix: 0,
        elapsed: call.started.elapsed(),
        phases: call.phases.totals(),
    };
    (answered.answer, run)
}

/// Plan of the way that is expected to answer.
pub(crate) fn plan<Q: Ways>(engine: &Engine, query: &Q) -> Result<PlanSummary> {
    for round in 0.. {
        let ways = query.ways(round);
        if ways.is_empty() {
            break;
        }
        let placed = place(engine, query, &ways, false)?;
        let Some(first) = placed.into_iter().find(|placed| placed.cost.answers) else {
            continue;
        };
        let Cost {
            path_mode,
            tile,
            strips,
            passes,
            device_bytes,
            host_bytes,
            ..
        } = first.cost;
        let is_on_gpu = first.device.is_some();
        let method = first.way.reported_method(query, is_on_gpu);
        let host_seconds = query.host_seconds(engine, method, is_on_gpu);
        return Ok(PlanSummary {
            method,
            device: first.device.map_or(CPU.to_string(), |device| device.name),
            path_mode,
            cells: query.cells(),
            tile,
            strips,
            passes,
            device_bytes,
            host_bytes,
            expected: Duration::from_secs_f64(first.seconds + host_seconds),
        });
    }
    Err(no_way(query.requested()))
}

/// Expected seconds of the fastest of these ways; infinite if none can run.
pub(crate) fn seconds<Q: Ways>(engine: &Engine, query: &Q, ways: &[&dyn Way<Q>]) -> Result<f64> {
    match place(engine, query, ways, false) {
        Ok(placed) => Ok(placed
            .iter()
            .find(|placed| placed.cost.answers)
            .map_or(f64::INFINITY, |placed| placed.seconds)),
        Err(error) if error.is_lack_of_room() => Ok(f64::INFINITY),
        Err(error) => Err(error),
    }
}

/// The ways that can run, by expected time. A named GPU excludes the CPU, unless no way runs on
/// that GPU.
fn place<'w, Q: Ways>(
    engine: &Engine,
    query: &Q,
    ways: &[&'w dyn Way<Q>],
    without_gpu: bool,
) -> Result<Vec<Placed<'w, Q>>> {
    let requested = query.requested();
    let is_requested = |way: &&&'w dyn Way<Q>| match requested {
        AUTO => way.is_automatic(),
        name => way.method() == name,
    };
    let ways = || (0..).zip(ways.iter()).filter(|(_, way)| is_requested(way));
    let mut refused = None;
    let mut placed = Vec::new();
    let on_cpu = |placed: &mut Vec<_>, refused: &mut Option<Error>| {
        for (index, &way) in ways() {
            match way.on_cpu(engine, query) {
                Ok(Some(cost)) => placed.push(Placed {
                    index,
                    way,
                    seconds: cost.seconds,
                    cost,
                    device: None,
                }),
                Ok(None) => {}
                Err(error) => _ = refused.get_or_insert(error),
            }
        }
    };
    let chooses = engine.chooses_device();
    let mut cpu_seconds = 0.0;
    if chooses {
        on_cpu(&mut placed, &mut refused);
        let seconds = placed.iter().filter(|placed| placed.cost.answers);
        cpu_seconds = seconds
            .map(|placed| placed.seconds)
            .fold(f64::INFINITY, f64::min);
    }
    let device = if without_gpu || !query.may_use_gpu(engine) {
        None
    } else {
        engine.device_estimate(cpu_seconds)?
    };
    if let Some(device) = device {
        for (index, &way) in ways() {
            match way.on_gpu(engine, query, &device) {
                Ok(Some(cost)) => placed.push(Placed {
                    index,
                    way,
                    seconds: device.call_seconds(cost.seconds),
                    cost,
                    device: Some(device.clone()),
                }),
                Ok(None) => {}
                Err(error) if chooses && error.is_lack_of_room() => {}
                Err(error) => _ = refused.get_or_insert(error),
            }
        }
    }
    if placed.is_empty() && refused.is_none() && !chooses {
        on_cpu(&mut placed, &mut refused);
    }
    placed.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
    match refused {
        Some(error) if placed.is_empty() => Err(error),
        _ => Ok(placed),
    }
}

/// The error of a GPU-only method on the CPU.
pub(crate) fn needs_gpu(method: &'static str, alternative: &str) -> Error {
    Error::MethodUnavailable {
        method,
        device: CPU.to_string(),
        reason: format!(
            "it is a GPU kernel; name a GPU with the device option, or take the method \
             '{alternative}'"
        ),
    }
}

fn no_way(method: &'static str) -> Error {
    Error::MethodUnavailable {
        method,
        device: "this device".to_string(),
        reason: "every way to answer gave up; take the method 'auto'".to_string(),
    }
}
