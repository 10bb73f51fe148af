// pairs/strings: the bit planes of strings, 32 symbols per word.
//
// Strings: planes of codes, [word][plane]. The last symbol is in the highest bit of the last word. Code
//          0 is the padding of the first word, and of rows outside the query.
alias Planes = array<u32, PLANES>;

@group(0) @binding(0) var<storage, read> strings: array<u32>;

// Planes of a word of a string of `words` words.
fn load(first: u32, words: i32, word: i32) -> Planes {
    var planes = Planes();
    if word >= 0 && word < words {
        for (var plane = 0u; plane < PLANES; plane++) {
            planes[plane] = strings[(first + u32(word)) * PLANES + plane];
        }
    }
    return planes;
}

// Bits `shift` to `shift` + 31 of two words.
fn joined(low: u32, high: u32, shift: u32) -> u32 {
    return (low >> shift) | ((high << 1u) << (31u - shift));
}

// A plane's bit of column k of a word, in all rows.
fn spread(plane: u32, k: u32) -> u32 {
    return bitcast<u32>(bitcast<i32>(plane << (31u - k)) >> 31u);
}
