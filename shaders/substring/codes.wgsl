// substring/codes: the codes of all texts in one array, BITS bits each, so that 32 of them fill BITS words.
@group(0) @binding(4) var<storage, read> codes: array<u32>;

// The word that a code begins in, and its bit there.
fn place_of(position: u32) -> vec2<u32> {
    let bit = (position & 31u) * BITS;
    return vec2<u32>((position >> 5u) * BITS + (bit >> 5u), bit & 31u);
}

// 32 bits of the codes, so many words behind a place.
fn bits_from(place: vec2<u32>, words: u32) -> u32 {
    let word = place.x + words;
    return (codes[word] >> place.y) | ((codes[word + 1u] << 1u) << (31u - place.y));
}

fn code_at(position: u32) -> u32 {
    return bits_from(place_of(position), 0u) & select((1u << (BITS & 31u)) - 1u, 0xffffffffu, BITS == 32u);
}

// Whether 32 bits of the codes from two places on differ, or as many as a window of `end` has there: whole words and bits.
fn differ(one: vec2<u32>, other: vec2<u32>, word: u32, end: vec2<u32>) -> bool {
    let bits = bits_from(one, word) ^ bits_from(other, word);
    return (bits & select((1u << end.y) - 1u, 0xffffffffu, word < end.x)) != 0u;
}
