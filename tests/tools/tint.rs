//! All portable kernels through Tint, Chromium's WGSL compiler, which is stricter than naga.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::json;
use support::kernels::kernels;
use swath::unstable::backend::wgpu::source::{Dialect, ParameterSpace, source};

/// Chromium's software driver, for Dawn.
const DRIVER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Path of the npm package `webgpu`: `SWATH_TINT`, otherwise where tests/run.sh installs it. `None`
/// skips the test.
fn installed() -> Option<PathBuf> {
    let folder = std::env::var_os("SWATH_TINT").map(PathBuf::from);
    let folder =
        folder.unwrap_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/tint"));
    let node = Command::new("node")
        .arg("--version")
        .output()
        .is_ok_and(|output| output.status.success());
    let there = node && folder.join("node_modules/webgpu").is_dir() && Path::new(DRIVER).is_file();
    let required = std::env::var("SWATH_REQUIRE_TINT").is_ok_and(|value| value == "1");
    assert!(
        there || !required,
        "SWATH_REQUIRE_TINT=1 and node, the package webgpu in {} or {DRIVER} is missing: tests/run.sh installs them",
        folder.display()
    );
    if !there {
        eprintln!("skipped: Tint is not here");
    }
    there.then_some(folder)
}

/// Runs the script on a list of kernels.
fn check(folder: &Path, name: &str, kernels: &serde_json::Value) -> Output {
    let list = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.json"));
    std::fs::write(&list, kernels.to_string()).expect("the list is written");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tools/tint.mjs");
    Command::new("node")
        .arg(script)
        .args([folder, &list])
        .env("VK_ICD_FILENAMES", DRIVER)
        .env("VK_DRIVER_FILES", DRIVER)
        .env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("node starts")
}

#[test]
fn tint_accepts_every_kernel_without_64_bit_integers() {
    let Some(folder) = installed() else { return };
    let portable = kernels()
        .into_iter()
        .filter(|kernel| !kernel.int64 && !kernel.float64);
    let texts = portable.flat_map(|kernel| {
        [ParameterSpace::Immediate, ParameterSpace::Uniform].map(|space| {
            let source = source(&kernel, Dialect::Tint, space);
            json!({ "label": format!("{} {space:?}", kernel.label()), "source": source })
        })
    });
    let texts: Vec<_> = texts.collect();
    assert!(texts.len() > 600, "{} texts", texts.len());
    let output = check(&folder, "kernels", &json!(texts));
    let said = [output.stdout, output.stderr]
        .map(|text| String::from_utf8_lossy(&text).into_owned())
        .concat();
    assert!(
        output.status.success() && said.contains(&format!("accepted {0} of {0}", texts.len())),
        "{said}"
    );
}

#[test]
fn tint_refuses_what_only_naga_accepts() {
    let Some(folder) = installed() else { return };
    let barrier = "@group(0) @binding(0) var<storage, read_write> words: array<u32>;
        @compute @workgroup_size(64) fn main(@builtin(local_invocation_index) lane: u32) {
            if words[lane] > 0u { workgroupBarrier(); }
        }";
    let wide = "@compute @workgroup_size(1) fn main() { let x = u64(1u); }";
    let mixed = "@compute @workgroup_size(1) fn main() { let x = 1u << 2u | 1u; }";
    for (name, source) in [("barrier", barrier), ("wide", wide), ("mixed", mixed)] {
        naga::front::wgsl::parse_str(source).expect("naga accepts it");
        let output = check(&folder, name, &json!([{ "label": name, "source": source }]));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            said.starts_with(&format!("{name}: line ")) && said.contains("accepted 0 of 1"),
            "{said}"
        );
    }
}
