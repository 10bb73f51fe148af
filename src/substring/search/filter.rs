//! What a filter of windows is.

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
    /// The text that it is in.
    pub text: usize,
    /// Where it starts there.
    pub position: usize,
}

/// What a filter has left.
#[derive(Clone, Debug, Default)]
pub struct Survivors {
    /// All of them, or a sample: of some keys all windows, and windows at some positions.
    pub list: Vec<Survivor>,
    /// Whether it is all of them.
    pub complete: bool,
}

/// How the windows of one length get their keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Windows {
    /// Symbols of a window.
    pub length: usize,
    /// The base of the hashes.
    pub base: u64,
}

impl Windows {
    /// How many a text of so many symbols has.
    pub fn count(&self, symbols: usize) -> usize {
        (symbols + 1).saturating_sub(self.length)
    }

    /// The base to the power of the length: what the first symbol of a window is worth once the next one has come.
    pub fn power(&self) -> u64 {
        hash::power(self.base, self.length)
    }
}

/// Names the windows of one length that may occur in enough texts; it never leaves out one that does.
pub trait Filter {
    /// The windows that are left: a sample where they are more than the filter lists, unless `all` are asked for.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::Error::Cancelled), and what the device returns.
    fn survivors(&mut self, windows: Windows, all: bool)
    -> impl Future<Output = Result<Survivors>>;

    /// What it announces for windows of one length, about.
    fn cells(&self, windows: Windows) -> u64;

    /// Windows whose keys it has made so far.
    fn windows(&self) -> u64;

    /// Runs what the host does with survivors.
    fn on_threads<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        work()
    }
}

/// Survivors that a filter lists at the most, where nothing is forced.
pub const CAPACITY: usize = 1 << 20;
/// Survivors that each of both ways of sampling takes of all texts, about.
const SAMPLE: usize = 1 << 15;

/// Survivors that a sample takes of a text, where so many are listed at the most, and that many texts are there.
pub fn sample(capacity: usize, texts: usize) -> u64 {
    (SAMPLE.min(capacity / 4) / texts.max(1)).max(1) as u64
}

/// Which survivors are listed: all of some keys, so that texts list the same ones, and those at some positions, where keys are few. A
/// number is the binary logarithm of a share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shares {
    /// Of the keys.
    pub keys: u32,
    /// Of the positions of each text.
    pub positions: Vec<u32>,
}

impl Shares {
    /// Everything.
    pub fn whole(texts: usize) -> Self {
        Self {
            keys: 0,
            positions: vec![0; texts],
        }
    }

    /// Those of texts with so many survivors each.
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

/// A text's windows, whose keys come one after the other.
#[derive(Clone, Debug)]
pub struct Keys<'a, C: Code> {
    text: &'a [C],
    windows: Windows,
    form: Form<'a>,
    /// The window whose key it has.
    at: usize,
    key: u64,
}

/// How a key is made: of the codes side by side, in the bits of the mask; or of the hashes of prefixes, where the power is what the
/// first symbol of a window is worth behind its end.
#[derive(Clone, Copy, Debug)]
enum Form<'a> {
    Packed { mask: u64, alphabet: &'a Alphabet },
    Hashed { power: u64, prefixes: &'a [u64] },
}

/// Windows behind another one whose keys are sooner rolled on from it than made anew.
const NEAR: usize = 16;

impl<'a, C: Code> Keys<'a, C> {
    /// Of windows of one length: their codes side by side where those fit a key, else their hashes.
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

    /// The hashes of windows of one length; `prefixes` has those of the prefixes of every [`STRIDE`] symbols.
    pub fn hashed(text: &'a [C], windows: Windows, power: u64, prefixes: &'a [u64]) -> Self {
        Self::of(text, windows, Form::Hashed { power, prefixes })
    }

    fn of(text: &'a [C], windows: Windows, form: Form<'a>) -> Self {
        // Far from every window.
        Self {
            text,
            windows,
            form,
            at: usize::MAX / 2,
            key: 0,
        }
    }

    /// The key of a window; cheap where it lies shortly behind the one that was asked for last.
    #[inline(always)]
    pub fn key(&mut self, position: usize) -> u64 {
        if position.wrapping_sub(self.at) > NEAR {
            self.key = self.anew(position);
        } else {
            for next in self.at + 1..=position {
                self.key = self.rolled(next);
            }
        }
        self.at = position;
        self.key
    }

    /// The key of a window from that of the one before it.
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

    fn anew(&self, position: usize) -> u64 {
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

    /// The hash of the first `symbols` of the text.
    fn prefix(&self, prefixes: &[u64], symbols: usize) -> u64 {
        let stride = symbols / STRIDE;
        extend(
            prefixes[stride],
            self.windows.base,
            &self.text[stride * STRIDE..symbols],
        )
    }
}
