//! Shapes of the embedded kernels, the only choice on devices that compile no others.
//!
//! A small set with the least loss under the cost model. Extra symbols that never occur do not
//! change the answer, so kernels for more symbols serve fewer.

use super::checkpoints::CheckpointLayout;
use super::tiling::{MAX_SYMBOLS, Tiling};
use crate::backend::Capabilities;
use crate::kernels::bit_parallel::{CarryExchange, Matching};
use crate::sequences::bit_parallel::shape::Shape;

/// Alphabet sizes of the kernels: the first two with match tables, the others with bit planes.
pub const SYMBOLS: [u32; 4] = [5, 29, 253, MAX_SYMBOLS];
const TABLES: usize = 2;
/// Lanes per strip: one subgroup.
const LANES: u32 = 32;
const LIMBS: [u32; 4] = [2, 4, 6, 10];
const COLUMNS: u32 = 8;
const STEPS: [u32; 2] = [16, 64];
const CHECKPOINT_STEPS: u64 = 512;

/// Alphabet sizes of the kernels for one kind of matching.
fn symbols(matching: Matching) -> &'static [u32] {
    match matching {
        Matching::Table => &SYMBOLS[..TABLES],
        Matching::Planes => &SYMBOLS[TABLES..],
    }
}

impl Shape {
    /// The table with its alphabet rounded up to that of a kernel; unchanged if none is large
    /// enough, or for sets, which no embedded kernel has.
    pub(super) fn embedded(self, matching: Matching) -> Self {
        let mut symbols = symbols(matching).iter().copied();
        let fitting = symbols.find(|&symbols| symbols >= self.alphabet.shared);
        match fitting {
            Some(shared) if !self.alphabet.sets => Self {
                alphabet: shared.into(),
                ..self
            },
            _ => self,
        }
    }
}

impl Tiling {
    pub(super) fn is_embedded(&self) -> bool {
        (self.carry_exchange, self.lanes, self.columns) == (CarryExchange::Subgroup, LANES, COLUMNS)
            && LIMBS.contains(&self.limbs)
            && STEPS.contains(&self.steps)
            && !self.shape.alphabet.sets
            && symbols(self.matching).contains(&self.shape.alphabet.shared)
    }

    /// Possible numbers of passes per checkpoint.
    pub fn checkpoint_passes(&self, caps: &Capabilities) -> impl Iterator<Item = u64> + use<> {
        let (steps, any) = (u64::from(self.steps), caps.compiles);
        CheckpointLayout::PASSES
            .into_iter()
            .filter(move |passes| any || passes * steps == CHECKPOINT_STEPS)
    }
}
