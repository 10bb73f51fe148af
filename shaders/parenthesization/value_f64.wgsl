// parenthesization/value_f64: double-precision costs, for real weights.
//
// Rounding: every sum and product is rounded separately, in the CPU's order, so costs are equal bit
//           for bit. The bound on a product keeps compilers from fusing it with the following sum.
// Twins:    value_f32.wgsl, value_u64.wgsl, value_u32.wgsl, value_limbs.wgsl.
alias Value = f64;
const OVERFLOW = 1.7976931348623157e308lf;
const LOWEST = -1.7976931348623157e308lf;

fn value(x: u32) -> Value {
    return f64(x);
}

fn low(x: Value) -> u32 {
    return u32(x);
}

fn less(a: Value, b: Value) -> bool {
    return a < b;
}

fn plus(a: Value, b: Value) -> Value {
    return a + b;
}

fn minus(a: Value, b: Value) -> Value {
    return a - b;
}

fn product(a: u32, b: u32) -> Value {
    return f64(a) * f64(b);
}

fn times(a: Value, b: Value) -> Value {
    return min(a * b, OVERFLOW);
}

fn root(x: Value) -> Value {
    return sqrt(x);
}
