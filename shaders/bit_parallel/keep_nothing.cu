// bit_parallel/keep_nothing: keeps no boundaries, for sweeps that need the last column only.
struct Kept {};

DEVICE void keep_start(const Arguments& at, const Replay& replay, u32 lane, const Differences& v, const Carries& in_flight) {}

DEVICE void keep_above(const Arguments& at, const Replay& replay, u32 h, u32 step, u32 word) {}

DEVICE void keep_step(const Arguments& at, const Replay& replay, u32 lane, u32 step, const Differences& v) {}

DEVICE void keep_carries(Kept& kept, u32 step, const Carries& carries) {}

DEVICE void keep_limb(Kept& kept, u32 limb, Carries carries) {}

DEVICE void keep_pairs(const Arguments& at, Kept& kept, const Replay& replay, u32 lane, u32 step, bool last) {}
