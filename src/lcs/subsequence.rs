//! Witness of an LCS: the paired positions of `a` and `b`.

use crate::error::{Error, Result};
pub(crate) use crate::sequences::blocks::Block;
use crate::sequences::blocks::{Blocks, ReplayCounts};

/// A common subsequence: maximal runs of paired symbols, increasing in both positions.
///
/// Positions count symbols from 0. The default value is the empty subsequence.
///
/// ```
/// use swath::{Engine, Lcs, Options};
///
/// let (a, b) = (b"xxABCyy", b"zABCz");
/// let report = Engine::new(Options::default())?.run(&Lcs::of(a, b).path())?;
/// let subsequence = report.subsequence.as_ref().expect("it was asked for");
/// assert_eq!(subsequence.symbols(a)?, b"ABC");
/// subsequence.verify(a, b, 3)?;
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Subsequence(pub(crate) Blocks);

impl Subsequence {
    /// The maximal runs, in order. Each pairs equal symbols of both sequences.
    pub fn blocks(&self) -> &[Block] {
        self.0.as_slice()
    }

    /// Number of paired symbols.
    pub fn len(&self) -> u64 {
        self.0.steps()
    }

    /// True if no symbols are paired.
    pub fn is_empty(&self) -> bool {
        self.blocks().is_empty()
    }

    /// Copies the paired symbols from `a`.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if a run exceeds `a`: it is not the sequence of this answer.
    pub fn symbols<S: Copy>(&self, a: &[S]) -> Result<Vec<S>> {
        let mut symbols = Vec::new();
        for run in self.blocks() {
            let Some(paired) = run.a.checked_add(run.len).and_then(|end| a.get(run.a..end)) else {
                return Err(Error::CertificateFailed(format!(
                    "run {run:?} leaves a sequence of {} symbols",
                    a.len()
                )));
            };
            symbols.extend_from_slice(paired);
        }
        Ok(symbols)
    }

    /// Replays every pair against both sequences and counts the pairs, in linear time.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] if a run is empty, out of range, out of order or pairs unequal
    /// symbols, or if the number of pairs is not `length`.
    pub fn verify<S: PartialEq + Sync>(&self, a: &[S], b: &[S], length: u64) -> Result<()> {
        match self.0.replay(a, b, &(0..b.len()))? {
            ReplayCounts {
                mismatches: unequal @ 1..,
                ..
            } => Err(Error::CertificateFailed(format!(
                "{unequal} pairs of unequal symbols"
            ))),
            ReplayCounts { steps, .. } if steps != length => Err(Error::CertificateFailed(
                format!("{steps} pairs prove a length of {length}"),
            )),
            _ => Ok(()),
        }
    }
}

impl FromIterator<Block> for Subsequence {
    fn from_iter<I: IntoIterator<Item = Block>>(blocks: I) -> Self {
        Self(blocks.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_of_another_sequence_are_refused() {
        let of = |runs: &[(usize, usize)]| -> Subsequence {
            runs.iter()
                .map(|&(a, len)| Block { a, b: a, len })
                .collect()
        };
        let found = of(&[(0, 1), (3, 2)]);
        assert_eq!(found.symbols(b"abcde").expect("it is as long"), b"ade");
        for (runs, a) in [
            (found, &b"abcd"[..]),
            (of(&[(6, 1)]), b"abcde"),
            (of(&[(usize::MAX, 1)]), b"abcde"),
            (of(&[(1, usize::MAX), (3, 1)]), b"abcde"),
        ] {
            assert!(
                matches!(runs.symbols(a), Err(Error::CertificateFailed(_))),
                "{runs:?}"
            );
            assert!(runs.verify(a, a, runs.len()).is_err(), "{runs:?}");
        }
        assert_eq!(
            Subsequence::default()
                .symbols::<u8>(&[])
                .expect("nothing leaves it"),
            []
        );
    }

    #[test]
    fn runs_of_any_size_are_joined_and_counted() {
        let run = |at, len| Block { a: at, b: at, len };
        let found: Subsequence = [
            run(1, usize::MAX),
            run(usize::MAX, usize::MAX),
            run(0, usize::MAX),
        ]
        .into_iter()
        .collect();
        assert_eq!(found.len(), u64::MAX);
    }
}
