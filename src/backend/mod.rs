//! Backends run plans on a device. They know nothing of the problems.
//!
//! The code common to all devices is written once. A call gets a [`Device`] and opens a [`Session`]
//! on it. The session reserves device memory ([`memory`]), divides passes into slices (`slices`) by
//! the measured throughput (`slice_budget`), leaves a stamp behind every submission, checks the
//! stamp of every readback, retries lost work once, and stops between slices when the call is
//! cancelled. The code of an interface is behind two traits. A [`Backend`] describes its device and
//! opens [`DeviceSession`]s, which allocate, upload, submit and read back.
//!
//! A call of several rounds keeps one session. Each round is a plan. Inputs uploaded by the
//! previous round stay on the device if this round needs them again; see
//! [`Plan::input`](crate::plan::Plan::input).
//!
//! Nothing here blocks a thread: everything that takes time is a future.

#[cfg(any(feature = "gpu", feature = "cuda"))]
mod buffers;
mod candidate;
mod capabilities;
mod choice;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
#[cfg(any(feature = "gpu", feature = "cuda"))]
mod gather_read;
mod interface;
#[cfg(any(feature = "gpu", feature = "cuda"))]
mod kernel_cache;
pub mod memory;
mod parked;
#[cfg(all(test, feature = "gpu"))]
pub(crate) mod recording_backend;
pub mod session;
mod slice_budget;
mod slices;
pub mod streaming;
mod traits;
#[cfg(feature = "gpu")]
pub mod wgpu;
#[cfg(any(feature = "gpu", feature = "cuda"))]
pub mod wgsl;

use crate::error::{Error, Result};
pub use candidate::{Candidate, Listed};
pub use capabilities::Capabilities;
pub(crate) use capabilities::NOT_EMBEDDED;
pub use choice::DeviceChoice;
pub use device::Device;
pub use interface::Interface;
pub use session::{OwnSessions, RoundResult, Session};
pub use slice_budget::supposed_rate;
pub use slices::Workload;
pub use streaming::{StreamedBuffer, UploadSource};
pub use traits::{
    Backend, Completion, DeviceSession, FenceValue, MAX_GATHERED_SPANS, Pending, Shared, Span,
    Words,
};

/// Lists all devices of this machine except the CPU, in the order in which `auto` and a device name
/// select them.
pub fn list() -> Vec<Listed> {
    INTERFACES
        .iter()
        .flat_map(|(_, candidates)| candidates())
        .map(|candidate| candidate.listed())
        .collect()
}

/// The reason why CUDA is unavailable, if it is.
fn no_cuda() -> Option<&'static str> {
    #[cfg(feature = "cuda")]
    return cuda::adapter::missing();
    #[cfg(not(feature = "cuda"))]
    Some("this build is without the feature `cuda`")
}

/// Devices in the order in which they are tried.
pub type Candidates = Box<dyn Iterator<Item = Box<dyn Candidate>> + Send>;

type ListDevices = fn() -> Vec<Box<dyn Candidate>>;

/// Device listing per group of interfaces. CUDA comes first because its kernels are the fastest.
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

/// Returns the first device matching `choice`; `None` is the CPU.
pub fn choose(choice: &DeviceChoice) -> Result<Option<Box<dyn Candidate>>> {
    Ok(candidates(choice)?.next())
}

/// A choice for each device of a choice of several, which is not empty; else the choice.
pub fn single_choices(choice: &DeviceChoice) -> Result<Vec<DeviceChoice>> {
    let mut single = Vec::new();
    match choice {
        DeviceChoice::All(_) => {
            for candidate in candidates(choice)? {
                let Ok(choice) = candidate.selector().parse();
                single.push(choice);
            }
        }
        DeviceChoice::Several(choices) => {
            for choice in choices {
                for choice in single_choices(choice)? {
                    if !single.contains(&choice) {
                        single.push(choice);
                    }
                }
            }
        }
        _ => {}
    }
    if single.is_empty() {
        single.push(choice.clone());
    }
    Ok(single)
}

/// Returns the devices matching `choice`, none for the CPU. The iterator is lazy: it skips
/// interfaces that cannot match and lists an interface only after the previous ones are exhausted.
///
/// # Errors
/// [`Error::UnknownDevice`] with the list of available devices.
pub fn candidates(choice: &DeviceChoice) -> Result<Candidates> {
    let requested = choice.clone();
    let may_have = move |interfaces: &[Interface]| {
        let mut interfaces = interfaces.iter();
        interfaces.any(|&interface| requested.may_be(interface))
    };
    let requested = choice.clone();
    let mut candidates = INTERFACES
        .iter()
        .filter(move |(interfaces, _)| may_have(interfaces))
        .flat_map(|(_, list)| list())
        .filter(move |candidate| requested.is(&**candidate))
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
    let wants_cuda = match choice {
        DeviceChoice::Adapter { interface, .. } | DeviceChoice::All(interface) => {
            *interface == Interface::Cuda
        }
        _ => false,
    };
    if let Some(reason) = no_cuda().filter(|_| wants_cuda) {
        available.push(format!("and no CUDA: {reason}"));
    }
    Err(Error::UnknownDevice {
        wanted: choice.to_string(),
        available: available.join(", "),
    })
}
