//! Clusters of similar strings.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::blocks::{Consumer, FoundBlock, RowsOf, Work};
use super::join::Counts;
use super::request::{Request, Sides};
use super::task::Neighbors;
use crate::call::control::Control;
use crate::engine::placement;
use crate::engine::task::{Erased, Sealed, Task};
use crate::engine::{Engine, PlanSummary, Report};
use crate::error::{Error, Result};
use crate::query;
use crate::sequences::codes::Symbol;

/// Task that assigns each string of a list to a cluster. Created by [`Neighbors::clusters`].
///
/// Strings are in one cluster if a chain of pairs within the distance connects them, on either
/// strand if both are compared: a string and its reverse complement are two strings. With
/// [`directional`](Self::directional) a chain leads from more to less abundant strings only.
///
/// ```
/// use swath::neighbors::Neighbors;
/// use swath::pairs::Strings;
/// use swath::{Engine, Options};
///
/// let engine = Engine::new(Options::default())?;
/// let umis = Strings::<u8>::from_slices(["ACGT", "TTTT", "ACGG", "ACCG", "AACG"]);
/// let near = Neighbors::of(&umis).within(1);
/// let report = engine.run(&near.clone().clusters())?;
/// assert_eq!(report.clusters, [0, 1, 0, 0, 0]);
/// let report = engine.run(&near.clusters().directional(&[9, 1, 5, 2, 2][..]))?;
/// assert_eq!(report.clusters, [0, 1, 0, 0, 2]);
/// assert_eq!((&report.representatives[..], &report.sizes[..]), (&[0, 1, 4][..], &[16, 1, 2][..]));
/// # Ok::<(), swath::Error>(())
/// ```
#[derive(Clone, Debug)]
#[must_use = "an engine runs it"]
pub struct Clusters<'a, S: Symbol = u8> {
    neighbors: Neighbors<'a, S>,
    rule: ClusterOptions<'a>,
}

/// How pairs become clusters, for a [query](crate::query).
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ClusterOptions<'a> {
    /// Abundance of each string; 1 by default.
    pub counts: Option<Cow<'a, [u64]>>,
    /// Clusters as in [`Clusters::directional`].
    pub is_directional: bool,
}

/// Answer of [`Clusters`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ClusterList {
    /// Cluster of each string. Clusters are numbered from 0 in order of their first strings.
    pub clusters: Vec<u32>,
    /// Position of the most abundant string of each cluster, of equally abundant ones the first.
    pub representatives: Vec<u32>,
    /// Abundance of the strings of each cluster together.
    pub sizes: Vec<u64>,
    /// Counts of the work.
    pub work: Work,
}

impl<'a, S: Symbol> Clusters<'a, S> {
    /// Abundance of each string; 1 by default. Equal strings count together.
    pub fn counts(mut self, counts: impl Into<Cow<'a, [u64]>>) -> Self {
        self.rule.counts = Some(counts.into());
        self
    }

    /// Clusters as UMI-tools' method `directional` (Smith et al. 2017, doi:10.1101/gr.209601.116),
    /// by edit distance and with these [`counts`](Self::counts).
    ///
    /// A string leads to another one within the distance if its count is at least twice the
    /// other's, less one. The most abundant string without a cluster, of equally abundant ones the
    /// first, begins a cluster of all strings without one that chains of such pairs reach.
    pub fn directional(mut self, counts: impl Into<Cow<'a, [u64]>>) -> Self {
        self.rule.is_directional = true;
        self.counts(counts)
    }
}

impl ClusterOptions<'_> {
    /// Abundance of each distinct string.
    fn abundances(&self, sides: &Sides<'_>) -> Vec<u64> {
        let unique = &sides.rows.unique;
        let of = |number: u32| {
            let copies = unique.copies(number).iter();
            copies.fold(0u64, |sum, &copy| {
                let count = self
                    .counts
                    .as_ref()
                    .map_or(1, |counts| counts[copy as usize]);
                sum.saturating_add(count)
            })
        };
        (0..unique.len() as u32).map(of).collect()
    }

    fn check(&self, request: &Request<'_>) -> Result<()> {
        let strings = request.rows.len() as u64;
        if let Some(counts) = &self.counts
            && counts.len() as u64 != strings
        {
            return Err(Error::OutOfRange {
                what: "the number of counts",
                given: counts.len() as u64,
                allowed: format!("{strings}, that of the strings"),
            });
        }
        Ok(())
    }
}

/// Consumer that connects the strings of pairs.
struct Clustering<'c> {
    rule: &'c ClusterOptions<'c>,
    /// Of each distinct string.
    abundances: Vec<u64>,
    forest: Forest,
    /// Pairs of a directional rule, from the string that leads to the other.
    edges: Vec<(u32, u32)>,
}

impl Consumer for Clustering<'_> {
    type Answer = ClusterList;

    const ROWS: RowsOf = RowsOf::Numbers;

    fn begin(&mut self, _: &Request<'_>, sides: &Sides<'_>) -> Result<()> {
        self.abundances = self.rule.abundances(sides);
        self.forest = Forest::new(self.abundances.len());
        Ok(())
    }

    async fn take(
        &mut self,
        call: &placement::Call<'_>,
        request: &Request<'_>,
        _: &Sides<'_>,
        block: FoundBlock<'_>,
    ) -> Result<ControlFlow<()>> {
        for found in block.found {
            let row = (block.rows.start + found.index as usize) as u32;
            let column = found.column;
            if !self.rule.is_directional {
                self.forest.join(row, column);
                continue;
            }
            let leads = |from: u32, to: u32| {
                let [from, to] = [from, to].map(|one| self.abundances[one as usize]);
                from >= to.saturating_mul(2).saturating_sub(1)
            };
            self.edges
                .extend(leads(row, column).then_some((row, column)));
            self.edges
                .extend(leads(column, row).then_some((column, row)));
        }
        // Sorted into place, they take as much again.
        let needed = (self.edges.len() * 2 * size_of::<(u32, u32)>()) as u64;
        let limit = request.kept_bytes(call.engine);
        if needed > limit {
            let share = (block.rows.end) as f64 / self.abundances.len() as f64;
            return Err(Error::TooManyNeighbors {
                pairs: (self.edges.len() as f64 / share) as u64,
                within: request.within,
                needed: (needed as f64 / share) as u64,
                limit,
            });
        }
        Ok(ControlFlow::Continue(()))
    }

    fn finish(&mut self, sides: &Sides<'_>, counts: Counts) -> ClusterList {
        let roots = if self.rule.is_directional {
            directional(&self.abundances, &mut self.edges)
        } else {
            self.forest.roots(&self.abundances)
        };
        numbered(sides, &roots, &self.abundances, counts)
    }
}

impl<'a, S: Symbol> Neighbors<'a, S> {
    /// Clusters of the strings of one list: those connected by pairs within the distance. A second
    /// list and a shard are ignored.
    pub fn clusters(self) -> Clusters<'a, S> {
        Clusters {
            neighbors: Self {
                columns: None,
                ..self
            },
            rule: ClusterOptions::default(),
        }
    }
}

impl<S: Symbol> Erased for Clusters<'_, S> {
    type Answer = ClusterList;
    type Query<'q>
        = query::Clusters<'q>
    where
        Self: 'q;

    fn query(&self) -> Result<query::Clusters<'_>> {
        Ok(query::Clusters {
            options: self.rule.clone(),
            ..self.neighbors.query()?.clusters()
        })
    }
}

impl Sealed for query::Clusters<'_> {}

impl Task for query::Clusters<'_> {
    type Answer = ClusterList;

    async fn solve(&self, engine: &Engine, control: &Control) -> Result<Report<ClusterList>> {
        let request = self.neighbors.request()?;
        control.check()?;
        self.options.check(&request)?;
        let clustering = Clustering {
            rule: &self.options,
            abundances: Vec::new(),
            forest: Forest(Vec::new()),
            edges: Vec::new(),
        };
        request.join(engine, control, clustering).await
    }

    fn decide(&self, engine: &Engine) -> Result<PlanSummary> {
        self.options.check(&self.neighbors.request()?)?;
        self.neighbors.decide(engine)
    }
}

/// Clusters of all strings, from the representative and the abundance of each distinct one.
fn numbered(sides: &Sides<'_>, roots: &[u32], abundances: &[u64], counts: Counts) -> ClusterList {
    const NONE: u32 = u32::MAX;
    let unique = &sides.rows.unique;
    let mut names = vec![NONE; roots.len()];
    let (mut representatives, mut sizes) = (Vec::new(), Vec::<u64>::new());
    // Distinct strings are in order of their first positions.
    for (&root, &abundance) in roots.iter().zip(abundances) {
        let name = &mut names[root as usize];
        if *name == NONE {
            *name = sizes.len() as u32;
            representatives.push(unique.first(root) as u32);
            sizes.push(0);
        }
        let size = &mut sizes[*name as usize];
        *size = size.saturating_add(abundance);
    }
    let cluster = |position: usize| names[roots[unique.number(position) as usize] as usize];
    ClusterList {
        clusters: (0..sides.rows.strings.len()).map(cluster).collect(),
        representatives,
        sizes,
        work: counts.into(),
    }
}

/// Disjoint sets, merged by pairs.
struct Forest(Vec<u32>);

impl Forest {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn root(&mut self, mut one: u32) -> u32 {
        while self.0[one as usize] != one {
            let above = self.0[self.0[one as usize] as usize];
            self.0[one as usize] = above;
            one = above;
        }
        one
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        // The first one of a set is its root.
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// The most abundant one of each set, of equally abundant ones the first.
    fn roots(&mut self, abundances: &[u64]) -> Vec<u32> {
        let sets: Vec<u32> = (0..self.0.len() as u32).map(|one| self.root(one)).collect();
        let mut best = sets.clone();
        for (one, &set) in (0u32..).zip(&sets) {
            let best = &mut best[set as usize];
            if abundances[one as usize] > abundances[*best as usize] {
                *best = one;
            }
        }
        sets.iter().map(|&set| best[set as usize]).collect()
    }
}

/// Root of each string: the most abundant one that has no root yet takes all that it reaches.
fn directional(abundances: &[u64], edges: &mut [(u32, u32)]) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    edges.sort_unstable();
    let mut order: Vec<u32> = (0..abundances.len() as u32).collect();
    order.sort_by_key(|&one| std::cmp::Reverse(abundances[one as usize]));
    let mut roots = vec![NONE; abundances.len()];
    let mut reached = Vec::new();
    for root in order {
        if roots[root as usize] != NONE {
            continue;
        }
        roots[root as usize] = root;
        reached.push(root);
        while let Some(one) = reached.pop() {
            let first = edges.partition_point(|&(from, _)| from < one);
            let of_one = edges[first..].iter().take_while(|&&(from, _)| from == one);
            for &(_, next) in of_one {
                if roots[next as usize] == NONE {
                    roots[next as usize] = root;
                    reached.push(next);
                }
            }
        }
    }
    roots
}
