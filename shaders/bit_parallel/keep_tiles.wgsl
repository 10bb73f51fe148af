// bit_parallel/keep_tiles: a replay keeps the boundaries of every lane's tiles of TILE_STEPS steps.
//
// Record:   of one lane and tile: its differences at the first step, then, for PACKED steps after the other, the carries that
//           entered each pair of limbs in them, side by side in one word, [TILE_STEPS / PACKED][LIMBS / 2][HORIZONTAL].
// Vectors:  TILE_WIDTH, the components of TileVector, divides the words of a record that one lane leaves at a time.
const CARRY_WORDS = LIMBS / 2u * HORIZONTAL;
const CARRY_VECTORS = CARRY_WORDS / TILE_WIDTH;
const V_VECTORS = VERTICAL * LIMBS / TILE_WIDTH;
const TILE_RECORD = V_VECTORS + TILE_STEPS / PACKED * CARRY_VECTORS;
const TILES = STEPS / TILE_STEPS;

@group(0) @binding(0) var<storage, read_write> tiles: array<TileVector>;    // [job][lane][tile][TILE_RECORD]

var<private> packed: Carries;                     // that enter the lane, of the steps since the last word was begun
var<private> below: array<u32, CARRY_WORDS>;      // what left each pair in the last columns, the latest in bit 31

fn tile(replay: Replay, lane: u32, step: u32) -> u32 {
    return ((replay.job * LANES + lane) * TILES + step / TILE_STEPS) * TILE_RECORD;
}

fn keep_start(replay: Replay, lane: u32, v: ptr<function, Differences>, in_flight: Carries) {}

fn keep_above(replay: Replay, h: u32, step: u32, word: u32) {}

fn keep_step(replay: Replay, lane: u32, step: u32, v: ptr<function, Differences>, in_flight: Carries) {
    if step % TILE_STEPS == 0u {
        let first = tile(replay, lane, step);
        for (var vector = 0u; vector < V_VECTORS; vector++) {
            var words: TileVector;
            for (var i = 0u; i < TILE_WIDTH; i++) {
                words[i] = (*v)[vector * TILE_WIDTH + i];
            }
            tiles[first + vector] = words;
        }
    }
}

fn keep_carries(replay: Replay, lane: u32, step: u32, carries: Carries) {
    let part = step % PACKED;
    for (var h = 0u; h < HORIZONTAL; h++) {
        packed[h] = select(packed[h], 0u, part == 0u) | (carries[h] << (part * COLUMNS));
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
fn keep_pairs(replay: Replay, lane: u32, step: u32, last: bool) {
    let part = step % PACKED;
    if part == PACKED - 1u || last {
        let first = tile(replay, lane, step) + V_VECTORS + (step % TILE_STEPS) / PACKED * CARRY_VECTORS;
        for (var vector = 0u; vector < CARRY_VECTORS; vector++) {
            var words: TileVector;
            for (var i = 0u; i < TILE_WIDTH; i++) {
                let word = vector * TILE_WIDTH + i;
                if word < HORIZONTAL {
                    words[i] = packed[word];
                } else {
                    words[i] = below[word - HORIZONTAL] >> (32u - (part + 1u) * COLUMNS);
                }
            }
            tiles[first + vector] = words;
        }
    }
}
