//! Lists the sources of kernels in `shaders/` for the library to include.
//!
//! With the feature `cuda`, also copies the archive of compiled kernels at `SWATH_EMBEDDED_PTX` to
//! the place that the library includes it from. An empty file means no compiled kernels.

use std::path::{Path, PathBuf};
use std::{env, fs};

const SHADERS: &str = "shaders";

fn main() {
    const VARIABLE: &str = "SWATH_EMBEDDED_PTX";
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={SHADERS}");
    println!("cargo::rerun-if-env-changed={VARIABLE}");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    for extension in ["wgsl", "cu"] {
        let mut stems = Vec::new();
        find_stems(Path::new(SHADERS), extension, &mut stems);
        stems.sort();
        let row = |stem: &String| {
            let file = format!("/{SHADERS}/{stem}.{extension}");
            format!("({stem:?}, include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), {file:?}))),\n")
        };
        let rows: String = stems.iter().map(row).collect();
        let list = folder.join(extension).with_extension("rs");
        fs::write(list, format!("&[\n{rows}]")).expect("OUT_DIR is writable");
    }
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
    fs::write(folder.join("embedded.ptx"), archive).expect("OUT_DIR is writable");
}

/// Finds the files with this extension; a stem is a path in `shaders/` without it.
fn find_stems(folder: &Path, extension: &str, stems: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the crate has its shaders") {
        let path = entry.expect("it is listed").path();
        if path.is_dir() {
            find_stems(&path, extension, stems);
        } else if path.extension().is_some_and(|found| found == extension) {
            let stem = path.with_extension("");
            let parts = stem
                .iter()
                .skip(1)
                .map(|part| part.to_str().expect("ASCII"));
            stems.push(parts.collect::<Vec<_>>().join("/"));
        }
    }
}
