//! Fuzz tests of all readers: no panics, and written data is read back.

use std::io::{Cursor, Read, Write};

use bolero::check;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::compression::{Compression, GZIP_MAGIC, Members, ZSTD_MAGIC, unsupported};
use super::lines::is_space;
use super::numbers::Numbers;
use super::open::{OpenInput, open};
use super::symbols::line_end;
use super::{
    DefaultRecords, Layout, Lists, Memory, Named, Reading, Request, Side, Source, StringReader,
    StringSymbols, Symbols, read, read_letters,
};
use crate::message::printable;

fn file(bytes: &[u8]) -> OpenInput {
    open_input(bytes).expect("plain bytes open")
}

fn open_input(bytes: &[u8]) -> anyhow::Result<OpenInput> {
    open(&source(bytes), &Reading::within(1 << 30).memory)
}

/// Files as literal texts: any bytes on Unix, UTF-8 elsewhere.
fn source(bytes: &[u8]) -> Source {
    #[cfg(unix)]
    let text = std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec());
    #[cfg(not(unix))]
    let text = String::from_utf8_lossy(bytes).into_owned().into();
    Source::Literal(text)
}

fn inflated(mut file: OpenInput) -> anyhow::Result<Vec<u8>> {
    file.sniff_layout()?;
    Ok(file.read_all()?.bytes)
}

#[test]
fn any_bytes_open_or_are_refused() {
    check!().for_each(|bytes: &[u8]| {
        assert!(unsupported(bytes).is_none() || open_input(bytes).is_err());
        let plain = open_input(bytes).and_then(OpenInput::read_all);
        if let (Ok(named), None) = (plain, Compression::of(bytes)) {
            assert_eq!(named.bytes, bytes);
        }
        for magic in [GZIP_MAGIC, ZSTD_MAGIC, b"\x1f\x8b\x08\x00"] {
            let _ = open_input(&[magic, bytes].concat()).and_then(inflated);
        }
        let _ = read_letters(&source(bytes), None, &mut Reading::within(1 << 30));
    });
}

#[test]
fn batches_have_the_strings_of_the_whole_list() {
    const LETTERS: &[u8] = b"ACG\n\n>@+I;";
    check!()
        .with_type::<(Vec<u8>, u8, bool)>()
        .for_each(|(text, min_bytes, is_fasta)| {
            let letter = |&byte: &u8| LETTERS[usize::from(byte) % LETTERS.len()];
            let mut text: Vec<u8> = text.iter().map(letter).collect();
            if *is_fasta {
                text.splice(0..0, *b">a\n");
            }
            let mut reading = Reading::within(1 << 30);
            let open = || {
                let memory = &Reading::within(1 << 30).memory;
                StringReader::open(&source(&text), StringSymbols::Bytes, false, memory)
            };
            let whole = open().and_then(|mut reader| reader.next(u64::MAX, &mut reading));
            let (Ok(whole), Ok(mut reader)) = (whole, open()) else {
                return;
            };
            let (mut count, mut symbols, mut is_done) = (0, 0, false);
            while !is_done {
                let (batch, read) = reader
                    .next_batch(1 + u64::from(*min_bytes), &mut reading)
                    .expect("the whole was read");
                is_done = read.is_done;
                assert_eq!(batch.first, count as u64);
                for (index, string) in batch.strings.iter().enumerate() {
                    assert_eq!(string, &whole.strings[count]);
                    if let (Some(one), Some(all)) = (&batch.records, &whole.records) {
                        assert_eq!(one.get(index), all.get(count));
                    }
                    count += 1;
                }
                symbols += batch.symbols;
            }
            assert_eq!(count, whole.strings.len());
            assert_eq!(
                open().and_then(StringReader::count_symbols).ok(),
                Some(symbols)
            );
        });
}

#[test]
fn compressed_data_is_read_back() {
    check!()
        .with_type::<(Vec<u8>, Vec<u8>, u8)>()
        .for_each(|(first, second, zeros)| {
            let whole = [&first[..], second].concat();
            let mut gz = [gzip(first), gzip(second)].concat();
            gz.resize(gz.len() + usize::from(*zeros), 0);
            for parts in [gz, [zstd(first), zstd(second)].concat()] {
                let read = open_input(&parts).and_then(OpenInput::read_all);
                assert_eq!(read.expect("it was written so").bytes, whole);
            }
        });
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).expect("memory takes it");
    writer.finish().expect("memory takes it")
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

#[test]
fn any_bytes_are_records_or_are_refused() {
    check!().for_each(|bytes: &[u8]| {
        for (layout, first) in [(Layout::Fasta, b'>'), (Layout::Fastq, b'@')] {
            for text in [bytes.to_vec(), [&[first], bytes].concat()] {
                if let Ok(file) = open_input(&text) {
                    let _ = super::records::read_all(file, layout);
                }
                if let Ok(file) = open_input(&text) {
                    let _ = super::records::read(file, layout, Some("x"));
                }
            }
        }
    });
}

#[test]
fn records_that_were_written_are_read_back() {
    check!()
        .with_type::<(Vec<Vec<u8>>, u8, u8, bool)>()
        .for_each(|(records, end, width, blank)| {
            let letter = |byte: &u8| b"ACGTacgtN-*"[usize::from(*byte) % 11];
            let records: Vec<Vec<u8>> = records
                .iter()
                .map(|record| record.iter().map(letter).collect())
                .collect();
            if records.is_empty() {
                return;
            }
            let end: &[u8] = [&b"\n"[..], b"\r\n", b"\r"][usize::from(*end) % 3];
            let (mut fasta, mut fastq) =
                (if *blank { end.to_vec() } else { Vec::new() }, Vec::new());
            for (index, record) in records.iter().enumerate() {
                fasta.extend_from_slice(format!(">r{index} x").as_bytes());
                fasta.extend_from_slice(end);
                for line in record.chunks(usize::from(*width).max(1)) {
                    fasta.extend_from_slice(line);
                    fasta.extend_from_slice(end);
                }
                // The first record, by which the layout is recognised, is not wrapped.
                let width = if index == 0 {
                    record.len()
                } else {
                    (*width).into()
                };
                let lines = |text: &[u8]| match text {
                    [] => end.to_vec(),
                    _ => {
                        let lines = text.chunks(width.max(1)).map(|line| [line, end].concat());
                        lines.collect::<Vec<_>>().concat()
                    }
                };
                fastq.extend_from_slice(&[format!("@r{index} x").as_bytes(), end].concat());
                fastq.extend_from_slice(&lines(record));
                fastq.extend_from_slice(&[b"+", end].concat());
                fastq.extend_from_slice(&lines(&vec![b'@'; record.len()]));
            }
            for (layout, text) in [(Layout::Fasta, fasta), (Layout::Fastq, fastq)] {
                let mut sniffed = file(&text);
                assert_eq!(sniffed.sniff_layout().expect("it is read"), layout);
                let read = super::records::read_all(sniffed, layout).expect("it was written so");
                assert!(
                    read.iter().map(|record| &record.bytes).eq(&records),
                    "{:?}",
                    String::from_utf8_lossy(&text)
                );
                let last = format!("r{}", records.len() - 1);
                let found =
                    super::records::read(file(&text), layout, Some(&last)).expect("it is there");
                assert_eq!(found.record.bytes, records[records.len() - 1]);
            }
        });
}

#[test]
fn lines_and_tokens_make_the_input_again() {
    check!()
        .with_type::<(Vec<u8>, bool)>()
        .for_each(|(bytes, ignore_case)| {
            let cut = |symbols| {
                let inputs = vec![
                    Named::new("a".into(), bytes.clone()),
                    Named::new("b".into(), Vec::new()),
                ];
                Lists::new(inputs, symbols, *ignore_case, &Memory::new(u64::MAX))
            };
            let words_of = |symbols| {
                let Lists::Words(list, words) = cut(symbols).expect("few words") else {
                    panic!("words")
                };
                let numbers = list.printed()[0].to_vec();
                let words = numbers.iter().map(|&number| words.text(number).to_vec());
                words.collect::<Vec<_>>()
            };
            let end = line_end(bytes);
            let mut text = words_of(Symbols::Lines).join(&end);
            if bytes.ends_with(&[end]) {
                text.push(end);
            }
            assert_eq!(&text, bytes);
            let tokens = bytes.split(|&byte| is_space(byte));
            let tokens: Vec<_> = tokens.filter(|token| !token.is_empty()).collect();
            assert_eq!(words_of(Symbols::Tokens), tokens);
            match (cut(Symbols::Chars), std::str::from_utf8(bytes)) {
                (Ok(Lists::Chars(list)), Ok(text)) => {
                    assert!(list.printed()[0].iter().copied().eq(text.chars()))
                }
                (Err(_), Err(_)) => {}
                (cut, text) => panic!("{cut:?} {text:?}"),
            }
        });
}

#[test]
fn any_text_is_numbers_or_is_refused() {
    check!().for_each(|bytes: &[u8]| {
        let memory = Reading::within(1 << 30).memory;
        let Ok(numbers) = Numbers::read(&source(bytes), &memory) else {
            return;
        };
        let _ = (numbers.weights(), numbers.points(), numbers.chain());
    });
}

#[test]
fn numbers_that_were_written_are_read_back() {
    check!()
        .with_type::<(Vec<u64>, Vec<f64>, u8)>()
        .for_each(|(whole, real, separator)| {
            let memory = Reading::within(1 << 30).memory;
            let separator =
                [" ", "\n", ", ", "\t", " # of them\n", "\r\n"][usize::from(*separator) % 6];
            let read = |words: Vec<String>| {
                Numbers::read(&source(words.join(separator).as_bytes()), &memory).expect("text")
            };
            let whole: Vec<u64> = whole
                .iter()
                .map(|&number| number.min(u64::MAX - 1))
                .collect();
            let weights = read(whole.iter().map(u64::to_string).collect())
                .weights()
                .expect("whole numbers");
            assert_eq!(weights, super::Weights::Whole(whole));
            let real: Vec<f64> = real
                .iter()
                .copied()
                .filter(|number| number.is_finite())
                .collect();
            if real.len().is_multiple_of(2) {
                let points = read(real.iter().map(f64::to_string).collect())
                    .points()
                    .expect("coordinates");
                assert_eq!(points.concat(), real);
            }
        });
}

#[test]
fn any_literal_texts_are_read_as_they_are() {
    check!()
        .with_type::<(Vec<u8>, Vec<u8>)>()
        .for_each(|(a, b)| {
            let side = |bytes: &[u8]| Side {
                source: source(bytes),
                record: None,
            };
            let request = Request {
                sides: vec![side(a), side(b)],
                default: DefaultRecords::First,
                layout: Layout::Auto,
                symbols: Symbols::Bytes,
                ignore_case: false,
            };
            let read = read(&request, &mut Reading::within(1 << 30)).expect("two texts");
            assert_eq!(read.lists.lengths(), [a.len(), b.len()]);
            assert!(!printable(&String::from_utf8_lossy(a)).contains(char::is_control));
        });
}

#[test]
fn members_of_gzip_never_panic_in_pieces() {
    check!().for_each(|bytes: &[u8]| {
        let mut members = Members::new(Cursor::new(bytes));
        let mut small = [0; 3];
        while members.read(&mut small).is_ok_and(|count| count > 0) {}
    });
}
