//! `swath polygon`.

use anyhow::bail;
use swath::parenthesization::{PointPolygon, WeightedPolygon};

use super::args::PolygonArgs;
use super::args::source;
use super::parenthesize::{Asked, call};
use crate::input::{Numbers, Weights};
use crate::report::Shown;

/// Reads, solves and prints.
pub fn run(args: &PolygonArgs) -> anyhow::Result<()> {
    let numbers = Numbers::read(&source(&args.file))?;
    let asked =
        Asked { problem: "polygon", name: &numbers.name, shown: Shown::Triangles, precision: args.precision.precision };
    let enough = |vertices: usize| match vertices {
        0..3 => bail!("{}: {vertices} vertices make no triangle; give three or more", numbers.name),
        _ => Ok(()),
    };
    if args.points {
        let points = numbers.points()?;
        enough(points.len())?;
        return call(&PointPolygon::new(points)?, asked, &args.call);
    }
    match numbers.weights()? {
        Weights::Whole(weights) => {
            enough(weights.len())?;
            call(&WeightedPolygon::new(weights)?, asked, &args.call)
        }
        Weights::Real(weights) => {
            enough(weights.len())?;
            call(&WeightedPolygon::new(weights)?, asked, &args.call)
        }
    }
}
