//! Minimum-weight triangulation of convex polygons.

use super::products;
use crate::error::Result;
use crate::host::simd::array;
use crate::parenthesization::problem::{Problem, Shader, Split, check_weights};
use crate::parenthesization::value::Value;

/// Convex polygon with a weight at each vertex; a triangle costs the product of its vertex weights.
/// Leaves are the sides in vertex order, without the closing side. With `u64` weights it equals the
/// matrix chain of the same numbers.
///
/// Source: Hu and Shing 1982, doi:10.1137/0211028.
///
/// ```
/// use swath::parenthesization::WeightedPolygon;
/// use swath::{Engine, Options, Parenthesize};
///
/// let polygon = WeightedPolygon::new(vec![1u64, 2, 3, 4])?;
/// // The diagonal from the 1 to the 3 is better than the other one, which costs 32.
/// let report = Engine::new(Options::default())?.run(&Parenthesize::of(&polygon))?;
/// assert_eq!(report.cost, 1 * 2 * 3 + 1 * 3 * 4);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedPolygon<V> {
    weights: Vec<V>,
    unit: i32,
    narrow: bool,
}

impl<V: Value> WeightedPolygon<V> {
    /// The polygon with these vertex weights in order; fewer than three have no triangle.
    ///
    /// # Errors
    /// [`Error::InvalidWeight`](crate::Error::InvalidWeight) if a weight is negative or not finite,
    /// or more than 2^840 times another one above 0: no common scale could represent the products
    /// of both.
    pub fn new(mut weights: Vec<V>) -> Result<Self> {
        check_weights("vertex", &weights)?;
        let unit = products::scale(&mut weights)?;
        Ok(Self {
            narrow: products::are_narrow(&weights),
            weights,
            unit,
        })
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
        products::weight(&self.weights, i, k, j)
    }

    fn greatest_weight(&self) -> V {
        products::greatest_weight(&self.weights)
    }

    fn unit(&self) -> i32 {
        self.unit
    }

    fn inputs(&self) -> Vec<V> {
        self.weights.clone()
    }

    fn shader(&self) -> Option<Shader> {
        Some(products::shader(&self.weights, self.narrow))
    }

    fn dimensions(&self) -> Option<&[u64]> {
        V::as_integers(&self.weights)
    }

    #[inline(always)]
    fn relax<const N: usize>(&self, split: Split, left: [V; N], right: [&[V]; N], best: &mut [V]) {
        products::relax(&self.weights, self.narrow, split, left, right, best);
    }
}

/// Convex polygon in the plane; a triangle costs its perimeter.
///
/// Source: Gilbert 1979, "New Results on Planar Triangulations"; Klincsek 1980,
/// doi:10.1016/S0167-5060(08)70044-X.
///
/// ```
/// use swath::parenthesization::PointPolygon;
/// use swath::{Engine, Options, Parenthesize};
///
/// let square = PointPolygon::new(vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])?;
/// let cost = Engine::new(Options::default())?.run(&Parenthesize::of(&square))?.cost;
/// assert!((cost - (4.0 + 8f64.sqrt())).abs() < 1e-12);
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct PointPolygon {
    /// Near the origin, and scaled so that the greatest extent is 1/2 to 1.
    points: Vec<[f64; 2]>,
    unit: i32,
}

impl PointPolygon {
    /// The polygon with these corners in order; fewer than three have no triangle.
    ///
    /// # Errors
    /// [`Error::InvalidWeight`](crate::Error::InvalidWeight) if a coordinate is not finite.
    pub fn new(mut points: Vec<[f64; 2]>) -> Result<Self> {
        let sizes: Vec<f64> = points
            .iter()
            .map(|[x, y]| if x.is_finite() { y.abs() } else { x.abs() })
            .collect();
        check_weights("corner", &sizes)?;
        let greatest = || {
            points
                .iter()
                .flatten()
                .map(|coordinate| coordinate.abs().exponent())
                .max()
        };
        let unit = (0..2)
            .filter_map(|axis| extent_exponent(&points, axis))
            .max()
            .or_else(greatest)
            .unwrap_or_default();
        for axis in 0..2 {
            move_to_origin(&mut points, axis);
        }
        points
            .iter_mut()
            .flatten()
            .for_each(|coordinate| *coordinate = coordinate.scaled(-unit));
        Ok(Self { points, unit })
    }

    #[inline(always)]
    fn distance(&self, a: usize, b: usize) -> f64 {
        let ([ax, ay], [bx, by]) = (self.points[a], self.points[b]);
        ((ax - bx) * (ax - bx) + (ay - by) * (ay - by)).sqrt()
    }
}

/// Least and greatest coordinate along one axis.
fn ends(points: &[[f64; 2]], axis: usize) -> (f64, f64) {
    let ends = |(least, greatest): (f64, f64), point: &[f64; 2]| {
        (least.min(point[axis]), greatest.max(point[axis]))
    };
    points.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends)
}

/// Moves corners that are far from the origin, compared with their extent, to the least of them:
/// single precision would round their distances away. The differences are exact, as all
/// coordinates are within a factor of two of each other (Sterbenz 1974).
fn move_to_origin(points: &mut [[f64; 2]], axis: usize) {
    let (least, greatest) = ends(points, axis);
    if (least > 0.0 && greatest <= 2.0 * least) || (greatest < 0.0 && least >= 2.0 * greatest) {
        points.iter_mut().for_each(|point| point[axis] -= least);
    }
}

/// Binary exponent of the corners' extent along one axis; `None` if it is zero.
fn extent_exponent(points: &[[f64; 2]], axis: usize) -> Option<i32> {
    let (least, greatest) = ends(points, axis);
    let extent = greatest - least;
    let exponent = || {
        if extent.is_finite() {
            extent.exponent()
        } else {
            (greatest / 2.0 - least / 2.0).exponent() + 1
        }
    };
    (greatest > least).then(exponent)
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

    fn unit(&self) -> i32 {
        self.unit
    }

    fn inputs(&self) -> Vec<f64> {
        self.points.concat()
    }

    fn shader(&self) -> Option<Shader> {
        Some(Shader::library(
            "parenthesization/perimeter",
            self.leaves(),
            2 * self.points.len(),
        ))
    }

    #[inline(always)]
    fn relax<const N: usize>(
        &self,
        Split { i, k, j }: Split,
        left: [f64; N],
        right: [&[f64]; N],
        best: &mut [f64],
    ) {
        let length = best.len();
        let last = &self.points[j..j + length];
        let right = right.map(|row| &row[..length]);
        let [ix, iy] = self.points[i];
        let splits: [[f64; 2]; N] = array(|n| self.points[k + n]);
        let sides: [f64; N] = array(|n| self.distance(i, k + n));
        for index in 0..length {
            let [x, y] = last[index];
            let across = ((ix - x) * (ix - x) + (iy - y) * (iy - y)).sqrt();
            let mut least = best[index];
            for n in 0..N {
                let [kx, ky] = splits[n];
                let weight = sides[n] + ((kx - x) * (kx - x) + (ky - y) * (ky - y)).sqrt() + across;
                let cost = left[n] + right[n][index] + weight;
                least = if cost < least { cost } else { least };
            }
            best[index] = least;
        }
    }
}
