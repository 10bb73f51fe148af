//! Known answers of every kernel variant.

use std::time::Duration;

use crate::error::Result;

/// One known answer that a kernel variant was asked for.
///
/// ```no_run
/// use swath::{Engine, Options};
///
/// for test in Engine::new(Options::default())?.selftest()? {
///     println!("{}: {}", test.kernel, if test.passed { "passed" } else { "FAILED" });
/// }
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct SelfTest {
    /// The kernel variant, for example `lcs/strip_sweep Table Subgroup lanes=32 limbs=8 columns=32`.
    pub kernel: String,
    /// Whether the answer was right.
    pub passed: bool,
    /// Wall time beside the other tests, the building of the pipelines included.
    pub elapsed: Duration,
    /// What was expected and what came, where they differ.
    pub detail: Option<String>,
}

impl SelfTest {
    /// Times a check, which tells what was wrong.
    pub(crate) fn run(kernel: String, check: impl FnOnce() -> Result<Option<String>>) -> Self {
        let started = std::time::Instant::now();
        let detail = check().unwrap_or_else(|error| Some(error.to_string()));
        Self { kernel, passed: detail.is_none(), elapsed: started.elapsed(), detail }
    }
}

/// Four letters from a small generator; fixed, so that answers are known.
pub(crate) fn letters(count: usize, mut state: u32) -> Vec<u8> {
    let next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"ACGT"[(state >> 30) as usize]
    };
    std::iter::repeat_with(next).take(count).collect()
}
