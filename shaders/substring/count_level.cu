// substring/count_level: updates the set of keys that occur in at least j texts, after another text
// was marked.
//
// Rule:     a key in j - 1 earlier texts and in this one is in j texts; each level is updated
//           before the one below it.
// Grid:     a few workgroups; each takes words in turn.
struct Params {
    u32 first;      // first word of the pass
    u32 end;
    u32 lowest;     // nonzero for the level of one text, which has none below
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
