//! Where output goes: stdout, stderr, or a file that is replaced in one step.

mod leftovers;
mod replace;
mod same_file;

use std::fs::{self, File};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use swath::Error;

use super::interrupt::Interrupt;
use super::note::note;
use crate::input::{Reading, Source};
use replace::{Draft, target};

/// Stands for stdin among inputs and for stdout behind --output.
pub const DASH: &str = "-";

/// Bytes that are written at once.
const BUFFER: usize = 1 << 16;

/// Runs `write` on a buffered stdout.
pub fn to_stdout(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    flushed(io::stdout().lock(), write).context("cannot write to stdout")
}

/// Runs `write` on a buffered stderr.
pub fn to_stderr(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    flushed(io::stderr().lock(), write).context("cannot write to stderr")
}

/// What the user should know of the inputs, on stderr.
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
    [DASH, "/dev/stdout"]
        .iter()
        .any(|name| path == Path::new(name))
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
        if path.is_dir() {
            bail!(
                "{option} {} is a directory; name a file in it",
                path.display()
            );
        }
        for input in inputs {
            if same_file::is_same(path, input) {
                bail!(
                    "{option} {} is {}, an input, which would be lost; name another file",
                    path.display(),
                    match input {
                        Source::File(file) => file.display().to_string(),
                        Source::Stdin | Source::Literal(_) => "the file behind stdin".to_string(),
                    }
                );
            }
        }
        if is_special(path) {
            return Ok(Self(path.to_path_buf()));
        }
        let target = target(path);
        let folder = replace::folder(&target);
        if !folder.is_dir() {
            bail!(
                "{option} {}: there is no folder {}; make it first",
                path.display(),
                folder.display()
            );
        }
        leftovers::remove(folder);
        Draft::beside(&target).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Self(path.to_path_buf()))
    }

    /// Writes the whole file: [`begin`](Self::begin) to [`finish`](Writing::finish).
    pub fn write(
        &self,
        interrupt: &Interrupt,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let mut writing = self.begin(interrupt)?;
        writing.put(write)?;
        writing.finish()
    }

    /// Starts to write: to a draft that takes the file's place when all is written, so that on an error the file stays as it was.
    /// Pipes and devices are written in place.
    pub fn begin<'a>(&self, interrupt: &'a Interrupt) -> anyhow::Result<Writing<'a>> {
        let is_special = is_special(&self.0);
        let path = if is_special {
            self.0.clone()
        } else {
            target(&self.0)
        };
        let opened = if is_special {
            // Opening a pipe waits for its reader.
            let open = || {
                Ok(File::options()
                    .write(true)
                    .open(&path)
                    .map(|file| (file, None)))
            };
            interrupt.ending_at_once(open)?
        } else {
            Draft::beside(&path).and_then(|draft| Ok((draft.file().try_clone()?, Some(draft))))
        };
        let (file, draft) = opened.with_context(|| format!("cannot write {self}"))?;
        let out = BufWriter::with_capacity(
            BUFFER,
            Interruptible {
                out: file,
                interrupt,
            },
        );
        Ok(Writing {
            out,
            draft,
            path,
            interrupt,
        })
    }
}

/// A file that is being written.
pub struct Writing<'a> {
    out: BufWriter<Interruptible<'a>>,
    /// None for pipes and devices.
    draft: Option<Draft>,
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
        self.told(written)
    }

    /// Ends the file.
    pub fn finish(mut self) -> anyhow::Result<()> {
        let flushed = self.out.flush();
        self.told(flushed)?;
        let placed = self
            .draft
            .take()
            .map_or(Ok(()), |draft| draft.take_the_place_of(&self.path));
        self.told(placed)
    }

    fn told(&self, written: io::Result<()>) -> anyhow::Result<()> {
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
