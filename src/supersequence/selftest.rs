//! Known-answer tests of every kernel variant on one device.

use super::query::TableQuery;
use super::{Method, Scs, ScsOptions, reference};
use crate::backend::Backend;
use crate::engine::placement::{self, Call};
use crate::engine::{Engine, Round, SelfTest, letters, wait};
use crate::sequences::affixes::Stripped;

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
                let whole = Stripped::whole(&a, &b);
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
        Ok(match shared {
            _ if length != right => Some(format!("length {length} instead of {right}")),
            Some(shared) if shared != expected => {
                Some("another string than the reference's".to_string())
            }
            _ => None,
        })
    };
    let index = if backend.is_some() { "" } else { "cpu " };
    let variants = [("length", false), ("path", true)]
        .into_iter()
        .flat_map(|(wanted, path)| {
            [Method::RowWise, Method::AntiDiagonal].map(|method| {
                (
                    format!("scs/{index}{} {wanted}", method.name()),
                    (method, path),
                )
            })
        });
    round.of(variants, check)
}
