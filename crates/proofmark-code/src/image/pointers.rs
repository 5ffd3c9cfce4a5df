//! Pointers that the dynamic linker writes into an image.

/// Slots and the values that they will hold, in runs: a linker writes relocations of one kind in order, and to merge tens of thousands
/// of one kind with those of another takes longer than to look for a slot in each.
#[derive(Debug, Default)]
pub(crate) struct Pointers {
    /// Each in order of slots: (slot, value).
    runs: Vec<Vec<(u64, u64)>>,
}

impl Pointers {
    /// Adds a run, in any order. What a slot has from an earlier one stays.
    pub(crate) fn add(&mut self, mut run: Vec<(u64, u64)>) {
        run.sort_unstable();
        run.dedup_by_key(|p| p.0);
        if !run.is_empty() {
            self.runs.push(run);
        }
    }

    /// The value that a slot will hold.
    pub(crate) fn at(&self, slot: u64) -> Option<u64> {
        self.runs.iter().find_map(|run| {
            let found = run.binary_search_by_key(&slot, |p| p.0).ok()?;
            Some(run[found].1)
        })
    }
}
