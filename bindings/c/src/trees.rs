//! Queries of optimal trees.

use swath::Parenthesize;
use swath::parenthesization::{MatrixChain, RnaFold};

use crate::arguments::{copied, slice};
use crate::query::{Query, created};
use crate::status::{Status, invalid};

/// Creates the query of the cheapest order to multiply a chain of matrices: matrix `i` has
/// `dimensions[i]` rows and `dimensions[i + 1]` columns. Its answer has a cost and the nodes of a
/// tree.
///
///     uint64_t dimensions[4] = {10, 100, 5, 50};
///     if (swath_query_matrix_chain(dimensions, 4, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_matrix_chain(
    dimensions: *const u64,
    len: usize,
    query: *mut *mut Query,
) -> Status {
    let chain = || {
        // SAFETY: the header says what the pointers have to be.
        let dimensions = unsafe { slice(dimensions, len, "dimensions") }?;
        if let Some(index) = dimensions.iter().position(|&dimension| dimension == 0) {
            let message = format!("dimensions[{index}] is 0; every dimension is at least 1");
            return Err(invalid(message));
        }
        let chain = MatrixChain::new(copied(dimensions, "dimensions")?);
        Ok(Parenthesize::of(chain).into())
    };
    // SAFETY: as above.
    unsafe { created(query, chain) }
}

/// Creates the query of the fold of an RNA sequence with the most base pairs, with at least
/// `min_loop` bases between the two of a pair. Its answer has a cost, the number of pairs, and the
/// nodes of a tree; a node without a split is a pair of its first and its last base.
///
///     if (swath_query_rna_fold("GGGAAACCC", 9, 3, &query) != SWATH_OK)
///         fprintf(stderr, "%s\n", swath_error_message());
#[unsafe(no_mangle)]
pub unsafe extern "C" fn swath_query_rna_fold(
    bases: *const std::ffi::c_char,
    len: usize,
    min_loop: usize,
    query: *mut *mut Query,
) -> Status {
    let fold = || {
        // SAFETY: the header says what the pointers have to be.
        let bases = unsafe { slice(bases.cast::<u8>(), len, "bases") }?;
        Ok(Parenthesize::of(RnaFold::new(bases, min_loop)?).into())
    };
    // SAFETY: as above.
    unsafe { created(query, fold) }
}
