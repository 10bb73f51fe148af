//! Symbols become dense codes; codes become bit planes.
//!
//! Only symbols that both inputs share can match, so only they get codes `1..=shared`. A symbol that `b` alone has becomes
//! [`NONE_IN_B`] and one that `a` alone has becomes `shared + 1`: the two never equal each other or any shared code.

use std::collections::HashMap;
use std::hash::Hash;

/// The code of a symbol of `b` that `a` lacks, and of padding columns: it matches no row.
pub const NONE_IN_B: u32 = 0;

/// A symbol that sequences are made of: bytes, Unicode scalars, line or token numbers.
pub trait Symbol: Copy + Eq + Hash + Send + Sync + 'static {
    /// A small table index for this symbol, where the type is narrow enough for a table of 2^16 entries.
    fn narrow(self) -> Option<u16>;
}

impl Symbol for u8 {
    fn narrow(self) -> Option<u16> {
        Some(u16::from(self))
    }
}

impl Symbol for u16 {
    fn narrow(self) -> Option<u16> {
        Some(self)
    }
}

impl Symbol for u32 {
    fn narrow(self) -> Option<u16> {
        None
    }
}

impl Symbol for u64 {
    fn narrow(self) -> Option<u16> {
        None
    }
}

impl Symbol for char {
    fn narrow(self) -> Option<u16> {
        None
    }
}

/// Two sequences in dense codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Codes of the rows, each in `1..=shared + 1`.
    pub a: Vec<u32>,
    /// Codes of the columns, each in `0..=shared`.
    pub b: Vec<u32>,
    /// How many distinct symbols both sequences have.
    pub shared: u32,
}

impl Encoded {
    /// Codes in the order of first appearance in `a`. Cost: one table look-up a symbol.
    pub fn new<S: Symbol>(a: &[S], b: &[S]) -> Self {
        if a.iter().chain(b).take(1).all(|symbol| symbol.narrow().is_some()) {
            Self::by_table(a, b)
        } else {
            Self::by_hash(a, b)
        }
    }

    fn by_table<S: Symbol>(a: &[S], b: &[S]) -> Self {
        let index = |symbol: S| usize::from(symbol.narrow().unwrap_or_default());
        let mut in_b = vec![false; 1 << 16];
        b.iter().for_each(|&symbol| in_b[index(symbol)] = true);
        let mut codes = vec![NONE_IN_B; 1 << 16];
        let mut shared = 0;
        for &symbol in a {
            let slot = index(symbol);
            if codes[slot] == NONE_IN_B && in_b[slot] {
                shared += 1;
                codes[slot] = shared;
            }
        }
        Self {
            a: a.iter().map(|&symbol| row_code(codes[index(symbol)], shared)).collect(),
            b: b.iter().map(|&symbol| codes[index(symbol)]).collect(),
            shared,
        }
    }

    fn by_hash<S: Symbol>(a: &[S], b: &[S]) -> Self {
        let in_b: std::collections::HashSet<S> = b.iter().copied().collect();
        let mut codes = HashMap::new();
        for &symbol in a {
            if in_b.contains(&symbol) {
                let next = codes.len() as u32 + 1;
                codes.entry(symbol).or_insert(next);
            }
        }
        let shared = codes.len() as u32;
        let code = |symbol: &S| codes.get(symbol).copied().unwrap_or(NONE_IN_B);
        Self {
            a: a.iter().map(|symbol| row_code(code(symbol), shared)).collect(),
            b: b.iter().map(code).collect(),
            shared,
        }
    }

    /// Bits that tell every code apart, [`NONE_IN_B`] and the row-only code among them: at least 1.
    pub fn planes(shared: u32) -> u32 {
        u32::BITS - (shared + 1).leading_zeros()
    }
}

fn row_code(code: u32, shared: u32) -> u32 {
    if code == NONE_IN_B { shared + 1 } else { code }
}
