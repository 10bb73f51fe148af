//! Matrix chains in O(n log n): optimal partition of a convex polygon.
//!
//! A chain with dimensions p\[0..=n\] corresponds to the polygon with these vertex weights, a
//! product to a triangle. Only arcs found by a single sweep can be part of an optimal partition.
//! They are nested and decided from the inside out: an arc is kept or discarded by its support
//! weight, the cost of its region per unit of the edges that it saves the surrounding regions.
//!
//! Source: Hu and Shing 1982 and 1984, "Computation of Matrix Chain Products", doi:10.1137/0211028
//! and doi:10.1137/0213017. Schwartz and Weiss 2019, doi:10.1137/18M1195401, close a gap in the
//! proof; the algorithm is unchanged.

use std::cmp::Ordering;

use super::tree::Tree;

/// An optimal tree of the chain; `None` if every tree costs more than 2^64. Cost: O(n log n).
///
/// Among several optimal trees, the one with the fewest arcs by the method's own comparisons;
/// deterministic on every machine.
pub(crate) fn tree(dimensions: &[u64]) -> Option<Tree> {
    let vertices = dimensions.len();
    if vertices < 3 {
        return Some(Tree::in_order(vertices.saturating_sub(1)));
    }
    let least = (0..vertices)
        .min_by_key(|&index| dimensions[index])
        .unwrap_or_default();
    let diagonals: Vec<_> = if dimensions[least] == 0 {
        // The fan from a vertex of weight 0 costs nothing, whatever the other weights are.
        (2..vertices - 1).map(|v| (0, v)).collect()
    } else {
        let mut partition = Partition::new(dimensions, least)?;
        partition.solve();
        partition.diagonals()
    };
    // Sides of the polygon are leaves, except for the closing side: the whole chain.
    let mut ranges = vec![(0, vertices - 1)];
    ranges.extend(diagonals.into_iter().map(|(u, v)| {
        let (u, v) = ((u + least) % vertices, (v + least) % vertices);
        (u.min(v), u.max(v))
    }));
    Some(Tree::from_ranges(vertices - 1, &ranges))
}

const NONE: u32 = u32::MAX;

/// A candidate diagonal, with the region below it down to the kept arcs that it has not absorbed.
#[derive(Clone, Copy, Debug)]
struct Arc {
    u: u32,
    v: u32,
    /// The lighter end, the apex of all triangles of the region.
    low: u32,
    /// Product of the weights of its ends.
    product: u128,
    price: u128,
    spared: u128,
    /// Links in the leftist heap of kept arcs that are not absorbed.
    left: u32,
    right: u32,
    rank: u32,
    /// Linked list of absorbed arcs: the last one, and the previous one of the same list.
    absorbed: u32,
    absorbed_before: u32,
    /// The uppermost kept arc at either end before this one.
    below_u: u32,
    below_v: u32,
}

impl Arc {
    /// Support weight.
    fn ratio(&self) -> Ratio {
        Ratio(self.price, self.spared)
    }
}

struct Partition {
    /// Vertex weights from the least one on, with the least repeated at the end.
    weights: Vec<u64>,
    /// Prefix sums of the products of neighbours.
    sums: Vec<u128>,
    /// Arcs from the inside out; the last is the whole polygon.
    arcs: Vec<Arc>,
    /// Uppermost kept arc at each vertex.
    uppermost: Vec<u32>,
}

impl Partition {
    fn new(dimensions: &[u64], least: usize) -> Option<Self> {
        let (vertices, mut weights) = (dimensions.len(), dimensions[least..].to_vec());
        weights.extend(&dimensions[..=least]);
        let mut sums = vec![0u128; vertices + 1];
        for index in 1..=vertices {
            let product = u128::from(weights[index]) * u128::from(weights[index - 1]);
            sums[index] = sums[index - 1].checked_add(product)?;
        }
        // No weight is 0, so every side belongs to a triangle that costs at least the product of its
        // ends, and a triangle has at most three sides.
        if sums[vertices] >= 3 << 64 {
            return None;
        }
        let mut partition = Self {
            weights,
            sums,
            arcs: Vec::new(),
            uppermost: vec![NONE; vertices + 1],
        };
        partition.sweep();
        Some(partition)
    }

    /// Finds all candidate arcs, inner ones first.
    fn sweep(&mut self) {
        let vertices = self.weights.len() - 1;
        let mut stack: Vec<usize> = Vec::new();
        for v in 0..vertices {
            while stack.len() >= 2 && self.weights[stack[stack.len() - 1]] > self.weights[v] {
                stack.pop();
                let u = stack[stack.len() - 1];
                // Arcs at the smallest vertex are the fan of the outermost region.
                if u != 0 {
                    self.arcs.push(self.arc(u, v));
                }
            }
            stack.push(v);
        }
        self.arcs.push(self.arc(0, vertices));
    }

    fn arc(&self, u: usize, v: usize) -> Arc {
        let low = if self.weights[u] <= self.weights[v] {
            u
        } else {
            v
        };
        let product = u128::from(self.weights[u]) * u128::from(self.weights[v]);
        Arc {
            u: u as u32,
            v: v as u32,
            low: low as u32,
            product,
            price: 0,
            spared: self.sums[v] - self.sums[u] - product,
            left: NONE,
            right: NONE,
            rank: 1,
            absorbed: NONE,
            absorbed_before: NONE,
            below_u: NONE,
            below_v: NONE,
        }
    }

    /// Decides on every arc, from the inside out.
    fn solve(&mut self) {
        // Regions without an enclosing arc yet: their arc, and their heap of kept arcs.
        let mut outermost: Vec<(u32, u32)> = Vec::new();
        for id in 0..self.arcs.len() as u32 {
            let mut arc = self.arcs[id as usize];
            // The arc takes over the regions inside it.
            let whole = arc.spared;
            let mut inside = 0;
            let mut heap = NONE;
            while let Some(&(child, kept)) = outermost.last() {
                let Arc { u, v, .. } = self.arcs[child as usize];
                if u < arc.u || v > arc.v {
                    break;
                }
                outermost.pop();
                inside += self.sums[v as usize]
                    - self.sums[u as usize]
                    - self.arcs[child as usize].product;
                heap = self.merge(heap, kept);
            }
            arc.spared = whole - inside;
            arc.price = self.price(&arc);
            // Discards arcs inside whose support weight is at least the weight of the lighter end.
            let limit = u128::from(self.weights[arc.low as usize]);
            while heap != NONE {
                let top = self.arcs[heap as usize];
                if top.ratio().compare(Ratio(limit, 1)) == Ordering::Less {
                    break;
                }
                heap = self.discard(heap);
                arc.spared += top.spared;
                arc.price = self.price(&arc);
            }
            // Absorbs arcs inside with at least this arc's support weight: they are kept or
            // discarded together with it.
            while heap != NONE {
                let top = self.arcs[heap as usize];
                if arc.ratio().compare(top.ratio()) == Ordering::Greater {
                    break;
                }
                self.arcs[heap as usize].absorbed_before = arc.absorbed;
                arc.absorbed = heap;
                heap = self.discard(heap);
                arc.spared += top.spared;
                arc.price += top.price;
            }
            (arc.below_u, arc.below_v) = (
                self.uppermost[arc.u as usize],
                self.uppermost[arc.v as usize],
            );
            (
                self.uppermost[arc.u as usize],
                self.uppermost[arc.v as usize],
            ) = (id, id);
            self.arcs[id as usize] = arc;
            let heap = self.merge(heap, id);
            outermost.push((id, heap));
        }
    }

    /// Cost of the region below `arc` as a fan from the lighter end: the weight of that end times
    /// all edges that do not touch it.
    fn price(&self, arc: &Arc) -> u128 {
        let product =
            |x: usize, y: usize| u128::from(self.weights[x]) * u128::from(self.weights[y]);
        let (u, v) = (arc.u as usize, arc.v as usize);
        let at_low = if v + 1 == self.weights.len() {
            product(0, 1) + product(0, v - 1)
        } else {
            let low = arc.low as usize;
            let neighbour = if low == u { u + 1 } else { v - 1 };
            match self.arcs.get(self.uppermost[low] as usize) {
                Some(kept) if arc.u <= kept.u && kept.v <= arc.v => kept.product,
                _ => product(low, neighbour),
            }
        };
        u128::from(self.weights[arc.low as usize]) * (arc.spared + arc.product - at_low)
    }

    /// Removes the top arc from its heap and from its ends; returns the rest of the heap.
    fn discard(&mut self, top: u32) -> u32 {
        let Arc {
            u,
            v,
            left,
            right,
            below_u,
            below_v,
            ..
        } = self.arcs[top as usize];
        for (end, below) in [(u, below_u), (v, below_v)] {
            // Arcs of a neighbouring region may lie above it there; no later arc ends at such a
            // vertex.
            if self.uppermost[end as usize] == top {
                self.uppermost[end as usize] = below;
            }
        }
        self.merge(left, right)
    }

    /// Merges two leftist heaps, greatest support weight on top.
    fn merge(&mut self, a: u32, b: u32) -> u32 {
        if a == NONE || b == NONE {
            return if a == NONE { b } else { a };
        }
        let (x, y) = (&self.arcs[a as usize], &self.arcs[b as usize]);
        let (top, other) = if x.ratio().compare(y.ratio()) == Ordering::Less {
            (b, a)
        } else {
            (a, b)
        };
        let right = self.merge(self.arcs[top as usize].right, other);
        let left = self.arcs[top as usize].left;
        let rank = |arc: u32| self.arcs.get(arc as usize).map_or(0, |arc| arc.rank);
        let (left, right) = if rank(left) < rank(right) {
            (right, left)
        } else {
            (left, right)
        };
        let rank = rank(right) + 1;
        let arc = &mut self.arcs[top as usize];
        (arc.left, arc.right, arc.rank) = (left, right, rank);
        top
    }

    /// The kept arcs, including the outermost.
    fn kept(&self) -> Vec<(usize, usize, usize)> {
        let mut kept = Vec::with_capacity(self.arcs.len());
        // The whole polygon is decided last and has the greatest support weight, so it tops the
        // last heap. The arcs on that heap and the arcs they have absorbed are kept; the heap links
        // of absorbed arcs are stale.
        let root = self.arcs.len() as u32 - 1;
        let mut open = vec![(root, true)];
        while let Some((id, on_heap)) = open.pop() {
            let Some(arc) = self.arcs.get(id as usize) else {
                continue;
            };
            kept.push((arc.u as usize, arc.v as usize, arc.low as usize));
            if on_heap {
                open.extend([(arc.left, true), (arc.right, true)]);
            } else {
                open.push((arc.absorbed_before, false));
            }
            open.push((arc.absorbed, false));
        }
        kept
    }

    /// The diagonals of the optimal partition: the kept arcs, and the fan of each region from its
    /// lighter end.
    fn diagonals(&self) -> Vec<(usize, usize)> {
        let vertices = self.weights.len() - 1;
        let mut arcs = self.kept();
        // Nested arcs in preorder.
        arcs.sort_unstable_by_key(|&(u, v, _)| (u, usize::MAX - v));
        // Index after the last arc inside each arc.
        let mut behind = vec![arcs.len(); arcs.len()];
        let mut open: Vec<usize> = Vec::new();
        for (index, &(_, v, _)) in arcs.iter().enumerate() {
            while let Some(&outer) = open.last().filter(|&&outer| arcs[outer].1 < v) {
                behind[outer] = index;
                open.pop();
            }
            open.push(index);
        }
        let mut diagonals = Vec::with_capacity(vertices);
        for (index, &(u, v, low)) in arcs.iter().enumerate() {
            let outermost = index == 0;
            if !outermost {
                diagonals.push((u, v));
            }
            // The polygon closes at the smallest vertex, which is visited once.
            let end = if outermost { v - 1 } else { v };
            let mut inner = index + 1;
            let mut x = u;
            let mut before = None;
            while x < end {
                let next = match arcs.get(inner) {
                    Some(&(from, to, _)) if inner < behind[index] && from == x => {
                        inner = behind[inner];
                        to
                    }
                    _ => x + 1,
                };
                if low == u && x != u && next != end {
                    diagonals.push((u, next));
                }
                if low != u && before.is_some() && next != end {
                    diagonals.push((x, v));
                }
                before = Some(x);
                x = next;
            }
        }
        diagonals
    }
}

/// Dividend and divisor.
struct Ratio(u128, u128);

impl Ratio {
    fn compare(self, other: Self) -> Ordering {
        match (self.0.checked_mul(other.1), other.0.checked_mul(self.1)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => wide_product(self.0, other.1).cmp(&wide_product(other.0, self.1)),
        }
    }
}

/// High and low half of the 256-bit product.
fn wide_product(x: u128, y: u128) -> (u128, u128) {
    let half = |value: u128| (value >> 64, value & u128::from(u64::MAX));
    let ((x1, x0), (y1, y0)) = (half(x), half(y));
    let low = x0 * y0;
    let cross = x1 * y0 + (low >> 64);
    let (cross_high, cross_low) = half(cross);
    let middle = x0 * y1 + cross_low;
    (
        x1 * y1 + cross_high + (middle >> 64),
        (middle << 64) | (low & u128::from(u64::MAX)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_product_of_128_bits_is_exact() {
        let all = [
            0,
            1,
            2,
            3,
            u128::from(u64::MAX),
            1 << 64,
            (1 << 64) + 1,
            1 << 100,
            u128::MAX - 1,
            u128::MAX,
        ];
        for x in all {
            for y in all {
                // Schoolbook multiplication with 32-bit digits.
                let digits = |value: u128| {
                    std::array::from_fn::<u128, 4, _>(|digit| value >> (32 * digit) & 0xffff_ffff)
                };
                let mut sum = [0u128; 9];
                for (a, digit_of_x) in digits(x).into_iter().enumerate() {
                    for (b, digit_of_y) in digits(y).into_iter().enumerate() {
                        sum[a + b] += digit_of_x * digit_of_y;
                    }
                }
                for digit in 0..8 {
                    sum[digit + 1] += sum[digit] >> 32;
                    sum[digit] &= 0xffff_ffff;
                }
                let half = |digits: &[u128]| {
                    digits
                        .iter()
                        .rev()
                        .fold(0, |value, digit| value << 32 | digit)
                };
                assert_eq!(
                    wide_product(x, y),
                    (half(&sum[4..8]), half(&sum[..4])),
                    "{x} {y}"
                );
            }
        }
        assert_eq!(
            Ratio(u128::MAX, u128::MAX - 1).compare(Ratio(u128::MAX - 1, u128::MAX)),
            Ordering::Greater
        );
        let large = Ratio(1 << 120, 1 << 100);
        assert_eq!(large.compare(Ratio(1 << 20, 1)), Ordering::Equal);
    }
}
