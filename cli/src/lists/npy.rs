//! Headers of NumPy files, format 1.0.

use std::io::{self, Read};

use super::part_range::PartRange;

pub const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";
const ALIGNMENT: usize = 64;
/// Bytes before the description.
const PREFIX: usize = 10;

/// Type of values; wider ones are greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    U8,
    U16,
    U32,
    F32,
}

impl Kind {
    const ALL: [Self; 4] = [Self::U8, Self::U16, Self::U32, Self::F32];

    pub fn name(self) -> &'static str {
        match self {
            Self::U8 => "|u1",
            Self::U16 => "<u2",
            Self::U32 => "<u4",
            Self::F32 => "<f4",
        }
    }

    pub fn bytes(self) -> usize {
        match self {
            Self::U8 => 1,
            Self::U16 => 2,
            Self::U32 | Self::F32 => 4,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    pub kind: Kind,
    pub shape: Vec<u64>,
    pub range: Option<PartRange>,
    pub size_bytes: u64,
}

impl Head {
    /// `None` for headers that swath does not write.
    pub fn read(file: &mut impl Read) -> io::Result<Option<Self>> {
        let mut prefix = [0; PREFIX];
        file.read_exact(&mut prefix)?;
        let len = u16::from_le_bytes([prefix[8], prefix[9]]);
        let mut text = vec![0; len.into()];
        file.read_exact(&mut text)?;
        let text = String::from_utf8_lossy(&text);
        Ok(Self::parse(&text, PREFIX as u64 + u64::from(len)))
    }

    fn parse(text: &str, size_bytes: u64) -> Option<Self> {
        let (_, rest) = text.split_once("'descr': '")?;
        let (kind, rest) = rest.split_once('\'')?;
        let (_, rest) = rest.split_once("'fortran_order': False, 'shape': (")?;
        let (lens, rest) = rest.split_once(')')?;
        let lens = lens.split(',').map(str::trim).filter(|len| !len.is_empty());
        let shape: Vec<u64> = lens.map(|len| len.parse().ok()).collect::<Option<_>>()?;
        let range = rest.split_once('#').map(|(_, range)| range);
        let is_sized = shape
            .iter()
            .try_fold(4u64, |size, &len| size.checked_mul(len));
        Some(Self {
            kind: Kind::ALL.into_iter().find(|known| known.name() == kind)?,
            range: range.and_then(PartRange::parse),
            shape: Some(shape).filter(|shape| !shape.is_empty() && is_sized.is_some())?,
            size_bytes,
        })
    }

    pub fn data_bytes(&self) -> u64 {
        self.shape.iter().product::<u64>() * self.kind.bytes() as u64
    }
}

/// Header of an array. A part has its range in a comment after the description.
pub fn header(kind: &str, shape: &[u64], range: Option<PartRange>) -> Vec<u8> {
    let lens: String = shape.iter().map(|len| format!("{len}, ")).collect();
    let shape = match shape.len() {
        1 => lens.trim_end(),
        _ => lens.trim_end_matches(", "),
    };
    let mut text = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    if let Some(range) = range {
        text += &format!("  # {range}");
    }
    let unpadded = PREFIX + text.len() + 1;
    text += &" ".repeat(unpadded.next_multiple_of(ALIGNMENT) - unpadded);
    let mut header = MAGIC.to_vec();
    header.extend((text.len() as u16 + 1).to_le_bytes());
    header.extend(text.as_bytes());
    header.push(b'\n');
    header
}
