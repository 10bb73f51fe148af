// sort/payload_u32: a word that goes with each key.
//
// Twin:     payload_none.wgsl.
const PAYLOAD = true;

@group(0) @binding(4) var<storage, read> payload: array<u32>;               // [keys of the chunk]
@group(0) @binding(5) var<storage, read_write> sorted_payload: array<u32>;  // [keys of the chunk that is written]

fn load_payload(at: u32) -> u32 {
    return payload[at];
}

fn store_payload(at: u32, value: u32) {
    sorted_payload[at] = value;
}
