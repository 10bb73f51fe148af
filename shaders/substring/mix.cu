// substring/mix: seeded 32-bit hashes of keys.
//
// Method:   the finalizer of MurmurHash3 (Appleby 2008), twice, so that no two keys collide for all
//           seeds.
DEVICE u32 finalize(u32 number) {
    u32 mixed = (number ^ (number >> 16u)) * 0x85ebca6bu;
    mixed = (mixed ^ (mixed >> 13u)) * 0xc2b2ae35u;
    return mixed ^ (mixed >> 16u);
}

DEVICE u32 hash_of(u64 key, u32 seed) {
    return finalize(finalize(static_cast<u32>(key) + seed) + static_cast<u32>(key >> 32u));
}
