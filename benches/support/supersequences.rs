//! What a supersequence has to have.

use swath::supersequence::CommonSupersequence;

/// Whether the string has the length that is told and every input stands in it, looked for symbol by symbol.
pub fn holds_all(found: &CommonSupersequence, inputs: &[&[u8]]) -> bool {
    let Some(supersequence) = &found.supersequence else {
        return false;
    };
    let string = supersequence.symbols(inputs).unwrap_or_default();
    let holds = |input: &&[u8]| {
        let mut rest = string.iter();
        input.iter().all(|symbol| rest.any(|other| other == symbol))
    };
    string.len() as u64 == found.length && inputs.iter().all(holds)
}
