// neighbors/strings: distinct strings as bit planes, and the strings and keys of a pass.
//
// Records, planes, tables, slots: as in strings.wgsl.
BINDING(0, const u32x4, records)
BINDING(2, const u32, tables)

constexpr u32 LENGTH_WORDS = 3u;
constexpr u32 STRING_WORDS = 3u;

// String of the pass that has a slot of a workgroup. `tile` is the workgroup's place in the tables.
DEVICE u32 string_of(const Arguments& at, u32 slot, u32 tile, u32 strings_at) {
    u32 string = tables(at)[tile];
    u32 last = tables(at)[tile + 1u];
    while (string < last) {
        const u32 middle = (string + last + 1u) / 2u;
        if (tables(at)[strings_at + middle * STRING_WORDS + 2u] <= slot) {
            string = middle;
        } else {
            last = middle - 1u;
        }
    }
    return string;
}
