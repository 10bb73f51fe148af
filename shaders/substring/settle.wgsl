// substring/settle: decides whether further visits pay, and which share of the remaining windows
// fits the list.
//
// Rule:     the cascade ends after consecutive visits of all texts that each dropped less than an
//           eighth of the remaining windows, as in src/substring/search/cascade.rs.
// Grid:     one lane, after each visit.
const LEAST_FALL = 8u;

struct Params {
    visit: u32,
    text: u32,
    texts: u32,
    tests: u32,         // nonzero if the visit could drop windows
    ends_round: u32,
    capacity: u32,      // maximum number of listed windows
    sample: u32,        // approximate windows to list by key if there are too many
}

@compute @workgroup_size(LANES)
fn main() {
    if atomicLoad(&control[STOPPED]) != 0u {
        return;
    }
    let before = atomicLoad(&control[LEFT + params.text]);
    let left = atomicLoad(&control[LEFT + params.texts + params.visit]);
    atomicStore(&control[LEFT + params.text], left);
    if params.tests != 0u {
        let fell = left < before && before - left >= before / LEAST_FALL + u32(before % LEAST_FALL != 0u);
        var unfallen = 0u;
        if !fell {
            unfallen = atomicLoad(&control[UNFALLEN]) + 1u;
        }
        atomicStore(&control[UNFALLEN], unfallen);
        if params.ends_round != 0u && unfallen >= params.texts {
            atomicStore(&control[STOPPED], 1u);
        }
    }
    // The sum over all texts, saturated.
    var total = 0u;
    for (var text = 0u; text < params.texts; text++) {
        let of_text = atomicLoad(&control[LEFT + text]);
        total = select(total + of_text, 0xffffffffu, of_text > 0xffffffffu - total);
    }
    var share_log2 = 0u;
    if total > params.capacity {
        while share_log2 < 31u && (total >> share_log2) > params.sample {
            share_log2 += 1u;
        }
    }
    atomicStore(&control[SHARE_LOG2], share_log2);
}
