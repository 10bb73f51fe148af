//! A table as text.

use std::io::{self, Write};

/// Columns that a line of a head has, unless a word is longer.
const HEAD_COLUMNS: usize = 10;

/// A table before it is drawn.
pub struct Table {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    /// What stands below it.
    pub notes: Vec<String>,
}

impl Table {
    /// Whether a column has numbers, which end where the others of the column do.
    pub fn is_numeric(&self, column: usize) -> bool {
        let cells = self
            .rows
            .iter()
            .filter_map(|row| row.get(column))
            .filter(|cell| !cell.is_empty());
        // `1000 x 1000` is one, `2.1x tiled` is none.
        let is_number = |cell: &String| {
            cell.trim_start_matches('(')
                .starts_with(|c: char| c.is_ascii_digit() || c == '-')
                && !cell.replace(" x ", "").contains("x ")
        };
        cells.clone().count() > 0 && cells.clone().all(is_number)
    }

    /// Whether there is anything in a column.
    fn is_used(&self, column: usize) -> bool {
        self.rows
            .iter()
            .any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()))
    }

    /// The same without columns that no row has anything in.
    pub fn without_empty_columns(mut self) -> Self {
        let used: Vec<bool> = (0..self.head.len())
            .map(|column| self.is_used(column))
            .collect();
        let kept = |cells: Vec<String>| {
            cells
                .into_iter()
                .zip(&used)
                .filter_map(|(cell, used)| used.then_some(cell))
                .collect()
        };
        self.rows = self.rows.into_iter().map(kept).collect();
        self.head = kept(self.head);
        self
    }

    /// Columns under each other, the title above and the notes below.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let heads: Vec<Vec<String>> = self.head.iter().map(|head| wrapped(head)).collect();
        let height = heads.iter().map(Vec::len).max().unwrap_or_default();
        let of_head = |line: usize| {
            let part = |head: &Vec<String>| {
                (line + head.len())
                    .checked_sub(height)
                    .map(|at| head[at].clone())
            };
            heads
                .iter()
                .map(|head| part(head).unwrap_or_default())
                .collect()
        };
        let lines: Vec<Vec<String>> = (0..height)
            .map(of_head)
            .chain(self.rows.iter().cloned())
            .collect();
        let width = |column: usize| {
            lines
                .iter()
                .filter_map(|line| line.get(column))
                .map(|cell| cell.chars().count())
                .max()
        };
        let widths: Vec<_> = (0..self.head.len())
            .map(|column| width(column).unwrap_or_default())
            .collect();
        let numeric: Vec<_> = (0..self.head.len())
            .map(|column| self.is_numeric(column))
            .collect();
        writeln!(out, "{}", self.title)?;
        for line in &lines {
            let mut text = String::new();
            for (column, cell) in line.iter().enumerate() {
                let width = widths[column];
                text += &if numeric[column] {
                    format!("{cell:>width$}  ")
                } else {
                    format!("{cell:width$}  ")
                };
            }
            writeln!(out, "{}", text.trim_end())?;
        }
        self.notes
            .iter()
            .try_for_each(|note| writeln!(out, "{note}"))
    }
}

/// A head in lines of a few words.
fn wrapped(head: &str) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in head.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= HEAD_COLUMNS => {
                *line += &format!(" {word}")
            }
            _ => lines.push(word.to_string()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_and_words_begin_where_the_others_of_their_column_do() {
        let words = |cells: [&str; 3]| cells.map(str::to_string).to_vec();
        let rows = vec![
            words(["9 ms", "9x b", ""]),
            words(["(10 ms)", "10x bcd", ""]),
        ];
        let head = words(["time of the whole", "against", "empty"]);
        let table = Table {
            title: "T".into(),
            head,
            rows,
            notes: vec!["N".into()],
        }
        .without_empty_columns();
        let mut text = Vec::new();
        table.write(&mut text).expect("memory takes it");
        assert_eq!(
            String::from_utf8(text).expect("it is text"),
            "T\n  time of\nthe whole  against\n     9 ms  9x b\n  (10 ms)  10x bcd\nN\n"
        );
    }
}
