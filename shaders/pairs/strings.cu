// pairs/strings: the bit planes of strings, 32 symbols per word.
//
// Strings: as in strings.wgsl.
typedef Words<PLANES> Planes;

BINDING(0, const u32, strings)

// Planes of a word of a string of `words` words.
DEVICE Planes load(const Arguments& at, u32 first, i32 words, i32 word) {
    Planes planes;
    const bool is_inside = word >= 0 && word < words;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        planes[plane] = is_inside ? strings(at)[(first + u32(word)) * PLANES + plane] : 0u;
    }
    return planes;
}

// Bits `shift` to `shift` + 31 of two words.
DEVICE u32 joined(u32 low, u32 high, u32 shift) { return low >> shift | high << 1u << (31u - shift); }

// A plane's bit of column k of a word, in all rows.
DEVICE u32 spread(u32 plane, u32 k) { return u32(i32(plane << (31u - k)) >> 31); }
