//! Shapes of the kernels that are embedded: what sizes are chosen from where a device compiles no others.
//!
//! Few of everything: those by which the cost model loses least. A symbol that never occurs changes no answer, so that kernels for more
//! symbols do for fewer.

use super::checkpoints::CheckpointLayout;
use super::tiling::{MAX_SYMBOLS, Tiling};
use crate::backend::Capabilities;
use crate::kernels::bit_parallel::{CarryExchange, Matching};
use crate::pairwise::bit_parallel::shape::Shape;

/// Shared symbols that kernels are made for: the first two with match tables, the others with bit planes.
pub const SYMBOLS: [u32; 4] = [5, 29, 253, MAX_SYMBOLS];
const TABLES: usize = 2;
/// Lanes of a strip: one subgroup.
const LANES: u32 = 32;
/// Limbs of a lane.
const LIMBS: [u32; 4] = [2, 4, 6, 10];
/// Columns in a carry word.
const COLUMNS: u32 = 8;
/// Column words of a pass.
const STEPS: [u32; 2] = [16, 64];
/// Column words of a checkpoint.
const CHECKPOINT_STEPS: u64 = 512;

/// Symbols that kernels of one matching are made for.
fn symbols(matching: Matching) -> &'static [u32] {
    match matching {
        Matching::Table => &SYMBOLS[..TABLES],
        Matching::Planes => &SYMBOLS[TABLES..],
    }
}

impl Shape {
    /// The same table for as many symbols as there are kernels for; where there are none for so many, itself.
    pub(super) fn embedded(self, matching: Matching) -> Self {
        let shared = symbols(matching)
            .iter()
            .copied()
            .find(|&symbols| symbols >= self.shared);
        Self {
            shared: shared.unwrap_or(self.shared),
            ..self
        }
    }
}

impl Tiling {
    /// Whether its kernels are embedded.
    pub(super) fn is_embedded(&self) -> bool {
        (self.carry_exchange, self.lanes, self.columns) == (CarryExchange::Subgroup, LANES, COLUMNS)
            && LIMBS.contains(&self.limbs)
            && STEPS.contains(&self.steps)
            && symbols(self.matching).contains(&self.shape.shared)
    }

    /// Passes that a checkpoint can have.
    pub fn checkpoint_passes(&self, caps: &Capabilities) -> impl Iterator<Item = u64> + use<> {
        let (steps, any) = (u64::from(self.steps), caps.compiles);
        CheckpointLayout::PASSES
            .into_iter()
            .filter(move |passes| any || passes * steps == CHECKPOINT_STEPS)
    }
}
