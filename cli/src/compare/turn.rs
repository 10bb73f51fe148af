//! Strand and origin of A relative to B.

use swath::orientation::{Orientation, reverse_complement};
use swath::substring::Strand;
use swath::{Control, Engine, Orient};

use crate::args::Turning;
use crate::input::Inputs;

/// Versions of a pair to compare: one, or one for each strand.
///
/// # Errors
/// If the first input has no reverse complement, and errors of the search for anchors.
pub fn versions(
    turning: Turning,
    inputs: &Inputs,
    engine: &Engine,
    control: &Control,
) -> swath::Result<Vec<Inputs>> {
    let Some(list) = inputs.bytes() else {
        return Ok(vec![inputs.clone()]);
    };
    let [a, b] = list.pair();
    let orientations = match turning {
        Turning::ByAnchors {
            both_strands,
            circular,
        } => {
            let mut task = Orient::of(a, b);
            if both_strands {
                task = task.both_strands();
            }
            if circular {
                task = task.circular();
            }
            let found = engine.run_with(&task, control)?;
            found.pairs.iter().map(|pair| pair.orientation).collect()
        }
        Turning::EachStrand => {
            reverse_complement(a)?;
            Strand::ALL
                .map(|strand| Orientation { strand, start: 0 })
                .to_vec()
        }
    };
    let turned = orientations.into_iter().map(|one| inputs.turned(one));
    Ok(turned.collect())
}
