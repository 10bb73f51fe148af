// pairs/keep_windows: keeps the differences before the first column of every block, for
// pairs/traceback.
//
// Layout: [block][limb][vp, vn][lane] per workgroup.
@group(0) @binding(3) var<storage, read> places: array<vec4<u32>>;    // as in pairs/traceback
@group(0) @binding(4) var<storage, read_write> windows: array<u32>;

fn keep_window(entry: u32, block: u32, window: ptr<function, Window>) {
    let first = places[entry].x + block * LIMBS * 2u * LANES;
    for (var limb = 0u; limb < LIMBS; limb++) {
        windows[first + 2u * limb * LANES] = (*window).vp[limb];
        windows[first + (2u * limb + 1u) * LANES] = (*window).vn[limb];
    }
}
