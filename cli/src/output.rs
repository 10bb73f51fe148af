//! Output to stdout, stderr, or an atomically replaced file.

use std::fs::{self, File, TryLockError};
use std::io::{self, BufWriter, IsTerminal, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use swath::Error;
use tempfile::{NamedTempFile, PersistError, TempPath};

use crate::environment;
use crate::input::Source;
use crate::interrupt::{self, Interrupt};

/// Stdin as an input, stdout after `--output`.
pub const DASH: &str = "-";

const BUFFER: usize = 1 << 16;
const MAX_LINKS: usize = 40;

pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let print = || {
        environment::check_stdout()?;
        let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        write(&mut out)?;
        out.flush()
    };
    print().context("cannot write to stdout")
}

/// Writes a summary to stderr. Write errors are ignored: the answer is elsewhere.
pub fn to_stderr(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let mut text = Vec::new();
    write(&mut text)?;
    let _ = io::stderr().write_all(&text);
    Ok(())
}

/// Ends the last line on a terminal. Files and pipes get no extra byte.
pub fn end_line(needed: bool) -> anyhow::Result<()> {
    if needed && io::stdout().is_terminal() {
        to_stdout(|out| writeln!(out))?;
    }
    Ok(())
}

/// # Errors
/// If stdout, which gets BAM, is a terminal.
pub fn check_bam_on_stdout() -> anyhow::Result<()> {
    if io::stdout().is_terminal() {
        bail!("--format bam is not for a terminal; name a file: --output FILE, or take sam");
    }
    Ok(())
}

pub fn is_stdout(path: &Path) -> bool {
    path == Path::new(DASH) || path == Path::new("/dev/stdout")
}

#[derive(Clone, Debug)]
pub struct OutputFile(PathBuf);

impl OutputFile {
    /// Checks early that [`begin`](Self::begin) will succeed and overwrite none of `inputs`.
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
        if is_special(path) {
            // Opening a pipe would end a reader that waits for it.
            if !is_pipe(path) {
                open_for_writing(path).with_context(|| format!("cannot write {shown}"))?;
            }
        } else {
            let target = target(path);
            let folder = folder(&target);
            if !folder.is_dir() {
                bail!(
                    "{option} {shown}: there is no folder {}; make it first",
                    folder.display()
                );
            }
            probe(&target).with_context(|| format!("cannot write {shown}"))?;
        }
        Ok(Self(path.to_path_buf()))
    }

    /// The file of `--output`; `None` for stdout.
    pub fn optional<'a>(
        path: Option<&Path>,
        inputs: impl IntoIterator<Item = &'a Source>,
    ) -> anyhow::Result<Option<Self>> {
        let path = path.filter(|path| !is_stdout(path));
        path.map(|path| Self::check("--output", path, inputs))
            .transpose()
    }

    pub fn write(
        &self,
        interrupt: &Interrupt,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let mut writing = self.begin(interrupt)?;
        writing.put(write)?;
        writing.finish()
    }

    /// Files beside this one that hold an unfinished output and its journal.
    fn beside(&self) -> [PathBuf; 2] {
        [".part", ".progress"].map(|suffix| {
            let mut path = target(&self.0).into_os_string();
            path.push(suffix);
            path.into()
        })
    }

    pub fn check_beside<'a>(
        &self,
        inputs: impl Iterator<Item = &'a Source> + Clone,
    ) -> anyhow::Result<()> {
        for path in self.beside() {
            if inputs.clone().any(|input| is_same(&path, input)) {
                let (path, shown) = (path.display(), &self.0.display());
                bail!("--output {shown}: {path}, an input, would be lost; name another file");
            }
        }
        Ok(())
    }

    /// Opens the unfinished output and names its journal. `None` for pipes, devices and folders
    /// that take no file.
    pub fn part(&self) -> anyhow::Result<Option<(Part, PathBuf)>> {
        if is_special(&self.0) {
            return Ok(None);
        }
        let [path, progress] = self.beside();
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let Ok(file) = options.open(&path) else {
            return Ok(None);
        };
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            let path = path.display();
            bail!("{path} is being written by another run; wait for its end, or name another file");
        }
        let part = Part {
            file,
            path,
            output: self.0.clone(),
        };
        Ok(Some((part, progress)))
    }

    /// Writes to a draft, which replaces the file when it is complete. A file that cannot be
    /// replaced gets a copy. Pipes and devices are written in place.
    pub fn begin<'a>(&self, interrupt: &'a Interrupt) -> anyhow::Result<Writing<'a>> {
        let opened = if is_special(&self.0) {
            // Opening a pipe blocks until it has a reader.
            interrupt
                .ending_at_once(|| Ok(open_for_writing(&self.0)))?
                .map(|file| (file, None))
        } else {
            let target = target(&self.0);
            draft(&target).and_then(|draft| {
                interrupt::set_draft(Some(draft.path()));
                Ok((draft.as_file().try_clone()?, Some((draft, target))))
            })
        };
        let (file, draft) = opened.with_context(|| format!("cannot write {self}"))?;
        Ok(Writing::new(file, draft, self.0.clone(), interrupt))
    }
}

/// Unfinished output of this run or an earlier one.
pub struct Part {
    file: File,
    path: PathBuf,
    output: PathBuf,
}

impl Part {
    pub fn size_bytes(&self) -> anyhow::Result<u64> {
        let metadata = self.file.metadata();
        let metadata = metadata.with_context(|| format!("cannot read {}", self.path.display()));
        Ok(metadata?.len())
    }

    /// The file is removed unless it is completed or [kept](Writing::keep).
    pub fn begin(self, size_bytes: u64, interrupt: &Interrupt) -> anyhow::Result<Writing<'_>> {
        let Self { file, path, output } = self;
        let opened = file.set_len(size_bytes).and_then(|()| {
            (&file).seek(SeekFrom::End(0))?;
            Ok((file.try_clone()?, TempPath::try_from_path(path)?))
        });
        let (out, path) = opened.with_context(|| format!("cannot write {}", output.display()))?;
        let draft = (NamedTempFile::from_parts(file, path), target(&output));
        Ok(Writing::new(out, Some(draft), output, interrupt))
    }
}

pub struct Writing<'a> {
    out: BufWriter<Interruptible<'a>>,
    /// The draft and the file it replaces; `None` for pipes and devices.
    draft: Option<(NamedTempFile, PathBuf)>,
    path: PathBuf,
    interrupt: &'a Interrupt,
}

impl<'a> Writing<'a> {
    fn new(
        out: File,
        draft: Option<(NamedTempFile, PathBuf)>,
        path: PathBuf,
        interrupt: &'a Interrupt,
    ) -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER, Interruptible { out, interrupt }),
            draft,
            path,
            interrupt,
        }
    }

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

    /// Completes the file, which keeps its owner and permissions. If it cannot be written, the
    /// error names the draft, which is kept.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let flushed = self.out.flush();
        self.explained(flushed)?;
        let Some((draft, target)) = self.draft.take() else {
            return Ok(());
        };
        let Err(unplaced) = replace(draft, &target) else {
            return Ok(());
        };
        let Err(error) = copy(unplaced.file.as_file(), &target) else {
            return Ok(());
        };
        let shown = self.path.display();
        let (_, kept) = unplaced
            .file
            .keep()
            .with_context(|| format!("cannot write {shown}"))?;
        interrupt::set_draft(None);
        let kept = kept.display();
        Err(error)
            .with_context(|| format!("cannot write {shown}, and what it was to hold is in {kept}"))
    }

    pub fn sync(&self) -> io::Result<()> {
        self.out.get_ref().out.sync_data()
    }

    /// Flushes before the work.
    pub fn with_file<T>(&mut self, work: impl FnOnce(&File) -> io::Result<T>) -> anyhow::Result<T> {
        let flushed = self.out.flush();
        let done = flushed.and_then(|()| work(&self.out.get_ref().out));
        self.explained(done)
    }

    /// Keeps the first bytes of an unfinished output. Returns the name of its file.
    pub fn keep(self, size_bytes: u64) -> Option<String> {
        let (draft, _) = self.draft?;
        // Drops the buffer without writing it.
        drop(self.out.into_parts());
        // A longer file is cut by the run that goes on with it.
        let _ = draft.as_file().set_len(size_bytes);
        let (_, path) = draft.keep().ok()?;
        Some(path.display().to_string())
    }

    fn explained<T>(&self, written: io::Result<T>) -> anyhow::Result<T> {
        if self.interrupt.handle.is_cancelled() {
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

/// Returns `true` for a pipe or device, which must not be replaced.
fn is_special(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    true
}

/// Temporary file next to `path`, removed unless it is renamed or kept; in the system's temporary
/// folder if that of `path` takes no file.
fn draft(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".swath-").suffix(".part");
    let elsewhere = builder.clone();
    // The umask applies; the default permissions are for the user only.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    or_elsewhere(builder.tempfile_in(folder(path)), path, || {
        elsewhere.tempfile()
    })
}

fn or_elsewhere<T>(
    made: io::Result<T>,
    path: &Path,
    elsewhere: impl FnOnce() -> io::Result<T>,
) -> io::Result<T> {
    made.or_else(|error| {
        let draft = open_for_writing(path).is_ok().then(elsewhere);
        draft.and_then(Result::ok).ok_or(error)
    })
}

/// Checks that [`draft`] will succeed, without a name that a kill would leave.
fn probe(path: &Path) -> io::Result<()> {
    or_elsewhere(
        tempfile::tempfile_in(folder(path)),
        path,
        tempfile::tempfile,
    )
    .map(drop)
}

fn replace(draft: NamedTempFile, target: &Path) -> Result<File, PersistError> {
    if let Ok(old) = fs::metadata(target) {
        let owned = keep_owner(draft.as_file(), &old, target);
        let kept = owned.and_then(|()| draft.as_file().set_permissions(old.permissions()));
        if let Err(error) = kept {
            return Err(PersistError { error, file: draft });
        }
    }
    draft.persist(target)
}

/// # Errors
/// If the system refuses, and `target` can be written in place.
#[cfg(unix)]
fn keep_owner(draft: &File, old: &fs::Metadata, target: &Path) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let new = draft.metadata()?;
    let owner = (new.uid() != old.uid()).then_some(old.uid());
    let group = (new.gid() != old.gid()).then_some(old.gid());
    match fchown(draft, owner, group) {
        Err(error) if open_for_writing(target).is_ok() => Err(error),
        _ => Ok(()),
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &fs::Metadata, _: &Path) -> io::Result<()> {
    Ok(())
}

/// For a file that cannot be replaced, such as a mount.
fn copy(mut draft: &File, target: &Path) -> io::Result<()> {
    let mut file = open_for_writing(target)?;
    draft.rewind()?;
    file.set_len(0)?;
    io::copy(&mut draft, &mut file)?;
    Ok(())
}

fn open_for_writing(path: &Path) -> io::Result<File> {
    File::options().write(true).open(path)
}

fn folder(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| *folder != Path::new(""));
    folder.unwrap_or(Path::new("."))
}

/// Resolves links, so that they stay; the file need not exist.
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

/// Compares files through links, relative paths, hard links and mounts. Pipes and devices do not
/// count: writing does not destroy them.
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

/// Writer that stops after a cancellation.
struct Interruptible<'a> {
    out: File,
    interrupt: &'a Interrupt,
}

impl Write for Interruptible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.interrupt.handle.is_cancelled() {
            return Err(io::Error::other(Error::Cancelled));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
