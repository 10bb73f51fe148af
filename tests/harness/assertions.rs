//! The assertions that the suites make, on answers that are right and on others.

use std::hash::{Hash, Hasher};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use swath::parenthesization::{self, Problem};
use swath::unstable::parenthesization::reference as table_reference;
use swath::unstable::plan::Plan;
use swath::unstable::sort;
use swath::{Engine, Error, Options, Symbol, lcs};

use super::support::inputs::Input;
use super::support::{self, Gpu, dry_runs, sorts, trees};
use super::{Damaging, lend, reads_wgsl, replace_in};

/// What an assertion says where it fails.
fn complaint<T>(assertion: impl FnOnce() -> T) -> Option<String> {
    let panic = catch_unwind(AssertUnwindSafe(assertion)).err()?;
    Some(*panic.downcast::<String>().expect("assertions say something"))
}

/// Requires that an assertion fails by what it compares, which its message says, and by nothing else.
#[track_caller]
fn assert_complains<T>(assertion: impl FnOnce() -> T, by: &str) {
    let said = complaint(assertion).expect("the assertion did not notice");
    assert!(said.contains(by), "{said}");
}

/// An engine on a device that changes every plan.
fn damaged(gpu: &Gpu, damage: fn(&mut Plan)) -> Engine {
    Engine::on_backend(Arc::new(Damaging::new(gpu, damage)), Options::default()).expect("it is open")
}

// Subsequences

/// A letter. Those with other marks are equal to it, but methods that look symbols up in a table take them for others.
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
fn the_assertion_of_subsequences_fails_on_another_length_and_on_another_subsequence_of_that_length() {
    let letter = |letter| Marked { letter, mark: 0 };
    // One of the two letters can be paired.
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
    assert_eq!(complaint(|| asserted(&other, false)), None, "the length is right");
    assert_complains(|| asserted(&other, true), "\nnot Subsequence");
}

#[test]
fn the_assertion_of_subsequences_fails_on_a_device_that_leaves_out_a_pass() {
    let Some(gpu) = lend() else { return };
    let (a, b) = Input::random(4, 3 * 496, 900).bytes();
    let asserted = |damage: fn(&mut Plan)| {
        let options = support::options(lcs::Method::BitParallel, false);
        support::assert_answer(&damaged(&gpu, damage), (&a, &b), &options, &"random")
    };
    assert_eq!(complaint(|| asserted(|_| ())), None);
    assert_complains(|| asserted(|plan| _ = plan.passes.remove(plan.passes.len() / 2)), "length ");
}

// Trees

/// Weights that are others from some question on, behind the last one of the reference.
struct Changing {
    weights: [fn(usize, usize, usize) -> u64; 2],
    asked: AtomicUsize,
    changes_at: usize,
}

impl Problem for Changing {
    type Value = u64;

    fn leaves(&self) -> usize {
        7
    }

    fn weight(&self, i: usize, k: usize, j: usize) -> u64 {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        self.weights[usize::from(asked >= self.changes_at)](i, k, j)
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
        let mut problem = Changing { weights, asked: AtomicUsize::new(0), changes_at: usize::MAX };
        table_reference::solve(&problem).expect("it fits");
        problem.changes_at = problem.asked.swap(0, Ordering::Relaxed);
        trees::assert_answer(support::cpu(), &problem, &trees::options(method, Default::default()), &"changing")
    };
    let ends: fn(usize, usize, usize) -> u64 = |i, k, j| (3 * i + 5 * k + 7 * j) as u64;
    let free: fn(usize, usize, usize) -> u64 = |_, _, _| 0;
    // All trees are best before, one is afterwards.
    let from_the_left: fn(usize, usize, usize) -> u64 = |_, k, j| u64::from(k + 1 < j);
    for method in [parenthesization::Method::Tiled, parenthesization::Method::Reference] {
        assert_eq!(complaint(|| asserted([ends, ends], method)), None);
        assert_complains(|| asserted([ends, |i, k, j| (3 * i + 5 * k + 7 * j) as u64 + 1], method), " not ");
        assert_complains(|| asserted([free, from_the_left], method), "\nnot Tree");
    }
}

// Sorts

#[test]
fn the_assertion_of_sorts_fails_on_other_keys_and_on_another_payload() {
    if !reads_wgsl() {
        return;
    }
    let Some(gpu) = lend() else { return };
    let keys = sorts::narrow_keys("random", 20_000);
    let asserted = |damage: fn(&mut Plan)| {
        let mut tuning = sort::Tuning::default();
        tuning.portable = true;
        sorts::assert_sorts(&damaged(&gpu, damage), &keys, 32, tuning, "random");
    };
    assert_eq!(complaint(|| asserted(|_| ())), None);
    assert_complains(|| asserted(|plan| plan.passes.truncate(plan.passes.len() - 1)), "keys: ");
    let payload_stays = |plan: &mut Plan| {
        let edits = [("sorted_payload[at] = value;", "sorted_payload[at] = at;")];
        plan.kernels.iter_mut().for_each(|kernel| _ = replace_in(kernel, &edits));
    };
    assert_complains(|| asserted(payload_stays), "payload: ");
}

// Dry runs

#[test]
fn the_assertion_of_dry_runs_fails_wherever_plan_and_call_differ() {
    let refused = || Err::<dry_runs::Said, _>(Error::EmptyQuery);
    let said = || Ok::<_, Error>(("banded", "cpu".to_string(), "none"));
    let asserted = |plan, run| complaint(|| dry_runs::assert_agree::<Error>(plan, run, "a case"));
    assert_eq!((asserted(said(), said()), asserted(refused(), refused())), (None, None));
    let others = [
        Ok(("auto", "cpu".to_string(), "none")),
        Ok(("banded", "gpu".to_string(), "none")),
        Ok(("banded", "cpu".to_string(), "hirschberg")),
        refused(),
    ];
    for other in others {
        assert!(asserted(said(), other).is_some_and(|said| said.contains("a case")));
    }
    assert!(asserted(refused(), said()).is_some());
    assert!(asserted(refused(), Err(Error::Cancelled)).is_some());
    let task = swath::Lcs::of(b"nematode", b"knowledge");
    assert_eq!(complaint(|| dry_runs::assert_dry_run_agrees(support::cpu(), &task, "a case")), None);
}
