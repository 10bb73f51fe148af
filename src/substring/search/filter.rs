//! Interface of window filters, and window keys.

use super::super::texts::Code;
use super::alphabet::Alphabet;
use super::hash;
use super::prefixes::{STRIDE, extend};
use crate::error::Result;

/// A window that may occur in enough texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Survivor {
    /// Equal windows have equal keys.
    pub key: u64,
    pub text: usize,
    pub position: usize,
}

/// Output of a filter.
#[derive(Clone, Debug, Default)]
pub struct Survivors {
    /// All survivors, or a sample: all windows of some keys, and windows at some positions.
    pub list: Vec<Survivor>,
    /// Whether the list is complete.
    pub complete: bool,
}

/// Window length and hash base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Symbols per window.
    pub length: usize,
    pub base: u64,
}

impl Windows {
    /// Number of windows of a text.
    pub fn count(&self, symbols: usize) -> usize {
        (symbols + 1).saturating_sub(self.length)
    }

    /// The base to the power of the length: the weight of a symbol when it leaves the window.
    pub fn power(&self) -> u64 {
        hash::power(self.base, self.length)
    }
}

/// Finds the windows of one length that may occur in enough texts. False positives are allowed,
/// false negatives are not.
pub trait Filter {
    /// The surviving windows; a sample if there are more than the filter's capacity, unless `all`
    /// is set.
    fn survivors(&mut self, windows: Windows, all: bool)
    -> impl Future<Output = Result<Survivors>>;

    /// Estimated work for one length, in cells.
    fn cells(&self, windows: Windows) -> u64;

    /// Number of windows hashed so far.
    fn windows(&self) -> u64;

    /// Runs host work on the survivors.
    fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        work()
    }
}

/// Default capacity of the list of survivors.
pub const CAPACITY: usize = 1 << 20;
/// Target size of each of the two samples, over all texts.
const SAMPLE: usize = 1 << 15;

/// Sample size per text for a list of `capacity` entries.
pub fn sample(capacity: usize, texts: usize) -> u64 {
    (SAMPLE.min(capacity / 4) / texts.max(1)).max(1) as u64
}

/// Sampling rates, as negated binary logarithms. Sampling by key selects the same keys in all
/// texts; sampling by position covers texts with few keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Rate of the sample by key.
    pub keys: u32,
    /// Rates of the samples by position, one per text.
    pub positions: Vec<u32>,
}

impl Shares {
    /// No sampling.
    pub fn whole(texts: usize) -> Self {
        Self {
            keys: 0,
            positions: vec![0; texts],
        }
    }

    /// Rates for the survivors of each text; no sampling if all fit.
    pub fn of(left: &[u64], capacity: usize) -> Self {
        let (total, sample) = (left.iter().sum::<u64>(), sample(capacity, left.len()));
        if total <= capacity as u64 {
            return Self::whole(left.len());
        }
        let share =
            |left: u64, sample: u64| left.div_ceil(sample).next_power_of_two().trailing_zeros();
        let positions = left.iter().map(|&left| share(left, sample)).collect();
        Self {
            keys: share(total, sample.saturating_mul(left.len() as u64)),
            positions,
        }
    }
}

/// Computes the keys of a text's windows; consecutive windows are rolled.
#[derive(Clone, Debug)]
pub struct Keys<'a, C: Code> {
    text: &'a [C],
    windows: Windows,
    form: Form<'a>,
    /// The window whose key is in `key`.
    at: usize,
    key: u64,
}

/// Representation of keys. Packed: concatenated codes under a mask. Hashed: polynomial hash from
/// prefix hashes; `power` is the weight of a symbol when it leaves the window.
#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Packed { mask: u64, alphabet: &'a Alphabet },
    Hashed { power: u64, prefixes: &'a [u64] },
}

/// Maximum distance at which rolling is cheaper than computing a key anew.
const MAX_ROLL: usize = 16;

impl<'a, C: Code> Keys<'a, C> {
    /// Keys of windows of one length: packed codes if they fit 64 bits, else hashes.
    pub fn new(
        text: &'a [C],
        alphabet: &'a Alphabet,
        windows: Windows,
        power: u64,
        prefixes: &'a [u64],
    ) -> Self {
        if !alphabet.packs(windows.length) {
            return Self::hashed(text, windows, power, prefixes);
        }
        let unused = u64::BITS - windows.length as u32 * alphabet.bits;
        Self::of(
            text,
            windows,
            Form::Packed {
                mask: u64::MAX >> unused,
                alphabet,
            },
        )
    }

    /// Hashed keys. `prefixes` are the prefix hashes at multiples of `STRIDE`.
    pub fn hashed(text: &'a [C], windows: Windows, power: u64, prefixes: &'a [u64]) -> Self {
        Self::of(text, windows, Form::Hashed { power, prefixes })
    }

    fn of(text: &'a [C], windows: Windows, form: Form<'a>) -> Self {
        // Out of rolling distance of every window.
        Self {
            text,
            windows,
            form,
            at: usize::MAX / 2,
            key: 0,
        }
    }

    /// The key of a window; cheap shortly after the window of the last call.
    #[inline(always)]
    pub fn key(&mut self, position: usize) -> u64 {
        if position.wrapping_sub(self.at) > MAX_ROLL {
            self.key = self.direct(position);
        } else {
            for next in self.at + 1..=position {
                self.key = self.rolled(next);
            }
        }
        self.at = position;
        self.key
    }

    /// The key of a window from the key of its predecessor.
    #[inline(always)]
    fn rolled(&self, position: usize) -> u64 {
        let last = self.text[position + self.windows.length - 1];
        match self.form {
            Form::Packed { mask, alphabet } => {
                ((self.key << alphabet.bits) & mask) | u64::from(alphabet.code(last))
            }
            Form::Hashed { power, .. } => {
                let out = hash::multiply(u64::from(self.text[position - 1].number()), power);
                hash::subtract(extend(self.key, self.windows.base, &[last]), out)
            }
        }
    }

    fn direct(&self, position: usize) -> u64 {
        let end = position + self.windows.length;
        match self.form {
            Form::Packed { alphabet, .. } => {
                let codes = self.text[position..end]
                    .iter()
                    .map(|&symbol| u64::from(alphabet.code(symbol)));
                codes.fold(0, |key, code| (key << alphabet.bits) | code)
            }
            Form::Hashed { power, prefixes } => {
                let before = hash::multiply(self.prefix(prefixes, position), power);
                hash::subtract(self.prefix(prefixes, end), before)
            }
        }
    }

    /// The hash of the first `symbols` symbols.
    fn prefix(&self, prefixes: &[u64], symbols: usize) -> u64 {
        let stride = symbols / STRIDE;
        extend(
            prefixes[stride],
            self.windows.base,
            &self.text[stride * STRIDE..symbols],
        )
    }
}
