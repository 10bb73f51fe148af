//! Alignments in BAM: the header and lines of SAM, converted.

use std::io::Write;

use anyhow::Context;
use noodles_bam as bam;
use noodles_bgzf as bgzf;
use noodles_sam::{self as sam, alignment::io::Write as _};

/// Bytes that are compressed at once.
const COMPRESSED: usize = 1 << 20;
const UNFIT: &str = "BAM cannot hold an alignment; take sam or paf";

pub struct Converter {
    header: sam::Header,
    /// Records that are not yet compressed.
    records: bam::io::Writer<Vec<u8>>,
}

impl Converter {
    pub fn new(header: &[u8]) -> anyhow::Result<Self> {
        let context = "BAM cannot hold the names of the targets; take sam or paf";
        let header = sam::io::Reader::new(header)
            .read_header()
            .context(context)?;
        let mut records = bam::io::Writer::from(Vec::new());
        records.write_header(&header)?;
        Ok(Self { header, records })
    }

    pub fn convert(&mut self, lines: &[u8]) -> anyhow::Result<Vec<u8>> {
        let mut reader = sam::io::Reader::new(lines);
        let mut record = sam::Record::default();
        while !reader.get_ref().is_empty() {
            let read = reader.read_record(&mut record);
            read.and_then(|_| self.records.write_alignment_record(&self.header, &record))
                .context(UNFIT)?;
        }
        if self.records.get_ref().len() < COMPRESSED {
            Ok(Vec::new())
        } else {
            Ok(self.compress()?.into_inner())
        }
    }

    /// The rest, with the mark of the end.
    pub fn finish(mut self) -> anyhow::Result<Vec<u8>> {
        self.compress()?.finish().context(UNFIT)
    }

    fn compress(&mut self) -> anyhow::Result<bgzf::io::Writer<Vec<u8>>> {
        let mut compressed = bgzf::io::Writer::new(Vec::new());
        let written = compressed.write_all(self.records.get_ref());
        written.and_then(|()| compressed.flush()).context(UNFIT)?;
        self.records.get_mut().clear();
        Ok(compressed)
    }
}
