//! Encoding of symbols to dense codes, and of codes to bit planes.
//!
//! Only symbols that both inputs share can match, so only they get codes `1..=shared`. A symbol
//! that occurs only in `b` becomes [`NONE_IN_B`], one that occurs only in `a` becomes `shared + 1`.
//! The two equal neither each other nor any shared code.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;

use crate::engine::Engine;
use crate::host::parallel::collect_ranges;
use crate::host::threads::join;
use crate::matching::Letter;
use crate::sequences::pair::Pair;
use crate::symbols::alphabet::{self, seen};

/// Code of symbols that occur only in `b`, and of padding columns. It matches no row.
pub const NONE_IN_B: u32 = 0;

/// Element type of sequences: bytes, Unicode scalars, line numbers or token numbers.
///
/// Bytes, `u32`, `char` and [`Letter`] are used in place; a call copies symbols of other types to
/// 32-bit numbers.
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

    /// True if `==` is not transitive. Only [`Letter`] is such a type.
    #[doc(hidden)]
    const MATCHES_OTHERS: bool = false;

    /// Bit set of the groups of symbols that match each other and that this one is in, if the type
    /// [matches others](Self::MATCHES_OTHERS). A symbol in no group matches itself.
    #[doc(hidden)]
    fn groups(self) -> u32 {
        0
    }

    /// Index of this symbol in the lookup table.
    fn place(self) -> usize;

    /// True if both symbols match the same symbols.
    #[doc(hidden)]
    fn is_same(self, other: Self) -> bool {
        self == other
    }

    /// The symbols as bytes, equal where the symbols are, if they are bytes.
    fn bytes(_symbols: &[Self]) -> Option<&[u8]> {
        None
    }

    /// The symbols as numbers that are equal for equal symbols; `None` if the call has to find such
    /// numbers, which takes one lookup in a hash table per symbol.
    fn numbers(symbols: &[Self]) -> Option<Cow<'_, [u32]>> {
        let number = |symbol: &Self| symbol.place() as u32;
        (Self::TABLE > 0).then(|| symbols.iter().map(number).collect())
    }

    /// The symbols as letters, if they are letters.
    #[doc(hidden)]
    fn letters(_symbols: &[Self]) -> Option<&[Letter]> {
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

    fn numbers(symbols: &[Self]) -> Option<Cow<'_, [u32]>> {
        Some(Cow::Borrowed(symbols))
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

    fn numbers(symbols: &[Self]) -> Option<Cow<'_, [u32]>> {
        Some(Cow::Borrowed(bytemuck::cast_slice(symbols)))
    }
}

/// Codes of two sequences, and which of them match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Alphabet {
    /// Number of distinct symbols that occur in both sequences; the greatest code of sets.
    pub shared: u32,
    /// True if codes are bit sets that match if they have a bit in common, [`NONE_IN_B`] being the
    /// empty one; else equal codes match.
    pub sets: bool,
    /// Low bits of codes with sets that are a number instead: equal numbers match, too. Such codes
    /// are for the CPU alone.
    pub number_bits: u32,
}

impl From<u32> for Alphabet {
    /// Equal codes in `1..=shared` match.
    fn from(shared: u32) -> Self {
        Self {
            shared,
            sets: false,
            number_bits: 0,
        }
    }
}

impl Alphabet {
    /// Sets of up to `bits` bits, at least 1, above numbers of `number_bits`.
    pub fn of_sets(bits: u32, number_bits: u32) -> Self {
        Self {
            shared: u32::MAX >> (u32::BITS - bits - number_bits),
            sets: true,
            number_bits,
        }
    }

    /// Code of a row that no column matches.
    pub fn row_only(self) -> u32 {
        if self.sets {
            (1 << self.number_bits) - 1
        } else {
            self.shared + 1
        }
    }

    /// Bits of the codes of columns and rows: at least 1.
    pub fn planes(self) -> u32 {
        u32::BITS - self.shared.max(self.row_only()).leading_zeros()
    }

    /// Code of a row that matches every column, for kernels that can tell it from sets: all bits of
    /// the codes, so that a kernel compiled for a number of bits serves all alphabets that need as
    /// many.
    pub fn wildcard(self) -> u32 {
        if self.sets {
            self.shared + 1
        } else {
            (self.shared + 3).next_power_of_two() - 1
        }
    }
}

/// Two sequences in dense codes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Encoded {
    /// Codes of the rows, each in `1..=shared + 1`.
    pub a: Vec<u32>,
    /// Codes of the columns, each in `0..=shared`.
    pub b: Vec<u32>,
    pub alphabet: Alphabet,
}

/// [`Encoded`] sequences, or parts of them.
#[derive(Clone, Copy, Debug)]
pub struct Codes<'a> {
    pub a: &'a [u32],
    pub b: &'a [u32],
    pub alphabet: Alphabet,
}

/// A code with sets. It is equal to those that match it, so equality is not transitive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SetCode {
    set: u32,
    /// `None` if codes have no numbers.
    number: Option<u32>,
}

impl SetCode {
    pub(crate) fn all(codes: &[u32], alphabet: Alphabet) -> Vec<Self> {
        let bits = alphabet.number_bits;
        let parts = |&code: &u32| Self {
            set: code >> bits,
            number: (bits > 0).then_some(code & ((1 << bits) - 1)),
        };
        codes.iter().map(parts).collect()
    }
}

impl PartialEq for SetCode {
    fn eq(&self, other: &Self) -> bool {
        self.set & other.set != 0 || self.number.is_some() && self.number == other.number
    }
}

/// Maximum bits of sets without numbers, which GPUs take: a kernel has a match mask for each code.
pub(crate) const MAX_SETS: usize = 7;

impl Encoded {
    /// Assigns codes in order of first appearance in `a`. Cost: one table lookup per symbol.
    pub fn new<S: Symbol>(a: &[S], b: &[S]) -> Self {
        if S::MATCHES_OTHERS {
            return Self::of_letters(a, b);
        }
        match table_len(a, b) {
            Some(len) => Self::by_table(a, b, len),
            None => Self::by_hash(a, b),
        }
    }

    /// `len` exceeds the places of all symbols.
    fn by_table<S: Symbol>(a: &[S], b: &[S], len: usize) -> Self {
        let in_b = seen([b], len);
        let symbols = in_b.iter().filter(|&&seen| seen).count() as u32;
        let mut codes = vec![NONE_IN_B; len];
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
        Self {
            a,
            b,
            alphabet: shared.into(),
        }
    }

    /// [`new`](Self::new) on the threads of the engine, or on this thread if the input is too short
    /// for them.
    pub(crate) fn by<S: Symbol>(engine: &Engine, a: &[S], b: &[S]) -> Self {
        if Self::takes_one_thread(a, b) {
            Self::new(a, b)
        } else {
            engine.on_threads(|| Self::new(a, b))
        }
    }

    /// Whether the input is too short for parallel encoding.
    fn takes_one_thread<S>(a: &[S], b: &[S]) -> bool {
        a.len() + b.len() <= TASK_SYMBOLS
    }

    fn by_hash<S: Symbol>(a: &[S], b: &[S]) -> Self {
        let in_b = alphabet::Alphabet::of([b]);
        let mut codes = alphabet::Alphabet::default();
        for &symbol in a.iter().filter(|&&symbol| in_b.code(symbol.place()) > 0) {
            codes.add(symbol.place());
        }
        let shared = codes.codes() as u32;
        let code = |&symbol: &S| codes.code(symbol.place());
        let row = |symbol: &S| row_code(code(symbol), shared);
        Self {
            a: a.iter().map(row).collect(),
            b: b.iter().map(code).collect(),
            alphabet: shared.into(),
        }
    }

    /// Codes of symbols that match others: bit sets of the groups with members in both sequences.
    /// Symbols of no group that both have are further bits of the sets if these are
    /// [few](MAX_SETS), else numbers.
    fn of_letters<S: Symbol>(a: &[S], b: &[S]) -> Self {
        let (in_a, in_b) = (distinct(a), distinct(b));
        let groups = |of: &[S]| of.iter().fold(0, |all, symbol| all | symbol.groups());
        let shared_groups = groups(&in_a) & groups(&in_b);
        let groups: Vec<_> = (0..u32::BITS)
            .filter(|group| shared_groups >> group & 1 == 1)
            .collect();
        let is_lone = |one: &&S| one.groups() == 0 && in_b.iter().any(|other| one.is_same(*other));
        let lone: Vec<_> = in_a.iter().filter(is_lone).collect();
        let (bits, numbered) = if !groups.is_empty() && groups.len() + lone.len() <= MAX_SETS {
            (&lone[..], None)
        } else {
            (&[][..], Some(&lone[..]))
        };
        let alphabet = match numbered {
            Some(numbered) if groups.is_empty() => Alphabet::from(numbered.len() as u32),
            numbered => {
                // With numbers that of rows that no column matches is one more.
                let numbers = numbered.map_or(0, |numbered| numbered.len() as u32 + 1);
                let bits = (groups.len() + bits.len()) as u32;
                Alphabet::of_sets(bits, u32::BITS - numbers.leading_zeros())
            }
        };
        let code = |symbol: S, other: u32| {
            let of_groups = groups.iter().map(|group| symbol.groups() >> group & 1 == 1);
            let alone = bits.iter().map(|one| one.is_same(symbol));
            let set = (0..).zip(of_groups.chain(alone));
            let set = set.fold(0, |set, (bit, is_set)| set | u32::from(is_set) << bit);
            let Some(numbered) = numbered else {
                return set;
            };
            let number = (1..).zip(numbered).find(|(_, one)| one.is_same(symbol));
            set << alphabet.number_bits | number.map_or(other, |(number, _)| number)
        };
        let codes = |symbols: &[S], other: u32| {
            let mut recent = [const { (usize::MAX, NONE_IN_B) }; RECENT];
            let code = |&symbol: &S| {
                let index = symbol.place();
                let known = &mut recent[index % RECENT];
                if known.0 != index {
                    *known = (index, code(symbol, other));
                }
                known.1
            };
            symbols.iter().map(code).collect()
        };
        let (a, b) = join(|| codes(a, alphabet.row_only()), || codes(b, NONE_IN_B));
        Self { a, b, alphabet }
    }

    pub fn codes(&self) -> Codes<'_> {
        Codes {
            a: &self.a,
            b: &self.b,
            alphabet: self.alphabet,
        }
    }

    pub(crate) fn pair(&self) -> Pair<'_, u32> {
        Pair::new(&self.a, &self.b)
    }
}

/// Length of a lookup table for these symbols; `None` if it would be much longer than they are.
fn table_len<S: Symbol>(a: &[S], b: &[S]) -> Option<usize> {
    /// A table that is always worth its time.
    const SHORT: usize = 1 << 12;
    if S::TABLE > 0 {
        return Some(S::TABLE);
    }
    let greatest = |symbols: &[S]| symbols.iter().map(|symbol| symbol.place()).max();
    let len = greatest(a).max(greatest(b)).map_or(0, |index| index + 1);
    (len <= SHORT.max(a.len() + b.len())).then_some(len)
}

fn looked_up<S: Symbol>(symbols: &[S], table: &[u32]) -> Vec<u32> {
    // A fixed length removes the bounds checks.
    let len = if S::TABLE > 0 { S::TABLE } else { table.len() };
    let table = &table[..len];
    let code = |&symbol: &S| table[symbol.place()];
    collect_ranges(symbols.len(), TASK_SYMBOLS, |range| {
        symbols[range].iter().map(code)
    })
}

/// Symbols whose codes are kept while others are encoded, by the low bits of their place.
const RECENT: usize = 1 << 8;

/// One of each kind of symbol.
pub(crate) fn distinct<S: Symbol>(symbols: &[S]) -> Vec<S> {
    let mut recent = [const { usize::MAX }; RECENT];
    let mut kinds = HashMap::new();
    for &symbol in symbols {
        let index = symbol.place();
        if std::mem::replace(&mut recent[index % RECENT], index) != index {
            kinds.insert(index, symbol);
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_unstable_by_key(|&(index, _)| index);
    kinds.into_iter().map(|(_, symbol)| symbol).collect()
}

/// Symbols per parallel task.
pub(crate) const TASK_SYMBOLS: usize = 1 << 15;

fn row_code(code: u32, shared: u32) -> u32 {
    if code == NONE_IN_B { shared + 1 } else { code }
}
