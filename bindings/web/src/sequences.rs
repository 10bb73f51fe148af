//! Problems of two or more sequences.

use js_sys::Array;
use swath::edit_distance::{Distance, Mode, Op, Piece};
use swath::query::{Edit, Lcs, Scs, Substring, Symbols};
use swath::substring::Occurrences;
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

use crate::answer::{Answer, array, blocks, numbers, place, symbols};
use crate::arguments::{Given, count, list, pair};
use crate::engine::Engine;
use crate::failure::{Failure, Result, invalid};

/// Records of each input: a sequence, or an array of sequences.
fn records(inputs: &JsValue) -> Result<Vec<Vec<Symbols<'static>>>> {
    let Some(inputs) = inputs.dyn_ref::<Array>() else {
        return Err(invalid("the argument 'inputs' is no array"));
    };
    let input = |(index, input): (usize, JsValue)| {
        let name = format!("inputs[{index}]");
        if Array::is_array(&input) {
            list(&input, &name)
        } else {
            Ok(vec![crate::arguments::symbols(&input, &name)?])
        }
    };
    inputs.iter().enumerate().map(input).collect()
}

fn substring(inputs: &JsValue, options: &Given) -> Result<Substring<'static>> {
    let mut substring = Substring::of(records(inputs)?)?;
    if options.flag("bothStrands")? {
        substring = substring.both_strands()?;
    }
    substring.options.method = options.named("method")?;
    substring.options.inputs = options.count("inputs")?;
    Ok(substring)
}

fn edit_query(a: &JsValue, b: &JsValue, options: &Given) -> Result<Edit<'static>> {
    let mut edit = Edit::from(pair(a, b, options)?);
    edit.options.path = options.flag("path")?;
    edit.options.method = options.named("method")?;
    edit.options.mode = options.named("mode")?;
    edit.options.max_distance = options.count("maxDistance")?;
    edit.options.starts = options.flag("starts")?;
    let gaps = options.text("gaps")?;
    edit.options.gaps = gaps.map(|gaps| gaps.parse()).transpose()?;
    Ok(edit)
}

/// Differences of two sequences, and counts of their symbols.
#[derive(Default)]
struct Differences {
    /// Start and end in `a`, start and end in `b`.
    ranges: Vec<[usize; 4]>,
    equal: usize,
    substitutions: usize,
    /// Symbols of `a` alone.
    only_a: usize,
    /// Symbols of `b` alone.
    only_b: usize,
}

impl Differences {
    fn of(ops: &[(Op, usize)]) -> Self {
        let mut found = Self::default();
        let (mut a, mut b) = (0, 0);
        let mut follows_match = true;
        for &(op, len) in ops {
            let from = (a, b);
            let (rows, cols, count) = match op {
                Op::Equal => (len, len, &mut found.equal),
                Op::Substitute => (len, len, &mut found.substitutions),
                Op::Insert => (len, 0, &mut found.only_a),
                Op::Delete => (0, len, &mut found.only_b),
            };
            *count += len;
            (a, b) = (a + rows, b + cols);
            if op == Op::Equal {
                follows_match = true;
                continue;
            }
            match found.ranges.last_mut() {
                Some(last) if !follows_match => (last[1], last[3]) = (a, b),
                _ => found.ranges.push([from.0, a, from.1, b]),
            }
            follows_match = false;
        }
        found
    }
}

#[wasm_bindgen]
impl Engine {
    /// Longest common subsequence of two sequences.
    #[wasm_bindgen(unchecked_return_type = "LcsAnswer")]
    pub async fn lcs(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Sequence")] a: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Sequence")] b: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "LcsOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options = Given::new(options, &["path", "method", "matching"])?;
        let mut lcs = Lcs::from(pair(&a, &b, &options)?);
        lcs.options.path = options.flag("path")?;
        lcs.options.method = options.named("method")?;
        let report = self.call(&lcs, &options).await?;
        let mut answer = Answer::of(&report).with("length", report.length as f64);
        if let Some(path) = &report.subsequence {
            let found = lcs.symbols(path).map_err(Failure::from)?;
            answer = answer
                .with("blocks", blocks(path.blocks()))
                .with("symbols", symbols(&found, a.is_string()));
        }
        Ok(answer.into())
    }

    /// Edit distance (Levenshtein) of `a`, the query sequence, and `b`, the target.
    #[wasm_bindgen(unchecked_return_type = "EditAnswer")]
    pub async fn edit(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Sequence")] a: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Sequence")] b: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "EditOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let known = [
            "path",
            "method",
            "matching",
            "mode",
            "maxDistance",
            "starts",
            "gaps",
        ];
        let options = Given::new(options, &known)?;
        let edit = edit_query(&a, &b, &options)?;
        let report = self.call(&edit, &options).await?;
        let answer = Answer::of(&report);
        let mut answer = match report.distance {
            Distance::Exactly(distance) => answer.with("distance", distance as f64),
            Distance::MoreThan(bound) => answer
                .with("distance", JsValue::NULL)
                .with("moreThan", bound as f64),
        };
        if let Some(alignment) = &report.alignment {
            let cigar = edit.pair.cigar_extended(alignment);
            answer = answer
                .with("cigar", cigar.map_err(Failure::from)?)
                .with("blocks", blocks(alignment.blocks()));
        }
        if edit.options.mode != Mode::Global {
            let piece = |piece: &Piece| {
                let start = piece.start.map(|start| start as f64);
                let object = Answer::new().with_some("start", start);
                object.with("end", piece.end as f64).into()
            };
            answer = answer.with("pieces", array(report.pieces.iter().map(piece)));
        }
        Ok(answer.into())
    }

    /// Differences of two sequences by an alignment of fewest edits.
    #[wasm_bindgen(unchecked_return_type = "CompareAnswer")]
    pub async fn compare(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Sequence")] a: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Sequence")] b: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "CompareOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options = Given::new(options, &["method", "matching", "gaps"])?;
        let mut edit = edit_query(&a, &b, &options)?;
        edit.options.path = true;
        let report = self.call(&edit, &options).await?;
        let missing = || crate::failure::internal("the alignment is missing");
        let alignment = report.alignment.as_ref().ok_or_else(missing)?;
        let found = Differences::of(&edit.pair.ops(alignment).map_err(Failure::from)?);
        let columns = found.equal + found.substitutions + found.only_a + found.only_b;
        let similarity = if columns == 0 {
            1.0
        } else {
            found.equal as f64 / columns as f64
        };
        let distance = found.substitutions + found.only_a + found.only_b;
        let answer = Answer::of(&report)
            .with("distance", distance as f64)
            .with("similarity", similarity)
            .with("equal", found.equal as f64)
            .with("substitutions", found.substitutions as f64)
            .with("onlyA", found.only_a as f64)
            .with("onlyB", found.only_b as f64)
            .with("differences", numbers(found.ranges.into_iter().flatten()))
            .with("blocks", blocks(alignment.blocks()));
        Ok(answer.into())
    }

    /// Shortest common supersequence of sequences.
    #[wasm_bindgen(unchecked_return_type = "ScsAnswer")]
    pub async fn scs(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Sequence[]")] inputs: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "ScsOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options = Given::new(options, &["path", "method"])?;
        let list = list(&inputs, "inputs")?;
        let are_texts = Array::from(&inputs).iter().all(|input| input.is_string());
        let mut scs = Scs::of(list).map_err(Failure::from)?;
        scs.options.path = options.flag("path")?;
        scs.options.method = options.named("method")?;
        let report = self.call(&scs, &options).await?;
        let mut answer = Answer::of(&report)
            .with("length", report.length as f64)
            .with("lowerBound", report.lower_bound as f64)
            .with("exact", report.exact);
        if let Some(path) = &report.supersequence {
            let found = scs.symbols(path).map_err(Failure::from)?;
            answer = answer.with("symbols", symbols(&found, are_texts));
        }
        Ok(answer.into())
    }

    /// Longest common substrings of inputs, each a sequence or an array of records.
    #[wasm_bindgen(unchecked_return_type = "SubstringAnswer")]
    pub async fn substring(
        &self,
        #[wasm_bindgen(unchecked_param_type = "(Sequence | Sequence[])[]")] inputs: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SubstringOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options = Given::new(options, &["method", "inputs", "bothStrands"])?;
        let report = self.call(&substring(&inputs, &options)?, &options).await?;
        let places = |one: &Occurrences| array(one.places.iter().map(place)).into();
        let answer = Answer::of(&report)
            .with("length", report.length as f64)
            .with("substrings", array(report.substrings.iter().map(places)));
        Ok(answer.into())
    }

    /// All maximal matches of at least `minLength` symbols between two inputs.
    #[wasm_bindgen(unchecked_return_type = "MatchesAnswer")]
    pub async fn matches(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Sequence")] a: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Sequence")] b: JsValue,
        #[wasm_bindgen(js_name = minLength, unchecked_param_type = "number")] min_length: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "MatchesOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options = Given::new(options, &["method", "bothStrands"])?;
        let inputs = Array::of2(&a, &b).into();
        let min_length = count(&min_length, "minLength")?;
        let matches = substring(&inputs, &options)?.min_length(min_length);
        let report = self.call(&matches, &options).await?;
        let rows = report.matches.iter().flat_map(|found| {
            let is_reverse = usize::from(found.b.strand != found.a.strand);
            [found.a.start, found.b.start, found.length, is_reverse]
        });
        Ok(Answer::of(&report).with("matches", numbers(rows)).into())
    }
}
