//! Reports of calls and of plans.

use std::ops::Deref;
use std::time::Duration;

use crate::backend::Interface;
use crate::call::phase::Phase;
use crate::path_mode::PathMode;

/// Answer of a call, and how it was computed. Dereferences to the answer.
///
/// ```
/// use swath::{Engine, Lcs, Options};
///
/// let report = Engine::new(Options::default())?.run(&Lcs::of(b"ABCBDAB", b"BDCABA"))?;
/// assert_eq!((report.length, report.answer.length), (4, 4));
/// assert_eq!((report.run.device.as_str(), report.run.cells), ("cpu", 42));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Report<A> {
    /// The answer of the task.
    pub answer: A,
    /// Method, device and times of the call.
    pub run: Run,
    /// API of the device; `None` for the CPU.
    pub interface: Option<Interface>,
}

impl<A> Report<A> {
    pub(crate) fn new(answer: A, run: Run) -> Self {
        Self {
            answer,
            run,
            interface: None,
        }
    }

    /// The same report with another answer.
    pub(crate) fn map<B>(self, answer: impl FnOnce(A) -> B) -> Report<B> {
        Report {
            answer: answer(self.answer),
            run: self.run,
            interface: self.interface,
        }
    }
}

impl<A> Deref for Report<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.answer
    }
}

/// Method, device and times of a call.
///
/// An example is with [`Report`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Run {
    /// Name of the method that ran; never `auto`.
    pub method: &'static str,
    /// Recovery of the path.
    pub path_mode: PathMode,
    /// Name of the device.
    pub device: String,
    /// Size of the problem, the unit of reported throughput: cells of the full table,
    /// `a.len() * b.len()`; splits of a parenthesization; symbols of the inputs of a substring.
    pub cells: u128,
    /// Computed cells. Fewer than `cells` after affixes were stripped, wavefronts ran or only a
    /// part was searched; more if tiles were recomputed for a path.
    pub computed_cells: u128,
    /// Length of the common prefix, which is matched without computing cells.
    pub common_prefix: u64,
    /// Length of the common suffix, which is matched without computing cells.
    pub common_suffix: u64,
    /// Wall time of the whole call.
    pub elapsed: Duration,
    /// Wall time by phase, in order of the first run. Phases that did not run are absent.
    pub phases: Vec<(Phase, Duration)>,
}

/// Expected course of a call, from [`Engine::plan`](crate::Engine::plan).
///
/// ```
/// use swath::{Engine, Lcs, Options};
///
/// let engine = Engine::new(Options::new().device("cpu".parse()?))?;
/// let plan = engine.plan(&Lcs::of(vec![1u32; 300], vec![2u32; 200]))?;
/// assert_eq!((plan.device.as_str(), plan.cells, plan.device_bytes), ("cpu", 60_000, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PlanSummary {
    /// Name of the method that is expected to answer; never `auto`. Of the two heuristics for
    /// several inputs, which both run, it is `merge-tree`: the better one is known afterwards.
    pub method: &'static str,
    /// Name of the device.
    pub device: String,
    /// Recovery of the path, as in [`Run::path_mode`].
    pub path_mode: PathMode,
    /// Size of the problem, as in [`Run::cells`].
    pub cells: u128,
    /// Rows and columns of a tile.
    pub tile: (u64, u64),
    /// Number of strips of the table, or of rows of tiles.
    pub strips: u64,
    /// Number of passes: dispatches, or wavefronts of tiles.
    pub passes: u64,
    /// Device memory in bytes.
    pub device_bytes: u64,
    /// Host memory for boundaries and codes in bytes.
    pub host_bytes: u64,
    /// Rough estimate of the wall time, including the opening of a closed device.
    pub expected: Duration,
}
