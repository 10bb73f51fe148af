//! Many pairs that are compared by few calls.

use super::comparison::Comparison;
use super::run::Call;
use crate::interrupt::Interrupt;
use crate::progress::Reporter;
use crate::runs::Runs;

/// Where the witnesses of a call for many pairs go.
pub struct Together<'a> {
    pub interrupt: &'a Interrupt,
    pub progress: &'a Reporter,
    pub print: &'a mut (dyn FnMut(&[u8]) -> anyhow::Result<()> + Send),
}

#[derive(Default)]
pub struct Whole {
    pub runs: Runs,
    /// Pairs with a witness.
    pub found: usize,
    /// Set if any pair [is found](Comparison::is_found).
    pub is_found: bool,
}

/// A comparison that may take all pairs at once.
pub trait ComparesTogether: Comparison {
    /// Writes the witnesses of all pairs by few calls; `None` if single calls are needed.
    fn write_together(
        &self,
        _: &Call<'_, Self>,
        _: Self::Format,
        _: &mut Together<'_>,
    ) -> anyhow::Result<Option<Whole>> {
        Ok(None)
    }
}
