// substring/count_level: the keys that are in so many texts, once a text more has been marked.
//
// Rule:     what was in j - 1 texts and is in this one is in j; each level is updated before the one below it.
// Grid:     a few workgroups, each takes words in turn.
struct Params {
    u32 first;      // word of the pass
    u32 end;
    u32 lowest;     // whether this is the level of one text, below which there is none
};

BINDING(0, const u32, text)
BINDING(1, const u32, below)
BINDING(2, u32, level)

KERNEL {
    const Params& params = PARAMS(at);
    for (u32 word = params.first + group().x * LANES + lane(); word < params.end; word += groups().x * LANES) {
        u32 counted = text(at)[word];
        if (params.lowest == 0u) {
            counted &= below(at)[word];
        }
        level(at)[word] |= counted;
    }
}
