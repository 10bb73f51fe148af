//! Plans of a part of the pairs.

use super::{ValuesPlan, cross, entries};
use crate::plan::Resident;

pub(super) enum Round<'a> {
    /// A rectangle with one chunk of the targets.
    Cross(cross::Block<'a>),
    Entries(Box<entries::Block<'a>>),
}

impl Round<'_> {
    pub(super) fn plan(&self, resident: &Resident) -> ValuesPlan {
        match self {
            Self::Cross(block) => block.plan(resident),
            Self::Entries(block) => block.plan(),
        }
    }
}
