//! Steps of alignments.

use crate::edit_distance::Op;

/// Steps of an alignment along the text.
pub(super) type Ops = Vec<(Op, usize)>;

pub(super) fn push(ops: &mut Ops, op: Op, count: usize) {
    match ops.last_mut() {
        _ if count == 0 => {}
        Some(last) if last.0 == op => last.1 += count,
        _ => ops.push((op, count)),
    }
}
