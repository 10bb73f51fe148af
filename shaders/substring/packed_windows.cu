// substring/packed_windows: keys of windows of at most 64 bits: their packed codes.
//
// Text, params: as in packed_windows.wgsl.
BINDING(0, const u32, tail)

struct Window {
    u32 stretch;
    u32 place;      // in the stretch
};

template <class P> DEVICE Window first_window(const Arguments& at, const P& params, u32 stretch) {
    return {stretch, 0u};
}

template <class P> DEVICE void move_to(const Arguments& at, const P& params, Window& window, u32 place) {
    window.place = place;
}

template <class P> DEVICE u64 key_of(const Arguments& at, const P& params, const Window& window) {
    const u32 bit = window.place * BITS;
    const u32 word = window.stretch * BITS + (bit >> 5u);
    const u32 shift = bit & 31u;
    const u32 one = tail(at)[word];
    const u32 two = tail(at)[word + 1u];
    const u32 three = tail(at)[word + 2u];
    const u64 bits = (static_cast<u64>(__funnelshift_r(two, three, shift)) << 32u) | __funnelshift_r(one, two, shift);
    return bits & select((1ull << (params.rest & 63u)) - 1u, ~0ull, params.rest >= 64u);
}
