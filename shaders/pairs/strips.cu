// pairs/strips: rows of a query in strips, and the columns of a lane.
//
// Padding, strips: as in strips.wgsl.
// Part of:  pairs/lanes.cu, pairs/entries.cu.
constexpr u32 STRIP_ROWS = LIMBS * LIMB_ROWS;

BINDING(0, const u32x4, target_codes)
BINDING(1, u32, carries_between)

// Columns of a lane.
struct Columns {
    u32 first;      // unit of 16 codes
    u32 step;       // between units
    u32 len;
    u32 carries;    // first word
    u32 strip;
    bool is_last;
    u32 most;       // greater values are cut to this
};

// Bits of a limb that are padding.
DEVICE u32 padded_bits(u32 padding, u32 strip, u32 limb) {
    const u32 before = strip * STRIP_ROWS + limb * LIMB_ROWS;
    const u32 rows = min(max(padding, before) - before, LIMB_ROWS);
    return rows < 32u ? (1u << rows) - 1u : ~0u;
}

DEVICE u32 strips_of(u32 len) { return STRIPS == 1u ? max(1u, (len + STRIP_ROWS - 1u) / STRIP_ROWS) : 1u; }
