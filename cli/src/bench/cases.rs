//! Which sizes are measured.

use crate::report::bench::published::PAPERS;
use crate::report::bench::{Case, Kind, Problem};

/// Fewest symbols, matrices or keys of a case.
const LEAST: usize = 8;

/// Sizes of a problem, from small to large: of a quick look, and more of a long one.
const fn sizes(problem: Problem, quick: bool) -> &'static [usize] {
    match (problem, quick) {
        (Problem::Lcs | Problem::Edit | Problem::Scs, true) => &[500, 2_000, 8_000],
        (Problem::Lcs | Problem::Edit | Problem::Scs, false) => {
            &[1_000, 4_000, 16_000, 64_000, 256_000, 1_024_000, 4_096_000]
        }
        (Problem::Chain, true) => &[64, 128, 256, 512],
        (Problem::Chain, false) => &[128, 256, 512, 1_024, 2_048, 4_096],
        (Problem::Substring | Problem::Sort, true) => &[10_000, 100_000, 1_000_000],
        (Problem::Substring | Problem::Sort, false) => &[10_000, 100_000, 1_000_000, 10_000_000],
    }
}

/// What the inputs of a problem are made of.
const fn kinds(problem: Problem) -> &'static [Kind] {
    match problem {
        Problem::Lcs | Problem::Edit | Problem::Scs | Problem::Substring => {
            &[Kind::Letters(4), Kind::Letters(26)]
        }
        Problem::Chain => &[Kind::Dimensions],
        Problem::Sort => &[Kind::Keys, Kind::Pairs],
    }
}

/// The cases of a problem, with every size divided by `shrink`.
pub fn of_problem(problem: Problem, quick: bool, shrink: u32) -> Vec<Case> {
    let size = |full: usize| (full / shrink as usize).max(LEAST);
    let case = |kind, size| {
        let second = (!matches!(kind, Kind::Dimensions | Kind::Keys | Kind::Pairs)).then_some(size);
        Case {
            problem,
            kind,
            sizes: (size, second),
            path: false,
        }
    };
    let of_kind = |&kind: &Kind| {
        sizes(problem, quick)
            .iter()
            .map(move |&full| case(kind, size(full)))
    };
    let mut cases: Vec<Case> = kinds(problem).iter().flat_map(of_kind).collect();
    cases.dedup();
    cases
}

/// The cases of its paper's tables, each once; none where it has no paper.
pub fn of_paper(problem: Problem) -> Vec<Case> {
    let mut cases = Vec::new();
    for paper in PAPERS.iter().filter(|paper| paper.problem == problem) {
        for case in paper
            .tables
            .iter()
            .flat_map(|published| published.cases(problem))
        {
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
    }
    cases
}

/// The methods to ask for: the default one, and all that give the exact answer of two inputs.
pub fn methods(problem: Problem) -> Vec<&'static str> {
    use swath::{edit_distance, lcs, parenthesization, substring, supersequence};
    match problem {
        Problem::Lcs => lcs::Method::ALL.map(lcs::Method::name).to_vec(),
        Problem::Edit => edit_distance::Method::ALL
            .map(edit_distance::Method::name)
            .to_vec(),
        Problem::Scs => {
            use supersequence::Method::{KDimensional, MajorityMerge, MergeTree};
            let of_several = [KDimensional, MergeTree, MajorityMerge];
            let of_two = supersequence::Method::ALL
                .into_iter()
                .filter(|method| !of_several.contains(method));
            of_two.map(supersequence::Method::name).collect()
        }
        Problem::Chain => parenthesization::Method::ALL
            .map(parenthesization::Method::name)
            .to_vec(),
        Problem::Substring => substring::Method::ALL.map(substring::Method::name).to_vec(),
        Problem::Sort => vec![DEFAULT],
    }
}

/// The methods of a paper's tables, after the default one.
pub fn methods_of_paper(problem: Problem) -> Vec<&'static str> {
    let tables = PAPERS
        .iter()
        .filter(|paper| paper.problem == problem)
        .flat_map(|paper| paper.tables);
    let mut methods = vec![DEFAULT];
    for method in tables.flat_map(|published| published.methods).copied() {
        if !methods.contains(&method) {
            methods.push(method);
        }
    }
    methods
}

/// Methods that the CPU answers, whatever the device.
pub const NATIVE: [&str; 3] = ["reference", "hu-shing", "suffix-array"];

/// The method that a problem takes by default.
const DEFAULT: &str = "auto";
