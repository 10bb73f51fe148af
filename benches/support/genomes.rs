//! Genomes of the tests.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use flate2::read::MultiGzDecoder;

/// Files of two strains of *H. pylori*, of one record each.
pub const FILES: [&str; 2] = ["hpylori_ELS37.fasta.gz", "hpylori_G27.fasta.gz"];

/// Folder of the files: that of the sources, or one below the current folder.
pub fn folder() -> &'static Path {
    let folders = [
        concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data"),
        "tests/data",
    ];
    let mut folders = folders.into_iter().map(Path::new);
    folders
        .find(|folder| folder.is_dir())
        .expect("the tests have their data")
}

/// Letters of both genomes.
pub fn genomes() -> (Vec<u8>, Vec<u8>) {
    let [a, b] = FILES.map(|name| {
        let file = File::open(folder().join(name)).expect("a file of the tests");
        let mut text = String::new();
        let read = MultiGzDecoder::new(file).read_to_string(&mut text);
        read.expect("gzipped text");
        let lines = text.lines().filter(|line| !line.starts_with('>'));
        lines.flat_map(str::bytes).collect()
    });
    (a, b)
}
