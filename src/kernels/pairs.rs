//! Kernels for many pairs of strings, one pair per lane.

use super::{Access, Kernel};

/// Lanes of a workgroup.
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

/// Parameters of all kernels of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairTable {
    pub recurrence: Recurrence,
    pub ends: Ends,
    /// Limbs per strip of a query.
    pub limbs: u32,
    /// True if queries may have several strips.
    pub strips: bool,
    /// True if a bound ends tables early.
    pub limited: bool,
}

impl PairTable {
    /// Part with the recurrence, and the constants.
    fn parts(&self) -> (&'static str, Vec<(&'static str, u32)>) {
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
            ("LIMITED", self.limited.into()),
            ("ENDS", ends),
            ("MEASURE", measure),
        ];
        (limbs, constants)
    }
}

/// One query with many targets per workgroup. `symbols` is the greatest code; `packed` is the number
/// of values per word: 1, 2 or 4.
pub fn lanes(table: &PairTable, symbols: u32, packed: u32) -> Kernel {
    use Access::{Read, ReadWrite};
    let (limbs, mut constants) = table.parts();
    constants.extend([("SYMBOLS", symbols), ("PACK", packed)]);
    Kernel {
        parts: vec!["pairs/masks", limbs, "pairs/columns"],
        constants,
        ..Kernel::new(
            "pairs/lanes",
            LANES,
            &[Read, ReadWrite, Read, Read, Read, ReadWrite],
        )
    }
}

/// A query and a target per lane. Codes are less than 2^`planes`.
pub fn entries(table: &PairTable, planes: u32) -> Kernel {
    use Access::{Read, ReadWrite};
    let (limbs, mut constants) = table.parts();
    constants.push(("PLANES", planes));
    Kernel {
        parts: vec!["pairs/planes", limbs, "pairs/columns"],
        constants,
        ..Kernel::new("pairs/entries", LANES, &[Read, ReadWrite, Read, ReadWrite])
    }
}
