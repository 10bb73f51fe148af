// parenthesization/value_u64: native 64-bit integer costs.
//
// Checked:  with CHECKED, sums and products that overflow become OVERFLOW and stay so.
// Twins:    value_u32.cu, value_limbs.cu, value_f32.cu, value_f64.cu, value_whole.cu.
typedef u64 Value;
typedef u32 Factor;
constexpr Value OVERFLOW = ~0ull;
constexpr Value LOWEST = 0ull;

DEVICE Value value(u32 x) {
    return x;
}

DEVICE u32 low(Value x) {
    return static_cast<u32>(x);
}

// Order-preserving map to integers.
DEVICE u64 order_of(Value x) {
    return x;
}

DEVICE Factor factor(Value x) {
    return low(x);
}

DEVICE bool less(Value a, Value b) {
    return a < b;
}

DEVICE Value plus(Value a, Value b) {
    const Value sum = a + b;
    if (CHECKED == 1u) {
        return select(sum, OVERFLOW, sum < a);
    }
    return sum;
}

// Requires a >= b.
DEVICE Value minus(Value a, Value b) {
    return a - b;
}

// Forces one instruction: for a u64 hoisted out of a loop the compiler does not know that its upper
//                         half is zero.
DEVICE Value product(Factor a, Factor b) {
    u64 wide;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(a), "r"(b));
    return wide;
}

DEVICE Value times(Value a, Value b) {
    const bool over = CHECKED == 1u && __umul64hi(a, b) != 0ull;
    return select(a * b, OVERFLOW, over);
}
