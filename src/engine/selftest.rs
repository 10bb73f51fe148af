//! Known-answer tests of every kernel variant.

use std::fmt::Display;
use std::time::Duration;

use crate::error::{Error, Result};
use crate::host::Instant;
use crate::host::parallel;

/// Result of one known-answer test of a kernel variant.
///
/// ```no_run
/// use swath::{Engine, Options};
///
/// for test in Engine::new(Options::default())?.selftest()? {
///     let answer = if test.passed { "passed" } else { "FAILED" };
///     let verdict = test.error.as_deref().unwrap_or(answer);
///     println!("{}: {verdict}", test.kernel);
/// }
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SelfTest {
    /// Kernel variant, for example
    /// `lcs/strip_sweep Table Subgroup lanes=32 limbs=8 columns=32`.
    pub kernel: String,
    /// `true` for the right answer.
    pub passed: bool,
    /// Wall time, including the build of its pipelines and other tests that ran at the same time.
    pub elapsed: Duration,
    /// Expected and computed answer if they differ.
    pub detail: Option<String>,
    /// Error that prevented an answer.
    pub error: Option<String>,
    /// Set if device or host memory was short, possibly because of other tests.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) lacked_memory: bool,
}

impl SelfTest {
    /// Runs and times a check, which returns the difference of a wrong answer.
    fn run(kernel: String, check: impl FnOnce() -> Result<Option<String>>) -> Self {
        let started = Instant::now();
        let checked = check();
        let lacked_memory = matches!(
            checked,
            Err(Error::DeviceMemory { .. } | Error::HostMemory { .. })
        );
        let (passed, elapsed) = (matches!(checked, Ok(None)), started.elapsed());
        let (detail, error) = checked.map_or_else(
            |error| (None, Some(error.to_string())),
            |detail| (detail, None),
        );
        Self {
            kernel,
            passed,
            elapsed,
            detail,
            error,
            lacked_memory,
        }
    }
}

/// Tests of a round, and how they run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Round<'a> {
    /// All tests in parallel on all threads.
    Together,
    /// The tests of these kernels, one at a time on this thread, so that each may use all memory.
    Alone(&'a [String]),
}

impl Round<'_> {
    /// Runs `check` on the tests of the round.
    pub(crate) fn of<T: Send>(
        self,
        tests: impl IntoIterator<Item = (String, T)>,
        check: impl Fn(T) -> Result<Option<String>> + Sync,
    ) -> Vec<SelfTest> {
        let tests: Vec<_> = tests.into_iter().collect();
        let run = |(kernel, test)| SelfTest::run(kernel, || check(test));
        match self {
            Round::Together => parallel::map_each(tests, run),
            Round::Alone(kernels) => tests
                .into_iter()
                .filter(|(kernel, _)| kernels.contains(kernel))
                .map(run)
                .collect(),
        }
    }
}

/// Runs both rounds: tests that lacked memory run again, one at a time.
pub(crate) fn in_rounds(run: impl Fn(Round<'_>) -> Vec<SelfTest>) -> Vec<SelfTest> {
    let mut tests = run(Round::Together);
    let lacked: Vec<_> = tests
        .iter()
        .filter(|test| test.lacked_memory)
        .map(|test| test.kernel.clone())
        .collect();
    if lacked.is_empty() {
        return tests;
    }
    for test in run(Round::Alone(&lacked)) {
        if let Some(before) = tests.iter_mut().find(|before| before.kernel == test.kernel) {
            *before = test;
        }
    }
    tests
}

/// Two tests of a kernel: of its value alone, and of its path.
pub(crate) fn with_and_without_path<T>(
    kernel: &str,
    value: &str,
    test: impl Fn(bool) -> T,
) -> [(String, T); 2] {
    [(value, false), ("path", true)]
        .map(|(wanted, path)| (format!("{kernel} {wanted}"), test(path)))
}

/// How a value, and a path if there is one, differ from those of the reference.
pub(crate) fn difference<V: PartialEq + Display, T: PartialEq>(
    what: &str,
    [found, expected]: [V; 2],
    path: Option<T>,
    expected_path: &T,
) -> Option<String> {
    if found != expected {
        Some(format!("{what} {found} instead of {expected}"))
    } else if path.is_some_and(|path| path != *expected_path) {
        Some("another path than the reference's".to_string())
    } else {
        None
    }
}

/// Pseudo-random letters A, C, G and T, fixed so that answers are known.
pub(crate) fn letters(count: usize, mut state: u32) -> Vec<u8> {
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"ACGT"[(state >> 30) as usize]
    };
    std::iter::repeat_with(next).take(count).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn selftest_errors_are_not_wrong_answers_and_tests_short_of_memory_run_again_alone() {
        let kernels = ["right", "wrong", "refused", "crowded", "too large"];
        let runs = Mutex::new(Vec::new());
        let check = |round: Round<'_>, kernel: &str| {
            let alone = matches!(round, Round::Alone(_));
            runs.lock()
                .expect("unharmed")
                .push((kernel.to_string(), alone));
            match kernel {
                "right" => Ok(None),
                "wrong" => Ok(Some("2 instead of 1".to_string())),
                "refused" => Err(Error::Failed("refused".to_string())),
                "crowded" if alone => Ok(None),
                _ => Err(Error::DeviceMemory {
                    device: "gpu".to_string(),
                    needed: 2,
                    limit: 3,
                    held: 2,
                }),
            }
        };
        let tests = in_rounds(|round| {
            round.of(
                kernels.map(|kernel| (kernel.to_string(), kernel)),
                |kernel| check(round, kernel),
            )
        });
        let outcome = |test: &SelfTest| (test.passed, test.detail.is_some(), test.error.is_some());
        let expected = [
            (true, false, false),
            (false, true, false),
            (false, false, true),
            (true, false, false),
            (false, false, true),
        ];
        assert_eq!(
            tests
                .iter()
                .map(|test| &test.kernel[..])
                .collect::<Vec<_>>(),
            kernels
        );
        assert_eq!(tests.iter().map(outcome).collect::<Vec<_>>(), expected);
        let again: Vec<_> = runs
            .into_inner()
            .expect("unharmed")
            .into_iter()
            .filter(|(_, alone)| *alone)
            .collect();
        assert_eq!(
            again,
            ["crowded", "too large"].map(|kernel| (kernel.to_string(), true))
        );
    }
}
