// parenthesization/value_u64: native 64-bit integer costs.
//
// Checked:  with CHECKED, sums and products that overflow become OVERFLOW and stay so.
// Twins:    value_u32.wgsl, value_limbs.wgsl, value_f32.wgsl, value_f64.wgsl, value_whole.wgsl.
alias Value = u64;
alias Factor = u32;
const OVERFLOW = 0xfffffffffffffffflu;
const LOWEST = 0lu;

fn value(x: u32) -> Value {
    return u64(x);
}

fn low(x: Value) -> u32 {
    return u32(x);
}

fn factor(x: Value) -> Factor {
    return low(x);
}

fn less(a: Value, b: Value) -> bool {
    return a < b;
}

fn plus(a: Value, b: Value) -> Value {
    let sum = a + b;
    if CHECKED == 1u {
        return select(sum, OVERFLOW, sum < a);
    }
    return sum;
}

// Requires a >= b.
fn minus(a: Value, b: Value) -> Value {
    return a - b;
}

fn product(a: Factor, b: Factor) -> Value {
    return u64(a) * u64(b);
}

fn plus_product(cost: Value, a: Factor, b: Factor) -> Value {
    return plus(cost, product(a, b));
}

fn times(a: Value, b: Value) -> Value {
    if CHECKED == 0u {
        return a * b;
    }
    let a_high = u32(a >> 32u);
    let b_high = u32(b >> 32u);
    // Either one high half is zero, or the product overflows.
    let cross = product(a_high, low(b)) + product(low(a), b_high);
    let rest = product(low(a), low(b));
    let sum = rest + (cross << 32u);
    let over = (a_high != 0u && b_high != 0u) || (cross >> 32u) != 0lu || sum < rest;
    return select(sum, OVERFLOW, over);
}
