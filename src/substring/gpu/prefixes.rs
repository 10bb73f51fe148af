//! Prefix hashes of a text, computed on the device.

use super::texts::{BLOCK, Chunking, STRETCH};
use crate::kernels::substring;
use crate::plan::{Bounds, BufferId, Contents, Pass, PassSplit, Plan, params};

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
        let lengths = (0..codes.len()).map(|chunk| chunking.of_chunk(chunk));
        let prefixes: Vec<_> = { lengths }
            .map(|stretches| {
                let words = 2 * (stretches.end - stretches.start);
                plan.buffer("prefix hashes", words, Contents::Unspecified)
            })
            .collect();
        let mut add =
            |kernel: usize, buffers: Vec<BufferId>, groups: u64, words: [u32; 2], cells: u64| {
                let bindings = plan.bind(buffers);
                plan.passes.push(Pass {
                    kernel,
                    bindings,
                    groups: [groups as u32, 1, 1],
                    params: params(words),
                    cells,
                });
            };
        let of_chunks = || {
            (0..codes.len()).map(|chunk| {
                let stretches = chunking.of_chunk(chunk);
                (
                    chunk,
                    stretches.start / BLOCK,
                    (stretches.end - stretches.start) / BLOCK,
                )
            })
        };
        for (chunk, first, count) in of_chunks() {
            let buffers = vec![codes[chunk], prefixes[chunk], blocks, control];
            add(
                self.stretches,
                buffers,
                count,
                [first as u32, 0],
                count * BLOCK * STRETCH,
            );
        }
        add(
            self.blocks,
            vec![blocks, control],
            1,
            [chunking.blocks() as u32, (BLOCK * STRETCH) as u32],
            chunking.blocks(),
        );
        for (chunk, first, count) in of_chunks() {
            add(
                self.spread,
                vec![prefixes[chunk], blocks, control],
                count,
                [first as u32, 0],
                count * BLOCK,
            );
        }
        prefixes
    }
}
