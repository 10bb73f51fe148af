//! Deliberate damage to hand-written CUDA sources.
#![cfg(feature = "cuda")]

use swath::unstable::backend::cuda::source::part;
use swath::unstable::backend::wgsl;
use swath::unstable::kernels::UserShader;
use swath::unstable::plan::Plan;

/// A part, a string that occurs once in it, and its replacement.
pub type Edit = (&'static str, &'static str, &'static str);

/// Applies edits to the plan's kernels; at least one must match.
pub fn damage(plan: &mut Plan, edits: &[Edit]) {
    assert!(
        damage_where_used(plan, edits) > 0,
        "no kernel has any of {edits:?}"
    );
}

/// Applies edits; returns the number of kernels that changed.
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
        // For kernels that are generated because another part has no CUDA source.
        let wgsl = wgsl::part(stem).unwrap_or_default();
        for kernel in &mut plan.kernels {
            if kernel.parts.contains(&stem) || kernel.stem == stem {
                kernel.user_shaders.push(UserShader { stem, wgsl, cuda });
                changed += 1;
            }
        }
    }
    changed
}
