//! Kernels that search patterns in texts.

use super::Access::{Read, ReadWrite};
use super::Kernel;

pub const LANES: u32 = 128;
/// Rows of a limb.
pub const LIMB_ROWS: usize = 31;
/// Bits of the distance of an end, equal to the constant in ends.wgsl.
pub const DISTANCE_BITS: u32 = 8;

/// Ends of patterns of at most this number of limbs within a bound. `symbols` is the greatest class.
pub fn ends(limbs: u32, symbols: u32) -> Kernel {
    Kernel {
        parts: vec!["pairs/masks", "edit_distance/limbs"],
        constants: vec![("LIMBS", limbs), ("SYMBOLS", symbols)],
        ..Kernel::new(
            "search/ends",
            LANES,
            &[Read, Read, Read, ReadWrite, ReadWrite],
        )
    }
}
