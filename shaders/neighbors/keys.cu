// neighbors/keys: keys of strings: hashes of unchanged pieces, or of what deletions leave.
//
// Section, pattern, hash: as in keys.wgsl.
// Parts:    strings.cu.
BINDING(1, const u32, planes)

constexpr u32 SECTION_WORDS = 8u;
// In place of the number of pieces: strings without keys.
constexpr u32 LISTED = 0xffffffffu;
constexpr u32 NO_RUN = 0xffffffffu;
constexpr i32 NO_SHIFT = 0x8000;

struct Key {
    u32 hash;
    bool is_valid;
};

struct Kept {
    u32 planes[PLANES];    // of the last, less than 32 symbols
    u32 symbols;
    u32 hash;
};

// The section that has a slot of a string of this length.
DEVICE u32 section_of(const Arguments& at, u32 slot, u32 len) {
    u32 section = tables(at)[LENGTH_WORDS * len];
    const u32 end = tables(at)[LENGTH_WORDS * len + 1u];
    while (section + SECTION_WORDS < end && tables(at)[section + SECTION_WORDS] <= slot) {
        section += SECTION_WORDS;
    }
    return section;
}

DEVICE u32 mixed(u32 hash, u32 word) {
    u32 bits = word * 0xcc9e2d51u;
    bits = (bits << 15u | bits >> 17u) * 0x1b873593u;
    bits ^= hash;
    return (bits << 13u | bits >> 19u) * 5u + 0xe6546b64u;
}

DEVICE void hash_planes(Kept& kept) {
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        kept.hash = mixed(kept.hash, kept.planes[plane]);
        kept.planes[plane] = 0u;
    }
    kept.symbols = 0u;
}

// Appends symbols `first..end` of a string.
DEVICE void keep(const Arguments& at, Kept& kept, u32 string, u32 first, u32 end) {
    u32 place = first;
    while (place < end) {
        const u32 count = min(min(32u - (place & 31u), end - place), 32u - kept.symbols);
        const u32 word = string + (place >> 5u) * PLANES;
#pragma unroll
        for (u32 plane = 0u; plane < PLANES; plane++) {
            const u32 bits = planes(at)[word + plane] >> (place & 31u) & 0xffffffffu >> (32u - count);
            kept.planes[plane] |= bits << kept.symbols;
        }
        kept.symbols += count;
        place += count;
        if (kept.symbols == 32u) {
            hash_planes(kept);
        }
    }
}

DEVICE u32 start_of(u32 piece, u32 len, u32 pieces) {
    // The last pieces are one symbol longer.
    const u32 first_longer = pieces - len % pieces;
    return piece * (len / pieces) + (max(piece, first_longer) - first_longer);
}

DEVICE bool is_same_as_before(const Arguments& at, u32 string, u32 place) {
    u32 changed = 0u;
    const u32 before = place - 1u;
#pragma unroll
    for (u32 plane = 0u; plane < PLANES; plane++) {
        const u32 one = planes(at)[string + (place >> 5u) * PLANES + plane] >> (place & 31u);
        const u32 other = planes(at)[string + (before >> 5u) * PLANES + plane] >> (before & 31u);
        changed |= one ^ other;
    }
    return (changed & 1u) == 0u;
}

// Key of a slot of a string, counted from the string's first one.
DEVICE Key key_of(const Arguments& at, u32 record, u32 section, u32 slot) {
    const u32x4 string = records(at)[2u * record];
    const u32 words = tables(at)[section + 2u];
    const u32 pieces = tables(at)[section + 3u];
    const u32 pattern = tables(at)[section + 1u] + (slot - tables(at)[section]) * words;
    Kept kept = {};
    kept.hash = tables(at)[section + 4u];
    if (pieces > 0u) {
        const u32 len = tables(at)[section + 5u];
        kept.hash = mixed(kept.hash, tables(at)[pattern]);
        for (u32 i = 1u; i < words; i++) {
            const u32 run = tables(at)[pattern + i];
            if (run == NO_RUN) {
                break;
            }
            const i32 shift = i32(run >> 16u) - NO_SHIFT;
            const i32 first = i32(start_of(run & 255u, len, pieces)) + shift;
            const i32 end = i32(start_of(run >> 8u & 255u, len, pieces)) + shift;
            keep(at, kept, string.x, u32(first), u32(end));
        }
    } else {
        u32 next = 0u;
        for (u32 i = 0u; i < words; i++) {
            const u32 place = tables(at)[pattern + i];
            // Of a run of equal symbols the first ones are deleted.
            if (place > next && is_same_as_before(at, string.x, place)) {
                return {0u, false};
            }
            keep(at, kept, string.x, next, place);
            next = place + 1u;
        }
        keep(at, kept, string.x, next, string.y);
    }
    hash_planes(kept);
    u32 hash = kept.hash;
    hash = (hash ^ hash >> 16u) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13u) * 0xc2b2ae35u;
    hash ^= hash >> 16u;
    return {hash & tables(at)[section + 6u] | tables(at)[section + 7u], true};
}

// `part` has the number of the part of the keys, and from bit 24 on the bits of a key that tell it.
DEVICE bool is_of_part(u32 key, u32 part) {
    const u32 bits = part >> 24u;
    return bits == 0u || key >> ((32u - bits) & 31u) == (part & 0xffffffu);
}
