//! Output to stdout, stderr, or a file that is replaced in one step.

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, bail};
use swath::Error;
use tempfile::NamedTempFile;

use crate::input::{Reading, Source, printable};
use crate::interrupt::Interrupt;

/// Stands for stdin among inputs and for stdout behind --output.
pub const DASH: &str = "-";

/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;
/// Links that are followed at most.
const MAX_LINKS: usize = 40;

/// The draft that is written, for an exit that runs no destructors.
static DRAFT: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Removes the draft of an output file. To be called before the process is ended from another thread.
pub fn remove_draft() {
    if let Ok(mut draft) = DRAFT.try_lock()
        && let Some(draft) = draft.take()
    {
        let _ = fs::remove_file(draft);
    }
}

/// Runs `write` on a buffered stdout.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    flushed(io::stdout().lock(), write).context("cannot write to stdout")
}

/// Runs `write` on a buffered stderr.
pub fn to_stderr(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    flushed(io::stderr().lock(), write).context("cannot write to stderr")
}

/// A line on stderr for people; one that cannot be written is no reason to stop.
pub fn note(line: &str) {
    let _ = writeln!(io::stderr(), "swath: {}", printable(line));
}

/// Prints the notes on the inputs to stderr.
pub fn notes(reading: &Reading) {
    reading.notes.iter().for_each(|line| note(line));
}

/// Ends the line on a terminal where the output did not; a file or pipe gets no byte more than was asked for.
pub fn end_line(needed: bool) -> anyhow::Result<()> {
    if needed && io::stdout().is_terminal() {
        to_stdout(|out| writeln!(out))?;
    }
    Ok(())
}

/// Whether an output is stdout by its name.
pub fn is_stdout(path: &Path) -> bool {
    path == Path::new(DASH) || path == Path::new("/dev/stdout")
}

/// A file that an option names.
#[derive(Clone, Debug)]
pub struct OutputFile(PathBuf);

impl OutputFile {
    /// Fails early where [`begin`](Self::begin) would fail after the work, or would write over one of `inputs`.
    pub fn check<'a>(
        option: &str,
        path: &Path,
        inputs: impl IntoIterator<Item = &'a Source>,
    ) -> anyhow::Result<Self> {
        let shown = path.display();
        if path.is_dir() {
            bail!("{option} {shown} is a directory; name a file in it");
        }
        if let Some(input) = inputs.into_iter().find(|input| is_same(path, input)) {
            let input = match input {
                Source::File(file) => file.display().to_string(),
                Source::Stdin | Source::Literal(_) => "the file behind stdin".to_string(),
            };
            bail!("{option} {shown} is {input}, an input, which would be lost; name another file");
        }
        if !is_special(path) {
            let target = target(path);
            let folder = folder(&target);
            if !folder.is_dir() {
                bail!(
                    "{option} {shown}: there is no folder {}; make it first",
                    folder.display()
                );
            }
            draft(&target).with_context(|| format!("cannot write {shown}"))?;
        }
        Ok(Self(path.to_path_buf()))
    }

    /// Starts to write: to a draft that takes the file's place when all is written, so that on an error the file stays as it was.
    /// Pipes and devices are written in place.
    pub fn begin<'a>(&self, interrupt: &'a Interrupt) -> anyhow::Result<Writing<'a>> {
        let opened = if is_special(&self.0) {
            // Opening a pipe waits for its reader.
            interrupt
                .ending_at_once(|| Ok(File::options().write(true).open(&self.0)))?
                .map(|file| (file, None))
        } else {
            let target = target(&self.0);
            draft(&target).and_then(|draft| {
                let mut listed = DRAFT.lock().unwrap_or_else(PoisonError::into_inner);
                *listed = Some(draft.path().to_path_buf());
                Ok((draft.as_file().try_clone()?, Some((draft, target))))
            })
        };
        let (file, draft) = opened.with_context(|| format!("cannot write {self}"))?;
        let out = Interruptible {
            out: file,
            interrupt,
        };
        Ok(Writing {
            out: BufWriter::with_capacity(BUFFER, out),
            draft,
            path: self.0.clone(),
            interrupt,
        })
    }
}

/// A file that is being written.
pub struct Writing<'a> {
    out: BufWriter<Interruptible<'a>>,
    /// The draft, and the file that it replaces; `None` for pipes and devices.
    draft: Option<(NamedTempFile, PathBuf)>,
    path: PathBuf,
    interrupt: &'a Interrupt,
}

impl Writing<'_> {
    /// Writes more.
    pub fn put(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let out = &mut self.out;
        let written = match self.draft {
            Some(_) => write(out),
            None => self
                .interrupt
                .ending_at_once(|| Ok(write(out).and_then(|()| out.flush())))?,
        };
        self.explained(written)
    }

    /// Ends the file, which keeps the permissions of what was there.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let flushed = self.out.flush();
        self.explained(flushed)?;
        let Some((draft, target)) = self.draft.take() else {
            return Ok(());
        };
        let kept = match fs::metadata(&target) {
            Ok(old) => draft.as_file().set_permissions(old.permissions()),
            Err(_) => Ok(()),
        };
        let placed = kept.and_then(|()| draft.persist(&target).map_err(|error| error.error));
        self.explained(placed.map(drop))
    }

    fn explained(&self, written: io::Result<()>) -> anyhow::Result<()> {
        if self.interrupt.handle().is_cancelled() {
            return Err(Error::Cancelled.into());
        }
        written.with_context(|| format!("cannot write {}", self.path.display()))
    }
}

impl std::fmt::Display for OutputFile {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.display().fmt(formatter)
    }
}

/// A pipe or device, which nothing may take the place of.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

/// A temporary file beside `path`, removed unless it takes its place.
fn draft(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".swath-").suffix(".part");
    // The umask applies to these; by default the file is private to the user.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder(path))
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// The file behind links, so that the links stay; it need not be there yet.
fn target(path: &Path) -> PathBuf {
    let mut path = path.to_path_buf();
    for _ in 0..MAX_LINKS {
        let Ok(next) = fs::read_link(&path) else {
            break;
        };
        path = folder(&path).join(next);
    }
    fs::canonicalize(&path).unwrap_or(path)
}

/// Whether both are one file: through links, relative paths, hard links and mounts too. Pipes and devices are not lost when they
/// are written to, so they do not count.
fn is_same(output: &Path, input: &Source) -> bool {
    let Some(output) = identity(output) else {
        return false;
    };
    match input {
        Source::Literal(_) => false,
        Source::File(path) => identity(path) == Some(output),
        #[cfg(unix)]
        Source::Stdin => {
            use std::os::{fd::AsFd, unix::fs::MetadataExt};
            let stdin = io::stdin().as_fd().try_clone_to_owned().map(File::from);
            let stdin = stdin.and_then(|file| file.metadata());
            stdin.is_ok_and(|stdin| (stdin.dev(), stdin.ino()) == output)
        }
        #[cfg(not(unix))]
        Source::Stdin => false,
    }
}

/// Device and inode.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    let metadata = fs::metadata(path).ok()?;
    let is_lost = metadata.is_file() || metadata.file_type().is_block_device();
    is_lost.then(|| (metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    path.is_file().then(|| path.canonicalize().ok())?
}

fn flushed<W: Write>(
    out: W,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, out);
    write(&mut out).and_then(|()| out.flush())
}

/// Stops writing once the call is cancelled.
struct Interruptible<'a> {
    out: File,
    interrupt: &'a Interrupt,
}

impl Write for Interruptible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.interrupt.handle().is_cancelled() {
            return Err(io::Error::other(Error::Cancelled));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
