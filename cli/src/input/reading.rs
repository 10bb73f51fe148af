//! Memory account and notes of a call.

use super::memory::Memory;
use super::sniff;
use crate::message;

pub struct Reading {
    pub memory: Memory,
    pub notes: Vec<String>,
    /// Notes that apply if texts are compared with records.
    notes_beside_records: Vec<String>,
    pub(super) has_records: bool,
}

impl Reading {
    pub fn within(limit: u64) -> Self {
        Self {
            memory: Memory::new(limit),
            notes: Vec::new(),
            notes_beside_records: Vec::new(),
            has_records: false,
        }
    }

    pub fn print_notes(&self) {
        let beside = self.notes_beside_records.iter();
        let beside = beside.filter(|_| self.has_records);
        self.notes
            .iter()
            .chain(beside)
            .for_each(|note| message::note(note));
    }

    /// `head` is the first line, and `as_it_is` the option that takes any text.
    pub(super) fn note_text(&mut self, name: &str, head: &[u8], text: &[u8], as_it_is: &str) {
        if let Some((format, remedy)) = sniff::other_format(head) {
            self.notes.push(format!(
                "{name} looks like {format}, but is taken as plain text, with all that is no sequence; \
                 {remedy}, or give {as_it_is} for a text"
            ));
        } else if let Some(byte) = first_odd(text) {
            self.notes_beside_records.push(format!(
                "{name} is neither FASTA nor FASTQ, as the other input is, and all its bytes are compared, \
                 such as '{}'; convert it to FASTA",
                byte.escape_ascii()
            ));
        }
    }
}

fn first_odd(text: &[u8]) -> Option<u8> {
    let is_odd = |byte: &&u8| !byte.is_ascii_graphic();
    // Parts without an end in between are compared several bytes at a time.
    let has_odd = |part: &&[u8]| part.iter().fold(false, |has, byte| has | is_odd(&byte));
    let part = text.chunks(1 << 10).find(has_odd)?;
    part.iter().find(is_odd).copied()
}
