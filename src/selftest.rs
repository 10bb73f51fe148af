//! The self-test of an engine: known answers of every problem's kernels.

use rayon::prelude::*;

use crate::backend::Backend;
use crate::engine::{Engine, Round, SelfTest, in_rounds};
use crate::error::Result;
use crate::{edit_distance, lcs, parenthesization, sort, substring, supersequence};

/// What a problem tests on a device, or on the CPU.
type Tests = fn(&Engine, Option<&dyn Backend>, Round<'_>) -> Vec<SelfTest>;

/// Every problem's.
const PROBLEMS: [Tests; 6] = [
    lcs::selftest,
    edit_distance::selftest,
    supersequence::selftest,
    parenthesization::selftest,
    substring::selftest,
    sort::selftest,
];

impl Engine {
    /// Known answers for every kernel variant on this engine's device. One to two seconds: kernels are built on all threads. Variants
    /// that have no room beside others run once more, one after the other.
    ///
    /// # Errors
    /// What opening the device returns; a wrong answer is a [`SelfTest`] that did not pass, and so is a variant that ended with an
    /// error, which it tells.
    pub fn selftest(&self) -> Result<Vec<SelfTest>> {
        let gpu = pollster::block_on(self.gpu(None))?;
        let of = |tests: Tests, round: Round<'_>| tests(self, gpu.as_deref(), round);
        Ok(in_rounds(|round| match round {
            Round::Together => self.on_threads(|| {
                PROBLEMS
                    .into_par_iter()
                    .flat_map(|tests| of(tests, round))
                    .collect()
            }),
            Round::Alone(_) => PROBLEMS
                .into_iter()
                .flat_map(|tests| of(tests, round))
                .collect(),
        }))
    }
}
