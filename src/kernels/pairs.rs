//! Kernels for many pairs of strings, one pair per lane.

use super::Access::{Read, ReadWrite};
use super::Kernel;

pub const LANES: u32 = 128;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairTable {
    /// Part with the recurrence of the limbs.
    pub recurrence: &'static str,
    /// Value that a recurrence of several measures makes, as `MEASURE` there.
    pub measure: u32,
    /// Part of the target that the query is compared with: 0 all of it, 1 its best prefix, 2 its best piece.
    pub ends: u32,
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
        let mut parts = vec![self.recurrence, "pairs/strips"];
        if self.recurrence != "pairs/jaro" {
            parts.push("pairs/columns");
        }
        let constants = vec![
            ("LIMBS", self.limbs),
            ("STRIPS", self.strips.into()),
            ("LIMITED", self.limited.into()),
            ("ENDS", self.ends),
            ("MEASURE", self.measure),
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
