//! The self-test of an engine: known answers of every problem's kernels.

use rayon::prelude::*;

use crate::backend::{Backend, DeviceChoice, candidates};
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
    /// Known answers for every kernel variant on this engine's device; with [`DeviceChoice::Auto`] on the first GPU that opens, even if
    /// calls pass over it. One to two seconds: kernels are built on all threads. Variants that have no room beside others run once more,
    /// one after the other.
    ///
    /// # Errors
    /// What opening the device returns; a wrong answer is a [`SelfTest`] that did not pass, and so is a variant that ended with an
    /// error, which it tells.
    pub fn selftest(&self) -> Result<Vec<SelfTest>> {
        if !self.chooses_device() {
            let gpu = pollster::block_on(self.open_gpu())?;
            return Ok(self.selftest_on(gpu.as_deref()));
        }
        for candidate in candidates(&DeviceChoice::Auto)? {
            let Ok(device) = candidate.selector().parse();
            if let Ok(engine) = self.with_device(device) {
                return engine.selftest();
            }
        }
        Ok(self.selftest_on(None))
    }

    fn selftest_on(&self, gpu: Option<&dyn Backend>) -> Vec<SelfTest> {
        let of = |tests: Tests, round: Round<'_>| tests(self, gpu, round);
        in_rounds(|round| match round {
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
        })
    }
}
