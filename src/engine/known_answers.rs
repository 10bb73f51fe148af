//! Known answers that a device gives before it is trusted.

use crate::backend::Backend;
use crate::error::Result;

/// What tells whether a device can be trusted: known answers are the problems', and the engine knows none of those.
pub(crate) trait KnownAnswers {
    /// Whether a device gives some known answers, by the kernels that most calls take.
    ///
    /// # Errors
    /// Where it cannot be asked.
    fn gives_known_answers(&self, gpu: &dyn Backend) -> Result<bool>;
}
