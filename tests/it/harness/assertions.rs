//! The assertions of the tests, on right and wrong answers.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use support::{self, dry_runs, edit, substrings, supersequences, trees};
use swath::PathMode;
use swath::parenthesization::{self, Problem};
use swath::unstable::parenthesization::reference as table_reference;
use swath::{Error, Symbol, edit_distance, lcs, substring, supersequence};

/// Message of a failed assertion.
fn complaint<T>(assertion: impl FnOnce() -> T) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(assertion)).err()?;
    Some(
        *panic
            .downcast::<String>()
            .expect("assertions say something"),
    )
}

/// Requires that an assertion fails with a message that contains `by`.
#[track_caller]
fn assert_complains<T>(assertion: impl FnOnce() -> T, by: &str) {
    let said = complaint(assertion).expect("the assertion did not notice");
    assert!(said.contains(by), "{said}");
}

// Subsequences

/// A letter with a mark. Marks do not affect equality, but methods that look symbols up in a table
/// tell them apart.
#[derive(Clone, Copy, Debug)]
struct Marked {
    letter: u8,
    mark: u8,
}

impl PartialEq for Marked {
    fn eq(&self, other: &Self) -> bool {
        self.letter == other.letter
    }
}

impl Eq for Marked {}

impl Hash for Marked {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.letter.hash(state);
    }
}

impl Symbol for Marked {
    const TABLE: usize = 1 << 9;

    fn place(self) -> usize {
        usize::from(self.letter) * 2 + usize::from(self.mark)
    }
}

#[test]
fn the_assertion_of_subsequences_fails_on_another_length_and_on_another_subsequence_of_that_length()
{
    let letter = |letter| Marked { letter, mark: 0 };
    // Only one of the two letters can be paired.
    let (a, b) = ([letter(b'x'), letter(b'y')], [letter(b'y'), letter(b'x')]);
    let asserted = |b: &[Marked], path| {
        let options = support::options(lcs::Method::BitParallel, path);
        support::assert_answer(support::cpu(), (&a, b), &options, &"two letters")
    };
    let paired = support::expected(&a, &b).blocks()[0].b;
    let (mut other, mut none) = (b, b);
    other[paired].mark = 1;
    none.iter_mut().for_each(|symbol| symbol.mark = 1);
    for path in [false, true] {
        assert_eq!(complaint(|| asserted(&b, path)), None);
        assert_complains(|| asserted(&none, path), "length 0 not 1");
    }
    assert_eq!(
        complaint(|| asserted(&other, false)),
        None,
        "the length is right"
    );
    assert_complains(|| asserted(&other, true), "\nnot Subsequence");
}

/// Letters of a text; capitals get another mark.
fn marked(text: &str) -> Vec<Marked> {
    let letter = |letter: u8| Marked {
        letter: letter.to_ascii_lowercase(),
        mark: letter.is_ascii_uppercase().into(),
    };
    text.bytes().map(letter).collect()
}

// Edit distances

#[test]
fn the_assertion_of_distances_fails_on_another_distance_and_on_another_alignment_of_that_distance()
{
    let asserted = |a, b| {
        let by = [edit_distance::Method::BitParallel];
        edit::assert_answers_of(&by, support::cpu(), &marked(a), &marked(b), &"letters")
    };
    for (a, b) in [("xyz", "yzx"), ("xy", "yx")] {
        assert_eq!(complaint(|| asserted(a, b)), None);
    }
    assert_complains(
        || asserted("xyz", "YZx"),
        "left: Exactly(3)\n right: Exactly(2)",
    );
    assert_complains(|| asserted("xy", "yX"), "\nnot [Block");
}

// Pieces

#[test]
fn the_assertion_of_pieces_fails_on_other_distances_and_on_other_ends() {
    let asserted = |a, b| {
        let by = [edit_distance::Method::BitParallel];
        edit::assert_pieces_by(support::cpu(), &by, &marked(a), &marked(b))
    };
    for (a, b) in [("xy", "zxzy"), ("xy", "yxzz"), ("xy", "xy")] {
        assert_eq!(complaint(|| asserted(a, b)), None);
    }
    assert_complains(
        || asserted("xy", "XY"),
        "left: Exactly(2)\n right: Exactly(0)",
    );
    let prefix = complaint(|| asserted("xy", "zXzy")).expect("it was not noticed");
    assert!(
        prefix.contains("Prefix") && prefix.contains("left: [0, 1, 2]\n right: [0, 1, 2, 3, 4]"),
        "{prefix}"
    );
    let infix = complaint(|| asserted("xy", "yXzz")).expect("it was not noticed");
    assert!(
        infix.contains("Infix") && infix.contains("left: [1]\n right: [1, 2, 3]"),
        "{infix}"
    );
}

// Supersequences

#[test]
fn the_assertion_of_supersequences_fails_on_another_length_and_on_another_string_of_that_length() {
    use supersequence::Method;
    for method in [Method::BitParallel, Method::RowWise, Method::AntiDiagonal] {
        let asserted = |b| {
            let (a, b) = (marked("xy"), marked(b));
            supersequences::assert_strings(support::cpu(), &[method], (&a, &b), &"two letters")
        };
        assert_eq!(complaint(|| asserted("yx")), None);
        assert_complains(
            || asserted("YX"),
            "left: (4, 4, true)\n right: (3, 3, true)",
        );
        assert_complains(|| asserted("yX"), "\nnot [");
    }
}

// Substrings

/// A letter that equals its capital, while methods use its byte.
#[derive(Clone, Copy, Debug)]
struct Letter(u8);

impl PartialEq for Letter {
    fn eq(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }
}

impl Eq for Letter {}

impl Hash for Letter {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.to_ascii_lowercase().hash(state);
    }
}

impl Symbol for Letter {
    const TABLE: usize = 1 << 8;

    fn place(self) -> usize {
        usize::from(self.0)
    }

    fn bytes(symbols: &[Self]) -> Option<&[u8]> {
        Some(
            symbols
                .iter()
                .map(|letter| letter.0)
                .collect::<Vec<_>>()
                .leak(),
        )
    }
}

#[test]
fn the_assertions_of_substrings_and_matches_fail_on_other_lengths_and_on_other_places() {
    use substring::Method::{Anchors, Cascade, SortAndScan, SuffixArray};
    let letters = |text: &str| text.bytes().map(Letter).collect::<Vec<_>>();
    for method in [Cascade, SortAndScan, SuffixArray] {
        let asserted = |a, b| {
            let (a, b) = (letters(a), letters(b));
            substrings::assert_longest(support::cpu(), &[method], &[&a[..], &b], "letters")
        };
        assert_eq!(complaint(|| asserted("xyx", "zxy")), None);
        assert_complains(
            || asserted("xyx", "zXy"),
            "left: (1, [[(0, 1), (1, 2)]])\n right: (2, [[(0, 0), (1, 1)]])",
        );
        assert_complains(
            || asserted("xzX", "x"),
            "left: (1, [[(0, 0), (1, 0)]])\n right: (1, [[(0, 0), (0, 2), (1, 0)]])",
        );
    }
    for method in [Anchors, SuffixArray] {
        let asserted = |a, b| {
            substrings::assert_matches(
                support::cpu(),
                &[method],
                (&letters(a), &letters(b)),
                1,
                "letters",
            )
        };
        assert_eq!(complaint(|| asserted("xyx", "zxy")), None);
        assert_complains(
            || asserted("xzX", "x"),
            "left: [(0, 0, 1)]\n right: [(0, 0, 1), (2, 0, 1)]",
        );
        assert_complains(
            || asserted("xy", "xY"),
            "left: [(0, 0, 1)]\n right: [(0, 0, 2)]",
        );
    }
}

// Trees

/// Weights that change after a given number of queries, after the reference's last one.
struct Changing {
    weights: [fn(usize, usize, usize) -> u64; 2],
    evaluations: AtomicUsize,
    changes_at: usize,
}

impl Problem for Changing {
    type Value = u64;

    fn leaves(&self) -> usize {
        7
    }

    fn weight(&self, i: usize, k: usize, j: usize) -> u64 {
        let evaluations = self.evaluations.fetch_add(1, Ordering::Relaxed);
        self.weights[usize::from(evaluations >= self.changes_at)](i, k, j)
    }

    fn greatest_weight(&self) -> u64 {
        100
    }

    fn inputs(&self) -> Vec<u64> {
        Vec::new()
    }
}

#[test]
fn the_assertion_of_trees_fails_on_another_cost_and_on_another_tree_of_that_cost() {
    let asserted = |weights, method| {
        let mut problem = Changing {
            weights,
            evaluations: AtomicUsize::new(0),
            changes_at: usize::MAX,
        };
        table_reference::solve(&problem).expect("it fits");
        problem.changes_at = problem.evaluations.swap(0, Ordering::Relaxed);
        trees::assert_answer(
            support::cpu(),
            &problem,
            &trees::options(method, Default::default()),
            &"changing",
        )
    };
    let ends: fn(usize, usize, usize) -> u64 = |i, k, j| (3 * i + 5 * k + 7 * j) as u64;
    let free: fn(usize, usize, usize) -> u64 = |_, _, _| 0;
    // At first all trees are optimal, afterwards only one.
    let from_the_left: fn(usize, usize, usize) -> u64 = |_, k, j| u64::from(k + 1 < j);
    for method in [
        parenthesization::Method::Tiled,
        parenthesization::Method::Reference,
    ] {
        assert_eq!(complaint(|| asserted([ends, ends], method)), None);
        assert_complains(
            || asserted([ends, |i, k, j| (3 * i + 5 * k + 7 * j) as u64 + 1], method),
            " not ",
        );
        assert_complains(|| asserted([free, from_the_left], method), "\nnot Tree");
    }
}

// Dry runs

#[test]
fn the_assertion_of_dry_runs_fails_wherever_plan_and_call_differ() {
    let refused = || Err::<dry_runs::Said, _>(Error::EmptyQuery);
    let said = || Ok::<_, Error>(("banded", "cpu".to_string(), PathMode::None, 6));
    let asserted = |plan, run| complaint(|| dry_runs::assert_agree::<Error>(plan, run, "a case"));
    assert_eq!(
        (asserted(said(), said()), asserted(refused(), refused())),
        (None, None)
    );
    let others = [
        Ok(("auto", "cpu".to_string(), PathMode::None, 6)),
        Ok(("banded", "gpu".to_string(), PathMode::None, 6)),
        Ok(("banded", "cpu".to_string(), PathMode::Hirschberg, 6)),
        Ok(("banded", "cpu".to_string(), PathMode::None, 12)),
        refused(),
    ];
    for other in others {
        assert!(asserted(said(), other).is_some_and(|said| said.contains("a case")));
    }
    assert!(asserted(refused(), said()).is_some());
    assert!(asserted(refused(), Err(Error::Cancelled)).is_some());
    let task = swath::Lcs::of(b"nematode", b"knowledge");
    assert_eq!(
        complaint(|| {
            let (plan, run) = (support::cpu().plan(&task), support::cpu().run(&task));
            dry_runs::assert_same_is_said(plan, run, "a case")
        }),
        None
    );
}
