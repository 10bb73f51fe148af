//! Exact dynamic-programming and string problems at GPU speed.
//!
//! swath solves these problems exactly, on any GPU that Vulkan, Metal, DX12 or CUDA drive, and by SIMD code on the CPU:
//!
//! | task | answer | problem |
//! |---|---|---|
//! | [`Lcs`] | [`CommonSubsequence`](lcs::CommonSubsequence) | longest common subsequence |
//! | [`Edit`] | [`EditDistance`](edit_distance::EditDistance) | edit distance (Levenshtein) and alignment; global, prefix, infix |
//! | [`Scs`] | [`CommonSupersequence`](supersequence::CommonSupersequence) | shortest common supersequence |
//! | [`Substring`] | [`CommonSubstring`](substring::CommonSubstring), [`MaximalMatches`](substring::MaximalMatches) | longest common substring of two or more inputs, all maximal matches; both strands of DNA |
//! | [`Parenthesize`] | [`Parenthesization`](parenthesization::Parenthesization) | best parenthesization: matrix chains, polygons, search trees, RNA, your own |
//!
//! Keys are sorted by the task [`RadixSort`](sort::RadixSort), and in an application's own buffers by a [`Sorter`](sort::Sorter).
//!
//! # One way in
//!
//! An [`Engine`] holds a device. A task holds a question and its inputs: bytes, characters, or any [`Symbol`]. The engine runs
//! it and returns a [`Report`]: the answer, and what ran to get it.
//!
//! ```
//! use swath::{Edit, Engine, Lcs, Options};
//!
//! let engine = Engine::new(Options::default())?;
//!
//! let report = engine.run(&Lcs::of(b"ABCBDAB", b"BDCABA"))?;
//! assert_eq!(report.length, 4);
//!
//! let report = engine.run(&Edit::of(b"GATTACA", b"GCATGCT").path())?;
//! assert_eq!(report.distance.exactly(), Some(4));
//! println!("{} by {} on {}", report.alignment.as_ref().unwrap().cigar(), report.run.method, report.run.device);
//! # Ok::<(), swath::Error>(())
//! ```
//!
//! Every witness, a subsequence, an alignment, a string or a tree, is replayed against the inputs before anyone sees it, and ties
//! are broken the same way by every method on every device.
//!
//! # Long calls
//!
//! [`Engine::start`] runs a task on a thread of its own. The [`Job`] is a future for any executor; it tells its progress,
//! and dropping it cancels it. [`Engine::run_with`] takes a [`Control`] for progress and cancelling on the caller's thread.
//!
//! ```
//! use swath::{Engine, Lcs, Options};
//!
//! let engine = Engine::new(Options::default())?;
//! let (a, b) = (vec![b'A'; 5000], vec![b'C'; 5000]);
//! let job = engine.start(Lcs::of(a, b).path());
//! println!("{:.0} %", 100.0 * job.progress().fraction);
//! assert_eq!(job.wait()?.length, 0);
//! # Ok::<(), swath::Error>(())
//! ```
//!
//! # What would run
//!
//! [`Engine::plan`] tells the method, the device, memory and the expected time. It decides as a call does, which looks
//! at the inputs and may list the machine's adapters, and answers nothing.
//!
//! ```
//! use swath::{Engine, Lcs, Options};
//!
//! let engine = Engine::new(Options::new().device("cpu".parse()?))?;
//! let plan = engine.plan(&Lcs::of(vec![1u32; 3000], vec![2u32; 2000]))?;
//! assert_eq!((plan.device.as_str(), plan.cells), ("cpu", 6_000_000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Devices
//!
//! [`Options::device`] names one; [`devices`] lists them; by default the engine takes a real GPU where that is expected to be
//! faster, and never a software adapter. [`Options::device_memory`] and [`Options::host_memory`] are hard limits, and
//! [`Options::slice_ms`] keeps a desktop smooth. [`Engine::selftest`] asks every kernel for known answers.
//!
//! [`Engine::on`] runs on the device that an application draws with, a [`HostDevice`]; [`wgpu`] is the version that it is made by.
//!
//! # Features
//!
//! `gpu` (default) brings wgpu, and `cuda` CUDA kernels for NVIDIA GPUs, which `auto` then prefers: it builds without a CUDA toolkit, and needs
//! the driver where it runs; NVRTC is used where it is. Without both only the CPU answers. `cli` (default) is the command `swath`. `serde`
//! makes answers and reports serializable. The library alone has no argument parser and no file formats, and never prints.

#![deny(missing_docs)]

mod backend;
mod call;
pub mod edit_distance;
mod engine;
mod engines;
mod error;
mod host;
#[allow(missing_docs)] // No part of the interface; tests see it through the door.
mod kernels;
mod known;
pub mod lcs;
#[allow(missing_docs)]
// No part of the interface; the command and benchmarks see it through the door.
mod measure;
#[allow(missing_docs)] // Not part of the interface; tests reach it through `unstable`.
mod pairwise;
pub mod parenthesization;
mod plan;
mod selftest;
pub mod sort;
pub mod substring;
pub mod supersequence;

#[cfg(feature = "gpu")]
pub use backend::wgpu::HostDevice;
pub use backend::{DeviceChoice, Interface};
pub use call::control::{CancelHandle, Control, Progress, ProgressCallback};
pub use edit_distance::Edit;
pub use engine::{
    DeviceInfo, Engine, HOST_MEMORY, Job, MOST_THREADS, Options, PlanSummary, Report, Run,
    SelfTest, Task, devices,
};
pub use error::{Error, Result};
pub use lcs::Lcs;
pub use pairwise::blocks::Block;
pub use pairwise::codes::Symbol;
pub use parenthesization::Parenthesize;
pub use substring::Substring;
pub use supersequence::Scs;
/// The interface to GPUs that [`HostDevice`] belongs to.
#[cfg(feature = "gpu")]
pub use wgpu;

#[doc(hidden)]
pub mod unstable;

/// The examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
