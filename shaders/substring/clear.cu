// substring/clear: an empty bitmap.
//
// Grid:     a few workgroups, each takes words in turn.
struct Params {
    u32 words;
};

BINDING(0, u32, bitmap)

KERNEL {
    const Params& params = PARAMS(at);
    for (u32 word = group().x * LANES + lane(); word < params.words; word += groups().x * LANES) {
        bitmap(at)[word] = 0u;
    }
}
