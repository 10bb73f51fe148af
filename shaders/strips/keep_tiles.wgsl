// strips/keep_tiles: a replay keeps the boundaries of every lane's tiles of TILE_STEPS steps.
//
// Record:   of one lane and tile: its differences at the first step, then the carry words that entered it,
//           [HORIZONTAL][TILE_STEPS].
const TILE_RECORD = VERTICAL * LIMBS + HORIZONTAL * TILE_STEPS;
const TILES = STEPS / TILE_STEPS;

@group(0) @binding(0) var<storage, read_write> tiles: array<u32>;    // [job][lane][tile][TILE_RECORD]

fn tile(frame: Frame, lane: u32, step: u32) -> u32 {
    return ((frame.job * LANES + lane) * TILES + step / TILE_STEPS) * TILE_RECORD;
}

fn keep_state(frame: Frame, lane: u32, step: u32, v: ptr<function, Differences>, in_flight: Carries) {
    if step % TILE_STEPS == 0u {
        let first = tile(frame, lane, step);
        for (var i = 0u; i < VERTICAL * LIMBS; i++) {
            tiles[first + i] = (*v)[i];
        }
    }
}

fn keep_carries(frame: Frame, lane: u32, step: u32, carries: Carries) {
    let first = tile(frame, lane, step) + VERTICAL * LIMBS + step % TILE_STEPS;
    for (var h = 0u; h < HORIZONTAL; h++) {
        tiles[first + h * TILE_STEPS] = carries[h];
    }
}
