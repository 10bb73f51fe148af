//! Where output goes: stdout, stderr, or a file that is replaced in one step.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use swath::{CancelHandle, Error};
use tempfile::NamedTempFile;

/// Runs `write` on a buffered stdout.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    flushed(io::stdout().lock(), write).context("cannot write to stdout")
}

/// Runs `write` on a buffered stderr.
pub fn to_stderr(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    flushed(io::stderr().lock(), write).context("cannot write to stderr")
}

/// Ends the line on a terminal where the output did not; a file or pipe gets no byte more than was asked for.
pub fn end_line(needed: bool) -> anyhow::Result<()> {
    if needed && io::stdout().is_terminal() {
        to_stdout(|out| writeln!(out))?;
    }
    Ok(())
}

/// Fails early where [`to_file`] would fail after the work.
pub fn check_file(path: &Path) -> anyhow::Result<()> {
    if path.is_dir() {
        bail!("--path {} is a directory; name a file in it", path.display());
    }
    let folder = folder(path);
    if !folder.is_dir() {
        bail!("--path {}: there is no folder {}; make it first", path.display(), folder.display());
    }
    if !is_special(path) {
        temporary(&target(path)).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Runs `write` on a temporary file beside `path` that takes its place when all is written; on an error `path` stays as it
/// was. Pipes and devices are written in place.
pub fn to_file(
    path: &Path,
    cancel: &CancelHandle,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> anyhow::Result<()> {
    let written = if is_special(path) {
        File::options().write(true).open(path).and_then(|file| flushed(Interruptible { out: file, cancel }, write))
    } else {
        replace(&target(path), cancel, write)
    };
    if cancel.is_cancelled() {
        return Err(Error::Cancelled.into());
    }
    written.with_context(|| format!("cannot write {}", path.display()))
}

fn replace(path: &Path, cancel: &CancelHandle, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let file = temporary(path)?;
    flushed(Interruptible { out: file.as_file(), cancel }, write)?;
    if let Ok(old) = fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

fn temporary(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".swath-");
    if let Some(permissions) = usual_permissions() {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder(path))
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// What the umask is applied to; tempfile's own choice is private to the user.
#[cfg(unix)]
fn usual_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn usual_permissions() -> Option<Permissions> {
    None
}

/// The file behind a link, so that the link stays.
fn target(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf())
}

/// A pipe or device, which nothing may take the place of.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

fn flushed<W: Write>(out: W, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    write(&mut out).and_then(|()| out.flush())
}

/// Stops writing once the call is cancelled.
struct Interruptible<'a, W> {
    out: W,
    cancel: &'a CancelHandle,
}

impl<W: Write> Write for Interruptible<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other(Error::Cancelled));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
