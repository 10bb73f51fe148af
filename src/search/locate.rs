//! Starts and alignments of places, from their ends and costs.

use super::choosing::Chosen;
use super::patterns::Probe;
use super::place::Place;
use super::solve::Request;
use super::starts;
use crate::call::control::Control;
use crate::edit_distance::known::{self, KnownDistance};
use crate::edit_distance::{self, EditOptions, Mode, Op};
use crate::engine::placement::Call;
use crate::error::Result;
use crate::sequences::codes::Symbol;
use crate::sequences::typed::Typed;

/// Steps of an alignment along the text.
pub(super) type Ops = Vec<(Op, usize)>;

/// A place with its alignment; `None` if it is too large for a band in words, or not asked for.
pub(super) struct Row {
    pub(super) place: Place,
    pub(super) ops: Option<Ops>,
}

impl Request<'_> {
    /// The place of an end.
    pub(super) fn row(
        &self,
        known: &mut KnownDistance,
        chosen: &Chosen,
        control: &Control,
    ) -> Result<Row> {
        let Chosen { probe, text, end } = *chosen;
        let probe = &self.probes.all[probe as usize];
        let position = end.position as usize;
        let symbols = self.texts.string(text as usize);
        let max_len = probe.swept.len() + end.cost as usize;
        let window = if probe.from_end {
            position..symbols.len().min(position + max_len)
        } else {
            position.saturating_sub(max_len)..position
        };
        let part = symbols.part(window.clone());
        let (len, ops) = match (&probe.symbols, part) {
            (Typed::Bytes(all), Typed::Bytes(part)) => match &self.options.matching {
                Some(matching) => {
                    let [body, part] = [probe.body(all), part].map(|bytes| matching.letters(bytes));
                    self.in_window(known, probe, (&body, &part), end.cost, control)?
                }
                None => {
                    let pair = (probe.body(all), part);
                    self.in_window(known, probe, pair, end.cost, control)?
                }
            },
            (Typed::Numbers(all), Typed::Numbers(part)) => {
                let pair = (probe.body(all), part);
                self.in_window(known, probe, pair, end.cost, control)?
            }
            _ => return Err(known::wrong(end.cost.into())),
        };
        let (mut start, mut stop) = if probe.from_end {
            (position, position + len)
        } else {
            (position - len, position)
        };
        if probe.from_end {
            start -= probe.exact_len;
        } else {
            stop += probe.exact_len;
        }
        Ok(Row {
            place: Place {
                text,
                start: start as u64,
                end: stop as u64,
                pattern: probe.pattern,
                strand: probe.strand,
                cost: end.cost,
            },
            ops: ops.map(|ops| probe.with_exact(ops)),
        })
    }

    /// Length of the longest piece at one end of a window, and its alignment if it is asked for and
    /// fits a band in words.
    fn in_window<S: Symbol>(
        &self,
        known: &mut KnownDistance,
        probe: &Probe<'_>,
        (body, window): (&[S], &[S]),
        cost: u32,
        control: &Control,
    ) -> Result<(usize, Option<Ops>)> {
        let len = if self.options.no_gaps {
            body.len()
        } else {
            let control = &control.unreported();
            starts::longest_piece(
                known,
                (body, window),
                cost.into(),
                !probe.from_end,
                control,
                &mut 0,
            )?
        };
        if !self.options.alignments {
            return Ok((len, None));
        }
        let piece = if probe.from_end {
            &window[..len]
        } else {
            &window[window.len() - len..]
        };
        if self.options.no_gaps {
            return Ok((len, Some(diagonal(body, piece))));
        }
        let alignment = known.align((body, piece), 0, Mode::Global, cost.into())?;
        let ops = alignment.map(|alignment| alignment.ops(body, piece));
        Ok((len, ops.transpose()?))
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
        let ops = match (&probe.symbols, text.part(piece)) {
            (Typed::Bytes(symbols), Typed::Bytes(piece)) => {
                let body = probe.body(symbols);
                match &self.options.matching {
                    Some(matching) => {
                        let [body, piece] = [body, piece].map(|bytes| matching.letters(bytes));
                        align_symbols(call, &body, &piece).await?
                    }
                    None => align_symbols(call, body, piece).await?,
                }
            }
            (Typed::Numbers(symbols), Typed::Numbers(piece)) => {
                align_symbols(call, probe.body(symbols), piece).await?
            }
            _ => return Err(known::wrong(place.cost.into())),
        };
        Ok(probe.with_exact(ops))
    }
}

async fn align_symbols<S: Symbol>(call: &Call<'_>, body: &[S], piece: &[S]) -> Result<Ops> {
    let options = EditOptions {
        path: true,
        control: call.control.unreported(),
        ..EditOptions::default()
    };
    let solved = edit_distance::global(call, body, piece, &options).await?;
    let alignment = solved.alignment.ok_or_else(|| known::wrong(0))?;
    alignment.ops(body, piece)
}

/// Steps of the alignment without gaps.
fn diagonal<S: Symbol>(body: &[S], piece: &[S]) -> Ops {
    let mut ops = Ops::new();
    for (x, y) in body.iter().zip(piece) {
        let op = if x == y { Op::Equal } else { Op::Substitute };
        push(&mut ops, op, 1);
    }
    ops
}

pub(super) fn push(ops: &mut Ops, op: Op, count: usize) {
    match ops.last_mut() {
        _ if count == 0 => {}
        Some(last) if last.0 == op => last.1 += count,
        _ => ops.push((op, count)),
    }
}
