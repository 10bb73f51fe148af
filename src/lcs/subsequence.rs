//! The witness: which symbols of `a` pair with which of `b`.

use crate::error::{Error, Result};
pub use crate::pairwise::blocks::Block;
use crate::pairwise::blocks::{Blocks, Replayed};

/// A common subsequence as maximal runs of pairs, in increasing order of both positions.
///
/// ```
/// use swath::{Engine, Lcs, Options};
///
/// let (a, b) = (b"xxABCyy", b"zABCz");
/// let report = Engine::new(Options::default())?.run(&Lcs::of(a, b).path())?;
/// let subsequence = report.subsequence.as_ref().expect("it was asked for");
/// assert_eq!(subsequence.symbols(a).collect::<Vec<_>>(), b"ABC");
/// subsequence.verify(a, b, 3)?;
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Subsequence(pub(crate) Blocks);

impl Subsequence {
    /// The runs, maximal and in order: symbols of a run are equal in both sequences.
    pub fn blocks(&self) -> &[Block] {
        self.0.as_slice()
    }

    /// Number of paired symbols.
    pub fn len(&self) -> u64 {
        self.0.steps()
    }

    /// Whether nothing is paired.
    pub fn is_empty(&self) -> bool {
        self.blocks().is_empty()
    }

    /// The paired symbols themselves, taken from `a`.
    pub fn symbols<'a, S: Copy>(&'a self, a: &'a [S]) -> impl Iterator<Item = S> + 'a {
        self.blocks().iter().flat_map(move |block| a[block.a..block.a + block.len].iter().copied())
    }

    /// The certificate: replays every pair against both sequences and counts them.
    ///
    /// # Errors
    /// [`Error::CertificateFailed`] when a run is empty, out of range, out of order or pairs unequal symbols, or when the
    /// number of pairs is not `length`.
    pub fn verify<S: PartialEq + Sync>(&self, a: &[S], b: &[S], length: u64) -> Result<()> {
        match self.0.replay(a, b, &(0..b.len()))? {
            Replayed { mismatches: unequal @ 1.., .. } => {
                Err(Error::CertificateFailed(format!("{unequal} pairs of unequal symbols")))
            }
            Replayed { steps, .. } if steps != length => {
                Err(Error::CertificateFailed(format!("{steps} pairs prove a length of {length}")))
            }
            _ => Ok(()),
        }
    }
}

impl FromIterator<Block> for Subsequence {
    fn from_iter<I: IntoIterator<Item = Block>>(blocks: I) -> Self {
        Self(blocks.into_iter().collect())
    }
}
