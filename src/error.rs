//! The one error type of the library. Every message names what was wrong, by how much, and the way out.

/// What can go wrong. No variant is an answer in disguise: when a call returns an error, nothing was computed.
///
/// ```
/// use swath::{Edit, Engine, Error, Options};
///
/// let ended = Engine::new(Options::default())?.run(&Edit::of(b"", b"ACGT").infix());
/// let Err(error @ Error::EmptyQuery) = ended else { unreachable!("an empty query is everywhere") };
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

    /// The environment asks for CPU kernels that this processor cannot run.
    #[error(
        "{variable} is '{wanted}'; this processor runs: {available}; set it to one of these, or leave it out"
    )]
    UnknownKernel {
        variable: &'static str,
        wanted: String,
        available: String,
    },

    /// The device exists but could not be opened.
    #[error("cannot open device '{device}': {reason}")]
    DeviceUnavailable { device: String, reason: String },

    /// The device failed while it was working; its buffers are gone.
    #[error("device '{device}' was lost: {reason}; {remedy}")]
    DeviceLost {
        device: String,
        reason: String,
        remedy: &'static str,
    },

    /// A slice reported success without leaving its stamp: the driver dropped the work.
    #[error(
        "slice {slice} on '{device}' came back without its stamp twice: its result cannot be trusted; choose another device"
    )]
    MissingStamp { device: String, slice: u32 },

    /// No plan fits into the memory that the caller allows.
    #[error(
        "{what} needs {needed} bytes and {limit} bytes are allowed; the smallest plan that works takes {smallest} bytes: raise the limit to at least that"
    )]
    MemoryBudget {
        what: String,
        needed: u64,
        limit: u64,
        smallest: u64,
    },

    /// The memory that a call may take is not to be had now.
    #[error(
        "'{device}' has no room for {needed} bytes now: other calls hold {held} of the {limit} that are allowed, and other programs may hold some of the rest; run again when they have ended, or allow less, so that a smaller plan is chosen"
    )]
    DeviceMemory {
        device: String,
        needed: u64,
        limit: u64,
        held: u64,
    },

    /// The device cannot copy through memory of the host that is not to be had now.
    #[error(
        "the system has no {needed} bytes now that '{device}' could copy through: such memory stays in its place, apart from what programs swap; run again when other programs have ended, or choose the device 'cpu'"
    )]
    HostMemory { device: String, needed: u64 },

    /// The method cannot tell so many symbols apart.
    #[error(
        "method '{method}' distinguishes at most {limit} shared symbols and the inputs share {actual}; choose method '{remedy}'"
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

    /// The method does not run on the chosen device.
    #[error("method '{method}' does not run on {device}: {reason}")]
    MethodUnavailable {
        method: &'static str,
        device: String,
        reason: String,
    },

    /// An empty query, which every piece of the target holds.
    #[error(
        "the query is empty, so it is everywhere in the target at a distance of 0; give a query, or compare in the mode 'global'"
    )]
    EmptyQuery,
    /// The best cost of these leaves, counted from 1 to the last, is greater than the numbers that it is made of can be.
    #[error(
        "the best cost of {items} {first} to {last} is more than {limit}: scale the weights down"
    )]
    CostOverflow {
        items: &'static str,
        first: u64,
        last: u64,
        limit: &'static str,
    },

    /// A shader of the caller's own that is no valid WGSL.
    #[error(
        "the shader '{name}' was refused; correct it, or leave it out to stay on the CPU: {reason}"
    )]
    InvalidShader { name: &'static str, reason: String },

    /// A number that asks for nothing there is.
    #[error("{what} is {given}, and can be {allowed}")]
    OutOfRange {
        what: &'static str,
        given: u64,
        allowed: String,
    },

    /// A symbol that has no complement, where both strands are asked for. Input and record are counted from 1, the position from 0.
    #[error(
        "'{symbol}' at position {position} of record {record} of input {input} is no letter of DNA, so there is no reverse strand; \
         search the forward strand alone"
    )]
    NotDna {
        symbol: String,
        input: usize,
        record: usize,
        position: usize,
    },

    /// Matches that do not fit into the host's memory. How many there are is estimated from those found until then.
    #[error(
        "there are about {matches} maximal matches of at least {length} symbols, which take {needed} bytes with what finds them, and {limit} bytes are \
         allowed; ask for those of at least {remedy} symbols, or raise the limit"
    )]
    TooManyMatches {
        matches: u64,
        length: u64,
        needed: u64,
        limit: u64,
        remedy: u64,
    },

    /// A weight that no cost can be made of.
    #[error("{what}: {reason}")]
    InvalidWeight { what: String, reason: String },

    /// Keys and what goes with them are not as many.
    #[error(
        "there are {keys} keys and {payload} words that go with them: give one word for each key"
    )]
    LengthMismatch { keys: u64, payload: u64 },

    /// An application's buffer that kernels cannot take.
    #[error("the application's buffer of {what} cannot be used: {reason}")]
    InvalidBuffer { what: &'static str, reason: String },

    /// A word that names nothing of its kind.
    #[error("'{given}' is no {what}; known are {known}")]
    UnknownName {
        what: &'static str,
        given: String,
        known: String,
    },

    /// A forced part of a kernel's shape that no kernel has.
    #[error(
        "the tuning asks for {value} {knob}, and kernels have {allowed}: change it, or leave the choice to the planner"
    )]
    InvalidTuning {
        knob: &'static str,
        value: u64,
        allowed: String,
    },

    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,

    /// Something failed that never should: a panic inside a call, or a job that was waited for twice.
    #[error("the call failed: {0}; if this is not the caller's doing, please report it")]
    Failed(String),

    /// The witness does not prove the answer, or belongs to other inputs than it was asked about. From an [`Engine`](crate::Engine) it
    /// is a defect in swath or in the device, never in the input.
    #[error(
        "the answer failed its certificate: {0}; if these are the inputs that it was found for, please report this"
    )]
    CertificateFailed(String),
}

impl Error {
    /// Whether a device has no room for an input, or too few codes for its symbols: another one may have.
    pub(crate) fn is_lack_of_room(&self) -> bool {
        matches!(
            self,
            Self::MemoryBudget { .. } | Self::InputTooLong { .. } | Self::TooManySymbols { .. }
        )
    }
}

/// The library's result type.
///
/// Its errors are [`Error`]s.
pub type Result<T, E = Error> = std::result::Result<T, E>;
