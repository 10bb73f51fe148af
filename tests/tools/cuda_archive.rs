//! The archive of embedded PTX contains exactly the kernels that plans may name on a CUDA device
//! without NVRTC, each compiled from its source.
//!
//! Compiling needs the NVRTC version that wrote the archive on the loader's path; registers are
//! read by `ptxas` from the path; see tests/cuda.sh. SWATH_REQUIRE_NVRTC=1 forbids skipping.
//! SWATH_WRITE_ARCHIVE=1 rewrites the archive.

use std::collections::BTreeMap;

use rayon::prelude::*;
use support::{embedded, ptxas};
use swath::unstable::backend::cuda::{archive, compiler, embedded as code, source};
use swath::unstable::kernels::Kernel;

/// Path of the archive.
const FILE: &str = "src/backend/cuda/embedded.ptx";
/// Maximum size of the archive.
const MOST_BYTES: usize = 5 << 19;
/// NVRTC version that writes the archive, and its PTX header. Drivers of the same CUDA version load
/// it.
const VERSION: (u32, u32) = (12, 0);
const HEADER: &str = "\n.version 8.0\n.target sm_75\n.address_size 64\n";

/// Architectures to assemble for: Turing to Blackwell.
const ARCHITECTURES: [&str; 6] = ["sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_120"];

/// Hot kernels with known spills in this version: tables of real numbers, rows with origins, and
/// pairs on Blackwell.
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

/// Sources of all embedded kernels with their labels.
fn texts() -> BTreeMap<String, String> {
    let kernels = embedded::kernels();
    let text = |label: &str, kernel| {
        source::source(kernel).unwrap_or_else(|| panic!("{label} has no CUDA text"))
    };
    kernels
        .iter()
        .map(|kernel| (kernel.label(), kernel))
        .map(|(label, kernel)| (text(&label, kernel), label))
        .collect()
}

/// True if the NVRTC that writes the archive is installed.
fn compiles() -> bool {
    let other = |(major, minor)| {
        format!(
            "NVRTC is {major}.{minor}, and the archive of {}.{}",
            VERSION.0, VERSION.1
        )
    };
    let missing = match compiler::version() {
        Ok(VERSION) => None,
        Ok(version) => Some(other(version)),
        Err(reason) => Some(reason.to_string()),
    };
    ptxas::compiles(missing)
}

#[test]
fn the_archive_has_the_kernels_of_the_list_and_no_others() {
    let texts = texts();
    let archive = code::archive().expect("it is one");
    let missing: Vec<_> = texts
        .iter()
        .filter(|(text, _)| !archive.has(text))
        .map(|(_, label)| &label[..])
        .collect();
    assert!(
        missing.is_empty(),
        "{} of {} are missing or stale:\n{}",
        missing.len(),
        texts.len(),
        missing.join("\n")
    );
    assert_eq!(
        archive.digests().count(),
        texts.len(),
        "some are superfluous"
    );
}

#[test]
fn entries_are_what_their_texts_compile_to() {
    if !compiles() {
        return;
    }
    let texts = texts();
    let compiled: Vec<(&str, Vec<u8>)> = texts
        .par_iter()
        .map(|(text, label)| {
            let ptx = compiler::compile(label, text, "compute_75");
            (
                &text[..],
                ptx.unwrap_or_else(|reason| panic!("{label}: {reason}")),
            )
        })
        .collect();
    for (text, ptx) in &compiled {
        let ptx = String::from_utf8_lossy(ptx);
        let whole = ptx.contains(HEADER) && ptx.ends_with('\0') && !ptx.contains(".extern .func");
        assert!(whole, "{} is other PTX than drivers load", texts[*text]);
    }
    if std::env::var("SWATH_WRITE_ARCHIVE").is_ok_and(|value| value == "1") {
        let bytes = archive::write(compiled.iter().map(|(text, ptx)| (*text, &ptx[..])))
            .expect("it is written");
        assert!(bytes.len() <= MOST_BYTES, "{} bytes", bytes.len());
        std::fs::write(FILE, bytes).expect("it is written");
        return;
    }
    let archive = code::archive().expect("it is one");
    for (text, ptx) in &compiled {
        let label = &texts[*text];
        let found = archive
            .get(text)
            .unwrap_or_else(|| panic!("{label} is missing or stale"));
        assert_eq!(
            found.ok().as_ref(),
            Some(ptx),
            "{label} is not what its text compiles to"
        );
    }
}

#[test]
fn embedded_hot_kernels_spill_no_registers() {
    if !ptxas::is_here() {
        return;
    }
    let archive = code::archive().expect("it is one");
    let hot = ptxas::largest(
        embedded::kernels()
            .into_iter()
            .filter(ptxas::is_hot)
            .collect(),
    );
    let ptx = |kernel: &Kernel| {
        let text = source::source(kernel).expect("it has a text");
        archive
            .get(&text)
            .expect("it is embedded")
            .expect("it is whole")
    };
    let spills: Vec<_> = ARCHITECTURES
        .iter()
        .flat_map(|&architecture| ptxas::spills(&hot, ptx, architecture))
        .collect();
    ptxas::assert_spilled(&SPILLS, &spills);
}
