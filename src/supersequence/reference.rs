//! Reference implementation: both inputs merged along the path of the plain LCS table. The oracle of
//! the tests; shares no code with the other methods.

use crate::lcs::reference;
use crate::lcs::subsequence::Subsequence;

/// Length of the SCS. Cost: `a.len() * b.len()` steps.
pub fn length<S: PartialEq>(a: &[S], b: &[S]) -> u64 {
    (a.len() + b.len()) as u64 - reference::length(a, b)
}

/// Symbols of an SCS that serve both inputs. Cost: `a.len() * b.len()` steps and 32-bit entries.
///
/// Tie-break: walks back from the last cell and takes a symbol of `a` alone if that is optimal,
/// otherwise a shared symbol, otherwise a symbol of `b` alone.
pub fn shared<S: PartialEq>(a: &[S], b: &[S]) -> Subsequence {
    reference::subsequence(a, b)
}
