//! Tables of parenthesizations filled by one pass per length of ranges, shortest first, on GPUs
//! only.
//!
//! Source: Wu, Ke, Lin and Feng 2011, "Optimizing Dynamic Programming on Graphics Processing Units
//! via Adaptive Thread-Level Parallelism": the phases of sections III.B and IV. Departure: passes
//! that trace the tree follow; the source computes its cost alone.

mod adaptive;
mod thread_per_subproblem;

use crate::backend::Capabilities;
use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{CPU, Device, DeviceEstimate, Engine};
use crate::error::{Error, Result};
use crate::kernels::parenthesization::Table;
use crate::parenthesization::gpu::kernels::KernelVariant;
use crate::parenthesization::gpu::{self, Layout, Tuning, split_tree};
use crate::parenthesization::query::TreeQuery;
use crate::parenthesization::result::cells;
use crate::parenthesization::{Method, Parenthesization, Problem};
use crate::plan::{BufferId, Contents, Pass, Plan, params};
use adaptive::{Adaptive, BY_RANGES, Mapping};
use thread_per_subproblem::{BY_GROUPS, LANES};

/// A triangular table, and how its passes map ranges to lanes.
#[derive(Clone, Debug)]
pub struct LengthSizes {
    leaves: u64,
    /// Values of the table, one per range.
    values: u64,
    /// `None` for one lane per range.
    adaptive: Option<Adaptive>,
    /// Ranges of one length below which a pass does not get faster.
    at_once: u64,
    /// Size of the traceback passes.
    tree_limits: split_tree::PassLimits,
}

impl LengthSizes {
    /// # Errors
    /// [`Error::InputTooLong`] if a table does not fit into one buffer.
    pub fn new(
        leaves: u64,
        method: Method,
        variant: &KernelVariant,
        caps: &Capabilities,
        tuning: &Tuning,
    ) -> Result<Self> {
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
        let adaptive = (method == Method::Adaptive).then(|| Adaptive::new(caps, tuning));
        let at_once = match adaptive {
            Some(_) => 1,
            None => thread_per_subproblem::ranges_at_once(caps),
        };
        Ok(Self {
            leaves,
            values,
            adaptive,
            at_once,
            tree_limits: split_tree::PassLimits::of(caps),
        })
    }

    /// Adds the tables and all passes.
    pub(crate) fn add_passes(
        &self,
        plan: &mut Plan,
        inputs: BufferId,
        variant: &KernelVariant,
    ) -> (Layout, split_tree::TreeBuffer) {
        let (leaves, kernels) = (self.leaves, &variant.kernels);
        let words = self.values * variant.arithmetic.words() as u64;
        let mut buffer = |name| plan.buffer(name, words, Contents::Unspecified);
        let table = buffer("table");
        let (kernel, split, layout, by, tables) = match self.adaptive {
            Some(_) => (
                kernels.adaptive(),
                BY_RANGES,
                Layout::ByStart { leaves, table },
                Table::ByEnds,
                vec![inputs, table, buffer("table by end")],
            ),
            None => (
                kernels.thread_per_subproblem(),
                BY_GROUPS,
                Layout::ByLength { leaves, table },
                Table::ByLength,
                vec![inputs, table],
            ),
        };
        let kernel = plan.kernel(kernel);
        plan.splits.push((kernel, split));
        let bindings = plan.bind(tables.clone());
        for length in 1..=leaves {
            let ranges = leaves - length + 1;
            let (groups, others) = match &self.adaptive {
                Some(adaptive) => {
                    let Mapping { subthreads, groups } = adaptive.mapping(ranges, length);
                    (groups, [subthreads as u32, 0, ranges as u32])
                }
                None => (ranges.div_ceil(LANES), [0; 3]),
            };
            let [third, fourth, fifth] = others;
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [groups as u32, 1, 1],
                params: params([length as u32, leaves as u32, third, fourth, fifth]),
                cells: cells(ranges.max(self.at_once) * length),
            });
        }
        let tree = split_tree::kernel(kernels, by, split_tree::LANES);
        let tree = split_tree::add_passes(plan, tree, leaves, 0, self.tree_limits, &tables);
        (layout, tree)
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
