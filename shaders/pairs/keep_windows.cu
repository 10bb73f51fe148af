// pairs/keep_windows: keeps the differences before the first column of every block, for
// pairs/traceback.
//
// Layout: as in keep_windows.wgsl.
BINDING(3, const u32x4, places)    // as in pairs/traceback
BINDING(4, u32, windows)

template <class Window> DEVICE void keep_window(const Arguments& at, u32 entry, u32 block, const Window& window) {
    const u32 first = places(at)[entry].x + block * LIMBS * 2u * LANES;
#pragma unroll
    for (u32 limb = 0u; limb < LIMBS; limb++) {
        windows(at)[first + 2u * limb * LANES] = window.vp[limb];
        windows(at)[first + (2u * limb + 1u) * LANES] = window.vn[limb];
    }
}
