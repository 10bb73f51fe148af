//! Shortest common supersequence: all methods against the reference table and each other; several
//! inputs against brute force.

use support::calls::Calls;
use support::inputs::{Input, Kind, paste};
use support::supersequences::{assert_strings, expected, options};
use support::tier::combinations;
use swath::PathMode;
use swath::supersequence::{Method, Placement, Supersequence};
use swath::unstable::sequences::codes::Encoded;
use swath::unstable::supersequence::{midpoints, reference};
use swath::{Engine, Error};

const PAIR_METHODS: [Method; 6] = [
    Method::Auto,
    Method::BitParallel,
    Method::Wavefront,
    Method::RowWise,
    Method::AntiDiagonal,
    Method::Reference,
];

/// Every method on this engine, with and without the string.
#[track_caller]
fn assert_every_method(engine: &Engine, methods: &[Method], input: &Input) {
    let (a, b) = input.pair();
    assert_strings(engine, methods, (&a, &b), input);
}

pub(super) fn every_kind() -> impl Iterator<Item = Input> {
    [1, 2, 4, 26, 5000].into_iter().flat_map(|letters| {
        Kind::ALL.map(|kind| {
            let (rows, cols) = if letters % 2 == 0 {
                (330, 280)
            } else {
                (241, 300)
            };
            Input {
                kind,
                letters,
                rows,
                cols,
                seed: u64::from(letters),
            }
        })
    })
}

/// Lengths around the widths of row blocks, tiles and segments.
fn edges() -> Vec<Input> {
    let lengths = [
        0, 1, 2, 31, 32, 33, 63, 65, 127, 128, 129, 255, 256, 257, 511, 512, 513,
    ];
    let pairs = lengths
        .iter()
        .enumerate()
        .map(|(k, &rows)| (rows, lengths[(k * 5 + 2) % lengths.len()]));
    pairs
        .chain([(0, 0), (256, 256), (32, 32), (1, 300)])
        .map(|(rows, cols)| Input::random(4, rows, cols))
        .collect()
}

#[test]
fn every_cpu_method_gives_the_same_string() {
    for input in every_kind().chain(edges()) {
        assert_every_method(support::cpu(), &PAIR_METHODS, &input);
    }
    // Several tiles of the row-wise method, and anti-diagonals shared by threads.
    for input in [
        Input::random(26, 70, 9000),
        Input::random(3, 4097, 4096),
        Input::random(200, 8192, 100),
        Input::random(4, 4400, 4097),
        Input {
            kind: Kind::Similar,
            ..Input::random(26, 4352, 4200)
        },
    ] {
        assert_every_method(
            support::cpu(),
            &[Method::RowWise, Method::AntiDiagonal],
            &input,
        );
    }
}

#[test]
fn every_gpu_method_gives_the_same_string() {
    let Some(engine) = support::gpu() else { return };
    let methods = [
        Method::Auto,
        Method::BitParallel,
        Method::RowWise,
        Method::AntiDiagonal,
    ];
    let (inputs, kinds) = (every_kind().collect::<Vec<_>>(), Kind::ALL.len());
    for [alphabet, kind, method] in combinations([inputs.len() / kinds, kinds, methods.len()]) {
        let input = &inputs[alphabet * kinds + kind];
        assert_every_method(engine, &methods[method..=method], input);
    }
    for input in edges() {
        assert_every_method(engine, &methods, &input);
    }
    // Many segments, some as wide as the table.
    for input in [
        Input::random(4, 2500, 300),
        Input::random(2, 300, 290),
        Input::random(26, 600, 5000),
    ] {
        assert_every_method(engine, &[Method::RowWise, Method::AntiDiagonal], &input);
    }
}

/// Cells of the canonical path, last first: up, then left, then diagonally through a shared symbol.
fn path_back(a: &[u32], b: &[u32]) -> Vec<(usize, usize)> {
    let shared = reference::shared(a, b);
    let pairs = shared
        .blocks()
        .iter()
        .rev()
        .flat_map(|run| (0..run.len).rev().map(|k| (run.a + k, run.b + k)));
    let (mut i, mut j) = (a.len(), b.len());
    let mut path = vec![(i, j)];
    let mut straight = |row: usize, column: usize, pair: Option<(usize, usize)>| {
        path.extend((row..i).rev().map(|i| (i, j)));
        path.extend((column..j).rev().map(|j| (row, j)));
        path.extend(pair);
        (i, j) = pair.unwrap_or((row, column));
    };
    pairs.for_each(|(row, column)| straight(row + 1, column + 1, Some((row, column))));
    straight(0, 0, None);
    path
}

#[test]
fn the_device_finds_where_the_path_crosses_every_stored_layer() {
    let sizes = [63, 64, 65, 127, 128, 129, 191, 193, 256, 257];
    let sizes = sizes
        .iter()
        .enumerate()
        .map(|(k, &rows)| (rows, sizes[(k * 3 + 4) % sizes.len()]));
    let edges = sizes
        .chain([(300, 1), (1, 300), (2, 255)])
        .map(|(rows, cols)| Input::random(4, rows, cols));
    let Some(gpu) = support::lock_gpu() else {
        return;
    };
    let device = support::device(&*gpu);
    for input in every_kind().chain(edges) {
        let (a, b) = input.pair();
        let codes = Encoded::new(&a, &b);
        let path = path_back(&a, &b);
        for (method, every) in [64, 128, 192]
            .map(|every| [Method::RowWise, Method::AntiDiagonal].map(|m| (m, every)))
            .into_iter()
            .flatten()
        {
            let layer =
                |&(i, j): &(usize, usize)| if method == Method::RowWise { i } else { i + j };
            let ends = (1..layer(&path[0]).div_ceil(every)).map(|k| k * every);
            let mut expected = vec![(0, 0)];
            expected.extend(
                ends.filter_map(|end| path.iter().copied().find(|cell| layer(cell) <= end)),
            );
            expected.push((a.len(), b.len()));
            let found = pollster::block_on(midpoints::cells(&device, method, &codes, every as u64));
            assert_eq!(
                found.expect("it runs"),
                expected,
                "{method:?} {every} {input:?} {}",
                paste(&a, &b)
            );
        }
    }
}

#[test]
fn shaders_without_checks_give_the_same_string() {
    let Some(mut gpu) = support::gpu_options() else {
        return;
    };
    gpu.checked = false;
    let engine = Engine::new(gpu).expect("the adapter opens");
    assert_every_method(
        &engine,
        &[Method::RowWise, Method::AntiDiagonal],
        &Input::random(26, 700, 650),
    );
}

/// Path mode of the string within a memory budget, or the error.
#[track_caller]
fn mode_within(
    engine: &Engine,
    (a, b): (&[u32], &[u32]),
    method: Method,
) -> Result<PathMode, Error> {
    let options = options(method, true);
    let planned = engine.scs_plan(a, b, &options);
    let answer = engine.scs_with(a, b, &options);
    match (&planned, &answer) {
        (Ok(plan), Ok(answer)) => {
            let run = &answer.run;
            assert_eq!(
                (plan.path_mode, &plan.device),
                (run.path_mode, &run.device),
                "{method:?}"
            );
            let found = answer
                .supersequence
                .as_ref()
                .expect("a string was asked for");
            assert_eq!(
                found.symbols(&[a, b]).expect("they are its inputs"),
                expected(a, b),
                "{method:?}"
            );
            assert!(
                run.computed_cells > run.cells && run.computed_cells <= 2 * run.cells,
                "{run:?}"
            );
        }
        (Err(plan), Err(call)) => assert_eq!(plan.to_string(), call.to_string(), "{method:?}"),
        _ => panic!(
            "{method:?}: the plan {planned:?}, the call {:?}",
            answer.map(|answer| answer.length)
        ),
    }
    answer.map(|answer| answer.run.path_mode)
}

#[test]
fn little_host_memory_stores_fewer_layers() {
    let (a, b) = Input::random(4, 6000, 500).pair();
    for (method, stored) in [
        (Method::RowWise, PathMode::StoredRows),
        (Method::AntiDiagonal, PathMode::StoredAntiDiagonals),
    ] {
        let mode = |bytes| {
            let engine = support::cpu_with_memory(bytes);
            mode_within(&engine, (&a, &b), method)
        };
        assert_eq!(mode(1 << 30).expect("there is room"), stored);
        let Err(Error::MemoryBudget {
            limit: 20_000,
            smallest,
            ..
        }) = mode(20_000)
        else {
            panic!("it is too little")
        };
        // The amount named by the refusal suffices exactly, and is less than one segment for the
        // whole table needs.
        assert_eq!(mode(smallest).expect("it was named"), stored);
        assert!(
            matches!(mode(smallest - 1), Err(Error::MemoryBudget { smallest: same, .. }) if same == smallest)
        );
        let plan = |bytes| {
            let engine = support::cpu_with_memory(bytes);
            engine
                .scs_plan(&a, &b, &options(method, true))
                .expect("there is room")
                .host_bytes
        };
        let codes = 4 * (a.len() + b.len()) as u64;
        assert!(
            plan(smallest) == smallest + codes && plan(1 << 30) > smallest + codes,
            "{method:?} {smallest}"
        );
    }
}

#[test]
fn little_device_memory_stores_fewer_layers_and_then_none() {
    let Some(gpu) = support::gpu_options() else {
        return;
    };
    let (a, b) = Input::random(4, 900, 800).pair();
    for (method, stored) in [
        (Method::RowWise, PathMode::StoredRows),
        (Method::AntiDiagonal, PathMode::StoredAntiDiagonals),
    ] {
        let within = |device: u64, host: u64| {
            let options = gpu.clone().device_memory(device).host_memory(host);
            Engine::new(options).expect("the device opens")
        };
        let plan = |path, device| {
            let plan = within(device, 1 << 30).scs_plan(&a, &b, &options(method, path));
            plan.expect("there is room").device_bytes
        };
        let mode = |device, host| mode_within(&within(device, host), (&a, &b), method);
        let smallest = |answer| match answer {
            Err(Error::MemoryBudget { smallest, .. }) => smallest,
            other => panic!("{method:?} {other:?}"),
        };
        let (all, none) = (plan(true, 1 << 30), plan(false, 1 << 30));
        assert_eq!(mode(all, 1 << 30).expect("it fits"), stored);
        assert_eq!(mode(all - 1, 1 << 30).expect("fewer fit"), stored);
        assert!(plan(true, all - 1) < all);
        // The whole table is one segment.
        assert_eq!(mode(none, 1 << 30).expect("no origins"), PathMode::Table);
        assert_eq!(smallest(mode(none - 1, 1 << 30)), none);
        // Too much for the host; then the device needs more.
        let host = smallest(mode(1 << 30, 1000));
        let more = smallest(mode(none, host));
        assert!(
            none < more && more > all,
            "the shortest segments take the most origins: {none} {all} {more}"
        );
        assert_eq!(mode(more, host).expect("both were named"), stored);
        assert_eq!(smallest(mode(more - 1, host)), more);
        assert!(smallest(mode(1 << 30, host - 1)) == host);
        assert!(matches!(
            mode(4000, 1000),
            Err(Error::MemoryBudget {
                limit: 4000 | 1000,
                ..
            })
        ));
    }
}

#[test]
fn too_little_host_memory_is_refused_with_a_sufficient_amount() {
    let (a, b) = Input::random(4, 900, 800).pair();
    for (method, path) in [Method::RowWise, Method::AntiDiagonal]
        .into_iter()
        .flat_map(|method| [(method, false), (method, true)])
    {
        let engine = |bytes| support::cpu_with_memory(bytes);
        let refused = engine(1000)
            .scs_with(&a, &b, &options(method, path))
            .expect_err("1,000 bytes are too few");
        let Error::MemoryBudget { smallest, .. } = refused else {
            panic!("{refused}")
        };
        let planned = engine(1000)
            .scs_plan(&a, &b, &options(method, path))
            .expect_err("the plan says so before");
        assert!(
            matches!(planned, Error::MemoryBudget { smallest: named, .. } if named == smallest),
            "{planned}"
        );
        let answer = engine(smallest)
            .scs_with(&a, &b, &options(method, path))
            .expect("it is solved");
        assert_eq!(answer.length, expected(&a, &b).len() as u64, "{method:?}");
        engine(smallest)
            .scs_plan(&a, &b, &options(method, path))
            .expect("the plan fits");
    }
}

#[test]
fn a_table_of_last_occurrences_that_does_not_fit_is_refused() {
    let a: Vec<u32> = (0..3000).collect();
    let b: Vec<u32> = (0..3000).rev().collect();
    let engine = support::cpu_with_memory(1 << 20);
    let refused = engine
        .scs_with(&a, &b, &options(Method::RowWise, false))
        .expect_err("18 MB in 1 MB")
        .to_string();
    assert!(
        refused.contains("last occurrences") && refused.contains("1048576"),
        "{refused}"
    );
    let Some(engine) = support::gpu_with_memory(1 << 20) else {
        return;
    };
    let refused = engine
        .scs_with(&a, &b, &options(Method::RowWise, false))
        .expect_err("18 MB in 1 MB")
        .to_string();
    assert!(refused.contains("last occurrences"), "{refused}");
}

#[test]
fn bytes_and_characters_are_solved_as_codes_are() {
    let (a, b) = (b"nematode \0knowledge\xff", b"empty \xffbottle\0");
    let chars = |bytes: &[u8]| {
        bytes
            .iter()
            .map(|&byte| char::from(byte))
            .collect::<Vec<_>>()
    };
    for method in PAIR_METHODS {
        let bytes = support::cpu()
            .scs_with(a, b, &options(method, true))
            .expect("it is solved");
        let wide = support::cpu()
            .scs_with(&chars(a), &chars(b), &options(method, true))
            .expect("it is solved");
        assert_eq!(bytes.length, reference::length(a, b));
        assert_eq!(bytes.supersequence, wide.supersequence);
    }
}

// The certificate

#[test]
fn the_certificate_refuses_every_damaged_embedding() {
    let (a, b) = Input::random(4, 60, 50).bytes();
    let answer = support::cpu()
        .scs_with(&a, &b, &options(Method::Auto, true))
        .expect("it is solved");
    let found = answer
        .supersequence
        .as_ref()
        .expect("a string was asked for");
    let inputs = [&a[..], &b];
    found.verify(&inputs, answer.length).expect("it is proven");
    assert!(
        found.verify(&inputs, answer.length - 1).is_err()
            && found.verify(&[&b[..], &a], answer.length).is_err()
    );
    assert!(found.verify(&inputs[..1], answer.length).is_err());
    let refused = |damage: &dyn Fn(&mut Vec<Vec<Placement>>)| {
        let mut embeddings = found.embeddings().to_vec();
        damage(&mut embeddings);
        Supersequence::new(answer.length as usize, embeddings)
            .verify(&inputs, answer.length)
            .is_err()
    };
    assert!(!refused(&|_| ()));
    for input in 0..2 {
        for run in 0..found.embeddings()[input].len() {
            assert!(
                refused(&|embeddings| embeddings[input].truncate(run)),
                "run {run} of {input} dropped"
            );
            assert!(
                refused(&|embeddings| embeddings[input][run].len += 1),
                "run {run} of {input} longer"
            );
            assert!(
                refused(&|embeddings| embeddings[input][run].at = usize::MAX),
                "run {run} of {input} far away"
            );
            assert!(
                refused(&|embeddings| embeddings[input][run].input += 1),
                "run {run} of {input} shifted"
            );
        }
    }
    // Positions that no input covers.
    for length in [
        answer.length as usize + 1,
        a.len() + b.len() + 1,
        usize::MAX,
    ] {
        let longer = Supersequence::new(length, found.embeddings().to_vec());
        assert!(longer.verify(&inputs, length as u64).is_err(), "{length}");
    }
}

#[test]
fn symbols_of_other_inputs_are_refused() {
    let answer = support::cpu()
        .scs_with(b"cab", b"abac", &options(Method::Auto, true))
        .expect("it is solved");
    let found = answer
        .supersequence
        .as_ref()
        .expect("a string was asked for");
    assert_eq!(
        found
            .symbols(&[&b"cab"[..], b"abac"])
            .expect("they are its inputs"),
        b"cabac"
    );
    let endless = Supersequence::new(usize::MAX, found.embeddings().to_vec());
    let [empty, short] = [[&b""[..]; 2], [&b"ca"[..], b"abac"]];
    for (found, inputs) in [
        (found, empty),
        (found, short),
        (&endless, [b"cab", b"abac"]),
        (&endless, empty),
    ] {
        let refused = found.symbols(&inputs);
        assert!(
            matches!(refused, Err(Error::CertificateFailed(_))),
            "{refused:?}"
        );
    }
}
