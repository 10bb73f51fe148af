//! Calls of single problems: every case beside another method, another device, rapidfuzz or its
//! plan's estimate; every answer is compared with one of them or with the CPU's.
//!
//! `cargo bench -p swath-bench --bench problems -- --help`. Rows of one thread are the data of
//! `engine::profile::cpu`, rows of forced shapes that of `engine::profile::gpu`. With
//! `SWATH_CPU_KERNEL=avx2` and others the CPU's rows are those of these instructions.

use std::process::ExitCode;
use std::time::Duration;

use rapidfuzz::distance::{lcs_seq, levenshtein};
use swath::edit_distance::{Alignment, EditDistance};
use swath::lcs::{CommonSubsequence, Subsequence};
use swath::parenthesization::{
    Arithmetic, MatrixChain, Method as TreeMethod, Problem, RnaFold, SearchTree,
};
use swath::substring::Method as SubstringMethod;
use swath::supersequence::{CommonSupersequence, Method as ScsMethod, Supersequence};
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::kernels::bit_parallel::Matching;
use swath::unstable::lcs::{LcsOptions, Tuning};
use swath::unstable::parenthesization::{ParenthesizationOptions, Tuning as TreeTuning};
use swath::unstable::supersequence::ScsOptions;
use swath::{Edit, Engine, Lcs, Parenthesize, Report, Scs, Substring, Task};
use swath_bench::genomes::genomes;
use swath_bench::inputs::{dimensions, edited, letters};
use swath_bench::timing::{Timed, best_of, once, without_and_with};
use swath_bench::{Bench, Call, Work, native};

type Pair = (Vec<u8>, Vec<u8>);

/// Another measurement of the same run, with its time.
type Baseline<'a> = Option<(&'a str, Duration)>;

fn main() -> ExitCode {
    let about = "Single problems beside other methods, rapidfuzz and their plans' estimates.";
    let mut bench = Bench::from_arguments("problems", about, "");
    let gpu = bench.engine();
    if let Some(gpu) = &gpu {
        sequences(&mut bench, gpu);
    }
    trees(&mut bench, gpu.as_ref());
    substrings(&mut bench, gpu.as_ref());
    drop(gpu);
    sequences_on_the_cpu(&mut bench);
    several_inputs(&mut bench);
    matches(&mut bench);
    bench.finish()
}

/// A problem of two sequences.
trait Kind {
    const NAME: &'static str;
    /// Names of the number and of its witness.
    const PARTS: [&'static str; 2];
    const WORK: Work;
    type Answer: Send + 'static;
    type Witness: PartialEq;

    fn task(pair: &Pair, ask: Ask) -> impl Task<Answer = Self::Answer>;
    fn parts(answer: &Self::Answer) -> (u64, Option<&Self::Witness>);
}

/// Method of a pair, its witness, and the shape of the strip sweep.
#[derive(Clone, Copy)]
struct Ask {
    method: &'static str,
    path: bool,
    tuning: Tuning,
}

impl Ask {
    fn by(method: &'static str) -> Self {
        Self {
            method,
            path: false,
            tuning: Tuning::default(),
        }
    }

    fn with_path(self, path: bool) -> Self {
        Self { path, ..self }
    }

    fn shaped(matching: Matching, limbs: u32, columns: Option<u32>) -> Self {
        let tuning = Tuning {
            matching: Some(matching),
            limbs: Some(limbs),
            columns,
            ..Tuning::default()
        };
        Self {
            tuning,
            ..Self::by(WHOLE)
        }
    }
}

/// The method that sweeps the whole table.
const WHOLE: &str = "bit-parallel";

macro_rules! kind {
    ($kind:ident: $name:literal, $parts:expr, $work:expr, $task:ident, $options:ident, $answer:ident, $witness:ident,
     |$found:ident| $value:expr, $member:ident $(, $tuning:ident)?) => {
        struct $kind;

        impl Kind for $kind {
            const NAME: &'static str = $name;
            const PARTS: [&'static str; 2] = $parts;
            const WORK: Work = $work;
            type Answer = $answer;
            type Witness = $witness;

            fn task(pair: &Pair, ask: Ask) -> impl Task<Answer = $answer> {
                let mut options = $options::default();
                options.method = ask.method.parse().expect("a method of this problem");
                options.path = ask.path;
                $(options.$tuning = ask.$tuning;)?
                $task::of(&pair.0, &pair.1).with_options(&options)
            }

            fn parts($found: &$answer) -> (u64, Option<&$witness>) {
                ($value, $found.$member.as_ref())
            }
        }
    };
}

kind!(OfLcs: "lcs", ["length", "path"], Work::LcsCells, Lcs, LcsOptions, CommonSubsequence, Subsequence,
      |found| found.length, subsequence, tuning);
kind!(OfEdit: "edit", ["distance", "path"], Work::EditCells, Edit, EditOptions, EditDistance, Alignment,
      |found| found.distance.exactly().expect("no bound was requested"), alignment, tuning);
kind!(OfScs: "scs", ["length", "string"], Work::LcsCells, Scs, ScsOptions, CommonSupersequence, Supersequence,
      |found| found.length, supersequence);

type Solved<K> = Timed<Report<<K as Kind>::Answer>>;

fn time<K: Kind>(engine: &Engine, pair: &Pair, ask: Ask, calls: usize) -> Solved<K> {
    let task = K::task(pair, ask);
    best_of(calls, || engine.run(&task))
}

fn value<K: Kind>(solved: &Solved<K>) -> u64 {
    K::parts(&solved.answer.answer).0
}

/// The number by the default method of the CPU.
fn on_cpu<K: Kind>(pair: &Pair) -> u64 {
    value::<K>(&time::<K>(&native(None), pair, Ask::by("auto"), 0))
}

fn agree<K: Kind>(one: &Solved<K>, other: &Solved<K>) -> bool {
    K::parts(&one.answer.answer) == K::parts(&other.answer.answer)
}

fn random(n: [usize; 2], symbols: u64) -> Pair {
    (letters(n[0], symbols, 3), letters(n[1], symbols, 4))
}

/// Measured calls on a pair and their row.
struct Measured<'a, K: Kind> {
    engine: &'a Engine,
    pair: &'a Pair,
    ask: Ask,
    solved: Solved<K>,
}

impl<'a, K: Kind> Measured<'a, K> {
    fn new(engine: &'a Engine, pair: &'a Pair, ask: Ask, calls: usize) -> Self {
        let solved = time::<K>(engine, pair, ask, calls);
        Self {
            engine,
            pair,
            ask,
            solved,
        }
    }

    /// The number alone, and with its witness.
    fn both(engine: &'a Engine, pair: &'a Pair, ask: Ask) -> [Self; 2] {
        let tasks = [false, true].map(|path| K::task(pair, ask.with_path(path)));
        let timed = without_and_with(|path| engine.run(&tasks[usize::from(path)]));
        let [number, path] = timed;
        [(number, false), (path, true)].map(|(solved, path)| Self {
            engine,
            pair,
            ask: ask.with_path(path),
            solved,
        })
    }

    fn baseline<'b>(&self, name: &'b str) -> Baseline<'b> {
        Some((name, self.solved.best()))
    }

    fn row(&self, bench: &mut Bench, case: &str, baseline: Baseline<'_>, right: bool) {
        let call = Call {
            case,
            work: K::WORK,
            calls: self.solved.times().len(),
            baseline,
        };
        let task = K::task(self.pair, self.ask);
        bench.measured(self.engine, &call, &task, &self.solved, right);
    }
}

/// Pairs on the GPU.
fn sequences(bench: &mut Bench, gpu: &Engine) {
    let planes = (
        "bit planes, 4 limbs",
        Ask::shaped(Matching::Planes, 4, None),
    );
    let sum = ("conditional-sum, same device", Ask::by("conditional-sum"));
    for (n, symbols, other) in [
        (100_000, 4, sum),
        (1_000_000, 4, sum),
        (4_000_000, 4, planes),
        (10_000_000, 4, planes),
        (1_000_000, 26, planes),
        (10_000_000, 26, planes),
        (1_000_000, 200, planes),
    ] {
        numbers::<OfLcs>(bench, gpu, (n, symbols), other);
    }
    let diagonals = ("anti-diagonal, same device", Ask::by("anti-diagonal"));
    for (n, other) in [
        (150_000, diagonals),
        (1_000_000, planes),
        (10_000_000, planes),
    ] {
        numbers::<OfEdit>(bench, gpu, (n, 4), other);
    }
    let alike = [100_000, 1_000_000, 4_600_000, 10_000_000].map(|n| [n, n]);
    // The path of the last pair begins with a long gap.
    for n in alike.into_iter().chain([[5_000_000, 1_000_000]]) {
        witness::<OfLcs>(bench, gpu, n, 4);
    }
    witness::<OfEdit>(bench, gpu, [5_000_000; 2], 4);
    similar::<OfLcs>(bench, gpu, "");
    similar::<OfEdit>(bench, gpu, "");
    for (n, of) in [
        (1_000_000, 10_000),
        (1_000_000, 1000),
        (5_000_000, 10_000),
        (5_000_000, 1000),
        (5_000_000, 300),
    ] {
        very_similar(bench, gpu, n, of);
    }
    witness::<OfScs>(bench, gpu, [60_000; 2], 26);
    witness::<OfScs>(bench, gpu, [1_000_000; 2], 4);
    for (n, symbols) in [
        (100_000, 4),
        (1_000_000, 4),
        (10_000_000, 4),
        (1_000_000, 26),
        (1_000_000, 200),
    ] {
        shapes::<OfLcs>(bench, gpu, n, symbols);
        if n < 10_000_000 {
            shapes::<OfEdit>(bench, gpu, n, symbols);
        }
    }
}

/// The whole table beside another method or shape of the same device, which with the CPU checks it.
fn numbers<K: Kind>(
    bench: &mut Bench,
    gpu: &Engine,
    (n, symbols): (usize, u64),
    (other_name, other): (&str, Ask),
) {
    let n = bench.size(n);
    let case = format!("{} {} {n} x {n}, {symbols} letters", K::NAME, K::PARTS[0]);
    if !bench.wants(&case) {
        return;
    }
    let pair = random([n, n], symbols);
    // Short calls are repeated more often.
    let calls = if n < 500_000 { 25 } else { 3 };
    let ours = Measured::<K>::new(gpu, &pair, Ask::by(WHOLE), calls);
    let other = Measured::<K>::new(gpu, &pair, other, 1);
    // An edit distance of 10 M takes a CPU minutes.
    let is_short = K::NAME == "lcs" || n < 10_000_000;
    let right = agree::<K>(&ours.solved, &other.solved)
        && (!is_short || value::<K>(&ours.solved) == on_cpu::<K>(&pair));
    ours.row(bench, &case, other.baseline(other_name), right);
}

/// A witness of random strings beside the number alone. Its certificate proves the cost, the CPU
/// that none is better.
fn witness<K: Kind>(bench: &mut Bench, gpu: &Engine, n: [usize; 2], symbols: u64) {
    let n = n.map(|n| bench.size(n));
    let [rows, cols] = n;
    let case = format!(
        "{} {} {rows} x {cols}, {symbols} letters",
        K::NAME,
        K::PARTS[1]
    );
    if bench.wants(&case) {
        let pair = random(n, symbols);
        let [number, path] = Measured::<K>::both(gpu, &pair, Ask::by(WHOLE));
        let right =
            [&number, &path].map(|found| value::<K>(&found.solved)) == [on_cpu::<K>(&pair); 2];
        let baseline = format!("its {} alone", K::PARTS[0]);
        path.row(bench, &case, number.baseline(&baseline), right);
    }
}

/// Witnesses of similar strings and of genomes by the default method, beside the number alone.
fn similar<K: Kind>(bench: &mut Bench, engine: &Engine, place: &str) {
    for n in [1_000_000, 5_000_000] {
        for percent in [1, 5, 15] {
            let n = bench.size(n);
            let case = format!("{} {place}alignment {n}, {percent} % apart", K::NAME);
            default_witness::<K>(bench, engine, &case, || {
                let a = letters(n, 4, 9);
                let b = edited(&a, percent, 100, 10);
                (a, b)
            });
        }
    }
    let case = format!("{} {place}alignment, H. pylori genomes", K::NAME);
    default_witness::<K>(bench, engine, &case, genomes);
}

/// A witness beside the number alone; rapidfuzz proves distances.
fn default_witness<K: Kind>(
    bench: &mut Bench,
    engine: &Engine,
    case: &str,
    pair: impl FnOnce() -> Pair,
) {
    if !bench.wants(case) {
        return;
    }
    let pair = pair();
    let [number, path] = Measured::<K>::both(engine, &pair, Ask::by("auto"));
    let found = [&number, &path].map(|found| value::<K>(&found.solved));
    let right = found[0] == found[1] && (K::NAME != "edit" || is_distance(&pair, found[0]));
    let baseline = format!("its {} alone", K::PARTS[0]);
    path.row(bench, case, number.baseline(&baseline), right);
}

/// True if rapidfuzz finds this distance.
fn is_distance((a, b): &Pair, distance: u64) -> bool {
    let max = distance as usize;
    let within = levenshtein::Args::default()
        .score_hint(max)
        .score_cutoff(max);
    levenshtein::distance_with_args(a.iter(), b.iter(), &within) == Some(max)
}

/// Alignments of strings with one edit in `of` symbols, by default and by wavefronts, beside bands.
fn very_similar(bench: &mut Bench, gpu: &Engine, n: usize, of: u64) {
    let n = bench.size(n);
    let case = format!("edit alignment {n}, 1 edit in {of}");
    if bench.wants(&case) {
        let a = letters(n, 4, 9);
        let pair = (a.clone(), edited(&a, 1, of, 10));
        let by = |method| Measured::<OfEdit>::new(gpu, &pair, Ask::by(method).with_path(true), 3);
        let bands = by("banded");
        for method in ["auto", "wavefront"] {
            let ours = by(method);
            let right = agree::<OfEdit>(&ours.solved, &bands.solved);
            let case = format!("{case}, {method}");
            ours.row(bench, &case, bands.baseline("bands"), right);
        }
    }
}

/// Every shape of the strip sweep, fastest first, beside the planner's choice, whose answer all must
/// give.
fn shapes<K: Kind>(bench: &mut Bench, gpu: &Engine, n: usize, symbols: u64) {
    let n = bench.size(n);
    let case = format!("{} shapes {n} x {n}, {symbols} letters", K::NAME);
    if !bench.wants(&case) {
        return;
    }
    let pair = random([n, n], symbols);
    let calls = if n < 5_000_000 { 9 } else { 1 };
    let chosen = Measured::<K>::new(gpu, &pair, Ask::by(WHOLE), calls);
    let mut forced = Vec::new();
    for matching in [Matching::Table, Matching::Planes] {
        for limbs in [2, 4, 6, 8, 10, 12] {
            for columns in [8, 16, 32] {
                let ask = Ask::shaped(matching, limbs, Some(columns));
                // Some shapes have no kernel.
                if gpu.run(&K::task(&pair, ask)).is_ok() {
                    let name = format!("{matching:?}, {limbs} limbs, {columns} columns");
                    forced.push((name, Measured::<K>::new(gpu, &pair, ask, calls)));
                }
            }
        }
    }
    forced.sort_by_key(|(_, shape)| shape.solved.best());
    let is_chosen = |(_, shape): &(_, Measured<'_, K>)| agree::<K>(&shape.solved, &chosen.solved);
    let right = forced.iter().all(is_chosen);
    chosen.row(bench, &format!("{case}, chosen"), None, right);
    for (name, shape) in &forced {
        let right = agree::<K>(&shape.solved, &chosen.solved);
        let baseline = chosen.baseline("the one that is chosen");
        shape.row(bench, &format!("{case}, {name}"), baseline, right);
    }
}

/// Pairs on one thread: the default method beside rapidfuzz, and the others beside their plans.
fn sequences_on_the_cpu(bench: &mut Bench) {
    let one = native(Some(1));
    for symbols in [4, 26, 200] {
        beside_rapidfuzz::<OfLcs>(bench, symbols, |(a, b)| {
            lcs_seq::similarity(a.iter(), b.iter()) as u64
        });
        beside_rapidfuzz::<OfEdit>(bench, symbols, |(a, b)| {
            levenshtein::distance(a.iter(), b.iter()) as u64
        });
    }
    similar::<OfEdit>(bench, &one, "cpu, 1 thread, ");
    for symbols in [4, 26] {
        for n in [4_000, 8_000] {
            by_plan::<OfLcs>(bench, &one, "reference", n, symbols);
            by_plan::<OfEdit>(bench, &one, "reference", n, symbols);
            by_plan::<OfScs>(bench, &one, "reference", n, symbols);
        }
        for n in [2_000, 8_000, 20_000] {
            by_plan::<OfEdit>(bench, &one, "tiled", n, symbols);
            by_plan::<OfEdit>(bench, &one, "anti-diagonal", n, symbols);
            by_plan::<OfScs>(bench, &one, "anti-diagonal", n, symbols);
            by_plan::<OfScs>(bench, &one, "row-wise", n, symbols);
        }
    }
}

fn beside_rapidfuzz<K: Kind>(bench: &mut Bench, symbols: u64, theirs: impl FnOnce(&Pair) -> u64) {
    let n = bench.size(100_000);
    let case = format!(
        "{} cpu {} {n} x {n}, {symbols} letters, 1 thread",
        K::NAME,
        K::PARTS[0]
    );
    if !bench.wants(&case) {
        return;
    }
    let pair = (letters(n, symbols, 7), letters(n, symbols, 8));
    let theirs = once(|| theirs(&pair));
    let one = native(Some(1));
    let ours = Measured::<K>::new(&one, &pair, Ask::by(WHOLE), 5);
    let right = value::<K>(&ours.solved) == theirs.answer;
    let baseline = Some(("rapidfuzz, 1 thread", theirs.best()));
    ours.row(bench, &case, baseline, right);
}

/// A method on one thread beside its plan's estimate; the default method checks it.
fn by_plan<K: Kind>(bench: &mut Bench, one: &Engine, method: &'static str, n: usize, symbols: u64) {
    let n = bench.size(n);
    for path in [false, true] {
        // These tables have no alignment.
        let (name, part) = (K::NAME, if path { "path" } else { "length" });
        if path && name == "edit" && method != "reference" {
            continue;
        }
        let case = format!("{method}, {name} {part} {n} x {n}, {symbols} letters, 1 thread");
        if bench.wants(&case) {
            let pair = random([n, n], symbols);
            let expected = time::<K>(one, &pair, Ask::by("auto").with_path(path), 0);
            let ours = Measured::<K>::new(one, &pair, Ask::by(method).with_path(path), 5);
            ours.row(bench, &case, None, agree::<K>(&ours.solved, &expected));
        }
    }
}

/// Supersequences of several inputs on one thread beside their plans.
fn several_inputs(bench: &mut Bench) {
    let one = native(Some(1));
    let exact = [(2, 3_000), (3, 100), (3, 300), (4, 25), (4, 60), (6, 10)];
    let heuristic = [(6, 200), (6, 20_000), (24, 2_000), (100, 500)];
    let cases = exact
        .map(|sizes| (ScsMethod::KDimensional, sizes))
        .into_iter();
    let cases = cases.chain(heuristic.map(|sizes| (ScsMethod::MergeTree, sizes)));
    for (method, (count, n)) in
        cases.chain(heuristic.map(|sizes| (ScsMethod::MajorityMerge, sizes)))
    {
        let n = bench.size(n);
        let case = format!(
            "{}, {count} inputs of {n}, 4 letters, 1 thread",
            method.name()
        );
        if !bench.wants(&case) {
            continue;
        }
        let texts: Vec<_> = (1..=count as u64).map(|seed| letters(n, 4, seed)).collect();
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let task = Scs::of_all(texts.iter().copied()).path();
        let call = Call {
            case: &case,
            work: Work::LcsCells,
            calls: 3,
            baseline: None,
        };
        bench.measure(&one, &call, &task.clone().method(method), |found| {
            if method == ScsMethod::KDimensional {
                let other = one.run(&task.clone().method(ScsMethod::MergeTree));
                let other = other.unwrap_or_else(|error| panic!("{error}"));
                let bounds = other.lower_bound..=other.length;
                holds_all(found, &texts) && found.exact && bounds.contains(&found.length)
            } else {
                holds_all(found, &texts) && found.lower_bound <= found.length
            }
        });
    }
}

/// True if the string has the reported length and contains every input, checked symbol by symbol.
fn holds_all(found: &CommonSupersequence, inputs: &[&[u8]]) -> bool {
    let string = found.supersequence.as_ref();
    let string = string.and_then(|string| string.symbols(inputs).ok());
    let string = string.unwrap_or_default();
    let holds = |input: &&[u8]| {
        let mut rest = string.iter();
        input.iter().all(|symbol| rest.any(|other| other == symbol))
    };
    string.len() as u64 == found.length && inputs.iter().all(holds)
}

/// A problem of trees on an engine, with its row; another method on the CPU checks the cost.
fn tree<P: Problem<Value = u64>>(
    bench: &mut Bench,
    engine: &Engine,
    case: &str,
    problem: &P,
    tuning: TreeTuning,
    check: TreeMethod,
) {
    if !bench.wants(case) {
        return;
    }
    let mut options = ParenthesizationOptions::default();
    (options.method, options.tuning) = (TreeMethod::Tiled, tuning);
    let task = Parenthesize::of(problem).with_options(&options);
    let timed = best_of(3, || engine.run(&task));
    let checked = native(None).run(&Parenthesize::of(problem).method(check));
    let right = checked.is_ok_and(|checked| checked.cost == timed.answer.cost);
    let call = Call {
        case,
        work: Work::Splits(timed.answer.arithmetic.into()),
        calls: 3,
        baseline: None,
    };
    bench.measured(engine, &call, &task, &timed, right);
}

/// Tables in tiles; `swath bench` has the other methods.
fn trees(bench: &mut Bench, gpu: Option<&Engine>) {
    let chain = |n, limit| MatrixChain::new(dimensions(n, limit, 2));
    let (usual, by_hu_shing) = (TreeTuning::default(), TreeMethod::HuShing);
    let n = bench.size(2_048);
    for threads in [1, 2] {
        let case = format!("cpu tiled chain {n}, {threads} threads");
        let engine = native(Some(threads));
        tree(bench, &engine, &case, &chain(n, 1_000), usual, by_hu_shing);
    }
    let Some(gpu) = gpu else { return };
    for (n, limit) in [
        (4_096, 1_000),
        (8_192, 1_000),
        (16_384, 1_000),
        (32_768, 1_000),
        (4_096, 1_000_000),
    ] {
        let n = bench.size(n);
        let case = format!("tiled chain {n}, dimensions to {limit}");
        tree(bench, gpu, &case, &chain(n, limit), usual, by_hu_shing);
    }
    let n = bench.size(4_096);
    let search = SearchTree::new(dimensions(n - 2, 1_000, 4), dimensions(n - 1, 1_000, 5));
    let search = search.expect("weights");
    let case = format!("tiled search tree {n}");
    tree(bench, gpu, &case, &search, usual, TreeMethod::Tiled);
    let rna = dimensions(n - 1, 4, 6);
    let rna: Vec<u8> = rna
        .iter()
        .map(|&letter| b"ACGU"[letter as usize - 1])
        .collect();
    let fold = RnaFold::new(&rna, 3).expect("letters");
    let case = format!("tiled fold {n}");
    tree(bench, gpu, &case, &fold, usual, TreeMethod::Tiled);
    let mut forms = vec![("tiles of 16", Some(16), None)];
    let arithmetics = [Arithmetic::U64, Arithmetic::Limbs];
    forms.extend(arithmetics.map(|arithmetic| (arithmetic.name(), None, Some(arithmetic))));
    for (name, tile, arithmetic) in forms {
        let mut tuning = usual;
        (tuning.tile, tuning.arithmetic) = (tile, arithmetic);
        let case = format!("tiled chain {n}, {name}");
        tree(bench, gpu, &case, &chain(n, 1_000), tuning, by_hu_shing);
    }
}

/// Common substrings of random, similar and adversarial texts on both devices; `swath bench` has
/// smaller random ones.
fn substrings(bench: &mut Bench, gpu: Option<&Engine>) {
    for n in [10_000_000, 100_000_000].map(|n| bench.size(n)) {
        let all_a = || vec![b'A'; n];
        let random = |seed| letters(n, 26, seed);
        let dna = || letters(n, 4, 5);
        let mut case = |name: &str, texts: &dyn Fn() -> Pair| {
            substring(bench, gpu, &format!("{name} {n}"), texts);
        };
        case("random A-Z", &|| (random(1), random(2)));
        case("random DNA", &|| (dna(), letters(n, 4, 6)));
        case("DNA, one edit in 1000", &|| {
            (dna(), edited(&dna(), 1, 1_000, 6))
        });
        case("random A-Z against itself", &|| (random(1), random(1)));
        case("all A", &|| (all_a(), all_a()));
    }
}

/// One pair of texts by hashing on both devices, and by sorting if that does not take too long. All
/// must agree.
fn substring(bench: &mut Bench, gpu: Option<&Engine>, name: &str, texts: &dyn Fn() -> Pair) {
    if !bench.wants(&format!("substring {name}")) {
        return;
    }
    let (a, b) = texts();
    let cpu = native(None);
    let mut methods = vec![("cascade cpu", &cpu, SubstringMethod::Cascade)];
    if let Some(gpu) = gpu {
        methods.push(("cascade gpu", gpu, SubstringMethod::Cascade));
        methods.push(("sort-and-scan gpu", gpu, SubstringMethod::SortAndScan));
    }
    if gpu.is_none() || a.len() <= bench.size(10_000_000) {
        methods.push(("sort-and-scan cpu", &cpu, SubstringMethod::SortAndScan));
    }
    let solved: Vec<_> = methods
        .into_iter()
        .map(|(place, engine, method)| {
            let task = Substring::of(&a, &b).method(method);
            let timed = best_of(2, || engine.run(&task));
            (format!("substring {name}, {place}"), engine, task, timed)
        })
        .collect();
    let (sorted, _, _, last) = solved.last().expect("two at least");
    for (case, engine, task, timed) in &solved {
        let call = Call {
            case,
            work: Work::Windows,
            calls: 2,
            baseline: (case != sorted).then_some((&sorted[..], last.best())),
        };
        let right = timed.answer.substrings == last.answer.substrings;
        bench.measured(engine, &call, task, timed, right);
    }
}

/// Maximal matches on one thread beside their plans; the suffix array checks them.
fn matches(bench: &mut Bench) {
    let one = native(Some(1));
    for (n, calls) in [(100_000, 20), (1_000_000, 5), (10_000_000, 2)] {
        let n = bench.size(n);
        for (kind, symbols, least) in [
            ("random", 4, 20),
            ("random", 26, 20),
            ("one edit in 1000,", 4, 20),
            ("one edit in 1000,", 4, 1_000),
        ] {
            let case =
                format!("anchors, {kind} {n} x {n}, {symbols} letters, {least} or more, 1 thread");
            if bench.wants(&case) {
                let a = letters(n, symbols, 3);
                let b = if kind == "random" {
                    letters(n, symbols, 4)
                } else {
                    edited(&a, 1, 1_000, 6)
                };
                let task = Substring::of(&a, &b).min_length(least);
                let sorted = task.clone().method(SubstringMethod::SuffixArray);
                let call = Call {
                    case: &case,
                    work: Work::Windows,
                    calls,
                    baseline: None,
                };
                bench.measure(&one, &call, &task, |found| {
                    one.run(&sorted)
                        .is_ok_and(|other| other.matches == found.matches)
                });
            }
        }
    }
}
