// sort/payload_none: keys without payload.
//
// Twin:     payload_u32.cu.
constexpr bool PAYLOAD = false;

DEVICE u32 load_payload(const Arguments& at, u32 place) {
    return 0u;
}

DEVICE void store_payload(const Arguments& at, u32 place, u32 value) {}
