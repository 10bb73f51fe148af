//! Minimum-weight triangulation of a convex polygon.

use super::products;
use crate::error::Result;
use crate::parenthesization::problem::{Problem, Shader, check_weights};
use crate::parenthesization::value::Value;

/// A convex polygon with a weight at each vertex; a triangle costs the product of its three. The leaves are the sides from
/// vertex to vertex in order, without the one that closes the polygon. With `u64` it is the matrix chain of the same numbers.
///
/// Source: Hu and Shing 1982, doi:10.1137/0211028.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedPolygon<V> {
    weights: Vec<V>,
    narrow: bool,
}

impl<V: Value> WeightedPolygon<V> {
    /// The polygon with these vertices in order; fewer than three make no triangle.
    ///
    /// # Errors
    /// [`Error::InvalidWeight`](crate::Error::InvalidWeight) where a weight is negative or not finite.
    pub fn new(weights: Vec<V>) -> Result<Self> {
        check_weights("vertex", &weights)?;
        Ok(Self { narrow: products::are_narrow(&weights), weights })
    }
}

impl<V: Value> Problem for WeightedPolygon<V> {
    type Value = V;
    const ITEMS: &'static str = "sides";

    fn leaves(&self) -> usize {
        self.weights.len().saturating_sub(1)
    }

    #[inline(always)]
    fn weight(&self, i: usize, k: usize, j: usize) -> V {
        products::weight(&self.weights, (i, k, j))
    }

    fn greatest_weight(&self) -> V {
        products::greatest_weight(&self.weights)
    }

    fn inputs(&self) -> Vec<V> {
        self.weights.clone()
    }

    fn shader(&self) -> Option<Shader> {
        Some(products::shader(self.narrow, self.weights.len()))
    }

    fn dimensions(&self) -> Option<&[u64]> {
        V::as_integers(&self.weights)
    }

    #[inline(always)]
    fn relax<const N: usize>(&self, split: (usize, usize, usize), left: [V; N], right: [&[V]; N], best: &mut [V]) {
        products::relax((&self.weights, self.narrow), split, left, right, best);
    }
}

/// A convex polygon in the plane; a triangle costs its perimeter.
///
/// Source: Gilbert 1979, "New Results on Planar Triangulations"; Klincsek 1980, doi:10.1016/S0167-5060(08)70044-X.
#[derive(Clone, Debug, PartialEq)]
pub struct PointPolygon {
    points: Vec<[f64; 2]>,
}

impl PointPolygon {
    /// The polygon with these corners in order; fewer than three make no triangle.
    ///
    /// # Errors
    /// [`Error::InvalidWeight`](crate::Error::InvalidWeight) where a coordinate is not finite.
    pub fn new(points: Vec<[f64; 2]>) -> Result<Self> {
        let sizes: Vec<f64> = points.iter().map(|[x, y]| x.abs() + y.abs()).collect();
        check_weights("corner", &sizes)?;
        Ok(Self { points })
    }

    #[inline(always)]
    fn distance(&self, a: usize, b: usize) -> f64 {
        let ([ax, ay], [bx, by]) = (self.points[a], self.points[b]);
        ((ax - bx) * (ax - bx) + (ay - by) * (ay - by)).sqrt()
    }
}

impl Problem for PointPolygon {
    type Value = f64;
    const ITEMS: &'static str = "sides";

    fn leaves(&self) -> usize {
        self.points.len().saturating_sub(1)
    }

    #[inline(always)]
    fn weight(&self, i: usize, k: usize, j: usize) -> f64 {
        self.distance(i, k) + self.distance(k, j) + self.distance(i, j)
    }

    fn greatest_weight(&self) -> f64 {
        f64::MAX
    }

    fn inputs(&self) -> Vec<f64> {
        self.points.concat()
    }

    fn shader(&self) -> Option<Shader> {
        Some(Shader::part("parenthesization/perimeter", self.leaves(), 2 * self.points.len()))
    }

    #[inline(always)]
    fn relax<const N: usize>(
        &self,
        (i, k, j): (usize, usize, usize),
        left: [f64; N],
        right: [&[f64]; N],
        best: &mut [f64],
    ) {
        let length = best.len();
        let last = &self.points[j..j + length];
        let right = right.map(|row| &row[..length]);
        let [ix, iy] = self.points[i];
        let splits: [[f64; 2]; N] = std::array::from_fn(|n| self.points[k + n]);
        let sides: [f64; N] = std::array::from_fn(|n| self.distance(i, k + n));
        for place in 0..length {
            let [x, y] = last[place];
            let across = ((ix - x) * (ix - x) + (iy - y) * (iy - y)).sqrt();
            let mut least = best[place];
            for n in 0..N {
                let [kx, ky] = splits[n];
                let weight = sides[n] + ((kx - x) * (kx - x) + (ky - y) * (ky - y)).sqrt() + across;
                let cost = left[n] + right[n][place] + weight;
                least = if cost < least { cost } else { least };
            }
            best[place] = least;
        }
    }
}
