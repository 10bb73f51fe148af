//! `swath compare`: two assemblies, record by record.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Instant;

use anyhow::bail;
use swath::edit_distance::{Gaps, Op};
use swath::orientation::{Orientation, OrientedPair};
use swath::substring::{MaximalMatch, Strand};
use swath::{Control, Edit, Error, Orient, Symbol};

use super::comparison::{Comparison, ReportContext, Settings, TURNING_SHARE};
use super::record_pair::{HEADER, RecordPair, SHOWN, write_vcf};
use super::together::ComparesTogether;
use crate::args::{self, CompareArgs, CompareFormat};
use crate::call::{Caller, Outcome, Solved};
use crate::dna::{self, Measure};
use crate::input::{DefaultRecords, Inputs, Symbols};
use crate::message::printable;
use crate::report::differences::{Figures, GapCount, equal_runs};
use crate::report::paf::{Named, PafAlignment};
use crate::report::{self, Array, Counted, Form, Lines, Names, Object, svg, vcf};
use crate::runs::Runs;

/// Share of anchored symbols in order below which a summary tells of rearrangements.
const MIN_IN_ORDER: f64 = 0.95;
/// Sequences are related if anchors have at least one symbol in this many.
const MIN_ANCHORED: usize = 20;

pub struct Assemblies {
    /// Pairs by increasing record of A.
    pub pairs: Vec<RecordPair>,
    /// Records without a partner, of A and of B.
    pub unpaired: [Vec<usize>; 2],
    anchors: Vec<MaximalMatch>,
    figures: Figures,
}

impl ComparesTogether for CompareArgs {}

impl Comparison for CompareArgs {
    type Format = CompareFormat;
    type Answer = Assemblies;
    const FORM: Form = Form {
        problem: "compare",
        counted: Counted::Cells,
        names: Names::Records,
    };

    fn settings(&self) -> anyhow::Result<Settings<'_, CompareFormat>> {
        let mut request = self
            .input
            .request([&self.a, &self.b], DefaultRecords::Grouped)?;
        if request.symbols != Symbols::Bytes {
            bail!("swath compare is for genomes in bytes; for texts take swath lcs --format diff");
        }
        // Lower case is soft-masked.
        request.ignore_case = true;
        Ok(Settings {
            sets_exit_code: self.exit.exit_code,
            ..Settings::new(request, &self.output, &self.engine)
        })
    }

    fn check(&self, inputs: &Inputs, format: Option<CompareFormat>) -> anyhow::Result<Vec<String>> {
        let Some(list) = inputs.bytes() else {
            return Ok(Vec::new());
        };
        let names = &inputs.groups[0].records;
        if format == Some(CompareFormat::Vcf) {
            let all = inputs.groups.iter().flat_map(|group| &group.records);
            vcf::check_letters(all.zip(list.printed()))?;
            vcf::check_names(names.iter().map(|name| &name[..]))?;
        }
        let mut notes = Vec::new();
        if !self.matching.is_given() {
            let ambiguous = dna::count_ambiguous(&list.compared());
            if ambiguous > 0 {
                notes.push(format!(
                    "{ambiguous} letters stand for several bases, such as N, and match themselves alone; with --ambiguous iupac they match these bases"
                ));
            }
        }
        if self.output.asks_for_witness() && self.output.format == CompareFormat::Vcf {
            let is_other = |one: &&u8| !vcf::LETTERS.contains(&one.to_ascii_uppercase());
            let records = list.printed().into_iter().take(names.len());
            let count = records.flatten().filter(is_other).count();
            if count > 0 {
                notes.push(format!(
                    "{count} letters of A are none of A, C, G, T and N; bcftools stops at a variant of such a letter, unless A has N in its place"
                ));
            }
        }
        Ok(notes)
    }

    fn call(&self, inputs: &Inputs, caller: &Caller<'_>) -> swath::Result<Outcome<Assemblies>> {
        let started = Instant::now();
        let Some(list) = inputs.bytes() else {
            return Err(Error::Failed("assemblies have bytes".to_string()));
        };
        let records: Vec<_> = list.compared().into_iter().map(without_uracil).collect();
        let (a, b) = records.split_at(inputs.groups[0].records.len());
        let control = caller.control.cloned().unwrap_or_default();
        let task = self.orientation_task(a, b);
        let found = caller
            .engine
            .run_with(&task, &control.part(0.0, TURNING_SHARE));
        // The task has B before A.
        let found = found.map_err(|mut error| {
            if let Error::NotDna { input, .. } = &mut error {
                *input = 3 - *input;
            }
            error
        })?;
        let (mut pairs, mut runs) = (Vec::new(), Runs::default());
        let cells = |pair: &OrientedPair| b[pair.a].len() as f64 * a[pair.b].len() as f64;
        let all: f64 = found.pairs.iter().map(cells).sum();
        let mut start = TURNING_SHARE;
        for pair in &found.pairs {
            let end = start + (1.0 - TURNING_SHARE) * cells(pair) / all.max(1.0);
            let control = control.part(start, end);
            start = end;
            let turned = pair.orientation.apply(&b[pair.a]);
            let solved = match self.aligned(&turned, &a[pair.b], caller, &control)? {
                Outcome::Planned(plan) => {
                    runs.plan(plan);
                    continue;
                }
                Outcome::Solved(solved) => solved,
            };
            let mut ops = Vec::new();
            runs.solve(solved.map(|found| ops = found));
            pairs.push(RecordPair {
                a: pair.b,
                b: pair.a,
                orientation: pair.orientation,
                turned: pair.orientation.apply(list.printed()[a.len() + pair.a]),
                figures: Figures::of(&ops),
                anchored: pair.anchored,
                in_order: in_order(pair, turned.len(), &found.anchors, &ops),
                ops,
            });
        }
        if caller.control.is_none() {
            return Ok(Outcome::Planned(match runs.planned {
                Some(plan) => plan,
                None => caller.engine.plan(&task)?,
            }));
        }
        pairs.sort_by_key(|pair| pair.a);
        let mut figures = Figures::default();
        pairs.iter().for_each(|pair| figures.add(&pair.figures));
        let without_partner = |count: usize, record: fn(&RecordPair) -> usize| {
            let has_partner = |index: &usize| pairs.iter().any(|pair| record(pair) == *index);
            (0..count).filter(|index| !has_partner(index)).collect()
        };
        let unpaired = [
            without_partner(a.len(), |pair| pair.a),
            without_partner(b.len(), |pair| pair.b),
        ];
        let mut solved = runs.solved.unwrap_or(Solved {
            answer: (),
            run: found.run,
            interface: None,
        });
        solved.run.elapsed = started.elapsed();
        Ok(Outcome::Solved(solved.map(|()| Assemblies {
            pairs,
            unpaired,
            anchors: found.answer.anchors,
            figures,
        })))
    }

    fn is_found(&self, found: &ReportContext<'_, Self>) -> bool {
        let answer = &found.solved.answer;
        answer.figures.edits() == 0 && answer.unpaired.iter().all(Vec::is_empty)
    }

    fn answer_note(&self, found: &ReportContext<'_, Self>) -> Option<String> {
        let (inputs, pairs) = (found.inputs, &found.solved.answer.pairs);
        let Some(pair) = pairs.first() else {
            return Some(
                "no record of A has enough in common with one of B, so nothing is compared; --record-a and --record-b pair two records in any case"
                    .to_string(),
            );
        };
        let mut both = inputs.select(&[inputs.first_record(1) + pair.b, pair.a]);
        both.groups[0].orientation = Some(pair.orientation);
        let (b, a) = both.pair_lengths();
        let longer = a.max(b);
        if pairs.len() > 1 || pair.anchored * MIN_ANCHORED >= longer {
            return None;
        }
        let similarity = 1.0 - pair.figures.edits() as f64 / longer as f64;
        dna::chance_note(&both, Measure::Edits, similarity)
    }

    fn text(
        &self,
        found: &ReportContext<'_, Self>,
        _: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        let mut lines = match answer.pairs[..] {
            [] => vec![("identity", "nothing is paired".to_string())],
            _ => figure_lines(&answer.figures),
        };
        lines.extend(answer.order_line());
        lines.extend(report::input_lines(Self::FORM.names, inputs));
        for pair in &answer.pairs {
            let ([a, b], Orientation { strand, start }) = (pair.names(inputs), pair.orientation);
            let (identity, edits) = (100.0 * pair.figures.identity(), pair.figures.edits());
            lines.push((
                "pair",
                format!("{a}  {b}  strand {strand} from {start}  {identity:.2} %  {edits} edits"),
            ));
        }
        for (input, records) in answer.unpaired.iter().enumerate() {
            let lengths = &inputs.lengths()[input];
            for &record in records {
                let name = printable(&inputs.groups[input].records[record]);
                let (len, side) = (lengths[record], ["a", "b"][input]);
                lines.push(("unpaired", format!("{name}  {len} symbols of {side}")));
            }
        }
        lines.extend(report::run_lines(Self::FORM.counted, found.solved));
        if !self.lists_differences() {
            let all = || answer.pairs.iter().flat_map(|pair| pair.rows(inputs));
            lines.extend(all().take(SHOWN).map(|row| ("difference", row.shown())));
            let more = all().count().saturating_sub(SHOWN);
            if more > 0 {
                let more = format!("{more} more; --format tsv lists them");
                lines.push(("difference", more));
            }
        }
        report::write_aligned(&lines, out)
    }

    fn json(
        &self,
        found: &ReportContext<'_, Self>,
        with_witness: bool,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let (inputs, answer) = (found.inputs, &found.solved.answer);
        let mut object = found.object(out);
        object.object("figures", |object| {
            let identity = (!answer.pairs.is_empty()).then(|| answer.figures.identity());
            add_figures(object, identity, &answer.figures)
        });
        found
            .add_call(&mut object)
            .objects("pairs", &answer.pairs, |object, pair| {
                object
                    .field("a", pair.a)
                    .field("b", pair.b)
                    .field("strand", pair.orientation.strand)
                    .field("origin", pair.orientation.start);
                let differences = Array(|| pair.rows(inputs).map(|row| row.fields()));
                add_figures(object, Some(pair.figures.identity()), &pair.figures)
                    .field("anchored", pair.anchored)
                    .field("in_order", pair.in_order)
                    .field_if("differences", with_witness.then_some(differences))
            })
            .field("unpaired", &answer.unpaired)
            .end()
    }

    fn witness(
        &self,
        format: CompareFormat,
        found: &ReportContext<'_, Self>,
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
                    outside: [0; 2],
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
                let anchors = answer.anchors.iter();
                let anchors = anchors.map(|one| (one.b, one.a, one.length));
                svg::dot_plot(inputs, "Anchors", svg::matches(inputs, anchors), out)
            }
        }
    }
}

impl CompareArgs {
    /// Pairs the records of B with those of A, and finds how they are turned.
    fn orientation_task<'a>(&self, a: &'a [Cow<'_, [u8]>], b: &'a [Cow<'_, [u8]>]) -> Orient<'a> {
        let mut task = Orient::of_records(b.iter().map(|one| &**one), a.iter().map(|one| &**one));
        if self.strand == args::Strand::Both {
            task = task.both_strands();
        }
        if !self.linear {
            task = task.circular();
        }
        task
    }

    fn aligned(
        &self,
        turned: &[u8],
        reference: &[u8],
        caller: &Caller<'_>,
        control: &Control,
    ) -> swath::Result<Outcome<Vec<(Op, usize)>>> {
        let caller = &Caller {
            engine: caller.engine,
            control: caller.control.map(|_| control),
        };
        match self.matching.matching(true)? {
            None => self.aligned_symbols(turned, reference, caller),
            Some(matching) => {
                let [x, y] = [turned, reference].map(|one| matching.letters(one));
                self.aligned_symbols(&x, &y, caller)
            }
        }
    }

    fn aligned_symbols<S: Symbol>(
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

    fn lists_differences(&self) -> bool {
        use CompareFormat::{Json, Tsv, Vcf};
        self.output.asks_for_witness() && matches!(self.output.format, Tsv | Vcf | Json)
    }
}

impl Assemblies {
    /// Share of anchored symbols that the alignment pairs as their anchors do: near 1 without
    /// rearrangements.
    fn order_line(&self) -> Lines {
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

/// Number of symbols of the record of B that the alignment pairs as an anchor does.
fn in_order(
    pair: &OrientedPair,
    len: usize,
    anchors: &[MaximalMatch],
    ops: &[(Op, usize)],
) -> usize {
    let Orientation { strand, start } = pair.orientation;
    let runs = equal_runs(ops, 0);
    // The anchors are sorted by their position in B.
    let first = anchors.partition_point(|one| one.a.record < pair.a);
    let of_record = anchors[first..]
        .iter()
        .take_while(|one| one.a.record == pair.a);
    let of_pair = of_record.filter(|one| one.b.record == pair.b && one.b.strand == strand);
    // An anchor across the origin is in two pieces.
    let pieces = of_pair.flat_map(|one| {
        let on_strand = match strand {
            Strand::Forward => one.a.start,
            Strand::Reverse => len - one.a.start - one.length,
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

fn figure_lines(figures: &Figures) -> Lines {
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

fn add_figures<'o, 'w>(
    object: &'o mut Object<'w>,
    identity: Option<f64>,
    figures: &Figures,
) -> &'o mut Object<'w> {
    object
        .field("identity", identity)
        .field("edits", figures.edits())
        .field("equal", figures.equal)
        .field("substitutions", figures.substitutions)
        .field("insertions", figures.insertions.symbols)
        .field("insertion_gaps", figures.insertions.gaps)
        .field("deletions", figures.deletions.symbols)
        .field("deletion_gaps", figures.deletions.gaps)
        .field("worst_1000", figures.worst)
        .field("quality", figures.quality())
}
