//! Tables of parenthesizations filled by one pass per length of ranges, shortest first, on GPUs
//! only.
//!
//! Source: Wu, Ke, Lin and Feng 2011, "Optimizing Dynamic Programming on Graphics Processing Units
//! via Adaptive Thread-Level Parallelism": the phases of sections III.B and IV. Departure: passes
//! that trace the tree follow; the source computes its cost alone.

pub mod adaptive;
pub mod thread_per_subproblem;

use crate::backend::Capabilities;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{CPU, Device, DeviceEstimate, Engine};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::parenthesization::gpu::kernels::KernelVariant;
use crate::parenthesization::gpu::{self, split_tree};
use crate::parenthesization::query::TreeQuery;
use crate::parenthesization::result::cells;
use crate::parenthesization::{Method, Parenthesization, Problem};
use crate::plan::{BufferId, Contents, Pass, PassSplit, Plan, params};

/// Sizes of a triangular table in one buffer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    pub leaves: u64,
    /// Values of the table, one per range.
    values: u64,
    /// Ranges of one length that fill the device.
    at_once: u64,
    /// Size of the traceback passes.
    tree_limits: split_tree::PassLimits,
}

/// Kernels of a method.
pub(super) struct LengthKernels {
    /// Solves the ranges of one length.
    range: Kernel,
    split: PassSplit,
    tree: Kernel,
}

impl Triangle {
    pub(super) fn new(leaves: u64, variant: &KernelVariant, caps: &Capabilities) -> Result<Self> {
        let limit = caps.chunk_bytes / (4 * variant.arithmetic.words() as u64);
        let values = leaves * (leaves + 1) / 2;
        if values > limit {
            let limit = (((8 * limit + 1) as f64).sqrt() as u64 - 1) / 2;
            let remedy = "take the method 'tiled'";
            return Err(Error::InputTooLong {
                what: "the sequence",
                actual: leaves,
                limit,
                remedy,
            });
        }
        Ok(Self {
            leaves,
            values,
            at_once: 1,
            tree_limits: split_tree::PassLimits::of(caps),
        })
    }

    /// Sets the number of ranges below which a pass does not get faster.
    pub(super) fn of_at_least(self, at_once: u64) -> Self {
        Self { at_once, ..self }
    }

    /// Number of ranges of `length` leaves.
    pub(super) fn ranges(&self, length: u64) -> u64 {
        self.leaves - length + 1
    }

    /// Adds the tables and all passes. `mapping` returns the workgroups of a length and its
    /// parameters after the leaves.
    pub(super) fn add_passes<const TABLES: usize>(
        &self,
        plan: &mut Plan,
        inputs: BufferId,
        variant: &KernelVariant,
        tables: [&str; TABLES],
        kernels: LengthKernels,
        mapping: impl Fn(u64) -> (u64, [u64; 3]),
    ) -> ([BufferId; TABLES], split_tree::TreeBuffer) {
        let words = self.values * variant.arithmetic.words() as u64;
        let tables = tables.map(|name| plan.buffer(name, words, Contents::Unspecified));
        let bound = [&[inputs], &tables[..]].concat();
        let kernel = plan.kernel(kernels.range);
        plan.splits.push((kernel, kernels.split));
        let bindings = plan.bind(bound.clone());
        for length in 1..=self.leaves {
            let (groups, others) = mapping(length);
            let [third, fourth, fifth] = others.map(|word| word as u32);
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [groups as u32, 1, 1],
                params: params([length as u32, self.leaves as u32, third, fourth, fifth]),
                cells: cells(self.ranges(length).max(self.at_once) * length),
            });
        }
        (
            tables,
            split_tree::add_passes(plan, kernels.tree, self.leaves, 0, self.tree_limits, &bound),
        )
    }
}

/// A method that fills one length per pass, on GPUs only.
pub(crate) struct ByLength(Method);

pub(crate) const ADAPTIVE: ByLength = ByLength(Method::Adaptive);
pub(crate) const THREAD: ByLength = ByLength(Method::ThreadPerSubproblem);

impl<P: Problem> Way<TreeQuery<'_, P>> for ByLength {
    fn method(&self) -> &'static str {
        self.0.name()
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, engine: &Engine, query: &TreeQuery<'_, P>) -> Result<Option<Cost>> {
        if query.problem.shader().is_none() {
            let reason = "the problem has no WGSL; take the method 'tiled'";
            Err(query.unavailable(CPU, reason))
        } else if query.problem.leaves() < 2 && engine.names_gpu()? {
            Ok(Some(query.cpu_cost(1, 0, 0.0)))
        } else {
            let reason = "it is a GPU kernel; name a GPU with the device option, or take the \
                          method 'tiled'";
            Err(query.unavailable(CPU, reason))
        }
    }

    fn on_gpu(
        &self,
        engine: &Engine,
        query: &TreeQuery<'_, P>,
        device: &DeviceEstimate,
    ) -> Result<Option<Cost>> {
        let cost = gpu::cost(engine, query, device)?;
        let is_worth = |cost: &Cost| {
            !engine.chooses_device()
                || device.call_seconds(cost.seconds) < query.tiled_seconds(engine)
        };
        Ok(cost.filter(is_worth))
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
