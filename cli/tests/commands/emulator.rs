//! The CUDA driver and NVRTC of tests/cuda_emulator, which run on the CPU.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

/// Folder of the emulator; `None` skips the test.
pub fn emulator() -> Option<&'static Path> {
    static FOLDER: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = FOLDER.get_or_init(|| {
        if Command::new("c++").arg("--version").output().is_err() {
            eprintln!("skipped: there is no C++ compiler");
            return None;
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cuda_emulator");
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

/// Variable for a random order of blocks, warps and lanes.
pub const SHUFFLED: (&str, &str) = ("CUDA_EMULATOR_SHUFFLE", "1");

/// Sets up a command to find the emulated device `cuda:0`.
pub fn on<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    // The cache must contain kernels of this emulator only.
    command
        .env("LD_LIBRARY_PATH", folder)
        .env("XDG_CACHE_HOME", folder)
}

/// Output of a command that ends.
pub fn ended(mut command: Command) -> (Output, String) {
    let output = command.output().expect("the program is run");
    let said = [&output.stdout, &output.stderr]
        .map(|said| String::from_utf8_lossy(said))
        .concat();
    (output, said)
}
