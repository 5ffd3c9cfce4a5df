//! Basic blocks and loops of a function.
//!
//! A block begins at the entry, at the target of a branch inside the function or of a known table,
//! and behind every instruction that does not simply go on. A loop is counted for each block that
//! an edge leads back to while the walk is still below it (Tarjan 1972: a retreating edge of a
//! depth-first spanning tree; for reducible code, as compilers write, the number of natural loops).

/// No block, no offset in a function, or no table.
const NOWHERE: u32 = u32::MAX;
/// So many bytes have their starts of blocks in one word.
const WORD: u32 = u64::BITS;

/// The end of a block: an instruction that does not simply go on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Branch {
    /// Offset of the instruction in the function, in bytes.
    at: u32,
    /// Offset that it leads to inside the function, or [`NOWHERE`].
    to: u32,
    /// The number of the table that it jumps through, or [`NOWHERE`].
    table: u32,
    /// Whether control can also go on behind it.
    falls: bool,
}

impl Branch {
    /// One at an offset that leads out of the function, or perhaps on.
    pub(super) fn new(at: u64, falls: bool) -> Branch {
        Branch {
            at: short(at),
            to: NOWHERE,
            table: NOWHERE,
            falls,
        }
    }

    /// Leads to an offset in the function.
    pub(super) fn to(self, offset: u64) -> Branch {
        let to = short(offset);
        Branch { to, ..self }
    }

    /// Jumps through a table, by number.
    pub(super) fn through(self, table: usize) -> Branch {
        let table = u32::try_from(table).unwrap_or(NOWHERE);
        Branch { table, ..self }
    }
}

/// An offset in a function: none is as long as [`NOWHERE`].
fn short(offset: u64) -> u32 {
    u32::try_from(offset).unwrap_or(NOWHERE)
}

/// A block, and where the walk stands in it.
#[derive(Debug, Clone, Copy)]
struct Block {
    /// Offset that its end leads to, or [`NOWHERE`].
    to: u32,
    /// The number of the table that it jumps through, or [`NOWHERE`].
    table: u32,
    /// The edge to follow next: [`ON`], [`TO`], then those through the table.
    edge: u32,
    /// The block that the walk came from; its own number where the walk began.
    above: u32,
    state: State,
}

/// The edge to the block behind.
const ON: u32 = 0;
/// The edge to where the branch leads.
const TO: u32 = 1;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    Open,
    OpenLoop,
    Done,
}

impl Block {
    /// One that simply goes on.
    fn new(number: u32) -> Block {
        Block {
            to: NOWHERE,
            table: NOWHERE,
            edge: ON,
            above: number,
            state: State::New,
        }
    }

    /// A branch ends it.
    fn end(&mut self, branch: &Branch) {
        self.to = branch.to;
        self.table = branch.table;
        self.edge = if branch.falls { ON } else { TO };
    }
}

/// Blocks being found; reused from function to function.
#[derive(Debug, Default)]
pub(super) struct Graph {
    branches: Vec<Branch>,
    /// Distinct targets of each table, as offsets.
    tables: Vec<Vec<u64>>,
    /// One bit for each byte of the function: a block begins there.
    starts: Vec<u64>,
    size: u64,
    /// Behind the block that was ended last and the padding behind it, and whether the next one is
    /// known to begin there for that alone.
    gap: (u64, bool),
    back: bool,
    blocks: Vec<Block>,
    /// Blocks before each word of `starts`: a number for each byte of them would take four times as
    /// much memory as the code.
    before: Vec<u32>,
}

impl Graph {
    /// Begins a function of this many bytes.
    pub(super) fn begin(&mut self, size: u64) {
        self.branches.clear();
        self.tables.clear();
        self.starts.clear();
        let words = usize::try_from(size / u64::from(WORD) + 1).unwrap_or(0);
        self.starts.resize(words, 0);
        self.size = size;
        self.gap = (size, false);
        self.back = false;
        self.start(0);
    }

    /// The word of `starts` that an offset in the function has its bit in, and the bit.
    #[inline]
    fn bit(&mut self, offset: u64) -> Option<(&mut u64, u64)> {
        if offset >= self.size {
            return None;
        }
        let word = usize::try_from(offset / u64::from(WORD)).ok()?;
        Some((self.starts.get_mut(word)?, 1 << (offset % u64::from(WORD))))
    }

    /// A block begins at this offset. Whether that was not known before.
    #[inline]
    fn start(&mut self, offset: u64) -> bool {
        let Some((word, bit)) = self.bit(offset) else {
            return false;
        };
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    /// An instruction of so many bytes that ends a block. To be given in order of address.
    #[inline]
    pub(super) fn branch(&mut self, branch: Branch, len: u8) {
        if branch.to != NOWHERE {
            self.start(u64::from(branch.to));
            self.back |= branch.to <= branch.at;
        }
        self.branches.push(branch);
        self.goes_on(u64::from(branch.at) + u64::from(len));
    }

    /// Behind the block that was ended last the next one begins, here unless padding stands here.
    #[inline]
    fn goes_on(&mut self, offset: u64) {
        self.gap = (offset, self.start(offset));
    }

    /// So many bytes of padding stand at this offset. If they fill the gap behind a block, the next
    /// one begins behind them. To be told in order of address.
    pub(super) fn fill_gap(&mut self, offset: u64, len: u8) -> bool {
        let fills = self.withdraw(offset);
        if fills {
            self.goes_on(offset + u64::from(len));
        }
        fills
    }

    /// Nothing begins at this offset for standing behind a block alone. Whether it does stand
    /// there.
    pub(super) fn withdraw(&mut self, offset: u64) -> bool {
        let (gap, only_behind) = self.gap;
        if offset == gap
            && only_behind
            && let Some((word, bit)) = self.bit(offset)
        {
            *word &= !bit;
        }
        offset == gap
    }

    /// A trap in the gap behind a block: the end of one of its own where something leads to it.
    pub(super) fn trap(&mut self, branch: Branch) {
        self.branches.push(branch);
    }

    /// A table with these targets (offsets inside the function). Tables are numbered in the order
    /// in which they are given.
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
        let number = self.find_blocks();
        let mut blocks = Blocks {
            blocks: &mut self.blocks,
            tables: &self.tables,
            starts: &self.starts,
            before: &self.before,
        };
        (u64::from(number), blocks.loops())
    }

    /// Numbers the blocks, finds where the end of each leads, and gives their number.
    fn find_blocks(&mut self) -> u32 {
        self.before.clear();
        self.before.reserve_exact(self.starts.len());
        self.blocks.clear();
        let mut branches = self.branches.iter();
        let mut branch = branches.next();
        let (mut first, mut number) = (0, 0);
        for word in &self.starts {
            self.before.push(number);
            let mut left = *word;
            while left != 0 {
                let bit = left.trailing_zeros();
                left &= left - 1;
                // The first of the branches before here ends the last block; traps in the gap
                // behind it may follow.
                let mut ended = false;
                while let Some(before) = branch
                    && before.at < first + bit
                {
                    if let Some(last) = self.blocks.last_mut()
                        && !ended
                    {
                        last.end(before);
                    }
                    ended = true;
                    branch = branches.next();
                }
                self.blocks.push(Block::new(number));
                number += 1;
            }
            first += WORD;
        }
        if let Some(last) = self.blocks.last_mut() {
            if let Some(branch) = branch {
                last.end(branch);
            }
            last.edge = TO;
        }
        number
    }
}

/// Blocks to walk: apart from the graph, through which each list would be looked up anew at every
/// step.
struct Blocks<'a> {
    blocks: &'a mut [Block],
    tables: &'a [Vec<u64>],
    starts: &'a [u64],
    before: &'a [u32],
}

impl Blocks<'_> {
    /// The number of the block that begins at an offset.
    #[inline]
    fn block_at(&self, offset: u32) -> u32 {
        let word = (offset / WORD) as usize;
        let below = self.starts[word] & ((1 << (offset % WORD)) - 1);
        self.before[word] + below.count_ones()
    }

    fn loops(&mut self) -> u64 {
        let mut loops = 0;
        for root in 0..self.blocks.len() {
            if self.blocks[root].state == State::New {
                loops += self.walk(short(root as u64));
            }
        }
        loops
    }

    /// Walks all that can be reached from a block and has not been, and gives the number of loops.
    #[inline]
    fn walk(&mut self, root: u32) -> u64 {
        let mut loops = 0;
        let mut at = root;
        self.blocks[root as usize].state = State::Open;
        loop {
            let block = &mut self.blocks[at as usize];
            let edge = block.edge;
            block.edge += 1;
            let next = match edge {
                ON => at + 1,
                TO if block.to != NOWHERE => {
                    let to = block.to;
                    self.block_at(to)
                }
                _ => {
                    // A jump through a table leads nowhere else.
                    let targets = self.tables.get(block.table as usize);
                    let to = targets.and_then(|targets| targets.get((edge - TO) as usize));
                    let Some(to) = to else {
                        block.state = State::Done;
                        if block.above == at {
                            return loops;
                        }
                        at = block.above;
                        continue;
                    };
                    self.block_at(short(*to))
                }
            };
            let other = &mut self.blocks[next as usize];
            match other.state {
                State::New => {
                    other.state = State::Open;
                    other.above = at;
                    at = next;
                }
                State::Open => {
                    other.state = State::OpenLoop;
                    loops += 1;
                }
                State::OpenLoop | State::Done => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
