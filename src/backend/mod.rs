//! Backends run plans on a device. They know nothing of problems.
//!
//! The floor has two halves. What every device needs is written once: a call gets a [`Device`], on which it opens a [`Session`]; the
//! session has its share of the device's memory ([`memory`]), cuts passes into slices (`pace`), stamps every submission, checks
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
mod choice;
#[cfg(all(test, feature = "gpu"))]
pub(crate) mod counted;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
#[cfg(any(feature = "gpu", feature = "cuda"))]
mod gathered;
pub mod memory;
mod pace;
pub mod parts;
pub mod session;
#[cfg(any(feature = "gpu", feature = "cuda"))]
mod texts;
#[cfg(feature = "gpu")]
pub mod wgpu;

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use crate::error::{Error, Result};
use crate::plan::{BufferId, Pass, Plan};
pub use choice::{DeviceChoice, Interface};
pub use device::Device;
use memory::Account;
use pace::Rates;
pub use parts::Source;
pub use session::{Ran, Session};

/// What a planner may ask about a device; never which backend it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Capabilities {
    /// Largest binding, in bytes.
    pub binding_bytes: u64,
    /// Largest buffer, in bytes.
    pub buffer_bytes: u64,
    /// Largest buffer that plans make, in bytes: a whole one fits one binding.
    pub chunk_bytes: u64,
    /// Bytes that plans read back at once, about.
    pub readback_bytes: u64,
    /// Buffers that a kernel may bind.
    pub bindings: u32,
    /// Workgroups in one dimension of a dispatch.
    pub groups_per_dimension: u32,
    /// Workgroup memory, in bytes.
    pub workgroup_bytes: u32,
    /// Lanes of the largest workgroup.
    pub workgroup_lanes: u32,
    /// Lanes of a subgroup, where the device can run them at one fixed size only.
    pub subgroup: Option<u32>,
    /// Multiprocessors or compute units, where the driver says.
    pub compute_units: Option<u32>,
    /// Workgroup memory of a compute unit, in bytes, where the driver says.
    pub unit_workgroup_bytes: Option<u32>,
    /// Threads of the host that compute in its stead: a software adapter.
    pub host_threads: Option<u32>,
    /// Bytes of device-local memory, where the driver says.
    pub memory_bytes: Option<u64>,
    /// 64-bit integers in shaders.
    pub int64: bool,
    /// Double precision in shaders.
    pub float64: bool,
    /// Whether double precision is known to be at least half as fast as single precision.
    pub fast_float64: bool,
    /// Whether bounds and loops of kernels can be checked, as a caller's texts and inputs need it.
    pub checks: bool,
    /// Whether workgroups that have begun go on, so that later ones of a dispatch may wait for what they write.
    pub forward_progress: bool,
    /// Whether kernels of any shape can be compiled; else plans keep to those that are embedded.
    pub compiles: bool,
}

/// What there is to do where a kernel is none of those that are embedded, and the device compiles no others.
pub(crate) const NOT_EMBEDDED: &str =
    "leave the choice to the planner, install the device's compiler (NVRTC for CUDA), or choose another device";

impl Default for Capabilities {
    /// What every WebGPU device has.
    fn default() -> Self {
        Self {
            binding_bytes: 128 << 20,
            buffer_bytes: 256 << 20,
            chunk_bytes: 128 << 20,
            readback_bytes: 16 << 20,
            bindings: 8,
            groups_per_dimension: 65_535,
            workgroup_bytes: 16 << 10,
            workgroup_lanes: 256,
            subgroup: None,
            compute_units: None,
            unit_workgroup_bytes: None,
            host_threads: None,
            memory_bytes: None,
            int64: false,
            float64: false,
            fast_float64: false,
            checks: true,
            forward_progress: false,
            compiles: true,
        }
    }
}

/// A result that arrives later.
pub type Pending<T> = Pin<Box<dyn Future<Output = Result<T>> + Send>>;

/// Waits for a device. Only for a thread that the host can spare: the device, and a thread of its own that hears from it, need no
/// other to get on.
///
/// # Errors
/// What the pending result is.
pub fn wait_on_this_thread<T>(pending: Pending<T>) -> Result<T> {
    pollster::block_on(pending)
}

/// A device and the interface to it.
pub trait Backend: Send + Sync + std::fmt::Debug {
    /// The device's name.
    fn name(&self) -> &str;

    /// What it can do.
    fn capabilities(&self) -> &Capabilities;

    /// Whether the device was lost: nothing runs on it any more.
    fn is_lost(&self) -> bool {
        false
    }

    /// Whether it can be opened again once it was lost. A host application's device cannot.
    fn opens_again(&self) -> bool {
        true
    }

    /// Loses the device, as a crash of its driver would.
    #[cfg(test)]
    fn lose(&self) {}

    /// What all sessions on the device share.
    fn shared(&self) -> &Arc<Shared>;

    /// Opens the device's side of a session, which holds nothing yet.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable), and [`Error::DeviceLost`](crate::Error::DeviceLost) where it
    /// is lost already.
    fn open_session(&self) -> Result<Box<dyn DeviceSession>>;
}

/// The device's side of a session: one queue, on which everything comes in order, and the buffers of one plan at a time.
pub trait DeviceSession: Send {
    /// Gives back all buffers but these, in ascending order, which stay for the plan that is loaded next.
    fn retain(&mut self, kept: &[BufferId]);

    /// Makes `plan` the one that passes and spans are of: builds its kernels, allocates its buffers and fills them, in tasks for
    /// all threads. `kept` has for each buffer the one of the plan before that it takes over as it is, if any. The bytes of the
    /// plan are this session's on the account already; what is taken beside them is kept within `limit_bytes`.
    ///
    /// # Errors
    /// [`Error::DeviceMemory`](crate::Error::DeviceMemory) where the driver has no more memory.
    fn load(&mut self, plan: &mut Plan, kept: &[Option<BufferId>], limit_bytes: u64) -> Result<()>;

    /// Where the device takes what a source writes part by part; else it takes whole words alone.
    fn in_parts(&mut self) -> Option<&mut dyn InParts> {
        None
    }

    /// Starts passes of the plan as one submission, which leaves the stamp behind the last of them, and copies words of buffers
    /// to the host, in order.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost).
    fn submit(&mut self, passes: &[Pass], stamp: Stamp, spans: &[Span]) -> Result<Pending<Done>>;
}

/// A device that takes uploads in parts.
pub trait InParts {
    /// Fills buffers of the plan that is loaded with what a source writes in units of so many words: in tasks for all threads.
    ///
    /// # Errors
    /// [`Error::DeviceLost`](crate::Error::DeviceLost).
    fn fill(&mut self, plan: &Plan, buffers: &[(BufferId, u64)], source: &dyn Source) -> Result<()>;
}

/// What all sessions on one device share.
#[derive(Debug, Default)]
pub struct Shared {
    /// Its memory.
    pub memory: Account,
    stamps: AtomicU32,
    rates: Rates,
}

impl Shared {
    /// A stamp that no submission on this device has left before, so that what an earlier one has left somewhere is never taken
    /// for it.
    fn next_stamp(&self) -> u32 {
        self.stamps.fetch_add(1, Ordering::Relaxed).wrapping_add(1)
    }
}

/// A number that a submission leaves on the device where every one before it has left its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The number.
    pub value: u32,
    /// The number that must lie there, but for the first of a row of submissions.
    pub after: Option<u32>,
}

/// What a submission has left.
pub struct Done {
    /// The stamp that lay on the device.
    pub stamp: u32,
    /// How long the device was busy with it: from when it was submitted, or the device done with what came before.
    pub busy: Duration,
    /// The words that were asked for.
    pub words: Box<dyn Words>,
}

/// Words on the host, where the device's driver has put them.
pub trait Words: Send {
    /// All of them.
    fn words(&self) -> &[u32];
}

impl Words for Vec<u32> {
    fn words(&self) -> &[u32] {
        self
    }
}

/// A run of words of one buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Which buffer of the plan.
    pub buffer: BufferId,
    /// First word.
    pub first: u64,
    /// Number of words.
    pub words: u64,
}

/// A device of this machine, open or not.
#[derive(Clone, Debug)]
pub struct Listed {
    /// What selects it: `vulkan:0`, `metal:0`, ...
    pub selector: String,
    /// What drives it.
    pub interface: Interface,
    /// Its name.
    pub name: String,
    /// `"discrete GPU"`, `"integrated GPU"`, `"virtual GPU"`, `"software"` or `"other"`.
    pub kind: &'static str,
    /// Driver name and version.
    pub driver: String,
    /// What it can do.
    pub capabilities: Capabilities,
    /// What keeps it from being used at all.
    pub missing: Option<String>,
    /// Whether it is no software.
    pub is_real_gpu: bool,
    /// Whether it has given other answers than the known ones.
    pub is_wrong: bool,
    /// Which compiler makes its kernels, where there is more than one, or why none does.
    pub shader_compiler: Option<String>,
}

/// Every device of this machine but the CPU, in the order in which `auto` and a part of a name choose.
pub fn list() -> Vec<Listed> {
    INTERFACES.iter().flat_map(|(_, candidates)| candidates()).map(|candidate| candidate.listed()).collect()
}

/// Why there are no CUDA devices, if so.
fn no_cuda() -> Option<&'static str> {
    #[cfg(feature = "cuda")]
    return cuda::adapter::missing();
    #[cfg(not(feature = "cuda"))]
    Some("this build is without the feature `cuda`")
}

/// A device that can be opened.
pub trait Candidate: Send + Sync + std::fmt::Debug {
    /// What selects it.
    fn selector(&self) -> String;

    /// Its name.
    fn name(&self) -> String;

    /// What lists show of it. It may take a while to find out what is missing.
    fn listed(&self) -> Listed;

    /// Opens it, with the shaders' checks on where `checked`, and with nothing beyond what every WebGPU device has where `portable`.
    ///
    /// # Errors
    /// [`Error::DeviceUnavailable`](crate::Error::DeviceUnavailable) with the driver's reason.
    fn open(&self, checked: bool, portable: bool) -> Result<Arc<dyn Backend>>;

    /// Whether it has given known answers, in this process or an earlier one; `None` where it has to be asked before `auto` takes it.
    fn is_trusted(&self) -> Option<bool> {
        Some(true)
    }

    /// Keeps whether it has; `None` where it could not be asked.
    fn keep_trust(&self, _gives_known_answers: Option<bool>) {}
}

/// Devices of some interfaces.
type Candidates = fn() -> Vec<Box<dyn Candidate>>;

/// What lists the devices of each interface; CUDA's come first, because their kernels are the fastest where work is long.
const INTERFACES: &[(&[Interface], Candidates)] = &[
    #[cfg(feature = "cuda")]
    (&[Interface::Cuda], || cuda::adapter::candidates().into_iter().map(boxed).collect()),
    #[cfg(feature = "gpu")]
    (&[Interface::Vulkan, Interface::Metal, Interface::Dx12], || {
        wgpu::adapter::candidates().into_iter().map(boxed).collect()
    }),
];

#[cfg(any(feature = "gpu", feature = "cuda"))]
fn boxed(candidate: impl Candidate + 'static) -> Box<dyn Candidate> {
    Box::new(candidate)
}

/// The interfaces in the order in which they are asked: where work is short, those come last whose devices open slowly.
fn in_order(short: bool) -> impl Iterator<Item = &'static (&'static [Interface], Candidates)> {
    let slow = |interfaces: &[Interface]| interfaces.iter().all(|interface| interface.opens_slowly());
    let (last, first): (Vec<_>, Vec<_>) = INTERFACES.iter().partition(|(interfaces, _)| short && slow(interfaces));
    first.into_iter().chain(last)
}

/// The device that `choice` means; `None` is the CPU. Interfaces that cannot have it are not asked.
///
/// # Errors
/// [`Error::UnknownDevice`] with the list of what is there.
pub fn choose(choice: &DeviceChoice) -> Result<Option<Box<dyn Candidate>>> {
    choose_for(choice, false)
}

/// The same for work that may be short: `auto` means another device then.
///
/// # Errors
/// As [`choose`].
pub fn choose_for(choice: &DeviceChoice, short: bool) -> Result<Option<Box<dyn Candidate>>> {
    if *choice == DeviceChoice::Cpu {
        return Ok(None);
    }
    for (interfaces, candidates) in in_order(short && *choice == DeviceChoice::Auto) {
        if matches!(choice, DeviceChoice::Adapter { interface, .. } if !interfaces.contains(interface)) {
            continue;
        }
        if let Some(found) = candidates().into_iter().find(|candidate| choice.is(&**candidate)) {
            return Ok(Some(found));
        }
    }
    if *choice == DeviceChoice::Auto {
        return Ok(None);
    }
    let mut available: Vec<_> =
        list().into_iter().map(|device| format!("{} ({})", device.selector, device.name)).collect();
    available.push(match INTERFACES {
        [] => "cpu (this build is without the features `gpu` and `cuda`)".to_string(),
        _ => "cpu".to_string(),
    });
    if let (DeviceChoice::Adapter { interface: Interface::Cuda, .. }, Some(reason)) = (choice, no_cuda()) {
        available.push(format!("and no CUDA: {reason}"));
    }
    Err(Error::UnknownDevice { wanted: choice.to_string(), available: available.join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interfaces_that_open_slowly_come_first_for_long_work_and_last_for_short() {
        let order = |short| in_order(short).map(|(interfaces, _)| interfaces[0]).collect::<Vec<_>>();
        let cuda = cfg!(feature = "cuda").then_some(Interface::Cuda);
        let others = cfg!(feature = "gpu").then_some(Interface::Vulkan);
        assert_eq!(order(false), [cuda, others].into_iter().flatten().collect::<Vec<_>>());
        assert_eq!(order(true), [others, cuda].into_iter().flatten().collect::<Vec<_>>());
    }
}
