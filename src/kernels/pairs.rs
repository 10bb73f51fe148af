//! Kernels for many pairs of strings, one pair per lane.

use super::{Access, Kernel};

/// Lanes of a workgroup: targets of a tile.
pub const LANES: u32 = 128;

/// Recurrence of the limbs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recurrence {
    /// Edit distance.
    Edit,
    /// Indel distance, from the length of the LCS.
    Indel,
    /// Length of the LCS.
    Lcs,
}

/// Part of the target that is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    Whole,
    Prefix,
    Piece,
}

/// Parameters that select a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairLanes {
    pub recurrence: Recurrence,
    pub ends: Ends,
    /// Limbs per strip of a query.
    pub limbs: u32,
    /// True if queries may have several strips.
    pub strips: bool,
    /// Greatest code.
    pub symbols: u32,
    /// Values per word: 1, 2 or 4.
    pub packed: u32,
    /// True if a bound ends tables early.
    pub limited: bool,
}

impl PairLanes {
    pub fn kernel(&self) -> Kernel {
        use Access::{Read, ReadWrite};
        let (limbs, measure) = match self.recurrence {
            Recurrence::Edit => ("edit_distance/limbs", 0),
            Recurrence::Indel => ("lcs/limbs", 1),
            Recurrence::Lcs => ("lcs/limbs", 2),
        };
        let ends = match self.ends {
            Ends::Whole => 0,
            Ends::Prefix => 1,
            Ends::Piece => 2,
        };
        let constants = vec![
            ("LIMBS", self.limbs),
            ("STRIPS", self.strips.into()),
            ("SYMBOLS", self.symbols),
            ("PACK", self.packed),
            ("LIMITED", self.limited.into()),
            ("ENDS", ends),
            ("MEASURE", measure),
        ];
        Kernel {
            parts: vec!["pairs/masks", limbs],
            constants,
            ..Kernel::new(
                "pairs/lanes",
                LANES,
                &[Read, Read, Read, Read, ReadWrite, ReadWrite],
            )
        }
    }
}
