//! Internals for tests and benchmarks. Not part of the public interface: anything may change in any
//! version.
#![allow(missing_docs)]

pub mod backend {
    pub use crate::backend::*;
}

pub mod call {
    pub use crate::call::*;
}

pub mod engine {
    pub use crate::engine::*;
}

pub mod kernels {
    pub use crate::kernels::*;
}

pub mod measure {
    pub use crate::measure::*;
}

pub mod sequences {
    pub use crate::sequences::*;
}

pub mod papers {
    pub use crate::papers::*;
}

pub mod plan {
    pub use crate::plan::*;
}

pub mod lcs {
    pub use crate::lcs::options::LcsOptions;
    pub use crate::sequences::tuning::Tuning;

    pub mod gpu {
        pub use crate::lcs::gpu::*;
    }

    pub mod reference {
        pub use crate::lcs::reference::*;
    }
}

pub mod edit_distance {
    pub use crate::edit_distance::options::EditOptions;

    pub mod gpu {
        pub use crate::edit_distance::gpu::*;
    }

    pub mod reference {
        pub use crate::edit_distance::reference::*;
    }

    pub mod wavefront {
        pub use crate::edit_distance::wavefront::*;
    }
}

pub mod supersequence {
    pub use crate::supersequence::options::ScsOptions;

    pub mod midpoints {
        pub use crate::supersequence::ways::cells;
    }

    pub mod reference {
        pub use crate::supersequence::reference::*;
    }
}

pub mod pairs {
    pub use crate::pairs::gpu::embedded::kernels as embedded_kernels;

    pub mod reference {
        pub use crate::pairs::reference::*;
    }
}

pub mod search {
    pub use crate::search::gpu::embedded_kernels;
    pub use crate::search::selftest::selftest_of;
}

pub mod neighbors {
    pub use crate::neighbors::gpu::embedded_kernels;
    pub use crate::neighbors::selftest::selftest_of;
}

pub mod parenthesization {
    pub use crate::parenthesization::gpu::Tuning;
    pub use crate::parenthesization::options::ParenthesizationOptions;

    pub mod gpu {
        pub use crate::parenthesization::gpu::*;
    }

    pub mod reference {
        pub use crate::parenthesization::reference::*;
    }
}

pub mod substring {
    pub use crate::substring::options::SubstringOptions;
    pub use crate::substring::query::{LongestSubstrings, SubstringQuery};
    pub use crate::substring::texts::Code;

    pub mod reference {
        pub use crate::substring::reference::*;
    }

    pub mod search {
        pub use crate::substring::search::*;
    }

    pub mod gpu {
        pub use crate::substring::gpu::*;
    }
}

pub mod sort {
    pub use crate::sort::key::{Digit, digits};
    pub use crate::sort::shape::SortTuning;
    pub use crate::sort::sizes::{KeyArrays, SortSizes};

    pub mod gpu {
        pub use crate::sort::gpu::*;
    }

    pub mod reference {
        pub use crate::sort::reference::*;
    }
}
