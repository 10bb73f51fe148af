//! Phases of a call.

use crate::names::named;

/// A phase of a call, as in [`Run::phases`](crate::Run::phases) and
/// [`Progress::phase`](crate::Progress::phase).
///
/// ```
/// use swath::{Engine, Lcs, Options, Phase};
///
/// let report = Engine::new(Options::default())?.run(&Lcs::of(b"ABCBDAB", b"BDCABA"))?;
/// assert!(report.run.phases.iter().any(|(phase, _)| *phase == Phase::Sweep));
/// assert_eq!(Phase::OpenDevice.to_string(), "open device");
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// The call has begun. Only in progress.
    #[default]
    Start,
    /// Removal of the common prefix and suffix.
    Strip,
    /// Opening of the device.
    OpenDevice,
    /// Estimate of the similarity of two sequences.
    Similarity,
    /// Wavefronts, in reports.
    Wavefront,
    /// Wavefronts, in progress.
    Wavefronts,
    /// Encoding of the inputs.
    Encode,
    /// Choice of method and device.
    Decide,
    /// Bands around the diagonal.
    Bands,
    /// Sizes and passes of the device's work.
    Plan,
    /// Wait for device memory that other calls hold.
    WaitForMemory,
    /// Upload to the device.
    Upload,
    /// Computation of the table, or the main work of another method.
    Sweep,
    /// Choice of the cell where both directions of a sweep meet.
    Meet,
    /// Traceback.
    Trace,
    /// Readback from the device.
    Readback,
    /// Comparison of candidates on the host.
    Compare,
    /// Search for the starts of pieces.
    Starts,
    /// Search of a substring.
    Search,
    /// Recovery of the path. Only in progress.
    Path,
    /// Check of the answer against the inputs.
    Verify,
    /// Calls on pairs of several inputs.
    Pairs,
    /// Merge of a common subsequence and its inputs into a supersequence.
    Merge,
}

named! {
    Phase, "phase",
    Start = "start",
    Strip = "strip",
    OpenDevice = "open device",
    Similarity = "similarity",
    Wavefront = "wavefront",
    Wavefronts = "wavefronts",
    Encode = "encode",
    Decide = "decide",
    Bands = "bands",
    Plan = "plan",
    WaitForMemory = "wait for memory",
    Upload = "upload",
    Sweep = "sweep",
    Meet = "meet",
    Trace = "trace",
    Readback = "readback",
    Compare = "compare",
    Starts = "starts",
    Search = "search",
    Path = "path",
    Verify = "verify",
    Pairs = "pairs",
    Merge = "merge",
}
