//! Checks of supersequences.

use swath::supersequence::CommonSupersequence;

/// True if the string has the reported length and contains every input, checked symbol by symbol.
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
