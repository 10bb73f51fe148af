// parenthesization/value_u32: costs in 32-bit integers, where no cost and no input has more bits.
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

// Its place among all values: of the lesser one less, of equal ones the same.
DEVICE u64 order_of(Value x) {
    return x;
}

DEVICE Factor factor(Value x) {
    return x;
}

DEVICE Value product(Factor a, Factor b) {
    return a * b;
}
