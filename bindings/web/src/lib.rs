//! swath for browsers and Node.
//!
//! [`engine`] runs queries on the CPU and on a device of WebGPU, [`sequences`], [`lists`] and
//! [`trees`] have a method of `Engine` for each problem. [`arguments`] reads the arguments of
//! JavaScript, [`answer`] makes objects of answers. The types for TypeScript are in `types.d.ts`.
//!
//! A call on the CPU keeps its thread busy until it ends. So `js/swath.js` has the same methods in a
//! worker.
#![cfg(target_family = "wasm")]

mod answer;
mod arguments;
mod control;
mod device;
mod engine;
mod failure;
mod lists;
mod sequences;
mod trees;

use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("types.d.ts");

/// Throws a panic as an error with its text. Nothing unwinds on this target, so the module is not to
/// be used afterwards.
#[wasm_bindgen(start)]
fn start() {
    std::panic::set_hook(Box::new(|panic| {
        wasm_bindgen::throw_val(failure::internal(&panic.to_string()).into());
    }));
}
