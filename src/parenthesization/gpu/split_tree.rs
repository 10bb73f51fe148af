//! Traceback on the device: the tree of a finished table.

use crate::backend::{Capabilities, Span};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::kernels::parenthesization::{Table, Variant};
use crate::parenthesization::result::cells;
use crate::parenthesization::tree::{Node, Tree};
use crate::plan::{BufferId, Pass, Plan, params};

/// Maximum ranges that one path descends in a pass.
const STEPS: u32 = 256;
/// [`STEPS`] on a CPU device, where the barriers of a step take tens of microseconds.
const STEPS_ON_HOST: u32 = 32;
/// Maximum splits compared in a pass, which is short on any device. The queue is unknown when the
/// pass is planned, so it cannot be sliced.
const PASS_SPLITS: u64 = 1 << 20;
pub(crate) const LANES: u32 = 256;
/// Workgroups of a pass. A CPU device runs one at a time, and an idle one costs tens of
/// microseconds.
const GROUPS: u32 = 512;

/// Location of the tree in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeBuffer {
    leaves: u64,
    buffer: BufferId,
    /// First word of the ranges by split; the ends of enclosures by start follow.
    splits: u64,
}

/// Maximum size of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassLimits {
    /// Ranges that one path descends.
    steps: u32,
    groups: u32,
}

impl PassLimits {
    pub(crate) fn of(caps: &Capabilities) -> Self {
        match caps.host_threads {
            Some(threads) => Self {
                steps: STEPS_ON_HOST,
                groups: threads.clamp(1, GROUPS),
            },
            None => Self {
                steps: STEPS,
                groups: GROUPS,
            },
        }
    }
}

/// The traceback kernel for a table layout.
pub(crate) fn kernel(kernels: &Variant, table: Table, lanes: u32) -> Kernel {
    kernels.split_tree(table, lanes, STEPS)
}

/// Adds the passes of the traceback. `buffers` are the table's, in binding order; `transposed` is
/// the distance to the transposed tiles, 0 if there are none.
pub(crate) fn add_passes(
    plan: &mut Plan,
    kernel: Kernel,
    leaves: u64,
    transposed: u32,
    limits: PassLimits,
    buffers: &[BufferId],
) -> TreeBuffer {
    // The ranges of a pass are disjoint: at each step they have at most all leaves.
    let steps = (PASS_SPLITS / leaves).clamp(1, limits.steps.into());
    // A queued part has at most half the leaves, or is `steps` ranges deeper.
    let passes = u64::from(leaves.ilog2()) + leaves / steps + 2;
    // The queue follows the queue length of each pass and their prefix sums.
    let queue = 2 * (passes + 1);
    let splits = queue + 4 * leaves;
    let enclosures = splits + 2 * (leaves + 1);
    let mut words = vec![0u32; (enclosures + leaves + 1) as usize];
    (words[0], words[queue as usize + 1]) = (1, leaves as u32);
    let buffer = plan.upload("tree", words);
    let kernel = plan.kernel(kernel);
    let bindings = plan.bind([buffers, &[buffer]].concat());
    for number in 0..passes {
        plan.passes.push(Pass {
            kernel,
            bindings,
            groups: [(leaves / 2).clamp(1, limits.groups.into()) as u32, 1, 1],
            params: params([
                number as u32,
                leaves as u32,
                queue as u32,
                splits as u32,
                enclosures as u32,
                transposed,
                steps as u32,
            ]),
            cells: cells(leaves * steps),
        });
    }
    TreeBuffer {
        leaves,
        buffer,
        splits,
    }
}

impl TreeBuffer {
    pub(crate) fn leaves(&self) -> u64 {
        self.leaves
    }

    pub(crate) fn span(&self) -> Span {
        Span {
            buffer: self.buffer,
            first: self.splits,
            words: 3 * (self.leaves + 1),
        }
    }

    /// Decodes the words of [`span`](Self::span).
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if they are no tree.
    pub(crate) fn of_words(&self, words: &[u32]) -> Result<Tree> {
        let points = self.leaves as usize + 1;
        let (splits, enclosures) = words.split_at(2 * points);
        let split = splits
            .chunks(2)
            .enumerate()
            .filter(|(_, range)| range[1] != 0)
            .map(|(k, range)| Node {
                start: range[0] as usize,
                end: range[1] as usize,
                split: Some(k),
            });
        let enclosed = enclosures.iter().enumerate().filter(|&(_, &end)| end != 0);
        let enclosed = enclosed.map(|(start, &end)| Node {
            start,
            end: end as usize,
            split: None,
        });
        let mut nodes = Vec::with_capacity(points);
        nodes.extend(split.chain(enclosed));
        match nodes
            .iter()
            .find(|node| node.end >= points || node.start >= node.end)
        {
            Some(node) => Err(Error::CertificateFailed(format!(
                "{node:?} is no range of the leaves"
            ))),
            None => Ok(Tree::from_nodes(points - 1, nodes)),
        }
    }
}
