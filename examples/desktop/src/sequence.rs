//! Input files: the first record of FASTA or FASTQ, or all bytes of any other file.

use std::path::Path;

/// Reads a file, or returns an error message.
pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    let explain = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let bytes = std::fs::read(path).map_err(|error| explain(&error))?;
    if !matches!(bytes.first(), Some(b'>' | b'@')) {
        return Ok(bytes);
    }
    let mut records =
        needletail::parse_fastx_reader(&bytes[..]).map_err(|error| explain(&error))?;
    match records.next() {
        Some(record) => Ok(record.map_err(|error| explain(&error))?.seq().into_owned()),
        None => Err(explain(&"it has no record")),
    }
}
