//! Entries whose number stands before them.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, Write};

use anyhow::Context;

use super::output::Output;

pub struct Spool(BufWriter<File>);

impl Spool {
    pub fn new(format: &str) -> anyhow::Result<Self> {
        let file = tempfile::tempfile()
            .with_context(|| format!("cannot make a temporary file for --format {format}"))?;
        Ok(Self(BufWriter::new(file)))
    }

    pub fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
    ) -> anyhow::Result<()> {
        write(&mut self.0).context("cannot write the entries to a temporary file")
    }

    pub fn copy_to(&mut self, out: &mut Output<'_>) -> anyhow::Result<()> {
        let lost = "cannot read the entries from a temporary file";
        self.0.flush().context(lost)?;
        let file = self.0.get_mut();
        file.rewind().context(lost)?;
        let mut file = BufReader::new(file);
        loop {
            let part = file.fill_buf().context(lost)?;
            let len = part.len();
            if len == 0 {
                return Ok(());
            }
            out.buffer.extend_from_slice(part);
            file.consume(len);
            out.advance()?;
        }
    }
}
