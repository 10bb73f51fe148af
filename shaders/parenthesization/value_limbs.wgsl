// parenthesization/value_limbs: 64-bit costs in two limbs, x the low one, for devices without
// 64-bit integers.
//
// Checked:  with CHECKED, sums and products that overflow become OVERFLOW and stay so.
// Branches: none. A tile has about a hundred sums, and compilers that keep a branch for each take
//           minutes.
// Twins:    value_u64.wgsl, value_u32.wgsl, value_f32.wgsl, value_f64.wgsl, value_whole.wgsl.
alias Value = vec2<u32>;
alias Factor = u32;
const OVERFLOW = vec2<u32>(0xffffffffu, 0xffffffffu);
const LOWEST = vec2<u32>(0u, 0u);

fn value(x: u32) -> Value {
    return vec2<u32>(x, 0u);
}

fn low(x: Value) -> u32 {
    return x.x;
}

fn factor(x: Value) -> Factor {
    return low(x);
}

fn less(a: Value, b: Value) -> bool {
    return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

// x, or OVERFLOW if `over` is set and CHECKED.
fn held(x: Value, over: bool) -> Value {
    return x | vec2<u32>(select(0u, 0xffffffffu, over & (CHECKED == 1u)));
}

fn plus(a: Value, b: Value) -> Value {
    let x = a.x + b.x;
    let partial = a.y + b.y;
    let y = partial + select(0u, 1u, x < a.x);
    return held(vec2<u32>(x, y), (partial < a.y) | (y < partial));
}

// Requires a >= b.
fn minus(a: Value, b: Value) -> Value {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

// By 16-bit halves: no sum of a product and a half exceeds 32 bits.
fn product(a: Factor, b: Factor) -> Value {
    let rest = (a & 0xffffu) * (b & 0xffffu);
    let upper = (a >> 16u) * (b & 0xffffu) + (rest >> 16u);
    let lower = (a & 0xffffu) * (b >> 16u) + (upper & 0xffffu);
    return vec2<u32>((lower << 16u) | (rest & 0xffffu), (a >> 16u) * (b >> 16u) + (upper >> 16u) + (lower >> 16u));
}

fn plus_product(cost: Value, a: Factor, b: Factor) -> Value {
    return plus(cost, product(a, b));
}

fn times(a: Value, b: Value) -> Value {
    let rest = product(a.x, b.x);
    if CHECKED == 0u {
        return vec2<u32>(rest.x, rest.y + a.y * b.x + a.x * b.y);
    }
    // Either one high limb is zero, or the product overflows.
    let cross = plus(product(a.y, b.x), product(a.x, b.y));
    let y = rest.y + cross.x;
    return held(vec2<u32>(rest.x, y), ((a.y != 0u) & (b.y != 0u)) | (cross.y != 0u) | (y < rest.y));
}
