//! Headers of NumPy files, format 1.0.

use super::place::Place;

const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
/// Alignment of the data.
const ALIGNMENT: usize = 64;
/// Bytes before the description.
pub const PREFIX: usize = 10;

/// Header of an array. A part has its place in a comment behind the description.
pub fn header(kind: &str, shape: &[u64], place: Option<Place>) -> Vec<u8> {
    let lens: String = shape.iter().map(|len| format!("{len}, ")).collect();
    let shape = match shape.len() {
        1 => lens.trim_end(),
        _ => lens.trim_end_matches(", "),
    };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    if let Some(place) = place {
        text += &format!("  # {place}");
    }
    let unpadded = PREFIX + text.len() + 1;
    text += &" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded);
    let mut header = MAGIC.to_vec();
    header.extend((text.len() as u16 + 1).to_le_bytes());
    header.extend(text.as_bytes());
    header.push(b'\n');
    header
}
