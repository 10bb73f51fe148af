//! Output of witnesses to stdout or to a file.

use std::io::{self, Write};
use std::mem;

use crate::interrupt::Interrupt;
use crate::output::{self, OutputFile, Writing};
use crate::report::bam::Converter;

pub struct Sink<'a> {
    /// `None` for stdout.
    file: Option<&'a OutputFile>,
    /// The first witness opens the file, so that an existing one is kept if there is none.
    writing: Option<Writing<'a>>,
    /// Header of the output, until it is written.
    preamble: Vec<u8>,
    converter: Option<Converter>,
    has_witness: bool,
    interrupt: &'a Interrupt,
}

impl<'a> Sink<'a> {
    /// With `is_bam`, preamble and witnesses are SAM, which is converted.
    pub fn new(
        file: Option<&'a OutputFile>,
        mut preamble: Vec<u8>,
        is_bam: bool,
        interrupt: &'a Interrupt,
    ) -> anyhow::Result<Self> {
        let converter = is_bam.then(|| Converter::new(&mem::take(&mut preamble)));
        Ok(Self {
            file,
            writing: None,
            converter: converter.transpose()?,
            preamble,
            has_witness: false,
            interrupt,
        })
    }

    /// Writes the preamble to stdout. A file gets it with the first witness.
    pub fn begin(&mut self) -> anyhow::Result<()> {
        if self.file.is_none() && !self.preamble.is_empty() {
            self.write(|_| Ok(()))
        } else {
            Ok(())
        }
    }

    pub fn put(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        self.has_witness = true;
        let Some(converter) = &mut self.converter else {
            return self.write(write);
        };
        let mut lines = Vec::new();
        write(&mut lines)?;
        let converted = converter.convert(&lines)?;
        if converted.is_empty() {
            Ok(())
        } else {
            self.write(|out| out.write_all(&converted))
        }
    }

    fn write(
        &mut self,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> anyhow::Result<()> {
        let preamble = mem::take(&mut self.preamble);
        let write = |out: &mut dyn Write| {
            out.write_all(&preamble)?;
            write(out)
        };
        let Some(file) = self.file else {
            return self.interrupt.ending_at_once(|| output::to_stdout(write));
        };
        let writing = match &mut self.writing {
            Some(writing) => writing,
            none => none.insert(file.begin(self.interrupt)?),
        };
        writing.put(write)
    }

    pub fn finish(&mut self) -> anyhow::Result<()> {
        if let Some(converter) = self.converter.take()
            && (self.has_witness || self.file.is_none())
        {
            let rest = converter.finish()?;
            self.write(|out| out.write_all(&rest))?;
        }
        match self.writing.take() {
            Some(writing) => writing.finish(),
            None => Ok(()),
        }
    }
}
