//! What ran to get an answer, and what would run.

use std::ops::Deref;
use std::time::Duration;

use crate::backend::Interface;

/// An answer, and what ran to get it. It dereferences to the answer.
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
    /// What was found.
    pub answer: A,
    /// What ran.
    pub run: Run,
    /// What drives the device that it ran on; `None` for the CPU.
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
}

impl<A> Deref for Report<A> {
    type Target = A;

    fn deref(&self) -> &A {
        &self.answer
    }
}

/// What ran to get an answer, and how long it took.
///
/// An example is with [`Report`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Run<M = &'static str> {
    /// The method that ran, by the name that selects it; never `auto`.
    pub method: M,
    /// How the path was recovered: `"none"`, `"stored boundaries"`, `"hirschberg"`, `"wavefronts"`, `"stored rows"`,
    /// `"stored anti-diagonals"`, `"pairs"` or `"table"`.
    pub path_mode: &'static str,
    /// The device that ran it, by name.
    pub device: String,
    /// Cells of the full table, `a.len() * b.len()`, splits of a parenthesization, or symbols of the inputs of a substring: the
    /// measure that speeds are stated in.
    pub cells: u128,
    /// Cells that were computed; fewer where affixes were paired, a wavefront ran or only a part was searched, more where parts were
    /// computed again for a path.
    pub computed_cells: u128,
    /// Symbols of the common prefix, paired without computing.
    pub common_prefix: u64,
    /// Symbols of the common suffix, paired without computing.
    pub common_suffix: u64,
    /// Wall time of the whole call.
    pub elapsed: Duration,
    /// Wall time by phase in the order they ran: `"strip"`, `"open device"`, `"similarity"`, `"wavefront"`, `"encode"`, `"decide"`,
    /// `"bands"`, `"plan"`, `"wait for memory"`, `"upload"`, `"sweep"`, `"meet"`, `"trace"`, `"readback"`, `"compare"`, `"starts"`,
    /// `"search"`, `"verify"`, `"pairs"`, `"merge"`; phases that did not run are absent.
    pub phases: Vec<(&'static str, Duration)>,
}

impl<M> Run<M> {
    /// The same run under another problem's methods.
    pub(crate) fn with_method<N>(self, method: N) -> Run<N> {
        let Self {
            path_mode,
            device,
            cells,
            computed_cells,
            common_prefix,
            common_suffix,
            elapsed,
            phases,
            ..
        } = self;
        Run {
            method,
            path_mode,
            device,
            cells,
            computed_cells,
            common_prefix,
            common_suffix,
            elapsed,
            phases,
        }
    }
}

/// What a call would do: the answer of [`Engine::plan`](crate::Engine::plan).
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
pub struct PlanSummary<M = &'static str> {
    /// The method that would run, by name; `auto` only for several inputs, where the better of two heuristics is told by running
    /// both.
    pub method: M,
    /// The device that would run it, by name.
    pub device: String,
    /// As in [`Run::path_mode`].
    pub path_mode: &'static str,
    /// Cells of the full table, splits of a parenthesization, or symbols of the inputs of a substring.
    pub cells: u128,
    /// Rows and columns of one tile.
    pub tile: (u64, u64),
    /// Strips of the table, or rows of tiles.
    pub strips: u64,
    /// Passes, one dispatch or one wavefront of tiles each.
    pub passes: u64,
    /// Bytes held in device memory.
    pub device_bytes: u64,
    /// Bytes held in host memory for boundaries and codes.
    pub host_bytes: u64,
    /// A rough estimate of the time for the whole call, with the opening of a device that is not open yet.
    pub expected: Duration,
}

impl<M> PlanSummary<M> {
    /// The same plan under another problem's methods.
    pub(crate) fn with_method<N>(self, method: N) -> PlanSummary<N> {
        let Self {
            device,
            path_mode,
            cells,
            tile,
            strips,
            passes,
            device_bytes,
            host_bytes,
            expected,
            ..
        } = self;
        PlanSummary {
            method,
            device,
            path_mode,
            cells,
            tile,
            strips,
            passes,
            device_bytes,
            host_bytes,
            expected,
        }
    }
}
