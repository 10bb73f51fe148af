//! Inputs and options that the contents of a file follow from.

use std::fmt::Display;
use std::hash::{Hash, Hasher};

use clap::ValueEnum;
use swath::Symbol;
use swath::pairs::Strings;
use twox_hash::XxHash3_64;

use crate::input::StringList;

/// Values of inputs and options, by name.
pub type Fingerprint = Vec<(String, String)>;

pub fn call_entries<const N: usize>(entries: [(&str, &dyn Display); N]) -> Fingerprint {
    entries
        .map(|(name, value)| (name.to_string(), value.to_string()))
        .into()
}

/// Value of an option that may be absent.
pub fn shown(value: Option<impl ToString>) -> String {
    value.map_or("nothing".to_string(), |value| value.to_string())
}

pub fn value_name(value: impl ValueEnum) -> String {
    let name = value.to_possible_value();
    name.map_or(String::new(), |value| value.get_name().to_string())
}

/// Hash of the strings of a list and their names.
pub fn content<S: Symbol>(list: &StringList<S>) -> String {
    digits(hash_of(&(&list.records, Content(&list.strings))))
}

struct Content<'a, S: Symbol>(&'a Strings<'static, S>);

impl<S: Symbol> Hash for Content<'_, S> {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.0.len().hash(hasher);
        self.0.iter().for_each(|string| string.hash(hasher));
    }
}

pub fn hash_of(value: &impl Hash) -> u64 {
    let mut hasher = XxHash3_64::with_seed(0);
    value.hash(&mut hasher);
    hasher.finish()
}

pub fn digits(hash: u64) -> String {
    format!("{hash:016x}")
}
