// substring/count_level: the keys that are in so many texts, once a text more has been marked.
//
// Rule:     what was in j - 1 texts and is in this one is in j; each level is updated before the one below it.
// Grid:     a few workgroups, each takes words in turn.
struct Params {
    first: u32,     // word of the pass
    end: u32,
    lowest: u32,    // whether this is the level of one text, below which there is none
}

@group(0) @binding(0) var<storage, read> text: array<u32>;
@group(0) @binding(1) var<storage, read> below: array<u32>;
@group(0) @binding(2) var<storage, read_write> level: array<u32>;

@compute @workgroup_size(LANES)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
    for (var word = params.first + id.x; word < params.end; word += groups.x * LANES) {
        var counted = text[word];
        if params.lowest == 0u {
            counted &= below[word];
        }
        level[word] |= counted;
    }
}
