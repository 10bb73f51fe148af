// parenthesization/value_f64: double-precision costs, for real weights.
//
// Rounding: every sum and product is rounded separately, in the CPU's order, so costs are equal bit
//           for bit.
// Twins:    value_f32.cu, value_u64.cu, value_u32.cu, value_limbs.cu.
typedef f64 Value;
constexpr Value OVERFLOW = 1.7976931348623157e308;
constexpr Value LOWEST = -1.7976931348623157e308;

DEVICE Value value(u32 x) {
    return __uint2double_rn(x);
}

DEVICE u32 low(Value x) {
    return __double2uint_rz(x);
}

// Order-preserving map to integers.
DEVICE u64 order_of(Value x) {
    // Adding +0 turns -0 into +0, which compares equal.
    const u64 bits = __double_as_longlong(__dadd_rn(x, 0.0));
    return bits ^ (bits >> 63u != 0u ? ~0ull : 1ull << 63u);
}

DEVICE bool less(Value a, Value b) {
    return a < b;
}

DEVICE Value plus(Value a, Value b) {
    return __dadd_rn(a, b);
}

DEVICE Value minus(Value a, Value b) {
    return __dsub_rn(a, b);
}

DEVICE Value product(u32 a, u32 b) {
    return __dmul_rn(value(a), value(b));
}

DEVICE Value times(Value a, Value b) {
    return fmin(__dmul_rn(a, b), OVERFLOW);
}

DEVICE Value root(Value x) {
    return __dsqrt_rn(x);
}
