//! Longest common substring.

pub(crate) mod gpu;
pub(crate) mod question;
pub(crate) mod reference;
pub(crate) mod search;
pub(crate) mod texts;
