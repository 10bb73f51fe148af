//! Encoding of symbols to dense codes, and of codes to bit planes.
//!
//! Only symbols that both inputs share can match, so only they get codes `1..=shared`. A symbol
//! that occurs only in `b` becomes [`NONE_IN_B`], one that occurs only in `a` becomes `shared + 1`.
//! The two equal neither each other nor any shared code.

use std::collections::HashMap;
use std::hash::Hash;

use rayon::prelude::*;

use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::host::threads::{join, on_threads};

use crate::pairwise::pair::Pair;

/// Code of symbols that occur only in `b`, and of padding columns. It matches no row.
pub const NONE_IN_B: u32 = 0;

/// Element type of sequences: bytes, Unicode scalars, line numbers or token numbers.
///
/// ```
/// use swath::{Engine, Lcs, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let (a, b): (Vec<char>, Vec<char>) = ("größe".chars().collect(), "große".chars().collect());
/// assert_eq!(engine.run(&Lcs::of(a, b))?.length, 4);
/// assert_eq!(engine.run(&Lcs::of(vec![7u32, 8, 9], vec![7, 9]))?.length, 2);
/// # Ok::<(), swath::Error>(())
/// ```
pub trait Symbol: Copy + Eq + Hash + Send + Sync + 'static {
    /// Size of a direct lookup table over all symbols; 0 if the type is too wide for one.
    const TABLE: usize;

    /// True if `==` is not transitive; only [`Edit`](crate::Edit) and [`Lcs`](crate::Lcs) take such
    /// symbols.
    const MATCHES_OTHERS: bool = false;

    /// Index of this symbol in the lookup table.
    fn place(self) -> usize;

    /// True if both symbols match the same symbols.
    fn is_same(self, other: Self) -> bool {
        self == other
    }

    /// The symbols as bytes, if they are bytes.
    fn bytes(_symbols: &[Self]) -> Option<&[u8]> {
        None
    }
}

impl Symbol for u8 {
    const TABLE: usize = 1 << 8;

    #[inline]
    fn place(self) -> usize {
        usize::from(self)
    }

    fn bytes(symbols: &[Self]) -> Option<&[u8]> {
        Some(symbols)
    }
}

impl Symbol for u16 {
    const TABLE: usize = 1 << 16;

    #[inline]
    fn place(self) -> usize {
        usize::from(self)
    }
}

impl Symbol for u32 {
    const TABLE: usize = 0;

    #[inline]
    fn place(self) -> usize {
        self as usize
    }
}

impl Symbol for u64 {
    const TABLE: usize = 0;

    #[inline]
    fn place(self) -> usize {
        self as usize
    }
}

impl Symbol for char {
    const TABLE: usize = 0;

    #[inline]
    fn place(self) -> usize {
        self as usize
    }
}

/// Refuses symbols that match others, for problems whose methods need classes of equal symbols.
///
/// # Errors
/// [`Error::MethodUnavailable`].
pub(crate) fn check_classes<S: Symbol>(problem: &'static str) -> Result<()> {
    if !S::MATCHES_OTHERS {
        return Ok(());
    }
    Err(Error::MethodUnavailable {
        method: problem,
        device: "symbols that match others".to_string(),
        reason: "only edit distances and common subsequences have them".to_string(),
    })
}

/// Two sequences in dense codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Codes of the rows, each in `1..=shared + 1`.
    pub a: Vec<u32>,
    /// Codes of the columns, each in `0..=shared`.
    pub b: Vec<u32>,
    /// Number of distinct symbols that occur in both sequences.
    pub shared: u32,
}

impl Encoded {
    /// Assigns codes in order of first appearance in `a`. Cost: one table lookup per symbol.
    pub fn new<S: Symbol>(a: &[S], b: &[S]) -> Self {
        if S::TABLE > 0 {
            Self::by_table(a, b)
        } else {
            Self::by_hash(a, b)
        }
    }

    fn by_table<S: Symbol>(a: &[S], b: &[S]) -> Self {
        let in_b = Self::seen(b);
        let symbols = in_b.iter().filter(|&&seen| seen).count() as u32;
        let mut codes = vec![NONE_IN_B; S::TABLE];
        let mut shared = 0;
        for &symbol in a {
            let slot = symbol.place();
            if codes[slot] == NONE_IN_B && in_b[slot] {
                shared += 1;
                codes[slot] = shared;
                if shared == symbols {
                    break;
                }
            }
        }
        let in_rows: Vec<_> = codes.iter().map(|&code| row_code(code, shared)).collect();
        let (of_a, of_b) = (|| looked_up(a, &in_rows), || looked_up(b, &codes));
        let (a, b) = if Self::takes_one_thread(a, b) {
            (of_a(), of_b())
        } else {
            join(of_a, of_b)
        };
        Self { a, b, shared }
    }

    /// [`new`](Self::new) on the threads of the engine, or on this thread if the input is too short
    /// for them.
    pub(crate) fn by<S: Symbol>(engine: &Engine, a: &[S], b: &[S]) -> Self {
        match Self::takes_one_thread(a, b) {
            true => Self::new(a, b),
            false => engine.on_threads(|| Self::new(a, b)),
        }
    }

    /// Whether the input is too short for parallel encoding.
    fn takes_one_thread<S>(a: &[S], b: &[S]) -> bool {
        a.len() + b.len() <= TASK_SYMBOLS
    }

    /// Whether each symbol occurs, by table index.
    fn seen<S: Symbol>(symbols: &[S]) -> Vec<bool> {
        let seen = |symbols: &[S]| {
            let mut seen = vec![false; S::TABLE];
            symbols
                .iter()
                .for_each(|&symbol| seen[symbol.place()] = true);
            seen
        };
        let either = |mut x: Vec<bool>, y: Vec<bool>| {
            x.iter_mut().zip(y).for_each(|(x, y)| *x |= y);
            x
        };
        if symbols.len() <= TASK_SYMBOLS {
            return seen(symbols);
        }
        let parts = symbols.par_chunks(TASK_SYMBOLS.max(S::TABLE)).map(seen);
        on_threads(None, || parts.reduce(|| vec![false; S::TABLE], either))
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
            a: a.iter()
                .map(|symbol| row_code(code(symbol), shared))
                .collect(),
            b: b.iter().map(code).collect(),
            shared,
        }
    }

    pub(crate) fn pair(&self) -> Pair<'_, u32> {
        Pair::new(&self.a, &self.b)
    }

    /// Bits per code, including [`NONE_IN_B`] and the row-only code: at least 1.
    pub fn planes(shared: u32) -> u32 {
        u32::BITS - (shared + 1).leading_zeros()
    }
}

fn looked_up<S: Symbol>(symbols: &[S], table: &[u32]) -> Vec<u32> {
    // The fixed length removes the bounds checks.
    let table = &table[..S::TABLE];
    let code = |&symbol: &S| table[symbol.place()];
    if symbols.len() <= TASK_SYMBOLS {
        return symbols.iter().map(code).collect();
    }
    let codes = symbols.par_iter().with_min_len(TASK_SYMBOLS).map(code);
    on_threads(None, || codes.collect())
}

/// Symbols per parallel task.
const TASK_SYMBOLS: usize = 1 << 15;

fn row_code(code: u32, shared: u32) -> u32 {
    if code == NONE_IN_B { shared + 1 } else { code }
}
