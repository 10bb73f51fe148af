//! Symbols as codes, bit planes and hashes.

pub(crate) mod alphabet;
pub(crate) mod hash;
mod places;
pub(crate) mod planes;
