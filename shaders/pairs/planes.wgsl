// pairs/planes: match masks of a lane's own query, from bit planes of its codes in registers.
//
// Planes:   bit i of plane p is bit p of the code of row i. A row matches a column if all planes
//           agree: no table, so lanes may have different queries.
// Codes:    one byte each. 0 is padding, which no target has; symbols that no query has share a code
//           of their own.
// Wild:     the guard row of an edit distance, and padding rows if the first row is 0 (ENDS = 2).
// Part of:  pairs/entries.wgsl.
struct Rows {
    planes: array<u32, PLANES * LIMBS>,
    wild: array<u32, LIMBS>,
}
alias Block = vec2<u32>;
alias Column = array<u32, PLANES>;

fn open_column(rows: ptr<function, Rows>, block: Block, k: u32) -> Column {
    var splat: Column;
    for (var plane = 0u; plane < PLANES; plane++) {
        splat[plane] = bitcast<u32>(bitcast<i32>(block[k / 4u] << (31u - 8u * (k % 4u) - plane)) >> 31u);
    }
    return splat;
}

fn matching(rows: ptr<function, Rows>, column: ptr<function, Column>, limb: u32, v: u32) -> u32 {
    var rest = v;
    for (var plane = 0u; plane < PLANES; plane++) {
        rest &= ~((*rows).planes[plane * LIMBS + limb] ^ (*column)[plane]);
    }
    if VERTICAL == 2u {
        rest |= v & select(GUARD, (*rows).wild[limb], ENDS == 2u);
    }
    return rest;
}

fn keep_limb(limb: u32, carries: Carries) {}
