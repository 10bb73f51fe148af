// common/gather: concatenates spans of a buffer, so that one copy reads all of them back.
//
// Grid:     one lane per word.
struct Params {
    spans: u32,
    words: u32,    // total of all spans
}

@group(0) @binding(0) var<storage, read_write> gathered: array<u32>;    // [words]
@group(0) @binding(1) var<storage, read> source: array<u32>;
// [spans]: first word, words of earlier spans
@group(0) @binding(2) var<storage, read> spans: array<vec2<u32>>;

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    let word = id.x;
    if word >= params.words {
        return;
    }
    // Binary search for the last span that begins at or before the word.
    var span = 0u;
    var end = params.spans;
    while end - span > 1u {
        let middle = (span + end) / 2u;
        if spans[middle].y <= word {
            span = middle;
        } else {
            end = middle;
        }
    }
    gathered[word] = source[spans[span].x + word - spans[span].y];
}
