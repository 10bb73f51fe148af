//! Lines of texts, ended by LF, CR LF or CR, and ASCII white space.

use std::io::{self, BufRead, ErrorKind};

use memchr::{memchr, memchr2};

use crate::allocator::handling_refusal;

/// ASCII white space with the vertical tab, as C's `isspace`.
pub fn is_space(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'\x0b'
}

pub fn is_blank(line: &[u8]) -> bool {
    line.iter().all(|&byte| is_space(byte))
}

pub fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let words = text.split(|&byte| is_space(byte));
    words.filter(|word| !word.is_empty())
}

/// Lines of a text without their ends. A final end begins no line.
pub fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> + Clone {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let len = memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        let (line, end) = rest.split_at(len);
        rest = match end {
            [b'\r', b'\n', next @ ..] | [_, next @ ..] => next,
            [] => &[],
        };
        Some(line)
    })
}

pub struct Lines<R> {
    reader: R,
    /// Number of the next line, from 1.
    pub number: u64,
}

impl<R: BufRead> Lines<R> {
    pub fn new(reader: R) -> Self {
        Self { reader, number: 1 }
    }

    /// First byte of the next line or of its end.
    pub fn first(&mut self) -> io::Result<Option<u8>> {
        Ok(self.buffer()?.first().copied())
    }

    pub fn append(&mut self, text: &mut Vec<u8>) -> io::Result<()> {
        self.number += 1;
        loop {
            let buffer = self.buffer()?;
            let end = memchr2(b'\n', b'\r', buffer);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let (len, is_cr) = (part.len(), end.is_some_and(|end| buffer[end] == b'\r'));
            let is_last = end.is_some() || buffer.is_empty();
            let room = handling_refusal(|| text.try_reserve(len));
            room.map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?;
            text.extend_from_slice(part);
            self.reader.consume(len + usize::from(end.is_some()));
            if is_cr && self.first()? == Some(b'\n') {
                self.reader.consume(1);
            }
            if is_last {
                return Ok(());
            }
        }
    }

    /// Appends buffered lines that end with LF, as far as `takes` accepts them.
    pub fn append_some(
        &mut self,
        text: &mut Vec<u8>,
        takes: impl Fn(&[u8]) -> bool,
    ) -> io::Result<()> {
        let buffer = self.buffer()?;
        let (mut read, mut lines) = (0, 0);
        while let Some(len) = memchr(b'\n', &buffer[read..]) {
            let line = &buffer[read..read + len];
            if !takes(line) {
                break;
            }
            if text.capacity() - text.len() < len {
                let room = handling_refusal(|| text.try_reserve(len));
                room.map_err(|_| io::Error::from(ErrorKind::OutOfMemory))?;
            }
            text.extend_from_slice(line);
            (read, lines) = (read + len + 1, lines + 1);
        }
        self.reader.consume(read);
        self.number += lines;
        Ok(())
    }

    fn buffer(&mut self) -> io::Result<&[u8]> {
        while let Err(error) = self.reader.fill_buf() {
            if error.kind() != ErrorKind::Interrupted {
                return Err(error);
            }
        }
        self.reader.fill_buf()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::BufReader;

    #[test]
    fn lines_end_with_any_end_wherever_a_buffer_does() {
        let text = b"ab\r\n\rc\n\n\r\nd\re";
        let expected: [&[u8]; 7] = [b"ab", b"", b"c", b"", b"", b"d", b"e"];
        assert!(split(text).eq(expected));
        assert!(split(b"a\r\n").eq([b"a"]));
        assert_eq!(split(b"").count(), 0);
        for capacity in 1..=text.len() {
            let mut lines = Lines::new(BufReader::with_capacity(capacity, &text[..]));
            for (line, number) in expected.iter().zip(1..) {
                let mut read = Vec::new();
                assert_eq!(lines.number, number);
                assert!(lines.first().expect("memory").is_some());
                lines.append(&mut read).expect("memory");
                assert_eq!(&read, line, "{capacity}");
            }
            assert_eq!(lines.first().expect("memory"), None);
        }
    }

    #[test]
    fn lines_are_appended_up_to_one_that_is_not_taken() {
        let text = b"AC\nGT\nA\n>b\nC\n";
        for capacity in 1..=text.len() {
            let mut lines = Lines::new(BufReader::with_capacity(capacity, &text[..]));
            let mut read = Vec::new();
            while lines.first().expect("memory") != Some(b'>') {
                let before = lines.number;
                let takes = |line: &[u8]| line.iter().all(u8::is_ascii_alphabetic);
                lines.append_some(&mut read, takes).expect("memory");
                if lines.number == before {
                    lines.append(&mut read).expect("memory");
                }
            }
            assert_eq!((&read[..], lines.number), (&b"ACGTA"[..], 4), "{capacity}");
        }
    }
}
