// strips/keep_tiles: a replay keeps the boundaries of every lane's tiles of TILE_STEPS steps.
//
// Record:   of one lane and tile: its differences at the first step, then the carry words that entered it, those of
//           PACKED steps side by side in one word, [HORIZONTAL][TILE_STEPS / PACKED].
const TILE_RECORD = VERTICAL * LIMBS + HORIZONTAL * (TILE_STEPS / PACKED);
const TILES = STEPS / TILE_STEPS;

@group(0) @binding(0) var<storage, read_write> tiles: array<u32>;    // [job][lane][tile][TILE_RECORD]

var<private> packed: Carries;    // of the steps since the last word was begun

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
