//! Abundances of strings, from names or columns.

use anyhow::{anyhow, bail};

use crate::args::Abundance;
use crate::input::StringList;

pub fn take(abundance: Abundance, list: &mut StringList<u8>) -> anyhow::Result<Vec<u64>> {
    if abundance == Abundance::Size {
        return sizes(list);
    }
    if list.records.is_some() {
        bail!(
            "{} has records, whose abundances are in their names; take --counts size, or --symbols lines",
            list.name
        );
    }
    let mut counts = Vec::new();
    list.cut(|list, index, line| {
        let (string, count) = columns(abundance, line).ok_or_else(|| {
            let (side, example) = match abundance {
                Abundance::First => ("before", "12 ACGT"),
                _ => ("after", "ACGT 12"),
            };
            anyhow!(
                "{}: no number {side} the string; --counts takes lines such as '{example}'",
                list.location(index)
            )
        })?;
        counts.push(parsed(count, || list.location(index))?);
        Ok(string)
    })?;
    Ok(counts)
}

fn parsed(count: &str, location: impl FnOnce() -> String) -> anyhow::Result<u64> {
    count.parse().map_err(|_| {
        anyhow!(
            "{}: the abundance '{count}' is no whole number below 2^64; correct it",
            location()
        )
    })
}

fn columns(abundance: Abundance, line: &[u8]) -> Option<(&[u8], &str)> {
    let line = line.trim_ascii();
    let is_space = u8::is_ascii_whitespace;
    let (string, number) = match abundance {
        Abundance::First => {
            let end = line.iter().position(is_space).unwrap_or(line.len());
            (&line[end..], &line[..end])
        }
        _ => {
            let start = line.iter().rposition(is_space).map_or(0, |at| at + 1);
            (&line[..start], &line[start..])
        }
    };
    let number = std::str::from_utf8(number).ok()?;
    let is_digit = |byte: u8| byte.is_ascii_digit();
    let is_number = number.trim_start_matches('+').bytes().all(is_digit);
    (is_number && !number.is_empty()).then_some((string.trim_ascii(), number))
}

fn sizes(list: &StringList<u8>) -> anyhow::Result<Vec<u64>> {
    let Some(names) = &list.records else {
        bail!(
            "{} has lines without names; --counts size is for records, first and last are for lines",
            list.name
        );
    };
    let size = |(index, name): (usize, &str)| {
        let size = name.split(';').find_map(|part| part.strip_prefix("size="));
        let size = size.ok_or_else(|| {
            anyhow!(
                "{}: no annotation ';size=N' in the name, which ends before the first blank; add it (vsearch --sizeout), or drop --counts",
                list.location(index)
            )
        })?;
        parsed(size, || list.location(index))
    };
    names.iter().enumerate().map(size).collect()
}
