// sort/payload_u32: a word that goes with each key.
//
// Twin:     payload_none.cu.
constexpr bool PAYLOAD = true;

BINDING(4, const u32, payload)      // [keys of the chunk]
BINDING(5, u32, sorted_payload)     // [keys of the chunk that is written]

DEVICE u32 load_payload(const Arguments& at, u32 place) {
    return payload(at)[place];
}

DEVICE void store_payload(const Arguments& at, u32 place, u32 value) {
    sorted_payload(at)[place] = value;
}
