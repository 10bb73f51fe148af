//! The strip sweep in all its variants.

use super::{Access, Kernel, Passes};

/// Which recurrence goes through the limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recurrence {
    /// Lengths of longest common subsequences.
    Lcs,
    /// Edit distances.
    EditDistance,
}

/// Where match masks come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matching {
    /// A table in workgroup memory, for few symbols.
    Table,
    /// Bit planes in registers, for any number of symbols.
    Planes,
}

/// How carries pass from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HandOver {
    /// A subgroup shuffle; the workgroup is one subgroup.
    Subgroup,
    /// Workgroup memory and a barrier.
    Workgroup,
}

/// Where strips start from, and which of their boundaries they keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundaries {
    /// From the pass before; nothing is kept.
    Rolling,
    /// From the pass before; checkpoints of so many steps are kept.
    Checkpoints { steps: u32 },
    /// From checkpoints; the boundaries of tiles of so many steps are kept.
    Tiles {
        steps: u32,
        /// Steps whose carries share a word.
        packed: u32,
        /// Words that a lane leaves at a time: 1, 2 or 4.
        width: u32,
    },
}

/// What decides on a kernel of the strip sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripSweep {
    pub recurrence: Recurrence,
    pub matching: Matching,
    pub hand_over: HandOver,
    pub boundaries: Boundaries,
    /// Whether strips have words of their own, as those of a band have.
    pub spans: bool,
    pub lanes: u32,
    /// Limbs of a lane.
    pub limbs: u32,
    /// Limbs that are one vector of the match table: 2 or 4.
    pub limb_width: u32,
    /// Columns in a carry word.
    pub columns: u32,
    /// Columns whose codes are loaded at once: 8 or 16.
    pub unit: u32,
    /// Column words of a pass.
    pub steps: u32,
    /// Bits of a code.
    pub planes: u32,
    /// Symbols of the match table.
    pub symbols: u32,
    /// The code of rows that match every column, 0 where there are none.
    pub wild: u32,
}

impl StripSweep {
    /// Whether passes make a chain: strips of one subgroup whose words have room beside their carries to tell whose they are.
    pub(crate) fn chains(hand_over: HandOver, columns: u32) -> bool {
        hand_over == HandOver::Subgroup && columns < u32::BITS
    }

    /// The kernel.
    pub fn kernel(&self) -> Kernel {
        use Access::{Read, ReadWrite};
        let mut constants = vec![
            ("LIMBS", self.limbs),
            ("COLUMNS", self.columns),
            ("UNIT", self.unit),
            ("STEPS", self.steps),
            ("PLANES", self.planes),
            ("WILD", self.wild),
        ];
        let matching = match self.matching {
            Matching::Planes => "bit_parallel/match_planes",
            Matching::Table => {
                let code_width = self.unit / 4;
                constants.extend([
                    ("SYMBOLS", self.symbols),
                    ("LIMB_WIDTH", self.limb_width),
                    ("CODE_WIDTH", code_width),
                ]);
                "bit_parallel/match_table"
            }
        };
        let (start, keep, bindings) = match self.boundaries {
            Boundaries::Rolling => (
                "bit_parallel/from_pass",
                "bit_parallel/keep_nothing",
                &[ReadWrite, Read, Read, ReadWrite][..],
            ),
            Boundaries::Checkpoints { steps } => {
                constants.push(("CHECKPOINT_STEPS", steps));
                (
                    "bit_parallel/from_pass",
                    "bit_parallel/keep_checkpoints",
                    &[ReadWrite, Read, Read, ReadWrite, ReadWrite][..],
                )
            }
            Boundaries::Tiles {
                steps,
                packed,
                width,
            } => {
                constants.extend([
                    ("TILE_STEPS", steps),
                    ("PACKED", packed),
                    ("TILE_WIDTH", width),
                ]);
                (
                    "bit_parallel/from_checkpoint",
                    "bit_parallel/keep_tiles",
                    &[ReadWrite, Read, Read, Read, Read][..],
                )
            }
        };
        let hand_over = match self.hand_over {
            HandOver::Subgroup => "common/hand_over_subgroup",
            HandOver::Workgroup => "common/hand_over_workgroup",
        };
        let limbs = match self.recurrence {
            Recurrence::Lcs => "lcs/limbs",
            Recurrence::EditDistance => "edit_distance/limbs",
        };
        let mut kernel = Kernel::new("bit_parallel/strip_sweep", self.lanes, bindings);
        kernel.bindings.extend(self.spans.then_some((5, Read)));
        let spans = if self.spans {
            "bit_parallel/span_each"
        } else {
            "bit_parallel/span_whole"
        };
        let parts = vec![hand_over, matching, limbs, spans, start, keep];
        let of_passes = !matches!(self.boundaries, Boundaries::Tiles { .. });
        let chained = of_passes && Self::chains(self.hand_over, self.columns);
        let passes = if chained {
            Passes::Chained
        } else {
            Passes::Apart
        };
        Kernel {
            parts,
            constants,
            subgroups: self.hand_over == HandOver::Subgroup,
            passes,
            ..kernel
        }
    }
}
