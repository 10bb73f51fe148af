//! `swath compare`: two assemblies, record by record.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Instant;

use anyhow::bail;
use clap::ValueEnum;
use swath::edit_distance::{Gaps, Op};
use swath::orientation::{Orientation, OrientedPair};
use swath::substring::{MaximalMatch, Place};
use swath::{Edit, Error, Orient, Symbol};

use super::dna::{self, Measure};
use super::edit::equal_runs;
use super::runs::Runs;
use super::{Caller, Comparison, Outcome, ReportContext, Solved, TURNING_SHARE};
use crate::args::{CompareArgs, EngineArgs, OutputArgs, Strand, Witness};
use crate::input::{DefaultRecords, Inputs, Lists, Printed, Request, Symbols, printable};
use crate::report::differences::{Difference, Figures, GapCount, differences};
use crate::report::paf::{Named, PafAlignment};
use crate::report::{self, Array, Counted, Names, Object, svg, vcf};

/// Differences that a summary shows.
const SHOWN: usize = 20;
/// Letters of an allele that a summary shows.
const SHOWN_LETTERS: usize = 20;
/// Symbols of the reference that a table shows before and behind a difference.
const CONTEXT: usize = 10;

/// Share of anchored symbols in order below which a summary tells of rearrangements.
const MIN_IN_ORDER: f64 = 0.95;
/// Sequences are related if anchors have at least one symbol in this many.
const MIN_ANCHORED: usize = 20;

/// Format of the differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CompareFormat {
    /// One difference per line, tab-separated: places in A and B, strand, kind, alleles, context
    #[value(alias = "text")]
    Tsv,
    /// VCF 4.3 with A as the reference
    Vcf,
    /// One PAF line per pair of records, two if an origin lies within; B is the query
    Paf,
    /// The JSON object of --json, with the differences
    Json,
    /// A dot plot of the common substrings from which records were paired
    Svg,
}

/// Comparison of two assemblies.
pub struct Assemblies {
    /// Pairs by increasing record of A.
    pub pairs: Vec<RecordPair>,
    /// Records without a partner, of A and of B.
    pub unpaired: [Vec<usize>; 2],
    anchors: Vec<MaximalMatch>,
    figures: Figures,
}

/// Two aligned records. A is the target, B the query.
pub struct RecordPair {
    a: usize,
    b: usize,
    orientation: Orientation,
    /// The record of B as turned.
    turned: Vec<u8>,
    ops: Vec<(Op, usize)>,
    figures: Figures,
    /// Number of symbols of the record of B in an anchor, on either strand.
    anchored: usize,
    /// Number of anchored symbols that the alignment pairs as their anchor does.
    in_order: usize,
}

impl Comparison for CompareArgs {
    type Format = CompareFormat;
    type Answer = Assemblies;
    const PROBLEM: &'static str = "compare";
    const NAMES: Names = Names::Records;

    fn output(&self) -> &OutputArgs<CompareFormat> {
        &self.output
    }

    fn engine(&self) -> &EngineArgs {
        &self.engine
    }

    fn request(&self) -> anyhow::Result<Request> {
        self.check()?;
        let mut request = self
            .input
            .request(&[&self.a, &self.b], DefaultRecords::Grouped)?;
        if request.symbols != Symbols::Bytes {
            bail!("swath compare is for genomes in bytes; for texts take swath lcs --format diff");
        }
        // Lower case is soft-masked.
        request.ignore_case = true;
        Ok(request)
    }

    fn check_inputs(
        &self,
        inputs: &Inputs,
        witness: &Witness<CompareFormat>,
    ) -> anyhow::Result<()> {
        match witness.format() {
            Some(CompareFormat::Vcf) => {
                let names = inputs.groups.iter().flat_map(|group| &group.records);
                if let Lists::Bytes(list) = &inputs.lists {
                    vcf::check_letters(names.zip(list.printed()))?;
                }
                vcf::check_names(inputs.groups[0].records.iter().map(|name| &name[..]))
            }
            _ => Ok(()),
        }
    }

    fn call<S: Printed>(
        &self,
        _: &Inputs,
        _: Vec<&[S]>,
        _: bool,
        _: &Caller<'_>,
    ) -> swath::Result<Outcome<Assemblies>> {
        unreachable!("the request is for bytes")
    }

    fn call_bytes(
        &self,
        inputs: &Inputs,
        records: Vec<&[u8]>,
        _: bool,
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<Assemblies>> {
        let started = Instant::now();
        let records: Vec<_> = records.into_iter().map(without_uracil).collect();
        let (a, b) = records.split_at(inputs.groups[0].records.len());
        let mut task = Orient::of_records(b.iter().map(|one| &**one), a.iter().map(|one| &**one));
        if self.both_strands() {
            task = task.both_strands();
        }
        if !self.linear {
            task = task.circular();
        }
        let matching = self.matching.matching(true)?;
        let control = caller.control.cloned().unwrap_or_default();
        let found = (caller.engine).run_with(&task, &control.part(0.0, TURNING_SHARE));
        // The task has B before A.
        let found = found.map_err(|mut error| {
            if let Error::NotDna { input, .. } = &mut error {
                *input = 3 - *input;
            }
            error
        })?;
        let mut pairs = Vec::new();
        let mut runs = Runs::default();
        let cells = |pair: &OrientedPair| b[pair.a].len() as f64 * a[pair.b].len() as f64;
        let all: f64 = found.pairs.iter().map(cells).sum();
        let mut start = TURNING_SHARE;
        for pair in &found.pairs {
            let end = start + (1.0 - TURNING_SHARE) * cells(pair) / all.max(1.0);
            let control = control.part(start, end);
            start = end;
            let caller = &Caller {
                engine: caller.engine,
                control: caller.control.map(|_| &control),
            };
            let OrientedPair {
                a: of_b,
                b: of_a,
                orientation,
                anchored,
                ..
            } = *pair;
            let turned = orientation.apply(&b[of_b]);
            let outcome = match &matching {
                None => self.aligned(&turned, &a[of_a], caller)?,
                Some(matching) => {
                    let [x, y] = [&turned, &*a[of_a]].map(|one| matching.letters(one));
                    self.aligned(&x, &y, caller)?
                }
            };
            let solved = match outcome {
                Outcome::Planned(plan) => {
                    runs.plan(plan);
                    continue;
                }
                Outcome::Solved(solved) => solved,
            };
            let mut ops = Vec::new();
            runs.solve(solved.map(|found| ops = found));
            let printed = match &inputs.lists {
                Lists::Bytes(list) => orientation.apply(list.printed()[a.len() + of_b]),
                _ => Vec::new(),
            };
            pairs.push(RecordPair {
                a: of_a,
                b: of_b,
                orientation,
                turned: printed,
                figures: Figures::of(&ops),
                anchored,
                in_order: in_order(pair, turned.len(), &found.anchors, &ops),
                ops,
            });
        }
        if caller.control.is_none() {
            return match runs.planned {
                Some(plan) => Ok(Outcome::Planned(plan)),
                None => caller.engine.plan(&task).map(Outcome::Planned),
            };
        }
        pairs.sort_by_key(|pair| pair.a);
        let mut figures = Figures::default();
        pairs.iter().for_each(|pair| figures.add(&pair.figures));
        let without = |count: usize, of: fn(&RecordPair) -> usize| {
            let has_partner = |at: &usize| pairs.iter().any(|pair| of(pair) == *at);
            (0..count).filter(|at| !has_partner(at)).collect()
        };
        let unpaired = [
            without(a.len(), |pair| pair.a),
            without(b.len(), |pair| pair.b),
        ];
        let answer = Assemblies {
            pairs,
            unpaired,
            anchors: found.answer.anchors,
            figures,
        };
        let mut solved = runs.solved.unwrap_or(Solved {
            answer: (),
            run: found.run,
            interface: None,
        });
        solved.run.elapsed = started.elapsed();
        Ok(Outcome::Solved(solved.map(|()| answer)))
    }

    fn input_notes(&self, inputs: &Inputs) -> Vec<String> {
        let ambiguous = match &inputs.lists {
            Lists::Bytes(list) if !self.matching.is_given() => {
                dna::count_ambiguous(&list.compared())
            }
            _ => 0,
        };
        let note = || {
            format!(
                "{ambiguous} letters stand for several bases, such as N, and match themselves alone; with --ambiguous iupac they match these bases"
            )
        };
        let mut notes: Vec<_> = (ambiguous > 0).then(note).into_iter().collect();
        if let Lists::Bytes(list) = &inputs.lists
            && self.output.asks_for_witness()
            && self.output.format == CompareFormat::Vcf
        {
            let records = &list.printed()[..inputs.groups[0].records.len()];
            let is_other = |one: &&u8| !vcf::LETTERS.contains(&one.to_ascii_uppercase());
            let count = records.iter().copied().flatten().filter(is_other).count();
            if count > 0 {
                notes.push(format!(
                    "{count} letters of A are none of A, C, G, T and N; bcftools stops at a variant of such a letter, unless A has N in its place"
                ));
            }
        }
        notes
    }

    fn answer_note(&self, found: &ReportContext<'_, Assemblies>) -> Option<String> {
        let (inputs, pairs) = (found.inputs, &found.solved.answer.pairs);
        let Some(pair) = pairs.first() else {
            return Some(
                "no record of A has enough in common with one of B, so nothing is compared; --record-a and --record-b pair two records in any case"
                    .to_string(),
            );
        };
        let of_b = inputs.groups[0].records.len() + pair.b;
        let mut both = inputs.select(&[of_b, pair.a]);
        both.groups[0].orientation = Some(pair.orientation);
        let (b, a) = both.pair_lengths();
        let longer = a.max(b);
        if pairs.len() > 1 || pair.anchored * MIN_ANCHORED >= longer {
            return None;
        }
        let similarity = 1.0 - pair.figures.edits() as f64 / longer as f64;
        dna::chance_note(&both, Measure::Edits, similarity)
    }

    fn sets_exit_code(&self) -> bool {
        self.exit.exit_code
    }

    fn is_found(&self, found: &ReportContext<'_, Assemblies>) -> bool {
        let answer = &found.solved.answer;
        answer.figures.edits() == 0 && answer.unpaired.iter().all(Vec::is_empty)
    }

    fn text(
        &self,
        found: &ReportContext<'_, Assemblies>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        let mut lines = match answer.pairs[..] {
            [] => vec![("identity", "nothing is paired".to_string())],
            _ => figure_lines(&answer.figures),
        };
        lines.extend(answer.order_line());
        lines.extend(report::input_lines(Names::Records, inputs));
        for pair in &answer.pairs {
            let ([a, b], Orientation { strand, start }) = (pair.names(inputs), pair.orientation);
            let identity = 100.0 * pair.figures.identity();
            lines.push((
                "pair",
                format!(
                    "{a}  {b}  strand {strand} from {start}  {identity:.2} %  {} edits",
                    pair.figures.edits()
                ),
            ));
        }
        for (input, records) in answer.unpaired.iter().enumerate() {
            let lengths = &inputs.lengths()[input];
            for &record in records {
                let name = printable(&inputs.groups[input].records[record]);
                let side = ["a", "b"][input];
                lines.push((
                    "unpaired",
                    format!("{name}  {} symbols of {side}", lengths[record]),
                ));
            }
        }
        lines.extend(report::run_lines(Counted::Cells, found.solved));
        if self.lists_differences() {
            return report::write_aligned(&lines, out);
        }
        let all = || answer.pairs.iter().flat_map(|pair| pair.rows(inputs));
        for row in all().take(SHOWN) {
            lines.push(("difference", row.shown()));
        }
        let count = all().count();
        if count > SHOWN {
            let more = count - SHOWN;
            lines.push((
                "difference",
                format!("{more} more; --format tsv lists them"),
            ));
        }
        report::write_aligned(&lines, out)
    }

    fn json(
        &self,
        found: &ReportContext<'_, Assemblies>,
        with_witness: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        let pairs = answer.pairs.iter().map(|pair| PairFields {
            a: pair.a,
            b: pair.b,
            strand: pair.orientation.strand,
            origin: pair.orientation.start,
            figures: FigureFields::of(&pair.figures),
            anchored: pair.anchored,
            in_order: pair.in_order,
            differences: with_witness.then_some(Array(move || pair.rows(inputs).map(Row::fields))),
        });
        let [a, b] = &answer.unpaired;
        let mut figures = FigureFields::of(&answer.figures);
        if answer.pairs.is_empty() {
            figures.identity = None;
        }
        let object = Object::new("compare/1", out)?
            .field("problem", "compare")?
            .field("figures", figures)?;
        let object = report::run_fields(Counted::Cells, found.solved, object)?;
        report::input_fields(Names::Records, inputs, object)?
            .field("pairs", pairs.collect::<Vec<_>>())?
            .field("unpaired", [a, b])?
            .end()
    }

    fn witness(
        &self,
        format: CompareFormat,
        found: &ReportContext<'_, Assemblies>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        match format {
            CompareFormat::Tsv | CompareFormat::Json => {
                writeln!(out, "{HEADER}")?;
                let mut rows = answer.pairs.iter().flat_map(|pair| pair.rows(inputs));
                rows.try_for_each(|row| row.write(out))
            }
            CompareFormat::Vcf => write_vcf(inputs, &answer.pairs, out),
            CompareFormat::Paf => answer.pairs.iter().try_for_each(|pair| {
                let [a, b] = pair.names(inputs);
                let target = pair.reference(inputs);
                PafAlignment {
                    query: Named {
                        name: &b,
                        len: pair.turned.len(),
                    },
                    orientation: pair.orientation,
                    target: Named {
                        name: &a,
                        len: target.len(),
                    },
                    start: 0,
                    ops: &pair.ops,
                    has_cigar: true,
                    has_cs: self.cs,
                    symbols: Some([&pair.turned, target]),
                }
                .write(out)
            }),
            CompareFormat::Svg => {
                // The anchors were found from B to A.
                let swapped = |one: &MaximalMatch| {
                    let place = |place: Place, input, strand| Place {
                        input,
                        strand,
                        ..place
                    };
                    MaximalMatch {
                        a: place(one.b, 0, one.a.strand),
                        b: place(one.a, 1, one.b.strand),
                        length: one.length,
                    }
                };
                let anchors: Vec<_> = answer.anchors.iter().map(swapped).collect();
                let runs = svg::matches(inputs, &anchors);
                svg::dot_plot(inputs, "Anchors", runs, out)
            }
        }
    }
}

impl CompareArgs {
    /// Aligns a record of B, as turned, with one of A.
    fn aligned<S: Symbol>(
        &self,
        turned: &[S],
        reference: &[S],
        caller: &Caller<'_>,
    ) -> swath::Result<Outcome<Vec<(Op, usize)>>> {
        let task = Edit::of(turned, reference).path().gaps(Gaps::Left);
        let solved = match caller.call(&task.method(self.method))? {
            Outcome::Planned(plan) => return Ok(Outcome::Planned(plan)),
            Outcome::Solved(solved) => solved,
        };
        let alignment = solved.answer.alignment.as_ref();
        let ops = alignment.map(|alignment| alignment.ops(turned, reference));
        let ops = ops.transpose()?.unwrap_or_default();
        Ok(Outcome::Solved(solved.map(|_| ops)))
    }

    /// True if the output lists every difference, so that the summary need not.
    fn lists_differences(&self) -> bool {
        let format = self.output.format;
        self.output.asks_for_witness()
            && matches!(
                format,
                CompareFormat::Tsv | CompareFormat::Vcf | CompareFormat::Json
            )
    }

    fn both_strands(&self) -> bool {
        self.strand == Strand::Both
    }
}

impl Assemblies {
    /// Summary line with the share of anchored symbols that the alignment pairs as their anchors do:
    /// near 1 without rearrangements.
    fn order_line(&self) -> report::Lines {
        let sum = |of: fn(&RecordPair) -> usize| self.pairs.iter().map(of).sum::<usize>();
        let (anchored, in_order) = (sum(|pair| pair.anchored), sum(|pair| pair.in_order));
        let symbols: usize = self.pairs.iter().map(|pair| pair.turned.len()).sum();
        // Few anchors are due to chance.
        if anchored == 0 || anchored * MIN_ANCHORED < symbols {
            return Vec::new();
        }
        let share = in_order as f64 / anchored as f64;
        let mut line = format!("{:.2} % of {anchored} anchored bases", 100.0 * share);
        if share < MIN_IN_ORDER {
            line += "; the others lie elsewhere or on the other strand: --format svg draws them";
        }
        vec![("in order", line)]
    }
}

/// Number of symbols of the record of B, of `len` symbols, that the alignment pairs as an anchor does.
fn in_order(
    pair: &OrientedPair,
    len: usize,
    anchors: &[MaximalMatch],
    ops: &[(Op, usize)],
) -> usize {
    let Orientation { strand, start } = pair.orientation;
    let runs = equal_runs(ops, 0);
    // The anchors are sorted by their place in B.
    let first = anchors.partition_point(|one| one.a.record < pair.a);
    let of_record = anchors[first..]
        .iter()
        .take_while(|one| one.a.record == pair.a);
    let of_pair = of_record.filter(|one| one.b.record == pair.b && one.b.strand == strand);
    // An anchor across the origin is in two pieces.
    let pieces = of_pair.flat_map(|one| {
        let on_strand = match strand {
            swath::substring::Strand::Forward => one.a.start,
            swath::substring::Strand::Reverse => len - one.a.start - one.length,
        };
        let turned = (on_strand + len - start) % len;
        let before = one.length.min(len - turned);
        [
            (turned, one.b.start, before),
            (0, one.b.start + before, one.length - before),
        ]
    });
    let paired = pieces.flat_map(|(a, b, len)| {
        let first = runs.partition_point(|run| run.a + run.len <= a);
        let across = runs[first..].iter().take_while(move |run| run.a < a + len);
        let on_diagonal = across.filter(move |run| run.a + b == run.b + a);
        on_diagonal.map(move |run| (run.a + run.len).min(a + len) - run.a.max(a))
    });
    paired.sum()
}

/// Symbols as compared: U is T.
fn without_uracil(record: &[u8]) -> Cow<'_, [u8]> {
    if record.contains(&b'u') {
        record
            .iter()
            .map(|&letter| if letter == b'u' { b't' } else { letter })
            .collect()
    } else {
        Cow::Borrowed(record)
    }
}

fn figure_lines(figures: &Figures) -> report::Lines {
    let gap = |count: GapCount| format!("{} in {} gaps", count.symbols, count.gaps);
    let quality = figures.quality().map(|quality| format!("Q{quality:.1}"));
    let worst = figures.worst.map(|worst| format!("{:.1} %", 100.0 * worst));
    vec![
        ("identity", format!("{:.2} %", 100.0 * figures.identity())),
        ("edits", figures.edits().to_string()),
        ("substitutions", figures.substitutions.to_string()),
        ("insertions", gap(figures.insertions)),
        ("deletions", gap(figures.deletions)),
        (
            "worst 1,000",
            worst.unwrap_or_else(|| "no columns".to_string()),
        ),
        (
            "quality",
            quality.unwrap_or_else(|| "no differences".to_string()),
        ),
    ]
}

#[derive(serde::Serialize)]
struct FigureFields {
    identity: Option<f64>,
    edits: usize,
    equal: usize,
    substitutions: usize,
    insertions: usize,
    insertion_gaps: usize,
    deletions: usize,
    deletion_gaps: usize,
    worst_1000: Option<f64>,
    quality: Option<f64>,
}

impl FigureFields {
    fn of(figures: &Figures) -> Self {
        Self {
            identity: Some(figures.identity()),
            edits: figures.edits(),
            equal: figures.equal,
            substitutions: figures.substitutions,
            insertions: figures.insertions.symbols,
            insertion_gaps: figures.insertions.gaps,
            deletions: figures.deletions.symbols,
            deletion_gaps: figures.deletions.gaps,
            worst_1000: figures.worst,
            quality: figures.quality(),
        }
    }
}

#[derive(serde::Serialize)]
struct PairFields<D> {
    a: usize,
    b: usize,
    strand: swath::substring::Strand,
    origin: usize,
    #[serde(flatten)]
    figures: FigureFields,
    anchored: usize,
    in_order: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    differences: Option<D>,
}

/// Columns of the table.
const HEADER: &str = "#a\ta_start\ta_end\tb\tb_position\tstrand\tkind\tref\talt\tbefore\tafter";

/// A difference with its texts.
struct Row<'a> {
    names: [&'a str; 2],
    difference: Difference,
    orientation: Orientation,
    /// Reference, and the other record as turned.
    records: [&'a [u8]; 2],
}

impl RecordPair {
    fn raw_names<'a>(&self, inputs: &'a Inputs) -> [&'a str; 2] {
        [
            &inputs.groups[0].records[self.a],
            &inputs.groups[1].records[self.b],
        ]
    }

    fn names<'a>(&self, inputs: &'a Inputs) -> [Cow<'a, str>; 2] {
        self.raw_names(inputs).map(printable)
    }

    fn reference<'a>(&self, inputs: &'a Inputs) -> &'a [u8] {
        match &inputs.lists {
            Lists::Bytes(list) => list.printed()[self.a],
            _ => &[],
        }
    }

    fn rows<'a>(&'a self, inputs: &'a Inputs) -> impl Iterator<Item = Row<'a>> {
        let (names, records) = (
            self.raw_names(inputs),
            [self.reference(inputs), &self.turned],
        );
        differences(&self.ops).map(move |difference| Row {
            names,
            difference,
            orientation: self.orientation,
            records,
        })
    }
}

impl Row<'_> {
    fn alleles(&self) -> [&[u8]; 2] {
        let Difference { a, b, .. } = &self.difference;
        [&self.records[0][a.clone()], &self.records[1][b.clone()]]
    }

    /// Position in B as given of the first symbol of the second allele, or of the next one.
    fn b_position(&self) -> usize {
        let len = self.records[1].len();
        let at = self.difference.b.start.min(len.saturating_sub(1));
        if len == 0 {
            0
        } else {
            self.orientation.position(at, len)
        }
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Difference { kind, a, .. } = &self.difference;
        let ([a_name, b_name], [of_a, of_b]) = (self.names.map(printable), self.alleles());
        let (strand, kind) = (self.orientation.strand, kind.name());
        let position = self.b_position();
        write!(
            out,
            "{a_name}\t{}\t{}\t{b_name}\t{position}\t{strand}\t{kind}\t",
            a.start, a.end
        )?;
        let reference = self.records[0];
        let before = &reference[a.start.saturating_sub(CONTEXT)..a.start];
        let after = &reference[a.end..(a.end + CONTEXT).min(reference.len())];
        let dash = |text: &'_ [u8]| {
            if text.is_empty() {
                b"-".to_vec()
            } else {
                text.to_vec()
            }
        };
        let texts = [of_a, of_b, before, after].map(dash);
        out.write_all(&texts.join(&b'\t'))?;
        writeln!(out)
    }

    /// For example `chr:120..121  A > G`; long alleles are shortened.
    fn shown(&self) -> String {
        let [of_a, of_b] = self.alleles().map(|allele| match allele.len() {
            0 => "-".to_string(),
            len if len > SHOWN_LETTERS => format!("{len} symbols"),
            _ => String::from_utf8_lossy(allele).into_owned(),
        });
        let (name, a) = (printable(self.names[0]), &self.difference.a);
        format!("{name}:{}..{}  {of_a} > {of_b}", a.start, a.end)
    }

    /// `[start, end, position in B, kind, ref, alt]`.
    fn fields(self) -> impl serde::Serialize {
        let [of_a, of_b] = self
            .alleles()
            .map(|allele| String::from_utf8_lossy(allele).into_owned());
        let Difference { kind, a, .. } = &self.difference;
        (a.start, a.end, self.b_position(), kind.name(), of_a, of_b)
    }
}

/// Writes VCF sorted by place. A record of B that shares no symbol with an empty A has no place.
fn write_vcf(inputs: &Inputs, pairs: &[RecordPair], out: &mut dyn Write) -> io::Result<()> {
    let group = &inputs.groups[0];
    let lengths = &inputs.lengths()[0];
    let contigs: Vec<_> = group
        .records
        .iter()
        .map(|name| &name[..])
        .zip(lengths.iter().copied())
        .collect();
    vcf::header(&contigs, out)?;
    for pair in pairs {
        let ([a_name, b_name], reference) = (pair.raw_names(inputs), pair.reference(inputs));
        let info = format!("BREC={}", vcf::escaped(b_name));
        for (a, b) in vcf::alleles(differences(&pair.ops), reference.len()) {
            let [of_a, of_b] = [&reference[a.clone()], &pair.turned[b.clone()]];
            if of_a.is_empty() {
                continue;
            }
            let [ref_text, alt_text] = vcf::texts([of_a, of_b]);
            write!(out, "{a_name}\t{}\t.\t", a.start + 1)?;
            out.write_all(&ref_text)?;
            out.write_all(b"\t")?;
            if of_b.is_empty() {
                out.write_all(b"<DEL>")?
            } else {
                out.write_all(&alt_text)?
            }
            let len = pair.turned.len();
            let at = b.start.min(len.saturating_sub(1));
            let position = if len == 0 {
                0
            } else {
                1 + pair.orientation.position(at, len)
            };
            writeln!(
                out,
                "\t.\tPASS\t{info};BPOS={position};BSTRAND={}",
                pair.orientation.strand
            )?;
        }
    }
    Ok(())
}
