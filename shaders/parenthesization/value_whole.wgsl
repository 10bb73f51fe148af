// parenthesization/value_whole: integer costs in double precision, if no cost and no input reaches
// 2^53.
//
// Exact:    a cost below 2^53 equals the integer result, and a rounded sum of other parts stays
//           above it.
// Needs:    operators.wgsl.
// Twins:    value_u64.wgsl, value_u32.wgsl, value_limbs.wgsl, value_f32.wgsl, value_f64.wgsl.
alias Value = f64;
alias Factor = f64;
const OVERFLOW = 1.7976931348623157e308lf;
const LOWEST = 0.0lf;

fn value(x: u32) -> Value {
    return f64(x);
}

fn low(x: Value) -> u32 {
    return u32(x);
}

fn factor(x: Value) -> Factor {
    return x;
}

fn product(a: Factor, b: Factor) -> Value {
    return a * b;
}

// In one instruction where hardware has it, exact as the sum of a product.
fn plus_product(cost: Value, a: Factor, b: Factor) -> Value {
    return fma(a, b, cost);
}
