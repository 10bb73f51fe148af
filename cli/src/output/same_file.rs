//! Whether an output is one of the inputs, by whatever names.

use std::path::Path;

use crate::input::Source;

/// Whether both are one file: through links, relative paths, hard links and mounts too. Pipes and devices are not lost when they
/// are written to, so they do not count.
pub fn is_same(output: &Path, input: &Source) -> bool {
    match input {
        Source::Literal(_) => false,
        Source::File(path) => identity(output).is_some_and(|output| identity(path) == Some(output)),
        Source::Stdin => is_stdin(output),
    }
}

/// Device and inode.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let metadata = std::fs::metadata(path).ok()?;
    (metadata.is_file() || metadata.file_type().is_block_device())
        .then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<std::path::PathBuf> {
    path.is_file().then(|| path.canonicalize().ok())?
}

#[cfg(unix)]
fn is_stdin(output: &Path) -> bool {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let stdin = std::io::stdin()
        .as_fd()
        .try_clone_to_owned()
        .map(std::fs::File::from);
    let stdin = stdin.and_then(|file| file.metadata());
    stdin.is_ok_and(|stdin| identity(output) == Some((stdin.dev(), stdin.ino())))
}

#[cfg(not(unix))]
fn is_stdin(_output: &Path) -> bool {
    false
}
