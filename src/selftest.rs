//! Self-test of an engine: known answers of every problem's kernels.

use crate::backend::{Backend, DeviceChoice, candidates};
use crate::engine::{Engine, Round, SelfTest, in_rounds, wait};
use crate::error::Result;
use crate::host::parallel;
use crate::{
    edit_distance, lcs, neighbors, pairs, parenthesization, search, sort, substring, supersequence,
};

/// Self-tests of a problem on a device, or on the CPU if `None`.
type Tests = fn(&Engine, Option<&dyn Backend>, Round<'_>) -> Vec<SelfTest>;

const PROBLEMS: [Tests; 9] = [
    lcs::selftest,
    edit_distance::selftest,
    supersequence::selftest,
    parenthesization::selftest,
    substring::selftest,
    sort::selftest,
    pairs::selftest,
    neighbors::selftest,
    search::selftest,
];

impl Engine {
    /// Runs every kernel variant on this engine's device and checks known answers. Takes one to two
    /// seconds; kernels are built on all threads. Variants that lack memory beside others run once
    /// more on their own.
    ///
    /// # Errors
    /// Errors of opening the device. A wrong answer is a failed [`SelfTest`], and so is a variant
    /// that returned an error, with its message.
    pub fn selftest(&self) -> Result<Vec<SelfTest>> {
        if !self.chooses_device() {
            let gpu = wait(self.open_gpu())?;
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
                let tests = |problem| of(PROBLEMS[problem], round);
                parallel::map(PROBLEMS.len(), tests).concat()
            }),
            Round::Alone(_) => PROBLEMS
                .into_iter()
                .flat_map(|tests| of(tests, round))
                .collect(),
        })
    }
}
