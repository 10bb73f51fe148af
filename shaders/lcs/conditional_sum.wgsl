// lcs/conditional_sum: advances every active block of one or more LCS tables by one step, with
// carries by conditional-sum addition.
//
// Recurrence (Crochemore et al. 2001, doi:10.1016/S0020-0190(00)00209-X):  V' = (V + (V & M)) | (V
// & ~M).
// Source:   Kawanami and Fujimoto 2014, "A GPU Implementation of a Bit-parallel Algorithm for
//           Computing the Longest Common Subsequence": blocks of 1,024 rows, steps of 1,024
//           columns, the blocks of one anti-diagonal in one pass.
// Grid:     one workgroup per block of LIMBS = 32 limbs, one lane per limb. A block of row r of its
//           table is active from pass r on, for as many passes as the table has steps.
// Phases:   1 load limb and incoming carries, 2 sweep STEP columns, 3 store limb and outgoing
//           carries.
// Carries:  every lane adds for both values of the carry in. In log2 LIMBS levels (Sklansky 1960,
//           doi:10.1109/TEC.1960.5219822) each upper half selects the sum for the carry out of its
//           lower half.
// Parts:    pair_*.wgsl, by which a lane reads the carries of another. Steps alternate across
//           columns, too, as LEVELS is odd.
// Host:     src/papers/conditional_sum/mod.rs.
const LIMBS = LANES;
const LEVELS = 5u;
const STEP = 1024u;

struct Params {
    wavefront: u32,           // anti-diagonal of blocks in every table
    first_block: u32,
    blocks: u32,              // of all tables
}

struct Block {
    row: u32,                 // of blocks, in its table
    first_column: u32,        // of its table, in codes
    columns: u32,             // of its table
}

@group(0) @binding(0) var<storage, read_write> v: array<u32>;             // [block][lane]
@group(0) @binding(1) var<storage, read> masks: array<u32>;               // [code][block][lane]
@group(0) @binding(2) var<storage, read> codes: array<u32>;               // [table][column]
@group(0) @binding(3) var<storage, read_write> block_carries: array<u32>; // [parity][block][STEP / 32]
@group(0) @binding(4) var<storage, read> blocks: array<Block>;

var<workgroup> wg_carries_in: array<u32, STEP / 32u>;
var<workgroup> wg_carries_out: array<u32, STEP / 32u>;

@compute @workgroup_size(LANES)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
    let block = params.first_block + group.x;
    let row = blocks[block].row;
    let step = (params.wavefront - row) * STEP;
    if params.wavefront < row || step >= blocks[block].columns {
        return;
    }
    let first_column = blocks[block].first_column + step;
    let count = min(STEP, blocks[block].columns - step);
    let stride = params.blocks * (STEP / 32u);
    let parity = params.wavefront & 1u;

    // Phase 1: load.
    let limbs = params.blocks * LIMBS;
    let index = block * LIMBS + lane;
    var limb = v[index];
    wg_carries_in[lane] = 0u;
    if row > 0u {
        wg_carries_in[lane] = block_carries[(1u - parity) * stride + (block - 1u) * (STEP / 32u) + lane];
    }
    wg_carries_out[lane] = 0u;
    var next_mask = masks[codes[first_column] * limbs + index];
    workgroupBarrier();

    // Phase 2: sweep.
    for (var j = 0u; j < count; j++) {
        let mask = next_mask;
        next_mask = masks[codes[first_column + min(j + 1u, count - 1u)] * limbs + index];
        let u = limb & mask;
        var sum_0 = limb + u;
        var carry_0 = select(0u, 1u, sum_0 < u);
        var sum_1 = sum_0 + 1u;
        var carry_1 = select(carry_0, 1u, sum_1 == 0u);
        for (var level = 0u; level < LEVELS; level++) {
            let width = 1u << level;
            let source = (lane & ~(2u * width - 1u)) + width - 1u;
            let pair = pair_of(source, lane, j + level, carry_0 | (carry_1 << 1u));
            if (lane & width) != 0u {
                let old_sum = sum_0;
                let old_carry = carry_0;
                if (pair & 1u) == 1u {
                    sum_0 = sum_1;
                    carry_0 = carry_1;
                }
                if (pair & 2u) == 0u {
                    sum_1 = old_sum;
                    carry_1 = old_carry;
                }
            }
        }
        let carry_in = (wg_carries_in[j / 32u] >> (j % 32u)) & 1u;
        let sum = select(sum_0, sum_1, carry_in == 1u);
        limb = sum | (limb & ~mask);
        if lane == LIMBS - 1u {
            wg_carries_out[j / 32u] |= select(carry_0, carry_1, carry_in == 1u) << (j % 32u);
        }
    }
    workgroupBarrier();

    // Phase 3: store.
    v[index] = limb;
    block_carries[parity * stride + block * (STEP / 32u) + lane] = wg_carries_out[lane];
}
