// parenthesization/value_f32: single-precision costs, for approximate trees with real weights.
//
// Needs:    operators.cu.
// Twins:    value_f64.cu, value_u64.cu, value_u32.cu, value_limbs.cu.
typedef f32 Value;
constexpr Value OVERFLOW = 0x1.fffffep+127f;
constexpr Value LOWEST = -0x1.fffffep+127f;

DEVICE Value value(u32 x) {
    return __uint2float_rn(x);
}

DEVICE u32 low(Value x) {
    return __float2uint_rz(x);
}

// Order-preserving map to integers.
DEVICE u64 order_of(Value x) {
    // Adding +0 turns -0 into +0, which compares equal.
    const u32 bits = __float_as_uint(__fadd_rn(x, 0.0f));
    return bits ^ (bits >> 31u != 0u ? ~0u : 1u << 31u);
}

DEVICE Value product(u32 a, u32 b) {
    return value(a) * value(b);
}

DEVICE Value root(Value x) {
    return __fsqrt_rn(x);
}
