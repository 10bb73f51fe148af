//! All numeric options at their limits: they work as documented or are refused before any work.

use support::inputs::Random;
use support::tier::is_full;
use support::{sorts, trees};
use swath::edit_distance::{Distance, Mode};
use swath::parenthesization::MatrixChain;
use swath::sort::RadixSort;
use swath::unstable::edit_distance::reference as edit_reference;
use swath::unstable::lcs::reference;
use swath::unstable::sort::reference as sort_reference;
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
            let engine = Engine::new(options.clone()).expect("it is allowed");
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
                let engine =
                    Engine::new(options.clone()).expect("limits are no reason not to open");
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
        let engine = Engine::new(options).expect("it opens");
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

#[test]
fn no_bits_of_keys_leave_the_order_and_more_than_there_are_make_the_whole_one() {
    let narrow = sorts::narrow_keys("random", 3000);
    let wide = sorts::wide_keys("random", 3000);
    for options in devices() {
        let engine = Engine::new(options).expect("it opens");
        for (bits, mask) in [
            (0, 0),
            (1, 1),
            (31, (1 << 31) - 1),
            (32, u32::MAX.into()),
            (33, (1 << 33) - 1),
        ] {
            let found = engine
                .run(&RadixSort::of(&narrow).key_bits(bits))
                .expect("it is sorted");
            assert!(
                found.keys == sort_reference::sort(&narrow, &[], mask).0,
                "{bits} of 32 bits"
            );
        }
        for (bits, mask) in [
            (0, 0),
            (63, u64::MAX >> 1),
            (64, u64::MAX),
            (65, u64::MAX),
            (u32::MAX, u64::MAX),
        ] {
            let found = engine
                .run(&RadixSort::of(&narrow).key_bits(bits))
                .expect("it is sorted");
            assert!(
                found.keys == sort_reference::sort(&narrow, &[], mask).0,
                "{bits} of 32 bits"
            );
            let found = engine
                .run(&RadixSort::of(&wide).key_bits(bits))
                .expect("it is sorted");
            assert!(
                found.keys == sort_reference::sort(&wide, &[], mask).0,
                "{bits} of 64 bits"
            );
        }
    }
}

#[test]
fn numbers_of_inputs_and_lengths_of_matches_are_refused_or_kept() {
    let (a, b) = pair();
    let engine = support::cpu();
    for (inputs, allowed) in [
        (0, false),
        (1, false),
        (2, true),
        (3, false),
        (u64::MAX, false),
    ] {
        let found = run_value(
            engine,
            &Substring::of(&a, &b).in_at_least(inputs),
            |found| found.length as u64,
        );
        match found {
            Ok(length) => assert!(allowed && length == right_answers()[4], "in {inputs}"),
            Err(error) => assert!(
                !allowed && matches!(error, Error::OutOfRange { .. }),
                "in {inputs}: {error}"
            ),
        }
    }
    let (a, b) = (&a[..300], &b[..300]);
    for (least, allowed) in [
        (0, false),
        (1, true),
        (300, true),
        (301, true),
        (u64::MAX, true),
    ] {
        let found = run_value(engine, &Substring::of(a, b).min_length(least), |found| {
            found.matches.len() as u64
        });
        match found {
            Ok(matches) => assert!(
                allowed && (matches == 0) == (least >= 300),
                "{matches} of at least {least}"
            ),
            Err(error) => assert!(
                !allowed && matches!(error, Error::OutOfRange { .. }),
                "{least}: {error}"
            ),
        }
    }
}
