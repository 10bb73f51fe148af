// sort/key_u32: keys of one word.
//
// Twin:     key_u64.cu.
typedef u32 Key;

constexpr u32 KEY_WORDS = 1u;
// Greatest in every digit.
constexpr Key GREATEST = 0xffffffffu;

DEVICE u32 digit_of(Key key, u32 shift, u32 mask) {
    return (key >> shift) & mask;
}

DEVICE u32 word_of(Key key, u32 word) {
    return key;
}

DEVICE Key with_word(Key key, u32 word, u32 value) {
    return value;
}
