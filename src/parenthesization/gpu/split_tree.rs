//! The tree of a finished table, found on the device.

use crate::backend::{Capabilities, Span};
use crate::error::{Error, Result};
use crate::kernels::Kernel;
use crate::kernels::parenthesization::{Table, Variant};
use crate::parenthesization::found::cells;
use crate::parenthesization::tree::{Node, Tree};
use crate::plan::{BufferId, Contents, Pass, Plan, params};

/// Most ranges that one path goes down in a pass, one after the other.
const STEPS: u32 = 256;
/// The same where threads of the host compute in a GPU's stead, to which a step's barriers are tens of microseconds.
const STEPS_ON_HOST: u32 = 32;
/// Splits that a pass compares at the most, which is short on any device: no part of its queue is known when it is planned, so it is
/// never cut.
const PASS_SPLITS: u64 = 1 << 20;
/// Lanes of a workgroup, where it has no more.
pub(super) const LANES: u32 = 256;
/// Workgroups of a pass of a GPU. Threads of the host take one at a time, and tens of microseconds for one that has nothing to do.
const GROUPS: u32 = 512;

/// Where the tree will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    leaves: u64,
    buffer: BufferId,
    /// Where the ranges by split start; behind them are the ends by start.
    splits: u64,
}

/// What a pass has at the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portion {
    /// Ranges that one path goes down.
    steps: u32,
    /// Workgroups.
    groups: u32,
}

impl Portion {
    /// That of this device.
    pub(super) fn of(caps: &Capabilities) -> Self {
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

/// The kernel for a table that lies so.
pub(super) fn kernel(kernels: &Variant, table: Table, lanes: u32) -> Kernel {
    kernels.split_tree(table, lanes, STEPS)
}

/// Adds the passes that find the tree; `buffers` are those of the table, in the order of the kernel's bindings, and tiles lie
/// transposed so many further on, or nowhere.
pub(super) fn add_passes(
    plan: &mut Plan,
    kernel: Kernel,
    (leaves, transposed): (u64, u32),
    portion: Portion,
    buffers: &[BufferId],
) -> Found {
    // The ranges of a pass lie beside each other and have all leaves at the most, at each step.
    let steps = (PASS_SPLITS / leaves).clamp(1, portion.steps.into());
    // A part that waits has half the leaves at most, or lies that many ranges deeper.
    let passes = u64::from(leaves.ilog2()) + leaves / steps + 2;
    // Behind the length of each pass's queue, and how long those before it are.
    let queue = 2 * (passes + 1);
    let splits = queue + 4 * leaves;
    let enclosures = splits + 2 * (leaves + 1);
    let mut words = vec![0u32; (enclosures + leaves + 1) as usize];
    (words[0], words[queue as usize + 1]) = (1, leaves as u32);
    let buffer = plan.buffer("tree", words.len() as u64, Contents::Words(words));
    let kernel = plan.kernel(kernel);
    let bindings = plan.bind([buffers, &[buffer]].concat());
    for number in 0..passes {
        plan.passes.push(Pass {
            kernel,
            bindings,
            groups: [(leaves / 2).clamp(1, portion.groups.into()) as u32, 1, 1],
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
    Found {
        leaves,
        buffer,
        splits,
    }
}

impl Found {
    /// How many leaves it has.
    pub(super) fn leaves(&self) -> u64 {
        self.leaves
    }

    /// Its words.
    pub(super) fn span(&self) -> Span {
        Span {
            buffer: self.buffer,
            first: self.splits,
            words: 3 * (self.leaves + 1),
        }
    }

    /// The tree in those.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] where they are no tree.
    pub(super) fn of_words(&self, words: &[u32]) -> Result<Tree> {
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
