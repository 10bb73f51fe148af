//! Paths as runs of diagonal steps.

/// A run of diagonal steps: `a[a..a + len]` lies opposite `b[b..b + len]`, symbol by symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// First position in `a`, from 0.
    pub a: usize,
    /// First position in `b`, from 0.
    pub b: usize,
    /// Steps in the run, at least 1.
    pub len: usize,
}

/// A path through a table: its diagonal runs, maximal and in increasing order of both positions. Between two runs it goes
/// straight down, straight right, or both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blocks(Vec<Block>);

impl Blocks {
    /// The runs.
    pub fn as_slice(&self) -> &[Block] {
        &self.0
    }

    /// Number of diagonal steps.
    pub fn steps(&self) -> u64 {
        self.0.iter().map(|block| block.len as u64).sum()
    }

    /// Appends a run, joining it to the last one where they touch.
    pub(crate) fn push(&mut self, block: Block) {
        if block.len == 0 {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.a + last.len == block.a && last.b + last.len == block.b => last.len += block.len,
            _ => self.0.push(block),
        }
    }

    /// Appends all of `other`, its positions moved by (`a`, `b`).
    pub(crate) fn append(&mut self, other: &Blocks, a: usize, b: usize) {
        for block in &other.0 {
            self.push(Block { a: block.a + a, b: block.b + b, len: block.len });
        }
    }

    /// Exchanges the roles of `a` and `b`.
    pub(crate) fn swap(&mut self) {
        self.0.iter_mut().for_each(|block| std::mem::swap(&mut block.a, &mut block.b));
    }

    /// Turns the path of reversed sequences into that of the sequences, whose lengths are `lengths`.
    pub(crate) fn reverse(&mut self, (a, b): (usize, usize)) {
        self.0.reverse();
        for block in &mut self.0 {
            (block.a, block.b) = (a - block.a - block.len, b - block.b - block.len);
        }
    }

    /// Puts `prefix` diagonal steps before all others, which move back by as many in both sequences.
    pub(crate) fn prepend(&mut self, prefix: usize) {
        if prefix == 0 {
            return;
        }
        for block in &mut self.0 {
            block.a += prefix;
            block.b += prefix;
        }
        match self.0.first_mut() {
            Some(first) if first.a == prefix && first.b == prefix => {
                *first = Block { a: 0, b: 0, len: first.len + prefix };
            }
            _ => self.0.insert(0, Block { a: 0, b: 0, len: prefix }),
        }
    }
}

impl FromIterator<Block> for Blocks {
    fn from_iter<I: IntoIterator<Item = Block>>(runs: I) -> Self {
        let mut blocks = Blocks::default();
        runs.into_iter().for_each(|run| blocks.push(run));
        blocks
    }
}
