//! NumPy arrays, format 1.0.

/// Alignment of the data of a file.
const ALIGNMENT: usize = 64;
/// Bytes of a file before its description.
const PREFIX: usize = 10;

/// Appends the header of an array of this kind and shape.
pub fn write_header(kind: &str, shape: &[usize], out: &mut Vec<u8>) {
    let lens: String = shape.iter().map(|len| format!("{len}, ")).collect();
    let shape = match shape.len() {
        1 => lens.trim_end(),
        _ => lens.trim_end_matches(", "),
    };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    let unpadded = PREFIX + text.len() + 1;
    text += &" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded);
    out.extend(b"\x93NUMPY\x01\x00");
    out.extend((text.len() as u16 + 1).to_le_bytes());
    out.extend(text.as_bytes());
    out.push(b'\n');
}
