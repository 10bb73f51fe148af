//! Arguments of JavaScript.

use std::str::FromStr;

use js_sys::{Array, Reflect, Uint8Array, Uint32Array};
use swath::Matching;
use swath::pairs::Strings;
use swath::query::{Pair, StringList, Symbols};
use wasm_bindgen::{JsCast, JsValue};

use crate::failure::{Result, invalid};

/// Symbols of a text or an array. A text is bytes if it is ASCII, else code points.
pub fn symbols(value: &JsValue, name: &str) -> Result<Symbols<'static>> {
    if let Some(text) = value.as_string() {
        return Ok(if text.is_ascii() {
            Symbols::Bytes(text.into_bytes().into())
        } else {
            Symbols::Numbers(text.chars().map(u32::from).collect())
        });
    }
    if let Some(bytes) = value.dyn_ref::<Uint8Array>() {
        return Ok(Symbols::Bytes(bytes.to_vec().into()));
    }
    if let Some(numbers) = value.dyn_ref::<Uint32Array>() {
        return Ok(Symbols::Numbers(numbers.to_vec().into()));
    }
    Err(invalid(format!(
        "the argument '{name}' is no sequence; give a string, a Uint8Array or a Uint32Array"
    )))
}

/// An array of sequences.
pub fn list(value: &JsValue, name: &str) -> Result<Vec<Symbols<'static>>> {
    let Some(array) = value.dyn_ref::<Array>() else {
        return Err(invalid(format!(
            "the argument '{name}' is no array of sequences"
        )));
    };
    let item = |(index, value)| symbols(&value, &format!("{name}[{index}]"));
    array.iter().enumerate().map(item).collect()
}

/// A sequence, or an array of them, as a list.
pub fn strings(value: &JsValue, name: &str) -> Result<StringList<'static>> {
    let list = if Array::is_array(value) {
        list(value, name)?
    } else {
        vec![symbols(value, name)?]
    };
    let bytes: Option<Vec<_>> = list
        .iter()
        .map(|one| match one {
            Symbols::Bytes(bytes) => Some(&bytes[..]),
            _ => None,
        })
        .collect();
    if let Some(bytes) = bytes {
        return Ok(StringList::Bytes(Strings::from_slices(bytes)));
    }
    let numbers = list.iter().map(|one| match one {
        Symbols::Bytes(bytes) => bytes.iter().copied().map(u32::from).collect(),
        Symbols::Numbers(numbers) => numbers.to_vec(),
        Symbols::Letters(_) => Vec::new(),
    });
    Ok(StringList::Numbers(Strings::from_slices(numbers)))
}

/// The object of a call's options.
pub struct Given(JsValue);

impl Given {
    /// # Errors
    /// If `value` is there and no object, or has an option that is not `known`.
    pub fn new(value: JsValue, known: &[&str]) -> Result<Self> {
        if value.is_undefined() || value.is_null() {
            return Ok(Self(JsValue::undefined()));
        }
        let Some(object) = value.dyn_ref::<js_sys::Object>() else {
            return Err(invalid("the options are no object"));
        };
        for name in js_sys::Object::keys(object).iter() {
            let name = name.as_string().unwrap_or_default();
            if !known.contains(&&name[..]) && !CALL.contains(&&name[..]) {
                let known = [known, CALL].concat().join(", ");
                return Err(invalid(format!("unknown option '{name}'; known: {known}")));
            }
        }
        Ok(Self(value))
    }

    /// The option; `None` if it is absent, undefined or null.
    pub fn get(&self, name: &str) -> Option<JsValue> {
        if self.0.is_undefined() {
            return None;
        }
        let value = Reflect::get(&self.0, &name.into()).ok()?;
        (!value.is_undefined() && !value.is_null()).then_some(value)
    }

    pub fn flag(&self, name: &str) -> Result<bool> {
        self.get(name).map_or(Ok(false), |value| {
            let wrong = || invalid(format!("the option '{name}' is neither true nor false"));
            value.as_bool().ok_or_else(wrong)
        })
    }

    pub fn text(&self, name: &str) -> Result<Option<String>> {
        let text = |value: JsValue| {
            let wrong = || invalid(format!("the option '{name}' is no string"));
            value.as_string().ok_or_else(wrong)
        };
        self.get(name).map(text).transpose()
    }

    pub fn count(&self, name: &str) -> Result<Option<u64>> {
        self.get(name).map(|value| count(&value, name)).transpose()
    }

    /// A value by its name; the default one if it is absent.
    pub fn named<T: FromStr<Err = swath::Error> + Default>(&self, name: &str) -> Result<T> {
        let text = self.text(name)?;
        Ok(text.map_or_else(|| Ok(T::default()), |text| text.parse())?)
    }

    /// The matching; `None` for that of equal symbols.
    pub fn matching(&self) -> Result<Option<Matching>> {
        match self.text("matching")?.as_deref() {
            None | Some("exact") => Ok(None),
            Some("iupac") => Ok(Some(Matching::iupac())),
            Some(other) => Err(invalid(format!(
                "unknown matching '{other}'; known: exact, iupac"
            ))),
        }
    }
}

/// Options of every call.
const CALL: &[&str] = &["device", "onProgress", "signal"];

/// A whole number.
pub fn count(value: &JsValue, name: &str) -> Result<u64> {
    let wrong = || invalid(format!("'{name}' is no whole number from 0 to 2^53 - 1"));
    let number = value.as_f64().ok_or_else(wrong)?;
    let is_whole = number >= 0.0 && number.fract() == 0.0 && number < 9_007_199_254_740_992.0;
    if is_whole {
        Ok(number as u64)
    } else {
        Err(wrong())
    }
}

/// Two sequences, whose letters match by the option `matching`.
pub fn pair(a: &JsValue, b: &JsValue, options: &Given) -> Result<Pair<'static>> {
    let both = [symbols(a, "a")?, symbols(b, "b")?];
    match (options.matching()?, both) {
        (None, [a, b]) => Ok(Pair::of_symbols(a, b)?),
        (Some(letters), [Symbols::Bytes(a), Symbols::Bytes(b)]) => Ok(Pair::Letters(
            [a, b].map(|bytes| letters.letters(&bytes).into()),
        )),
        _ => Err(invalid(
            "the matching 'iupac' takes bytes; give DNA as ASCII",
        )),
    }
}
