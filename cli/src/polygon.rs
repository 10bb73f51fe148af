//! `swath polygon`.

use anyhow::bail;
use swath::parenthesization::{PointPolygon, WeightedPolygon};

use super::args::{PolygonArgs, source};
use super::parenthesize::{Asked, call, output};
use crate::input::{Numbers, Weights};
use crate::report::Shown;

/// Reads, solves and prints.
pub fn run(args: &PolygonArgs) -> anyhow::Result<()> {
    let from = source(&args.file);
    let file = output(&args.call, [&from])?;
    let numbers = Numbers::read(&from, &args.call.engine.reading().memory)?;
    let points = if args.points {
        Some(numbers.points()?)
    } else {
        None
    };
    let weights = if args.points {
        Weights::Whole(Vec::new())
    } else {
        numbers.weights()?
    };
    let vertices = points.as_ref().map_or(weights.len(), Vec::len);
    if vertices < 3 {
        bail!(
            "{}: {vertices} vertices make no triangle; give three or more",
            numbers.name
        );
    }
    let input = format!("{vertices} sides");
    let (name, precision) = (&numbers.name[..], args.precision.precision);
    let asked = Asked {
        problem: "polygon",
        name,
        input: &input,
        shown: Shown::Triangles,
        precision,
    };
    match (points, weights) {
        (Some(points), _) => call(&PointPolygon::new(points)?, asked, file, &args.call),
        (None, Weights::Whole(weights)) => {
            call(&WeightedPolygon::new(weights)?, asked, file, &args.call)
        }
        (None, Weights::Real(weights)) => {
            call(&WeightedPolygon::new(weights)?, asked, file, &args.call)
        }
    }
}
