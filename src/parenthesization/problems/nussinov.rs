//! RNA folding by maximum number of base pairs.

use crate::error::{Error, Result};
use crate::parenthesization::problem::{Goal, Problem, Shader};

/// RNA sequence. The best fold maximizes the number of non-crossing pairs A-U, C-G and G-U with at
/// least `least_loop` bases between the two of a pair. Leaves are bases; enclosures are pairs.
///
/// Source: Nussinov et al. 1978, doi:10.1137/0135006.
///
/// ```
/// use swath::parenthesization::RnaFold;
/// use swath::{Engine, Options, Parenthesize};
///
/// let hairpin = RnaFold::new(b"GGGAAACCC", 3)?;
/// assert_eq!(Engine::new(Options::default())?.run(&Parenthesize::of(&hairpin))?.cost, 3);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RnaFold {
    codes: Vec<u64>,
    least_loop: usize,
}

/// Code of bases that never pair.
const NONE: u64 = 8;

impl RnaFold {
    /// The sequence of these bases: upper or lower case, with DNA's T read as U. IUPAC codes of
    /// several bases, `I`, `P` and `X` of modified ones, `-` and `.` never pair.
    ///
    /// # Errors
    /// [`Error::InvalidWeight`] for any other byte, such as the letters `E`, `F` and `L` of proteins.
    pub fn new(bases: &[u8], least_loop: usize) -> Result<Self> {
        // Codes pair if their sum is 3 or 5.
        let code = |(index, base): (usize, &u8)| match base.to_ascii_uppercase() {
            b'A' => Ok(0),
            b'C' => Ok(1),
            b'G' => Ok(2),
            b'U' | b'T' => Ok(3),
            b'B' | b'D' | b'H' | b'I' | b'K' | b'M' | b'N' | b'P' | b'R' | b'S' | b'V' | b'W'
            | b'X' | b'Y' | b'-' | b'.' => Ok(NONE),
            _ => Err(Error::InvalidWeight {
                what: format!("base {}", index + 1),
                reason: format!(
                    "'{}' is no letter of RNA or DNA",
                    char::from(*base).escape_default()
                ),
            }),
        };
        let mut codes = Vec::with_capacity(bases.len());
        for base in bases.iter().enumerate() {
            codes.push(code(base)?);
        }
        Ok(Self { codes, least_loop })
    }
}

impl Problem for RnaFold {
    type Value = u64;
    const GOAL: Goal = Goal::Greatest;
    const ITEMS: &'static str = "bases";
    const ENCLOSES: bool = true;

    fn leaves(&self) -> usize {
        self.codes.len()
    }

    #[inline(always)]
    fn weight(&self, _i: usize, _k: usize, _j: usize) -> u64 {
        0
    }

    fn enclosure(&self, i: usize, j: usize) -> Option<u64> {
        let pairs = matches!(self.codes[i] + self.codes[j - 1], 3 | 5);
        (pairs && j - i >= self.least_loop.saturating_add(2)).then_some(1)
    }

    fn greatest_weight(&self) -> u64 {
        1
    }

    fn inputs(&self) -> Vec<u64> {
        // No sequence is this long, and two more still fit 32 bits.
        let least_loop = self.least_loop.min(u32::MAX as usize / 2) as u64;
        [&[least_loop], &self.codes[..]].concat()
    }

    fn shader(&self) -> Option<Shader> {
        Some(Shader::library(
            "parenthesization/nussinov",
            self.leaves(),
            self.codes.len() + 1,
        ))
    }
}
