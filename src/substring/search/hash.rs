//! Polynomial hashes modulo the Mersenne prime 2^61 - 1, with a random base.
//!
//! Two different windows of `L` symbols collide for at most `L` of the 2^61 - 1 bases, whatever
//! their content; hashes modulo 2^64 would fail on Thue-Morse words.
//!
//! Source: Karp and Rabin, "Efficient randomized pattern-matching algorithms" (1987),
//! doi:10.1147/rd.312.0249.

/// The modulus.
pub const MODULUS: u64 = (1 << 61) - 1;

/// `a + b`, both below the modulus.
pub fn add(a: u64, b: u64) -> u64 {
    let sum = a + b;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

/// `a - b`, both below the modulus.
pub fn subtract(a: u64, b: u64) -> u64 {
    if a >= b { a - b } else { a + MODULUS - b }
}

/// `a * b`, both below the modulus.
pub fn multiply(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    let (low, high) = (product as u64 & MODULUS, (product >> 61) as u64);
    add_reduced(low, high)
}

/// The sum of two numbers up to and including the modulus.
fn add_reduced(low: u64, high: u64) -> u64 {
    let sum = low + high;
    if sum >= MODULUS { sum - MODULUS } else { sum }
}

/// `base` to the power of `exponent`.
pub fn power(base: u64, exponent: usize) -> u64 {
    let (mut power, mut square, mut left) = (1, base, exponent);
    while left > 0 {
        if left & 1 == 1 {
            power = multiply(power, square);
        }
        square = multiply(square, square);
        left >>= 1;
    }
    power
}

/// One step of the splitmix64 generator (Steele et al. 2014).
pub fn mix(number: u64) -> u64 {
    let mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The hash base of a seed, greater than every symbol.
pub fn base(seed: u64) -> u64 {
    let above = 1 << 32;
    above + mix(seed) % (MODULUS - above)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modular_arithmetic_matches_128_bit_integers() {
        let numbers = [
            0,
            1,
            2,
            0xffff_ffff,
            1 << 32,
            MODULUS / 2,
            MODULUS - 2,
            MODULUS - 1,
            base(1),
            base(2),
        ];
        let wide = |number: u128| (number % u128::from(MODULUS)) as u64;
        for a in numbers {
            for b in numbers {
                let (x, y) = (u128::from(a), u128::from(b));
                assert_eq!(multiply(a, b), wide(x * y), "{a} * {b}");
                assert_eq!(add(a, b), wide(x + y), "{a} + {b}");
                assert_eq!(
                    subtract(a, b),
                    wide(x + u128::from(MODULUS) - y),
                    "{a} - {b}"
                );
            }
            assert_eq!(power(a, 0), 1);
            assert_eq!(power(a, 5), (0..5).fold(1, |power, _| multiply(power, a)));
        }
    }
}
