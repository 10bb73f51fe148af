//! Places in SAM and BAM: all of a pattern together, the best one first.

use swath::Symbol;
use swath::edit_distance::Op;
use swath::orientation::Orientation;
use swath::search::Place;
use swath::substring::Strand;

use anyhow::bail;

use crate::args::{SearchArgs, SearchFormat};
use crate::input::{Memory, OutOfMemory, StringList};
use crate::lists::{Label, Output};
use crate::report::bam::Converter;
use crate::report::differences::Figures;
use crate::report::sam::{self, Header, Mapping, Query};

/// Bytes of lines that are converted to BAM at once.
const CONVERTED: usize = 1 << 16;

struct Mapped {
    pattern: u32,
    cost: u32,
    text: u64,
    strand: Strand,
    mapping: Mapping,
}

/// Places until all texts are searched.
pub struct SamRows<'a> {
    args: &'a SearchArgs,
    memory: Memory,
    header: Header,
    texts: Vec<String>,
    /// In the order of the texts.
    places: Vec<Mapped>,
    pub size_bytes: u64,
}

impl<'a> SamRows<'a> {
    /// # Errors
    /// If SAM cannot hold the patterns.
    pub fn new<S: Symbol>(
        args: &'a SearchArgs,
        patterns: &StringList<S>,
        memory: &Memory,
    ) -> anyhow::Result<Self> {
        for index in 0..patterns.strings.len() {
            let letters = S::bytes(&patterns.strings[index]);
            if !letters.is_some_and(sam::are_letters) {
                bail!(
                    "{}: --format sam and bam are for sequences of letters; take paf or tsv for other symbols",
                    patterns.location(index)
                );
            }
            let qualities = patterns.qualities.as_ref().map(|all| &all[index]);
            if !qualities
                .unwrap_or_default()
                .iter()
                .all(u8::is_ascii_graphic)
            {
                bail!(
                    "{}: a base quality is none of the characters from ! to ~; correct the file, or take paf",
                    patterns.location(index)
                );
            }
            sam::check_query(&Label::of(patterns, index, args.labels.show()).to_string())?;
        }
        Ok(Self {
            args,
            memory: memory.clone(),
            header: Header::default(),
            texts: Vec::new(),
            places: Vec::new(),
            size_bytes: 0,
        })
    }

    pub fn add_texts<S: Symbol>(&mut self, texts: &StringList<S>) -> anyhow::Result<()> {
        for (index, text) in texts.strings.iter().enumerate() {
            let name = Label::of(texts, index, self.args.labels.show()).to_string();
            self.header.add(&name, text.len())?;
            // In the header, too, as a line and as a name.
            self.hold(3 * name.len() as u64 + size_of::<[String; 3]>() as u64)?;
            self.texts.push(name);
        }
        Ok(())
    }

    pub fn take<S: Symbol>(
        &mut self,
        place: &Place,
        ops: &[(Op, usize)],
        patterns: &StringList<S>,
        texts: &StringList<S>,
    ) -> anyhow::Result<()> {
        let text = &texts.strings[place.text as usize];
        let Some(text) = S::bytes(text) else {
            return Ok(());
        };
        let letters = turned(self.letters(patterns, place.pattern), place.strand);
        let outside = [place.before, place.after].map(|count| count as usize);
        let inside = &letters[outside[0]..letters.len() - outside[1]];
        let outside_cost = place.cost as usize - Figures::of(ops).edits();
        let start = place.start as usize;
        let mapping = Mapping::new(inside, text, start, ops, outside, outside_cost);
        self.hold(size_of::<Mapped>() as u64 + mapping.size_bytes())?;
        self.places.push(Mapped {
            pattern: place.pattern,
            cost: place.cost,
            text: texts.first + u64::from(place.text),
            strand: place.strand,
            mapping,
        });
        Ok(())
    }

    fn hold(&mut self, bytes: u64) -> anyhow::Result<()> {
        self.size_bytes += bytes;
        let held = self.memory.hold("the places", bytes);
        Ok(held.map_err(|error| match error {
            OutOfMemory::Limit { limit, .. } => OutOfMemory::Places { limit },
            error => error,
        })?)
    }

    /// Upper case if the case is ignored.
    fn letters<S: Symbol>(&self, patterns: &StringList<S>, pattern: u32) -> Vec<u8> {
        let letters = S::bytes(&patterns.strings[pattern as usize]);
        let mut letters = letters.unwrap_or_default().to_vec();
        if self.args.strings.ignore_case {
            letters.make_ascii_uppercase();
        }
        letters
    }

    pub fn end<S: Symbol>(
        mut self,
        patterns: &StringList<S>,
        out: &mut Output<'_>,
    ) -> anyhow::Result<()> {
        let mut lines = Vec::new();
        let words = std::env::args_os().map(|word| word.to_string_lossy().into_owned());
        let command = words.collect::<Vec<_>>().join(" ");
        self.header.write(Some(&command), &mut lines)?;
        let mut converter = match self.args.format {
            SearchFormat::Bam => Some(Converter::new(&std::mem::take(&mut lines))?),
            _ => None,
        };
        // The sort is stable: places of equal cost stay in the order of the texts.
        self.places.sort_by_key(|one| (one.pattern, one.cost));
        let mut places = &self.places[..];
        for pattern in 0..patterns.strings.len() as u32 {
            let count = places.partition_point(|one| one.pattern == pattern);
            let (of_pattern, others) = places.split_at(count);
            places = others;
            self.write(pattern, of_pattern, patterns, &mut lines)?;
            let Some(converter) = &mut converter else {
                out.buffer.append(&mut lines);
                out.advance()?;
                continue;
            };
            if lines.len() >= CONVERTED {
                out.buffer.extend(converter.convert(&lines)?);
                out.advance()?;
                lines.clear();
            }
        }
        match converter {
            None => out.buffer.append(&mut lines),
            Some(mut converter) => {
                out.buffer.extend(converter.convert(&lines)?);
                out.buffer.extend(converter.finish()?);
            }
        }
        out.advance()
    }

    fn write<S: Symbol>(
        &self,
        pattern: u32,
        places: &[Mapped],
        patterns: &StringList<S>,
        lines: &mut Vec<u8>,
    ) -> anyhow::Result<()> {
        let name = Label::of(patterns, pattern as usize, self.args.labels.show()).to_string();
        let quality = patterns.qualities.as_ref();
        let quality = quality.map(|all| all[pattern as usize].to_vec());
        let strands = Strand::ALL.map(|strand| {
            let letters = turned(self.letters(patterns, pattern), strand);
            let quality = quality.clone().map(|mut quality| {
                if strand == Strand::Reverse {
                    quality.reverse();
                }
                quality
            });
            (strand, letters, quality)
        });
        let [forward, reverse] = strands.each_ref().map(|(strand, letters, quality)| Query {
            name: &name,
            strand: *strand,
            letters,
            quality: quality.as_deref(),
        });
        if places.is_empty() {
            forward.write_unmapped(lines)?;
        }
        for (index, place) in places.iter().enumerate() {
            let query = match place.strand {
                Strand::Forward => &forward,
                Strand::Reverse => &reverse,
            };
            let text = &self.texts[place.text as usize];
            query.write(text, &place.mapping, index == 0, lines)?;
        }
        Ok(())
    }
}

/// A pattern as it lies along the text.
fn turned(letters: Vec<u8>, strand: Strand) -> Vec<u8> {
    match strand {
        Strand::Forward => letters,
        Strand::Reverse => Orientation { strand, start: 0 }.apply(&letters),
    }
}
