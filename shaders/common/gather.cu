// common/gather: concatenates spans of a buffer, so that one copy reads all of them back.
//
// Grid:     one lane per word.
struct Params {
    u32 spans;
    u32 words;    // total of all spans
};

BINDING(0, u32, gathered)          // [words]
BINDING(1, const u32, source)
BINDING(2, const u32x2, spans)     // [spans]: first word, words of earlier spans

KERNEL {
    const Params& params = PARAMS(at);
    const u32 word = group().x * LANES + lane();
    if (word >= params.words) {
        return;
    }
    // Binary search for the last span that begins at or before the word.
    u32 span = 0u;
    u32 end = params.spans;
    while (end - span > 1u) {
        const u32 middle = (span + end) / 2u;
        if (spans(at)[middle].y <= word) {
            span = middle;
        } else {
            end = middle;
        }
    }
    const u32x2 found = spans(at)[span];
    gathered(at)[word] = source(at)[found.x + word - found.y];
}
