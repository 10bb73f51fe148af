//! The strip sweep in all its variants.

use super::Access::{Read, ReadWrite};
use super::{Kernel, Launch};

/// Recurrence of the limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recurrence {
    Lcs,
    EditDistance,
}

/// Source of the match masks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matching {
    /// Table in workgroup memory, for small alphabets.
    Table,
    /// Bit planes in registers, for alphabets of any size.
    Planes,
}

/// How carries pass from lane to lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CarryExchange {
    /// Subgroup shuffle; the workgroup is one subgroup.
    Subgroup,
    /// Workgroup memory and a barrier.
    Workgroup,
}

/// Input boundaries of strips, and the boundaries that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundaries {
    /// Input from the previous pass; keeps nothing.
    Rolling,
    /// Input from the previous pass; keeps a checkpoint every `steps` steps.
    Checkpoints { steps: u32 },
    /// Input from checkpoints; keeps the boundaries of tiles of `steps` steps.
    Tiles {
        steps: u32,
        /// Steps whose carries share one word.
        packed: u32,
        /// Words per store of a lane: 1, 2 or 4.
        width: u32,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StripSweep {
    pub recurrence: Recurrence,
    pub matching: Matching,
    pub carry_exchange: CarryExchange,
    pub boundaries: Boundaries,
    /// True if each strip has its own range of column words, as in a band.
    pub spans: bool,
    pub lanes: u32,
    /// Limbs per lane.
    pub limbs: u32,
    /// Limbs per vector of the match table: 2 or 4.
    pub table_vector_width: u32,
    /// Columns per carry word.
    pub columns: u32,
    /// Columns per load of codes: 8 or 16.
    pub codes_per_load: u32,
    /// Column words per pass.
    pub steps: u32,
    /// Bits of a code.
    pub planes: u32,
    /// Symbols of the match table.
    pub symbols: u32,
    /// True if codes are sets of planes, and match if they have one in common; else equal codes
    /// match.
    pub sets: bool,
    /// Code of rows that match every column; 0 for none.
    pub wildcard_code: u32,
}

impl StripSweep {
    /// True if a launch may chain passes: single-subgroup strips whose words have spare bits beside
    /// the carries to mark their owner.
    pub(crate) fn chains(carry_exchange: CarryExchange, columns: u32) -> bool {
        carry_exchange == CarryExchange::Subgroup && columns < u32::BITS
    }

    pub fn kernel(&self) -> Kernel {
        let mut constants = vec![
            ("LIMBS", self.limbs),
            ("COLUMNS", self.columns),
            ("UNIT", self.codes_per_load),
            ("STEPS", self.steps),
            ("PLANES", self.planes),
            ("SETS", self.sets.into()),
            ("WILD", self.wildcard_code),
        ];
        let matching = match self.matching {
            Matching::Planes => "bit_parallel/match_planes",
            Matching::Table => {
                constants.extend([
                    ("SYMBOLS", self.symbols),
                    ("LIMB_WIDTH", self.table_vector_width),
                    ("CODE_WIDTH", self.codes_per_load / 4),
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
        let carry_exchange = match self.carry_exchange {
            CarryExchange::Subgroup => "common/hand_over_subgroup",
            CarryExchange::Workgroup => "common/hand_over_workgroup",
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
        let of_passes = !matches!(self.boundaries, Boundaries::Tiles { .. });
        if of_passes && Self::chains(self.carry_exchange, self.columns) {
            kernel.launch = Launch::Chained;
        }
        Kernel {
            parts: vec![carry_exchange, matching, limbs, spans, start, keep],
            constants,
            subgroups: self.carry_exchange == CarryExchange::Subgroup,
            ..kernel
        }
    }
}
