//! Deliberate damage to the sources of kernels.

use swath::unstable::backend::wgsl;
use swath::unstable::kernels::UserShader;
use swath::unstable::plan::Plan;

use crate::tier::is_full;

/// A part, a string that occurs once in it, and its replacement.
pub type Edit = (&'static str, &'static str, &'static str);

/// Edits of a table with `part: string => replacement` on each line. CUDA is slow to compile: there
/// the first tier takes the first edit.
pub fn edits(table: &'static str) -> impl Iterator<Item = Edit> {
    let edit = |line: &'static str| {
        let (stem, edit) = line.split_once(": ").expect(line);
        let (right, wrong) = edit.split_once(" =>").expect(line);
        (stem, right, wrong.trim_start())
    };
    let is_short = crate::is_cuda() && !is_full();
    let taken = if is_short { 1 } else { usize::MAX };
    table.trim().lines().map(edit).take(taken)
}

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
    for &edit in edits {
        let shader = edited_part(edit);
        for kernel in &mut plan.kernels {
            if kernel.parts.contains(&shader.stem) || kernel.stem == shader.stem {
                kernel.user_shaders.push(shader);
                changed += 1;
            }
        }
    }
    changed
}

/// An edited part: its hand-written CUDA if the test device runs that, else its WGSL.
fn edited_part((stem, right, wrong): Edit) -> UserShader {
    eprintln!("{stem}: {wrong}");
    #[cfg(feature = "cuda")]
    let cuda = swath::unstable::backend::cuda::source::part(stem).filter(|_| crate::is_cuda());
    #[cfg(not(feature = "cuda"))]
    let cuda: Option<&str> = None;
    let wgsl = wgsl::part(stem).unwrap_or_default();
    let text = cuda.unwrap_or(wgsl);
    assert_eq!(
        text.matches(right).count(),
        1,
        "{right} occurs once in {stem}"
    );
    let edited = &*String::leak(text.replace(right, wrong));
    UserShader {
        stem,
        wgsl: if cuda.is_some() { wgsl } else { edited },
        cuda: cuda.map(|_| edited),
        unchecked: crate::is_cuda(),
    }
}
