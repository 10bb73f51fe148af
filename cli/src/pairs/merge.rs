//! Merge of the sorted parts of `swath neighbors --shard`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::io::{self, BufRead, Write};

use anyhow::bail;

use super::part::{BUFFER, CUT, Part};
use crate::lists::SortedPart;

pub fn check(parts: &[Part]) -> anyhow::Result<()> {
    let heads = parts
        .iter()
        .filter_map(|part| Some((part.sorted_part()?, &part.name)));
    let mut heads: Vec<_> = heads.collect();
    heads.sort_by_key(|&(head, _)| head.share);
    let (first, of_first) = heads[0];
    for &(head, name) in &heads {
        if head.shares != first.shares || head.call != first.call {
            bail!(
                "{of_first} and {name} are not of one call: their inputs, their options or the version differ; write one of them again"
            );
        }
    }
    let shares = first.shares;
    for ((head, one), (other, two)) in heads.iter().zip(&heads[1..]) {
        if head.share == other.share {
            bail!(
                "{one} and {two} are both part {} of {shares}; give each part once",
                head.share
            );
        }
    }
    let mut given = heads.iter().map(|(head, _)| head.share);
    if let Some(share) = (0..shares).find(|&share| given.next() != Some(share)) {
        bail!(
            "part {share} of {shares} is in no file; give it, or write it with --shard {share}/{shares}"
        );
    }
    Ok(())
}

/// A line of each part is in memory.
pub fn write(parts: &mut [Part], out: &mut dyn Write) -> io::Result<()> {
    let mut lines: Vec<_> = parts.iter_mut().map(Lines::new).collect();
    let mut heap = BinaryHeap::new();
    for (index, lines) in lines.iter_mut().enumerate() {
        heap.extend(lines.next()?.map(|key| Reverse((key, index))));
    }
    let mut buffer = Vec::new();
    while let Some(Reverse((_, index))) = heap.pop() {
        let lines = &mut lines[index];
        buffer.extend_from_slice(&lines.line[lines.text_at..]);
        heap.extend(lines.next()?.map(|key| Reverse((key, index))));
        if buffer.len() >= BUFFER {
            out.write_all(&buffer)?;
            buffer.clear();
        }
    }
    out.write_all(&buffer)
}

/// Positions of a row and a column.
type Key = (u32, u32);

struct Lines<'p> {
    part: &'p mut Part,
    line: Vec<u8>,
    /// Start of the output in the line.
    text_at: usize,
    last: Option<Key>,
    count: u64,
}

impl<'p> Lines<'p> {
    fn new(part: &'p mut Part) -> Self {
        Self {
            part,
            line: Vec::new(),
            text_at: 0,
            last: None,
            count: 0,
        }
    }

    fn next(&mut self) -> io::Result<Option<Key>> {
        self.line.clear();
        let read = self.part.file.read_until(b'\n', &mut self.line);
        read.map_err(|error| self.part.read_error(&error))?;
        let name = &self.part.name;
        let Some(line) = self.line.strip_suffix(b"\n") else {
            return Err(io::Error::other(format!("{name}{CUT}")));
        };
        if line.starts_with(b"#") {
            let pairs = std::str::from_utf8(line)
                .ok()
                .and_then(SortedPart::parse_end);
            if pairs == Some(self.count) {
                return Ok(None);
            }
        }
        let key = key_of(line).filter(|&(key, _)| self.last < Some(key));
        let Some((key, text_at)) = key else {
            return Err(io::Error::other(format!(
                "{name}: line {} is not the next pair of a part; write this part again",
                self.count + 2
            )));
        };
        (self.text_at, self.last) = (text_at, Some(key));
        self.count += 1;
        Ok(Some(key))
    }
}

fn key_of(line: &[u8]) -> Option<(Key, usize)> {
    let mut tabs = memchr::memchr_iter(b'\t', line);
    let (first, second) = (tabs.next()?, tabs.next()?);
    let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse().ok();
    let key = (number(&line[..first])?, number(&line[first + 1..second])?);
    Some((key, second + 1))
}
