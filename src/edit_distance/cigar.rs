//! CIGAR formatting.

pub(super) fn cigar(runs: impl IntoIterator<Item = (usize, char)>) -> String {
    let mut cigar = String::new();
    let mut digits = itoa::Buffer::new();
    for (count, letter) in runs {
        cigar.push_str(digits.format(count));
        cigar.push(letter);
    }
    cigar
}
