//! Facts of the build for `swath --version`: the target, the commit of a checkout, and the version
//! of wgpu in the lock file of the workspace.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let workspace = folder.parent().unwrap_or(&folder);
    let target = env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=SWATH_BUILD_TARGET={target}");
    let commit = commit(&folder).unwrap_or_default();
    println!("cargo::rustc-env=SWATH_BUILD_COMMIT={commit}");
    let wgpu = locked(&workspace.join("Cargo.lock"), "wgpu").unwrap_or_default();
    println!("cargo::rustc-env=SWATH_BUILD_WGPU={wgpu}");
}

/// The checked-out commit; `None` for a package without a repository of its own.
fn commit(folder: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(folder)
            .output();
        let output = output.ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).ok()?.trim().to_string())
    };
    // A package may be unpacked within another repository, which does not track it.
    git(&["ls-files", "--error-unmatch", "build.rs"])?;
    for file in ["HEAD", "logs/HEAD"] {
        let path = folder.join(git(&["rev-parse", "--git-path", file])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

/// Version of a package in a lock file.
fn locked(file: &Path, package: &str) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    println!("cargo::rerun-if-changed={}", file.display());
    let mut lines = text.lines();
    lines.find(|line| *line == format!("name = \"{package}\""))?;
    let version = lines.next()?.strip_prefix("version = \"")?;
    Some(version.strip_suffix('"')?.to_string())
}
