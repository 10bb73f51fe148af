//! Cuts bytes into symbols; lines and tokens become numbers that both inputs share.

use std::collections::HashMap;

use anyhow::{Context, anyhow};

use super::{Named, Symbols};

/// Two sequences as they are printed and, under `--ignore-case`, as they are compared.
#[derive(Clone, Debug)]
pub struct Pair<S> {
    pub a: Vec<S>,
    pub b: Vec<S>,
    folded: Option<(Vec<S>, Vec<S>)>,
}

impl<S> Pair<S> {
    /// What the solver gets.
    pub fn compared(&self) -> (&[S], &[S]) {
        match &self.folded {
            Some((a, b)) => (a, b),
            None => (&self.a, &self.b),
        }
    }
}

impl<S> From<List<S>> for Pair<S> {
    fn from(list: List<S>) -> Self {
        let two = |list: Vec<Vec<S>>| {
            let mut list = list.into_iter();
            (list.next().unwrap_or_default(), list.next().unwrap_or_default())
        };
        let (a, b) = two(list.sequences);
        Self { a, b, folded: list.folded.map(two) }
    }
}

/// Both inputs in symbols.
#[derive(Clone, Debug)]
pub enum Sequences {
    Bytes(Pair<u8>),
    Chars(Pair<char>),
    /// Lines without their newlines: numbers into `words`.
    Lines {
        pair: Pair<u32>,
        words: Vec<Vec<u8>>,
    },
    /// White-space separated tokens: numbers into `words`.
    Tokens {
        pair: Pair<u32>,
        words: Vec<Vec<u8>>,
    },
}

impl Sequences {
    /// Cuts both inputs; with `ignore_case` letters are compared in upper case and printed as they are.
    pub fn new(a: Named, b: Named, symbols: Symbols, ignore_case: bool) -> anyhow::Result<Self> {
        Ok(match Lists::new(vec![a, b], symbols, ignore_case)? {
            Lists::Bytes(list) => Sequences::Bytes(list.into()),
            Lists::Chars(list) => Sequences::Chars(list.into()),
            Lists::Lines { list, words } => Sequences::Lines { pair: list.into(), words },
            Lists::Tokens { list, words } => Sequences::Tokens { pair: list.into(), words },
        })
    }

    /// Symbols of `a` and of `b`.
    pub fn lengths(&self) -> (usize, usize) {
        match self {
            Sequences::Bytes(pair) => (pair.a.len(), pair.b.len()),
            Sequences::Chars(pair) => (pair.a.len(), pair.b.len()),
            Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => (pair.a.len(), pair.b.len()),
        }
    }
}

/// Any number of sequences, as in [`Pair`].
#[derive(Clone, Debug)]
pub struct List<S> {
    pub sequences: Vec<Vec<S>>,
    folded: Option<Vec<Vec<S>>>,
}

impl<S> List<S> {
    /// What is printed.
    pub fn printed(&self) -> Vec<&[S]> {
        self.sequences.iter().map(Vec::as_slice).collect()
    }

    /// What the solver gets.
    pub fn compared(&self) -> Vec<&[S]> {
        self.folded.as_ref().unwrap_or(&self.sequences).iter().map(Vec::as_slice).collect()
    }
}

/// All inputs in symbols, as in [`Sequences`].
#[derive(Clone, Debug)]
pub enum Lists {
    Bytes(List<u8>),
    Chars(List<char>),
    Lines { list: List<u32>, words: Vec<Vec<u8>> },
    Tokens { list: List<u32>, words: Vec<Vec<u8>> },
}

impl Lists {
    /// Cuts all inputs; with `ignore_case` letters are compared in upper case and printed as they are.
    pub fn new(inputs: Vec<Named>, symbols: Symbols, ignore_case: bool) -> anyhow::Result<Self> {
        Ok(match symbols {
            Symbols::Bytes => {
                let sequences = inputs.into_iter().map(|input| input.bytes).collect();
                Lists::Bytes(list(sequences, ignore_case, |byte| byte.to_ascii_uppercase()))
            }
            Symbols::Chars => {
                let sequences = inputs.into_iter().map(chars).collect::<anyhow::Result<_>>()?;
                Lists::Chars(list(sequences, ignore_case, upper_char))
            }
            Symbols::Lines => {
                let cut: Vec<_> = inputs.iter().map(|input| lines(&input.bytes)).collect();
                let (list, words) = intern(&cut, ignore_case)?;
                Lists::Lines { list, words }
            }
            Symbols::Tokens => {
                let cut: Vec<_> = inputs.iter().map(|input| tokens(&input.bytes)).collect();
                let (list, words) = intern(&cut, ignore_case)?;
                Lists::Tokens { list, words }
            }
        })
    }

    /// Symbols of every input.
    pub fn lengths(&self) -> Vec<usize> {
        fn lengths<S>(list: &List<S>) -> Vec<usize> {
            list.sequences.iter().map(Vec::len).collect()
        }
        match self {
            Lists::Bytes(list) => lengths(list),
            Lists::Chars(list) => lengths(list),
            Lists::Lines { list, .. } | Lists::Tokens { list, .. } => lengths(list),
        }
    }
}

fn list<S: Copy>(sequences: Vec<Vec<S>>, ignore_case: bool, fold: impl Fn(S) -> S) -> List<S> {
    let folded = |sequence: &Vec<S>| sequence.iter().map(|&symbol| fold(symbol)).collect();
    let folded = ignore_case.then(|| sequences.iter().map(folded).collect());
    List { sequences, folded }
}

/// The upper case of a character where it is one character.
fn upper_char(character: char) -> char {
    let mut upper = character.to_uppercase();
    if upper.len() == 1 { upper.next().unwrap_or(character) } else { character }
}

fn chars(input: Named) -> anyhow::Result<Vec<char>> {
    let text = std::str::from_utf8(&input.bytes).map_err(|error| {
        anyhow!(
            "{} is not UTF-8 at byte {} (from 0); convert it, or use --symbols bytes",
            input.name,
            error.valid_up_to()
        )
    })?;
    Ok(text.chars().collect())
}

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    lines.pop_if(|last| last.is_empty());
    lines
}

fn tokens(bytes: &[u8]) -> Vec<&[u8]> {
    bytes.split(u8::is_ascii_whitespace).filter(|token| !token.is_empty()).collect()
}

/// Numbers for words in the order of first appearance, and the word of each number.
fn intern(inputs: &[Vec<&[u8]>], ignore_case: bool) -> anyhow::Result<(List<u32>, Vec<Vec<u8>>)> {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut sequences = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut sequence = Vec::with_capacity(input.len());
        for &word in input {
            let next =
                u32::try_from(words.len()).context("the inputs have more than 2^32 different lines or tokens")?;
            let number = *numbers.entry(word).or_insert(next);
            if number == next {
                words.push(word.to_vec());
            }
            sequence.push(number);
        }
        sequences.push(sequence);
    }
    let folded = ignore_case.then(|| {
        let classes = case_classes(&words);
        let class = |sequence: &Vec<u32>| sequence.iter().map(|&number| classes[number as usize]).collect();
        sequences.iter().map(class).collect()
    });
    Ok((List { sequences, folded }, words))
}

/// For each word the number of the first word that differs from it in case only.
fn case_classes(words: &[Vec<u8>]) -> Vec<u32> {
    let mut first: HashMap<Vec<u8>, u32> = HashMap::new();
    words.iter().zip(0..).map(|(word, number)| *first.entry(upper_word(word)).or_insert(number)).collect()
}

/// The word in upper case: by Unicode where it is UTF-8, else its ASCII letters only.
fn upper_word(word: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(word) {
        Ok(text) => text.to_uppercase().into_bytes(),
        Err(_) => word.to_ascii_uppercase(),
    }
}
