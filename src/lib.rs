//! Exact dynamic-programming and string problems on GPUs and CPUs.
//!
//! swath runs on any GPU with Vulkan, Metal, DX12 or CUDA, and as SIMD code on the CPU. Answers are
//! exact and identical on all of them.
//!
//! | task | answer | problem |
//! |---|---|---|
//! | [`Lcs`] | [`CommonSubsequence`] | longest common subsequence |
//! | [`Edit`] | [`EditDistance`] | edit distance (Levenshtein), alignment; global, prefix, infix |
//! | [`Scs`] | [`CommonSupersequence`] | shortest common supersequence |
//! | [`Substring`] | [`CommonSubstring`] | longest common substring of two or more inputs |
//! | [`Substring`] | [`MaximalMatches`] | all maximal matches; both strands of DNA |
//! | [`Search`] | [`PlaceList`] | all places of patterns in texts within an edit distance |
//! | [`Neighbors`] | [`NeighborList`] | all pairs of strings within an edit distance, or clusters |
//! | [`Orient`] | [`Orientations`] | strand, origin and partners of the records of two genomes |
//! | [`Parenthesize`] | [`Parenthesization`] | matrix chain, polygon, search tree, RNA, your own |
//!
//! The task [`RadixSort`](sort::RadixSort) sorts keys; a [`Sorter`](sort::Sorter) sorts keys in the
//! buffers of an application.
//!
//! # Usage
//!
//! An [`Engine`] holds a device. A task holds its inputs (bytes, characters, or any [`Symbol`]) and
//! its options. The engine runs the task and returns a [`Report`]: the answer and a record of the
//! run.
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
//! let cigar = report.alignment.as_ref().unwrap().cigar();
//! println!("{cigar} by {} on {}", report.run.method, report.run.device);
//! # Ok::<(), swath::Error>(())
//! ```
//!
//! Every witness (subsequence, alignment, string or tree) is verified against the inputs before it
//! is returned. All methods and devices break ties in the same way.
//!
//! # Background jobs, progress, cancellation
//!
//! [`Engine::start`] runs a task on its own thread. The returned [`Job`] is a future for any
//! executor, reports progress, and cancels when dropped. [`Engine::run_with`] blocks the calling
//! thread and takes a [`Control`] for progress and cancellation.
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
//! # Dry runs
//!
//! [`Engine::plan`] returns the method, device, memory and expected time of a task without solving
//! it. It makes the same decision as a run: it inspects the inputs and may enumerate adapters.
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
//! [`Options::device`] selects a device; [`devices`] lists them. By default the engine uses a
//! hardware GPU if it expects a shorter time there, and never a software adapter.
//! [`Options::device_memory`] and [`Options::host_memory`] are hard limits. [`Options::slice_ms`]
//! bounds the time of one submission, which keeps a desktop responsive. [`Engine::selftest`] runs
//! known-answer tests of every kernel.
//!
//! [`Engine::on`] runs on the wgpu device of an application, a [`HostDevice`]; [`wgpu`] is the
//! version that it must come from. A new major version of wgpu comes with a new minor version of
//! this library before 1.0, and a new major one after.
//!
//! # Features
//!
//! - `gpu` (default): wgpu.
//! - `cuda`: CUDA kernels for NVIDIA GPUs, which `auto` then prefers. Builds without a CUDA
//!   toolkit; needs the driver and NVRTC at run time.
//! - `serde`: answers and reports implement `Serialize`.
//!
//! Without `gpu` and `cuda` everything runs on the CPU. The library has no argument parser and no
//! file formats, and never prints; those are in the package `swath-cli`.
//!
//! [`CommonSubsequence`]: lcs::CommonSubsequence
//! [`EditDistance`]: edit_distance::EditDistance
//! [`CommonSupersequence`]: supersequence::CommonSupersequence
//! [`CommonSubstring`]: substring::CommonSubstring
//! [`MaximalMatches`]: substring::MaximalMatches
//! [`NeighborList`]: neighbors::NeighborList
//! [`PlaceList`]: search::PlaceList
//! [`Parenthesization`]: parenthesization::Parenthesization
//! [`Orientations`]: orientation::Orientations

#![deny(missing_docs)]

#[allow(missing_docs)] // Re-exported items keep their docs.
mod backend;
mod call;
pub mod edit_distance;
mod engine;
mod error;
mod host;
#[allow(missing_docs)]
mod kernels;
pub mod lcs;
pub mod matching;
#[allow(missing_docs)]
mod measure;
mod names;
pub mod neighbors;
pub mod orientation;
pub mod pairs;
#[allow(missing_docs)]
mod papers;
pub mod parenthesization;
mod path_mode;
mod plan;
pub mod query;
pub mod search;
mod selftest;
#[allow(missing_docs)] // Not part of the interface; tests reach it through `unstable`.
mod sequences;
pub mod sort;
pub mod substring;
pub mod supersequence;
mod symbols;

#[cfg(feature = "gpu")]
pub use backend::wgpu::HostDevice;
pub use backend::{DeviceChoice, Interface};
pub use call::control::{CancelHandle, Control, Progress, ProgressCallback};
pub use call::phase::Phase;
pub use edit_distance::Edit;
pub use engine::{
    DeviceInfo, Engine, HOST_MEMORY, Job, MOST_THREADS, Options, PlanSummary, Report, Run,
    SelfTest, Task, default_host_memory, devices,
};
pub use error::{Error, Result};
pub use lcs::Lcs;
pub use matching::Matching;
pub use neighbors::Neighbors;
pub use orientation::Orient;
pub use pairs::Pairs;
pub use parenthesization::Parenthesize;
pub use path_mode::PathMode;
pub use search::Search;
pub use sequences::blocks::Block;
pub use sequences::codes::Symbol;
pub use substring::Substring;
pub use supersequence::Scs;
/// The wgpu version of [`HostDevice`] and [`sort::Sorter`]; applications name wgpu's types through
/// it. A new major version of wgpu is a breaking change of this library, and no other one of its
/// public items has a type of wgpu.
#[cfg(feature = "gpu")]
pub use wgpu;

#[doc(hidden)]
pub mod unstable;

/// Compiles the examples of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
