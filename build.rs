//! With the feature `cuda`, copies the archive of compiled kernels at `SWATH_EMBEDDED_PTX` to the
//! place that the library includes it from. An empty file means no compiled kernels.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    const VARIABLE: &str = "SWATH_EMBEDDED_PTX";
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    if env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return;
    }
    let archive = match env::var(VARIABLE) {
        Ok(file) if !file.is_empty() => {
            println!("cargo::rerun-if-changed={file}");
            fs::read(&file).unwrap_or_else(|error| panic!("{VARIABLE} is '{file}': {error}"))
        }
        _ => Vec::new(),
    };
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(folder.join("embedded.ptx"), archive).expect("OUT_DIR is writable");
}
