// substring/codes: the codes of all texts in one array, BITS bits each, so that 32 of them fill BITS words.
BINDING(4, const u32, codes)

// The word that a code begins in, and its bit there.
DEVICE u32x2 place_of(u32 position) {
    const u32 bit = (position & 31u) * BITS;
    return {(position >> 5u) * BITS + (bit >> 5u), bit & 31u};
}

// 32 bits of the codes, so many words behind a place.
DEVICE u32 bits_from(const Arguments& at, u32x2 place, u32 words) {
    const u32 word = place.x + words;
    return __funnelshift_r(codes(at)[word], codes(at)[word + 1u], place.y);
}

DEVICE u32 code_at(const Arguments& at, u32 position) {
    return bits_from(at, place_of(position), 0u) & select((1u << (BITS & 31u)) - 1u, 0xffffffffu, BITS == 32u);
}

// Whether 32 bits of the codes from two places on differ, or as many as a window of `end` has there: whole words and bits.
DEVICE bool differ(const Arguments& at, u32x2 one, u32x2 other, u32 word, u32x2 end) {
    const u32 bits = bits_from(at, one, word) ^ bits_from(at, other, word);
    return (bits & select((1u << end.y) - 1u, 0xffffffffu, word < end.x)) != 0u;
}
