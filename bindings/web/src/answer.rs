//! Answers as objects of JavaScript.

use js_sys::{Array, Object, Reflect, Uint8Array, Uint32Array};
use swath::query::Symbols;
use swath::substring::{Place, Strand};
use swath::{Block, Report};
use wasm_bindgen::JsValue;

/// An object of an answer.
pub struct Answer(Object);

impl Answer {
    /// An answer with the record of its call.
    pub fn of<A>(report: &Report<A>) -> Self {
        let run = &report.run;
        let record = Self(Object::new())
            .with("method", run.method)
            .with("device", run.device.as_str())
            .with("seconds", run.elapsed.as_secs_f64())
            .with("cells", run.cells as f64)
            .with("computedCells", run.computed_cells as f64);
        Self(Object::new()).with("run", record.0)
    }

    pub fn new() -> Self {
        Self(Object::new())
    }

    pub fn with(self, name: &str, value: impl Into<JsValue>) -> Self {
        // A new object takes any property.
        let _ = Reflect::set(&self.0, &name.into(), &value.into());
        self
    }

    pub fn with_some(self, name: &str, value: Option<impl Into<JsValue>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }
}

impl From<Answer> for JsValue {
    fn from(answer: Answer) -> Self {
        answer.0.into()
    }
}

/// Numbers of an answer. Sizes are below 2^32 on this target.
pub fn numbers(numbers: impl Iterator<Item = usize>) -> Uint32Array {
    let numbers: Vec<_> = numbers.map(|number| number as u32).collect();
    Uint32Array::from(&numbers[..])
}

/// `a`, `b` and length of each block.
pub fn blocks(blocks: &[Block]) -> Uint32Array {
    numbers(
        blocks
            .iter()
            .flat_map(|block| [block.a, block.b, block.len]),
    )
}

/// Symbols as a text if they are those of texts, else as an array.
pub fn symbols(symbols: &Symbols<'_>, as_text: bool) -> JsValue {
    match symbols {
        Symbols::Bytes(bytes) if as_text => String::from_utf8_lossy(bytes).as_ref().into(),
        Symbols::Bytes(bytes) => Uint8Array::from(&bytes[..]).into(),
        Symbols::Numbers(numbers) if as_text => {
            let letter = |&number| char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER);
            numbers.iter().map(letter).collect::<String>().into()
        }
        Symbols::Numbers(numbers) => Uint32Array::from(&numbers[..]).into(),
        Symbols::Letters(letters) => {
            let bytes: Vec<_> = letters.iter().map(|letter| letter.byte()).collect();
            self::symbols(&Symbols::Bytes(bytes.into()), as_text)
        }
    }
}

pub fn strand(strand: Strand) -> &'static str {
    match strand {
        Strand::Forward => "+",
        Strand::Reverse => "-",
    }
}

pub fn place(place: &Place) -> JsValue {
    let object = Answer::new()
        .with("input", place.input as f64)
        .with("record", place.record as f64)
        .with("start", place.start as f64)
        .with("strand", strand(place.strand));
    object.into()
}

pub fn array(items: impl Iterator<Item = JsValue>) -> Array {
    items.collect()
}
