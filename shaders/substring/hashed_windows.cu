// substring/hashed_windows: keys of windows of any length: polynomial hashes modulo 2^61 - 1 (Karp
// and Rabin 1987, doi:10.1147/rd.312.0249).
//
// Text, prefixes, params, rolling: as in hashed_windows.wgsl.
BINDING(0, const u32, tail)
BINDING(1, const u32, head)
BINDING(2, const u64, tail_prefixes)
BINDING(3, const u64, head_prefixes)

struct Window {
    u32 stretch;
    u32 place;      // in the stretch
    u64 hash;
    u64 base;
};

DEVICE u32 code_bits(u32 one, u32 two, u32 shift) {
    return __funnelshift_r(one, two, shift) & select((1u << (BITS & 31u)) - 1u, 0xffffffffu, BITS == 32u);
}

// Symbol at the start of a window, counted from the start of the stretch.
DEVICE u32 first_symbol(const Arguments& at, u32 stretch, u32 place) {
    const u32 word = stretch * BITS + ((place * BITS) >> 5u);
    return code_bits(tail(at)[word], tail(at)[word + 1u], (place * BITS) & 31u);
}

// Symbol after the end of a window, counted from the stretch of that end; at most 63.
template <class P> DEVICE u32 next_symbol(const Arguments& at, const P& params, u32 stretch, u32 place) {
    const u32 word = (stretch + params.head) * BITS + ((place * BITS) >> 5u);
    return code_bits(head(at)[word], head(at)[word + 1u], (place * BITS) & 31u);
}

DEVICE u64 append(u64 hash, u64 base, u32 symbol) {
    return add(multiply(hash, base), symbol);
}

template <class P> DEVICE Window first_window(const Arguments& at, const P& params, u32 stretch) {
    const u64 base = from_limbs(atomicLoad(&control(at)[BASE]), atomicLoad(&control(at)[BASE + 1u]));
    const u64 before = multiply(tail_prefixes(at)[stretch], from_limbs(params.power_low, params.power_high));
    u64 hash = head_prefixes(at)[stretch + params.head];
    for (u32 place = 0u; place < params.rest; place++) {
        hash = append(hash, base, next_symbol(at, params, stretch, place));
    }
    return {stretch, 0u, subtract(hash, before), base};
}

template <class P> DEVICE void move_to(const Arguments& at, const P& params, Window& window, u32 place) {
    const u64 power = from_limbs(params.power_low, params.power_high);
    for (; window.place < place; window.place++) {
        const u64 rolled = append(window.hash, window.base, next_symbol(at, params, window.stretch, params.rest + window.place));
        window.hash = subtract(rolled, multiply(first_symbol(at, window.stretch, window.place), power));
    }
}

template <class P> DEVICE u64 key_of(const Arguments& at, const P& params, const Window& window) {
    return window.hash;
}
