//! Drafts that killed runs have left.

use std::fs::{self, DirEntry, File};
use std::path::Path;
use std::time::Duration;

/// What names of drafts begin with.
pub const PREFIX: &str = ".swath-";
/// What they end with.
pub const SUFFIX: &str = ".part";
/// Drafts that are younger may not be locked yet.
const GRACE: Duration = Duration::from_secs(60);

/// Removes the drafts in `folder` whose makers are gone. What cannot be removed stays: nothing depends on it.
pub fn remove(folder: &Path) {
    for entry in fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(is_abandoned)
    {
        let _ = fs::remove_file(entry.path());
    }
}

/// Whether it is an old draft that nobody holds the lock of.
fn is_abandoned(entry: &DirEntry) -> bool {
    let name = entry.file_name();
    let is_draft = name
        .to_str()
        .is_some_and(|name| name.starts_with(PREFIX) && name.ends_with(SUFFIX));
    is_draft
        && age(entry).is_some_and(|age| age > GRACE)
        && File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok())
}

/// Time since the last write to a file.
fn age(entry: &DirEntry) -> Option<Duration> {
    let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
    metadata.modified().ok()?.elapsed().ok()
}
