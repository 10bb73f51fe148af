//! Longest common substring.

pub(crate) mod gpu;
pub(crate) mod question;
pub(crate) mod reference;
pub(crate) mod search;
mod selftest;
pub(crate) mod texts;

pub(crate) use selftest::selftest;
