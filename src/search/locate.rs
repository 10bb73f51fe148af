//! Starts and alignments of places, from their ends and costs.

use std::borrow::Cow;
use std::ops::Range;

use super::choosing::Chosen;
use super::minima::End;
use super::ops::Ops;
use super::patterns::Probe;
use super::place::Place;
use super::request::Request;
use super::restricted::{Fronts, Piece, Rules, Window};
use super::starts;
use crate::call::control::Control;
use crate::edit_distance::known::{self, KnownDistance};
use crate::edit_distance::{self, EditOptions, Mode};
use crate::engine::placement::Call;
use crate::error::Result;
use crate::sequences::codes::Symbol;
use crate::sequences::pair::Pair;
use crate::sequences::typed::{SymbolSlice, Two, Typed, for_type, map_type};

/// A place with its alignment; `None` if it is too large for a band in words, or not asked for.
pub(super) struct Row {
    pub(super) place: Place,
    pub(super) ops: Option<Ops>,
}

impl Request<'_> {
    /// The symbols of a probe that may have edits and those of a part of a text: letters if symbols
    /// match others.
    fn symbols<'s>(&self, probe: &'s Probe<'_>, part: SymbolSlice<'s>) -> Result<Two<'s>> {
        let body: SymbolSlice<'_> = map_type!(&probe.symbols, |all| probe.body(all));
        match (&self.options.matching, body, part) {
            (Some(matching), Typed::Bytes(body), Typed::Bytes(part)) => {
                let letters = |bytes| Cow::Owned(matching.letters(bytes));
                Ok(Typed::Letters([letters(body), letters(part)]))
            }
            _ => Two::of_symbols(
                map_type!(body, |body| body.into()),
                map_type!(part, |part| part.into()),
            ),
        }
    }

    /// The rules that decide about an end; `None` if it has the cost of the sweep.
    pub(super) fn rules_at(&self, probe: &Probe<'_>, text: usize, end: u64) -> Option<&Rules> {
        let to_start = end as usize;
        let (to_start, to_end) = if probe.from_end {
            (text - to_start, to_start)
        } else {
            (to_start, text - to_start)
        };
        let max_len = probe.swept.len() + self.options.within as usize;
        let is_near = to_start <= max_len || to_end == 0;
        let rules = self.rules.as_ref();
        rules.filter(|rules| is_near || rules.are_apart)
    }

    /// The best allowed piece with an end, with its alignment if there is memory for one.
    pub(super) fn restricted(
        &self,
        fronts: &mut Fronts,
        rules: &Rules,
        probe: &Probe<'_>,
        text: SymbolSlice<'_>,
        end: u64,
        known: Option<&mut KnownDistance>,
    ) -> Result<Option<Piece>> {
        let window = self.window(probe, text.len(), end, self.options.within);
        let sticks_out = if probe.from_end {
            [
                window.start == 0 && !probe.has_exact(),
                window.end == text.len(),
            ]
        } else {
            [
                window.end == text.len() && !probe.has_exact(),
                window.start == 0,
            ]
        };
        let sticks_out = sticks_out.map(|is_at_edge| is_at_edge && self.options.overhang.is_some());
        for_type!(&self.symbols(probe, text.part(window))?, |[body, text]| {
            let window = Window {
                body,
                text,
                is_suffix: !probe.from_end,
                sticks_out,
            };
            best(fronts, rules, &window, known)
        })
    }

    /// The part of a text that a piece with an end and at most this cost lies in.
    fn window(&self, probe: &Probe<'_>, text: usize, end: u64, cost: u64) -> Range<usize> {
        let position = end as usize;
        let max_len = probe.swept.len().saturating_add(cost as usize);
        if probe.from_end {
            position..text.min(position.saturating_add(max_len))
        } else {
            position.saturating_sub(max_len)..position
        }
    }

    pub(super) fn row(
        &self,
        known: &mut KnownDistance,
        fronts: &mut Fronts,
        chosen: &Chosen,
        control: &Control,
    ) -> Result<Row> {
        let Chosen { probe, text, end } = *chosen;
        let probe = &self.probes.all[probe as usize];
        let position = end.position as usize;
        let symbols = self.texts.string(text as usize);
        let piece = match self.rules_at(probe, symbols.len(), end.position) {
            Some(rules) => {
                let for_ops = Some(&mut *known).filter(|_| self.options.alignments);
                self.restricted(fronts, rules, probe, symbols, end.position, for_ops)?
            }
            None => None,
        };
        let (len, [out, behind], ops) = match piece {
            Some(piece) if piece.cost == end.cost => {
                let ops = self.options.alignments.then_some(piece.ops);
                (piece.len, piece.out, ops)
            }
            Some(_) => return Err(known::wrong(end.cost.into())),
            None => {
                let (len, ops) = self.unrestricted(known, probe, symbols, end, control)?;
                (len, [0; 2], ops)
            }
        };
        let (start, stop, before, after) = if probe.from_end {
            (position - probe.exact_len, position + len, out, behind)
        } else {
            (position - len, position + probe.exact_len, behind, out)
        };
        Ok(Row {
            place: Place {
                text,
                start: start as u64,
                end: stop as u64,
                pattern: probe.pattern,
                strand: probe.strand,
                cost: end.cost,
                before: before as u32,
                after: after as u32,
            },
            ops: ops.map(|ops| probe.with_exact(ops)),
        })
    }

    /// Length of the longest piece with an end, and its alignment if it is asked for and fits a band
    /// in words.
    fn unrestricted(
        &self,
        known: &mut KnownDistance,
        probe: &Probe<'_>,
        text: SymbolSlice<'_>,
        end: End,
        control: &Control,
    ) -> Result<(usize, Option<Ops>)> {
        let window = self.window(probe, text.len(), end.position, end.cost.into());
        let (control, is_suffix) = (control.unreported(), !probe.from_end);
        for_type!(&self.symbols(probe, text.part(window))?, |[body, text]| {
            let (cost, pair) = (end.cost.into(), Pair::new(body, text));
            let len = starts::longest_piece(known, pair, cost, is_suffix, &control, &mut 0)?;
            if !self.options.alignments {
                return Ok((len, None));
            }
            let piece = if is_suffix {
                &text[text.len() - len..]
            } else {
                &text[..len]
            };
            let alignment = known.align(body, piece, 0, Mode::Global, cost)?;
            let ops = alignment.map(|alignment| alignment.ops(body, piece));
            Ok((len, ops.transpose()?))
        })
    }

    /// Alignment of a place whose band is too large for words.
    pub(super) async fn align(&self, call: &Call<'_>, place: &Place) -> Result<Ops> {
        let mut probes = self.probes.all.iter();
        let is_probe =
            |probe: &&Probe<'_>| (probe.pattern, probe.strand) == (place.pattern, place.strand);
        let Some(probe) = probes.find(is_probe) else {
            return Err(known::wrong(place.cost.into()));
        };
        let text = self.texts.string(place.text as usize);
        let piece = probe.without_exact(place.start as usize..place.end as usize);
        let symbols = self.symbols(probe, text.part(piece))?;
        let options = EditOptions {
            path: true,
            control: call.control.unreported(),
            ..EditOptions::default()
        };
        let solved = edit_distance::global(call, symbols.slices(), &options).await?;
        let alignment = solved.answer.alignment.ok_or_else(|| known::wrong(0))?;
        Ok(probe.with_exact(symbols.ops(&alignment)?))
    }
}

/// The best restricted piece. With memory for it, its alignment, too: without bounds, if that keeps
/// them.
fn best<S: Symbol>(
    fronts: &mut Fronts,
    rules: &Rules,
    window: &Window<'_, S>,
    known: Option<&mut KnownDistance>,
) -> Result<Option<Piece>> {
    let best = fronts.best(rules, window, false);
    let (Some(mut piece), Some(known)) = (best.clone(), known) else {
        return Ok(best);
    };
    let ([near, far], &Window { body, text, .. }) = (piece.out, window);
    let (inside, symbols) = if window.is_suffix {
        (
            &body[far..body.len() - near],
            &text[text.len() - piece.len..],
        )
    } else {
        (&body[near..body.len() - far], &text[..piece.len])
    };
    // Its distance is less than the edits if only bounds exclude an alignment.
    let aligned = known.align(inside, symbols, 0, Mode::Global, piece.edits.into());
    if let Ok(Some(alignment)) = aligned {
        piece.ops = alignment.ops(inside, symbols)?;
    }
    if !piece.ops.is_empty() && rules.allow(&piece.ops) {
        return Ok(Some(piece));
    }
    Ok(fronts.best(rules, window, true))
}
