// anti_diagonal/keep_up: keeps one bit a cell: whether the path may come from the cell above.
//
// Layout:   word (diagonal / 32, row) holds 32 diagonals of one row, so that lanes write neighbouring words.
@group(0) @binding(3) var<storage, read_write> up_words: array<u32>;    // [diagonals / 32][rows + 1], zero at first

fn keep_up(row: u32, up: bool) {
    if up {
        up_words[params.kept + row] |= 1u << (params.diagonal & 31u);
    }
}
