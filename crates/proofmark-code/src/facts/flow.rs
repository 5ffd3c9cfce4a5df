//! Basic blocks and loops of a function.
//!
//! A block begins at the entry, at the target of a branch inside the function or of a known table, and behind every
//! instruction that does not simply go on. A loop is counted for each block that an edge leads back to while the walk is
//! still below it (Tarjan 1972: a retreating edge of a depth-first spanning tree; for reducible code, as compilers
//! write, the number of natural loops).

/// The end of a block: an instruction that does not simply go on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    /// Offset of the instruction in the function, in bytes.
    pub(super) at: u64,
    /// Offset that it leads to, if that is inside the function.
    pub(super) to: Option<u64>,
    /// Whether control can also go on behind it.
    pub(super) falls: bool,
    /// The table that it jumps through, by number.
    pub(super) table: Option<usize>,
}

/// Blocks being found; reused from function to function.
#[derive(Debug, Default)]
pub(super) struct Graph {
    branches: Vec<Branch>,
    /// Distinct targets of each table, as offsets.
    tables: Vec<Vec<u64>>,
    /// One bit for each byte of the function: a block begins there.
    starts: Vec<u64>,
    /// Blocks before each word of `starts`.
    rank: Vec<usize>,
    size: u64,
    back: bool,
    state: Vec<State>,
    stack: Vec<(usize, usize)>,
    ends: Vec<Option<usize>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    OpenLoop,
    Done,
    DoneLoop,
}

impl Graph {
    /// Begins a function of this many bytes.
    pub(super) fn begin(&mut self, size: u64) {
        self.branches.clear();
        self.tables.clear();
        self.starts.clear();
        let words = usize::try_from(size / 64 + 1).unwrap_or(0);
        self.starts.resize(words, 0);
        self.size = size;
        self.back = false;
        self.start(0);
    }

    /// A block begins at this offset.
    #[inline]
    pub(super) fn start(&mut self, offset: u64) {
        if offset < self.size
            && let Some(word) = usize::try_from(offset / 64)
                .ok()
                .and_then(|w| self.starts.get_mut(w))
        {
            *word |= 1 << (offset % 64);
        }
    }

    /// An instruction that ends a block. To be given in order of address.
    #[inline]
    pub(super) fn branch(&mut self, branch: Branch) {
        if let Some(to) = branch.to {
            self.start(to);
            self.back |= to <= branch.at;
        }
        self.branches.push(branch);
    }

    /// A table with these targets (offsets inside the function). Tables are numbered in the order in which they are given.
    pub(super) fn table(&mut self, targets: Vec<u64>) {
        for to in &targets {
            self.start(*to);
        }
        self.back |= !targets.is_empty();
        self.tables.push(targets);
    }

    /// The number of blocks and of loops.
    pub(super) fn count(&mut self) -> (u64, u64) {
        self.rank.clear();
        let mut blocks = 0usize;
        for word in &self.starts {
            self.rank.push(blocks);
            blocks += word.count_ones() as usize;
        }
        // A cycle has an edge that leads to a lower address.
        let loops = if self.back { self.loops(blocks) } else { 0 };
        (blocks as u64, loops)
    }

    fn block_at(&self, offset: u64) -> usize {
        let word = usize::try_from(offset / 64).unwrap_or(0);
        let below = self.starts[word] & ((1u64 << (offset % 64)) - 1);
        self.rank[word] + below.count_ones() as usize
    }

    fn loops(&mut self, blocks: usize) -> u64 {
        self.ends.clear();
        self.ends.resize(blocks, None);
        for (i, branch) in self.branches.iter().enumerate() {
            // The block that covers the branch: the last that starts at or before it.
            let block = self.block_at(branch.at + 1).saturating_sub(1);
            self.ends[block.min(blocks - 1)] = Some(i);
        }
        self.state.clear();
        self.state.resize(blocks, State::New);
        for root in 0..blocks {
            if self.state[root] == State::New {
                self.walk(root);
            }
        }
        self.state.iter().filter(|s| **s == State::DoneLoop).count() as u64
    }

    fn walk(&mut self, root: usize) {
        self.stack.clear();
        self.stack.push((root, 0));
        self.state[root] = State::Open;
        while let Some((block, edge)) = self.stack.last().copied() {
            let Some(next) = self.edge(block, edge) else {
                self.state[block] = if self.state[block] == State::OpenLoop {
                    State::DoneLoop
                } else {
                    State::Done
                };
                self.stack.pop();
                continue;
            };
            if let Some(top) = self.stack.last_mut() {
                top.1 += 1;
            }
            match next.map(|n| (n, self.state[n])) {
                Some((n, State::New)) => {
                    self.state[n] = State::Open;
                    self.stack.push((n, 0));
                }
                Some((n, State::Open)) => self.state[n] = State::OpenLoop,
                _ => {}
            }
        }
    }

    /// The n-th edge out of a block: first on, then to the branch's target, then through its table. `None` behind the last.
    fn edge(&self, block: usize, n: usize) -> Option<Option<usize>> {
        let branch = self.ends[block].map(|i| self.branches[i]);
        let on =
            Some(block + 1).filter(|b| *b < self.state.len() && branch.is_none_or(|b| b.falls));
        match n {
            0 => Some(on),
            1 => Some(branch.and_then(|b| b.to).map(|to| self.block_at(to))),
            n => {
                let targets = self.tables.get(branch?.table?)?;
                targets.get(n - 2).map(|to| Some(self.block_at(*to)))
            }
        }
    }
}
