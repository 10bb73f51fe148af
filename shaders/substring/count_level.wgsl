// substring/count_level: updates the set of keys that occur in at least j texts, after another text
// was marked.
//
// Rule:     a key in j - 1 earlier texts and in this one is in j texts; each level is updated
//           before the one below it.
// Grid:     a few workgroups; each takes words in turn.
struct Params {
    first: u32,     // first word of the pass
    end: u32,
    lowest: u32,    // nonzero for the level of one text, which has none below
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
