//! Strand and origin of A relative to B.

use swath::orientation::{Orientation, reverse_complement};
use swath::substring::Strand;
use swath::{Control, Engine, Orient};

use crate::input::{Inputs, Lists};

/// How the first input is turned before it is compared with the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turning {
    /// As the library's anchors tell.
    ByAnchors { both_strands: bool, circular: bool },
    /// Both strands are compared, and the better one is reported.
    EachStrand,
}

impl Turning {
    /// Versions of a pair of bytes to compare: one, or one for each strand.
    ///
    /// # Errors
    /// If the first input has no reverse complement, and errors of the search for anchors.
    pub fn versions(
        self,
        inputs: &Inputs,
        engine: &Engine,
        control: &Control,
    ) -> swath::Result<Vec<Inputs>> {
        let Lists::Bytes(list) = &inputs.lists else {
            return Ok(vec![inputs.clone()]);
        };
        let records = list.compared();
        let orientations = match self {
            Turning::ByAnchors {
                both_strands,
                circular,
            } => {
                let mut task = Orient::of(records[0], records[1]);
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
                reverse_complement(records[0])?;
                Strand::ALL
                    .map(|strand| Orientation { strand, start: 0 })
                    .to_vec()
            }
        };
        let turned = orientations.iter().map(|&one| inputs.turned(one));
        Ok(turned.collect())
    }
}
