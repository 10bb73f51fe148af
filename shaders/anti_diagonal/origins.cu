// anti_diagonal/origins: tracks the origin of each cell on the canonical path of a supersequence.
//
// Origin, recurrence, position, stored: as in origins.wgsl.
BINDING(3, u32, origins)    // [3][rows + 1], like the diagonals
BINDING(4, u32, stored)     // [segments - 1][columns + 1][2]

constexpr u32 NOT_STORED = 0xffffffffu;

template <class P> DEVICE void trace(const Arguments& at, const P& params, u32 row, bool up, bool equal) {
    const bool across = !up && equal;
    const u32 back = select(1u, 2u, across);
    const u32 from_row = select(row, row - 1u, up || equal);
    u32 origin = 2u * (params.diagonal - back - from_row) + back - params.behind;
    if (params.behind > back) {
        origin = origins(at)[select(params.before, params.before_2, across) + from_row];
    }
    origins(at)[params.now + row] = origin;
    if (params.stored != NOT_STORED) {
        stored(at)[params.stored + 2u * (params.diagonal - row)] = origin;
    }
}
