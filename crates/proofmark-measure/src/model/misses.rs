//! What the model counts.

/// Counts of a run, or of a part of it. All are simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Misses {
    /// Instructions.
    pub instructions: u64,
    /// Reads of data.
    pub reads: u64,
    /// Writes of data.
    pub writes: u64,
    /// Reads of instructions that the first level did not hold.
    pub i1: u64,
    /// Reads of data that the first level did not hold.
    pub d1_reads: u64,
    /// Writes of data that the first level did not hold.
    pub d1_writes: u64,
    /// Reads of instructions that the last level did not hold either.
    pub ll_instructions: u64,
    /// Reads of data that the last level did not hold either.
    pub ll_reads: u64,
    /// Writes of data that the last level did not hold either.
    pub ll_writes: u64,
    /// Conditional branches.
    pub conditional: u64,
    /// Conditional branches that were not foreseen.
    pub conditional_missed: u64,
    /// Indirect branches.
    pub indirect: u64,
    /// Indirect branches of which the target was not foreseen.
    pub indirect_missed: u64,
}

impl Misses {
    /// Accesses of data that the first level did not hold.
    #[must_use]
    pub fn d1(&self) -> u64 {
        self.d1_reads + self.d1_writes
    }

    /// Accesses that the last level did not hold.
    #[must_use]
    pub fn ll(&self) -> u64 {
        self.ll_instructions + self.ll_reads + self.ll_writes
    }

    /// Branches of both kinds.
    #[must_use]
    pub fn branches(&self) -> u64 {
        self.conditional + self.indirect
    }

    /// Branches of both kinds that were not foreseen.
    #[must_use]
    pub fn branches_missed(&self) -> u64 {
        self.conditional_missed + self.indirect_missed
    }

    /// Adds other counts.
    pub fn add(&mut self, more: &Misses) {
        let mut more = *more;
        for (_, field) in FIELDS {
            *field(self) += *field(&mut more);
        }
    }
}

/// Where a count stands.
pub(super) type Field = fn(&mut Misses) -> &mut u64;

/// The events of callgrind (its manual, section "Cache and branch simulation"), and the counts that
/// they are.
pub(super) const FIELDS: [(&str, Field); 13] = [
    ("Ir", |m| &mut m.instructions),
    ("Dr", |m| &mut m.reads),
    ("Dw", |m| &mut m.writes),
    ("I1mr", |m| &mut m.i1),
    ("D1mr", |m| &mut m.d1_reads),
    ("D1mw", |m| &mut m.d1_writes),
    ("ILmr", |m| &mut m.ll_instructions),
    ("DLmr", |m| &mut m.ll_reads),
    ("DLmw", |m| &mut m.ll_writes),
    ("Bc", |m| &mut m.conditional),
    ("Bcm", |m| &mut m.conditional_missed),
    ("Bi", |m| &mut m.indirect),
    ("Bim", |m| &mut m.indirect_missed),
];
