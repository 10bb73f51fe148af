//! Every problem by every method on every listed device and on the CPU gives the same answers and
//! witnesses, compared as text.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use support::inputs::{Input, Kind, Random};
use support::trees::{bases, dimensions};
use swath::parenthesization::{
    MatrixChain, PointPolygon, Problem, RnaFold, SearchTree, WeightedPolygon,
};
use swath::sort::RadixSort;
use swath::unstable::edit_distance::EditOptions;
use swath::unstable::lcs::{LcsOptions, Tuning};
use swath::{
    Edit, Engine, Error, Lcs, Options, Parenthesize, PlanSummary, Report, Result, Scs, Substring,
};
use swath::{edit_distance, lcs, parenthesization, substring, supersequence};

/// Answer of one method, with the device.
struct MethodAnswer {
    problem: &'static str,
    question: String,
    method: &'static str,
    answer: Result<(String, String)>,
}

/// Answers of an engine to all problems, by all methods.
#[derive(Default)]
struct EngineAnswers(Vec<MethodAnswer>);

impl EngineAnswers {
    fn of(engine: &Engine) -> Self {
        let mut answers = Self::default();
        answers.run_pairs(engine);
        answers.run_strips(engine);
        answers.run_trees(engine);
        answers.run_keys(engine);
        answers
    }

    fn note<A>(
        &mut self,
        (problem, method): (&'static str, &'static str),
        input: &dyn Debug,
        report: Result<Report<A>>,
        shown: impl Fn(&A) -> String,
    ) {
        let answer = report.map(|report| (shown(&report.answer), report.run.device));
        self.0.push(MethodAnswer {
            problem,
            question: format!("{problem} {input:?}"),
            method,
            answer,
        });
    }

    fn run_pairs(&mut self, engine: &Engine) {
        let similar = Input {
            kind: Kind::Similar,
            letters: 4,
            rows: 900,
            cols: 880,
            seed: 8,
        };
        for input in [
            Input::random(4, 700, 1100),
            Input::random(26, 2100, 150),
            similar,
        ] {
            let (a, b) = input.bytes();
            for path in [false, true] {
                for method in lcs::Method::ALL {
                    let report = engine.run(&Lcs::of(&a, &b).method(method).with_path(path));
                    self.note(("lcs", method.name()), &(input, path), report, text);
                }
                for mode in [
                    edit_distance::Mode::Global,
                    edit_distance::Mode::Prefix,
                    edit_distance::Mode::Infix,
                ] {
                    for method in edit_distance::Method::ALL {
                        let report =
                            engine.run(&Edit::of(&a, &b).mode(mode).method(method).with_path(path));
                        self.note(
                            ("edit distance", method.name()),
                            &(input, mode, path),
                            report,
                            text,
                        );
                    }
                }
                use supersequence::Method as M;
                for method in [
                    M::Auto,
                    M::BitParallel,
                    M::Banded,
                    M::Wavefront,
                    M::RowWise,
                    M::AntiDiagonal,
                    M::Reference,
                ] {
                    let report = engine.run(&Scs::of(&a, &b).method(method).with_path(path));
                    self.note(
                        ("supersequence", method.name()),
                        &(input, path),
                        report,
                        text,
                    );
                }
            }
            for method in substring::Method::ALL {
                let report = engine.run(&Substring::of(&a, &b).method(method));
                self.note(("substring", method.name()), &input, report, text);
            }
        }
    }

    /// Paths across several strips with carries and checkpoints, for any number of lanes.
    fn run_strips(&mut self, engine: &Engine) {
        let input = Input::random(4, 5000, 3300);
        let (a, b) = input.bytes();
        let mut tuning = Tuning::default();
        (tuning.limbs, tuning.replay_bytes) = (Some(2), Some(0));
        let in_strips = |plan: Result<PlanSummary>| {
            let plan = plan.expect("two limbs a lane are a shape of every device");
            assert!(plan.device == "cpu" || plan.strips > 1, "{plan:?}");
        };
        for path in [false, true] {
            let mut options = LcsOptions::default();
            (options.method, options.path, options.tuning) =
                (lcs::Method::BitParallel, path, tuning);
            let task = Lcs::of(&a, &b).with_options(&options);
            in_strips(engine.plan(&task));
            self.note(
                ("lcs", "bit-parallel in strips"),
                &(input, path),
                engine.run(&task),
                text,
            );
            self.note(
                ("lcs", "auto"),
                &(input, path),
                engine.run(&Lcs::of(&a, &b).with_path(path)),
                text,
            );
            let mut options = EditOptions::default();
            (options.method, options.path, options.tuning) =
                (edit_distance::Method::BitParallel, path, tuning);
            let task = Edit::of(&a, &b).with_options(&options);
            in_strips(engine.plan(&task));
            self.note(
                ("edit distance", "bit-parallel in strips"),
                &(input, path),
                engine.run(&task),
                text,
            );
            self.note(
                ("edit distance", "auto"),
                &(input, path),
                engine.run(&Edit::of(&a, &b).with_path(path)),
                text,
            );
        }
    }

    fn run_trees(&mut self, engine: &Engine) {
        let mut random = Random::new(4);
        let mut numbers = |count: usize| (0..count).map(|_| random.below(50)).collect::<Vec<_>>();
        let real = |numbers: &[u64]| {
            numbers
                .iter()
                .map(|&number| number as f64 / 7.0)
                .collect::<Vec<_>>()
        };
        let (keys, gaps) = (numbers(129), numbers(130));
        self.run_tree("chain", engine, &MatrixChain::new(dimensions(0, 140, 3)));
        self.run_tree(
            "chain with ties",
            engine,
            &MatrixChain::new(dimensions(6, 90, 3)),
        );
        self.run_tree(
            "tree",
            engine,
            &SearchTree::new(keys.clone(), gaps.clone()).expect("weights"),
        );
        self.run_tree(
            "real tree",
            engine,
            &SearchTree::new(real(&keys), real(&gaps)).expect("weights"),
        );
        self.run_tree(
            "polygon",
            engine,
            &WeightedPolygon::new(real(&gaps)).expect("weights"),
        );
        let corner = |place: usize| {
            [
                (place as f64 / 20.0).cos() * 3.0,
                (place as f64 / 20.0).sin(),
            ]
        };
        self.run_tree(
            "points",
            engine,
            &PointPolygon::new((0..100).map(corner).collect()).expect("corners"),
        );
        self.run_tree(
            "fold",
            engine,
            &RnaFold::new(&bases(150, 5), 3).expect("letters"),
        );
    }

    fn run_tree<P: Problem>(&mut self, name: &'static str, engine: &Engine, problem: &P) {
        use parenthesization::Method as M;
        for method in M::ALL {
            // Hu and Shing's method breaks ties differently; auto selects it if it applies.
            let own = problem.dimensions().is_some() && matches!(method, M::Auto | M::HuShing);
            let report = engine.run(&Parenthesize::of(problem).method(method));
            self.note((name, method.name()), &own, report, |answer| {
                text(&(answer.cost, &answer.tree, answer.in_order))
            });
        }
    }

    fn run_keys(&mut self, engine: &Engine) {
        let mut random = Random::new(6);
        let keys: Vec<u64> = (0..20_000).map(|_| random.below(900) << 30).collect();
        let narrow: Vec<u32> = keys.iter().map(|&key| (key >> 28) as u32).collect();
        let places: Vec<u32> = (0..keys.len() as u32).collect();
        self.note(
            ("sort", "wide"),
            &64,
            engine.run(&RadixSort::of(&keys).with_payload(&places)),
            text,
        );
        self.note(
            ("sort", "narrow"),
            &32,
            engine.run(&RadixSort::of(&narrow).with_payload(&places)),
            text,
        );
    }
}

fn text(answer: &impl Debug) -> String {
    format!("{answer:?}")
}

/// First answer to each question, and its origin.
#[derive(Default)]
struct Answers(BTreeMap<String, (String, String)>);

impl Answers {
    /// # Errors
    /// If the answer differs from an earlier one.
    fn compare(
        &mut self,
        question: String,
        by: String,
        answer: String,
    ) -> std::result::Result<(), String> {
        let (first, first_by) = self
            .0
            .entry(question.clone())
            .or_insert_with(|| (answer.clone(), by.clone()));
        if *first == answer {
            return Ok(());
        }
        let place = first
            .bytes()
            .zip(answer.bytes())
            .take_while(|(x, y)| x == y)
            .count();
        let near = |text: &str| {
            text.chars()
                .skip(place.saturating_sub(80))
                .take(300)
                .collect::<String>()
        };
        Err(format!(
            "{question}\n{first_by}: {}\n{by}: {}",
            near(first),
            near(&answer)
        ))
    }
}

#[test]
fn every_device_and_method_gives_the_same_answers_and_witnesses() {
    let listed: Vec<_> = swath::devices()
        .into_iter()
        .map(|device| device.selector)
        .collect();
    let wanted = std::env::var("SWATH_TEST_DEVICE")
        .ok()
        .filter(|wanted| wanted.contains(':'));
    assert!(
        wanted.is_none_or(|wanted| listed.contains(&wanted)),
        "{listed:?}"
    );
    if support::gpu_options().is_none() {
        return;
    }
    let mut answers = Answers::default();
    for selector in listed {
        let options = Options::new().device(selector.parse().expect("any text is a choice"));
        let engine = Engine::new(options).expect("it opens");
        let (mut requested, mut on_device) = (BTreeSet::new(), BTreeSet::new());
        for MethodAnswer {
            problem,
            question,
            method,
            answer,
        } in EngineAnswers::of(&engine).0
        {
            requested.insert(problem);
            match answer {
                Ok((answer, device)) => {
                    if (device == "cpu") == (selector == "cpu") {
                        on_device.insert(problem);
                    }
                    let differs =
                        answers.compare(question, format!("{method} on {selector}"), answer);
                    differs.unwrap_or_else(|differs| panic!("{differs}"));
                }
                Err(Error::MethodUnavailable { .. }) => {}
                Err(error) => panic!("{method} on {selector}: {error}\n{question}"),
            }
        }
        // Devices without double precision refuse real weights.
        let of_doubles = BTreeSet::from(["real tree", "polygon", "points"]);
        let missing: Vec<_> = requested
            .difference(&on_device)
            .filter(|problem| !of_doubles.contains(*problem))
            .collect();
        assert!(
            missing.is_empty(),
            "{selector} has answered nothing of {missing:?}"
        );
    }
}

#[test]
fn an_answer_that_differs_is_noticed() {
    let mut answers = Answers::default();
    let mut compare =
        |answer: &str| answers.compare("lcs".to_string(), "by".to_string(), answer.to_string());
    assert_eq!(compare("3 [1, 2, 3]"), Ok(()));
    assert_eq!(compare("3 [1, 2, 3]"), Ok(()));
    let differs = compare("3 [1, 2, 4]").expect_err("the witness is another");
    assert!(
        differs.contains("[1, 2, 3]") && differs.contains("[1, 2, 4]"),
        "{differs}"
    );
}
