//! Gzip files as gzip reads them: members one after the other, and zeros behind the last.

use std::io::{self, BufRead, Read};

use flate2::bufread::GzDecoder;

/// What every member starts with.
pub const MAGIC: &[u8] = &[0x1f, 0x8b];

/// The inflated bytes of all members.
pub struct Members<R> {
    /// None behind the last member.
    member: Option<GzDecoder<R>>,
}

impl<R: BufRead> Members<R> {
    /// Reads the members of `file`.
    pub fn new(file: R) -> Self {
        Self {
            member: Some(GzDecoder::new(file)),
        }
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.member {
            let count = member.read(buffer)?;
            if count > 0 || buffer.is_empty() {
                return Ok(count);
            }
            if let Some(ended) = self.member.take() {
                let mut file = ended.into_inner();
                self.member = is_another(&mut file)?.then(|| GzDecoder::new(file));
            }
        }
        Ok(0)
    }
}

/// Whether a member follows; zeros up to the end are padding, such as tapes and some storages add.
fn is_another(file: &mut impl BufRead) -> io::Result<bool> {
    if file.fill_buf()?.first() != Some(&0) {
        return Ok(!file.fill_buf()?.is_empty());
    }
    loop {
        let padding = file.fill_buf()?;
        let len = padding.len();
        if len == 0 {
            return Ok(false);
        }
        if padding.iter().any(|&byte| byte != 0) {
            return Err(io::Error::other(
                "something that is no gzip data follows it",
            ));
        }
        file.consume(len);
    }
}
