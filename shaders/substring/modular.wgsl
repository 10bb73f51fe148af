// substring/modular: arithmetic modulo 2^61 - 1, on two limbs, the low one first.
//
// Results are fully reduced, so equal numbers have equal limbs.
const HIGH_LIMB = 0x1fffffffu;    // the bits of the modulus above the low limb

// 64-bit product by halves.
fn wide(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let left = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let right = (a & 0xffffu) * (b >> 16u) + (left & 0xffffu);
    return vec2<u32>((right << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (left >> 16u) + (right >> 16u));
}

// a + b; each may equal the modulus.
fn add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    let high = a.y + b.y + u32(low < a.x);
    let folded = low + (high >> 29u);
    let sum = vec2<u32>(folded, (high & HIGH_LIMB) + u32(folded < low));
    return select(sum, vec2<u32>(0u), sum.x == 0xffffffffu && sum.y == HIGH_LIMB);
}

fn subtract(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return add(a, vec2<u32>(~b.x, ~b.y & HIGH_LIMB));
}

// Adds the bits of the product below 2^61 to those above.
fn reduce(x0: u32, x1: u32, x2: u32, x3: u32) -> vec2<u32> {
    return add(vec2<u32>(x0, x1 & HIGH_LIMB), vec2<u32>((x1 >> 29u) | (x2 << 3u), (x2 >> 29u) | (x3 << 3u)));
}

fn multiply(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = wide(a.x, b.x);
    let left = wide(a.x, b.y);
    let right = wide(a.y, b.x);
    let high = wide(a.y, b.y);
    let middle = left.x + right.x;
    // Both are below 2^61, so their sum has no third limb.
    let above = left.y + right.y + u32(middle < left.x);
    let x1 = low.y + middle;
    let x2 = above + high.x;
    let x2_carried = x2 + u32(x1 < middle);
    return reduce(low.x, x1, x2_carried, high.y + u32(x2 < above) + u32(x2_carried < x2));
}

fn multiply_symbol(symbol: u32, b: vec2<u32>) -> vec2<u32> {
    let low = wide(symbol, b.x);
    let high = wide(symbol, b.y);
    let x1 = low.y + high.x;
    return reduce(low.x, x1, high.y + u32(x1 < high.x), 0u);
}

fn power(base: vec2<u32>, exponent: u32) -> vec2<u32> {
    var result = vec2<u32>(1u, 0u);
    var square = base;
    for (var left = exponent; left > 0u; left >>= 1u) {
        if (left & 1u) == 1u {
            result = multiply(result, square);
        }
        square = multiply(square, square);
    }
    return result;
}
