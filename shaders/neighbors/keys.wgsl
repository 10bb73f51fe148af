// neighbors/keys: keys of strings: hashes of unchanged pieces, or of what deletions leave.
//
// Section:  its first slot in the string, its first pattern, words of a pattern, number of pieces,
//           salt, length of the strings that are cut, bits of a hash that a key keeps, and its other
//           bits. Without pieces it deletes symbols.
// Pattern:  a salt, then runs of pieces: first piece, end, and shift of a neighbour's symbols. Or
//           the deleted places, ascending.
// Hash:     MurmurHash3 (Appleby 2008) of the planes of the kept symbols.
// Parts:    strings.wgsl.
@group(0) @binding(1) var<storage, read> planes: array<u32>;

const SECTION_WORDS = 8u;
// In place of the number of pieces: strings without keys.
const LISTED = 0xffffffffu;
const NO_RUN = 0xffffffffu;
const NO_SHIFT = 0x8000;

struct Key {
    hash: u32,
    is_valid: bool,
}

struct Kept {
    planes: array<u32, PLANES>,    // of the last, less than 32 symbols
    symbols: u32,
    hash: u32,
}

// The section that has a slot of a string of this length.
fn section_of(slot: u32, len: u32) -> u32 {
    var section = tables[LENGTH_WORDS * len];
    let end = tables[LENGTH_WORDS * len + 1u];
    while section + SECTION_WORDS < end && tables[section + SECTION_WORDS] <= slot {
        section += SECTION_WORDS;
    }
    return section;
}

fn mixed(hash: u32, word: u32) -> u32 {
    var bits = word * 0xcc9e2d51u;
    bits = ((bits << 15u) | (bits >> 17u)) * 0x1b873593u;
    bits ^= hash;
    return ((bits << 13u) | (bits >> 19u)) * 5u + 0xe6546b64u;
}

fn hash_planes(kept: ptr<function, Kept>) {
    for (var plane = 0u; plane < PLANES; plane++) {
        (*kept).hash = mixed((*kept).hash, (*kept).planes[plane]);
        (*kept).planes[plane] = 0u;
    }
    (*kept).symbols = 0u;
}

// Appends symbols `first..end` of a string.
fn keep(kept: ptr<function, Kept>, string: u32, first: u32, end: u32) {
    var place = first;
    while place < end {
        let count = min(min(32u - (place & 31u), end - place), 32u - (*kept).symbols);
        let word = string + (place >> 5u) * PLANES;
        for (var plane = 0u; plane < PLANES; plane++) {
            let bits = (planes[word + plane] >> (place & 31u)) & (0xffffffffu >> (32u - count));
            (*kept).planes[plane] |= bits << (*kept).symbols;
        }
        (*kept).symbols += count;
        place += count;
        if (*kept).symbols == 32u {
            hash_planes(kept);
        }
    }
}

fn start_of(piece: u32, len: u32, pieces: u32) -> u32 {
    // The last pieces are one symbol longer.
    let first_longer = pieces - len % pieces;
    return piece * (len / pieces) + (max(piece, first_longer) - first_longer);
}

fn is_same_as_before(string: u32, place: u32) -> bool {
    var changed = 0u;
    let before = place - 1u;
    for (var plane = 0u; plane < PLANES; plane++) {
        let one = planes[string + (place >> 5u) * PLANES + plane] >> (place & 31u);
        let other = planes[string + (before >> 5u) * PLANES + plane] >> (before & 31u);
        changed |= one ^ other;
    }
    return (changed & 1u) == 0u;
}

// Key of a slot of a string, counted from the string's first one.
fn key_of(record: u32, section: u32, slot: u32) -> Key {
    let string = records[2u * record];
    let words = tables[section + 2u];
    let pieces = tables[section + 3u];
    let pattern = tables[section + 1u] + (slot - tables[section]) * words;
    var kept: Kept;
    kept.hash = tables[section + 4u] ^ (string.w * 0x9e3779b1u);
    if pieces > 0u {
        let len = tables[section + 5u];
        kept.hash = mixed(kept.hash, tables[pattern]);
        for (var i = 1u; i < words; i++) {
            let run = tables[pattern + i];
            if run == NO_RUN {
                break;
            }
            let shift = i32(run >> 16u) - NO_SHIFT;
            let first = i32(start_of(run & 255u, len, pieces)) + shift;
            let end = i32(start_of((run >> 8u) & 255u, len, pieces)) + shift;
            keep(&kept, string.x, u32(first), u32(end));
        }
    } else {
        var next = 0u;
        for (var i = 0u; i < words; i++) {
            let place = tables[pattern + i];
            // Of a run of equal symbols the first ones are deleted.
            if place > next && is_same_as_before(string.x, place) {
                return Key(0u, false);
            }
            keep(&kept, string.x, next, place);
            next = place + 1u;
        }
        keep(&kept, string.x, next, string.y);
    }
    hash_planes(&kept);
    var hash = kept.hash;
    hash = (hash ^ (hash >> 16u)) * 0x85ebca6bu;
    hash = (hash ^ (hash >> 13u)) * 0xc2b2ae35u;
    hash ^= hash >> 16u;
    return Key((hash & tables[section + 6u]) | tables[section + 7u], true);
}

// `part` has the number of the part of the keys, and from bit 24 on the bits of a key that tell it.
fn is_of_part(key: u32, part: u32) -> bool {
    let bits = part >> 24u;
    return bits == 0u || (key >> ((32u - bits) & 31u)) == (part & 0xffffffu);
}
