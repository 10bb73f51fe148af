//! Values on their way to stdout or a file.

use crate::interrupt::Interrupt;
use crate::output::{self, OutputFile, Writing};
use crate::progress::Reporter;

/// Bytes that are written at once.
const CHUNK: usize = 1 << 20;

/// Buffered output.
pub struct Output<'a> {
    pub buffer: Vec<u8>,
    /// `None` for stdout.
    file: Option<Writing<'a>>,
    interrupt: &'a Interrupt,
    progress: &'a Reporter,
}

impl<'a> Output<'a> {
    /// Begins the file, or uses stdout.
    pub fn new(
        file: Option<&OutputFile>,
        interrupt: &'a Interrupt,
        progress: &'a Reporter,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            buffer: Vec::new(),
            file: file.map(|file| file.begin(interrupt)).transpose()?,
            interrupt,
            progress,
        })
    }

    /// Writes the buffer once it is large.
    pub fn advance(&mut self) -> anyhow::Result<()> {
        if self.buffer.len() < CHUNK {
            return Ok(());
        }
        self.flush()
    }

    /// Writes the buffer.
    pub fn flush(&mut self) -> anyhow::Result<()> {
        let buffer = &self.buffer;
        match &mut self.file {
            Some(file) => file.put(|out| out.write_all(buffer))?,
            None => {
                let print = || output::to_stdout(|out| out.write_all(buffer));
                self.progress
                    .aside(|| self.interrupt.ending_at_once(print))?;
            }
        }
        self.buffer.clear();
        Ok(())
    }

    /// Writes the rest, and completes the file.
    pub fn finish(mut self) -> anyhow::Result<()> {
        self.flush()?;
        self.file.map_or(Ok(()), Writing::finish)
    }
}
