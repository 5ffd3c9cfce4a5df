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

/// Where a block's end leads.
#[derive(Debug, Clone, Copy)]
struct End {
    /// The block that a branch leads to, or [`NOWHERE`].
    to: u32,
    /// The number of the table that it jumps through, or [`NOWHERE`].
    table: u32,
    /// Whether control also goes on to the next block.
    falls: bool,
}

/// No block, or no table.
const NOWHERE: u32 = u32::MAX;

/// Blocks being found; reused from function to function.
#[derive(Debug, Default)]
pub(super) struct Graph {
    branches: Vec<Branch>,
    /// Distinct targets of each table, as offsets.
    tables: Vec<Vec<u64>>,
    /// One bit for each byte of the function: a block begins there.
    starts: Vec<u64>,
    /// Blocks before each word of `starts`: a number for each byte of them would take half as much memory again as the code.
    rank: Vec<u32>,
    size: u64,
    back: bool,
    ends: Vec<End>,
    state: Vec<State>,
    stack: Vec<(u32, u32)>,
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
        // A cycle has an edge that leads to a lower address.
        if !self.back {
            let blocks: u32 = self.starts.iter().map(|word| word.count_ones()).sum();
            return (u64::from(blocks), 0);
        }
        self.rank.clear();
        let mut blocks = 0;
        self.rank.extend(self.starts.iter().map(|word| {
            let before = blocks;
            blocks += word.count_ones();
            before
        }));
        (u64::from(blocks), self.loops(blocks))
    }

    /// The number of blocks that begin before an offset inside the function; of the block that begins there, its number.
    #[inline]
    fn blocks_before(&self, offset: u64) -> u32 {
        let word = usize::try_from(offset / 64).unwrap_or(0);
        let below = self.starts[word] & ((1 << (offset % 64)) - 1);
        self.rank[word] + below.count_ones()
    }

    fn loops(&mut self, blocks: u32) -> u64 {
        self.find_ends(blocks);
        self.state.clear();
        self.state.resize(blocks as usize, State::New);
        for root in 0..blocks {
            if self.state[root as usize] == State::New {
                self.walk(root);
            }
        }
        self.state.iter().filter(|s| **s == State::DoneLoop).count() as u64
    }

    /// Fills in where each block's end leads.
    fn find_ends(&mut self, blocks: u32) {
        let on = End {
            to: NOWHERE,
            table: NOWHERE,
            falls: true,
        };
        self.ends.clear();
        self.ends.resize(blocks as usize, on);
        for branch in &self.branches {
            // The block that covers the branch: the last that starts at or before it.
            let block = self.blocks_before(branch.at + 1).saturating_sub(1);
            let table = branch.table.and_then(|t| u32::try_from(t).ok());
            self.ends[block.min(blocks - 1) as usize] = End {
                to: branch.to.map_or(NOWHERE, |to| self.blocks_before(to)),
                table: table.unwrap_or(NOWHERE),
                falls: branch.falls,
            };
        }
        if let Some(last) = self.ends.last_mut() {
            last.falls = false;
        }
    }

    fn walk(&mut self, root: u32) {
        self.stack.clear();
        self.state[root as usize] = State::Open;
        // The block that the walk stands in and the edge to follow next; the stack holds those of the blocks above it.
        let (mut block, mut edge) = (root, 0);
        loop {
            let Some(next) = self.edge(block, edge) else {
                let state = &mut self.state[block as usize];
                *state = if *state == State::OpenLoop {
                    State::DoneLoop
                } else {
                    State::Done
                };
                let Some(above) = self.stack.pop() else {
                    return;
                };
                (block, edge) = above;
                continue;
            };
            edge += 1;
            if next == NOWHERE {
                continue;
            }
            let state = &mut self.state[next as usize];
            match *state {
                State::New => {
                    *state = State::Open;
                    self.stack.push((block, edge));
                    (block, edge) = (next, 0);
                }
                State::Open => *state = State::OpenLoop,
                State::OpenLoop | State::Done | State::DoneLoop => {}
            }
        }
    }

    /// The n-th edge out of a block: first on, then to the branch's target, then through its table; [`NOWHERE`] for one that
    /// is not there. `None` behind the last.
    #[inline]
    fn edge(&self, block: u32, n: u32) -> Option<u32> {
        let end = self.ends[block as usize];
        match n {
            0 => Some(if end.falls { block + 1 } else { NOWHERE }),
            1 => Some(end.to),
            n => {
                let targets = self.tables.get(end.table as usize)?;
                let to = targets.get(n as usize - 2)?;
                Some(self.blocks_before(*to))
            }
        }
    }
}
