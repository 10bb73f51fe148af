//! Backends run plans on a device. They know nothing of problems.
//!
//! The floor has two halves. What every device needs is written once: a call gets a [`Device`], on which it opens a [`Session`]; the
//! session has its share of the device's memory ([`memory`]), cuts passes into slices (`slices`) by the measured throughput (`slice_budget`), stamps every submission, checks
//! the stamps of all that comes back, runs lost work once more, and stops between slices when the call is cancelled. What
//! differs from one interface to the next is behind two small traits: a [`Backend`] says what its device can do and opens
//! [`DeviceSession`]s, which allocate, upload, submit and read.
//!
//! A call in several rounds keeps one session: each round is a plan, and what the round before has uploaded and this one needs
//! again stays where it is; see [`Plan::input`].
//!
//! Nothing here blocks a thread: whatever takes time is a future. Threads that have nothing else to do wait by
//! [`wait_on_this_thread`].

#[cfg(any(feature = "gpu", feature = "cuda"))]
mod buffers;
#[cfg(any(feature = "gpu", feature = "cuda"))]
mod built;
mod candidate;
mod capabilities;
mod choice;
#[cfg(all(test, feature = "gpu"))]
pub(crate) mod counted;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
#[cfg(any(feature = "gpu", feature = "cuda"))]
mod gathered;
mod interface;
pub mod memory;
pub mod parts;
mod rates;
pub mod session;
mod slice_budget;
mod slices;
#[cfg(any(feature = "gpu", feature = "cuda"))]
mod texts;
mod traits;
#[cfg(feature = "gpu")]
pub mod wgpu;

use crate::error::{Error, Result};
pub use candidate::{Candidate, Listed};
pub use capabilities::Capabilities;
pub(crate) use capabilities::NOT_EMBEDDED;
pub use choice::DeviceChoice;
pub use device::Device;
pub use interface::Interface;
pub use parts::Source;
pub use session::{Ran, Session};
pub use slice_budget::supposed_rate;
pub use slices::Workload;
pub use traits::{
    Backend, DeviceSession, Done, InParts, MOST_GATHERED_SPANS, Pending, Shared, Span, Stamp, Words,
};

/// Waits for a device. Only for a thread that the host can spare: the device, and a thread of its own that hears from it, need no
/// other to get on.
///
/// # Errors
/// What the pending result is.
pub fn wait_on_this_thread<T>(pending: Pending<T>) -> Result<T> {
    pollster::block_on(pending)
}

/// Every device of this machine but the CPU, in the order in which `auto` and a part of a name choose.
pub fn list() -> Vec<Listed> {
    INTERFACES
        .iter()
        .flat_map(|(_, candidates)| candidates())
        .map(|candidate| candidate.listed())
        .collect()
}

/// Why there are no CUDA devices, if so.
fn no_cuda() -> Option<&'static str> {
    #[cfg(feature = "cuda")]
    return cuda::adapter::missing();
    #[cfg(not(feature = "cuda"))]
    Some("this build is without the feature `cuda`")
}

/// Devices in the order in which they are tried.
pub type Candidates = Box<dyn Iterator<Item = Box<dyn Candidate>> + Send>;

type ListDevices = fn() -> Vec<Box<dyn Candidate>>;

/// Lists the devices of some interfaces. CUDA's come first, because their kernels are the fastest.
const INTERFACES: &[(&[Interface], ListDevices)] = &[
    #[cfg(feature = "cuda")]
    (&[Interface::Cuda], || {
        cuda::adapter::candidates().into_iter().map(boxed).collect()
    }),
    #[cfg(feature = "gpu")]
    (
        &[Interface::Vulkan, Interface::Metal, Interface::Dx12],
        || wgpu::adapter::candidates().into_iter().map(boxed).collect(),
    ),
];

#[cfg(any(feature = "gpu", feature = "cuda"))]
fn boxed(candidate: impl Candidate + 'static) -> Box<dyn Candidate> {
    Box::new(candidate)
}

/// The first device that `choice` means; `None` is the CPU.
///
/// # Errors
/// As [`candidates`].
pub fn choose(choice: &DeviceChoice) -> Result<Option<Box<dyn Candidate>>> {
    Ok(candidates(choice)?.next())
}

/// The devices that `choice` means, none for the CPU. Interfaces that cannot have them are not listed, and one only after those before
/// it.
///
/// # Errors
/// [`Error::UnknownDevice`] with the list of what is there.
pub fn candidates(choice: &DeviceChoice) -> Result<Candidates> {
    let asked = choice.clone();
    let may_have = move |interfaces: &[Interface]| match asked {
        DeviceChoice::Cpu => false,
        DeviceChoice::Adapter { interface, .. } => interfaces.contains(&interface),
        _ => true,
    };
    let asked = choice.clone();
    let mut candidates = INTERFACES
        .iter()
        .filter(move |(interfaces, _)| may_have(interfaces))
        .flat_map(|(_, list)| list())
        .filter(move |candidate| asked.is(&**candidate))
        .peekable();
    if matches!(choice, DeviceChoice::Auto | DeviceChoice::Cpu) || candidates.peek().is_some() {
        return Ok(Box::new(candidates));
    }
    let mut available: Vec<_> = list()
        .into_iter()
        .map(|device| format!("{} ({})", device.selector, device.name))
        .collect();
    available.push(match INTERFACES {
        [] => "cpu (this build is without the features `gpu` and `cuda`)".to_string(),
        _ => "cpu".to_string(),
    });
    if let (
        DeviceChoice::Adapter {
            interface: Interface::Cuda,
            ..
        },
        Some(reason),
    ) = (choice, no_cuda())
    {
        available.push(format!("and no CUDA: {reason}"));
    }
    Err(Error::UnknownDevice {
        wanted: choice.to_string(),
        available: available.join(", "),
    })
}
