//! The answer as one JSON object.

use std::io::{self, Write};

use serde::ser::{Serialize, SerializeSeq, Serializer};
use swath::Block;

use super::inputs::Named;
use super::run::RunFigures;
use super::{Answer, write_json};

#[derive(serde::Serialize)]
struct Report<'a, I> {
    schema: &'static str,
    problem: &'static str,
    length: u64,
    similarity: f64,
    #[serde(flatten)]
    run: RunFigures<'a>,
    #[serde(flatten)]
    inputs: I,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Blocks<'a>>,
}

/// Runs as `[position in a, position in b, length]`.
pub struct Blocks<'a>(pub &'a [Block]);

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        self.0
            .iter()
            .try_for_each(|block| list.serialize_element(&[block.a, block.b, block.len]))?;
        list.end()
    }
}

/// Schema `swath/lcs/1`; `blocks` only where the subsequence was recovered.
pub fn lcs_json(answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let lcs = answer.lcs;
    let report = Report {
        schema: "swath/lcs/1",
        problem: "lcs",
        length: lcs.length,
        similarity: answer.similarity(),
        run: RunFigures::new(lcs),
        inputs: answer.inputs.figures(),
        blocks: lcs
            .subsequence
            .as_ref()
            .map(|subsequence| Blocks(subsequence.blocks())),
    };
    write_json(&report, out)
}
