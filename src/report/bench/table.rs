//! A table as text.

use std::io::{self, Write};

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
        let cells = self.rows.iter().filter_map(|row| row.get(column)).filter(|cell| !cell.is_empty());
        let is_number =
            |cell: &String| cell.trim_start_matches('(').starts_with(|c: char| c.is_ascii_digit() || c == '-');
        cells.clone().count() > 0 && cells.clone().all(is_number)
    }

    /// Whether there is anything in a column.
    fn is_used(&self, column: usize) -> bool {
        self.rows.iter().any(|row| row.get(column).is_some_and(|cell| !cell.is_empty()))
    }

    /// The same without columns that no row has anything in.
    pub fn without_empty_columns(mut self) -> Self {
        let used: Vec<bool> = (0..self.head.len()).map(|column| self.is_used(column)).collect();
        let kept =
            |cells: Vec<String>| cells.into_iter().zip(&used).filter_map(|(cell, used)| used.then_some(cell)).collect();
        self.rows = self.rows.into_iter().map(kept).collect();
        self.head = kept(self.head);
        self
    }

    /// Columns under each other, the title above and the notes below.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let lines = || std::iter::once(&self.head).chain(&self.rows);
        let width = |column: usize| lines().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max();
        let widths: Vec<_> = (0..self.head.len()).map(|column| width(column).unwrap_or_default()).collect();
        let numeric: Vec<_> = (0..self.head.len()).map(|column| self.is_numeric(column)).collect();
        writeln!(out, "{}", self.title)?;
        for line in lines() {
            let mut text = String::new();
            for (column, cell) in line.iter().enumerate() {
                let width = widths[column];
                text += &if numeric[column] { format!("{cell:>width$}  ") } else { format!("{cell:width$}  ") };
            }
            writeln!(out, "{}", text.trim_end())?;
        }
        self.notes.iter().try_for_each(|note| writeln!(out, "{note}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_end_and_words_begin_where_the_others_of_their_column_do() {
        let words = |cells: [&str; 3]| cells.map(str::to_string).to_vec();
        let rows = vec![words(["9 ms", "cpu", ""]), words(["(10 ms)", "vulkan:0", ""])];
        let head = words(["time", "device", "empty"]);
        let table = Table { title: "T".into(), head, rows, notes: vec!["N".into()] }.without_empty_columns();
        let mut text = Vec::new();
        table.write(&mut text).expect("memory takes it");
        assert_eq!(
            String::from_utf8(text).expect("it is text"),
            "T\n   time  device\n   9 ms  cpu\n(10 ms)  vulkan:0\nN\n"
        );
    }
}
