//! Problems of lists of sequences.

use swath::edit_distance::Op;
use swath::query::Search;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Answer, array, strand};
use crate::arguments::{Given, strings};
use crate::engine::Engine;
use crate::failure::Failure;

#[wasm_bindgen]
impl Engine {
    /// Places of patterns in texts within a number of edits.
    #[wasm_bindgen(unchecked_return_type = "SearchAnswer")]
    pub async fn search(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Sequence | Sequence[]")] patterns: JsValue,
        #[wasm_bindgen(unchecked_param_type = "Sequence | Sequence[]")] texts: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SearchOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let known = ["within", "alignments", "strands", "choice", "matching"];
        let options = Given::new(options, &known)?;
        let (patterns, texts) = (strings(&patterns, "patterns")?, strings(&texts, "texts")?);
        let mut search = Search::of(patterns, texts).map_err(Failure::from)?;
        search.options.within = options.count("within")?.unwrap_or(0);
        search.options.alignments = options.flag("alignments")?;
        search.options.strands = options.named("strands")?;
        search.options.choice = options.named("choice")?;
        search.options.matching = options.matching()?.map(Box::new);
        let report = self.call(&search, &options).await?;
        let place = |(index, place): (usize, &swath::search::Place)| {
            let alignment = report.alignments.as_ref().map(|all| &all[index]);
            let object = Answer::new()
                .with("pattern", place.pattern)
                .with("text", place.text)
                .with("start", place.start as f64)
                .with("end", place.end as f64)
                .with("strand", strand(place.strand))
                .with("cost", place.cost)
                .with_some("cigar", alignment.map(|ops| Op::cigar(ops)));
            object.into()
        };
        let places = array(report.places.iter().enumerate().map(place));
        Ok(Answer::of(&report).with("places", places).into())
    }
}
