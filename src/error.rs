//! Error type of the library. Every message says what is wrong, by how much, and how to fix it.

/// Errors of a call. A call that returns an error has no partial answer.
///
/// ```
/// use swath::{Edit, Engine, Error, Options};
///
/// let result = Engine::new(Options::default())?.run(&Edit::of(b"", b"ACGT").infix());
/// let Err(error @ Error::EmptyQuery) = result else { unreachable!("the query is empty") };
/// println!("{error}"); // ... give a query, or compare in the mode 'global'
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs)] // Fields are named as the messages use them.
pub enum Error {
    /// No adapter matches the requested device.
    #[error("no device matches '{wanted}'; available: {available}")]
    UnknownDevice { wanted: String, available: String },

    /// The environment requests CPU kernels that this processor cannot run.
    #[error(
        "{variable} is '{wanted}'; this processor runs: {available}; set it to one of these, or \
         leave it out"
    )]
    UnknownKernel {
        variable: &'static str,
        wanted: String,
        available: String,
    },

    /// The device exists but could not be opened.
    #[error("cannot open device '{device}': {reason}")]
    DeviceUnavailable { device: String, reason: String },

    /// The device failed during the call; its buffers are lost.
    #[error("device '{device}' was lost: {reason}; {remedy}")]
    DeviceLost {
        device: String,
        reason: String,
        remedy: &'static str,
    },

    /// A slice reported success without its completion stamp: the driver dropped the work.
    #[error(
        "slice {slice} on '{device}' reported success twice without a completion stamp, so its \
         result cannot be trusted; choose another device"
    )]
    MissingStamp { device: String, slice: u32 },

    /// No plan fits into the memory limit of the caller.
    #[error(
        "{what} needs {needed} bytes and {limit} bytes are allowed; the smallest plan that works \
         takes {smallest} bytes: raise the limit to at least that"
    )]
    MemoryBudget {
        what: String,
        needed: u64,
        limit: u64,
        smallest: u64,
    },

    /// Device memory within the limit is occupied by other calls or programs.
    #[error(
        "'{device}' cannot allocate {needed} bytes now: other calls hold {held} of the {limit} \
         bytes allowed, and other programs may hold memory, too; run again when they have ended, \
         or lower the limit, so that a smaller plan is chosen"
    )]
    DeviceMemory {
        device: String,
        needed: u64,
        limit: u64,
        held: u64,
    },

    /// The host cannot provide pinned memory for copies to and from the device.
    #[error(
        "the system cannot allocate {needed} bytes of pinned memory for copies to and from \
         '{device}' now; run again when other programs have ended, or choose the device 'cpu'"
    )]
    HostMemory { device: String, needed: u64 },

    /// The inputs share more distinct symbols than the method supports.
    #[error(
        "method '{method}' distinguishes at most {limit} shared symbols and the inputs share \
         {actual}; choose method '{remedy}'"
    )]
    TooManySymbols {
        method: &'static str,
        actual: u64,
        limit: u64,
        remedy: &'static str,
    },

    /// An input is longer than the method or the device can index.
    #[error("{what} has {actual} symbols and at most {limit} are possible here; {remedy}")]
    InputTooLong {
        what: &'static str,
        actual: u64,
        limit: u64,
        remedy: &'static str,
    },

    /// The method does not run on the chosen device, or not for this task.
    #[error("method '{method}' does not run on {device}: {reason}")]
    MethodUnavailable {
        method: &'static str,
        device: String,
        reason: String,
    },

    /// The query is empty: it occurs everywhere in the target.
    #[error(
        "the query is empty, so it occurs everywhere in the target at distance 0; give a query, \
         or compare in the mode 'global'"
    )]
    EmptyQuery,
    /// The best cost of these leaves overflows. `first` and `last` count from 1.
    #[error(
        "the best cost of {items} {first} to {last} is more than {limit}: scale the weights down"
    )]
    CostOverflow {
        items: &'static str,
        first: u64,
        last: u64,
        limit: &'static str,
    },

    /// A user shader that is not valid.
    #[error(
        "the shader '{name}' was refused; correct it, or leave it out to stay on the CPU: {reason}"
    )]
    InvalidShader { name: &'static str, reason: String },

    /// A number outside its range.
    #[error("{what} is {given}, but must be {allowed}")]
    OutOfRange {
        what: &'static str,
        given: u64,
        allowed: String,
    },

    /// A symbol without a complement, although both strands are searched. `input` and `record`
    /// count from 1, `position` from 0.
    #[error(
        "'{symbol}' at position {position} of record {record} of input {input} is no letter of \
         DNA, so there is no reverse strand; search the forward strand alone"
    )]
    NotDna {
        symbol: String,
        input: usize,
        record: usize,
        position: usize,
    },

    /// The matches exceed the host memory. Their number is estimated from those found so far.
    #[error(
        "there are about {matches} maximal matches of at least {length} symbols; to find and keep \
         them takes {needed} bytes, and {limit} bytes are allowed; ask for matches of at least \
         {remedy} symbols, or raise the limit"
    )]
    TooManyMatches {
        matches: u64,
        length: u64,
        needed: u64,
        limit: u64,
        remedy: u64,
    },

    /// The pairs of similar strings exceed the host memory. Their number is estimated from the rows
    /// so far.
    #[error(
        "there are about {pairs} pairs within {within} edits; to keep them takes {needed} bytes, and \
         {limit} bytes are allowed for them; allow fewer edits, take the pairs block by block, or \
         raise the limit"
    )]
    TooManyNeighbors {
        pairs: u64,
        within: u64,
        needed: u64,
        limit: u64,
    },

    /// A weight that is not finite, negative, or out of scale.
    #[error("{what}: {reason}")]
    InvalidWeight { what: String, reason: String },

    /// Keys and payload differ in length.
    #[error("there are {keys} keys and {payload} payload words: give one word for each key")]
    LengthMismatch { keys: u64, payload: u64 },

    /// An application's buffer that kernels cannot bind.
    #[error("the application's buffer of {what} cannot be used: {reason}")]
    InvalidBuffer { what: &'static str, reason: String },

    /// An unknown name of a method, device interface or similar.
    #[error("unknown {what} '{given}'; known: {known}")]
    UnknownName {
        what: &'static str,
        given: String,
        known: String,
    },

    /// A forced kernel shape that no kernel has.
    #[error(
        "the tuning sets {value} {knob}, but the kernels support {allowed}; change it, or leave \
         the choice to the planner"
    )]
    InvalidTuning {
        knob: &'static str,
        value: u64,
        allowed: String,
    },

    /// The call was cancelled.
    #[error("cancelled")]
    Cancelled,

    /// An internal failure: a panic inside a call, or a job that was waited for twice.
    #[error("the call failed: {0}; if this is not the caller's doing, please report it")]
    Failed(String),

    /// The witness does not prove the answer, or belongs to other inputs. From an
    /// [`Engine`](crate::Engine) this is a defect in swath or in the device, never in the input.
    #[error(
        "the answer failed its certificate: {0}; if these are the inputs that it was found for, \
         please report this"
    )]
    CertificateFailed(String),
}

impl Error {
    /// Returns `true` if a device lacks memory or codes for the inputs, so that another one may
    /// succeed.
    pub(crate) fn is_lack_of_room(&self) -> bool {
        matches!(
            self,
            Self::MemoryBudget { .. } | Self::InputTooLong { .. } | Self::TooManySymbols { .. }
        )
    }
}

/// Result with the library's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;
