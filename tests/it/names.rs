//! Names and reports as text: displayed names parse back, serialized reports have the documented
//! fields.

use std::collections::BTreeSet;
use std::fmt::{Debug, Display};
use std::str::FromStr;

use serde::Serialize;
use serde_json::{Value, json};
use swath::edit_distance::{Distance, Gaps, Mode};
use swath::parenthesization::{Arithmetic, Goal, MatrixChain, Precision};
use swath::sort::RadixSort;
use swath::substring::Strand;
use swath::{
    DeviceChoice, Edit, Engine, Error, Interface, Lcs, Options, Parenthesize, PathMode, Phase,
    Report, Scs, Substring, Task,
};
use swath::{edit_distance, lcs, parenthesization, substring, supersequence};

/// Requires that values are displayed, parsed and serialized by the same distinct names.
#[track_caller]
fn assert_named<T>(all: &[T], names: &[&str])
where
    T: Copy + Debug + Display + FromStr<Err = Error> + PartialEq + Serialize,
{
    assert_eq!(all.iter().map(T::to_string).collect::<Vec<_>>(), names);
    assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    for (value, name) in all.iter().zip(names) {
        assert_eq!(name.parse::<T>().ok(), Some(*value));
        assert_eq!(serde_json::to_value(value).ok(), Some(json!(name)));
        assert_eq!(format!("[{value:>15}]"), format!("[{name:>15}]"));
    }
    let refused = "no such name"
        .parse::<T>()
        .expect_err("nothing has this name")
        .to_string();
    assert!(names.iter().all(|name| refused.contains(name)), "{refused}");
}

#[test]
fn values_that_are_chosen_by_name_are_shown_read_and_serialized_by_it() {
    assert_named(&lcs::Method::ALL, &lcs::Method::ALL.map(lcs::Method::name));
    assert_named(
        &edit_distance::Method::ALL,
        &edit_distance::Method::ALL.map(edit_distance::Method::name),
    );
    assert_named(
        &supersequence::Method::ALL,
        &supersequence::Method::ALL.map(supersequence::Method::name),
    );
    assert_named(
        &substring::Method::ALL,
        &substring::Method::ALL.map(substring::Method::name),
    );
    assert_named(
        &parenthesization::Method::ALL,
        &parenthesization::Method::ALL.map(parenthesization::Method::name),
    );
    assert_named(&Mode::ALL, &["global", "prefix", "infix"]);
    assert_named(&Gaps::ALL, &["left", "right"]);
    assert_named(&Strand::ALL, &["+", "-"]);
    assert_named(&PathMode::ALL, &PathMode::ALL.map(PathMode::name));
    assert_named(&Phase::ALL, &Phase::ALL.map(Phase::name));
    assert_named(&Goal::ALL, &["least", "greatest"]);
    assert_named(&Precision::ALL, &["exact", "f32"]);
    assert_named(
        &Arithmetic::ALL,
        &["u32", "u64", "u64 in limbs", "f64", "f32"],
    );
}

#[test]
fn interfaces_and_distances_are_shown_as_reports_have_them() {
    assert_named(&Interface::ALL, &["cuda", "vulkan", "metal", "dx12"]);
    assert_eq!("DX12".parse().ok(), Some(Interface::Dx12));
    let choice = DeviceChoice::Adapter {
        interface: Interface::Vulkan,
        index: 1,
    };
    assert_eq!(serde_json::to_value(choice).ok(), Some(json!("vulkan:1")));
    assert_eq!(
        [Distance::Exactly(3), Distance::MoreThan(5)].map(|distance| distance.to_string()),
        ["3", "> 5"]
    );
}

/// Report of a task as JSON; also checks its plan and run record.
#[track_caller]
fn answer<T: Task>(task: T, keys: &[&str]) -> Value
where
    Report<T::Answer>: Serialize,
{
    let engine =
        Engine::new(Options::new().device(DeviceChoice::Cpu)).expect("the CPU is always there");
    let plan =
        serde_json::to_value(engine.plan(&task).expect("it is planned")).expect("it is serialized");
    let planned = [
        "method",
        "device",
        "path_mode",
        "cells",
        "tile",
        "strips",
        "passes",
        "device_bytes",
        "host_bytes",
        "expected",
    ];
    assert_keys(&plan, &planned);
    let report =
        serde_json::to_value(engine.run(&task).expect("it is solved")).expect("it is serialized");
    assert_keys(&report, &["answer", "run", "interface"]);
    assert_eq!(
        (&report["interface"], json!(Interface::Vulkan)),
        (&Value::Null, json!("vulkan"))
    );
    let ran = [
        "method",
        "path_mode",
        "device",
        "cells",
        "computed_cells",
        "common_prefix",
        "common_suffix",
        "elapsed",
        "phases",
    ];
    assert_keys(&report["run"], &ran);
    assert_eq!(
        (&plan["device"], &report["run"]["device"]),
        (&json!("cpu"), &json!("cpu"))
    );
    assert_eq!(plan["cells"], report["run"]["cells"]);
    assert_keys(&report["run"]["elapsed"], &["secs", "nanos"]);
    assert_keys(&report["answer"], keys);
    report["answer"].clone()
}

#[track_caller]
fn assert_keys(value: &Value, keys: &[&str]) {
    let found: BTreeSet<_> = value
        .as_object()
        .expect("it has fields")
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(found, keys.iter().copied().collect(), "{value}");
}

#[test]
fn reports_of_every_task_are_serialized_with_their_fields() {
    let found = answer(Lcs::of(b"xABy", b"zABw").path(), &["length", "subsequence"]);
    assert_eq!(
        found,
        json!({"length": 2, "subsequence": [{"a": 1, "b": 1, "len": 2}]})
    );
    let found = answer(
        Edit::of(b"ACGT", b"TTACCTTT").infix().within(3).path(),
        &["distance", "pieces", "alignment"],
    );
    assert_eq!(found["distance"], json!({"Exactly": 1}));
    assert_eq!(found["pieces"], json!([{"start": 2, "end": 6}]));
    let aligned = json!({"blocks": [{"a": 0, "b": 2, "len": 4}], "a_len": 4, "piece": {"start": 2, "end": 6}});
    assert_eq!(found["alignment"], aligned);
    let found = answer(
        Edit::of(b"ACGT", b"TGCA").within(1),
        &["distance", "pieces", "alignment"],
    );
    assert_eq!(
        found,
        json!({"distance": {"MoreThan": 1}, "pieces": [], "alignment": null})
    );
    let found = answer(
        Scs::of(b"ab", b"b").path(),
        &["length", "lower_bound", "exact", "supersequence"],
    );
    let embeddings = json!([[{"input": 0, "at": 0, "len": 2}], [{"input": 0, "at": 1, "len": 1}]]);
    let supersequence = json!({"length": 2, "embeddings": embeddings});
    assert_eq!(
        found,
        json!({"length": 2, "lower_bound": 2, "exact": true, "supersequence": supersequence})
    );
    let chain = MatrixChain::new(vec![2, 3, 4, 5]);
    let found = answer(
        Parenthesize::of(&chain),
        &["cost", "tree", "in_order", "arithmetic"],
    );
    let nodes = json!([{"start": 0, "end": 3, "split": 2}, {"start": 0, "end": 2, "split": 1}]);
    let tree = json!({"leaves": 3, "nodes": nodes});
    assert_eq!(
        found,
        json!({"cost": 64, "tree": tree, "in_order": 64, "arithmetic": "u64"})
    );
    let place = |input: usize, start: usize| json!({"input": input, "record": 0, "start": start, "strand": "+"});
    let found = answer(Substring::of(b"xAB", b"ABy"), &["length", "substrings"]);
    assert_eq!(
        found,
        json!({"length": 2, "substrings": [{"places": [place(0, 1), place(1, 0)]}]})
    );
    let found = answer(Substring::of(b"xAB", b"ABy").min_length(2), &["matches"]);
    assert_eq!(
        found,
        json!({"matches": [{"a": place(0, 1), "b": place(1, 0), "length": 2}]})
    );
    let found = answer(
        RadixSort::of(&[3u32, 1]).with_payload(&[7, 8]),
        &["keys", "payload"],
    );
    assert_eq!(found, json!({"keys": [1, 3], "payload": [8, 7]}));
}
