//! Constructs of WGSL on the test device, as shaders of users, against their results in Rust. On
//! CUDA devices they are translated (src/backend/cuda/generated).

use swath::unstable::backend::Span;
use swath::unstable::kernels::{Access, Kernel, Launch, UserShader};
use swath::unstable::plan::{Contents, Pass, Plan, params};

const LANES: u32 = 64;

/// Words of the input: small, large and extreme numbers.
fn given() -> Vec<u32> {
    let extremes = [0, 1, u32::MAX, 1 << 31, (1 << 31) - 1];
    let others = (5..2 * LANES).map(|place| place.wrapping_mul(0x9e37_79b9) >> (place % 29));
    extremes.into_iter().chain(others).collect()
}

/// Runs statements that see `lane`, `given` and `out`, after these declarations; returns `out`, one
/// word per lane.
fn run(declarations: &str, statements: &str, own: &[u32]) -> Option<Vec<u32>> {
    let gpu = support::lock_gpu()?;
    let wgsl = format!(
        "struct Params {{ first: u32, second: u32 }}
         @group(0) @binding(0) var<storage, read_write> out: array<u32>;
         @group(0) @binding(1) var<storage, read> given: array<u32>;
         {declarations}
         @compute @workgroup_size(LANES)
         fn main(@builtin(local_invocation_index) lane: u32) {{
             {statements}
         }}"
    );
    let kernel = Kernel {
        stem: "constructs",
        parts: Vec::new(),
        constants: Vec::new(),
        bindings: vec![(0, Access::ReadWrite), (1, Access::Read)],
        block: LANES,
        subgroups: false,
        int64: false,
        float64: false,
        launch: Launch::Separate,
        user_shaders: vec![UserShader {
            stem: "constructs",
            wgsl: String::leak(wgsl),
            cuda: None,
            unchecked: false,
        }],
        checked: true,
        buffer_words: u64::from(LANES),
    };
    let make = || {
        let mut plan = Plan::default();
        let kernel = plan.kernel(kernel.clone());
        let out = plan.buffer("out", LANES.into(), Contents::Zeros);
        let given = plan.upload("given", own.to_vec());
        let bindings = plan.bind(vec![out, given]);
        plan.passes.push(Pass {
            kernel,
            bindings,
            groups: [1; 3],
            params: params([3, 40]),
            cells: 1,
        });
        plan
    };
    let device = support::device(&*gpu);
    let spans = |_: &Plan| {
        vec![Span {
            buffer: 0,
            first: 0,
            words: LANES.into(),
        }]
    };
    let ran = pollster::block_on(device.run(&make, &spans));
    Some(ran.unwrap_or_else(|error| panic!("{error}")).words)
}

/// Requires what `expected` says of each lane, from its two words.
#[track_caller]
fn assert_runs(declarations: &str, statements: &str, expected: impl Fn(usize, &[u32]) -> u32) {
    let given = given();
    let Some(found) = run(declarations, statements, &given) else {
        return;
    };
    let expected: Vec<_> = (0..LANES as usize)
        .map(|lane| expected(lane, &given))
        .collect();
    assert_eq!(found, expected, "{statements}");
}

/// The second word of a lane.
fn second(lane: usize, given: &[u32]) -> u32 {
    given[2 * LANES as usize - 1 - lane]
}

const WORDS: &str = "let a = given[lane]; let b = given[2u * LANES - 1u - lane];";

#[test]
fn integer_operators_wrap_and_divide_by_anything() {
    let quotient = |a: u32, b: u32| a.checked_div(b).unwrap_or(a);
    let remainder = |a: u32, b: u32| a.checked_rem(b).unwrap_or(0);
    assert_runs(
        "",
        &format!(
            "{WORDS} out[lane] = (a / (b & 3u)) ^ ((b % (a & 7u)) + (a * b - (a << b)) + (b >> a));"
        ),
        |lane, given| {
            let (a, b) = (given[lane], second(lane, given));
            let rest = a.wrapping_mul(b).wrapping_sub(a.wrapping_shl(b));
            let sum = remainder(b, a & 7)
                .wrapping_add(rest)
                .wrapping_add(b.wrapping_shr(a));
            quotient(a, b & 3) ^ sum
        },
    );
    assert_runs(
        "",
        &format!(
            "{WORDS} let x = bitcast<i32>(a); let y = bitcast<i32>(b | 1u) >> 30u;
             out[lane] = bitcast<u32>((x / y) + (x % y) * 3 - (x << a) + (-x) + abs(x) - (x >> b));"
        ),
        |lane, given| {
            let (a, b) = (given[lane], second(lane, given));
            let (x, y) = (a as i32, ((b | 1) as i32) >> 30);
            let quotient = if y == 0 { x } else { x.wrapping_div(y) };
            let remainder = if y == 0 { 0 } else { x.wrapping_rem(y) };
            quotient
                .wrapping_add(remainder.wrapping_mul(3))
                .wrapping_sub(x.wrapping_shl(a))
                .wrapping_add(x.wrapping_neg())
                .wrapping_add(x.wrapping_abs())
                .wrapping_sub(x.wrapping_shr(b)) as u32
        },
    );
}

#[test]
fn bits_are_counted() {
    assert_runs(
        "",
        &format!(
            "{WORDS} let counts = countOneBits(a) + 64u * countLeadingZeros(a) + 4096u * countTrailingZeros(a);
             out[lane] = (counts + (firstTrailingBit(b) << 3u) + firstLeadingBit(b)) ^ reverseBits(b);"
        ),
        |lane, given| {
            let (a, b) = (given[lane], second(lane, given));
            let first = |zeros: u32| if b == 0 { u32::MAX } else { zeros };
            let counts = a.count_ones() + 64 * a.leading_zeros() + 4096 * a.trailing_zeros();
            counts
                .wrapping_add(first(b.trailing_zeros()) << 3)
                .wrapping_add(first(31u32.wrapping_sub(b.leading_zeros())))
                ^ b.reverse_bits()
        },
    );
}

#[test]
fn reals_round_and_saturate() {
    assert_runs(
        "",
        &format!(
            "{WORDS} let x = f32(a >> 10u) * 0.25 - 5.0; let y = f32(bitcast<i32>(b) >> 10u) * 0.5;
             out[lane] = u32(x) ^ bitcast<u32>(i32(y)) ^ bitcast<u32>(floor(x) + ceil(y))
                 ^ u32(clamp(y, -3.0, 70.5)) ^ bitcast<u32>(max(x, min(y, 7.0)));"
        ),
        |lane, given| {
            let (a, b) = (given[lane], second(lane, given));
            // No operation rounds, so that it does not matter how a device does.
            let x = (a >> 10) as f32 * 0.25 - 5.0;
            let y = (b as i32 >> 10) as f32 * 0.5;
            (x as u32)
                ^ (y as i32 as u32)
                ^ (x.floor() + y.ceil()).to_bits()
                ^ (y.clamp(-3.0, 70.5) as u32)
                ^ x.max(y.min(7.0)).to_bits()
        },
    );
}

#[test]
fn vectors_are_computed_by_component() {
    assert_runs(
        "struct Pair { left: vec3<u32>, right: vec2<i32> }
         const STEPS = array<vec2<i32>, 2>(vec2<i32>(-1, 2), vec2<i32>(3));",
        &format!(
            "{WORDS} var steps = STEPS; var pair = Pair(vec3<u32>(a, vec2<u32>(b, lane)), steps[lane & 1u]);
             pair.left = pair.left.zxy << vec3<u32>(lane); pair.left[lane % 3u] = pair.left.y / vec3<u32>(7u).x;
             pair.right = pair.right * i32(lane) - vec2<i32>(5);
             let chosen = select(pair.left, vec3<u32>(1u), pair.left > vec3<u32>(b));
             var sum = (chosen.x + 3u * chosen.y) ^ chosen.z;
             if any(pair.right == vec2<i32>(1)) || all(!(pair.right < vec2<i32>(0))) {{ sum = ~sum; }}
             out[lane] = sum + u32(vec2<u32>(vec2<f32>(2.5, 1.0)).x) + bitcast<u32>(-pair.right.y);"
        ),
        |lane, given| {
            let (a, b) = (given[lane], second(lane, given));
            let step = [[-1, 2], [3, 3]][lane & 1];
            let mut left = [lane as u32, a, b].map(|word| word.wrapping_shl(lane as u32));
            left[lane % 3] = left[1] / 7;
            let right = step.map(|part: i32| part * lane as i32 - 5);
            let chosen = left.map(|word| if word > b { 1 } else { word });
            let mut sum = chosen[0].wrapping_add(chosen[1].wrapping_mul(3)) ^ chosen[2];
            if right.contains(&1) || right.iter().all(|&part| part >= 0) {
                sum = !sum;
            }
            sum.wrapping_add(2)
                .wrapping_add(right[1].wrapping_neg() as u32)
        },
    );
}

#[test]
fn loops_switches_and_calls() {
    assert_runs(
        "var<private> calls: u32;
         fn step(word: ptr<function, u32>, by: u32) -> u32 {
             calls++;
             switch by % 4u {
                 case 0u: { *word = *word + 1u; }
                 case 1u, 2u: { *word = *word * 3u; return 5u; }
                 default: { *word ^= by; }
             }
             return calls;
         }",
        &format!(
            "{WORDS} var word = a; var sum = params.first;
             for (var i = 0u; i < 12u; i++) {{
                 if i == b % 12u {{ continue; }}
                 if sum > 4000000000u {{ break; }}
                 sum += step(&word, i);
             }}
             var n = b % 50u;
             loop {{
                 if n % 2u == 1u {{ n += 2u; if n == 31u {{ break; }} continue; }}
                 sum ^= n;
                 continuing {{ sum += 1u; n += 3u; break if n > params.second; }}
             }}
             while word > 1000u {{ word /= 3u; }}
             out[lane] = sum ^ word;"
        ),
        |lane, given| {
            let (a, b) = (given[lane], second(lane, given));
            let (mut word, mut sum, mut calls) = (a, 3u32, 0u32);
            for i in 0..12u32 {
                if i == b % 12 {
                    continue;
                }
                if sum > 4_000_000_000 {
                    break;
                }
                calls += 1;
                let returned = match i % 4 {
                    0 => {
                        word = word.wrapping_add(1);
                        calls
                    }
                    1 | 2 => {
                        word = word.wrapping_mul(3);
                        5
                    }
                    _ => {
                        word ^= i;
                        calls
                    }
                };
                sum = sum.wrapping_add(returned);
            }
            let mut n = b % 50;
            loop {
                if n % 2 == 1 {
                    n += 2;
                    if n == 31 {
                        break;
                    }
                } else {
                    sum ^= n;
                }
                sum = sum.wrapping_add(1);
                n += 3;
                if n > 40 {
                    break;
                }
            }
            while word > 1000 {
                word /= 3;
            }
            sum ^ word
        },
    );
}

#[test]
fn workgroups_share_memory() {
    assert_runs(
        "var<workgroup> wg_words: array<u32, LANES>;
         var<workgroup> wg_count: atomic<u32>;
         var<workgroup> wg_most: atomic<i32>;",
        &format!(
            "{WORDS} if lane == 0u {{ atomicStore(&wg_count, 0u); atomicStore(&wg_most, -5); }}
             wg_words[lane] = a;
             workgroupBarrier();
             if a % 2u == 0u {{ atomicAdd(&wg_count, 2u); }}
             atomicMax(&wg_most, bitcast<i32>(b));
             atomicXor(&wg_count, 1024u);
             workgroupBarrier();
             let other = wg_words[LANES - 1u - lane];
             let count = workgroupUniformLoad(&wg_words[3]);
             let swapped = atomicCompareExchangeWeak(&wg_count, 5u, 6u);
             out[lane] = (other ^ count) + atomicLoad(&wg_count) + bitcast<u32>(atomicLoad(&wg_most))
                 + select(0u, 7u, swapped.exchanged) + swapped.old_value;"
        ),
        |lane, given| {
            let lanes = LANES as usize;
            let even = given[..lanes].iter().filter(|&&word| word % 2 == 0).count() as u32;
            let count = 2 * even;
            let most = given[lanes..].iter().map(|&word| word as i32).max();
            (given[lanes - 1 - lane] ^ given[3])
                .wrapping_add(count)
                .wrapping_add(most.expect("there are words").max(-5) as u32)
                .wrapping_add(count)
        },
    );
}

#[test]
fn indices_of_users_stay_within_their_arrays() {
    // An element of the array is read instead, or 0 from a buffer.
    let given = vec![7; LANES as usize];
    let found = run(
        "var<workgroup> wg_words: array<u32, 5>;
         var<private> own: array<u32, 3>;",
        "if lane == 0u { for (var i = 0u; i < 5u; i++) { wg_words[i] = 7u; } }
         for (var i = 0u; i < 3u; i++) { own[i] = 7u; }
         workgroupBarrier();
         var v = vec2<u32>(7u);
         let far = given[lane + 4000000000u] * 1000u;
         out[lane] = given[far] + wg_words[far] + own[far] + v[far] + u32(arrayLength(&given) == LANES);
         out[far * 2u + 4000000000u + lane] = 29u;",
        &given,
    );
    let Some(found) = found else { return };
    assert!(
        found.iter().all(|word| [22, 29].contains(word)),
        "{found:?}"
    );
}
