//! Genomes from FASTA files.

use std::path::Path;

use flate2::read::MultiGzDecoder;

/// The first record of a gzipped FASTA file.
pub fn genome(path: &Path) -> Vec<u8> {
    let file = std::fs::File::open(path)
        .unwrap_or_else(|error| panic!("cannot open {}: {error}", path.display()));
    let mut reader =
        needletail::parse_fastx_reader(MultiGzDecoder::new(file)).expect("the file is FASTA");
    let record = reader.next().expect("it has a record");
    record.expect("the record is whole").seq().into_owned()
}

/// The two strains of *H. pylori* of the tests.
pub fn of_tests() -> (Vec<u8>, Vec<u8>) {
    let folder = [
        "tests/data",
        concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/data"),
    ];
    let folder = folder
        .map(Path::new)
        .into_iter()
        .find(|folder| folder.is_dir());
    let folder = folder.expect("the tests have their data");
    let [a, b] = ["hpylori_ELS37.fasta.gz", "hpylori_G27.fasta.gz"];
    (genome(&folder.join(a)), genome(&folder.join(b)))
}
