//! Texts of codes.

use std::hash::Hash;

/// A code of a symbol.
pub trait Code: Copy + Ord + Hash + Send + Sync + 'static {
    /// The code as a number.
    fn number(self) -> u32;
}

impl Code for u8 {
    fn number(self) -> u32 {
        u32::from(self)
    }
}

impl Code for u32 {
    fn number(self) -> u32 {
        self
    }
}
