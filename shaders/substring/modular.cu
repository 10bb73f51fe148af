// substring/modular: arithmetic modulo 2^61 - 1.
//
// Results are fully reduced, so equal numbers have equal words.
constexpr u64 MODULUS = (1ull << 61u) - 1u;

DEVICE u64 from_limbs(u32 low, u32 high) {
    return (static_cast<u64>(high) << 32u) | low;
}

// a + b; each may equal the modulus.
DEVICE u64 add(u64 a, u64 b) {
    const u64 sum = a + b;
    const u64 folded = (sum & MODULUS) + (sum >> 61u);
    return select(folded, u64{0u}, folded == MODULUS);
}

DEVICE u64 subtract(u64 a, u64 b) {
    return add(a, MODULUS - b);
}

// Adds the bits of the product below 2^61 to those above.
DEVICE u64 multiply(u64 a, u64 b) {
    const u64 low = a * b;
    return add(low & MODULUS, (low >> 61u) | (__umul64hi(a, b) << 3u));
}

DEVICE u64 power(u64 base, u32 exponent) {
    u64 result = 1u;
    u64 square = base;
    for (u32 left = exponent; left > 0u; left >>= 1u) {
        if ((left & 1u) == 1u) {
            result = multiply(result, square);
        }
        square = multiply(square, square);
    }
    return result;
}
