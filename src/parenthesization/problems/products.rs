//! Weights that are a product of three factors: matrix chains and polygons.

use crate::error::{Error, Result};
use crate::host::simd::array;
use crate::parenthesization::problem::{Shader, Split};
use crate::parenthesization::value::Value;

/// The weight; [`Value::OVERFLOW`] if it does not fit.
#[inline(always)]
pub(super) fn weight<V: Value>(factors: &[V], i: usize, k: usize, j: usize) -> V {
    let zero = [i, k, j].into_iter().any(|index| factors[index] == V::ZERO);
    if zero {
        V::ZERO
    } else {
        factors[i].times(factors[k]).times(factors[j])
    }
}

/// Product of the three greatest factors.
pub(super) fn greatest_weight<V: Value>(factors: &[V]) -> V {
    let mut greatest = [V::ZERO; 3];
    for &factor in factors {
        let mut factor = factor;
        for kept in &mut greatest {
            if factor > *kept {
                std::mem::swap(kept, &mut factor);
            }
        }
    }
    greatest[0].times(greatest[1]).times(greatest[2])
}

/// Scales real factors by a power of two, so that products of three neither overflow nor lose two
/// of them to underflow; returns the exponent of the products. The greatest factor becomes about 1,
/// or more if the least would become too small.
pub(super) fn scale<V: Value>(factors: &mut [V]) -> Result<i32> {
    let Some((least, greatest)) = exponents(factors) else {
        return Ok(0);
    };
    let span = greatest - least;
    let min_exponent = if span <= SINGLE_SPAN {
        MIN_SINGLE_EXPONENT
    } else {
        MIN_EXPONENT
    };
    let top = (span - min_exponent).max(0);
    if top > MAX_EXPONENT {
        return Err(Error::InvalidWeight {
            what: "the weights".to_string(),
            reason: "the greatest is more than 2^840 times the least: set the least to 0"
                .to_string(),
        });
    }
    factors
        .iter_mut()
        .for_each(|factor| *factor = factor.scaled(top - greatest));
    Ok(3 * (greatest - top))
}

/// Least and greatest binary exponent of the factors above 0.
fn exponents<V: Value>(factors: &[V]) -> Option<(i32, i32)> {
    let exponents = || {
        factors
            .iter()
            .filter(|&&factor| factor > V::ZERO)
            .map(|factor| factor.exponent())
    };
    exponents().min().zip(exponents().max())
}

/// Returns `true` if single precision holds all products and their sums.
fn fit_single<V: Value>(factors: &[V]) -> bool {
    exponents(factors).is_none_or(|(least, greatest)| greatest - least <= SINGLE_SPAN)
}

/// The product of three factors of 2^-42 is still a normal number in single precision.
const MIN_SINGLE_EXPONENT: i32 = 41;
/// 2^31 products of three factors of 2^31, which is 72 - 41, can be summed in single precision.
const SINGLE_SPAN: i32 = 72;
/// The product of two factors of 2^-511 is still a normal double.
const MIN_EXPONENT: i32 = 510;
/// 2^31 products of three factors of 2^330 can be summed without overflow.
const MAX_EXPONENT: i32 = 330;

/// Returns `true` if every product of two factors is below 2^32.
pub(super) fn are_narrow<V: Value>(factors: &[V]) -> bool {
    V::as_integers(factors).is_some_and(|factors| factors.iter().all(|&factor| factor < 1 << 16))
}

/// The shader, with 32-bit products if all factors are narrow.
pub(super) fn shader<V: Value>(factors: &[V], narrow: bool) -> Shader {
    let points = factors.len();
    let stem = if narrow {
        NARROW
    } else {
        "parenthesization/wide_product"
    };
    // If no cost exceeds one word, or 2^53, a device factor is a full value: it holds the product
    // of all three, or one of them is zero.
    let shader = Shader::library(stem, points.saturating_sub(1), points).with_narrow(NARROW);
    if fit_single(factors) {
        shader
    } else {
        shader.without_single(
            "the greatest is more than 2^72 times the least, which single precision cannot hold: \
             ask for the precision 'exact', or set the least to 0",
        )
    }
}

/// Part with 32-bit products of two factors.
const NARROW: &str = "parenthesization/narrow_product";

/// [`Problem::relax`](crate::parenthesization::Problem::relax) for minimization.
#[inline(always)]
pub(super) fn relax<V: Value, const N: usize>(
    factors: &[V],
    narrow: bool,
    Split { i, k, j }: Split,
    left: [V; N],
    right: [&[V]; N],
    best: &mut [V],
) {
    let last = &factors[j..j + best.len()];
    let pairs: [V; N] = array(|n| factors[i].wrapping_times(factors[k + n]));
    if narrow {
        relax_by(pairs, V::narrow_times, last, left, right, best)
    } else {
        relax_by(pairs, V::wrapping_times, last, left, right, best)
    }
}

#[inline(always)]
fn relax_by<V: Value, const N: usize>(
    pairs: [V; N],
    times: impl Fn(V, V) -> V,
    last: &[V],
    left: [V; N],
    right: [&[V]; N],
    best: &mut [V],
) {
    let length = best.len();
    let last = &last[..length];
    let right = right.map(|row| &row[..length]);
    for index in 0..length {
        let mut least = best[index];
        for n in 0..N {
            let cost = left[n]
                .wrapping_plus(right[n][index])
                .wrapping_plus(times(pairs[n], last[index]));
            least = if cost < least { cost } else { least };
        }
        best[index] = least;
    }
}
