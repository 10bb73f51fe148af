//! Tests of the command `swath` as a process.

mod bam;
mod bench;
mod compare;
#[cfg(all(feature = "cuda", target_os = "linux", target_arch = "x86_64"))]
mod cuda_emulated;
mod edit;
mod edit_batch;
mod files;
mod generated;
mod help;
mod input;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod instructions;
mod letters;
#[cfg(target_os = "linux")]
mod linux;
mod neighbors;
mod pairs;
mod pairs_join;
mod pairs_resume;
mod parenthesization;
mod patches;
mod process;
mod reading;
#[cfg(target_os = "linux")]
mod scarce;
mod scs;
mod search;
#[cfg(unix)]
mod signals;
mod strands;
mod substring;
#[cfg(feature = "gpu")]
mod swiftshader;
#[cfg(unix)]
mod unix;
mod whole;
