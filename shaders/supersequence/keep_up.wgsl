// supersequence/keep_up: keeps one bit a cell: whether the path may come from the cell above; 32 rows a word.
@group(0) @binding(4) var<storage, read_write> up_words: array<u32>;    // [blocks of rows][tiles][COLUMNS]

fn keep_up(place: u32, up: u32) {
    up_words[place] = up;
}
