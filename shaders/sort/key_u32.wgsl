// sort/key_u32: keys of one word.
//
// Twin:     key_u64.wgsl.
alias Key = u32;

const KEY_WORDS = 1u;
// Greatest in every digit.
const GREATEST = 0xffffffffu;

fn digit_of(key: Key, shift: u32, mask: u32) -> u32 {
    return (key >> shift) & mask;
}

fn word_of(key: Key, word: u32) -> u32 {
    return key;
}

fn with_word(key: Key, word: u32, value: u32) -> Key {
    return value;
}
