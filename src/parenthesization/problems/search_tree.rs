//! Optimal binary search trees.

use crate::error::{Error, Result};
use crate::parenthesization::problem::{Problem, Shader, Split, check_weights};
use crate::parenthesization::value::Value;

/// Optimal binary search tree over sorted keys, with the weight of a search for each key and for
/// each gap between keys. A search that ends at depth d, with the root at depth 0, costs d + 1
/// times its weight, whether it ends at a key or in a gap. Leaves are the gaps, one more than keys;
/// a split at `k` puts key `k - 1` (from 0) at the root.
///
/// Source: Knuth 1971, doi:10.1007/BF00264289, in the form of Cormen et al., "Introduction to
/// Algorithms", 15.5.
///
/// ```
/// use swath::parenthesization::SearchTree;
/// use swath::{Engine, Options, Parenthesize};
///
/// // The key of weight 3 is the root, the key of weight 1 its child; gaps have no weight.
/// let tree = SearchTree::new(vec![3u64, 1], Vec::new())?;
/// assert_eq!(Engine::new(Options::default())?.run(&Parenthesize::of(&tree))?.cost, 1 * 3 + 2 * 1);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct SearchTree<V> {
    /// Total weight of the gaps and keys before each gap.
    before: Vec<V>,
    /// `before` without the key just before the gap.
    ends: Vec<V>,
    gaps: Vec<V>,
    unit: i32,
}

impl<V: Value> SearchTree<V> {
    /// The weights of keys and gaps; an empty `gaps` stands for weight 0 everywhere.
    ///
    /// # Errors
    /// [`Error::InvalidWeight`] if a weight is negative or not finite, if the gaps are not one more
    /// than the keys, or if the total overflows.
    pub fn new(keys: Vec<V>, mut gaps: Vec<V>) -> Result<Self> {
        check_weights("key", &keys)?;
        check_weights("gap", &gaps)?;
        if gaps.is_empty() && !keys.is_empty() {
            gaps = vec![V::ZERO; keys.len() + 1];
        }
        if gaps.len() != keys.len() + 1 && !gaps.is_empty() {
            let reason = format!(
                "{} keys have {} gaps, not {}",
                keys.len(),
                keys.len() + 1,
                gaps.len()
            );
            return Err(Error::InvalidWeight {
                what: "the gaps".to_string(),
                reason,
            });
        }
        let [mut before, mut ends] = [(); 2].map(|()| Vec::with_capacity(gaps.len() + 1));
        before.push(V::ZERO);
        ends.push(V::ZERO);
        let mut sum = V::ZERO;
        for (index, &gap) in gaps.iter().enumerate() {
            sum = sum.plus(gap);
            ends.push(sum);
            sum = sum.plus(keys.get(index).copied().unwrap_or(V::ZERO));
            before.push(sum);
        }
        if sum.overflowed() {
            let reason = format!(
                "they are more than {}; scale them down",
                V::ON_CPU.greatest()
            );
            return Err(Error::InvalidWeight {
                what: "all weights together".to_string(),
                reason,
            });
        }
        // The total of real weights becomes about 1, within the range of every precision.
        let unit = sum.exponent();
        [&mut before, &mut ends, &mut gaps]
            .into_iter()
            .flatten()
            .for_each(|weight| *weight = weight.scaled(-unit));
        Ok(Self {
            before,
            ends,
            gaps,
            unit,
        })
    }
}

impl<V: Value> Problem for SearchTree<V> {
    type Value = V;
    const ITEMS: &'static str = "gaps";

    fn leaves(&self) -> usize {
        self.gaps.len()
    }

    fn leaf(&self, i: usize) -> V {
        self.gaps[i]
    }

    #[inline(always)]
    fn weight(&self, i: usize, _k: usize, j: usize) -> V {
        self.ends[j].minus(self.before[i])
    }

    fn greatest_weight(&self) -> V {
        self.ends[self.gaps.len()]
    }

    fn unit(&self) -> i32 {
        self.unit
    }

    fn inputs(&self) -> Vec<V> {
        let gaps = self.gaps.iter().copied().chain([V::ZERO]);
        let points = self.before.iter().zip(&self.ends).zip(gaps);
        points
            .flat_map(|((&before, &end), gap)| [before, end, gap])
            .collect()
    }

    fn shader(&self) -> Option<Shader> {
        Some(Shader::library(
            "parenthesization/search_tree",
            self.leaves(),
            3 * (self.leaves() + 1),
        ))
    }

    #[inline(always)]
    fn relax<const N: usize>(
        &self,
        Split { i, j, .. }: Split,
        left: [V; N],
        right: [&[V]; N],
        best: &mut [V],
    ) {
        let length = best.len();
        let ends = &self.ends[j..j + length];
        let right = right.map(|row| &row[..length]);
        let start = self.before[i];
        for index in 0..length {
            let weight = ends[index].minus(start);
            let mut least = best[index];
            for n in 0..N {
                let cost = left[n].wrapping_plus(right[n][index]).wrapping_plus(weight);
                least = if cost < least { cost } else { least };
            }
            best[index] = least;
        }
    }
}
