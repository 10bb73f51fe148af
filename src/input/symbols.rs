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
        Ok(match symbols {
            Symbols::Bytes => Sequences::Bytes(pair(a.bytes, b.bytes, ignore_case, |byte| byte.to_ascii_uppercase())),
            Symbols::Chars => Sequences::Chars(pair(chars(a)?, chars(b)?, ignore_case, upper_char)),
            Symbols::Lines => {
                let (pair, words) = intern(&lines(&a.bytes), &lines(&b.bytes), ignore_case)?;
                Sequences::Lines { pair, words }
            }
            Symbols::Tokens => {
                let (pair, words) = intern(&tokens(&a.bytes), &tokens(&b.bytes), ignore_case)?;
                Sequences::Tokens { pair, words }
            }
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

fn pair<S: Copy>(a: Vec<S>, b: Vec<S>, ignore_case: bool, fold: impl Fn(S) -> S) -> Pair<S> {
    let folded = |symbols: &[S]| symbols.iter().map(|&symbol| fold(symbol)).collect();
    let folded = ignore_case.then(|| (folded(&a), folded(&b)));
    Pair { a, b, folded }
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
fn intern(a: &[&[u8]], b: &[&[u8]], ignore_case: bool) -> anyhow::Result<(Pair<u32>, Vec<Vec<u8>>)> {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut together = Vec::with_capacity(a.len() + b.len());
    for &word in a.iter().chain(b) {
        let next = u32::try_from(words.len()).context("the inputs have more than 2^32 different lines or tokens")?;
        let number = *numbers.entry(word).or_insert(next);
        if number == next {
            words.push(word.to_vec());
        }
        together.push(number);
    }
    let split = |mut together: Vec<u32>| {
        let b = together.split_off(a.len());
        (together, b)
    };
    let folded = ignore_case.then(|| {
        let classes = case_classes(&words);
        split(together.iter().map(|&number| classes[number as usize]).collect())
    });
    let (a, b) = split(together);
    Ok((Pair { a, b, folded }, words))
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
