//! Weights that are a product of three numbers, one for each point of the split: matrix chains and polygons alike.

use crate::error::{Error, Result};
use crate::parenthesization::problem::Shader;
use crate::parenthesization::value::Value;

/// The weight, or the mark of one that does not fit.
#[inline(always)]
pub(super) fn weight<V: Value>(factors: &[V], (i, k, j): (usize, usize, usize)) -> V {
    let zero = [i, k, j].into_iter().any(|place| factors[place] == V::ZERO);
    if zero {
        V::ZERO
    } else {
        factors[i].times(factors[k]).times(factors[j])
    }
}

/// The product of the three greatest.
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

/// Scales real factors by a power of two, so that no product of three overflows and no two vanish in one; gives the power
/// that products are counted in. The greatest becomes about 1, or more where the least would be too small.
///
/// # Errors
/// [`Error::InvalidWeight`] where the factors are too far apart.
pub(super) fn scale<V: Value>(factors: &mut [V]) -> Result<i32> {
    let exponents = || {
        factors
            .iter()
            .filter(|&&factor| factor > V::ZERO)
            .map(|factor| factor.exponent())
    };
    let (Some(least), Some(greatest)) = (exponents().min(), exponents().max()) else {
        return Ok(0);
    };
    let top = (greatest - least - LEAST_EXPONENT).max(0);
    if top > GREATEST_EXPONENT {
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

/// Two factors of 2^-511 have a product that is no less than the least normal number of double precision.
const LEAST_EXPONENT: i32 = 510;
/// The products of three factors of 2^330 can be summed up 2^31 times.
const GREATEST_EXPONENT: i32 = 330;

/// Whether every product of two factors is below 2^32.
pub(super) fn are_narrow<V: Value>(factors: &[V]) -> bool {
    V::as_integers(factors).is_some_and(|factors| factors.iter().all(|&factor| factor < 1 << 16))
}

/// With 32-bit products where two factors always fit.
pub(super) fn shader(narrow: bool, points: usize) -> Shader {
    let stem = if narrow {
        NARROW
    } else {
        "parenthesization/wide_product"
    };
    // Where no cost passes one word, or 2^53, a factor of the device is a value: it holds the product of all three, or one of them is zero.
    Shader::part(stem, points.saturating_sub(1), points).narrowed_to(NARROW)
}

/// The part for two factors whose product is one.
const NARROW: &str = "parenthesization/narrow_product";

/// As [`Problem::relax`](crate::parenthesization::Problem::relax), for a minimum.
#[inline(always)]
pub(super) fn relax<V: Value, const N: usize>(
    (factors, narrow): (&[V], bool),
    (i, k, j): (usize, usize, usize),
    left: [V; N],
    right: [&[V]; N],
    best: &mut [V],
) {
    let last = &factors[j..j + best.len()];
    let pairs: [V; N] = std::array::from_fn(|n| factors[i].wrapping_times(factors[k + n]));
    match narrow {
        true => relax_by(pairs, V::narrow_times, last, left, right, best),
        false => relax_by(pairs, V::wrapping_times, last, left, right, best),
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
    for place in 0..length {
        let mut least = best[place];
        for n in 0..N {
            let cost = left[n]
                .wrapping_plus(right[n][place])
                .wrapping_plus(times(pairs[n], last[place]));
            least = if cost < least { cost } else { least };
        }
        best[place] = least;
    }
}
