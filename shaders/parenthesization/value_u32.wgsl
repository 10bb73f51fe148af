// parenthesization/value_u32: 32-bit integer costs, if no cost and no input exceeds 32 bits.
//
// Needs:    operators.wgsl.
// Twins:    value_u64.wgsl, value_limbs.wgsl, value_f32.wgsl, value_f64.wgsl, value_whole.wgsl.
alias Value = u32;
alias Factor = u32;
const OVERFLOW = 0xffffffffu;
const LOWEST = 0u;

fn value(x: u32) -> Value {
    return x;
}

fn low(x: Value) -> u32 {
    return x;
}

fn factor(x: Value) -> Factor {
    return x;
}

fn product(a: Factor, b: Factor) -> Value {
    return a * b;
}

fn plus_product(cost: Value, a: Factor, b: Factor) -> Value {
    return cost + a * b;
}
