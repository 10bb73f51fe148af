//! Numbers from a file or from arguments, with their positions for messages.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{anyhow, bail};

use super::memory::{Memory, with_room};
use super::source::Source;
use super::{lines, open};
use crate::message::printable;

#[derive(Clone, Debug)]
pub struct Numbers {
    pub name: String,
    text: Text,
    memory: Memory,
}

#[derive(Clone, Debug)]
enum Text {
    File(Vec<u8>),
    Arguments(Vec<String>),
}

#[derive(Debug)]
struct Word<'a> {
    text: Cow<'a, str>,
    /// Line from 1, or number of the argument.
    line: usize,
    column: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MatrixNames {
    /// `A1`, `A2`, ...
    Numbered(usize),
    Given(Vec<String>),
}

impl MatrixNames {
    pub fn len(&self) -> usize {
        match self {
            MatrixNames::Numbered(count) => *count,
            MatrixNames::Given(names) => names.len(),
        }
    }

    pub fn get(&self, index: usize) -> Cow<'_, str> {
        match self {
            MatrixNames::Numbered(_) => format!("A{}", index + 1).into(),
            MatrixNames::Given(names) => names[index].as_str().into(),
        }
    }
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
        Ok(Self {
            name: file.name,
            text: Text::File(file.bytes),
            memory: memory.clone(),
        })
    }

    /// A single argument that is neither a number nor a shape names a file.
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
        let words = arguments.iter();
        let words = words.map(|text| text.to_string_lossy().into_owned());
        Ok(Self {
            name: "arguments".to_string(),
            text: Text::Arguments(words.collect()),
            memory: memory.clone(),
        })
    }

    /// An iterator, as a list of words would take many times the memory of the file.
    fn words(&self) -> Box<dyn Iterator<Item = Word<'_>> + '_> {
        match &self.text {
            Text::File(bytes) => Box::new(words(bytes)),
            Text::Arguments(words) => {
                Box::new(words.iter().enumerate().map(|(index, text)| Word {
                    text: text.as_str().into(),
                    line: index + 1,
                    column: 1,
                }))
            }
        }
    }

    /// Empty list with room for a value of each word.
    fn room<T>(&self) -> anyhow::Result<Vec<T>> {
        let count = self.words().count();
        let bytes = count as u64 * size_of::<T>() as u64;
        self.memory.hold(&self.name, bytes)?;
        Ok(with_room(&self.name, count)?)
    }

    fn parsed<T>(&self, parse: impl Fn(&Word<'_>) -> anyhow::Result<T>) -> anyhow::Result<Vec<T>> {
        let mut list = self.room()?;
        for word in self.words() {
            list.push(parse(&word)?);
        }
        Ok(list)
    }

    fn location(&self, word: &Word<'_>) -> String {
        match self.text {
            Text::Arguments(_) => format!("argument {}", word.line),
            Text::File(_) => format!("{}, line {}, column {}", self.name, word.line, word.column),
        }
    }

    fn refuse(&self, word: &Word<'_>, reason: &str) -> anyhow::Error {
        let mut text: String = word.text.chars().take(40).collect();
        if text.len() < word.text.len() {
            text.push_str("...");
        }
        anyhow!(
            "{}: '{}' {reason}",
            self.location(word),
            text.escape_debug()
        )
    }

    pub fn weights(&self) -> anyhow::Result<Weights> {
        let whole = |word: &Word<'_>| word.text.parse::<u64>().ok();
        if self.words().all(|word| whole(&word).is_some()) {
            // The greatest number marks sums that overflow.
            let weight = |word: &Word<'_>| match whole(word) {
                Some(weight) if weight < u64::MAX => Ok(weight),
                _ => Err(self.refuse(word, TOO_LARGE)),
            };
            return Ok(Weights::Whole(self.parsed(weight)?));
        }
        let real = |word: &Word<'_>| match word.text.parse::<f64>() {
            _ if is_digits(&word.text) && whole(word).is_none() => {
                Err(self.refuse(word, TOO_LARGE))
            }
            Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
            Ok(number) if number < 0.0 => {
                Err(self.refuse(word, "is negative; weights are from 0 on"))
            }
            _ => Err(self.refuse(word, "is not a number")),
        };
        Ok(Weights::Real(self.parsed(real)?))
    }

    pub fn points(&self) -> anyhow::Result<Vec<[f64; 2]>> {
        let coordinate = |word: &Word<'_>| match word.text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => Err(self.refuse(word, "is not a coordinate")),
        };
        let all = self.parsed(coordinate)?;
        let mut points = self.room()?;
        if all.len() % 2 == 1 {
            bail!(
                "{}: {} numbers are no pairs of coordinates; the last one has no partner",
                self.name,
                all.len()
            );
        }
        points.extend(all.chunks(2).map(|pair| [pair[0], pair[1]]));
        Ok(points)
    }

    pub fn chain(&self) -> anyhow::Result<(Vec<u64>, MatrixNames)> {
        let (dimensions, names) = match self.words().next() {
            Some(first) if shape(&first.text).is_some() => {
                let (dimensions, names) = self.shapes()?;
                (dimensions, MatrixNames::Given(names))
            }
            _ => {
                let dimension = |word: &Word<'_>| self.dimension(word, &word.text);
                let dimensions = self.parsed(dimension)?;
                let count = dimensions.len().saturating_sub(1);
                (dimensions, MatrixNames::Numbered(count))
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
        let (mut dimensions, mut names): (Vec<u64>, Vec<String>) = (self.room()?, self.room()?);
        for (index, word) in self.words().enumerate() {
            let word = &word;
            let (name, rows, columns) = shape(&word.text)
                .ok_or_else(|| self.refuse(word, "is not a shape such as A:10x20"))?;
            let (rows, columns) = (self.dimension(word, rows)?, self.dimension(word, columns)?);
            self.memory
                .hold(&self.name, NAME_BYTES + name.len() as u64)?;
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
                format!("A{}", index + 1)
            } else {
                printable(name).into_owned()
            });
        }
        Ok((dimensions, names))
    }

    fn dimension(&self, word: &Word<'_>, text: &str) -> anyhow::Result<u64> {
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
fn words(bytes: &[u8]) -> impl Iterator<Item = Word<'_>> {
    lines::split(bytes).enumerate().flat_map(|(line, text)| {
        let text = text.split(|&byte| byte == b'#').next().unwrap_or_default();
        let words = text.split(|&byte| lines::is_space(byte) || byte == b',');
        words.filter(|word| !word.is_empty()).map(move |word| Word {
            text: String::from_utf8_lossy(word),
            line: line + 1,
            column: word.as_ptr().addr() - text.as_ptr().addr() + 1,
        })
    })
}

const TOO_LARGE: &str = "is more than 2^64 - 2; scale the weights down";

/// Bytes of a name besides its letters and the string itself: a block of the allocator.
const NAME_BYTES: u64 = 32;

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
