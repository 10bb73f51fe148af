// substring/codes: codes of all texts in one array, BITS bits each; 32 codes fill BITS words.
BINDING(4, const u32, codes)

// Word and bit at which a code begins.
DEVICE u32x2 place_of(u32 position) {
    const u32 bit = (position & 31u) * BITS;
    return {(position >> 5u) * BITS + (bit >> 5u), bit & 31u};
}

// 32 bits of the codes, `words` words after `place`.
DEVICE u32 bits_from(const Arguments& at, u32x2 place, u32 words) {
    const u32 word = place.x + words;
    return __funnelshift_r(codes(at)[word], codes(at)[word + 1u], place.y);
}

DEVICE u32 code_at(const Arguments& at, u32 position) {
    return bits_from(at, place_of(position), 0u) & select((1u << (BITS & 31u)) - 1u, 0xffffffffu, BITS == 32u);
}

// True if 32 bits of two windows differ. `end` is the length of the windows in words and bits; bits
// after it are ignored.
DEVICE bool differ(const Arguments& at, u32x2 one, u32x2 other, u32 word, u32x2 end) {
    const u32 bits = bits_from(at, one, word) ^ bits_from(at, other, word);
    return (bits & select((1u << end.y) - 1u, 0xffffffffu, word < end.x)) != 0u;
}
