//! Numbers from a file or from arguments, with their positions for messages.

use std::path::Path;

use anyhow::{anyhow, bail};

use super::memory::Memory;
use super::{Source, lines, open, printable};

/// Words to parse as numbers.
#[derive(Clone, Debug)]
pub struct Numbers {
    /// Name in messages.
    pub name: String,
    words: Vec<Word>,
    /// Set for arguments, which have no lines.
    are_arguments: bool,
}

#[derive(Clone, Debug)]
struct Word {
    text: String,
    /// Line from 1, or number of the argument.
    line: usize,
    column: usize,
}

/// Integers, or real numbers if any has a fraction.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    Whole(Vec<u64>),
    Real(Vec<f64>),
}

impl Weights {
    pub fn len(&self) -> usize {
        match self {
            Weights::Whole(whole) => whole.len(),
            Weights::Real(real) => real.len(),
        }
    }

    /// Converts to real numbers.
    pub fn real(self) -> Vec<f64> {
        match self {
            Weights::Whole(whole) => whole.into_iter().map(|number| number as f64).collect(),
            Weights::Real(real) => real,
        }
    }
}

impl Numbers {
    /// Reads words separated by white space and commas; `#` starts a comment.
    pub fn read(source: &Source, memory: &Memory) -> anyhow::Result<Self> {
        if let Source::File(path) = source
            && !path.exists()
        {
            bail!(
                "{}: no such file; check the path, or give '-' and the numbers on stdin",
                path.display()
            );
        }
        let mut file = open::open(source, memory)?;
        file.skip_mark()?;
        let file = file.read_all()?;
        let words = words(&file.bytes);
        memory.hold(&file.name, (words.capacity() * size_of::<Word>()) as u64)?;
        Ok(Self {
            name: file.name,
            words,
            are_arguments: false,
        })
    }

    /// Takes arguments; a single one that is neither a number nor a shape names a file.
    pub fn from_arguments(
        arguments: &[std::ffi::OsString],
        memory: &Memory,
    ) -> anyhow::Result<Self> {
        if let [only] = arguments {
            let text = only.to_string_lossy();
            if text == "-" {
                return Self::read(&Source::Stdin, memory);
            }
            let number = text.parse::<f64>().is_ok() || shape(&text).is_some();
            if !number || Path::new(only).exists() {
                return Self::read(&Source::File(only.into()), memory);
            }
        }
        let word = |(place, text): (usize, &std::ffi::OsString)| Word {
            text: text.to_string_lossy().into_owned(),
            line: place + 1,
            column: 1,
        };
        let words = arguments.iter().enumerate().map(word).collect();
        Ok(Self {
            name: "arguments".to_string(),
            words,
            are_arguments: true,
        })
    }

    fn place(&self, word: &Word) -> String {
        match self.are_arguments {
            true => format!("argument {}", word.line),
            false => format!("{}, line {}, column {}", self.name, word.line, word.column),
        }
    }

    fn refuse(&self, word: &Word, reason: &str) -> anyhow::Error {
        let mut text: String = word.text.chars().take(40).collect();
        if text.len() < word.text.len() {
            text.push_str("...");
        }
        anyhow!("{}: '{}' {reason}", self.place(word), text.escape_debug())
    }

    /// Parses non-negative weights.
    ///
    /// # Errors
    /// One line with the position of an invalid weight.
    pub fn weights(&self) -> anyhow::Result<Weights> {
        let whole: Result<Vec<u64>, _> = self.words.iter().map(|word| word.text.parse()).collect();
        if let Ok(whole) = whole {
            return Ok(Weights::Whole(whole));
        }
        let real = |word: &Word| match word.text.parse::<f64>() {
            _ if is_digits(&word.text) && word.text.parse::<u64>().is_err() => {
                Err(self.refuse(word, "is more than 2^64 - 1; scale the weights down"))
            }
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            Ok(number) if number < 0.0 => {
                Err(self.refuse(word, "is negative; weights are from 0 on"))
            }
            _ => Err(self.refuse(word, "is not a number")),
        };
        Ok(Weights::Real(
            self.words.iter().map(real).collect::<anyhow::Result<_>>()?,
        ))
    }

    /// Parses pairs of coordinates.
    ///
    /// # Errors
    /// One line with the position of an invalid coordinate.
    pub fn points(&self) -> anyhow::Result<Vec<[f64; 2]>> {
        let coordinate = |word: &Word| match word.text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.refuse(word, "is not a coordinate")),
        };
        let all = self
            .words
            .iter()
            .map(coordinate)
            .collect::<anyhow::Result<Vec<f64>>>()?;
        if all.len() % 2 == 1 {
            bail!(
                "{}: {} numbers are no pairs of coordinates; the last one has no partner",
                self.name,
                all.len()
            );
        }
        Ok(all.chunks(2).map(|pair| [pair[0], pair[1]]).collect())
    }

    /// Parses the dimensions of a chain, or shapes, and the names of its matrices.
    ///
    /// # Errors
    /// One line with the position of an invalid dimension or of shapes that do not fit.
    pub fn chain(&self) -> anyhow::Result<(Vec<u64>, Vec<String>)> {
        let (dimensions, names) = match self.words.first() {
            Some(first) if shape(&first.text).is_some() => self.shapes()?,
            _ => {
                let dimensions = self
                    .words
                    .iter()
                    .map(|word| self.dimension(word, &word.text));
                let dimensions = dimensions.collect::<anyhow::Result<Vec<_>>>()?;
                let names = (1..dimensions.len())
                    .map(|number| format!("A{number}"))
                    .collect();
                (dimensions, names)
            }
        };
        match names.len() {
            0 => bail!(
                "{}: {} no matrix; a chain of n matrices has n + 1 dimensions, n being 2 or more",
                self.name,
                if dimensions.is_empty() {
                    "no dimensions make"
                } else {
                    "one dimension makes"
                }
            ),
            1 => bail!(
                "{}: one matrix alone has no order; give two matrices or more",
                self.name
            ),
            _ => Ok((dimensions, names)),
        }
    }

    fn shapes(&self) -> anyhow::Result<(Vec<u64>, Vec<String>)> {
        let (mut dimensions, mut names): (Vec<u64>, Vec<String>) = Default::default();
        for (place, word) in self.words.iter().enumerate() {
            let (name, rows, columns) = shape(&word.text)
                .ok_or_else(|| self.refuse(word, "is not a shape such as A:10x20"))?;
            let (rows, columns) = (self.dimension(word, rows)?, self.dimension(word, columns)?);
            match dimensions.last() {
                None => dimensions.push(rows),
                Some(&before) if before == rows => {}
                Some(before) => {
                    let reason = format!(
                        "does not fit: the matrix before it has {before} columns, this one {rows} rows"
                    );
                    return Err(self.refuse(word, &reason));
                }
            }
            dimensions.push(columns);
            names.push(if name.is_empty() {
                format!("A{}", place + 1)
            } else {
                printable(name).into_owned()
            });
        }
        Ok((dimensions, names))
    }

    fn dimension(&self, word: &Word, text: &str) -> anyhow::Result<u64> {
        match text.parse::<u64>() {
            Ok(0) => Err(self.refuse(word, "has a dimension of 0; every dimension is at least 1")),
            Ok(number) => Ok(number),
            Err(_) if is_digits(text) => {
                Err(self.refuse(word, "is more than 2^64 - 1, the greatest dimension"))
            }
            Err(_) if text.strip_prefix('-').is_some_and(is_digits) => {
                Err(self.refuse(word, "is negative; every dimension is at least 1"))
            }
            Err(_) => Err(self.refuse(word, "is not a dimension: a whole number from 1 on")),
        }
    }
}

/// Words separated by white space and commas, without comments.
fn words(bytes: &[u8]) -> Vec<Word> {
    let mut words = Vec::new();
    for (line, text) in lines::split(bytes).enumerate() {
        let text = text.split(|&byte| byte == b'#').next().unwrap_or_default();
        let mut column = 1;
        for word in text.split(|&byte| lines::is_space(byte) || byte == b',') {
            if !word.is_empty() {
                words.push(Word {
                    text: String::from_utf8_lossy(word).into_owned(),
                    line: line + 1,
                    column,
                });
            }
            column += word.len() + 1;
        }
    }
    words
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits `A:10x20` or `10x20` into name, rows and columns, without parsing the numbers.
fn shape(text: &str) -> Option<(&str, &str, &str)> {
    let (name, shape) = text.rsplit_once(':').unwrap_or(("", text));
    let (rows, columns) = shape.split_once(['x', 'X'])?;
    let number = |text: &str| is_digits(text.strip_prefix('-').unwrap_or(text));
    (number(rows) && number(columns)).then_some((name, rows, columns))
}
