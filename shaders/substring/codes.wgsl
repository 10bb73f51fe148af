// substring/codes: codes of all texts in one array, BITS bits each; 32 codes fill BITS words.
@group(0) @binding(4) var<storage, read> codes: array<u32>;

// Word and bit at which a code begins.
fn place_of(position: u32) -> vec2<u32> {
    let bit = (position & 31u) * BITS;
    return vec2<u32>((position >> 5u) * BITS + (bit >> 5u), bit & 31u);
}

// 32 bits of the codes, `words` words after `place`.
fn bits_from(place: vec2<u32>, words: u32) -> u32 {
    let word = place.x + words;
    return (codes[word] >> place.y) | ((codes[word + 1u] << 1u) << (31u - place.y));
}

fn code_at(position: u32) -> u32 {
    return bits_from(place_of(position), 0u) & select((1u << (BITS & 31u)) - 1u, 0xffffffffu, BITS == 32u);
}

// True if 32 bits of two windows differ. `end` is the length of the windows in words and bits; bits
// after it are ignored.
fn differ(one: vec2<u32>, other: vec2<u32>, word: u32, end: vec2<u32>) -> bool {
    let bits = bits_from(one, word) ^ bits_from(other, word);
    return (bits & select((1u << end.y) - 1u, 0xffffffffu, word < end.x)) != 0u;
}
