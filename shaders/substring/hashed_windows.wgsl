// substring/hashed_windows: keys of windows of any length: polynomial hashes modulo 2^61 - 1 (Karp
// and Rabin 1987, doi:10.1147/rd.312.0249).
//
// Text:     as in packed_windows.wgsl; for chunked texts `tail` holds the starts of windows and
//           `head` their ends.
// Prefixes: hash of all symbols of the text before each stretch of 32.
// Params:   head: stretch of the first window's end minus the stretch of its start, each in its
//           chunk; rest: symbols of the length beyond whole stretches; power: base^length.
// Rolling:  hash' = hash * base + next - first * base^length.
@group(0) @binding(0) var<storage, read> tail: array<u32>;
@group(0) @binding(1) var<storage, read> head: array<u32>;
@group(0) @binding(2) var<storage, read> tail_prefixes: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read> head_prefixes: array<vec2<u32>>;

struct Window {
    stretch: u32,
    place: u32,     // in the stretch
    hash: vec2<u32>,
    base: vec2<u32>,
}

fn code_bits(one: u32, two: u32, shift: u32) -> u32 {
    let code = (one >> shift) | ((two << 1u) << (31u - shift));
    return code & select((1u << (BITS & 31u)) - 1u, 0xffffffffu, BITS == 32u);
}

// Symbol at the start of a window, counted from the start of the stretch.
fn first_symbol(stretch: u32, place: u32) -> u32 {
    let word = stretch * BITS + ((place * BITS) >> 5u);
    return code_bits(tail[word], tail[word + 1u], (place * BITS) & 31u);
}

// Symbol after the end of a window, counted from the stretch of that end; at most 63.
fn next_symbol(stretch: u32, place: u32) -> u32 {
    let word = (stretch + params.head) * BITS + ((place * BITS) >> 5u);
    return code_bits(head[word], head[word + 1u], (place * BITS) & 31u);
}

fn append(hash: vec2<u32>, base: vec2<u32>, symbol: u32) -> vec2<u32> {
    return add(multiply(hash, base), vec2<u32>(symbol, 0u));
}

fn first_window(stretch: u32) -> Window {
    let base = vec2<u32>(atomicLoad(&control[BASE]), atomicLoad(&control[BASE + 1u]));
    let before = multiply(tail_prefixes[stretch], vec2<u32>(params.power_low, params.power_high));
    var hash = head_prefixes[stretch + params.head];
    for (var place = 0u; place < params.rest; place++) {
        hash = append(hash, base, next_symbol(stretch, place));
    }
    return Window(stretch, 0u, subtract(hash, before), base);
}

fn move_to(window: ptr<function, Window>, place: u32) {
    let stretch = (*window).stretch;
    let base = (*window).base;
    var hash = (*window).hash;
    for (var at = (*window).place; at < place; at++) {
        let rolled = append(hash, base, next_symbol(stretch, params.rest + at));
        let first = multiply_symbol(first_symbol(stretch, at), vec2<u32>(params.power_low, params.power_high));
        hash = subtract(rolled, first);
    }
    (*window).hash = hash;
    (*window).place = place;
}

fn key_of(window: ptr<function, Window>) -> vec2<u32> {
    return (*window).hash;
}
