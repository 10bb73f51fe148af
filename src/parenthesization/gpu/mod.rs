//! Tables on a GPU: kernels, buffers, passes and traceback.

pub mod kernels;
mod layout;
pub mod split_tree;
pub mod tiled;
pub mod tiling;
mod tuning;

use std::sync::Mutex;

use super::problem::{Problem, Shader, can_overflow, max_cost};
use super::query::TreeQuery;
use super::result::{MethodResult, overflow};
use super::tree::Tree;
use super::value::{Arithmetic, Precision, Value};
use super::{Method, ParenthesizationOptions, splits, trace};
use crate::backend::{Capabilities, Session, Span};
use crate::call::phase::Phase;
use crate::engine::placement::Cost;
use crate::engine::profile::gpu::{compute_units, parenthesization as figures};
use crate::engine::{Device, DeviceEstimate, Engine};
use crate::error::{Error, Result};
use crate::host::lock;
use crate::kernels::parenthesization::BUFFER_WORDS;
use crate::papers::by_length::LengthSizes;
use crate::path_mode::PathMode;
use crate::plan::Plan;
use kernels::KernelVariant;
pub use layout::Layout;
use tiling::Tiling;
pub use tuning::Tuning;

/// A plan that fills a table and traces its tree.
#[derive(Debug)]
pub struct TablePlan {
    pub plan: Plan,
    pub layout: Layout,
    pub tree: split_tree::TreeBuffer,
    pub arithmetic: Arithmetic,
}

impl AsMut<Plan> for TablePlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

/// Validated inputs of a plan.
#[derive(Clone, Debug)]
pub struct TableSizes {
    variant: KernelVariant,
    shape: Shape,
    /// The problem's inputs as words of its arithmetic.
    inputs: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Shape {
    Tiled(Tiling),
    ByLength(LengthSizes),
}

impl TableSizes {
    /// Sizes for a problem of at least two leaves.
    ///
    /// # Errors
    /// [`Error::InputTooLong`]; [`Error::InvalidShader`] if a constant's name cannot be declared;
    /// [`Error::MethodUnavailable`] if the problem has no WGSL, or if it has real weights and the
    /// device no double precision.
    pub fn new<P: Problem>(
        problem: &P,
        method: Method,
        precision: Precision,
        caps: &Capabilities,
        tuning: &Tuning,
    ) -> Result<Self> {
        let unavailable = |device: &str, reason: &str| Error::MethodUnavailable {
            method: method.name(),
            device: device.to_string(),
            reason: reason.to_string(),
        };
        let shader = problem
            .shader()
            .ok_or_else(|| unavailable("a GPU", "the problem has no WGSL"))?;
        shader.check_constants()?;
        let greatest = max_cost(problem);
        let checked = tuning.checked_sums || can_overflow::<P>(greatest);
        let inputs = problem.inputs();
        // User shaders and checked sums rely on 64-bit sums.
        let fixed = shader.is_user() || checked;
        let holds = inputs
            .iter()
            .fold(greatest, |max, input| max.max(input.wide()));
        let arithmetic = if P::Value::REAL {
            real(caps, precision).ok_or(
                "real weights need double precision, which its shaders lack; take the device \
                 'cpu', or ask for an approximate answer with the precision 'f32'",
            )
        } else {
            whole(if fixed { u128::MAX } else { holds }, caps, tuning).ok_or(
                "it does not have that arithmetic, or it does not hold every sum; leave the \
                 choice to the planner",
            )
        };
        let arithmetic = arithmetic.map_err(|reason| unavailable("this device", reason))?;
        if arithmetic == Arithmetic::F32 {
            check_single(&shader, &inputs)?;
        }
        let leaves = problem.leaves() as u64;
        let known = shader.is_library_for(leaves, inputs.len());
        let variant = KernelVariant::new::<P>(shader, arithmetic, checked, known);
        let shape = match method {
            Method::Adaptive | Method::ThreadPerSubproblem => {
                Shape::ByLength(LengthSizes::new(leaves, method, &variant, caps, tuning)?)
            }
            _ => Shape::Tiled(Tiling::new(leaves, &variant, caps, tuning)?),
        };
        let mut words = Vec::with_capacity(inputs.len() * arithmetic.words());
        inputs
            .into_iter()
            .for_each(|input| input.to_words(arithmetic, &mut words));
        words.resize(words.len().max(BUFFER_WORDS as usize), 0);
        Ok(Self {
            variant,
            shape,
            inputs: words,
        })
    }

    /// Plans within `limit` bytes; drops the transposed copy of the tiles if it does not fit.
    fn plan_within(mut self, leaves: usize, limit: u64) -> Result<(Self, TablePlan)> {
        let mut planned = self.plan();
        match &mut self.shape {
            Shape::Tiled(tiling) if tiling.transposed && planned.plan.size_bytes() > limit => {
                tiling.transposed = false;
                planned = self.plan();
            }
            _ => {}
        }
        let needed = planned.plan.size_bytes();
        if needed <= limit {
            return Ok((self, planned));
        }
        let what = format!("the table of {leaves} leaves");
        Err(Error::MemoryBudget {
            what,
            needed,
            limit,
            smallest: needed,
        })
    }

    pub fn plan(&self) -> TablePlan {
        let (variant, arithmetic) = (&self.variant, self.variant.arithmetic);
        let mut plan = Plan {
            cell_cost: figures::CELL_COST,
            ..Plan::default()
        };
        let inputs = plan.upload("inputs", self.inputs.clone());
        let (layout, tree) = match &self.shape {
            Shape::Tiled(tiling) => tiled::add_passes(&mut plan, inputs, variant, tiling),
            Shape::ByLength(sizes) => sizes.add_passes(&mut plan, inputs, variant),
        };
        TablePlan {
            plan,
            layout,
            tree,
            arithmetic,
        }
    }
}

/// Checks that single precision holds the weights.
fn check_single<V: Value>(shader: &Shader, inputs: &[V]) -> Result<()> {
    let too_great = || {
        let index = inputs
            .iter()
            .position(|input| input.exponent() > MAX_SINGLE_EXPONENT)?;
        let reason = "single precision does not hold it: ask for the precision 'exact'";
        Some((format!("input {}, {}", index + 1, inputs[index]), reason))
    };
    let weights = shader
        .no_single
        .map(|reason| ("the weights".to_string(), reason));
    match weights.or_else(too_great) {
        None => Ok(()),
        Some((what, reason)) => Err(Error::InvalidWeight {
            what,
            reason: reason.to_string(),
        }),
    }
}

/// Greatest binary exponent of a number in single precision.
const MAX_SINGLE_EXPONENT: i32 = f32::MAX_EXP;

/// Arithmetic for real costs; `None` if the device lacks the precision.
fn real(caps: &Capabilities, precision: Precision) -> Option<Arithmetic> {
    match precision {
        Precision::Exact => caps.float64.then_some(Arithmetic::F64),
        Precision::Single => Some(Arithmetic::F32),
    }
}

/// Fastest arithmetic of the device that holds all integers up to `greatest` exactly.
fn whole(greatest: u128, caps: &Capabilities, tuning: &Tuning) -> Option<Arithmetic> {
    let fastest = [
        (Arithmetic::U32, true),
        (
            Arithmetic::F64,
            caps.float64 && (caps.fast_float64 || tuning.arithmetic.is_some()),
        ),
        (Arithmetic::U64, caps.int64),
        (Arithmetic::Limbs, true),
    ];
    let is_requested = |arithmetic| {
        tuning
            .arithmetic
            .is_none_or(|requested| requested == arithmetic)
    };
    let usable = |&(arithmetic, there): &(Arithmetic, bool)| {
        there && is_requested(arithmetic) && arithmetic.holds(greatest)
    };
    fastest
        .into_iter()
        .find(usable)
        .map(|(arithmetic, _)| arithmetic)
}

/// Cost and tree of a problem of at least two leaves.
pub(super) async fn solve<P: Problem>(
    device: &Device<'_>,
    problem: &P,
    method: Method,
    options: &ParenthesizationOptions,
) -> Result<MethodResult<P::Value>> {
    let caps = device.backend.capabilities();
    let sizes = TableSizes::new(problem, method, options.precision, caps, &options.tuning)?;
    let (sizes, first) = sizes.plan_within(problem.leaves(), device.budget_bytes)?;
    device.control.set_phase(Phase::Sweep);
    device.control.add_total(first.plan.cells());
    let first = Mutex::new(Some(first));
    let make = || lock(&first).take().unwrap_or_else(|| sizes.plan());
    let session = device.open_session()?;
    // Computed while the device is busy.
    let in_order = |_: &TablePlan| Ok(Tree::cost_in_order(problem));
    let ((planned, words), in_order) = session
        .round(&|_| make(), &TablePlan::spans, &in_order)
        .await?;
    let (cost, tree) = planned.decode(&session, problem, &words).await?;
    device.phases.lap(Phase::Trace);
    let in_order = in_order.unwrap_or_else(|| Tree::cost_in_order(problem));
    Ok(MethodResult {
        cost,
        tree,
        arithmetic: planned.arithmetic,
        in_order,
    })
}

impl TablePlan {
    /// Words to read after the last pass: the total cost and the tree.
    pub fn spans(&self) -> Vec<Span> {
        vec![self.cost_span(0, self.tree.leaves()), self.tree.span()]
    }

    /// Decodes the words of [`spans`](Self::spans).
    ///
    /// # Errors
    /// [`Error::CostOverflow`]; [`Error::DeviceLost`]; [`Error::CertificateFailed`] if the words
    /// are no tree.
    pub async fn decode<P: Problem>(
        &self,
        session: &Session<'_>,
        problem: &P,
        words: &[u32],
    ) -> Result<(P::Value, Tree)> {
        let leaves = problem.leaves() as u64;
        let (cost, tree) = words.split_at(self.arithmetic.words());
        let cost = P::Value::from_words(cost, self.arithmetic);
        if cost.overflowed() {
            let row: Vec<_> = (1..=leaves).map(|j| (0, j)).collect();
            let row: Vec<P::Value> = self.costs(session, &row).await?;
            let last = trace::overflowing_end(&row);
            let column: Vec<_> = (0..last as u64).map(|i| (i, last as u64)).collect();
            let column: Vec<P::Value> = self.costs(session, &column).await?;
            return Err(overflow::<P>(
                trace::overflowing_start(&column),
                last,
                self.arithmetic,
            ));
        }
        Ok((cost, self.tree.of_words(tree)?))
    }

    /// Words of the cost of the range `i..j`.
    fn cost_span(&self, i: u64, j: u64) -> Span {
        let (buffer, index) = self.layout.place(i, j);
        let words = self.arithmetic.words() as u64;
        Span {
            buffer,
            first: index * words,
            words,
        }
    }

    /// Reads back the costs of single ranges `i..j`.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub async fn costs<V: Value>(
        &self,
        session: &Session<'_>,
        ranges: &[(u64, u64)],
    ) -> Result<Vec<V>> {
        let spans = ranges.iter().map(|&(i, j)| self.cost_span(i, j));
        let spans: Vec<_> = spans.collect();
        let read = session.read(&spans)?.await?;
        Ok(read
            .words()
            .chunks(self.arithmetic.words())
            .map(|words| V::from_words(words, self.arithmetic))
            .collect())
    }
}

/// Cost of the query's method on a device. `None` for a single leaf, which needs no device, and on a device
/// chosen by the engine that cannot run the problem's weights without bounds checks.
pub(crate) fn cost<P: Problem>(
    engine: &Engine,
    query: &TreeQuery<'_, P>,
    device: &DeviceEstimate,
) -> Result<Option<Cost>> {
    let (problem, method, options) = (query.problem, query.method, query.options);
    let (leaves, caps) = (problem.leaves(), &device.capabilities);
    if leaves < 2 {
        return Ok(None);
    }
    let sizes = TableSizes::new(problem, method, options.precision, caps, &options.tuning)?;
    let (sizes, planned) = sizes.plan_within(leaves, device.budget_bytes)?;
    if engine.chooses_device() && !caps.checks && !sizes.variant.allows_unchecked(caps.compiles) {
        return Ok(None);
    }
    let (tile, strips) = match &planned.layout {
        Layout::Tiles(tiling, _) => (u64::from(tiling.tile), tiling.tiles()),
        _ => (1, leaves as u64),
    };
    Ok(Some(Cost {
        path_mode: PathMode::Table,
        tile: (tile, tile),
        strips,
        passes: planned.plan.passes.len() as u64,
        device_bytes: planned.plan.size_bytes(),
        host_bytes: leaves as u64 * 64,
        ..Cost::new(seconds(leaves, method, caps))
    }))
}

/// Estimated seconds of a table on a device; the factors compare the methods' throughput with that
/// of `tiled`.
fn seconds(leaves: usize, method: Method, caps: &Capabilities) -> f64 {
    let slower = match method {
        Method::Tiled => 1.0,
        Method::Adaptive => 8.0,
        _ => 64.0,
    };
    let rate = figures::SPLITS_PER_SECOND * compute_units(caps) / slower;
    leaves as f64 * figures::PASS_SECONDS + splits(leaves) as f64 / rate
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::recording_backend::RecordingBackend;
    use crate::engine::letters;
    use crate::parenthesization::{MatrixChain, RnaFold, reference};

    const METHODS: [Method; 3] = [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem];

    fn assert_cut<P: Problem>(backend: &RecordingBackend, problem: &P) {
        let (expected, _) = reference::solve(problem).expect("it fits");
        let mut options = ParenthesizationOptions::default();
        options.tuning.tile = Some(8);
        for method in METHODS {
            for found in backend
                .whole_and_split(async |device| solve(device, problem, method, &options).await)
            {
                let cost = found.tree.cost(problem).expect("it is a tree");
                assert!(found.cost == expected && cost == expected, "{method:?}");
            }
        }
    }

    #[test]
    fn tiles_are_transposed_if_the_budget_holds_a_copy() {
        let problem = MatrixChain::new((1..600).map(|k| k % 31 + 1).collect());
        let (caps, tuning) = (
            Capabilities {
                carry_flag: true,
                ..Capabilities::default()
            },
            Tuning::default(),
        );
        let sizes = TableSizes::new(&problem, Method::Tiled, Precision::Exact, &caps, &tuning)
            .expect("it fits");
        let bytes = |limit| match sizes.clone().plan_within(600, limit) {
            Ok((_, planned)) => planned.plan.size_bytes(),
            Err(Error::MemoryBudget { needed, .. }) => needed,
            Err(other) => panic!("{other}"),
        };
        let (twice, once) = (bytes(u64::MAX), bytes(0));
        // 600 points are 19 tiles per row.
        assert_eq!(twice - once, 19 * 20 / 2 * 32 * 32 * 4);
        assert_eq!((bytes(twice), bytes(twice - 1)), (twice, once));
    }

    #[test]
    fn every_table_pass_has_cells() {
        let (caps, tuning) = (Capabilities::default(), Tuning::default());
        for leaves in [2, 3, 70] {
            let problem = MatrixChain::new((0..=leaves).map(|k| k % 31 + 1).collect());
            for method in METHODS {
                let sizes = TableSizes::new(&problem, method, Precision::Exact, &caps, &tuning)
                    .expect("it fits");
                let plan = sizes.plan().plan;
                assert!(
                    plan.passes.iter().all(|pass| pass.cells > 0),
                    "{method:?}, {leaves} leaves"
                );
            }
        }
    }

    #[test]
    fn sliced_table_passes_equal_whole_ones() {
        let Some(backend) = RecordingBackend::open() else {
            return;
        };
        let numbers: Vec<u64> = letters(120, 1)
            .iter()
            .zip(0..)
            .map(|(&letter, k)| u64::from(letter) * (1 + k % 7))
            .collect();
        assert_cut(&backend, &MatrixChain::new(numbers));
        assert_cut(
            &backend,
            &RnaFold::new(&letters(100, 2), 3).expect("bases alone"),
        );
        let cut = [
            "adaptive",
            "thread_per_subproblem",
            "tiled_diagonal",
            "tiled_wavefront",
        ];
        assert!(
            backend
                .split_kernels()
                .into_iter()
                .eq(cut.map(|name| format!("parenthesization/{name}")))
        );
    }
}
