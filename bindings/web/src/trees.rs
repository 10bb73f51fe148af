//! Problems of optimal trees.

use swath::parenthesization::{MatrixChain, Parenthesization, RnaFold};
use swath::{Parenthesize, Report};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::answer::{Answer, numbers};
use crate::arguments::Given;
use crate::engine::Engine;
use crate::failure::{Failure, invalid};

/// Cost and nodes: start, end and split of each, which is its end if it has none.
fn tree(report: &Report<Parenthesization<u64>>) -> JsValue {
    let nodes = report.tree.nodes().iter();
    let nodes = nodes.flat_map(|node| [node.start, node.end, node.split.unwrap_or(node.end)]);
    Answer::of(report)
        .with("cost", report.cost)
        .with("nodes", numbers(nodes))
        .into()
}

#[wasm_bindgen]
impl Engine {
    /// Cheapest order to multiply a chain of matrices: matrix `i` has `dimensions[i]` rows and
    /// `dimensions[i + 1]` columns.
    #[wasm_bindgen(js_name = matrixChain, unchecked_return_type = "TreeAnswer")]
    pub async fn matrix_chain(
        &self,
        dimensions: Vec<f64>,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options = Given::new(options, &[])?;
        let dimension = |(index, dimension): (usize, f64)| {
            let name = format!("dimensions[{index}]");
            match crate::arguments::count(&dimension.into(), &name)? {
                0 => Err(invalid(format!(
                    "{name} is 0; every dimension is at least 1"
                ))),
                dimension => Ok(dimension),
            }
        };
        let dimensions: Result<Vec<_>, Failure> =
            dimensions.into_iter().enumerate().map(dimension).collect();
        let chain = Parenthesize::of(MatrixChain::new(dimensions?));
        Ok(tree(&self.call(&chain, &options).await?))
    }

    /// Fold of an RNA sequence with the most base pairs, with at least `minLoop` bases between the
    /// two of a pair.
    #[wasm_bindgen(js_name = rnaFold, unchecked_return_type = "TreeAnswer")]
    pub async fn rna_fold(
        &self,
        bases: String,
        #[wasm_bindgen(js_name = minLoop)] min_loop: u32,
        #[wasm_bindgen(unchecked_optional_param_type = "CallOptions")] options: JsValue,
    ) -> Result<JsValue, JsValue> {
        let options = Given::new(options, &[])?;
        let fold = RnaFold::new(bases.as_bytes(), min_loop as usize).map_err(Failure::from)?;
        Ok(tree(&self.call(&Parenthesize::of(fold), &options).await?))
    }
}
