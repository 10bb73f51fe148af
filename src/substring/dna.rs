//! Reverse complement of DNA.

use crate::error::{Error, Result};
use crate::host::parallel::all_ranges;

/// IUPAC codes and their complements, in both cases.
const PAIRS: [(&[u8; 15], &[u8; 15]); 2] = [
    (b"ACGTRYKMBVDHSWN", b"TGCAYRMKVBHDSWN"),
    (b"acgtrykmbvdhswn", b"tgcayrmkvbhdswn"),
];

/// Complement by byte; 0 for bytes that are no IUPAC code.
const COMPLEMENT: [u8; 256] = {
    let mut table = [0; 256];
    let mut case = 0;
    while case < PAIRS.len() {
        let mut letter = 0;
        while letter < 15 {
            table[PAIRS[case].0[letter] as usize] = PAIRS[case].1[letter];
            letter += 1;
        }
        case += 1;
    }
    table
};

const TASK_SYMBOLS: usize = 1 << 18;

/// The complement of an IUPAC code; 0 for any other byte.
pub(crate) fn complement(letter: u8) -> u8 {
    COMPLEMENT[usize::from(letter)]
}

/// Checks that all records of an input consist of the 15 IUPAC codes of DNA, in either case.
///
/// # Errors
/// [`Error::NotDna`] with the first other symbol.
pub(crate) fn check(input: usize, records: &[&[u8]]) -> Result<()> {
    for (record, symbols) in records.iter().enumerate() {
        let all_dna = all_ranges(symbols.len(), TASK_SYMBOLS, |part| {
            symbols[part].iter().all(|&symbol| complement(symbol) != 0)
        });
        if !all_dna
            && let Some(position) = symbols.iter().position(|&symbol| complement(symbol) == 0)
        {
            let symbol = symbols[position].escape_ascii().to_string();
            return Err(Error::NotDna {
                symbol,
                input: input + 1,
                record: record + 1,
                position,
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complement_is_an_involution() {
        let letters = (0..=255).filter(|&byte| complement(byte) != 0);
        assert_eq!(letters.clone().count(), 30);
        assert!(
            letters
                .clone()
                .all(|letter| complement(complement(letter)) == letter)
        );
        assert_eq!(b"ACGTN".map(complement), *b"TGCAN");
    }

    #[test]
    fn dna_check_names_the_first_other_symbol() {
        assert!(check(0, &[b"ACGTN", b"", b"acgt"]).is_ok());
        let error = check(1, &[b"A", b"AC\tG"])
            .err()
            .map(|error| error.to_string());
        assert!(
            error
                .is_some_and(|text| text.contains("'\\t'") && text.contains("record 2 of input 2"))
        );
    }
}
