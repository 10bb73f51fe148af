// sort/key_u64: keys of two words, the low one first, on devices with and without 64-bit integers.
//
// Digits:   never span both words.
// Twin:     key_u32.wgsl.
alias Key = vec2<u32>;

const KEY_WORDS = 2u;
// Greatest in every digit.
const GREATEST = vec2<u32>(0xffffffffu, 0xffffffffu);

fn digit_of(key: Key, shift: u32, mask: u32) -> u32 {
    return (select(key.x, key.y, shift >= 32u) >> (shift & 31u)) & mask;
}

fn word_of(key: Key, word: u32) -> u32 {
    return select(key.x, key.y, word == 1u);
}

fn with_word(key: Key, word: u32, value: u32) -> Key {
    return select(vec2<u32>(value, key.y), vec2<u32>(key.x, value), word == 1u);
}
