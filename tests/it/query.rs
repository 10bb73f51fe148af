//! Queries against the tasks with typed inputs, on the CPU and on the test device.

use std::ops::ControlFlow;

use support::inputs::Random;
use swath::edit_distance::Mode;
use swath::matching::{Letter, Matching};
use swath::neighbors::Neighbors;
use swath::pairs::{Measure, PairBlock, Pairs, Selection, Share, Strings};
use swath::parenthesization::MatrixChain;
use swath::query::{self, Answer, Pair, Query, StringList, Symbols};
use swath::{Edit, Engine, Error, Lcs, Orient, Parenthesize, Scs, Substring, Symbol};

fn engines() -> impl Iterator<Item = &'static Engine> {
    std::iter::once(support::cpu()).chain(support::gpu())
}

/// The answer of a query, alone and as [`Query`], in the text of `Debug`.
macro_rules! assert_same {
    ($engine:expr, $task:expr, $query:expr, $problem:ident) => {{
        let task = $engine.run(&$task).expect("the task runs").answer;
        let query = $engine.run(&$query).expect("the query runs").answer;
        let plan = $engine.plan(&$query).expect("the query is planned");
        assert_eq!(
            (plan.method, plan.device),
            $engine
                .plan(&$task)
                .map(|plan| (plan.method, plan.device))
                .expect("the task is planned")
        );
        let Answer::$problem(any) = $engine.run(&Query::from($query)).expect("any runs").answer
        else {
            panic!("the answer is of another problem");
        };
        assert_eq!(format!("{task:?}"), format!("{query:?}"));
        assert_eq!(format!("{task:?}"), format!("{any:?}"));
    }};
}

fn check_pair<S: Symbol>(a: &[S], b: &[S], symbols: impl Fn(&[S]) -> Symbols<'static>) {
    let pair = || Pair::of_symbols(symbols(a), symbols(b)).expect("one type");
    let mut lcs = query::Lcs::from(pair());
    lcs.options.path = true;
    let mut edit = query::Edit::from(pair());
    edit.options.path = true;
    edit.options.max_distance = Some(40);
    let mut infix = query::Edit::from(pair());
    infix.options.mode = Mode::Infix;
    infix.options.starts = true;
    for engine in engines() {
        assert_same!(engine, Lcs::of(a, b).path(), lcs.clone(), Lcs);
        assert_same!(engine, Edit::of(a, b).path().within(40), edit.clone(), Edit);
    }
    let task = Edit::of(a, b).infix().starts();
    assert_same!(support::cpu(), task, infix, Edit);
    let alignment = support::cpu().run(&edit).expect("it runs").answer.alignment;
    let alignment = alignment.expect("the sequences are similar");
    assert_eq!(
        edit.pair.cigar_extended(&alignment).ok(),
        alignment.cigar_extended(a, b).ok()
    );
    for measure in Measure::ALL {
        let expected = measure.of_small_pair(a, b);
        // Symbols that are no code points have no tokens.
        let has_tokens = [Measure::TokenSort, Measure::TokenSet].contains(&measure);
        if expected.is_some() || !has_tokens {
            assert_eq!(pair().small_value(measure), expected, "{measure}");
        }
    }
}

fn check_several<S: Symbol>(inputs: [&[S]; 3], symbols: impl Fn(&[S]) -> Symbols<'static>) {
    let inputs_of = || inputs.map(&symbols);
    let mut scs = query::Scs::of(inputs_of()).expect("one type");
    scs.options.path = true;
    let records = || inputs_of().map(|input| vec![input]).to_vec();
    let substring = || query::Substring::of(records()).expect("one type");
    for engine in engines() {
        assert_same!(engine, Scs::of_all(inputs).path(), scs.clone(), Scs);
        assert_same!(engine, Substring::of_many(inputs), substring(), Substring);
        let matches = Substring::of_many(inputs).min_length(4);
        assert_same!(engine, matches, substring().min_length(4), Matches);
        if let Ok(both) = substring().both_strands() {
            let inputs = inputs.map(|input| S::bytes(input).expect("they are bytes"));
            let task = Substring::of_many(inputs).both_strands();
            // One of the letters is no DNA.
            assert_eq!(
                engine.run(&both).err().map(|error| error.to_string()),
                engine.run(&task).err().map(|error| error.to_string())
            );
        }
    }
}

fn check_lists<S: Symbol>(
    queries: &Strings<'_, S>,
    targets: &Strings<'_, S>,
    list: impl Fn(&Strings<'_, S>) -> StringList<'static>,
) {
    let pairs = |selection| {
        query::Pairs::of(list(queries), Some(list(targets)), selection).expect("one type")
    };
    for engine in engines() {
        let task = Pairs::cross(queries, targets);
        assert_same!(engine, task, pairs(Selection::Cross), Pairs);
        let mut part = pairs(Selection::Zip);
        (part.options.measure, part.options.within) = (Measure::Indel, Some(5));
        part.options.share = Share::Shard(1, 2);
        let task = Pairs::zip(queries, targets).indel().within(5).shard(1, 2);
        assert_same!(engine, task, part.clone(), Pairs);
        let mut one =
            query::Pairs::of(list(queries), None, Selection::Symmetric).expect("one list");
        one.options.within = Some(4);
        let task = Pairs::symmetric(queries).within(4);
        assert_same!(engine, task, one.clone(), Pairs);

        let (mut expected, mut values, mut kept) = (Vec::new(), Vec::new(), Vec::new());
        let each = task.for_each(|block| {
            expected.extend(block.kept());
            ControlFlow::Continue(())
        });
        engine.run(&each).expect("it runs");
        drop(each);
        let sink: query::ValueSink<'_> = Box::new(|block: PairBlock<'_>| {
            values.extend(block.kept());
            ControlFlow::Continue(())
        });
        let each = Query::from(one.clone().for_each(sink));
        engine.run(&each).expect("it runs");
        drop(each);
        let each = one.clone().for_each_kept(|block| {
            kept.extend_from_slice(block.kept);
            ControlFlow::Continue(())
        });
        engine.run(&each).expect("it runs");
        drop(each);
        assert!(values == expected && kept == expected && !kept.is_empty());
        let task = Pairs::symmetric(queries);
        let task = task.alignments(&kept);
        assert_same!(engine, task, one.clone().alignments(&kept), Alignments);

        let mut near = query::Neighbors::of(list(queries), Some(list(targets))).expect("one type");
        near.options.within = 2;
        let task = Neighbors::between(queries, targets).within(2);
        assert_same!(engine, task, near.clone(), Neighbors);
        let mut clusters = near.clusters();
        let counts: Vec<u64> = (0..queries.len() as u64).collect();
        let task = Neighbors::of(queries).within(2).clusters();
        assert_same!(engine, task, clusters.clone(), Clusters);
        clusters.options.counts = Some(counts[..].into());
        clusters.options.is_directional = true;
        let task = task.directional(&counts[..]);
        assert_same!(engine, task, clusters.clone(), Clusters);
    }
}

/// Similar sequences of a few letters.
fn similar(random: &mut Random, len: usize) -> [Vec<u8>; 3] {
    let first: Vec<u8> = (0..len).map(|_| random.pick(b"ACGT")).collect();
    let change = |random: &mut Random| {
        let mut other = first.clone();
        other.remove(random.below(len as u64) as usize);
        other[random.below(len as u64 - 1) as usize] = b'N';
        other
    };
    [change(random), change(random), first.clone()]
}

fn map<S: Copy, T>(symbols: &[S], symbol: impl Fn(S) -> T) -> Vec<T> {
    symbols.iter().copied().map(symbol).collect()
}

const LARGE: u64 = 1 << 40;

fn wide(byte: u8) -> char {
    char::from_u32(0x400 + u32::from(byte)).expect("a letter")
}

#[test]
fn query_of_sequences_equals_task_of_each_symbol_type() {
    let mut random = Random::new(23);
    for len in [9, 700] {
        let [a, b, c] = &similar(&mut random, len);
        let numbers = |symbols: &[u32]| Symbols::Numbers(symbols.to_vec().into());
        check_pair(a, b, |bytes: &[u8]| Symbols::Bytes(bytes.to_vec().into()));
        check_pair::<u32>(&map(a, u32::from), &map(b, u32::from), numbers);
        check_pair::<char>(&map(a, wide), &map(b, wide), |text| {
            numbers(&map(text, u32::from))
        });
        check_pair::<u16>(&map(a, u16::from), &map(b, u16::from), |symbols| {
            numbers(&map(symbols, u32::from))
        });
        let large = |byte: u8| LARGE + u64::from(byte);
        check_pair::<u64>(&map(a, large), &map(b, large), |symbols| {
            numbers(&map(symbols, |symbol| (symbol - LARGE) as u32))
        });
        let iupac = Matching::iupac();
        check_pair::<Letter>(&iupac.letters(a), &iupac.letters(b), |letters| {
            Symbols::Letters(letters.to_vec().into())
        });
        check_several([a, b, c], |bytes: &[u8]| {
            Symbols::Bytes(bytes.to_vec().into())
        });
        let [a, b, c] = [a, b, c].map(|one| map(one, u32::from));
        check_several([&a, &b, &c], numbers);
    }
}

#[test]
fn query_of_lists_equals_task_of_each_symbol_type() {
    let mut random = Random::new(29);
    let mut strings = Vec::new();
    for len in [5, 30, 90] {
        for _ in 0..4 {
            strings.extend(similar(&mut random, len));
        }
    }
    let bytes = Strings::from_slices(&strings);
    let targets = Strings::from_slices(strings.iter().rev());
    let copy = |list: &Strings<'_, u8>| Strings::from_slices(list.iter());
    check_lists(&bytes, &targets, |list| StringList::Bytes(copy(list)));
    // Numbers that become bytes, and numbers that do not.
    let numbers = |list: &Strings<'_, u8>, offset| {
        Strings::from_slices(
            list.iter()
                .map(|one| map(one, |byte| offset + u32::from(byte))),
        )
    };
    let copy = |list: &Strings<'_, u32>| StringList::Numbers(Strings::from_slices(list.iter()));
    for offset in [0, 1000, 1 << 30] {
        check_lists(&numbers(&bytes, offset), &numbers(&targets, offset), copy);
    }
}

#[test]
fn bytes_equal_numbers_of_their_values_but_no_letters() {
    let bytes = || Symbols::Bytes(b"grosse".into());
    let numbers = || Symbols::Numbers(vec![103, 114, 111, 0xdf, 101].into());
    let letters = || Symbols::Letters(Matching::iupac().letters(b"GRO").into());
    for pair in [(bytes(), numbers()), (numbers(), bytes())] {
        let pair = Pair::of_symbols(pair.0, pair.1).expect("both are numbers");
        assert_eq!(pair.small_value(Measure::Edit), Some(2));
    }
    let refused = |error| matches!(error, Some(Error::MethodUnavailable { .. }));
    assert!(refused(Pair::of_symbols(bytes(), letters()).err()));
    assert!(refused(query::Scs::of([letters(), numbers()]).err()));
    let scs = query::Scs::of([bytes(), bytes(), numbers()]).expect("all are numbers");
    assert_eq!(support::cpu().run(&scs).expect("it runs").length, 7);
    let both = |input| query::Substring::of(vec![vec![input]]).and_then(|one| one.both_strands());
    assert!(both(bytes()).is_ok() && refused(both(numbers()).err()));
    // The byte 0xdf and the number 0xdf, beside a number that is no byte.
    let list = StringList::Bytes(Strings::from_slices([&[103, 0xdf][..], &[0xdf]]));
    let other = StringList::Numbers(Strings::from_slices([vec![0xdf, 0x1000], vec![0xdf]]));
    let pairs = query::Pairs::of(list, Some(other), Selection::Cross).expect("all are numbers");
    let report = support::cpu().run(&pairs).expect("it runs");
    assert!(report.values.iter().eq([2, 1, 1, 0]));
}

#[test]
fn query_without_symbols_equals_its_task() {
    let engine = support::cpu();
    let chain = || Parenthesize::of(MatrixChain::new(vec![30, 35, 15, 5, 10, 20, 25]));
    assert_same!(engine, chain(), chain(), MatrixChain);
    let (a, b) = (b"TGCATTGACCGATAGGCTCTTAGG", b"GACCGATAGGCTCTTAGGAA");
    assert_same!(engine, Orient::of(a, b), Orient::of(a, b), Orient);
    let job = engine.start(Query::from(chain()));
    assert!(matches!(
        job.wait().expect("it runs").answer,
        Answer::MatrixChain(found) if found.cost == 15_125
    ));
}
