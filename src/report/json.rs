//! The answer as one JSON object.

use std::io::{self, Write};
use std::time::Duration;

use serde::ser::{Serialize, SerializeSeq, Serializer};
use swath::lcs::subsequence::Block;

use super::{Answer, write_json};

#[derive(serde::Serialize)]
struct Report<'a> {
    schema: &'static str,
    problem: &'static str,
    length: u64,
    similarity: f64,
    method: &'static str,
    path_mode: &'static str,
    device: &'a str,
    seconds: f64,
    // Always a number, so that its type never changes; readers that keep numbers as f64 round it beyond 2^53.
    cells: u128,
    computed_cells: u128,
    cells_per_second: f64,
    common_prefix: u64,
    common_suffix: u64,
    phases: Vec<Phase>,
    a: Sequence<'a>,
    b: Sequence<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    blocks: Option<Blocks<'a>>,
}

/// Wall time of one phase.
#[derive(serde::Serialize)]
pub(super) struct Phase {
    name: &'static str,
    seconds: f64,
}

/// Phases in the order they ran.
pub(super) fn phases(all: &[(&'static str, Duration)]) -> Vec<Phase> {
    all.iter().map(|&(name, time)| Phase { name, seconds: time.as_secs_f64() }).collect()
}

/// One input, as reports name it.
#[derive(serde::Serialize)]
pub struct Sequence<'a> {
    pub name: &'a str,
    pub length: usize,
}

struct Blocks<'a>(&'a [Block]);

impl Serialize for Blocks<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.0.len()))?;
        self.0.iter().try_for_each(|block| list.serialize_element(&[block.a, block.b, block.len]))?;
        list.end()
    }
}

/// Schema `swath/lcs/1`; `blocks` only where the subsequence was recovered.
pub fn lcs_json(answer: &Answer<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (inputs, lcs) = (answer.inputs, answer.lcs);
    let (a_len, b_len) = inputs.sequences.lengths();
    let run = &lcs.run;
    let report = Report {
        schema: "swath/lcs/1",
        problem: "lcs",
        length: lcs.length,
        similarity: answer.similarity(),
        method: run.method.name(),
        path_mode: run.path_mode,
        device: &run.device,
        seconds: run.elapsed.as_secs_f64(),
        cells: run.cells,
        computed_cells: run.computed_cells,
        cells_per_second: rate(run.cells, run.elapsed),
        common_prefix: run.common_prefix,
        common_suffix: run.common_suffix,
        phases: phases(&run.phases),
        a: Sequence { name: &inputs.a_name, length: a_len },
        b: Sequence { name: &inputs.b_name, length: b_len },
        blocks: lcs.subsequence.as_ref().map(|subsequence| Blocks(subsequence.blocks())),
    };
    write_json(&report, out)
}

/// Cells per second; 0 where no time was measured.
pub fn rate(cells: u128, time: Duration) -> f64 {
    if time.is_zero() { 0.0 } else { cells as f64 / time.as_secs_f64() }
}
