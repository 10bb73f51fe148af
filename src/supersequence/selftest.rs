//! Known-answer tests of every kernel variant on one device.

use super::query::TableQuery;
use super::{Method, Scs, ScsOptions, reference};
use crate::backend::Backend;
use crate::engine::placement::{self, Call};
use crate::engine::{Engine, Round, SelfTest, difference, letters, wait, with_and_without_path};
use crate::sequences::affixes::Stripped;
use crate::sequences::typed::Typed;

/// Compares every table method with the reference. Runs on `backend` directly.
pub(crate) fn selftest(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let (a, b) = (letters(700, 3), letters(600, 4));
    let expected = reference::shared(&a, &b);
    let check = |(method, path): (Method, bool)| {
        let options = ScsOptions {
            method,
            path,
            ..ScsOptions::default()
        };
        let (length, shared) = match backend {
            Some(backend) => {
                let call = Call::start(engine, &options.control);
                let device = engine.device(backend, &options.control, &call.phases);
                let whole = Typed::Bytes(Stripped::whole(&a, &b));
                let mut query = TableQuery::new(&whole, &options);
                let found = placement::run_on(&call, &mut query, &device);
                let (found, _) = wait(found)?;
                (found.length, found.shared)
            }
            None => (
                engine.run(&Scs::of(&a, &b).with_options(&options))?.length,
                None,
            ),
        };
        let right = (a.len() + b.len()) as u64 - expected.len();
        Ok(difference("length", [length, right], shared, &expected))
    };
    let index = if backend.is_some() { "" } else { "cpu " };
    let variants = [Method::RowWise, Method::AntiDiagonal].map(|method| {
        let name = format!("scs/{index}{}", method.name());
        with_and_without_path(&name, "length", |path| (method, path))
    });
    round.of(variants.into_iter().flatten(), check)
}
