//! Matrix Market files.

use std::fmt::Display;
use std::io::{self, BufRead, Write};

use super::part_range::PartRange;

pub const BANNER: &str = "%%MatrixMarket matrix coordinate ";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    pub is_real: bool,
    pub is_symmetric: bool,
    pub rows: u64,
    pub columns: u64,
    pub range: Option<PartRange>,
    /// Number of all pairs: the field for the number of entries is as wide as this.
    pub count: u64,
}

impl Head {
    /// The header, whose length does not depend on the number of entries.
    pub fn text(&self, entries: u64) -> String {
        let field = if self.is_real { "real" } else { "integer" };
        let symmetry = if self.is_symmetric {
            "symmetric"
        } else {
            "general"
        };
        let range = self.range.map(|range| format!("% {range}\n"));
        let width = self.count.to_string().len();
        format!(
            "{BANNER}{field} {symmetry}\n{}{} {} {entries:>width$}\n",
            range.unwrap_or_default(),
            self.rows,
            self.columns,
        )
    }

    pub fn without_range(&self) -> Self {
        Self {
            range: None,
            ..*self
        }
    }

    /// `None` for headers that swath does not write.
    pub fn read(file: &mut impl BufRead) -> io::Result<Option<(Self, u64)>> {
        let mut lines = [const { String::new() }; 3];
        let mut count = 0;
        while count < lines.len() && (count < 2 || lines[1].starts_with('%')) {
            file.read_line(&mut lines[count])?;
            count += 1;
        }
        Ok(Self::parse([&lines[0], &lines[1], &lines[2]]))
    }

    fn parse([banner, second, third]: [&str; 3]) -> Option<(Self, u64)> {
        let (field, symmetry) = banner.trim_end().strip_prefix(BANNER)?.split_once(' ')?;
        let range = second.strip_prefix('%').and_then(PartRange::parse);
        let sizes = if second.starts_with('%') {
            third
        } else {
            second
        };
        let sizes = sizes.split_whitespace().map(|size| size.parse().ok());
        let sizes: Vec<u64> = sizes.collect::<Option<_>>()?;
        let &[rows, columns, entries] = &sizes[..] else {
            return None;
        };
        let head = Self {
            is_real: field == "real",
            is_symmetric: symmetry == "symmetric",
            rows,
            columns,
            range,
            count: range.map_or(0, |range| range.count),
        };
        Some((head, entries))
    }
}

/// Writes an entry. Of a symmetric matrix the lower triangle stands for both.
pub fn write_entry(
    is_symmetric: bool,
    mut row: usize,
    mut column: usize,
    value: impl Display,
    out: &mut dyn Write,
) -> io::Result<()> {
    if is_symmetric {
        (row, column) = (column, row);
    }
    writeln!(out, "{} {} {value}", row + 1, column + 1)
}
