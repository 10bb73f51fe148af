//! Known-answer tests of every kernel variant on one device.

use super::solve::on_gpu;
use super::{Method, Scs, ScsOptions, reference};
use crate::backend::Backend;
use crate::call::phases::Phases;
use crate::engine::{Engine, Round, SelfTest, letters};
use crate::pairwise::codes::Encoded;

/// Compares every table method with the reference. Runs on `backend` directly.
pub(crate) fn selftest(
    engine: &Engine,
    backend: Option<&dyn Backend>,
    round: Round<'_>,
) -> Vec<SelfTest> {
    let (a, b) = (letters(700, 3), letters(600, 4));
    let codes = Encoded::new(&a, &b);
    let expected = reference::shared(&codes.a, &codes.b);
    let check = |(method, path): (Method, bool)| {
        let options = ScsOptions {
            method,
            path,
            ..ScsOptions::default()
        };
        let (length, shared) = match backend {
            Some(backend) => {
                let found = pollster::block_on(on_gpu(
                    engine,
                    backend,
                    &codes,
                    &options,
                    &Phases::start(),
                ))?;
                (found.length, found.shared)
            }
            None => (
                engine
                    .run(&Scs::of(&codes.a, &codes.b).with_options(&options))?
                    .length,
                None,
            ),
        };
        let right = (codes.a.len() + codes.b.len()) as u64 - expected.len();
        Ok(match shared {
            _ if length != right => Some(format!("length {length} instead of {right}")),
            Some(shared) if shared != expected => {
                Some("another string than the reference's".to_string())
            }
            _ => None,
        })
    };
    let place = if backend.is_some() { "" } else { "cpu " };
    let variants = [("length", false), ("path", true)]
        .into_iter()
        .flat_map(|(wanted, path)| {
            [Method::RowWise, Method::AntiDiagonal].map(|method| {
                (
                    format!("scs/{place}{} {wanted}", method.name()),
                    (method, path),
                )
            })
        });
    round.of(variants, check)
}
