// neighbors/strings: distinct strings as bit planes, and the strings and keys of a pass.
//
// Records:  two per string: first word of its planes, length, greatest place (join.wgsl), group or 0;
//           then 16 counts of symbols, a byte each, at most 127.
// Planes:   [32 symbols][plane]; the bits of their codes. A block of zeros follows the last string.
// Tables:   by length: first section, end of the sections, greatest run of a key. By string of the
//           pass: record, place (join.wgsl), first slot. By workgroup: the string of its first slot.
// Slots:    the keys of a string are consecutive slots, one lane each, by section.
@group(0) @binding(0) var<storage, read> records: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> tables: array<u32>;

const LENGTH_WORDS = 3u;
const STRING_WORDS = 3u;

// String of the pass that has a slot of a workgroup. `tile` is the workgroup's place in the tables.
fn string_of(slot: u32, tile: u32, strings_at: u32) -> u32 {
    var string = tables[tile];
    var last = tables[tile + 1u];
    while string < last {
        let middle = (string + last + 1u) / 2u;
        if tables[strings_at + middle * STRING_WORDS + 2u] <= slot {
            string = middle;
        } else {
            last = middle - 1u;
        }
    }
    return string;
}
