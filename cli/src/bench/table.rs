//! Tables as text and as HTML.

use std::io::{self, Write};

use crate::report::escaped;

/// Line width of a column heading, unless a word is longer.
const HEAD_COLUMNS: usize = 10;

pub struct Table {
    pub title: String,
    pub head: Vec<String>,
    pub rows: Vec<Vec<String>>,
    pub notes: Vec<String>,
}

impl Table {
    fn column(&self, column: usize) -> Vec<&String> {
        let cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.filter(|cell| !cell.is_empty()).collect()
    }

    fn is_numeric(&self, column: usize) -> bool {
        // `1000 x 1000` is a number, `2.1x tiled` is not.
        let is_number = |cell: &&String| {
            let number = cell.trim_start_matches('(');
            number.starts_with(|c: char| c.is_ascii_digit() || c == '-')
                && !cell.replace(" x ", "").contains("x ")
        };
        let cells = self.column(column);
        !cells.is_empty() && cells.iter().all(is_number)
    }

    pub fn without_empty_columns(mut self) -> Self {
        for column in (0..self.head.len()).rev() {
            if self.column(column).is_empty() {
                self.head.remove(column);
                self.rows
                    .iter_mut()
                    .for_each(|row| drop(row.remove(column)));
            }
        }
        self
    }

    pub fn write_html(&self, out: &mut dyn Write) -> io::Result<()> {
        let line = |cells: &[String], tag: &str| -> String {
            let cell = |(column, cell): (usize, &String)| {
                let class = if self.is_numeric(column) {
                    " class=\"number\""
                } else {
                    ""
                };
                format!("<{tag}{class}>{}</{tag}>", escaped(cell))
            };
            cells.iter().enumerate().map(cell).collect()
        };
        let head = line(&self.head, "th");
        writeln!(out, "<div class=\"scroll\"><table>\n<tr>{head}</tr>")?;
        for row in &self.rows {
            writeln!(out, "<tr>{}</tr>", line(row, "td"))?;
        }
        writeln!(out, "</table></div>")?;
        let mut notes = self.notes.iter();
        notes.try_for_each(|note| writeln!(out, "<p class=\"note\">{}</p>", escaped(note)))
    }

    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        // Lines of the headings are above the first row.
        let heads: Vec<Vec<String>> = self.head.iter().map(|head| wrapped(head)).collect();
        let height = heads.iter().map(Vec::len).max().unwrap_or_default();
        let mut lines = vec![vec![String::new(); heads.len()]; height];
        for (column, head) in heads.iter().enumerate() {
            for (line, part) in lines[height - head.len()..].iter_mut().zip(head) {
                line[column] = part.clone();
            }
        }
        lines.extend(self.rows.iter().cloned());
        let mut texts = vec![String::new(); lines.len()];
        for column in 0..heads.len() {
            let cells = lines.iter().filter_map(|line| line.get(column));
            let width = cells.map(|cell| cell.chars().count()).max();
            let (width, is_numeric) = (width.unwrap_or_default(), self.is_numeric(column));
            for (text, line) in texts.iter_mut().zip(&lines) {
                let cell = line.get(column).map_or("", |cell| cell);
                *text += &if is_numeric {
                    format!("{cell:>width$}  ")
                } else {
                    format!("{cell:width$}  ")
                };
            }
        }
        writeln!(out, "{}", self.title)?;
        let notes = self.notes.iter().map(|note| note.as_str());
        let mut all = texts.iter().map(|text| text.trim_end()).chain(notes);
        all.try_for_each(|line| writeln!(out, "{line}"))
    }
}

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
