//! The CUDA back end and its kernels without a GPU: under a driver and an NVRTC that run on the CPU, built from
//! tests/cuda_emulator. They end a program whose lanes break a rule of CUDA's or touch what no buffer holds.
#![cfg(all(feature = "cli", feature = "cuda", target_os = "linux", target_arch = "x86_64"))]

mod support;

use std::path::Path;
use std::process::{Command, Output};

use support::emulator;

/// What the program says on the emulated device; with `shuffled`, blocks, warps and lanes run in any order.
fn swath(folder: &Path, arguments: &[&str], shuffled: bool) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_swath"));
    emulator::on(command.args(arguments), folder, shuffled);
    emulator::ended(command)
}

#[test]
fn the_emulated_device_is_listed() {
    let Some(folder) = emulator::emulator() else { return };
    let (output, said) = swath(folder, &["devices"], false);
    assert!(output.status.success() && said.contains("emulated GPU"), "{said}");
}

#[test]
fn every_variant_of_the_kernels_gives_the_known_answer_in_any_order_of_lanes() {
    let Some(folder) = emulator::emulator() else { return };
    for shuffled in [false, true] {
        let (output, said) = swath(folder, &["selftest", "--device", "cuda:0"], shuffled);
        assert!(output.status.success() && said.contains("kernel variants gave the known answer"), "{said}");
    }
}

#[test]
fn a_compiler_is_found_by_its_newer_name_and_not_used_where_it_is_newer_than_the_driver() {
    let Some(folder) = emulator::emulator() else { return };
    let renamed = tempfile::tempdir().expect("a folder");
    for (name, new_name) in
        [("libcuda.so", "libcuda.so"), ("liblanes.so", "liblanes.so"), ("libnvrtc.so", "libnvrtc.so.13")]
    {
        std::os::unix::fs::symlink(folder.join(name), renamed.path().join(new_name)).expect("the folder takes links");
    }
    for (version, expected) in [("12", "yes: the first real GPU"), ("14", "is of CUDA 14, and the driver of CUDA 12")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_swath"));
        command.arg("devices").env("LD_LIBRARY_PATH", renamed.path()).env("XDG_CACHE_HOME", renamed.path());
        command.env("CUDA_EMULATOR_NVRTC", version);
        let (output, said) = emulator::ended(command);
        assert!(output.status.success() && said.contains(expected), "{version}: {said}");
    }
}
