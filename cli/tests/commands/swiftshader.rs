//! Self-test on SwiftShader, Chromium's software driver: subgroups of 4 lanes, workgroups of 256,
//! no 64-bit integers, and a compiler with tighter limits than other drivers.

use std::path::Path;

use crate::process::{command, run};

const DRIVER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

#[test]
fn kernel_variants_give_known_answers_on_swiftshader() {
    if !Path::new(DRIVER).is_file() {
        let required = std::env::var("SWATH_REQUIRE_SWIFTSHADER").is_ok_and(|value| value == "1");
        assert!(
            !required,
            "SWATH_REQUIRE_SWIFTSHADER=1 and {DRIVER} is missing: tests/run.sh installs it"
        );
        eprintln!("skipped: SwiftShader is not here");
        return;
    }
    let mut command = command(&["selftest", "--device", "SwiftShader", "--json"]);
    command
        .env("VK_ICD_FILENAMES", DRIVER)
        .env("VK_DRIVER_FILES", DRIVER);
    command.env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR"));
    let found = run(command, b"").json();
    let tests = found["tests"].as_array().expect("a list");
    assert!(tests.len() >= 50, "{} variants", tests.len());
    for test in tests {
        assert_eq!(test["passed"], true, "{test}");
    }
}
