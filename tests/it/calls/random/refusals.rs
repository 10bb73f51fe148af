//! Permitted refusals by method and device, as documented in `docs/reference.md`.

use swath::unstable::lcs::Tuning;
use swath::{edit_distance, lcs, parenthesization, substring, supersequence};

use super::{Call, Question, TreeProblem};
use edit_distance::Mode;
use parenthesization::{Arithmetic, Precision};

/// True if a call may end with `Error::MethodUnavailable`.
pub fn may_be_refused(call: &Call) -> bool {
    let (on_cpu, forced) = (call.place.is_cpu(), call.tuning != Tuning::default());
    match &call.question {
        Question::Lcs(method) => match method {
            lcs::Method::ConditionalSum => on_cpu,
            // Forced shapes may not fit a device or an alphabet.
            _ => forced && !on_cpu,
        },
        Question::Edit(method, mode, _) => {
            let keeps_nothing = matches!(
                method,
                edit_distance::Method::AntiDiagonal | edit_distance::Method::Tiled
            );
            let is_global = keeps_nothing || *method == edit_distance::Method::Wavefront;
            (is_global && *mode != Mode::Global)
                || (keeps_nothing && call.path)
                || (forced && !on_cpu)
        }
        Question::Scs(_) => false,
        Question::ScsOfThree(method) => {
            use supersequence::Method::{Auto, KDimensional, MajorityMerge, MergeTree};
            !matches!(method, Auto | KDimensional | MergeTree | MajorityMerge)
        }
        Question::Tree(problem, method, precision) => {
            let is_product = matches!(problem, TreeProblem::Chain | TreeProblem::WeightedPolygon);
            // Exact real weights need double precision.
            let double =
                matches!(problem, TreeProblem::PointPolygon) && *precision == Precision::Exact;
            // Forced 64-bit integers need device support.
            let lacking = double || call.own.tree.arithmetic == Some(Arithmetic::U64);
            match method {
                parenthesization::Method::HuShing => !is_product,
                parenthesization::Method::Adaptive
                | parenthesization::Method::ThreadPerSubproblem => on_cpu || lacking,
                parenthesization::Method::Reference => false,
                _ => lacking && !on_cpu,
            }
        }
        Question::Substring(method, _) => *method == substring::Method::Anchors,
        Question::Matches(method, _) => {
            matches!(
                method,
                substring::Method::Cascade | substring::Method::SortAndScan
            )
        }
        Question::Sort(_) => false,
    }
}
