//! Inputs of any number of records each.

use super::{ListRequest, Reading, Side, Source, check, read_records, read_side, symbols::Lists};

/// An input: its name, and the names of its records.
#[derive(Clone, Debug)]
pub struct Group {
    pub name: String,
    pub records: Vec<String>,
}

/// Inputs and their records, which [`Lists`] has one behind the other.
#[derive(Clone, Debug)]
pub struct Groups {
    pub groups: Vec<Group>,
    pub lists: Lists,
}

impl Groups {
    /// Symbols of every record of every input.
    pub fn lengths(&self) -> Vec<Vec<usize>> {
        self.cut(self.lists.lengths())
    }

    /// What the records have, one behind the other, input by input.
    pub fn cut<T>(&self, records: impl IntoIterator<Item = T>) -> Vec<Vec<T>> {
        let mut records = records.into_iter();
        self.groups
            .iter()
            .map(|group| records.by_ref().take(group.records.len()).collect())
            .collect()
    }
}

/// Reads all inputs: every record of a side that names none, or with `all_records` each of them as an input of its own.
///
/// # Errors
/// As [`read`](super::read).
pub fn read_groups(request: &ListRequest, reading: &mut Reading) -> anyhow::Result<Groups> {
    check(
        &request.sides.iter().collect::<Vec<_>>(),
        request.layout,
        request.symbols,
    )?;
    let (mut groups, mut all) = (Vec::new(), Vec::new());
    for (place, side) in request.sides.iter().enumerate() {
        let role = super::role(place);
        let records = match side.record {
            Some(_) => vec![read_side(
                side,
                request.layout,
                request.symbols,
                &role,
                reading,
            )?],
            None => read_records(side, request.layout, request.symbols, &role, reading)?,
        };
        let names = records.iter().map(|record| record.name.clone());
        if request.all_records {
            groups.extend(names.map(|name| Group {
                name: name.clone(),
                records: vec![name],
            }));
        } else {
            let records: Vec<_> = names.collect();
            let name = if let [record] = &records[..] {
                record.clone()
            } else {
                name(side, role)
            };
            groups.push(Group { name, records });
        }
        all.extend(records);
    }
    let lists = Lists::new(all, request.symbols, request.ignore_case)?;
    reading.count(&lists)?;
    Ok(Groups { groups, lists })
}

/// What an input of several records is called.
fn name(side: &Side, role: String) -> String {
    match &side.source {
        Source::Literal(_) => role,
        Source::Stdin => "stdin".to_string(),
        Source::File(path) => path.display().to_string(),
    }
}
