//! Cuts bytes into symbols; lines and tokens become numbers that both inputs share.

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, anyhow};

use super::memory::with_room;
use super::{Named, Symbols};

/// What messages call the inputs as a whole.
pub const ALL: &str = "the inputs";

/// A sequence that pairs share.
type Shared<S> = Arc<Vec<S>>;

/// Two sequences as they are printed and, under `--ignore-case`, as they are compared.
#[derive(Clone, Debug)]
pub struct Pair<S> {
    pub a: Shared<S>,
    pub b: Shared<S>,
    folded: Option<(Shared<S>, Shared<S>)>,
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
        words: Shared<Vec<u8>>,
    },
    /// White-space separated tokens: numbers into `words`.
    Tokens {
        pair: Pair<u32>,
        words: Shared<Vec<u8>>,
    },
}

impl Sequences {
    /// Symbols of `a` and of `b`.
    pub fn lengths(&self) -> (usize, usize) {
        match self {
            Sequences::Bytes(pair) => (pair.a.len(), pair.b.len()),
            Sequences::Chars(pair) => (pair.a.len(), pair.b.len()),
            Sequences::Lines { pair, .. } | Sequences::Tokens { pair, .. } => {
                (pair.a.len(), pair.b.len())
            }
        }
    }
}

/// Any number of sequences, as in [`Pair`].
#[derive(Clone, Debug)]
pub struct List<S> {
    pub sequences: Vec<Shared<S>>,
    folded: Option<Vec<Shared<S>>>,
}

impl<S> List<S> {
    /// What is printed.
    pub fn printed(&self) -> Vec<&[S]> {
        self.sequences
            .iter()
            .map(|sequence| &sequence[..])
            .collect()
    }

    /// What the solver gets.
    pub fn compared(&self) -> Vec<&[S]> {
        self.folded
            .as_ref()
            .unwrap_or(&self.sequences)
            .iter()
            .map(|sequence| &sequence[..])
            .collect()
    }

    fn pair(&self, a: usize, b: usize) -> Pair<S> {
        let of = |list: &Vec<Shared<S>>| (list[a].clone(), list[b].clone());
        let (first, second) = of(&self.sequences);
        Pair {
            a: first,
            b: second,
            folded: self.folded.as_ref().map(of),
        }
    }

    /// Bytes of all symbols.
    fn size_bytes(&self) -> u64 {
        let all = self.sequences.iter().chain(self.folded.iter().flatten());
        all.map(|sequence| (sequence.capacity() * size_of::<S>()) as u64)
            .sum()
    }
}

/// All inputs in symbols, as in [`Sequences`].
#[derive(Clone, Debug)]
pub enum Lists {
    Bytes(List<u8>),
    Chars(List<char>),
    Lines {
        list: List<u32>,
        words: Shared<Vec<u8>>,
    },
    Tokens {
        list: List<u32>,
        words: Shared<Vec<u8>>,
    },
}

impl Lists {
    /// Cuts all inputs; with `ignore_case` letters are compared in upper case and printed as they are.
    pub fn new(inputs: Vec<Named>, symbols: Symbols, ignore_case: bool) -> anyhow::Result<Self> {
        Ok(match symbols {
            Symbols::Bytes => {
                let sequences = inputs.into_iter().map(|input| input.bytes).collect();
                Lists::Bytes(list(sequences, ignore_case, |byte| {
                    byte.to_ascii_uppercase()
                })?)
            }
            Symbols::Chars => {
                let sequences = inputs
                    .into_iter()
                    .map(chars)
                    .collect::<anyhow::Result<_>>()?;
                Lists::Chars(list(sequences, ignore_case, upper_char)?)
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

    /// Two of the inputs, by place.
    pub fn pair(&self, a: usize, b: usize) -> Sequences {
        match self {
            Lists::Bytes(list) => Sequences::Bytes(list.pair(a, b)),
            Lists::Chars(list) => Sequences::Chars(list.pair(a, b)),
            Lists::Lines { list, words } => Sequences::Lines {
                pair: list.pair(a, b),
                words: words.clone(),
            },
            Lists::Tokens { list, words } => Sequences::Tokens {
                pair: list.pair(a, b),
                words: words.clone(),
            },
        }
    }

    /// Symbols of every input.
    pub fn lengths(&self) -> Vec<usize> {
        fn lengths<S>(list: &List<S>) -> Vec<usize> {
            list.sequences
                .iter()
                .map(|sequence| sequence.len())
                .collect()
        }
        match self {
            Lists::Bytes(list) => lengths(list),
            Lists::Chars(list) => lengths(list),
            Lists::Lines { list, .. } | Lists::Tokens { list, .. } => lengths(list),
        }
    }

    /// Bytes that the symbols take.
    pub fn size_bytes(&self) -> u64 {
        match self {
            Lists::Bytes(list) => list.size_bytes(),
            Lists::Chars(list) => list.size_bytes(),
            Lists::Lines { list, words } | Lists::Tokens { list, words } => {
                let words = words
                    .iter()
                    .map(|word| (word.capacity() + size_of::<Vec<u8>>()) as u64);
                list.size_bytes() + words.sum::<u64>()
            }
        }
    }
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
    let folded = ignore_case
        .then(|| sequences.iter().map(folded).collect::<anyhow::Result<_>>())
        .transpose()?;
    Ok(List {
        sequences: sequences.into_iter().map(Arc::new).collect(),
        folded,
    })
}

/// The upper case of a character where it is one character.
fn upper_char(character: char) -> char {
    let mut upper = character.to_uppercase();
    if upper.len() == 1 {
        upper.next().unwrap_or(character)
    } else {
        character
    }
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

fn lines(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
    lines.pop_if(|last| last.is_empty());
    lines
}

fn tokens(bytes: &[u8]) -> Vec<&[u8]> {
    bytes
        .split(u8::is_ascii_whitespace)
        .filter(|token| !token.is_empty())
        .collect()
}

/// Numbers for words in the order of first appearance, and the word of each number.
fn intern(
    inputs: &[Vec<&[u8]>],
    ignore_case: bool,
) -> anyhow::Result<(List<u32>, Shared<Vec<u8>>)> {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let mut words: Vec<Vec<u8>> = Vec::new();
    let mut sequences = Vec::with_capacity(inputs.len());
    for input in inputs {
        let mut sequence = with_room(ALL, input.len())?;
        for &word in input {
            let next = u32::try_from(words.len())
                .context("the inputs have more than 2^32 different lines or tokens")?;
            let number = *numbers.entry(word).or_insert(next);
            if number == next {
                words.push(word.to_vec());
            }
            sequence.push(number);
        }
        sequences.push(sequence);
    }
    let classes = if ignore_case {
        case_classes(&words)
    } else {
        Vec::new()
    };
    Ok((
        list(sequences, ignore_case, |number: u32| {
            classes[number as usize]
        })?,
        Arc::new(words),
    ))
}

/// For each word the number of the first word that differs from it in case only.
fn case_classes(words: &[Vec<u8>]) -> Vec<u32> {
    let mut first: HashMap<Vec<u8>, u32> = HashMap::new();
    words
        .iter()
        .zip(0..)
        .map(|(word, number)| *first.entry(upper_word(word)).or_insert(number))
        .collect()
}

/// The word in upper case: by Unicode where it is UTF-8, else its ASCII letters only.
fn upper_word(word: &[u8]) -> Vec<u8> {
    match std::str::from_utf8(word) {
        Ok(text) => text.to_uppercase().into_bytes(),
        Err(_) => word.to_ascii_uppercase(),
    }
}
