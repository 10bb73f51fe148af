// substring/list: lists the remaining windows with their keys, or a sample if there are too many.
//
// Sample, grid, result: as in list.wgsl.
// Parts:    as in visit.cu. Host: src/substring/gpu/plan.rs.
constexpr u32 SAMPLE_SEED = 0x2545f491u;

struct Params {
    u32 first;          // first stretch of the pass, in the chunk
    u32 end;
    u32 position;       // of the chunk in the text
    u32 head;
    u32 text;
    u32 capacity;
    u32 sample;         // approximate windows of the text to list by position
    u32 power_low;
    u32 power_high;
    u32 rest;
};

BINDING(4, const u32, survivors)    // [stretches]
BINDING(5, u32x4, entries)          // [capacity]

KERNEL {
    const Params& params = PARAMS(at);
    const u32 stretch = params.first + group().x * LANES + lane();
    if (stretch >= params.end) {
        return;
    }
    const u32 left = survivors(at)[stretch];
    if (left == 0u) {
        return;
    }
    const u32 share_log2 = atomicLoad(&control(at)[SHARE_LOG2]);
    const u32 of_text = atomicLoad(&control(at)[LEFT + params.text]);
    u32 position_log2 = 0u;
    while (position_log2 < 31u && (of_text >> position_log2) > params.sample) {
        position_log2 += 1u;
    }
    Window window = first_window(at, params, stretch);
    for (u32 rest = left; rest != 0u; rest &= rest - 1u) {
        const u32 place = firstTrailingBit(rest);
        move_to(at, params, window, place);
        const u64 key = key_of(at, params, window);
        const u32 position = params.position + 32u * stretch + place;
        const bool of_key = countLeadingZeros(hash_of(key, SAMPLE_SEED)) >= share_log2;
        if (of_key || countLeadingZeros(finalize(position + SAMPLE_SEED)) >= position_log2) {
            const u32 slot = atomicAdd(&control(at)[LISTED], 1u);
            if (slot < params.capacity) {
                entries(at)[slot] = {params.text, position, static_cast<u32>(key), static_cast<u32>(key >> 32u)};
            }
        }
    }
}
