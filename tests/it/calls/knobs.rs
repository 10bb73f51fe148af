//! All numeric options at their limits: they work as documented or are refused before any work.

use support::inputs::Random;
use support::tier::is_full;
use support::{sorts, trees};
use swath::edit_distance::{Distance, Mode};
use swath::parenthesization::MatrixChain;
use swath::sort::RadixSort;
use swath::unstable::edit_distance::reference as edit_reference;
use swath::unstable::lcs::reference;
use swath::{
    DeviceChoice, Edit, Engine, Error, Lcs, MOST_THREADS, Options, Parenthesize, Result, Scs,
    Substring, Task,
};

/// A pair too large to be solved without a table.
fn pair() -> (Vec<u32>, Vec<u32>) {
    let mut random = Random::new(31);
    (random.symbols(1500, 4), random.symbols(1400, 4))
}

/// Options for the CPU, and for the test adapter if there is one.
fn devices() -> impl Iterator<Item = Options> {
    [
        Some(Options::new().device(DeviceChoice::Cpu)),
        support::gpu_options(),
    ]
    .into_iter()
    .flatten()
}

/// An engine with these options, on the device of the other tests if there is one.
fn engine(options: &Options) -> Engine {
    let options = options.clone();
    if options.device == DeviceChoice::Cpu {
        Engine::new(options).expect("the options are in range")
    } else {
        support::gpu_with(options).expect("there is a device")
    }
}

/// A number per problem that identifies the right answer.
fn answers(engine: &Engine) -> [Result<u64>; 6] {
    let (a, b) = pair();
    let chain = MatrixChain::new(trees::dimensions(0, 80, 3));
    let keys = sorts::narrow_keys("random", 5000);
    [
        run_value(engine, &Lcs::of(&a, &b), |found| found.length),
        run_value(engine, &Lcs::of(&a, &b).path(), |found| {
            found.subsequence.expect("it was asked for").len()
        }),
        run_value(engine, &Scs::of(&a, &b), |found| found.length),
        run_value(engine, &Parenthesize::of(&chain), |found| found.cost),
        run_value(engine, &Substring::of(&a, &b), |found| found.length as u64),
        run_value(engine, &RadixSort::of(&keys), |found| {
            u64::from(found.keys.is_sorted())
        }),
    ]
}

/// Runs a call; if it is refused, requires the same error from its dry run.
#[track_caller]
fn run_value<T: Task>(
    engine: &Engine,
    task: &T,
    found: impl FnOnce(T::Answer) -> u64,
) -> Result<u64> {
    let (plan, run) = (engine.plan(task), engine.run(task));
    let refused = |error: Option<&Error>| error.map(Error::to_string);
    assert_eq!(refused(plan.as_ref().err()), refused(run.as_ref().err()));
    run.map(|report| found(report.answer))
}

fn right_answers() -> [u64; 6] {
    answers(support::cpu()).map(|answer| answer.expect("nothing is limited"))
}

#[test]
fn thread_counts_and_slice_lengths_are_refused_or_give_the_right_answer() {
    let (a, b) = pair();
    let right = right_answers();
    assert_eq!(right[0], reference::length(&a, &b));
    for options in devices() {
        // Idle threads search for work in time that grows with the square of their number.
        let is_cpu = options.device == DeviceChoice::Cpu;
        let most = if is_cpu || is_full() {
            MOST_THREADS
        } else {
            64
        };
        for threads in [0, MOST_THREADS + 1, usize::MAX] {
            let refused = Engine::new(options.clone().threads(threads)).err();
            assert!(
                matches!(&refused, Some(Error::OutOfRange { given, .. }) if *given == threads as u64),
                "{refused:?}"
            );
            let text = refused.map(|error| error.to_string());
            assert!(text.is_some_and(|text| text.contains("1 to 1024")));
        }
        let refused = Engine::new(options.clone().slice_ms(0)).err();
        assert!(
            matches!(refused, Some(Error::OutOfRange { given: 0, .. })),
            "{refused:?}"
        );
        for options in [
            options.clone().threads(1).slice_ms(1),
            options.clone().threads(most).slice_ms(u32::MAX),
        ] {
            let engine = engine(&options);
            assert_eq!(
                answers(&engine).map(|answer| answer.ok()),
                right.map(Some),
                "{options:?}"
            );
        }
    }
}

#[test]
fn extreme_memory_budgets_give_the_right_answer_or_name_the_need() {
    let right = right_answers();
    let mut refusals = 0;
    for options in devices() {
        for bytes in [0, 1, u64::MAX] {
            for options in [
                options.clone().host_memory(bytes),
                options.clone().device_memory(bytes),
            ] {
                let engine = engine(&options);
                for (place, (found, right)) in answers(&engine).into_iter().zip(right).enumerate() {
                    match found {
                        Ok(found) => assert_eq!(found, right, "call {place}, {options:?}"),
                        Err(Error::MemoryBudget {
                            needed,
                            limit,
                            smallest,
                            ..
                        }) => {
                            assert!(
                                needed > limit && smallest > limit && limit == bytes,
                                "call {place}, {options:?}"
                            );
                            refusals += 1;
                        }
                        Err(error) => panic!("call {place}, {options:?}: {error}"),
                    }
                }
            }
        }
    }
    assert!(refusals > 0);
}

#[test]
fn extreme_bounds_are_kept_in_every_mode() {
    let (a, b) = pair();
    let (a, b) = (a[..400].to_vec(), b[..500].to_vec());
    let inside = [&b[..300], &a, &b[300..]].concat();
    let starting = [&a[..], &b].concat();
    for options in devices() {
        let engine = engine(&options);
        for mode in Mode::ALL {
            for target in [&a, &b, &inside, &starting, &vec![]] {
                let distance = edit_reference::distance(&a, target, mode);
                for bound in [
                    0,
                    1,
                    distance.saturating_sub(1),
                    distance,
                    u64::MAX - 1,
                    u64::MAX,
                ] {
                    let expected = if distance <= bound {
                        Distance::Exactly(distance)
                    } else {
                        Distance::MoreThan(bound)
                    };
                    for path in [false, true] {
                        let task = Edit::of(&a, target)
                            .mode(mode)
                            .within(bound)
                            .with_path(path);
                        let found = engine
                            .run(&task)
                            .unwrap_or_else(|error| panic!("{mode} {bound} {path}: {error}"));
                        assert_eq!(
                            found.distance, expected,
                            "{mode} within {bound}, path {path}"
                        );
                        assert_eq!(
                            found.alignment.is_some(),
                            path && distance <= bound,
                            "{mode} within {bound}"
                        );
                    }
                }
            }
        }
    }
}
