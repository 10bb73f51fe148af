//! Runs a call: chooses a method and device, fills the table, traces the tree, verifies.

use std::time::Duration;

use super::problem::Problem;
use super::result::{MethodResult, overflow};
use super::tree::Tree;
use super::value::{Precision, Value};
use super::{
    Method, ParenthesizationOptions, PlanSummary, Run, Solution, cpu, gpu, hu_shing, reference,
    splits, trace,
};
use crate::backend::{Backend, Capabilities};
use crate::call::phase::Phase;
use crate::call::phases::Phases;
use crate::engine::profile::cpu as cpu_figures;
use crate::engine::{CPU, DeviceEstimate, Engine, profile};
use crate::error::{Error, Result};
use crate::path_mode::PathMode;

/// Solves a [`Parenthesize`](crate::Parenthesize).
pub(crate) async fn solve<P: Problem>(
    engine: &Engine,
    problem: &P,
    options: &ParenthesizationOptions,
) -> Result<Solution<P::Value>> {
    let started = std::time::Instant::now();
    let phases = Phases::start();
    let method = choose(problem, options.method)?;
    let (_, gpu) = engine
        .plan_and_open(
            &phases,
            || decide(engine, problem, method, options),
            Option::is_some,
        )
        .await?;
    phases.lap(Phase::OpenDevice);
    // A single leaf needs no device.
    let (found, device) = match gpu.as_deref().filter(|_| problem.leaves() > 1) {
        Some(gpu) => (
            on_gpu(engine, gpu, problem, method, options, &phases).await?,
            gpu.name().to_string(),
        ),
        None => (
            on_cpu(engine, problem, method, options, &phases)?,
            CPU.to_string(),
        ),
    };
    options.control.set_phase(Phase::Verify);
    let unit = problem.unit();
    let cost = found.tree.verify(problem, found.cost, found.arithmetic)?;
    if cost > P::Value::ZERO && found.arithmetic.loses(cost.exponent(), problem.leaves()) {
        return Err(Error::InvalidWeight {
            what: "the weights".to_string(),
            reason: format!(
                "the cost {cost} is too small for single precision: ask for the precision \
                 'exact', or scale the weights"
            ),
        });
    }
    let cost = cost.scaled(unit);
    if cost.overflowed() {
        let range = found
            .tree
            .overflowing(problem)
            .unwrap_or((0, problem.leaves()));
        return Err(overflow::<P>(range, P::Value::ON_CPU));
    }
    let in_order = found.in_order.scaled(unit);
    phases.lap(Phase::Verify);
    let run = Run {
        method,
        path_mode: PathMode::Table.if_path(method != Method::HuShing),
        device,
        cells: splits(problem.leaves()),
        computed_cells: if method == Method::HuShing {
            0
        } else {
            splits(problem.leaves())
        },
        common_prefix: 0,
        common_suffix: 0,
        elapsed: started.elapsed(),
        phases: phases.totals(),
    };
    let in_order = (!in_order.overflowed()).then_some(in_order);
    Ok(Solution {
        cost,
        tree: found.tree,
        in_order,
        arithmetic: found.arithmetic,
        run,
    })
}

/// Resolves `auto` and checks the method.
fn choose<P: Problem>(problem: &P, method: Method) -> Result<Method> {
    const MAX_LEAVES: usize = 1 << 31;
    if problem.leaves() >= MAX_LEAVES {
        let (actual, limit) = (problem.leaves() as u64, MAX_LEAVES as u64 - 1);
        return Err(Error::InputTooLong {
            what: "the sequence",
            actual,
            limit,
            remedy: "cut it",
        });
    }
    match (method, problem.dimensions()) {
        (Method::Auto, Some(_)) => Ok(Method::HuShing),
        (Method::Auto, None) => Ok(Method::Tiled),
        (Method::HuShing, None) => Err(Error::MethodUnavailable {
            method: method.name(),
            device: "any device".to_string(),
            reason: "it needs weights that are a product of three whole numbers; take the method \
                     'tiled'"
                .to_string(),
        }),
        _ => Ok(method),
    }
}

/// The GPU that runs the method; `None` for the CPU.
fn decide<P: Problem>(
    engine: &Engine,
    problem: &P,
    method: Method,
    options: &ParenthesizationOptions,
) -> Result<Option<DeviceEstimate>> {
    // Most GPUs have little double-precision throughput, so `auto` keeps real weights on the CPU.
    let double = P::Value::REAL && options.precision == Precision::Exact;
    let native =
        matches!(method, Method::HuShing | Method::Reference) || problem.shader().is_none();
    let gpu = if native || (double && engine.chooses_device()) {
        None
    } else {
        let on_gpu = |caps: &Capabilities| {
            let settings = (options.precision, &options.tuning);
            gpu::seconds_within(
                problem,
                method,
                settings,
                caps,
                engine.device_budget_of(caps),
            )
        };
        engine.faster_device(tiled_seconds(engine, problem.leaves()), on_gpu)?
    };
    let needs_gpu = matches!(method, Method::Adaptive | Method::ThreadPerSubproblem);
    if needs_gpu && gpu.is_none() {
        let reason = match problem.shader() {
            None => "the problem has no WGSL; take the method 'tiled'",
            Some(_) => {
                "it is a GPU kernel; name a GPU with the device option, or take the method 'tiled'"
            }
        };
        let device = CPU.to_string();
        return Err(Error::MethodUnavailable {
            method: method.name(),
            device,
            reason: reason.to_string(),
        });
    }
    Ok(gpu)
}

pub(super) async fn on_gpu<P: Problem>(
    engine: &Engine,
    backend: &dyn Backend,
    problem: &P,
    method: Method,
    options: &ParenthesizationOptions,
    phases: &Phases,
) -> Result<MethodResult<P::Value>> {
    let device = engine.device(backend, &options.control, phases);
    match problem.leaves() {
        0 | 1 => on_cpu(engine, problem, Method::Tiled, options, phases),
        _ => {
            gpu::solve(
                &device,
                problem,
                method,
                (options.precision, &options.tuning),
            )
            .await
        }
    }
}

fn on_cpu<P: Problem>(
    engine: &Engine,
    problem: &P,
    method: Method,
    options: &ParenthesizationOptions,
    phases: &Phases,
) -> Result<MethodResult<P::Value>> {
    let (leaves, control) = (problem.leaves(), &options.control);
    let arithmetic = P::Value::ON_CPU;
    let overflow = |range| overflow::<P>(range, arithmetic);
    let found = |(cost, tree)| MethodResult {
        cost,
        tree,
        arithmetic,
        in_order: Tree::cost_in_order(problem),
    };
    control.check()?;
    if leaves == 0 {
        return Ok(found((P::Value::ZERO, Tree::default())));
    }
    check_memory(engine, problem, method)?;
    match (method, problem.dimensions()) {
        (Method::HuShing, Some(dimensions)) => {
            let tree = hu_shing::tree(dimensions).ok_or_else(|| overflow((0, leaves)))?;
            phases.lap(Phase::Sweep);
            let cost = tree.cost(problem)?;
            if cost.overflowed() {
                return Err(overflow(tree.overflowing(problem).unwrap_or((0, leaves))));
            }
            Ok(found((cost, tree)))
        }
        (Method::Reference, _) => {
            let (cost, tree) = reference::solve(problem).ok_or_else(|| overflow((0, leaves)))?;
            phases.lap(Phase::Sweep);
            Ok(found((cost, tree)))
        }
        _ => {
            let tiles = (leaves + 1).div_ceil(cpu::TILE);
            control.set_phase(Phase::Sweep);
            control.add_total(
                (0..tiles)
                    .map(|distance| super::splits_of_tiles(tiles, distance, cpu::TILE))
                    .sum(),
            );
            engine.on_threads(|| {
                let table = cpu::fill(problem, control)?;
                phases.lap(Phase::Sweep);
                let cost = table.cost(0, leaves);
                if cost.overflowed() {
                    let row: Vec<_> = (1..=leaves).map(|j| table.cost(0, j)).collect();
                    let last = trace::overflowing_end(&row);
                    let column: Vec<_> = (0..last).map(|i| table.cost(i, last)).collect();
                    return Err(overflow((trace::overflowing_start(&column), last)));
                }
                let tree = trace::tree(problem, &|i, j| table.cost(i, j), control)?;
                phases.lap(Phase::Trace);
                Ok(found((cost, tree)))
            })
        }
    }
}

/// Host memory of a method on the CPU in bytes.
fn bytes_on_cpu<P: Problem>(problem: &P, method: Method) -> u128 {
    let leaves = problem.leaves();
    match method {
        Method::HuShing => leaves as u128 * HU_SHING_BYTES,
        Method::Reference => (leaves as u128 + 1).pow(2) * 16,
        _ => cpu::table_bytes(leaves, size_of::<P::Value>()).into(),
    }
}

/// Checks the host memory of a method on the CPU.
///
/// # Errors
/// [`Error::MemoryBudget`].
fn check_memory<P: Problem>(engine: &Engine, problem: &P, method: Method) -> Result<()> {
    let bytes = bytes_on_cpu(problem, method);
    match method {
        Method::HuShing => engine.check_host_budget("the method 'hu-shing'", bytes),
        Method::Reference => engine.check_reference(bytes),
        _ => engine.check_host_budget("the table on the CPU", bytes),
    }
}

/// Answers [`Engine::plan`] for a [`Parenthesize`](crate::Parenthesize).
pub(crate) fn summarize<P: Problem>(
    engine: &Engine,
    problem: &P,
    options: &ParenthesizationOptions,
) -> Result<PlanSummary> {
    let method = choose(problem, options.method)?;
    let gpu = decide(engine, problem, method, options)?;
    let leaves = problem.leaves();
    if let Some(gpu) = gpu.filter(|_| leaves > 1) {
        return gpu::summarize(&gpu, problem, method, (options.precision, &options.tuning));
    }
    let tile = if method == Method::Tiled {
        cpu::TILE as u64
    } else {
        1
    };
    let tiles = (leaves as u64 + 1).div_ceil(tile);
    if leaves > 0 {
        check_memory(engine, problem, method)?;
    }
    let seconds = match method {
        Method::HuShing => leaves as f64 * cpu_figures::HU_SHING_LEAF_SECONDS,
        Method::Reference => splits(leaves) as f64 * cpu_figures::REFERENCE_SPLIT_SECONDS,
        _ => tiled_seconds(engine, leaves),
    };
    Ok(PlanSummary {
        method,
        device: CPU.to_string(),
        path_mode: PathMode::Table.if_path(method != Method::HuShing),
        cells: splits(leaves),
        tile: (tile, tile),
        strips: tiles,
        passes: if method == Method::HuShing { 1 } else { tiles },
        device_bytes: 0,
        host_bytes: u64::try_from(bytes_on_cpu(problem, method)).unwrap_or(u64::MAX),
        expected: Duration::from_secs_f64(seconds),
    })
}

/// Estimated seconds of the tiled table on the CPU.
fn tiled_seconds(engine: &Engine, leaves: usize) -> f64 {
    splits(leaves) as f64 * cpu_figures::SPLIT_SECONDS / profile::speedup(engine.threads())
}

/// Approximate bytes per leaf.
const HU_SHING_BYTES: u128 = 250;
