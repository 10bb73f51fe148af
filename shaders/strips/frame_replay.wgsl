// strips/frame_replay: strips from stored boundaries, many at once, to keep finer boundaries of a part of the table.
//
// Grid:     in y the slots from params.first_slot on, in x strips of each: the first slot's from params.first_strip on, those
//           of the next ones params.skew / 65536 further. Strips that a slot or the table does not have do nothing. STEPS are
//           all steps of a slot.
// Boundary: everything comes from the slot's record, as keep_slots.wgsl has left it; nothing goes back.
// Part of:  strip_sweep.wgsl. Twin: frame_pass.wgsl.
struct Params {
    first_strip: u32,    // of this frame; it may lie before the table's first
    first_slot: u32,     // of this frame
    strips: u32,         // of one direction's table
    directions: u32,
    words: u32,          // column words of one direction
    direction: u32,
    lag: u32,            // steps between neighbouring strips
    direction_words: u32, // column words of one direction, padding included
    skew: u32,           // strips from slot to slot, times 65536
    top_rows: u32,       // rows above the direction's first
    first_record: u32,   // of the direction's records of tiles
}
var<immediate> params: Params;

const LIMB_ROWS = 31u;
const LANE_WORDS = VERTICAL * LIMBS + HORIZONTAL;
const SLOT_RECORD = LANES * LANE_WORDS + HORIZONTAL * STEPS;

@group(0) @binding(3) var<storage, read> slots: array<vec3<u32>>;    // [slot]: first word, first strip, end of its strips
@group(0) @binding(4) var<storage, read> history: array<u32>;        // [direction][strip][SLOT_RECORD] by slot

struct Frame {
    used: bool,
    strip: u32,
    words: vec2<u32>,    // those of the strip: the first, and the end
    direction: u32,
    begin: i32,     // column word of lane 0 at the first step
    record: u32,    // where the strip's record starts
    job: u32,       // which of the records of tiles it fills
}

fn locate(group: vec3<u32>, groups: vec3<u32>) -> Frame {
    let strip = params.first_strip + ((group.y * params.skew) >> 16u) + group.x;
    let slot = slots[params.first_slot + group.y];
    // Those before the first one have great numbers.
    let words = span(params.direction, min(strip, params.strips - 1u));
    let used = slot.y <= strip && strip < slot.z && words.x < words.y;
    let begin = i32((params.first_slot + group.y) * STEPS) - i32(strip * params.lag);
    let record = slot.x + (params.direction * (slot.z - slot.y) + strip - slot.y) * SLOT_RECORD;
    let job = params.first_record + group.y * groups.x + group.x;
    return Frame(used, strip, words, params.direction, begin, record, job);
}

// A slot that begins before the strip starts from the first column, which is flat above the first row.
fn load_word(frame: Frame, i: u32, lane: u32) -> u32 {
    if frame.begin < i32(frame.words.x) {
        let row = ((frame.strip * LANES + lane) * LIMBS + i) * LIMB_ROWS;
        let flat = select(0u, clamp(params.top_rows, row, row + LIMB_ROWS) - row, FLAT_ABOVE);
        return select(0u, ~0u << flat, i < LIMBS);
    }
    return history[frame.record + i * LANES + lane];
}

fn load_above(frame: Frame, h: u32, step: u32) -> u32 {
    return history[frame.record + LANES * LANE_WORDS + h * STEPS + u32(i32(step) - frame.begin)];
}

fn store_word(frame: Frame, i: u32, lane: u32, word: u32) {}

fn store_below(frame: Frame, h: u32, place: u32, word: u32) {}
