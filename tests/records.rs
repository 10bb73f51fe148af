//! The records of `benches/record`: each is what the benchmarks read back.
#![cfg(feature = "cli")]

#[allow(dead_code)] // The benchmarks write records, too.
#[path = "../benches/support/record.rs"]
mod record;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

// What the reader's file takes from beside it.
use swath::unstable::measure::{ceiling, timing};

/// The JSON records of all machines.
fn records() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/record");
    let listed = |folder: &Path| fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let machines = listed(&folder).filter(|path| path.is_dir());
    let mut files: Vec<_> = machines.flat_map(|machine| listed(&machine).collect::<Vec<_>>()).collect();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    files
}

#[test]
fn the_benchmarks_read_every_row_of_every_record() {
    let files = records();
    assert!(files.len() >= 5, "{files:?}");
    for file in files {
        let name = file.display().to_string();
        let record = record::read(&name);
        let rows = record["rows"].as_array().unwrap_or_else(|| panic!("{name} has no rows"));
        let cases: BTreeSet<_> = rows.iter().map(|row| row["case"].as_str().expect("a case has a name")).collect();
        assert!(!rows.is_empty() && cases.len() == rows.len(), "{name}: {} cases of {} rows", cases.len(), rows.len());
        for row in rows {
            let case = row["case"].as_str().unwrap_or_default();
            let seconds = record::seconds(&record, case).unwrap_or_else(|| panic!("{name}: {case} has no time"));
            assert!(seconds > 0.0 && row["right"] == true, "{name}: {row}");
        }
        for key in ["commit", "command", "clock_ghz"] {
            assert!(!record[key].is_null(), "{name} does not tell its {key}");
        }
    }
}
