//! Matrix chain multiplication.

use super::products;
use crate::parenthesization::problem::{Problem, Shader, Split};

/// Matrix chain: matrix `i` has `dimensions[i]` rows and `dimensions[i + 1]` columns. The cost is
/// the number of scalar multiplications, `dimensions[i] * dimensions[k] * dimensions[j]` per
/// product.
///
/// Source: Godbole 1973, doi:10.1109/TC.1973.5009182.
///
/// ```
/// use swath::parenthesization::MatrixChain;
/// use swath::{Engine, Options, Parenthesize};
///
/// let chain = MatrixChain::new(vec![10, 100, 5, 50]);
/// let report = Engine::new(Options::default())?.run(&Parenthesize::of(&chain))?;
/// assert_eq!((report.cost, report.in_order), (7_500, Some(7_500)));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixChain {
    dimensions: Vec<u64>,
    narrow: bool,
}

impl MatrixChain {
    /// The chain with these dimensions; fewer than two are an empty chain.
    pub fn new(dimensions: Vec<u64>) -> Self {
        Self {
            narrow: products::are_narrow(&dimensions),
            dimensions,
        }
    }
}

impl Problem for MatrixChain {
    type Value = u64;
    const ITEMS: &'static str = "matrices";

    fn leaves(&self) -> usize {
        self.dimensions.len().saturating_sub(1)
    }

    #[inline(always)]
    fn weight(&self, i: usize, k: usize, j: usize) -> u64 {
        products::weight(&self.dimensions, i, k, j)
    }

    fn greatest_weight(&self) -> u64 {
        products::greatest_weight(&self.dimensions)
    }

    fn inputs(&self) -> Vec<u64> {
        self.dimensions.clone()
    }

    fn shader(&self) -> Option<Shader> {
        Some(products::shader(&self.dimensions, self.narrow))
    }

    fn dimensions(&self) -> Option<&[u64]> {
        Some(&self.dimensions)
    }

    #[inline(always)]
    fn relax<const N: usize>(
        &self,
        split: Split,
        left: [u64; N],
        right: [&[u64]; N],
        best: &mut [u64],
    ) {
        products::relax(&self.dimensions, self.narrow, split, left, right, best);
    }
}
