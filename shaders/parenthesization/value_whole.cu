// parenthesization/value_whole: integer costs in double precision, if no cost and no input reaches
// 2^53.
//
// Exact:    as in value_whole.wgsl.
// Needs:    operators.cu.
// Twins:    value_u64.cu, value_u32.cu, value_limbs.cu, value_f32.cu, value_f64.cu.
typedef f64 Value;
typedef f64 Factor;
constexpr Value OVERFLOW = 1.7976931348623157e308;
constexpr Value LOWEST = 0.0;

DEVICE Value value(u32 x) {
    return __uint2double_rn(x);
}

DEVICE u32 low(Value x) {
    return __double2uint_rz(x);
}

// Order-preserving map to integers.
DEVICE u64 order_of(Value x) {
    return __double_as_longlong(x);
}

DEVICE Factor factor(Value x) {
    return x;
}

// An unevaluated product, so that it fuses with the following sum into one instruction.
struct Product {
    Factor a;
    Factor b;
};

DEVICE Value plus(Value a, Product product) {
    return __fma_rn(product.a, product.b, a);
}

DEVICE Product product(Factor a, Factor b) {
    return {a, b};
}
