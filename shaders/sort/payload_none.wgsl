// sort/payload_none: keys without payload.
//
// Twin:     payload_u32.wgsl.
const PAYLOAD = false;

fn load_payload(at: u32) -> u32 {
    return 0u;
}

fn store_payload(at: u32, value: u32) {
}
