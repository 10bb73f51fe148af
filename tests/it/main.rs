//! Every task on the CPU and on the test device, against references.

mod blocking;
mod calls;
mod constructs;
mod dry_runs;
mod harness;
mod names;
mod neighbors;
mod pairs;
mod query;
mod search;
mod sequences;
mod sort;
mod substring;
mod trees;
