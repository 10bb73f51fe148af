//! Functions of subgroups.

use naga::{
    CollectiveOperation, Expression, GatherMode, Handle, Scalar, SubgroupOperation, TypeInner,
};

use super::functions::FunctionWriter;
use super::{Result, unsupported};

impl FunctionWriter<'_, '_> {
    /// Text of a 32-bit integer that lanes exchange.
    fn exchanged(&self, word: Handle<Expression>) -> Result<String> {
        match *self.inner(word) {
            TypeInner::Scalar(Scalar::U32 | Scalar::I32) => self.expression(word),
            ref other => unsupported(format!("an exchange of {other:?} between lanes")),
        }
    }

    pub(super) fn ballot(&self, predicate: Option<Handle<Expression>>) -> Result<String> {
        let vote = match predicate {
            Some(predicate) => self.expression(predicate)?,
            None => "true".to_string(),
        };
        Ok(format!(
            "Vector<u32, 4>{{__ballot_sync(ALL_LANES, {vote}), 0u, 0u, 0u}}"
        ))
    }

    pub(super) fn gather(&self, mode: GatherMode, word: Handle<Expression>) -> Result<String> {
        let word = self.exchanged(word)?;
        let (function, lane) = match mode {
            GatherMode::BroadcastFirst => ("__shfl_sync", "0u".to_string()),
            GatherMode::Broadcast(lane) | GatherMode::Shuffle(lane) => {
                ("__shfl_sync", self.expression(lane)?)
            }
            GatherMode::ShuffleUp(distance) => ("__shfl_up_sync", self.expression(distance)?),
            GatherMode::ShuffleDown(distance) => ("__shfl_down_sync", self.expression(distance)?),
            GatherMode::ShuffleXor(mask) => (
                "__shfl_sync",
                format!("threadIdx.x % 32u ^ {}", self.expression(mask)?),
            ),
            other => return unsupported(format!("the exchange {other:?}")),
        };
        Ok(format!("{function}(ALL_LANES, {word}, {lane})"))
    }

    pub(super) fn collective(
        &self,
        collective: CollectiveOperation,
        operation: SubgroupOperation,
        argument: Handle<Expression>,
    ) -> Result<String> {
        use CollectiveOperation as C;
        use SubgroupOperation as O;
        let function = match (collective, operation) {
            (C::Reduce, O::All | O::Any) => {
                let vote = self.expression(argument)?;
                let compared = if operation == O::All { "==" } else { "!=" };
                let lanes = if operation == O::All {
                    "ALL_LANES"
                } else {
                    "0u"
                };
                return Ok(format!(
                    "(__ballot_sync(ALL_LANES, {vote}) {compared} {lanes})"
                ));
            }
            (C::Reduce, O::Add) => "subgroup_add",
            (C::Reduce, O::Min) => "subgroup_min",
            (C::Reduce, O::Max) => "subgroup_max",
            (C::InclusiveScan, O::Add) => "subgroup_inclusive_add",
            (C::ExclusiveScan, O::Add) => "subgroup_exclusive_add",
            other => return unsupported(format!("the operation {other:?} of subgroups")),
        };
        Ok(format!("{function}({})", self.exchanged(argument)?))
    }
}
