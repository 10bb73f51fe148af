//! Kernels whose CUDA texts are damaged on purpose.
#![cfg(feature = "cuda")]

use swath::unstable::backend::cuda::source::part;
use swath::unstable::kernels::Own;
use swath::unstable::plan::Plan;

/// A part, what stands once in its text, and what is put there.
pub type Edit = (&'static str, &'static str, &'static str);

/// Changes the texts of the parts wherever kernels of the plan have them, of one part at least.
pub fn damage(plan: &mut Plan, edits: &[Edit]) {
    assert!(
        damage_where_used(plan, edits) > 0,
        "no kernel has any of {edits:?}"
    );
}

/// The same of a plan that may have none of them; in how many kernels it has one.
pub fn damage_where_used(plan: &mut Plan, edits: &[Edit]) -> usize {
    let mut changed = 0;
    for &(stem, right, wrong) in edits {
        eprintln!("{stem}: {wrong}");
        let text = part(stem).expect(stem);
        assert_eq!(
            text.matches(right).count(),
            1,
            "{right} occurs once in {stem}"
        );
        let cuda = Some(&*String::leak(text.replace(right, wrong)));
        for kernel in &mut plan.kernels {
            if kernel.parts.contains(&stem) || kernel.stem == stem {
                kernel.own.push(Own {
                    stem,
                    wgsl: "",
                    cuda,
                });
                changed += 1;
            }
        }
    }
    changed
}
