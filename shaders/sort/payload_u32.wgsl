// sort/payload_u32: keys with a 32-bit payload.
//
// Twin:     payload_none.wgsl.
const PAYLOAD = true;

@group(0) @binding(4) var<storage, read> payload: array<u32>;               // [keys of the chunk]
// [keys of the destination chunk]
@group(0) @binding(5) var<storage, read_write> sorted_payload: array<u32>;

fn load_payload(at: u32) -> u32 {
    return payload[at];
}

fn store_payload(at: u32, value: u32) {
    sorted_payload[at] = value;
}
