//! Symbols as codes, bit planes and hashes.

pub(crate) mod alphabet;
pub(crate) mod hash;
pub(crate) mod places;
pub(crate) mod planes;
