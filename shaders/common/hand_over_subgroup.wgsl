// common/hand_over_subgroup: passes a word from every lane to the next one by subgroup shuffles.
//
// Needs:    a workgroup of GROUPS subgroups of SUBGROUP lanes each, in local order; every lane calls it with the same step.
// Result:   lane l gets what lane l-1 gave a step before. The first lane of the first subgroup gets an unspecified word.
// Ring:     from subgroup to subgroup words go through workgroup memory and arrive BLOCK steps later, so that there need be a
//           barrier in BLOCK steps only: what is read was written in the block before. The last BLOCK words of each boundary
//           are under way between dispatches, RINGS more words a lane.
// Twin:     hand_over_workgroup.wgsl, where there are no subgroups.
const GROUPS = LANES / SUBGROUP;
const RINGS = select(0u, 1u, GROUPS > 1u);
const BLOCK = 8u;
const BEHIND = LANES - 1u + (GROUPS - 1u) * (BLOCK - 1u);    // steps of the last lane behind the first

var<workgroup> wg_ring: array<u32, max(GROUPS - 1u, 1u) * 2u * BLOCK * HORIZONTAL>;    // [boundary][step][bit]

// How many steps a lane is behind the first.
fn behind(lane: u32) -> u32 {
    return lane + lane / SUBGROUP * (BLOCK - 1u);
}

fn ring(boundary: u32, step: u32, h: u32) -> u32 {
    return (boundary * 2u * BLOCK + step % (2u * BLOCK)) * HORIZONTAL + h;
}

// The last step before `end` that a lane keeps a word of.
fn kept_step(lane: u32, end: u32) -> u32 {
    return end - BLOCK + (lane - end) % BLOCK;
}

// Takes the words that were under way before step `first`.
fn open_ring(lane: u32, first: u32, words: Carries) {
    if lane < (GROUPS - 1u) * BLOCK {
        for (var h = 0u; h < HORIZONTAL; h++) {
            wg_ring[ring(lane / BLOCK, kept_step(lane, first), h)] = words[h];
        }
    }
}

// The words that are under way behind the last step.
fn close_ring(lane: u32, end: u32) -> Carries {
    var words = Carries();
    if GROUPS > 1u {
        workgroupBarrier();
        if lane < (GROUPS - 1u) * BLOCK {
            for (var h = 0u; h < HORIZONTAL; h++) {
                words[h] = wg_ring[ring(lane / BLOCK, kept_step(lane, end), h)];
            }
        }
    }
    return words;
}

fn begin_step(step: u32) {
    if GROUPS > 1u && step % BLOCK == 0u {
        workgroupBarrier();
    }
}

// Whether the lane gets its words at a step from the ring, and the words.
fn from_ring(lane: u32) -> bool {
    return GROUPS > 1u && lane % SUBGROUP == 0u && lane > 0u;
}

fn ring_words(lane: u32, step: u32) -> Carries {
    var words: Carries;
    for (var h = 0u; h < HORIZONTAL; h++) {
        words[h] = wg_ring[ring(lane / SUBGROUP - 1u, step - BLOCK, h)];
    }
    return words;
}

fn end_step(lane: u32, step: u32, words: Carries) {
    if GROUPS > 1u && lane % SUBGROUP == SUBGROUP - 1u && lane < LANES - 1u {
        for (var h = 0u; h < HORIZONTAL; h++) {
            wg_ring[ring(lane / SUBGROUP, step, h)] = words[h];
        }
    }
}

fn hand_over(lane: u32, step: u32, word: u32) -> u32 {
    return subgroupShuffleUp(word, 1u);
}
