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
    /// Hamming distance.
    Hamming,
    /// Optimal string alignment.
    Osa,
    /// Matches and transpositions.
    Jaro,
    /// Matches, transpositions and the length of a common prefix.
    JaroWinkler,
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
    /// Parts with the recurrence, and the constants.
    fn parts(&self) -> (Vec<&'static str>, Vec<(&'static str, u32)>) {
        let (limbs, measure) = match self.recurrence {
            Recurrence::Edit => ("edit_distance/limbs", 0),
            Recurrence::Indel => ("lcs/limbs", 1),
            Recurrence::Lcs => ("lcs/limbs", 2),
            Recurrence::Hamming => ("pairs/hamming", 0),
            Recurrence::Osa => ("pairs/osa", 0),
            Recurrence::Jaro => ("pairs/jaro", 0),
            Recurrence::JaroWinkler => ("pairs/jaro", 1),
        };
        let mut parts = vec![limbs, "pairs/strips"];
        if limbs != "pairs/jaro" {
            parts.push("pairs/columns");
        }
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
        (parts, constants)
    }
}

/// What is stored of the values of one query with many targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Store {
    /// All values, 1, 2 or 4 per word.
    Packed(u32),
    /// Values within the bound with their places, up to this number.
    Kept(u32),
}

/// One query with many targets per workgroup. `symbols` is the greatest code.
pub fn lanes(table: &PairTable, symbols: u32, store: Store) -> Kernel {
    use Access::{Read, ReadWrite};
    let (parts, mut constants) = table.parts();
    let (store, constant) = match store {
        Store::Packed(values) => ("pairs/store_values", ("PACK", values)),
        Store::Kept(values) => ("pairs/store_kept", ("KEPT", values)),
    };
    constants.extend([("SYMBOLS", symbols), constant]);
    Kernel {
        parts: [&["pairs/masks"], &parts[..], &[store]].concat(),
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
    let (parts, mut constants) = table.parts();
    constants.push(("PLANES", planes));
    Kernel {
        parts: [&["pairs/planes"], &parts[..]].concat(),
        constants,
        ..Kernel::new("pairs/entries", LANES, &[Read, ReadWrite, Read, ReadWrite])
    }
}

/// Differences that [`bands`] stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    Nothing,
    /// The window's differences before every block of 32 columns; [`traceback`] finds the path from
    /// them.
    Windows,
}

/// A query and a target per lane, within a window of `limbs` limbs. Codes are less than 2^`planes`.
pub fn bands(limbs: u32, planes: u32, keep: Keep) -> Kernel {
    use Access::{Read, ReadWrite};
    let (keep, bindings) = match keep {
        Keep::Nothing => ("pairs/keep_nothing", &[Read, Read, ReadWrite][..]),
        Keep::Windows => (
            "pairs/keep_windows",
            &[Read, Read, ReadWrite, Read, ReadWrite][..],
        ),
    };
    Kernel {
        parts: vec!["pairs/strings", keep],
        constants: vec![("LIMBS", limbs), ("PLANES", planes)],
        ..Kernel::new("pairs/bands", LANES, bindings)
    }
}

/// Paths through the windows that [`bands`] has kept.
pub fn traceback(planes: u32) -> Kernel {
    use Access::{Read, ReadWrite};
    Kernel {
        parts: vec!["pairs/strings"],
        constants: vec![("PLANES", planes)],
        ..Kernel::new(
            "pairs/traceback",
            LANES,
            &[Read, Read, Read, Read, Read, ReadWrite],
        )
    }
}
