// substring/settle: decides whether further visits pay, and which share of the remaining windows
// fits the list.
//
// Rule, grid: as in settle.wgsl.
constexpr u32 LEAST_FALL = 8u;

struct Params {
    u32 visit;
    u32 text;
    u32 texts;
    u32 tests;          // nonzero if the visit could drop windows
    u32 ends_round;
    u32 capacity;       // maximum number of listed windows
    u32 sample;         // approximate windows to list by key if there are too many
};

KERNEL {
    const Params& params = PARAMS(at);
    u32* const control = ::control(at);
    if (control[STOPPED] != 0u) {
        return;
    }
    const u32 before = control[LEFT + params.text];
    const u32 left = control[LEFT + params.texts + params.visit];
    control[LEFT + params.text] = left;
    if (params.tests != 0u) {
        const bool fell = left < before && before - left >= before / LEAST_FALL + (before % LEAST_FALL != 0u);
        u32 unfallen = 0u;
        if (!fell) {
            unfallen = control[UNFALLEN] + 1u;
        }
        control[UNFALLEN] = unfallen;
        if (params.ends_round != 0u && unfallen >= params.texts) {
            control[STOPPED] = 1u;
        }
    }
    // The sum over all texts, saturated.
    u32 total = 0u;
    for (u32 text = 0u; text < params.texts; text++) {
        const u32 of_text = control[LEFT + text];
        total = select(total + of_text, 0xffffffffu, of_text > 0xffffffffu - total);
    }
    u32 share_log2 = 0u;
    if (total > params.capacity) {
        while (share_log2 < 31u && (total >> share_log2) > params.sample) {
            share_log2 += 1u;
        }
    }
    control[SHARE_LOG2] = share_log2;
}
