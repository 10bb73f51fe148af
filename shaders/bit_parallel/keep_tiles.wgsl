// bit_parallel/keep_tiles: keeps the boundaries of each lane's tiles of TILE_STEPS steps, in a
// replay.
//
// Record:   per lane and tile: the differences at the first step, then the carries that entered
//           each pair of limbs, PACKED steps side by side per word, [TILE_STEPS / PACKED][LIMBS /
//           2][HORIZONTAL].
// Vectors:  a lane stores TILE_WIDTH words at a time, the components of TileVector; it divides the
//           record.
const CARRY_WORDS = LIMBS / 2u * HORIZONTAL;
const CARRY_VECTORS = CARRY_WORDS / TILE_WIDTH;
const V_VECTORS = VERTICAL * LIMBS / TILE_WIDTH;
const TILE_RECORD = V_VECTORS + TILE_STEPS / PACKED * CARRY_VECTORS;
const TILES = STEPS / TILE_STEPS;

// [job][lane][tile][TILE_RECORD]
@group(0) @binding(0) var<storage, read_write> tiles: array<TileVector>;

var<private> packed: Carries;          // carries that entered the lane since the last complete word
var<private> below: array<u32, CARRY_WORDS>;  // carries out of each pair of limbs, latest in bit 31

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

// Bit 31 of each word is the carry out of the limb, one column after the other.
fn keep_limb(limb: u32, carries: Carries) {
    if limb % 2u == 1u {
        for (var h = 0u; h < HORIZONTAL; h++) {
            let i = limb / 2u * HORIZONTAL + h;
            below[i] = (below[i] >> 1u) | (carries[h] & (1u << 31u));
        }
    }
}

// The carry out of a pair enters the next pair. A word cut short by the last step of the table has
// only its first parts.
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
