// bit_parallel/keep_tiles: keeps the boundaries of each lane's tiles of TILE_STEPS steps, in a
// replay.
//
// Record, vectors: as in keep_tiles.wgsl.
constexpr u32 CARRY_WORDS = LIMBS / 2u * HORIZONTAL;
constexpr u32 CARRY_VECTORS = CARRY_WORDS / TILE_WIDTH;
constexpr u32 V_VECTORS = VERTICAL * LIMBS / TILE_WIDTH;
constexpr u32 TILE_RECORD = V_VECTORS + TILE_STEPS / PACKED * CARRY_VECTORS;
constexpr u32 TILES = STEPS / TILE_STEPS;

BINDING(0, TileVector, tiles)    // [job][lane][tile][TILE_RECORD]

struct Kept {
    Carries packed;              // carries that entered the lane since the last complete word
    Words<CARRY_WORDS> below;    // carries out of each pair of limbs, latest in bit 31
};

DEVICE u32 tile(const Replay& replay, u32 lane, u32 step) {
    return ((replay.job * LANES + lane) * TILES + step / TILE_STEPS) * TILE_RECORD;
}

DEVICE void keep_start(const Arguments& at, const Replay& replay, u32 lane, const Differences& v, const Carries& in_flight) {}

DEVICE void keep_above(const Arguments& at, const Replay& replay, u32 h, u32 step, u32 word) {}

DEVICE void keep_step(const Arguments& at, const Replay& replay, u32 lane, u32 step, const Differences& v) {
    if (step % TILE_STEPS == 0u) {
        const u32 first = tile(replay, lane, step);
#pragma unroll
        for (u32 vector = 0u; vector < V_VECTORS; vector++) {
            TileVector words;
#pragma unroll
            for (u32 i = 0u; i < TILE_WIDTH; i++) {
                words[i] = v[vector * TILE_WIDTH + i];
            }
            tiles(at)[first + vector] = words;
        }
    }
}

DEVICE void keep_carries(Kept& kept, u32 step, const Carries& carries) {
    const u32 part = step % PACKED;
#pragma unroll
    for (u32 h = 0u; h < HORIZONTAL; h++) {
        kept.packed[h] = (part == 0u ? 0u : kept.packed[h]) | reversed(carries[h], COLUMNS) << (part * COLUMNS);
    }
}

// Bit 31 of each word is the carry out of the limb, one column after the other.
DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries) {
    if (limb % 2u == 1u) {
#pragma unroll
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            const u32 i = limb / 2u * HORIZONTAL + h;
            kept.below[i] = (kept.below[i] >> 1u) | (carries[h] & (1u << 31u));
        }
    }
}

// The carry out of a pair enters the next pair. A word cut short by the last step of the table has
// only its first parts.
DEVICE void keep_pairs(const Arguments& at, Kept& kept, const Replay& replay, u32 lane, u32 step, bool last) {
    const u32 part = step % PACKED;
    if (part == PACKED - 1u || last) {
        const u32 first = tile(replay, lane, step) + V_VECTORS + (step % TILE_STEPS) / PACKED * CARRY_VECTORS;
#pragma unroll
        for (u32 vector = 0u; vector < CARRY_VECTORS; vector++) {
            TileVector words;
#pragma unroll
            for (u32 i = 0u; i < TILE_WIDTH; i++) {
                const u32 word = vector * TILE_WIDTH + i;
                if (word < HORIZONTAL) {
                    words[i] = kept.packed[word];
                } else {
                    words[i] = kept.below[word - HORIZONTAL] >> (32u - (part + 1u) * COLUMNS);
                }
            }
            tiles(at)[first + vector] = words;
        }
    }
}
