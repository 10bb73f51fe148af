// parenthesization/value_f32: single-precision costs, for approximate trees with real weights.
//
// Needs:    operators.wgsl.
// Twins:    value_f64.wgsl, value_u64.wgsl, value_u32.wgsl, value_limbs.wgsl.
alias Value = f32;
const OVERFLOW = 0x1.fffffep+127f;
const LOWEST = -0x1.fffffep+127f;

fn value(x: u32) -> Value {
    return f32(x);
}

fn low(x: Value) -> u32 {
    return u32(x);
}

fn product(a: u32, b: u32) -> Value {
    return f32(a) * f32(b);
}

fn root(x: Value) -> Value {
    return sqrt(x);
}
