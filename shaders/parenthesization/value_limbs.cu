// parenthesization/value_limbs: 64-bit costs in two limbs, x the low one.
//
// Checked:  with CHECKED, sums and products that overflow become OVERFLOW and stay so.
// Branches: none, as in value_limbs.wgsl.
// Twins:    value_u64.cu, value_u32.cu, value_f32.cu, value_f64.cu, value_whole.cu.
typedef u32x2 Value;
typedef u32 Factor;
__device__ constexpr Value OVERFLOW = {0xffffffffu, 0xffffffffu};
__device__ constexpr Value LOWEST = {0u, 0u};

DEVICE Value value(u32 x) {
    return {x, 0u};
}

DEVICE u32 low(Value x) {
    return x.x;
}

// Order-preserving map to integers.
DEVICE u64 order_of(Value x) {
    return u64(x.y) << 32u | x.x;
}

DEVICE Factor factor(Value x) {
    return low(x);
}

DEVICE bool less(Value a, Value b) {
    return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

// x, or OVERFLOW if `over` is set and CHECKED.
DEVICE Value held(Value x, bool over) {
    return x | select(0u, 0xffffffffu, over & (CHECKED == 1u));
}

DEVICE Value plus(Value a, Value b) {
    const u32 x = a.x + b.x;
    const u32 partial = a.y + b.y;
    const u32 y = partial + select(0u, 1u, x < a.x);
    return held({x, y}, (partial < a.y) | (y < partial));
}

// Requires a >= b.
DEVICE Value minus(Value a, Value b) {
    return {a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x)};
}

DEVICE Value product(Factor a, Factor b) {
    return {a * b, __umulhi(a, b)};
}

DEVICE Value times(Value a, Value b) {
    const Value rest = product(a.x, b.x);
    if (CHECKED == 0u) {
        return {rest.x, rest.y + a.y * b.x + a.x * b.y};
    }
    // Either one high limb is zero, or the product overflows.
    const Value cross = plus(product(a.y, b.x), product(a.x, b.y));
    const u32 y = rest.y + cross.x;
    return held({rest.x, y}, ((a.y != 0u) & (b.y != 0u)) | (cross.y != 0u) | (y < rest.y));
}
