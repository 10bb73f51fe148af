//! Kernels through the compilers that read them: naga, Tint and NVRTC. No device is needed.

#[cfg(feature = "cuda")]
mod cuda_archive;
#[cfg(feature = "cuda")]
mod cuda_kernels;
mod embedded;
mod shaders;
mod tint;
