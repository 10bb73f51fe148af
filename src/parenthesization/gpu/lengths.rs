//! One pass a length, shortest first, in tables of whole triangles; then the passes that find the tree.

use super::kernels::Variant;
use super::{cells, split_tree};
use crate::plan::{BufferId, Contents, Kernel, Pass, Plan, params};

/// What a method fills its tables with.
pub(super) struct Filling<'a> {
    pub variant: &'a Variant,
    pub leaves: u64,
    /// Values of one table.
    pub values: u64,
    pub kernel: Kernel,
    pub tree_kernel: Kernel,
}

impl Filling<'_> {
    /// Adds tables of these names and all passes; `mapping` gives a length's workgroups and its third parameter.
    pub(super) fn add_passes<const TABLES: usize>(
        self,
        plan: &mut Plan,
        inputs: BufferId,
        tables: [&str; TABLES],
        mapping: impl Fn(u64) -> (u64, u64),
    ) -> ([BufferId; TABLES], split_tree::Found) {
        let Self { variant, leaves, values, kernel, tree_kernel } = self;
        let words = values * variant.arithmetic.words() as u64;
        let tables = tables.map(|name| plan.buffer(name, words, Contents::Unspecified));
        let bound = [&[inputs], &tables[..]].concat();
        let kernel = plan.kernel(kernel);
        let bindings = plan.bind(bound.clone());
        for length in 1..=leaves {
            let (groups, third) = mapping(length);
            plan.passes.push(Pass {
                kernel,
                bindings,
                groups: [groups as u32, 1, 1],
                params: params([length as u32, leaves as u32, third as u32]),
                cells: cells((leaves - length + 1) * length),
            });
        }
        let tree = split_tree::add_passes(plan, tree_kernel, leaves, &bound);
        (tables, tree)
    }
}
