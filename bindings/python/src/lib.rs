//! Python module `swath._swath`. The package `swath` in `python/` re-exports it.

mod arrow;
mod call;
mod counts;
mod edlib;
mod engines;
mod errors;
mod lists;
mod matrix;
mod neighbors;
mod output;
mod pairs;
mod score;
mod search;
mod single;
mod symbols;
mod witness;

use pyo3::prelude::*;

#[pymodule]
mod _swath {
    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
    #[pymodule_export]
    use super::arrow::arrow_stream;
    #[pymodule_export]
    use super::counts::counts;
    #[pymodule_export]
    use super::edlib::align;
    #[pymodule_export]
    use super::engines::{Device, devices};
    #[pymodule_export]
    use super::lists::Choices;
    #[pymodule_export]
    use super::matrix::{cdist, cpdist};
    #[pymodule_export]
    use super::neighbors::{clusters, neighbors};
    #[pymodule_export]
    use super::pairs::{extract, pairs};
    #[pymodule_export]
    use super::search::search;
    #[pymodule_export]
    use super::single::{distance, normalized_distance, normalized_similarity, similarity};
    #[pymodule_export]
    use super::witness::{
        Alignment, CommonSubsequence, CommonSubstring, CommonSupersequence, MatrixChainOrder, edit,
        lcs, matrix_chain, scs, substring,
    };
}
