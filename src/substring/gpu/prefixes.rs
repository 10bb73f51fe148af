//! Prefix hashes of a text, computed on the device.

use std::ops::Range;

use super::texts::{BLOCK, Chunking, STRETCH};
use crate::kernels::substring;
use crate::plan::{Bounds, BufferId, Contents, PassSplit, Plan};

/// Slices by workgroup; parameter 0 is the first block.
const BY_BLOCKS: PassSplit = PassSplit::by_group(Bounds::First(1));

/// Indices of the hashing kernels in a plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernels {
    stretches: usize,
    blocks: usize,
    spread: usize,
}

impl Kernels {
    pub(crate) fn new(plan: &mut Plan, bits: u32) -> Self {
        let stretches = plan.kernel(substring::prefix_stretches(bits));
        let [blocks, spread] = [substring::prefix_blocks(), substring::prefix_spread()]
            .map(|kernel| plan.kernel(kernel));
        plan.splits
            .extend([stretches, spread].map(|kernel| (kernel, BY_BLOCKS)));
        Self {
            stretches,
            blocks,
            spread,
        }
    }

    /// Adds the passes that hash a text's prefixes, with the base in the first words of `control`.
    /// Returns one buffer per chunk with the hash in front of every stretch.
    pub(crate) fn add_passes(
        &self,
        plan: &mut Plan,
        chunking: &Chunking,
        codes: &[BufferId],
        control: BufferId,
    ) -> Vec<BufferId> {
        let blocks = plan.buffer("block hashes", 2 * chunking.blocks(), Contents::Unspecified);
        let hashes = |chunk: usize| {
            let Range { start, end } = chunking.of_chunk(chunk);
            plan.buffer("prefix hashes", 2 * (end - start), Contents::Unspecified)
        };
        let prefixes: Vec<_> = (0..codes.len()).map(hashes).collect();

        let of_chunks = || {
            (0..codes.len()).map(|chunk| {
                let Range { start, end } = chunking.of_chunk(chunk);
                (chunk, start / BLOCK, (end - start) / BLOCK)
            })
        };
        for (chunk, first, count) in of_chunks() {
            let buffers = vec![codes[chunk], prefixes[chunk], blocks, control];
            let cells = count * BLOCK * STRETCH;
            plan.pass(self.stretches, buffers, count, [first as u32], cells);
        }
        let words = [chunking.blocks() as u32, (BLOCK * STRETCH) as u32];
        plan.pass(
            self.blocks,
            vec![blocks, control],
            1,
            words,
            chunking.blocks(),
        );
        for (chunk, first, count) in of_chunks() {
            let buffers = vec![prefixes[chunk], blocks, control];
            plan.pass(self.spread, buffers, count, [first as u32], count * BLOCK);
        }
        prefixes
    }
}
