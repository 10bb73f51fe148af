//! Columns of lines: the string, and the key of its group.

use std::collections::HashMap;

use anyhow::{anyhow, bail};

use crate::args::NeighborsArgs;
use crate::input::{Memory, StringList, WORD_BYTES};

/// Leaves the column of the string in each line. Returns the group of each string, a number for
/// each key.
pub fn take(
    args: &NeighborsArgs,
    lists: &mut [StringList<u8>],
    memory: &Memory,
) -> anyhow::Result<Vec<Vec<u32>>> {
    let mut all = Vec::new();
    if args.by.is_empty() && args.column.is_none() {
        return Ok(all);
    }
    let without_key = (1..).find(|column| !args.by.contains(column));
    let own = args.column.or(without_key).unwrap_or(1);
    let (mut numbers, mut key) = (HashMap::<Vec<u8>, u32>::new(), Vec::new());
    for list in lists {
        if list.records.is_some() {
            bail!(
                "{} has records, and --by and --column take columns of lines; make lines of them, such as by seqkit fx2tab, or take --symbols lines",
                list.name
            );
        }
        // Columns leave other strings; a group takes no more than an offset.
        memory.hold(&list.name, list.size_bytes())?;
        let mut groups = Vec::new();
        list.cut(|list, index, line| {
            let column = |column: usize| {
                let mut columns = line.split(|&byte| byte == b'\t');
                columns.nth(column - 1).ok_or_else(|| {
                    anyhow!(
                        "{}: no column {column}; columns are between tabs, and the line has {}: correct it, or name others with --by and --column",
                        list.location(index),
                        line.split(|&byte| byte == b'\t').count()
                    )
                })
            };
            key.clear();
            for &one in &args.by {
                key.extend_from_slice(column(one)?);
                key.push(b'\t');
            }
            let next = numbers.len() as u32;
            groups.push(match numbers.get(&key) {
                Some(&number) => number,
                None => {
                    memory.hold(&list.name, WORD_BYTES + key.len() as u64)?;
                    numbers.insert(key.clone(), next);
                    next
                }
            });
            column(own)
        })?;
        all.push(groups);
    }
    if args.by.is_empty() {
        all.clear();
    }
    Ok(all)
}
