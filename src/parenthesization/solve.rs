//! Runs a call: the engine places the ways to an optimal tree, which is verified.

use super::problem::Problem;
use super::query::TreeQuery;
use super::result::MethodResult;
use super::tree::Tree;
use super::value::{Precision, Value};
use super::{
    Method, Parenthesization, ParenthesizationOptions, cpu, gpu, hu_shing, reference, splits, trace,
};
use crate::call::control::Control;
use crate::call::phase::Phase;
use crate::engine::placement::{self, Answered, Call, Cost, Running, Way, Ways};
use crate::engine::profile::cpu as figures;
use crate::engine::{Device, DeviceEstimate, Engine, PlanSummary, Report};
use crate::error::{Error, Result};
use crate::papers::by_length::{ADAPTIVE, THREAD};
use crate::path_mode::PathMode;

impl<P: Problem> TreeQuery<'_, P> {
    /// Result of the method on the CPU; of tiles if it needs a GPU.
    fn on_cpu(&self, call: &Call<'_>) -> Result<MethodResult<P::Value>> {
        let problem = self.problem;
        let (cost, tree) = match (self.method, problem.dimensions()) {
            _ if problem.leaves() == 0 => (P::Value::ZERO, Tree::default()),
            (Method::HuShing, Some(dimensions)) => {
                let tree = hu_shing::tree(dimensions).ok_or_else(|| self.overflow(None))?;
                call.phases.lap(Phase::Sweep);
                let cost = tree.cost(problem)?;
                if cost.overflowed() {
                    return Err(self.overflow(tree.overflowing(problem)));
                }
                (cost, tree)
            }
            (Method::Reference, _) => {
                let solved = reference::solve(problem).ok_or_else(|| self.overflow(None))?;
                call.phases.lap(Phase::Sweep);
                solved
            }
            _ => self.tiled(call)?,
        };
        Ok(MethodResult {
            cost,
            tree,
            arithmetic: P::Value::ON_CPU,
            in_order: Tree::cost_in_order(problem),
        })
    }

    /// Cost and tree of a tiled table on the CPU.
    fn tiled(&self, call: &Call<'_>) -> Result<(P::Value, Tree)> {
        let (leaves, control) = (self.problem.leaves(), call.control);
        let tiles = (leaves + 1).div_ceil(cpu::TILE);
        control.set_phase(Phase::Sweep);
        control.add_total(
            (0..tiles)
                .map(|distance| super::splits_of_tiles(tiles, distance, cpu::TILE))
                .sum(),
        );
        call.engine.on_threads(|| {
            let table = cpu::fill(self.problem, control)?;
            call.phases.lap(Phase::Sweep);
            let cost = table.cost(0, leaves);
            if cost.overflowed() {
                let row: Vec<_> = (1..=leaves).map(|j| table.cost(0, j)).collect();
                let last = trace::overflowing_end(&row);
                let column: Vec<_> = (0..last).map(|i| table.cost(i, last)).collect();
                return Err(self.overflow(Some((trace::overflowing_start(&column), last))));
            }
            let tree = trace::tree(self.problem, &|i, j| table.cost(i, j), control)?;
            call.phases.lap(Phase::Trace);
            Ok((cost, tree))
        })
    }

    /// Runs the method, verifies its result and scales the costs.
    pub(crate) async fn answer(
        &self,
        call: &Call<'_>,
        device: Option<&Device<'_>>,
    ) -> Result<Option<Answered<Parenthesization<P::Value>>>> {
        let problem = self.problem;
        let found = match device {
            Some(device) => gpu::solve(device, problem, self.method, self.options).await?,
            None => self.on_cpu(call)?,
        };
        call.control.set_phase(Phase::Verify);
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
            return Err(self.overflow(found.tree.overflowing(problem)));
        }
        let in_order = found.in_order.scaled(unit);
        call.phases.lap(Phase::Verify);
        let is_table = self.method != Method::HuShing;
        Ok(Some(Answered {
            answer: Parenthesization {
                cost,
                tree: found.tree,
                in_order: (!in_order.overflowed()).then_some(in_order),
                arithmetic: found.arithmetic,
            },
            path_mode: PathMode::Table.if_path(is_table),
            computed_cells: if is_table { self.cells() } else { 0 },
        }))
    }
}

impl<P: Problem> Ways for TreeQuery<'_, P> {
    type Answer = Parenthesization<P::Value>;

    fn requested(&self) -> &'static str {
        self.method.name()
    }

    fn cells(&self) -> u128 {
        splits(self.problem.leaves())
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        match round {
            0 => {
                use Method::{HuShing, Reference, Tiled};
                vec![&HuShing, &Tiled, &ADAPTIVE, &THREAD, &Reference]
            }
            _ => Vec::new(),
        }
    }

    fn may_use_gpu(&self, engine: &Engine) -> bool {
        // Most GPUs have little double-precision throughput, so real weights stay on the CPU unless
        // a GPU is named.
        let is_double = P::Value::REAL && self.options.precision == Precision::Exact;
        !matches!(self.method, Method::HuShing | Method::Reference)
            && self.problem.shader().is_some()
            && !(is_double && engine.chooses_device())
    }
}

/// Approximate bytes per leaf.
const HU_SHING_BYTES: u128 = 250;

impl<P: Problem> Way<TreeQuery<'_, P>> for Method {
    fn method(&self) -> &'static str {
        self.name()
    }

    fn on_cpu(&self, engine: &Engine, query: &TreeQuery<'_, P>) -> Result<Option<Cost>> {
        let leaves = query.problem.leaves();
        Ok(Some(match self {
            Method::HuShing if query.problem.dimensions().is_none() => {
                let reason = "it needs weights that are a product of three whole numbers; take \
                              the method 'tiled'";
                return Err(query.unavailable("any device", reason));
            }
            Method::HuShing => {
                let bytes = leaves as u128 * HU_SHING_BYTES;
                engine.check_host_budget("the method 'hu-shing'", bytes)?;
                Cost {
                    path_mode: PathMode::None,
                    passes: 1,
                    ..query.cpu_cost(1, bytes, leaves as f64 * figures::HU_SHING_LEAF_SECONDS)
                }
            }
            Method::Reference => {
                let bytes = (leaves as u128 + 1).pow(2) * 16;
                if leaves > 0 {
                    engine.check_reference(bytes)?;
                }
                let seconds = query.cells() as f64 / figures::REFERENCE_CELLS_PER_SECOND;
                query.cpu_cost(1, bytes, seconds)
            }
            _ => {
                let bytes = cpu::table_bytes(leaves, size_of::<P::Value>()).into();
                if leaves > 0 {
                    engine.check_host_budget("the table on the CPU", bytes)?;
                }
                query.cpu_cost(cpu::TILE as u64, bytes, query.tiled_seconds(engine))
            }
        }))
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &TreeQuery<'_, P>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        gpu::cost(engine, query, device)
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut TreeQuery<'_, P>,
        device: Option<&'a Device<'a>>,
    ) -> Running<'a, Parenthesization<P::Value>> {
        Box::pin(query.answer(call, device))
    }
}

pub(super) async fn solve<P: Problem>(
    engine: &Engine,
    problem: &P,
    options: &ParenthesizationOptions,
    control: &Control,
) -> Result<Report<Parenthesization<P::Value>>> {
    let call = Call::start(engine, control);
    let mut query = TreeQuery::new(problem, options)?;
    control.check()?;
    let (answer, run) = placement::run(&call, &mut query).await?;
    Ok(Report::new(answer, run))
}

pub(super) fn plan<P: Problem>(
    engine: &Engine,
    problem: &P,
    options: &ParenthesizationOptions,
) -> Result<PlanSummary> {
    placement::plan(engine, &TreeQuery::new(problem, options)?)
}
