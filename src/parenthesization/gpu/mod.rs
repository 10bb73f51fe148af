//! Tables on a GPU: which kernels, which buffers, which passes, and the way back.

pub mod adaptive;
pub mod kernels;
mod layout;
mod lengths;
pub mod split_tree;
pub mod thread_per_subproblem;
pub mod tiled;
pub mod tiling;
mod tuning;

use std::sync::{Mutex, PoisonError};

use super::found::{Found, overflow};
use super::problem::{Problem, greatest_cost, passes};
use super::tree::Tree;
use super::value::{Arithmetic, Precision, Value};
use super::{Method, PlanSummary, splits, trace};
use crate::backend::{Capabilities, Session, Span};
use crate::engine::profile::gpu::{compute_units, parenthesization as figures};
use crate::engine::{Device, Prospect};
use crate::error::{Error, Result};
use crate::plan::Plan;
use kernels::Variant;
pub use layout::Layout;
use tiling::Tiling;
pub use tuning::Tuning;

/// A plan that fills a table and finds its tree, and where they will be.
#[derive(Debug)]
pub struct TablePlan {
    /// The plan.
    pub plan: Plan,
    /// Where the costs will be.
    pub layout: Layout,
    /// Where the tree will be.
    pub tree: split_tree::Found,
    /// What the costs are made of.
    pub arithmetic: Arithmetic,
}

impl AsMut<Plan> for TablePlan {
    fn as_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }
}

/// All that decides on a plan, checked.
#[derive(Clone, Debug)]
pub struct Sizes {
    variant: Variant,
    shape: Shape,
    /// The problem's, as words of its arithmetic.
    inputs: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Shape {
    Tiled(Tiling),
    Adaptive(adaptive::Grid),
    ThreadPerSubproblem(thread_per_subproblem::Grid),
}

impl Sizes {
    /// For a problem of two leaves or more.
    ///
    /// # Errors
    /// [`Error::InputTooLong`], [`Error::InvalidShader`] where constants have no names that a text can declare, and
    /// [`Error::MethodUnavailable`] where the problem has no WGSL, or real weights and the device no double precision.
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
        let greatest = greatest_cost(problem);
        let checked = tuning.checked_sums || passes::<P>(greatest);
        let inputs = problem.inputs();
        // A caller's own text may count on sums of 64 bits; so do those that are checked.
        let fixed = shader.is_own() || checked;
        let holds = inputs
            .iter()
            .fold(greatest, |most, input| most.max(input.wide()));
        let arithmetic = match P::Value::REAL {
            true => real(caps, precision).ok_or("real weights need double precision, which its shaders lack; take the device 'cpu', or ask for an approximate answer with the precision 'f32'"),
            false => whole(if fixed { u128::MAX } else { holds }, caps, tuning).ok_or("it does not have that arithmetic, or it does not hold every sum; leave the choice to the planner"),
        };
        let arithmetic = arithmetic.map_err(|reason| unavailable("this device", reason))?;
        let (goal, encloses, whole) = (P::GOAL, P::ENCLOSES, !P::Value::REAL);
        let leaves = problem.leaves() as u64;
        let known = shader.is_made_for(leaves, inputs.len());
        let variant = Variant {
            shader,
            arithmetic,
            whole,
            goal,
            encloses,
            checked,
            known,
        };
        let shape = match method {
            Method::Adaptive => Shape::Adaptive(adaptive::Grid::new(leaves, &variant, caps)?),
            Method::ThreadPerSubproblem => Shape::ThreadPerSubproblem(
                thread_per_subproblem::Grid::new(leaves, &variant, caps)?,
            ),
            _ => Shape::Tiled(Tiling::new(leaves, &variant, caps, tuning)?),
        };
        let mut words = Vec::with_capacity(inputs.len() * arithmetic.words());
        inputs
            .into_iter()
            .for_each(|input| input.to_words(arithmetic, &mut words));
        Ok(Self {
            variant,
            shape,
            inputs: words,
        })
    }

    /// The same with its plan, of no more bytes than these: no finished tile lies there twice where that is too much.
    ///
    /// # Errors
    /// [`Error::MemoryBudget`].
    fn planned(mut self, leaves: usize, limit: u64) -> Result<(Self, TablePlan)> {
        let mut made = self.plan();
        match &mut self.shape {
            Shape::Tiled(tiling) if tiling.transposed && made.plan.size_bytes() > limit => {
                tiling.transposed = false;
                made = self.plan();
            }
            _ => {}
        }
        let needed = made.plan.size_bytes();
        if needed <= limit {
            return Ok((self, made));
        }
        let what = format!("the table of {leaves} leaves");
        Err(Error::MemoryBudget {
            what,
            needed,
            limit,
            smallest: needed,
        })
    }

    /// The plan.
    pub fn plan(&self) -> TablePlan {
        let (variant, arithmetic) = (&self.variant, self.variant.arithmetic);
        let mut plan = Plan {
            cell_cost: figures::CELL_COST,
            ..Plan::default()
        };
        let inputs = plan.upload("inputs", self.inputs.clone());
        let (layout, tree) = match &self.shape {
            Shape::Tiled(tiling) => tiled::add_passes(&mut plan, inputs, variant, tiling),
            Shape::Adaptive(grid) => grid.add_passes(&mut plan, inputs, variant),
            Shape::ThreadPerSubproblem(grid) => grid.add_passes(&mut plan, inputs, variant),
        };
        TablePlan {
            plan,
            layout,
            tree,
            arithmetic,
        }
    }
}

/// What a device computes real costs with; `None` where it has nothing that is precise enough.
fn real(caps: &Capabilities, precision: Precision) -> Option<Arithmetic> {
    match precision {
        Precision::Exact => caps.float64.then_some(Arithmetic::F64),
        Precision::Single => Some(Arithmetic::F32),
    }
}

/// What a device computes whole costs with: the fastest that holds all numbers up to the greatest.
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
    let asked = |arithmetic| tuning.arithmetic.is_none_or(|asked| asked == arithmetic);
    let usable = |&(arithmetic, there): &(Arithmetic, bool)| {
        there && asked(arithmetic) && arithmetic.holds(greatest)
    };
    fastest
        .into_iter()
        .find(usable)
        .map(|(arithmetic, _)| arithmetic)
}

/// Cost and tree of a problem of two leaves or more.
pub(super) async fn solve<P: Problem>(
    device: &Device<'_>,
    problem: &P,
    method: Method,
    (precision, tuning): (Precision, &Tuning),
) -> Result<Found<P::Value>> {
    let caps = device.backend.capabilities();
    let sizes = Sizes::new(problem, method, precision, caps, tuning)?;
    let (sizes, first) = sizes.planned(problem.leaves(), device.budget_bytes)?;
    device.control.enter("sweep");
    device.control.expect(first.plan.cells());
    let first = Mutex::new(Some(first));
    let make = || {
        first
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
            .unwrap_or_else(|| sizes.plan())
    };
    let session = device.open_session()?;
    // While the device is busy.
    let in_order = |_: &TablePlan| Ok(Tree::cost_in_order(problem));
    let ((made, words), in_order) = session
        .round(&|_| make(), &TablePlan::spans, &in_order)
        .await?;
    let (cost, tree) = made.found(&session, problem, &words).await?;
    device.phases.lap("trace");
    let in_order = in_order.unwrap_or_else(|| Tree::cost_in_order(problem));
    Ok(Found {
        cost,
        tree,
        arithmetic: made.arithmetic,
        in_order,
    })
}

impl TablePlan {
    /// The cost of all leaves, and the tree: what is read behind the last pass.
    pub fn spans(&self) -> Vec<Span> {
        vec![self.cost_span((0, self.tree.leaves())), self.tree.span()]
    }

    /// Cost and tree in the words of their [spans](Self::spans).
    ///
    /// # Errors
    /// [`Error::CostOverflow`], [`Error::DeviceLost`], and [`Error::CertificateFailed`] where no tree came.
    pub async fn found<P: Problem>(
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
                (trace::overflowing_start(&column), last),
                self.arithmetic,
            ));
        }
        Ok((cost, self.tree.of_words(tree)?))
    }

    /// Where the cost of the range `i..j` is.
    fn cost_span(&self, (i, j): (u64, u64)) -> Span {
        let (buffer, place) = self.layout.place(i, j);
        let words = self.arithmetic.words() as u64;
        Span {
            buffer,
            first: place * words,
            words,
        }
    }

    /// Costs of single ranges `i..j`.
    ///
    /// # Errors
    /// [`Error::DeviceLost`].
    pub async fn costs<V: Value>(
        &self,
        session: &Session<'_>,
        ranges: &[(u64, u64)],
    ) -> Result<Vec<V>> {
        let spans: Vec<_> = ranges.iter().map(|&range| self.cost_span(range)).collect();
        let read = session.read(&spans)?.await?;
        Ok(read
            .words()
            .chunks(self.arithmetic.words())
            .map(|words| V::from_words(words, self.arithmetic))
            .collect())
    }
}

/// What a call would do.
pub(super) fn summarize<P: Problem>(
    prospect: &Prospect,
    problem: &P,
    method: Method,
    (precision, tuning): (Precision, &Tuning),
) -> Result<PlanSummary> {
    let caps = &prospect.capabilities;
    let sizes = Sizes::new(problem, method, precision, caps, tuning)?;
    let (_, made) = sizes.planned(problem.leaves(), prospect.budget_bytes)?;
    let (tile, strips) = match &made.layout {
        Layout::Tiles(tiling, _) => (u64::from(tiling.tile), tiling.tiles()),
        _ => (1, problem.leaves() as u64),
    };
    Ok(PlanSummary {
        method,
        device: prospect.name.clone(),
        path_mode: "table",
        cells: splits(problem.leaves()),
        tile: (tile, tile),
        strips,
        passes: made.plan.passes.len() as u64,
        device_bytes: made.plan.size_bytes(),
        host_bytes: problem.leaves() as u64 * 64,
        expected: prospect.expected(seconds(problem.leaves(), method, caps)),
    })
}

/// Seconds that a table takes on a device with so many bytes; without end where it has no room, or does not run the problem's weights.
pub(super) fn seconds_within<P: Problem>(
    problem: &P,
    method: Method,
    (precision, tuning): (Precision, &Tuning),
    caps: &Capabilities,
    budget_bytes: u64,
) -> f64 {
    let leaves = problem.leaves();
    if leaves < 2 {
        return 0.0;
    }
    let fitting = Sizes::new(problem, method, precision, caps, tuning).and_then(|sizes| {
        let (sizes, _) = sizes.planned(leaves, budget_bytes)?;
        Ok(caps.checks || sizes.variant.allows_unchecked(caps.compiles))
    });
    match fitting {
        Ok(false) => f64::INFINITY,
        Err(error) if error.is_lack_of_room() => f64::INFINITY,
        // What else is refused, the call says.
        Ok(true) | Err(_) => seconds(leaves, method, caps),
    }
}

/// Time that a table of so many leaves takes on a device, by the method's share of the tiled one's rate.
fn seconds(leaves: usize, method: Method, caps: &Capabilities) -> f64 {
    let slower = match method {
        Method::Tiled => 1.0,
        Method::Adaptive => 8.0,
        _ => 64.0,
    };
    let rate = figures::SPLITS_PER_SECOND * compute_units(caps) / slower;
    leaves as f64 * figures::LEAF_SECONDS + splits(leaves) as f64 / rate
}

#[cfg(all(test, feature = "gpu"))]
mod tests {
    use super::*;
    use crate::backend::counted::Counted;
    use crate::engine::letters;
    use crate::parenthesization::{MatrixChain, RnaFold, reference};

    const METHODS: [Method; 3] = [Method::Tiled, Method::Adaptive, Method::ThreadPerSubproblem];

    fn assert_cut<P: Problem>(backend: &Counted, problem: &P) {
        let (expected, _) = reference::solve(problem).expect("it fits");
        let tuning = Tuning {
            tile: Some(8),
            ..Tuning::default()
        };
        let asked = (Precision::Exact, &tuning);
        for method in METHODS {
            for found in
                backend.whole_and_cut(async |device| solve(device, problem, method, asked).await)
            {
                let cost = found.tree.cost(problem).expect("it is a tree");
                assert!(found.cost == expected && cost == expected, "{method:?}");
            }
        }
    }

    #[test]
    fn finished_tiles_lie_there_twice_where_the_budget_holds_them() {
        let problem = MatrixChain::new((1..600).map(|k| k % 31 + 1).collect());
        let (caps, tuning) = (
            Capabilities {
                carry_flag: true,
                ..Capabilities::default()
            },
            Tuning::default(),
        );
        let sizes =
            Sizes::new(&problem, Method::Tiled, Precision::Exact, &caps, &tuning).expect("it fits");
        let bytes = |limit| match sizes.clone().planned(600, limit) {
            Ok((_, made)) => made.plan.size_bytes(),
            Err(Error::MemoryBudget { needed, .. }) => needed,
            Err(other) => panic!("{other}"),
        };
        let (twice, once) = (bytes(u64::MAX), bytes(0));
        // 600 points are 19 tiles in a row.
        assert_eq!(twice - once, 19 * 20 / 2 * 32 * 32 * 4);
        assert_eq!((bytes(twice), bytes(twice - 1)), (twice, once));
    }

    #[test]
    fn every_pass_of_every_method_has_cells() {
        let (caps, tuning) = (Capabilities::default(), Tuning::default());
        for leaves in [2, 3, 70] {
            let problem = MatrixChain::new((0..=leaves).map(|k| k % 31 + 1).collect());
            for method in METHODS {
                let sizes = Sizes::new(&problem, method, Precision::Exact, &caps, &tuning)
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
    fn passes_that_are_cut_leave_what_whole_ones_do_by_every_method() {
        let Some(backend) = Counted::open() else {
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
                .cut_kernels()
                .into_iter()
                .eq(cut.map(|name| format!("parenthesization/{name}")))
        );
    }
}
