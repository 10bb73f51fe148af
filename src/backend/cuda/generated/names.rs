//! Identifiers of the translation.
//!
//! Identifiers of the WGSL get an underscore at their end. No keyword, macro or function of C++,
//! CUDA or the prelude ends in one, so that no list of reserved words is needed.

use std::collections::HashSet;

/// Distinct identifiers of one scope and the scopes around it.
#[derive(Clone, Default)]
pub(super) struct Names(HashSet<String>);

impl Names {
    /// Reserves an identifier for something that the WGSL calls `name`.
    pub(super) fn take(&mut self, name: Option<&str>) -> String {
        let base = identifier(name.filter(|name| !name.is_empty()).unwrap_or("unnamed"));
        let numbered = (2..).map(|number| format!("{base}{number}_"));
        let free = std::iter::once(base.clone())
            .chain(numbered)
            .find(|name| !self.0.contains(name))
            .unwrap_or(base);
        self.0.insert(free.clone());
        free
    }
}

/// Identifier of C++ for an identifier of the WGSL. Members of structures need nothing else: they
/// are distinct already.
pub(super) fn identifier(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_ascii_alphanumeric() || letter == '_' {
            text.push(letter);
        } else {
            text.push_str(&format!("u{:x}", u32::from(letter)));
        }
    }
    text.push('_');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct_and_end_in_an_underscore() {
        let mut names = Names::default();
        assert_eq!(names.take(Some("min")), "min_");
        assert_eq!(names.take(Some("min")), "min_2_");
        assert_eq!(names.take(Some("min_2")), "min_2_2_");
        assert_eq!(names.take(None), "unnamed_");
        assert_eq!(names.take(Some("é<u32>")), "ue9u3cu32u3e_");
        let mut inner = names.clone();
        assert_eq!(inner.take(Some("min")), "min_3_");
    }
}
