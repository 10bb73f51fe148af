// sort/payload_u32: keys with a 32-bit payload.
//
// Twin:     payload_none.cu.
constexpr bool PAYLOAD = true;

BINDING(4, const u32, payload)      // [keys of the chunk]
BINDING(5, u32, sorted_payload)     // [keys of the destination chunk]

DEVICE u32 load_payload(const Arguments& at, u32 place) {
    return payload(at)[place];
}

DEVICE void store_payload(const Arguments& at, u32 place, u32 value) {
    sorted_payload(at)[place] = value;
}
