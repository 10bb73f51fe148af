//! The method 'reference': the plain table, the oracle of the tests.

use crate::engine::placement::{Call, Cost, Running, Way};
use crate::engine::{Device, Engine};
use crate::error::Result;
use crate::sequences::problem::Problem;
use crate::sequences::query::PairQuery;
use crate::sequences::reference_method;
use crate::sequences::request::{Outcome, REFERENCE};

pub(crate) struct Reference;

impl<P: Problem> Way<PairQuery<'_, P>> for Reference {
    fn method(&self) -> &'static str {
        REFERENCE
    }

    fn is_automatic(&self) -> bool {
        false
    }

    fn on_cpu(&self, engine: &Engine, query: &PairQuery<'_, P>) -> Result<Option<Cost>> {
        let (rows, cols) = query.lens();
        reference_method::cost(engine, rows, cols, query.request.path).map(Some)
    }

    fn run<'a>(
        &'a self,
        call: &'a Call<'a>,
        query: &'a mut PairQuery<'_, P>,
        _: Option<&'a Device<'a>>,
    ) -> Running<'a, Outcome> {
        Box::pin(async {
            let solution = query.sequences.reference::<P>(call, &query.request)?;
            Ok(Some(query.request.within_limit(solution, query.cells())))
        })
    }
}
