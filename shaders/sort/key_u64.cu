// sort/key_u64: keys of two words, the low one first.
//
// Digits:   never span both words.
// Twin:     key_u32.cu.
typedef u32x2 Key;

constexpr u32 KEY_WORDS = 2u;
// Greatest in every digit.
__device__ constexpr Key GREATEST = {0xffffffffu, 0xffffffffu};

DEVICE u32 digit_of(Key key, u32 shift, u32 mask) {
    return (select(key.x, key.y, shift >= 32u) >> (shift & 31u)) & mask;
}

DEVICE u32 word_of(Key key, u32 word) {
    return select(key.x, key.y, word == 1u);
}

DEVICE Key with_word(Key key, u32 word, u32 value) {
    return select(Key{value, key.y}, Key{key.x, value}, word == 1u);
}
