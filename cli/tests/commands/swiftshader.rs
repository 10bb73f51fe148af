//! The self-test on SwiftShader, Chromium's software driver: four lanes a subgroup, 256 a workgroup, no 64-bit integers, and a
//! compiler that other drivers hide the limits of.

use std::path::Path;

use crate::process::swath;

const DRIVER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

#[test]
fn kernels_give_known_answers_on_swiftshader() {
    // Minutes of building kernels: a part of `tests/run.sh --full`, which installs the driver.
    if !std::env::var("SWATH_REQUIRE_SWIFTSHADER").is_ok_and(|value| value == "1") {
        eprintln!("skipped: SWATH_REQUIRE_SWIFTSHADER=1 asks for SwiftShader");
        return;
    }
    assert!(Path::new(DRIVER).is_file(), "{DRIVER} is missing");
    let driver = format!("VK_ICD_FILENAMES={DRIVER} VK_DRIVER_FILES={DRIVER}");
    let runtime = concat!("XDG_RUNTIME_DIR='", env!("CARGO_TARGET_TMPDIR"), "'");
    let selftest = "selftest --device SwiftShader --json";
    let found = swath(format!("{driver} {runtime} {selftest}")).json();
    let tests: Vec<serde_json::Value> = crate::process::get(&found["tests"]);
    assert!(tests.len() >= 50, "{} variants", tests.len());
    for test in tests {
        assert_eq!(test["passed"], true, "{test}");
    }
}
