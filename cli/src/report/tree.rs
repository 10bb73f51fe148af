//! Trees as text, DOT and JSON.

use std::io::{self, Write};

use swath::parenthesization::{Node, Step, Tree};

use super::json::{Array, Object};
use crate::args::TreeFormat;
use crate::input::MatrixNames;

/// Meaning of leaves and nodes.
#[derive(Clone, Copy, Debug)]
pub enum Shown<'a> {
    Products(&'a MatrixNames),
    /// Vertices, numbered from 1.
    Triangles,
    /// Keys, numbered from 1.
    Keys,
    Brackets,
}

impl Shown<'_> {
    fn leaf(self, leaf: usize) -> String {
        match self {
            Shown::Products(names) => names.get(leaf).into_owned(),
            Shown::Triangles => format!("side {} {}", leaf + 1, leaf + 2),
            Shown::Keys => format!("gap {leaf}"),
            Shown::Brackets => format!("base {}", leaf + 1),
        }
    }

    fn node(self, node: Node) -> String {
        let Node { start, end, split } = node;
        match (self, split) {
            (Shown::Products(names), _) => format!("{}..{}", names.get(start), names.get(end - 1)),
            (Shown::Triangles, Some(k)) => format!("{} {} {}", start + 1, k + 1, end + 1),
            (Shown::Keys, Some(k)) => format!("key {k}"),
            (_, Some(_)) => format!("{}..{}", start + 1, end),
            (_, None) => format!("pair {} {end}", start + 1),
        }
    }
}

pub fn write_tree(
    format: TreeFormat,
    shown: Shown<'_>,
    tree: &Tree,
    out: &mut dyn Write,
) -> io::Result<()> {
    match format {
        TreeFormat::Text => text(shown, tree, out),
        TreeFormat::Dot => dot(shown, tree, out),
        TreeFormat::Json => Object::new("tree/1", out)
            .field("leaves", tree.leaves())
            .field("nodes", nodes(tree))
            .end(),
    }
}

pub fn nodes(tree: &Tree) -> impl serde::Serialize {
    let triple = |node: &Node| (node.start, node.split, node.end);
    Array(move || tree.nodes().iter().map(triple))
}

/// One line, or one per triangle.
pub fn text(shown: Shown<'_>, tree: &Tree, out: &mut dyn Write) -> io::Result<()> {
    tree.walk(|step| match (shown, step) {
        (Shown::Products(names), Step::Leaf(leaf)) => write!(out, "{}", names.get(leaf)),
        (Shown::Products(_), Step::Between(_)) => write!(out, " "),
        (Shown::Triangles, Step::Open(node)) => writeln!(out, "{}", shown.node(node)),
        (Shown::Keys, Step::Leaf(_)) => write!(out, "-"),
        (Shown::Keys, Step::Between(node)) => write!(out, " {} ", node.split.unwrap_or_default()),
        (Shown::Brackets, Step::Leaf(_)) => write!(out, "."),
        (Shown::Products(_) | Shown::Keys, Step::Open(_)) => write!(out, "("),
        (Shown::Products(_) | Shown::Keys, Step::Close(_)) => write!(out, ")"),
        (Shown::Brackets, Step::Open(Node { split: None, .. })) => write!(out, "("),
        (Shown::Brackets, Step::Close(Node { split: None, .. })) => write!(out, ")"),
        (Shown::Triangles | Shown::Brackets, _) => Ok(()),
    })?;
    if matches!(shown, Shown::Triangles) {
        Ok(())
    } else {
        writeln!(out)
    }
}

fn dot(shown: Shown<'_>, tree: &Tree, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "digraph tree {{")?;
    tree.walk(|step| match step {
        Step::Leaf(leaf) => {
            writeln!(
                out,
                "    r{leaf}_{} [shape=box, label=\"{}\"];",
                leaf + 1,
                quoted(&shown.leaf(leaf))
            )
        }
        Step::Open(node) => {
            let Node { start, end, split } = node;
            writeln!(
                out,
                "    r{start}_{end} [label=\"{}\"];",
                quoted(&shown.node(node))
            )?;
            let mut edge = |i: usize, j: usize| {
                if i < j {
                    writeln!(out, "    r{start}_{end} -> r{i}_{j};")
                } else {
                    Ok(())
                }
            };
            match split {
                Some(k) => edge(start, k).and_then(|()| edge(k, end)),
                None => edge(start + 1, end - 1),
            }
        }
        Step::Between(_) | Step::Close(_) => Ok(()),
    })?;
    writeln!(out, "}}")
}

fn quoted(label: &str) -> String {
    label.replace('\\', "\\\\").replace('"', "\\\"")
}
