// substring/clear: clears a bitmap.
//
// Grid:     a few workgroups; each takes words in turn.
struct Params {
    u32 first;      // first word of the pass
    u32 end;
};

BINDING(0, u32, bitmap)

KERNEL {
    const Params& params = PARAMS(at);
    for (u32 word = params.first + group().x * LANES + lane(); word < params.end; word += groups().x * LANES) {
        bitmap(at)[word] = 0u;
    }
}
