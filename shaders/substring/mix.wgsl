// substring/mix: seeded 32-bit hashes of keys.
//
// Method:   the finalizer of MurmurHash3 (Appleby 2008), twice, so that no two keys collide for all
//           seeds.
fn finalize(number: u32) -> u32 {
    var mixed = (number ^ (number >> 16u)) * 0x85ebca6bu;
    mixed = (mixed ^ (mixed >> 13u)) * 0xc2b2ae35u;
    return mixed ^ (mixed >> 16u);
}

fn hash_of(key: vec2<u32>, seed: u32) -> u32 {
    return finalize(finalize(key.x + seed) + key.y);
}
