// bit_parallel/match_table: match masks of a column from a table in workgroup memory.
//
// Table:    wg_masks[code][limb vector][lane]. Lanes are adjacent, so no two lanes of a phase
//           conflict on a bank, whatever their codes. Code 0 matches no row.
// Columns:  one byte per code, with LANES words of padding (code 0) before and after each
//           direction.
// Sets:     with SETS a code is a set of planes: see match_planes.wgsl.
// Wild:     code of rows that match every column, 0 for none: see match_planes.wgsl.
// Needs:    SYMBOLS <= 255; LIMB_WIDTH divides LIMBS; CODE_WIDTH * 4 = UNIT. LIMB_WIDTH and
//           CODE_WIDTH are the components of LimbVector and CodeVector.
// Twin:     match_planes.wgsl, for alphabets of any size.
const VECTORS = LIMBS / LIMB_WIDTH;

// [plane][direction, strip][limb][lane]
@group(0) @binding(1) var<storage, read> row_planes: array<u32>;
// [direction][columns / UNIT]
@group(0) @binding(2) var<storage, read> column_codes: array<CodeVector>;

var<workgroup> wg_masks: array<LimbVector, (SYMBOLS + 1u) * VECTORS * LANES>;

struct Rows {
    lane: u32,
}
alias Codes = CodeVector;
alias Block = vec2<u32>;
alias Column = array<LimbVector, VECTORS>;

fn load_rows(strip: u32, lane: u32, strips: u32) -> Rows {
    for (var vector = 0u; vector < VECTORS; vector++) {
        var planes: array<LimbVector, PLANES>;
        for (var plane = 0u; plane < PLANES; plane++) {
            let first = ((plane * strips + strip) * LIMBS + vector * LIMB_WIDTH) * LANES + lane;
            for (var i = 0u; i < LIMB_WIDTH; i++) {
                planes[plane][i] = row_planes[first + i * LANES];
            }
        }
        var wild = LimbVector(0u);
        if WILD != 0u {
            wild = LimbVector(~0u);
            for (var plane = 0u; plane < PLANES; plane++) {
                wild &= planes[plane] ^ LimbVector(select(~0u, 0u, ((WILD >> plane) & 1u) == 1u));
            }
        }
        wg_masks[vector * LANES + lane] = wild;
        for (var symbol = 1u; symbol <= SYMBOLS; symbol++) {
            var mask = LimbVector(select(~0u, 0u, SETS != 0u));
            for (var plane = 0u; plane < PLANES; plane++) {
                let bits = LimbVector(select(0u, ~0u, ((symbol >> plane) & 1u) == 1u));
                if SETS != 0u {
                    mask |= planes[plane] & bits;
                } else {
                    mask &= ~(planes[plane] ^ bits);
                }
            }
            wg_masks[(symbol * VECTORS + vector) * LANES + lane] = mask | wild;
        }
    }
    return Rows(lane);
}

fn load_codes(unit: u32) -> Codes {
    return column_codes[unit];
}

// Codes of the eight columns from column k on.
fn block_of(codes: Codes, k: u32) -> Block {
    return Block(codes[k / 4u], codes[k / 4u + 1u]);
}

fn open_column(rows: ptr<function, Rows>, block: Block, k: u32) -> Column {
    let code = (block[k / 4u] >> (8u * (k % 4u))) & 255u;
    let first = code * (VECTORS * LANES) + (*rows).lane;
    var column: Column;
    for (var vector = 0u; vector < VECTORS; vector++) {
        column[vector] = wg_masks[first + vector * LANES];
    }
    return column;
}

fn matching(rows: ptr<function, Rows>, column: ptr<function, Column>, limb: u32, v: u32) -> u32 {
    return v & (*column)[limb / LIMB_WIDTH][limb % LIMB_WIDTH];
}
