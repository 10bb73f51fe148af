// strips/keep_tiles: a replay keeps the boundaries of every lane's tiles of TILE_STEPS steps.
//
// Record:   of one lane and tile: its differences at the first step, then the carries that entered each pair of limbs, those of
//           PACKED steps side by side in one word, [LIMBS / 2][HORIZONTAL][TILE_STEPS / PACKED].
const CARRY_WORDS = HORIZONTAL * (TILE_STEPS / PACKED);
const TILE_RECORD = VERTICAL * LIMBS + LIMBS / 2u * CARRY_WORDS;
const TILES = STEPS / TILE_STEPS;

@group(0) @binding(0) var<storage, read_write> tiles: array<u32>;    // [job][lane][tile][TILE_RECORD]

var<private> packed: Carries;                               // of the steps since the last word was begun
var<private> below: array<u32, LIMBS / 2u * HORIZONTAL>;    // what left each pair in the last columns, the latest in bit 31

fn tile(frame: Frame, lane: u32, step: u32) -> u32 {
    return ((frame.job * LANES + lane) * TILES + step / TILE_STEPS) * TILE_RECORD;
}

fn keep_start(frame: Frame, lane: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_above(frame: Frame, h: u32, step: u32, word: u32) {}

fn keep_step(frame: Frame, lane: u32, step: u32, v: ptr<function, Differences>, in_flight: Carries) {
    if step % TILE_STEPS == 0u {
        let first = tile(frame, lane, step);
        for (var i = 0u; i < VERTICAL * LIMBS; i++) {
            tiles[first + i] = (*v)[i];
        }
    }
}

fn keep_carries(frame: Frame, lane: u32, step: u32, carries: Carries) {
    let part = step % PACKED;
    for (var h = 0u; h < HORIZONTAL; h++) {
        packed[h] = select(packed[h], 0u, part == 0u) | (carries[h] << (part * COLUMNS));
    }
    // The last step of the table may come before the last part.
    let first = tile(frame, lane, step) + VERTICAL * LIMBS + (step % TILE_STEPS) / PACKED;
    for (var h = 0u; h < HORIZONTAL; h++) {
        tiles[first + h * (TILE_STEPS / PACKED)] = packed[h];
    }
}

// Bit 31 of each word is a carry that leaves the limb, one column after the other.
fn keep_limb(limb: u32, carries: Carries) {
    if limb % 2u == 1u {
        for (var h = 0u; h < HORIZONTAL; h++) {
            let i = limb / 2u * HORIZONTAL + h;
            below[i] = (below[i] >> 1u) | (carries[h] & (1u << 31u));
        }
    }
}

// What leaves a pair enters the next. A word that the last step of the table leaves unfinished holds the first parts alone.
fn keep_pairs(frame: Frame, lane: u32, step: u32, last: bool) {
    let part = step % PACKED;
    if part == PACKED - 1u || last {
        let first = tile(frame, lane, step) + VERTICAL * LIMBS + (step % TILE_STEPS) / PACKED;
        for (var i = 0u; i < (LIMBS / 2u - 1u) * HORIZONTAL; i++) {
            tiles[first + CARRY_WORDS + i * (TILE_STEPS / PACKED)] = below[i] >> (32u - (part + 1u) * COLUMNS);
        }
    }
}
