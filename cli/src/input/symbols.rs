//! Symbols of the inputs; lines and tokens are numbered jointly for all inputs.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use anyhow::{Context, anyhow};
use swath::Symbol;

use super::lines;
use super::memory::{Memory, with_room};
use super::source::{Named, Symbols};

pub const ALL: &str = "the inputs";

/// Sequences as printed and, with `--ignore-case`, as compared.
#[derive(Clone, Debug)]
pub struct List<S> {
    sequences: Vec<Arc<Vec<S>>>,
    folded: Option<Vec<Arc<Vec<S>>>>,
}

impl<S> List<S> {
    pub fn printed(&self) -> Vec<&[S]> {
        self.sequences.iter().map(|one| &one[..]).collect()
    }

    pub fn compared(&self) -> Vec<&[S]> {
        let all = self.folded.as_ref().unwrap_or(&self.sequences);
        all.iter().map(|one| &one[..]).collect()
    }

    pub fn pair(&self) -> [&[S]; 2] {
        let all = self.folded.as_ref().unwrap_or(&self.sequences);
        [&all[0], &all[1]]
    }

    pub(super) fn change_first(&mut self, change: impl Fn(&[S]) -> Vec<S>) {
        for list in [Some(&mut self.sequences), self.folded.as_mut()] {
            if let Some(first) = list.and_then(|list| list.first_mut()) {
                *first = Arc::new(change(first));
            }
        }
    }

    fn select(&self, indices: &[usize]) -> Self {
        let selected =
            |list: &Vec<Arc<Vec<S>>>| indices.iter().map(|&index| list[index].clone()).collect();
        Self {
            sequences: selected(&self.sequences),
            folded: self.folded.as_ref().map(selected),
        }
    }

    fn size_bytes(&self) -> u64 {
        let all = self.sequences.iter().chain(self.folded.iter().flatten());
        all.map(|one| (one.capacity() * size_of::<S>()) as u64)
            .sum()
    }
}

/// Texts of lines or tokens by number.
#[derive(Debug, Default)]
pub struct Words {
    texts: Vec<Vec<u8>>,
    are_lines: bool,
}

impl Words {
    pub fn text(&self, number: u32) -> &[u8] {
        &self.texts[number as usize]
    }
}

#[derive(Clone, Debug)]
pub enum Lists {
    Bytes(List<u8>),
    Chars(List<char>),
    /// Numbers of lines (without newlines) or tokens.
    Words(List<u32>, Arc<Words>),
}

/// Evaluates an expression for the list of any kind of symbols.
macro_rules! with_list {
    ($lists:expr, $list:ident => $value:expr) => {
        match $lists {
            $crate::input::symbols::Lists::Bytes($list) => $value,
            $crate::input::symbols::Lists::Chars($list) => $value,
            $crate::input::symbols::Lists::Words($list, _) => $value,
        }
    };
}
pub(crate) use with_list;

impl Lists {
    /// With `ignore_case`, letters are compared in folded case but printed as is. The lists are
    /// added to the account beside the files.
    pub fn new(
        inputs: Vec<Named>,
        symbols: Symbols,
        ignore_case: bool,
        memory: &Memory,
    ) -> anyhow::Result<Self> {
        let copies = 1 + usize::from(ignore_case);
        let hold = |count: usize, bytes: usize| memory.hold(ALL, count as u64 * bytes as u64);
        Ok(match symbols {
            Symbols::Bytes => {
                hold(
                    inputs.iter().map(|input| input.bytes.len()).sum(),
                    copies - 1,
                )?;
                let sequences = inputs.into_iter().map(|input| input.bytes).collect();
                let fold = |byte: u8| byte.to_ascii_lowercase();
                Lists::Bytes(list(sequences, ignore_case, fold)?)
            }
            Symbols::Chars => {
                // Continuation bytes of UTF-8 begin with the bits 10.
                let bytes = inputs.iter().flat_map(|input| &input.bytes);
                let count = bytes.filter(|&&byte| byte & 0xc0 != 0x80).count();
                hold(count, copies * size_of::<char>())?;
                let sequences: anyhow::Result<_> = inputs.into_iter().map(chars).collect();
                Lists::Chars(list(sequences?, ignore_case, folded_char)?)
            }
            Symbols::Lines => {
                let count = inputs.iter().map(|input| lines_of(&input.bytes).count());
                hold(count.sum(), size_of::<u32>() * copies)?;
                words(&inputs, lines_of, true, ignore_case, memory)?
            }
            Symbols::Tokens => {
                let count = inputs
                    .iter()
                    .map(|input| lines::words(&input.bytes).count());
                hold(count.sum(), size_of::<u32>() * copies)?;
                words(&inputs, lines::words, false, ignore_case, memory)?
            }
        })
    }

    pub fn select(&self, indices: &[usize]) -> Self {
        match self {
            Lists::Bytes(list) => Lists::Bytes(list.select(indices)),
            Lists::Chars(list) => Lists::Chars(list.select(indices)),
            Lists::Words(list, words) => Lists::Words(list.select(indices), words.clone()),
        }
    }

    pub fn lengths(&self) -> Vec<usize> {
        with_list!(self, list => list.sequences.iter().map(|one| one.len()).collect())
    }

    pub fn size_bytes(&self) -> u64 {
        let words = self.words().map_or(&[][..], |words| &words.texts);
        let words = words
            .iter()
            .map(|word| (word.capacity() + size_of::<Vec<u8>>()) as u64);
        with_list!(self, list => list.size_bytes()) + words.sum::<u64>()
    }

    pub fn words(&self) -> Option<&Words> {
        match self {
            Lists::Words(_, words) => Some(words),
            _ => None,
        }
    }

    pub fn are_letters(&self) -> bool {
        self.words().is_none()
    }

    pub fn are_tokens(&self) -> bool {
        self.words().is_some_and(|words| !words.are_lines)
    }

    /// Prints runs `(start, len)` of one sequence in order.
    pub fn write_runs(
        &self,
        sequence: usize,
        runs: impl Iterator<Item = (usize, usize)>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        with_list!(self, list => {
            let printed = &list.sequences[sequence];
            write_symbols(runs.map(|(start, len)| &printed[start..start + len]), self.words(), out)
        })
    }
}

pub trait Printed: Symbol {
    /// Appends symbols as read; lines and tokens without separators.
    fn print(symbols: &[Self], words: Option<&Words>, out: &mut dyn Write) -> io::Result<()>;
}

impl Printed for u8 {
    fn print(symbols: &[Self], _: Option<&Words>, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(symbols)
    }
}

impl Printed for char {
    fn print(symbols: &[Self], _: Option<&Words>, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(symbols.iter().collect::<String>().as_bytes())
    }
}

impl Printed for u32 {
    fn print(symbols: &[Self], words: Option<&Words>, out: &mut dyn Write) -> io::Result<()> {
        let mut symbols = symbols.iter();
        symbols.try_for_each(|&one| words.map_or(Ok(()), |words| out.write_all(words.text(one))))
    }
}

/// Lines have a newline each, tokens a space between them.
pub fn write_symbols<'a, S: Printed>(
    mut runs: impl Iterator<Item = &'a [S]>,
    words: Option<&Words>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(Words { are_lines, .. }) = words else {
        return runs.try_for_each(|run| S::print(run, None, out));
    };
    for (index, word) in runs.flat_map(|run| run.chunks(1)).enumerate() {
        if index > 0 && !are_lines {
            out.write_all(b" ")?;
        }
        S::print(word, words, out)?;
        if *are_lines {
            out.write_all(b"\n")?;
        }
    }
    if *are_lines { Ok(()) } else { writeln!(out) }
}

fn list<S: Copy>(
    sequences: Vec<Vec<S>>,
    ignore_case: bool,
    fold: impl Fn(S) -> S,
) -> anyhow::Result<List<S>> {
    let folded = |sequence: &Vec<S>| {
        let mut folded = with_room(ALL, sequence.len())?;
        folded.extend(sequence.iter().map(|&symbol| fold(symbol)));
        Ok(Arc::new(folded))
    };
    let folded = ignore_case.then(|| sequences.iter().map(folded).collect::<anyhow::Result<_>>());
    Ok(List {
        folded: folded.transpose()?,
        sequences: sequences.into_iter().map(Arc::new).collect(),
    })
}

/// Simple case folding of Unicode: one character for one.
pub(super) fn folded_char(character: char) -> char {
    let folded = unicode_case_mapping::case_folded(character);
    let folded = folded.and_then(|folded| char::from_u32(folded.get()));
    folded.unwrap_or(character)
}

fn chars(input: Named) -> anyhow::Result<Vec<char>> {
    let text = std::str::from_utf8(&input.bytes).map_err(|error| {
        anyhow!(
            "{} is not UTF-8 at byte {} (from 0); convert it, or use --symbols bytes",
            input.name,
            error.valid_up_to()
        )
    })?;
    let mut chars = with_room(&input.name, text.chars().count())?;
    chars.extend(text.chars());
    Ok(chars)
}

/// End of the lines of a text: CR if it has no LF, as on old Macs.
pub fn line_end(text: &[u8]) -> u8 {
    if text.contains(&b'\r') && !text.contains(&b'\n') {
        b'\r'
    } else {
        b'\n'
    }
}

/// Lines without their end; the last one may lack it.
fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let end = line_end(text);
    text.split_inclusive(move |&byte| byte == end)
        .map(move |line| line.strip_suffix(&[end]).unwrap_or(line))
}

/// Bytes of a different word besides its letters: its text, and entries of hash tables.
const WORD_BYTES: u64 = 128;

fn words<'a, W: Iterator<Item = &'a [u8]>>(
    inputs: &'a [Named],
    cut: fn(&'a [u8]) -> W,
    are_lines: bool,
    ignore_case: bool,
    memory: &Memory,
) -> anyhow::Result<Lists> {
    let copies = 1 + u64::from(ignore_case);
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let mut texts: Vec<Vec<u8>> = Vec::new();
    let mut sequences = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut sequence = with_room(ALL, cut(&input.bytes).count())?;
        for word in cut(&input.bytes) {
            let next = u32::try_from(texts.len())
                .context("the inputs have more than 2^32 different lines or tokens")?;
            let number = *numbers.entry(word).or_insert(next);
            if number == next {
                memory.hold(ALL, copies * (WORD_BYTES + word.len() as u64))?;
                texts.push(word.to_vec());
            }
            sequence.push(number);
        }
        sequences.push(sequence);
    }
    // For each word the first one that differs only in case.
    let mut classes = Vec::new();
    if ignore_case {
        let mut first: HashMap<Vec<u8>, u32> = HashMap::new();
        let class =
            |(word, number): (&Vec<u8>, u32)| *first.entry(folded_word(word)).or_insert(number);
        classes = texts.iter().zip(0..).map(class).collect();
    }
    let list = list(sequences, ignore_case, |number: u32| {
        classes[number as usize]
    })?;
    Ok(Lists::Words(list, Arc::new(Words { texts, are_lines })))
}

/// Folded case of a word: by Unicode for UTF-8, else of ASCII letters.
pub(super) fn folded_word(word: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(word) {
        Ok(text) => text
            .chars()
            .map(folded_char)
            .collect::<String>()
            .into_bytes(),
        Err(_) => word.to_ascii_lowercase(),
    }
}
