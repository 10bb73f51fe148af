//! Deliberate damage to sources of CUDA: to the hand-written text of a part, else to its WGSL.
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
        let (cuda, wgsl) = (part(stem), wgsl::part(stem).unwrap_or_default());
        let text = cuda.unwrap_or(wgsl);
        assert_eq!(
            text.matches(right).count(),
            1,
            "{right} occurs once in {stem}"
        );
        let edited = &*String::leak(text.replace(right, wrong));
        let shader = UserShader {
            stem,
            wgsl: if cuda.is_some() { wgsl } else { edited },
            cuda: cuda.map(|_| edited),
            unchecked: true,
        };
        for kernel in &mut plan.kernels {
            if kernel.parts.contains(&stem) || kernel.stem == stem {
                kernel.user_shaders.push(shader);
                changed += 1;
            }
        }
    }
    changed
}
