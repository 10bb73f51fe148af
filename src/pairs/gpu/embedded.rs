//! Kernels that release builds embed, the only ones of devices that compile no others.

use std::collections::BTreeSet;

use super::{Room, Shape, cross, entries};
use crate::backend::Capabilities;
use crate::edit_distance::Mode;
use crate::kernels::Kernel;
use crate::pairs::Measure;
use crate::pairs::SHARED_CODES;
use crate::pairs::Strings;
use crate::pairs::request::Request;
use crate::pairs::values::Width;
use crate::sequences::typed::Typed;

/// Lengths of queries: longer ones have several strips, too.
const LENS: std::ops::Range<usize> = 0..1 << 12;
/// Numbers of codes between those at which the sizes change.
const CODES_STEP: usize = 5;

/// All kernels of plans for a device that compiles none, with duplicates.
pub fn kernels(caps: &Capabilities) -> Vec<Kernel> {
    let none = Strings::from_slices::<&[u8]>([]);
    let room = Room::new(caps, 1 << 40);
    let shapes = |of: &dyn Fn(usize) -> Shape| LENS.map(of).collect::<BTreeSet<_>>();
    let mut kernels = Vec::new();
    for codes in (1..=SHARED_CODES).step_by(CODES_STEP).chain([SHARED_CODES]) {
        for width in [Width::U8, Width::U16, Width::U32] {
            let sizes = cross::Shapes::new(Measure::Edit, width, codes, caps, &room);
            for shape in shapes(&|len| sizes.limbs.shape(len)) {
                for request in requests(&none) {
                    let kernel = |keeps_some| sizes.kernel(&request.table(shape), keeps_some);
                    kernels.push(kernel(false));
                    kernels.extend(request.within.map(|_| kernel(true)));
                }
            }
        }
        let codes = codes.min(entries::MAX_CODES);
        let sizes = entries::Shapes::new(Measure::Edit, codes, caps, &room);
        for shape in shapes(&|len| sizes.limbs.shape(len)) {
            let requests = requests(&none);
            let tables = requests.iter().map(|request| request.table(shape));
            kernels.extend(tables.map(|table| sizes.kernel(&table)));
        }
    }
    kernels
}

/// Requests of every swept measure and mode, without and with a bound.
fn requests<'a>(none: &'a Strings<'a>) -> Vec<Request<'a>> {
    let mut requests = Vec::new();
    for measure in Measure::ALL
        .into_iter()
        .filter(|measure| measure.is_swept())
    {
        for mode in Mode::ALL {
            requests.extend([None, Some(1)].map(|within| Request {
                queries: Typed::Bytes(none),
                targets: Typed::Bytes(none),
                measure,
                mode,
                within,
            }));
        }
    }
    requests.retain(|request| request.check().is_ok());
    requests
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Arc;

    use super::*;
    use crate::plan::Resident;
    use crate::sequences::bit_parallel::inputs::Random;
    use crate::symbols::alphabet::Alphabet;

    /// A CUDA device without NVRTC.
    fn caps() -> Capabilities {
        Capabilities {
            binding_bytes: 4 << 30,
            buffer_bytes: 4 << 30,
            chunk_bytes: 1 << 30,
            workgroup_bytes: 48 << 10,
            workgroup_lanes: 1024,
            carry_flag: true,
            compiles: false,
            ..Capabilities::default()
        }
    }

    #[test]
    fn plans_use_only_embedded_kernels() {
        let (caps, mut random) = (caps(), Random::new(7));
        let (all, room): (HashSet<_>, _) = (
            kernels(&caps).into_iter().collect(),
            Room::new(&caps, 1 << 30),
        );
        let lens = [0, 1, 30, 64, 65, 160, 161, 384, 385, 768, 769, 5000];
        for letters in [1, 4, 6, 7, 30, 31, 32, 200, 255] {
            let mut list = || {
                let string = |&len: &usize| random.codes(len, letters);
                Strings::from_slices(lens.iter().map(string).collect::<Vec<_>>())
            };
            let (queries, targets) = (list(), list());
            let Some(alphabet) = Alphabet::few(queries.iter(), SHARED_CODES) else {
                continue;
            };
            for request in requests(&Strings::from_slices::<&[u8]>([])) {
                let request = Request {
                    queries: Typed::Numbers(&queries),
                    targets: Typed::Numbers(&targets),
                    measure: request.measure,
                    mode: request.mode,
                    within: request.within,
                };
                let measure = request.measure;
                let shapes =
                    cross::Shapes::new(measure, request.width(), alphabet.codes(), &caps, &room);
                let rows = 0..queries.len();
                let uploads = cross::Queries::new(&request, &alphabet, &shapes, rows, false);
                let chunk = cross::Chunk::new(&request, 0..targets.len());
                let mut used = Vec::new();
                for keeps_some in [false, true] {
                    let block = cross::Block {
                        request: &request,
                        alphabet: &alphabet,
                        shapes: &shapes,
                        queries: Arc::new(uploads.clone()),
                        chunk: &chunk,
                        is_upper: false,
                        keeps_some: keeps_some && request.within.is_some(),
                    };
                    used.extend(block.plan(&Resident::default()).plan.kernels);
                }
                if alphabet.codes() <= entries::MAX_CODES {
                    let shapes = entries::Shapes::new(measure, alphabet.codes(), &caps, &room);
                    let pairs = (0..lens.len()).map(|place| ((place, place), true));
                    let block = entries::Block::of_first(&request, &alphabet, &shapes, (pairs, 99));
                    used.extend(block.plan().plan.kernels);
                }
                for kernel in used {
                    assert!(all.contains(&kernel), "{} is not embedded", kernel.label());
                }
            }
        }
    }
}
