//! PTX with its registers counted from one another, which compresses to little more than half: the copies of an unrolled loop, whose
//! registers differ, become alike.
//!
//! A register's number becomes its difference to the last one of its kind that stood first in a line, which mostly is what the line before
//! has written or this one writes.

use std::collections::HashMap;
use std::io::Write;

/// Which way numbers are rewritten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    ToRelative,
    ToAbsolute,
}

/// With differences in the place of numbers.
pub(super) fn relative(ptx: &[u8]) -> Vec<u8> {
    rewritten(ptx, Way::ToRelative)
}

/// The PTX that became this.
pub(super) fn absolute(relative: &[u8]) -> Vec<u8> {
    rewritten(relative, Way::ToAbsolute)
}

fn rewritten(text: &[u8], way: Way) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 4);
    let mut firsts: HashMap<&[u8], i64> = HashMap::new();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let (mut rest, mut is_first) = (line, true);
        while let Some(start) = rest.iter().position(|&byte| byte == b'%') {
            let letters = start + 1 + length(&rest[start + 1..], u8::is_ascii_alphabetic);
            let sign = usize::from(way == Way::ToAbsolute && rest.get(letters) == Some(&b'-'));
            let end = letters + sign + length(&rest[letters + sign..], u8::is_ascii_digit);
            let (kind, number) = (&rest[start..letters], &rest[letters..end]);
            out.extend_from_slice(&rest[..letters]);
            match std::str::from_utf8(number)
                .ok()
                .and_then(|number| number.parse::<i64>().ok())
            {
                Some(number) => {
                    let first = firsts.entry(kind).or_default();
                    let (absolute, written) = match way {
                        Way::ToRelative => (number, number.wrapping_sub(*first)),
                        Way::ToAbsolute => (first.wrapping_add(number), first.wrapping_add(number)),
                    };
                    if is_first {
                        *first = absolute;
                    }
                    is_first = false;
                    // Writing into memory does not fail.
                    let _ = write!(out, "{written}");
                }
                None => out.extend_from_slice(number),
            }
            rest = &rest[end..];
        }
        out.extend_from_slice(rest);
    }
    out
}

/// How many bytes at the beginning are of a kind.
fn length(bytes: &[u8], is_one: fn(&u8) -> bool) -> usize {
    bytes
        .iter()
        .position(|byte| !is_one(byte))
        .unwrap_or(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_of_a_loop_become_alike_and_come_back_as_they_were() {
        let copy = |first: u32| {
            format!(
                "\tadd.s32 \t%r{}, %r{first}, 1;\n\tmov.u32 %rd{first}, %tid.x;\n",
                first + 1
            )
        };
        let ptx = format!(".reg .b32 \t%r<90>;\n{}{}{}%", copy(7), copy(8), copy(9));
        let relative = relative(ptx.as_bytes());
        let copies: Vec<_> = relative.split(|&byte| byte == b'\n').collect();
        assert_eq!(
            copies[3..5],
            copies[5..7],
            "{}",
            String::from_utf8_lossy(&relative)
        );
        assert_eq!(absolute(&relative), ptx.as_bytes());
    }

    #[test]
    fn any_bytes_are_rewritten_and_ptx_comes_back_as_it_was() {
        bolero::check!()
            .with_type::<(Vec<u8>, Vec<(u8, u8, u32)>)>()
            .for_each(|(bytes, registers)| {
                for text in [
                    bytes.clone(),
                    bytes
                        .iter()
                        .map(|&byte| b"%%rdp-0197\n, \xff"[usize::from(byte) % 14])
                        .collect(),
                ] {
                    relative(&text);
                    absolute(&text);
                }
                // A separator, a kind and a number each.
                let ptx: Vec<u8> = registers
                    .iter()
                    .flat_map(|&(separator, kind, number)| {
                        let separator =
                            [", ", ";\n\tadd.s32 ", "\n", "-", " 7"][usize::from(separator) % 5];
                        let kind = ["%r", "%rd", "%p", "%f", "%tid.x", "%"][usize::from(kind) % 6];
                        format!("{separator}{kind}{number}").into_bytes()
                    })
                    .collect();
                assert_eq!(
                    absolute(&relative(&ptx)),
                    ptx,
                    "{}",
                    String::from_utf8_lossy(&ptx)
                );
            });
    }

    #[test]
    fn registers_at_the_edges_are_rewritten() {
        for text in [
            &b""[..],
            b"%",
            b"%r",
            b"%r-",
            b"%r99999999999999999999999",
            b"%-1",
            b"\xff%r\xff",
            b"a%r-9\n%r5%r",
        ] {
            relative(text);
            absolute(text);
        }
    }
}
