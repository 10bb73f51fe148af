//! Alignments in BAM: the header and lines of SAM, converted.

use std::collections::HashSet;
use std::io::{self, Write};

use anyhow::{Context, bail};
use noodles_bam as bam;
use noodles_bgzf as bgzf;
use noodles_sam::{self as sam, alignment::io::Write as _};

use super::sam::name;
use crate::input::Inputs;

/// Bytes that are compressed at once.
const COMPRESSED: usize = 1 << 20;
/// Maximum bytes of a query's name, and symbols of a target.
const MAX_NAME: usize = 254;
const MAX_TARGET: usize = i32::MAX as usize;

/// Checks that BAM can hold the names and lengths.
pub fn check(inputs: &Inputs) -> anyhow::Result<()> {
    let is_name = |name: &str| {
        let is_visible = |byte: u8| byte.is_ascii_graphic() && byte != b'@';
        (1..=MAX_NAME).contains(&name.len()) && name != "*" && name.bytes().all(is_visible)
    };
    for record in &inputs.groups[0].records {
        let name = name(record);
        if !is_name(&name) {
            bail!(
                "--format bam: '{name}' is not a name for BAM, which are 1 to {MAX_NAME} ASCII characters without '@'; rename the record, or take sam or paf"
            );
        }
    }
    let mut names = HashSet::new();
    for (record, &len) in inputs.groups[1].records.iter().zip(&inputs.lengths()[1]) {
        let name = name(record);
        if !(1..=MAX_TARGET).contains(&len) {
            bail!(
                "--format bam: target '{name}' has {len} symbols, and BAM has targets of 1 to {MAX_TARGET}; leave it out, or take sam or paf"
            );
        }
        if let Some(name) = names.replace(name) {
            bail!(
                "--format bam: two targets are named '{name}', which BAM cannot tell apart; rename one, or take paf"
            );
        }
    }
    Ok(())
}

/// Conversion of SAM.
pub struct Converter {
    header: sam::Header,
    /// Records that are not yet compressed.
    records: bam::io::Writer<Vec<u8>>,
}

impl Converter {
    /// Begins with the text of a header.
    pub fn new(header: &[u8]) -> anyhow::Result<Self> {
        let context = "BAM cannot hold the names of the targets; take sam or paf";
        let header = sam::io::Reader::new(header)
            .read_header()
            .context(context)?;
        let mut records = bam::io::Writer::from(Vec::new());
        records.write_header(&header)?;
        Ok(Self { header, records })
    }

    /// Converts lines. Returns what can be written.
    pub fn convert(&mut self, lines: &[u8]) -> io::Result<Vec<u8>> {
        let mut reader = sam::io::Reader::new(lines);
        let mut record = sam::Record::default();
        while !reader.get_ref().is_empty() {
            reader.read_record(&mut record)?;
            self.records.write_alignment_record(&self.header, &record)?;
        }
        match self.records.get_ref().len() < COMPRESSED {
            true => Ok(Vec::new()),
            false => self.compress().map(bgzf::io::Writer::into_inner),
        }
    }

    /// The rest, with the mark of the end.
    pub fn finish(mut self) -> io::Result<Vec<u8>> {
        self.compress()?.finish()
    }

    fn compress(&mut self) -> io::Result<bgzf::io::Writer<Vec<u8>>> {
        let mut compressed = bgzf::io::Writer::new(Vec::new());
        compressed.write_all(self.records.get_ref())?;
        compressed.flush()?;
        self.records.get_mut().clear();
        Ok(compressed)
    }
}
