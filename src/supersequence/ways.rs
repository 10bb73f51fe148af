//! Ways to answer a table query, which the engine places.

use super::query::{TableAnswer, TableQuery};
use super::{Method, reference};
use crate::engine::placement::{Call, Cost, Running, Way, Ways};
use crate::engine::{Device, Engine};
use crate::error::Result;
use crate::papers::anti_diagonal::supersequence::AntiDiagonal;
use crate::papers::layers::way::cells as crossed_cells;
use crate::papers::row_wise::RowWise;
use crate::path_mode::PathMode;
use crate::sequences::codes::Encoded;
use crate::sequences::reference_method;
use crate::sequences::typed::for_type;

impl Ways for TableQuery<'_> {
    type Answer = TableAnswer;

    fn requested(&self) -> &'static str {
        self.method.name()
    }

    fn cells(&self) -> u128 {
        let (longer, shorter) = self.stripped.whole_lens();
        longer as u128 * shorter as u128
    }

    fn ways<'w>(&self, round: usize) -> Vec<&'w dyn Way<Self>>
    where
        Self: 'w,
    {
        match round {
            0 => vec![&RowWise, &AntiDiagonal, &Reference],
            _ => Vec::new(),
        }
    }

    fn may_use_gpu(&self, _: &Engine) -> bool {
        self.method != Method::Reference && self.has_table()
    }
}

struct Reference;

impl Way<TableQuery<'_>> for Reference {
    fn method(&self) -> &'static str {
        Method::Reference.name()
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, engine: &Engine, query: &TableQuery<'_>) -> Result<Option<Cost>> {
        let (rows, cols) = query.lens();
        let keeps_table = query.path && query.has_table();
        let cost = reference_method::cost(engine, rows, cols, keeps_table)?;
        Ok(Some(Cost {
            path_mode: PathMode::Table.if_path(query.path),
            host_bytes: cost.host_bytes + query.code_bytes(),
            ..cost
        }))
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut TableQuery<'_>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, TableAnswer> {
        Box::pin(async move {
            if !query.has_table() {
                return Ok(Some(query.unmatched()));
            }
            let fill = |more: &mut dyn FnMut() -> bool| {
                for_type!(query.stripped, |pair| {
                    if !query.path {
                        return Some((reference::length_while(pair.rows, pair.cols, more)?, None));
                    }
                    let shared = reference::shared_while(pair.rows, pair.cols, more)?;
                    Some((query.symbols() - shared.len(), Some(shared)))
                })
            };
            let (rows, cols) = query.lens();
            let (length, shared) = reference_method::answer(call, rows, cols, query.path, fill)?;
            Ok(Some(query.answered(length, shared)))
        })
    }
}

/// Cells where the canonical path of two non-empty inputs crosses the layers stored at spacing
/// `every`, including the first and last cell of the table.
///
/// # Errors
/// The errors of the method, and [`Error::CertificateFailed`](crate::Error::CertificateFailed) if
/// no path has these midpoints.
pub async fn cells(
    device: &Device<'_>,
    method: Method,
    codes: &Encoded,
    every: u64,
) -> Result<Vec<(usize, usize)>> {
    match method {
        Method::RowWise => crossed_cells::<RowWise>(device, codes, every).await,
        _ => crossed_cells::<AntiDiagonal>(device, codes, every).await,
    }
}
