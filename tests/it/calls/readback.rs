//! Readback of spans of buffers.

use support::inputs::Random;
use swath::unstable::backend::{Backend, FenceValue, Span};
use swath::unstable::kernels::readback;
use swath::unstable::plan::{PARAMS, Pass, Plan, params};

/// A plan of two buffers with these words, and one pass.
fn plan(words: [&[u32]; 2]) -> Plan {
    let mut plan = Plan::default();
    words
        .into_iter()
        .for_each(|words| _ = plan.upload("words", words.to_vec()));
    let stamped = plan.upload("stamped", vec![0]);
    let (kernel, bindings) = (plan.kernel(readback::stamp()), plan.bind(vec![stamped]));
    plan.replays.push(Pass {
        kernel,
        bindings,
        groups: [1; 3],
        params: [0; PARAMS],
        cells: 0,
    });
    plan
}

fn assert_reads(words: [&[u32]; 2], spans: &[Span], budget_bytes: u64) {
    let Some(gpu) = support::lock_gpu() else {
        return;
    };
    let mut plan = plan(words);
    let replay = Pass {
        params: params([77, 77]),
        ..plan.replays[0].clone()
    };
    let mut session = gpu.open_session().expect("the device is there");
    let _held = gpu
        .shared()
        .memory
        .try_reserve(plan.size_bytes(), budget_bytes)
        .expect("it fits");
    let nothing_kept = vec![None; plan.buffers.len()];
    session
        .load(&mut plan, &nothing_kept, budget_bytes)
        .expect("it fits");
    let of =
        |span: &Span| words[span.buffer][span.first as usize..][..span.words as usize].to_vec();
    let expected = spans.iter().map(of).collect::<Vec<_>>().concat();
    let first = session
        .submit(
            &[],
            FenceValue {
                value: 4,
                after: None,
            },
            spans,
        )
        .expect("it is submitted");
    let first = pollster::block_on(first).expect("it arrives");
    assert!(
        first.stamp == 4 && first.words.words() == expected,
        "{} spans",
        spans.len()
    );
    // Again after a pass, with other spans in between.
    let stamped = Span {
        buffer: 2,
        first: 0,
        words: 1,
    };
    let stamp = |value| FenceValue {
        value,
        after: Some(value - 1),
    };
    let done = session
        .submit(&[replay], stamp(5), &[&[stamped], spans].concat())
        .expect("it is submitted");
    let other = session
        .submit(&[], stamp(6), &spans[spans.len() / 2..])
        .expect("it is submitted");
    let done = pollster::block_on(done).expect("it arrives");
    assert_eq!((done.stamp, done.words.words()[0]), (5, 77));
    assert!(done.words.words()[1..] == expected, "{} spans", spans.len());
    let other = pollster::block_on(other).expect("it arrives");
    assert!(
        other.stamp == 6 && expected.ends_with(other.words.words()),
        "{} spans",
        spans.len()
    );
}

#[test]
fn a_stamp_is_written_only_after_its_predecessor() {
    let Some(gpu) = support::lock_gpu() else {
        return;
    };
    let mut session = gpu.open_session().expect("the device is there");
    session
        .load(&mut plan([&[1], &[2]]), &[None; 3], u64::MAX)
        .expect("it fits");
    let mut left = |value, after| {
        let done = session
            .submit(&[], FenceValue { value, after }, &[])
            .expect("it is submitted");
        pollster::block_on(done).expect("it arrives").stamp
    };
    assert_eq!(left(11, None), 11);
    assert_eq!(left(12, Some(11)), 12);
    // The one in between is missing, so this one and all later ones are too.
    assert_eq!([left(14, Some(13)), left(15, Some(14))], [12, 12]);
    assert_eq!([left(16, None), left(17, Some(16))], [16, 17]);
}

#[test]
fn spans_of_any_number_and_length_arrive_in_order() {
    let mut random = Random::new(31);
    let words: Vec<u32> = (0..400_000).map(|_| random.below(1 << 32) as u32).collect();
    let words = [&words[..300_000], &words[300_000..]];
    for count in [1, 2, 7, 8, 9, 100, 1023, 1024, 1025] {
        for longest in [1, 2, 70, 1000, 90_000] {
            let spans: Vec<_> = (0..count)
                .map(|_| {
                    // Some spans are empty.
                    let words = random.below(longest.min(4_000_000 / count) + 1);
                    Span {
                        buffer: 0,
                        first: random.below(300_000 - words),
                        words,
                    }
                })
                .collect();
            for budget_bytes in [u64::MAX, 4 * 400_001] {
                assert_reads(words, &spans, budget_bytes);
            }
        }
    }
}

#[test]
fn spans_of_several_buffers_arrive_in_order() {
    let mut random = Random::new(32);
    let words: Vec<u32> = (0..20_000).map(|_| random.below(1 << 32) as u32).collect();
    let words = [&words[..12_000], &words[12_000..]];
    let spans: Vec<_> = (0..40)
        .map(|_| Span {
            buffer: random.below(2) as usize,
            first: random.below(4000),
            words: random.below(4000),
        })
        .collect();
    assert_reads(words, &spans, u64::MAX);
}
