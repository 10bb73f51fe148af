//! Passes of a sort by workgroup.

use crate::plan::Pass;

/// Splits a pass, given with the cells of one workgroup, into passes of at most `max` workgroups.
/// `first` is the parameter with the number of the first one.
pub(super) fn by_groups(whole: Pass, max: u32, first: Option<usize>) -> impl Iterator<Item = Pass> {
    let all = whole.groups[0];
    (0..all).step_by(max as usize).map(move |start| {
        let mut pass = whole.clone();
        pass.groups[0] = max.min(all - start);
        pass.cells *= u64::from(pass.groups[0]);
        if let Some(first) = first {
            pass.params[first] = start;
        }
        pass
    })
}
