//! Archive of PTX that release builds embed: the writer, and a check that its hot kernels spill no registers.
//!
//! Needs the NVRTC of version [`VERSION`] where the loader finds it, and `ptxas` on the path: tests/cuda.sh fetches both. With
//! SWATH_REQUIRE_NVRTC=1 nothing is skipped. SWATH_WRITE_ARCHIVE=FILE writes the archive to FILE, an absolute path.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::sync::LazyLock;

use lzma_rust2::{LzmaOptions, LzmaWriter};
use rayon::prelude::*;
use support::{embedded, ptxas};
use swath::unstable::backend::cuda::{archive, compiler, source};
use swath::unstable::kernels::Kernel;

/// Drivers of this version of CUDA load the PTX of the NVRTC of the same version, which begins with `HEADER`.
const VERSION: (u32, u32) = (12, 0);
const HEADER: &str = "\n.version 8.0\n.target sm_75\n.address_size 64\n";

/// Architectures that `ptxas` assembles for, from Turing to Blackwell.
const ARCHITECTURES: [&str; 6] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"];

/// Hot kernels that spill with this version: tables of real numbers, rows with their origins, and pairs on Blackwell.
const SPILLS: [ptxas::Known; 7] = [
    (
        "tiled_wavefront value_f64 goal perimeter",
        &["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"],
        96,
    ),
    (
        "tiled_wavefront value_f64 goal wide_product",
        &["sm_80", "sm_86", "sm_89"],
        40,
    ),
    (
        "tiled_wavefront value_f64 goal wide_product",
        &["sm_120"],
        16,
    ),
    ("sort/onesweep key_u32 payload_u32", &["sm_120"], 8),
    ("tiled_wavefront value_f64 goal search_tree", &["sm_80"], 8),
    (
        "split_tree value_f64 goal search_tree",
        &["sm_80", "sm_86", "sm_89"],
        8,
    ),
    (
        "split_tree value_f32 operators goal search_tree",
        &["sm_80"],
        8,
    ),
];

/// Key of a kernel in the archive.
fn key(kernel: &Kernel) -> String {
    source::source(kernel).key()
}

/// PTX of all embedded kernels by their keys; `None` if the NVRTC of this version is not here.
fn compiled() -> Option<&'static BTreeMap<String, Vec<u8>>> {
    static COMPILED: LazyLock<Option<BTreeMap<String, Vec<u8>>>> = LazyLock::new(|| {
        let missing = match compiler::version() {
            Ok(VERSION) => None,
            Ok((major, minor)) => Some(format!("NVRTC is {major}.{minor}, not {VERSION:?}")),
            Err(reason) => Some(reason),
        };
        let compile = |kernel: &Kernel| {
            let (label, source) = (kernel.label(), source::source(kernel));
            let text = source
                .text()
                .unwrap_or_else(|error| panic!("{label}: {error}"));
            let ptx = compiler::compile(&label, &text, "compute_75")
                .unwrap_or_else(|reason| panic!("{label}: {reason}"));
            let shown = String::from_utf8_lossy(&ptx);
            assert!(
                shown.contains(HEADER) && shown.ends_with('\0') && !shown.contains(".extern .func"),
                "drivers of CUDA {VERSION:?} do not load the PTX of {label}"
            );
            (key(kernel), ptx)
        };
        ptxas::compiles(missing).then(|| embedded::kernels().par_iter().map(compile).collect())
    });
    COMPILED.as_ref()
}

#[test]
fn the_archive_holds_every_embedded_kernel() {
    let Some(compiled) = compiled() else {
        return;
    };
    // Kernels of one stem resemble each other.
    let kernels = embedded::kernels();
    let sorted: BTreeSet<_> = kernels
        .iter()
        .map(|kernel| (kernel.label(), key(kernel)))
        .collect();
    let entries = sorted.iter().map(|(_, key)| (&key[..], &compiled[key][..]));
    let bytes = archive::write(entries, |group| {
        let size = Some(group.len() as u64);
        let mut stream =
            LzmaWriter::new_use_header(Vec::new(), &LzmaOptions::with_preset(6), size)?;
        stream.write_all(group)?;
        stream.finish()
    })
    .expect("it is written");
    let archive = archive::Archive::of(&bytes).expect("it is an archive");
    for (key, ptx) in compiled {
        assert!(matches!(archive.get(key), Some(Ok(found)) if found == *ptx));
    }
    if let Some(file) = std::env::var_os("SWATH_WRITE_ARCHIVE") {
        std::fs::write(file, bytes).expect("SWATH_WRITE_ARCHIVE names a file that can be written");
    }
}

#[test]
fn embedded_hot_kernels_spill_no_registers() {
    let Some(compiled) = compiled().filter(|_| ptxas::is_here()) else {
        return;
    };
    let hot = embedded::kernels().into_iter().filter(ptxas::is_hot);
    let hot = ptxas::largest(hot.collect());
    let ptx = |kernel: &Kernel| compiled[&key(kernel)].clone();
    let spills: Vec<_> = ARCHITECTURES
        .iter()
        .flat_map(|&architecture| ptxas::spills(&hot, ptx, architecture))
        .collect();
    ptxas::assert_spilled(&SPILLS, &spills);
}
