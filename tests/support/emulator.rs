//! A CUDA driver and an NVRTC that run on the CPU, built from tests/cuda_emulator, for programs that tests start.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// A folder of the build for what tests keep between runs.
fn scratch_folder() -> PathBuf {
    let program = std::env::current_exe().expect("the path of this program");
    // target/release/deps/it-0123456789abcdef
    let target = program.ancestors().nth(3).expect("a folder of cargo's");
    target.join("tmp")
}

/// Where the emulator lies; `None` skips the test.
pub fn emulator() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = FOLDER.get_or_init(|| {
        if Command::new("c++").arg("--version").output().is_err() {
            eprintln!("skipped: there is no C++ compiler");
            return None;
        }
        let folder = scratch_folder().join("cuda_emulator");
        let built = Command::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../tests/cuda_emulator/build.sh"
        ))
        .arg(&folder)
        .status()
        .expect("the script is run");
        assert!(built.success(), "the emulator is not built");
        Some(folder)
    });
    built.as_deref()
}

/// An environment in which blocks, warps and lanes run in any order.
pub const SHUFFLED: (&str, &str) = ("CUDA_EMULATOR_SHUFFLE", "1");

/// Has a program find the emulated device `cuda:0`.
pub fn on<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    // Code in the cache is that of this emulator.
    command
        .env("LD_LIBRARY_PATH", folder)
        .env("XDG_CACHE_HOME", folder)
}

/// Many times what any of these runs takes.
const LONGEST_SECONDS: &str = "600";

/// Runs the tests of this program whose names have one of these in them once more, on the emulated device in this environment: all of
/// them where none is named. Those that do so are left out, by the word in their names.
pub fn run_again(names: &[&str], environment: &[(&str, &str)]) {
    if !cfg!(all(
        feature = "cuda",
        target_os = "linux",
        target_arch = "x86_64"
    )) {
        return;
    }
    let Some(folder) = emulator() else { return };
    // Workgroups that wait for what never comes are ended, and told.
    let mut command = Command::new("timeout");
    command
        .arg(LONGEST_SECONDS)
        .arg(std::env::current_exe().expect("the path of this program"));
    command
        .args(names)
        .args(["--skip", "emulated", "--test-threads", "2"]);
    on(&mut command, folder).envs(environment.iter().copied());
    command
        .env("SWATH_TEST_DEVICE", "cuda:0")
        .env("SWATH_REQUIRE_GPU_TESTS", "1");
    let (output, said) = ended(command);
    let passed = said
        .split_once("test result: ok. ")
        .and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    let whole = passed.is_some_and(|passed: usize| passed >= names.len().max(1))
        && !said.contains("skipped");
    let ended = if output.status.code() == Some(124) {
        "it did not end"
    } else {
        "it failed"
    };
    assert!(
        output.status.success() && whole,
        "{environment:?}: {ended}: {said}"
    );
}

/// What a program says until it ends.
pub fn ended(mut command: Command) -> (Output, String) {
    let output = command.output().expect("the program is run");
    let said = [&output.stdout, &output.stderr]
        .map(|said| String::from_utf8_lossy(said))
        .concat();
    (output, said)
}
