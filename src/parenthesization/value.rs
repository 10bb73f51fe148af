//! Cost types and device arithmetics.

use std::fmt::{Debug, Display};

use crate::measure::ceiling::Numbers;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u64 {}
    impl Sealed for f64 {}
}

/// Type of costs: `u64` (exact, never wraps) or `f64`. Sealed.
///
/// [`Problem`](super::Problem) has an example of user-defined weights.
pub trait Value:
    Copy + PartialOrd + PartialEq + Debug + Display + Send + Sync + sealed::Sealed + 'static
{
    /// Zero.
    const ZERO: Self;
    /// Marker of every sum that does not fit; greater than every cost.
    const OVERFLOW: Self;
    /// Lower bound of all costs.
    const LOWEST: Self;

    /// The sum; [`OVERFLOW`](Self::OVERFLOW) if it does not fit.
    fn plus(self, other: Self) -> Self;
    /// The sum, which must fit.
    #[inline(always)]
    fn wrapping_plus(self, other: Self) -> Self {
        self.plus(other)
    }
    /// The product; [`OVERFLOW`](Self::OVERFLOW) if it does not fit.
    fn times(self, other: Self) -> Self;
    /// The product, which must fit.
    #[inline(always)]
    fn wrapping_times(self, other: Self) -> Self {
        self.times(other)
    }
    /// The product of two factors below 2^32; one instruction less on most processors.
    #[inline(always)]
    fn narrow_times(self, other: Self) -> Self {
        self.times(other)
    }
    /// The value of an integer; 0 for real values, whose bounds need no check.
    fn wide(self) -> u128 {
        0
    }
    /// The values, if they are integers.
    fn as_integers(_values: &[Self]) -> Option<&[u64]> {
        None
    }
    /// Returns `true` if it can be a weight: finite and not negative.
    fn is_weight(self) -> bool;
    /// The difference of two sums, the greater first.
    fn minus(self, other: Self) -> Self;
    /// Returns `true` if it marks a sum that did not fit.
    fn overflowed(self) -> bool;
    /// Returns `true` if both are the same cost up to rounding, for sums of `terms` additions in
    /// any order.
    fn agrees(self, other: Self, terms: usize, arithmetic: Arithmetic) -> bool;
    /// The value times 2 to the power of `exponent`; integers are unchanged.
    fn scaled(self, exponent: i32) -> Self;
    /// Binary exponent of the next power of two at or above the value, for [`Self::scaled`]; 0 for
    /// integers and zero.
    fn exponent(self) -> i32;
    /// Appends the value as words of an arithmetic.
    fn to_words(self, arithmetic: Arithmetic, words: &mut Vec<u32>);
    /// Reads a value from the words of an arithmetic.
    ///
    /// # Panics
    /// If there are fewer than [`Arithmetic::words`].
    fn from_words(words: &[u32], arithmetic: Arithmetic) -> Self;
    /// The arithmetic on the CPU.
    const ON_CPU: Arithmetic;
    /// Whether it is a real number.
    const REAL: bool;
}

/// Required precision of a GPU for real weights. Integers are always exact, and the CPU always has
/// double precision.
///
/// ```
/// use swath::parenthesization::{Arithmetic, Precision, WeightedPolygon};
/// use swath::{Engine, Options, Parenthesize};
///
/// let polygon = WeightedPolygon::new(vec![0.5, 1.0, 2.0, 4.0])?;
/// let task = Parenthesize::of(&polygon).precision(Precision::Single);
/// let report = Engine::new(Options::default())?.run(&task)?;
/// // So few corners run on the CPU, in double precision.
/// assert_eq!((report.cost, report.arithmetic), (5.0, Arithmetic::F64));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// Double precision: optimal up to the rounding of the sums.
    #[default]
    Exact,
    /// Single precision: an approximate answer, for devices without fast double precision. Weights
    /// that it cannot hold are [`Error::InvalidWeight`](crate::Error::InvalidWeight).
    Single,
}

/// Arithmetic of a table. Integer costs use any that is exact for all sums of the problem.
///
/// [`Precision`] has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Arithmetic {
    /// 32-bit integers.
    U32,
    /// 64-bit integers.
    U64,
    /// 64-bit integers as two 32-bit limbs.
    Limbs,
    /// Double precision.
    F64,
    /// Single precision.
    F32,
}

impl Arithmetic {
    /// 32-bit words per value.
    pub fn words(self) -> usize {
        if matches!(self, Arithmetic::U32 | Arithmetic::F32) {
            1
        } else {
            2
        }
    }

    /// Returns `true` if its tree may be worse than the best one by more than the rounding of
    /// double precision.
    pub fn is_approximate(self) -> bool {
        self == Arithmetic::F32
    }

    /// The greatest cost, as text for error messages.
    pub fn greatest(self) -> &'static str {
        match self {
            Arithmetic::U32 => "2^32 - 2",
            Arithmetic::U64 | Arithmetic::Limbs => "2^64 - 2",
            Arithmetic::F64 => "1.79e308",
            Arithmetic::F32 => "3.4e38, the greatest in single precision",
        }
    }

    /// Returns `true` if all integers up to `greatest` are exact.
    pub(crate) fn holds(self, greatest: u128) -> bool {
        match self {
            Arithmetic::U32 => greatest < u128::from(u32::MAX),
            Arithmetic::F64 => greatest < 1 << f64::MANTISSA_DIGITS,
            Arithmetic::U64 | Arithmetic::Limbs => true,
            Arithmetic::F32 => false,
        }
    }

    /// Returns `true` if a sum of `terms` additions with this binary exponent may be wrong by a
    /// factor, because its terms are below the normal numbers of single precision.
    pub(crate) fn loses(self, exponent: i32, terms: usize) -> bool {
        let terms = terms.max(1).ilog2() as i32;
        self == Arithmetic::F32 && exponent < f32::MIN_EXP + f32::MANTISSA_DIGITS as i32 + terms
    }

    /// Maximum relative error of an operation, and maximum absolute error in the subnormal range.
    fn rounding(self) -> (f64, f64) {
        match self {
            Arithmetic::F32 => (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE)),
            _ => (f64::EPSILON, f64::MIN_POSITIVE),
        }
    }
}

impl From<Arithmetic> for Numbers {
    fn from(arithmetic: Arithmetic) -> Self {
        match arithmetic {
            Arithmetic::U64 | Arithmetic::Limbs => Numbers::Wide,
            Arithmetic::U32 | Arithmetic::F64 => Numbers::Narrow,
            Arithmetic::F32 => Numbers::Single,
        }
    }
}

impl Value for u64 {
    const ZERO: Self = 0;
    const OVERFLOW: Self = u64::MAX;
    const LOWEST: Self = 0;
    const ON_CPU: Arithmetic = Arithmetic::U64;
    const REAL: bool = false;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }

    #[inline(always)]
    fn wrapping_plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self.saturating_mul(other)
    }

    #[inline(always)]
    fn wrapping_times(self, other: Self) -> Self {
        self.wrapping_mul(other)
    }

    #[inline(always)]
    fn narrow_times(self, other: Self) -> Self {
        (self & u64::from(u32::MAX)) * (other & u64::from(u32::MAX))
    }

    fn wide(self) -> u128 {
        u128::from(self)
    }

    fn as_integers(values: &[Self]) -> Option<&[u64]> {
        Some(values)
    }

    fn is_weight(self) -> bool {
        true
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.wrapping_sub(other)
    }

    fn overflowed(self) -> bool {
        self == Self::OVERFLOW
    }

    fn agrees(self, other: Self, _terms: usize, _arithmetic: Arithmetic) -> bool {
        self == other
    }

    fn scaled(self, _exponent: i32) -> Self {
        self
    }

    fn exponent(self) -> i32 {
        0
    }

    fn to_words(self, arithmetic: Arithmetic, words: &mut Vec<u32>) {
        match arithmetic {
            Arithmetic::U32 => words.push(self as u32),
            Arithmetic::F64 => (self as f64).to_words(arithmetic, words),
            _ => words.extend([self as u32, (self >> 32) as u32]),
        }
    }

    fn from_words(words: &[u32], arithmetic: Arithmetic) -> Self {
        match arithmetic {
            Arithmetic::U32 => u64::from(words[0]),
            Arithmetic::F64 => f64::from_words(words, arithmetic) as u64,
            _ => u64::from(words[0]) | u64::from(words[1]) << 32,
        }
    }
}

impl Value for f64 {
    const ZERO: Self = 0.0;
    const OVERFLOW: Self = f64::INFINITY;
    const LOWEST: Self = f64::NEG_INFINITY;
    const ON_CPU: Arithmetic = Arithmetic::F64;
    const REAL: bool = true;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self * other
    }

    fn is_weight(self) -> bool {
        self.is_finite() && self >= 0.0
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self - other
    }

    fn overflowed(self) -> bool {
        !self.is_finite()
    }

    fn agrees(self, other: Self, terms: usize, arithmetic: Arithmetic) -> bool {
        // A tree of n leaves has at most 2n terms, summed in two orders, each term a few
        // operations.
        let scale = self.abs().max(other.abs());
        let (relative, absolute) = arithmetic.rounding();
        (self - other).abs() <= (scale * relative + absolute) * (8 + 4 * terms) as f64
    }

    fn scaled(self, exponent: i32) -> Self {
        let (mut value, mut rest) = (self, exponent);
        while rest != 0 {
            let step = rest.clamp(-1022, 1023);
            value *= f64::from_bits(((1023 + step) as u64) << 52);
            rest -= step;
        }
        value
    }

    fn exponent(self) -> i32 {
        let biased = |value: f64| (value.to_bits() >> 52 & 0x7ff) as i32;
        match biased(self) {
            _ if self == 0.0 => 0,
            // Subnormal numbers.
            0 => biased(self.scaled(64)) - 64 - 1022,
            exponent => exponent - 1022,
        }
    }

    fn to_words(self, arithmetic: Arithmetic, words: &mut Vec<u32>) {
        match arithmetic {
            Arithmetic::F32 => words.push((self as f32).to_bits()),
            _ => self.to_bits().to_words(Arithmetic::Limbs, words),
        }
    }

    fn from_words(words: &[u32], arithmetic: Arithmetic) -> Self {
        let (value, greatest) = match arithmetic {
            Arithmetic::F32 => (f64::from(f32::from_bits(words[0])), f64::from(f32::MAX)),
            _ => (
                f64::from_bits(u64::from_words(words, Arithmetic::Limbs)),
                f64::MAX,
            ),
        };
        if value.abs() >= greatest {
            f64::INFINITY
        } else {
            value
        }
    }
}
