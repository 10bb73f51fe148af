// bit_parallel/match_planes: match masks of a column from bit planes in registers.
//
// Planes:   bit i of plane p is bit p of the code of row i. A column's code bits are splat to all
//           ones or all zeros; a row matches if all planes agree: one three-input operation per
//           plane, no table. With SETS a code is a set of planes, and a row matches if it has a plane
//           in common with the column.
// Columns:  [plane][columns / 32], with LANES words of padding (code 0) before and after each
//           direction.
// Wild:     rows with code WILD match every column; WILD = 0 means none.
// Needs:    codes below 2^PLANES; rows that match nothing have a code that no column has, or with
//           SETS code 0.
// Twin:     match_table.wgsl, for small alphabets.
// [plane][direction, strip][limb][lane]
@group(0) @binding(1) var<storage, read> row_planes: array<u32>;
// [plane][direction][columns / 32]
@group(0) @binding(2) var<storage, read> column_planes: array<u32>;

struct Rows {
    planes: array<u32, PLANES * LIMBS>,
    wild: array<u32, LIMBS>,
}
alias Codes = array<u32, PLANES>;
alias Block = array<u32, PLANES>;
alias Column = array<u32, PLANES>;

fn load_rows(strip: u32, lane: u32, strips: u32) -> Rows {
    var rows: Rows;
    for (var plane = 0u; plane < PLANES; plane++) {
        for (var limb = 0u; limb < LIMBS; limb++) {
            rows.planes[plane * LIMBS + limb] = row_planes[((plane * strips + strip) * LIMBS + limb) * LANES + lane];
        }
    }
    for (var limb = 0u; limb < LIMBS; limb++) {
        rows.wild[limb] = select(0u, ~0u, WILD != 0u);
        for (var plane = 0u; plane < PLANES; plane++) {
            rows.wild[limb] &= rows.planes[plane * LIMBS + limb] ^ select(~0u, 0u, ((WILD >> plane) & 1u) == 1u);
        }
    }
    return rows;
}

fn load_codes(unit: u32) -> Codes {
    let stride = arrayLength(&column_planes) / PLANES;
    let column = unit * UNIT;
    var codes: Codes;
    for (var plane = 0u; plane < PLANES; plane++) {
        codes[plane] = column_planes[plane * stride + column / 32u] >> (column % 32u);
    }
    return codes;
}

// Code bits of the eight columns from column k on.
fn block_of(codes: Codes, k: u32) -> Block {
    var block: Block;
    for (var plane = 0u; plane < PLANES; plane++) {
        block[plane] = codes[plane] >> k;
    }
    return block;
}

fn open_column(rows: ptr<function, Rows>, block: Block, k: u32) -> Column {
    var splat: Column;
    for (var plane = 0u; plane < PLANES; plane++) {
        splat[plane] = bitcast<u32>(bitcast<i32>(block[plane] << (31u - k)) >> 31u);
    }
    return splat;
}

fn matching(rows: ptr<function, Rows>, column: ptr<function, Column>, limb: u32, v: u32) -> u32 {
    var rest = v;
    if SETS != 0u {
        var found = 0u;
        for (var plane = 0u; plane < PLANES; plane++) {
            found |= (*rows).planes[plane * LIMBS + limb] & (*column)[plane];
        }
        rest &= found;
    } else {
        for (var plane = 0u; plane < PLANES; plane++) {
            rest &= ~((*rows).planes[plane * LIMBS + limb] ^ (*column)[plane]);
        }
    }
    if WILD != 0u {
        rest |= v & (*rows).wild[limb];
    }
    return rest;
}
