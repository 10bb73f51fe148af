// parenthesization/value_u32: 32-bit integer costs, if no cost and no input exceeds 32 bits.
//
// Needs:    operators.cu.
// Twins:    value_u64.cu, value_limbs.cu, value_f32.cu, value_f64.cu, value_whole.cu.
typedef u32 Value;
typedef u32 Factor;
constexpr Value OVERFLOW = ~0u;
constexpr Value LOWEST = 0u;

DEVICE Value value(u32 x) {
    return x;
}

DEVICE u32 low(Value x) {
    return x;
}

// Order-preserving map to integers.
DEVICE u64 order_of(Value x) {
    return x;
}

DEVICE Factor factor(Value x) {
    return x;
}

DEVICE Value product(Factor a, Factor b) {
    return a * b;
}
