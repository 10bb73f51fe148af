// bit_parallel/from_pass: boundaries of the strips of one pass over the whole table.
//
// Boundary: as in from_pass.wgsl.
// Grid:     one workgroup per strip of any pass of the launch; it processes its strip in all
//           passes.
// Part of:  strip_sweep.cu. Twin: from_checkpoint.cu.
struct Params {
    u32 first_strip;    // of this pass
    u32 last_strip;     // inclusive
    u32 strips;         // of one direction's table
    u32 directions;
    u32 words;          // column words of one direction
    u32 pass_step;      // steps before this pass, at strip 0
    u32 lag;            // steps by which a strip lags the one above
    u32 direction_words; // column words of one direction, including padding
    u32 checkpoint_strip;     // stored: first strip of the checkpoint
    u32 checkpoint_strips;    // stored: strips of the checkpoint
    u32 checkpoint_words;     // stored: start of the checkpoint in its buffer
    u32 checkpoint_step;      // stored: steps of the checkpoint before this pass
};

constexpr u32 LANE_WORDS = VERTICAL * LIMBS + HORIZONTAL;

// True if the strips of all passes of a launch run concurrently; otherwise each waits for the
// previous launch.
constexpr bool FLOWS = PASSES > 1u;

BINDING(0, u32, state)    // [direction][strip][LANE_WORDS][lane]
BINDING(3, u32, above)    // [HORIZONTAL][direction][LANES + words + LANES]

struct Turn {
    u32 strip;
    u32 direction;
    u32x2 words;    // column words of the strip: first, end
    u32 awaited;    // end of the words that it receives from the strip above in this launch
};

// A strip in one of the passes.
struct Replay : Turn {
    bool used;
    u32 pass;
    i32 begin;      // column word of lane 0 at the first step
};

// In a chained launch strips are assigned in order, so that the strip above was started earlier.
__shared__ u32 wg_turn;

DEVICE Turn take_turn(const Arguments& at) {
    const Params& params = PARAMS(at);
    u32 strip = params.first_strip + group().y * groups().x + group().x;
    u32 direction = group().z;
    if (FLOWS) {
        if (lane() == 0u) {
            wg_turn = atomicAdd(at.turns, 1u) - at.taken;
        }
        const u32 turn = workgroup_uniform_load(&wg_turn);
        strip = at.first + turn / params.directions;
        direction = turn % params.directions;
    }
    // The last workgroup may lie after the last strip.
    const u32x2 words = span(at, params, direction, min(strip, params.strips - 1u));
    const u32x2 words_above = span(at, params, direction, max(min(strip, params.strips), 1u) - 1u);
    // Limited to the words that this strip takes in this launch: the strip above may produce no
    // more.
    const u32 reached = PARAMS_OF(at, at.passes - 1u).pass_step + STEPS;
    const u32 taken = reached - min(reached, strip * params.lag);
    const u32 awaited = strip > 0u ? min(min(words.y, words_above.y), taken) : 0u;
    return {strip, direction, words, max(awaited, words.x)};
}

DEVICE Replay locate(const Arguments& at, const Turn& turn, u32 pass) {
    const Params& params = PARAMS_OF(at, pass);
    const i32 begin = i32(params.pass_step) - i32(turn.strip * params.lag);
    const bool used = params.first_strip <= turn.strip && turn.strip <= params.last_strip && turn.words.x < turn.words.y;
    return {turn, used, pass, begin};
}

DEVICE u32 place(const Arguments& at, const Replay& replay, u32 i, u32 lane) {
    return ((replay.direction * PARAMS(at).strips + replay.strip) * LANE_WORDS + i) * LANES + lane;
}

DEVICE u32 load_word(const Arguments& at, const Replay& replay, u32 i, u32 lane) {
    return state(at)[place(at, replay, i, lane)];
}

DEVICE void store_word(const Arguments& at, const Replay& replay, u32 i, u32 lane, u32 word) {
    state(at)[place(at, replay, i, lane)] = word;
}

DEVICE u32* above_row(const Arguments& at, const Replay& replay, u32 h) {
    const Params& params = PARAMS(at);
    return above(at) + ((h * params.directions + replay.direction) * (params.words + 2u * LANES) + LANES);
}

DEVICE u32 load_above(const Arguments& at, const Replay& replay, u32 h, u32 step) {
    return above_row(at, replay, h)[step];
}

DEVICE void store_below(const Arguments& at, const Replay& replay, u32 h, u32 place, u32 word) {
    above_row(at, replay, h)[place] = word;
}

DEVICE void keep_above(const Arguments& at, const Replay& replay, u32 h, u32 step, u32 word);

// Strips of a launch follow each other word by word. Each stores its words with its number, counted
// from 1, above the carries; the strip below waits until it sees that number. AHEAD words are
// requested at once, AHEAD steps before their use. The strip above, `lag` steps ahead, has stored
// them by then unless it waits itself.
struct Following {
    static constexpr u32 AHEAD = 6u;
    bool begun;
    u32 upcoming;              // first step of the requested words
    Words<HORIZONTAL> next;    // requested words, one per lane, if available
    Words<HORIZONTAL> now;     // current words, reversed; the next one is in lane 0
    u32* row[HORIZONTAL];
    u32 last;                  // last word of the rows

    DEVICE void open(const Arguments& at, const Replay& replay, u32 lane, u32 first, u32 end) {
        if (!begun) {
            begun = true;
#pragma unroll
            for (u32 h = 0u; h < HORIZONTAL; h++) {
                row[h] = kept_in_registers(above_row(at, replay, h));
            }
            last = kept_in_registers(PARAMS(at).words + LANES - 1u);
            upcoming = first;
            next = ask(lane);
        }
    }

    DEVICE void reach(const Arguments& at, const Replay& replay, u32 lane, u32 step) {
        if (step != upcoming) {
            return;
        }
        while (true) {
#pragma unroll
            for (u32 h = 0u; h < HORIZONTAL; h++) {
                now[h] = reversed(next[h], COLUMNS);
            }
            if (subgroupAll(has_come(replay, lane))) {
                break;
            }
            next = ask(lane);
        }
        upcoming += AHEAD;
        next = ask(lane);
    }

    DEVICE u32 until(u32 end) { return min(end, upcoming); }

    DEVICE u32 above(const Arguments& at, const Replay& replay, u32 lane, u32 h, u32 step, u32 first) {
        const u32 word = now[h];
        now[h] = subgroupShuffleDown(word, 1u);
        if (lane == 0u) {
            keep_above(at, replay, h, u32(i32(step) - replay.begin), reversed(word, COLUMNS));
        }
        return word;
    }

    // Called for the last lane, which is LANES - 1 words behind.
    DEVICE void below(const Arguments& at, const Replay& replay, u32 h, u32 step, u32 first, u32 word) {
        if (step + 1u >= replay.words.x + LANES) {
            store_relaxed(row[h] + (step + 1u - LANES), __funnelshift_r(__brev(word), replay.strip + 1u, 32u - COLUMNS));
        }
    }

    DEVICE void close(const Arguments& at, const Replay& replay, u32 lane, u32 first, u32 end) {}

    DEVICE Words<HORIZONTAL> ask(u32 lane) {
        Words<HORIZONTAL> asked;
#pragma unroll
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            asked[h] = load_relaxed(row[h] + min(upcoming + lane % AHEAD, last));
        }
        return asked;
    }

    DEVICE bool has_come(const Replay& replay, u32 lane) {
        const u32 word = upcoming + lane % AHEAD - replay.words.x;
        bool has_come = true;
#pragma unroll
        for (u32 h = 0u; h < HORIZONTAL; h++) {
            has_come = has_come && ((next[h] >> (COLUMNS % 32u)) ^ replay.strip) << (COLUMNS % 32u) == 0u;
        }
        // Words before the strip's own are not awaited either.
        return has_come || word >= replay.awaited - replay.words.x;
    }
};

template <class Staged> using Between = Choose<FLOWS, Following, Staged>;
