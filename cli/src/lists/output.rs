//! Values on their way to stdout or a file.

use std::fs::File;
use std::io::{BufRead, BufReader, Seek, Write};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::fingerprint::Fingerprint;
use super::journal::{Checkpoint, Journal};
use crate::interrupt::Interrupt;
use crate::output::{self, OutputFile, Writing};
use crate::progress::Reporter;

const CHUNK: usize = 1 << 20;
/// Time between checkpoints, each of which waits for the disk.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(1);

pub struct Output<'a> {
    pub buffer: Vec<u8>,
    to: Destination<'a>,
    /// Checkpoint that is not in the journal yet.
    reached: Option<Checkpoint>,
    /// Time of the last checkpoint in the journal, or of the start.
    recorded: Instant,
    /// Set if the beginning is written last: all of it waits in a temporary file.
    held: Option<File>,
    interrupt: &'a Interrupt,
    progress: &'a Reporter,
}

enum Destination<'a> {
    Stdout,
    /// Pipe, device, or file in a folder without space for another one.
    File(Writing<'a>),
    /// `FILE.part`, which a later run can go on with, and its journal `FILE.progress`.
    Part(Writing<'a>, Journal),
}

impl<'a> Output<'a> {
    pub fn new(
        file: Option<&OutputFile>,
        interrupt: &'a Interrupt,
        progress: &'a Reporter,
    ) -> anyhow::Result<Self> {
        let to = match file {
            None => Destination::Stdout,
            Some(file) => Destination::File(file.begin(interrupt)?),
        };
        Ok(Self::to(to, interrupt, progress))
    }

    /// As [`new`](Self::new), with a file that a later run can go on with.
    pub fn resumable(
        file: Option<&OutputFile>,
        resumes: bool,
        call: impl FnOnce() -> Fingerprint,
        interrupt: &'a Interrupt,
        progress: &'a Reporter,
    ) -> anyhow::Result<Self> {
        let to = match file {
            None => Destination::Stdout,
            Some(file) => destination(file, resumes, call, interrupt)?,
        };
        Ok(Self::to(to, interrupt, progress))
    }

    fn to(to: Destination<'a>, interrupt: &'a Interrupt, progress: &'a Reporter) -> Self {
        Self {
            buffer: Vec::new(),
            to,
            reached: None,
            recorded: Instant::now(),
            held: None,
            interrupt,
            progress,
        }
    }

    /// Where the values before this run end.
    pub fn resumed(&self) -> Option<Checkpoint> {
        match &self.to {
            Destination::Part(_, journal) => journal.last,
            _ => None,
        }
    }

    /// Lets [`patch`](Self::patch) change what is written from now on.
    pub fn hold(&mut self) -> anyhow::Result<()> {
        if !self.is_resumable() {
            let file = tempfile::tempfile().context("cannot make a temporary file")?;
            self.held = Some(file);
        }
        Ok(())
    }

    /// Overwrites the beginning, after everything else is written.
    pub fn patch(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.flush()?;
        let patch = |mut file: &File| {
            file.rewind()?;
            file.write_all(bytes)
        };
        match (&self.held, &mut self.to) {
            (Some(file), _) => patch(file).context(LOST),
            (None, Destination::Part(part, _)) => part.with_file(patch),
            _ => Ok(()),
        }
    }

    pub fn put(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.flush()?;
        self.write(bytes)
    }

    /// Writes the buffer once it is large.
    pub fn advance(&mut self) -> anyhow::Result<()> {
        if self.buffer.len() < CHUNK {
            return Ok(());
        }
        self.flush()
    }

    pub fn flush(&mut self) -> anyhow::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        self.write(&buffer)?;
        buffer.clear();
        self.buffer = buffer;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match &mut self.held {
            Some(file) => file.write_all(bytes).context(LOST),
            None => self.write_out(bytes),
        }
    }

    fn write_out(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        match &mut self.to {
            Destination::File(file) => file.put(|out| out.write_all(bytes)),
            Destination::Part(part, _) => part.put(|out| out.write_all(bytes)),
            Destination::Stdout => {
                let print = || output::to_stdout(|out| out.write_all(bytes));
                self.progress.aside(|| self.interrupt.ending_at_once(print))
            }
        }
    }

    /// True if [`checkpoint`](Self::checkpoint) has an effect.
    pub fn is_resumable(&self) -> bool {
        matches!(self.to, Destination::Part(..))
    }

    /// True if the last checkpoint was recorded a while ago.
    pub fn is_due(&self) -> bool {
        self.is_resumable() && self.recorded.elapsed() >= CHECKPOINT_EVERY
    }

    /// The pairs or texts before `next` are in the file. The first checkpoint of a file and one
    /// that is due are recorded at once, others by a later one or when the run fails.
    pub fn checkpoint(&mut self, next: u64, rows: u64, content: Option<u64>) -> anyhow::Result<()> {
        if !self.is_resumable() {
            return Ok(());
        }
        self.flush()?;
        let Destination::Part(part, journal) = &mut self.to else {
            return Ok(());
        };
        let is_first = journal.last.is_none();
        self.reached = Some(Checkpoint {
            next,
            bytes: part.with_file(|mut file| file.stream_position())?,
            rows,
            content,
        });
        if is_first || self.is_due() {
            self.record()?;
        }
        Ok(())
    }

    pub fn record(&mut self) -> anyhow::Result<()> {
        let (Destination::Part(part, journal), Some(reached)) = (&mut self.to, self.reached.take())
        else {
            return Ok(());
        };
        if journal.last.is_none_or(|last| last.next != reached.next) {
            part.with_file(File::sync_data)?;
            journal.record(reached)?;
        }
        self.recorded = Instant::now();
        Ok(())
    }

    /// Writes the rest, and completes the file.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.flush()?;
        if let Some(mut held) = self.held.take() {
            held.rewind().context(LOST)?;
            let mut held = BufReader::with_capacity(CHUNK, held);
            loop {
                let part = held.fill_buf().context(LOST)?;
                let len = part.len();
                if len == 0 {
                    break;
                }
                self.write_out(part)?;
                held.consume(len);
            }
        }
        match self.to {
            Destination::Stdout => Ok(()),
            Destination::File(file) => file.finish(),
            Destination::Part(part, journal) => {
                part.finish()?;
                journal.remove()
            }
        }
    }

    /// Keeps the whole blocks of a run that has failed.
    pub fn keep(self) -> Option<(Checkpoint, String)> {
        let Destination::Part(part, mut journal) = self.to else {
            return None;
        };
        if let Some(reached) = self.reached.filter(|_| part.sync().is_ok()) {
            // If the journal cannot be written either, the blocks before are kept.
            let _ = journal.record(reached);
        }
        let last = journal.last?;
        Some((last, part.keep(last.bytes)?))
    }
}

const LOST: &str = "cannot use a temporary file";

fn destination<'a>(
    file: &OutputFile,
    resumes: bool,
    call: impl FnOnce() -> Fingerprint,
    interrupt: &'a Interrupt,
) -> anyhow::Result<Destination<'a>> {
    let Some((part, progress)) = file.part()? else {
        if resumes {
            bail!("--resume: {file} has no place for an unfinished file beside it; drop --resume");
        }
        return file.begin(interrupt).map(Destination::File);
    };
    let journal = if resumes {
        Journal::resume(progress, call(), part.size_bytes()?)?
    } else {
        Journal::begin(progress, call())?
    };
    let part = part.begin(journal.last.map_or(0, |last| last.bytes), interrupt)?;
    Ok(Destination::Part(part, journal))
}
