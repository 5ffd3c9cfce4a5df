//! Pointers that the dynamic linker writes into an image.

use super::bytes::Stretch;

/// How to find the value of a slot among a format's entries, which are in order of slots.
type Find = fn(entries: &[u8], slot: u64) -> Option<u64>;

/// Slots and the values that they will hold, in runs: a linker writes relocations of one kind in
/// order, and to merge tens of thousands of one kind with those of another takes longer than to
/// look for a slot in each.
#[derive(Debug, Default)]
pub(crate) struct Pointers {
    runs: Vec<Run>,
}

/// Pointers in order of slots.
#[derive(Debug)]
enum Run {
    /// Each a slot and a value.
    Listed(Vec<(u64, u64)>),
    /// Where the file has them, as its format writes them.
    InFile(Stretch, Find),
}

impl Pointers {
    /// Adds a run, in any order. What a slot has from an earlier one stays.
    pub(crate) fn add(&mut self, mut run: Vec<(u64, u64)>) {
        run.sort_unstable();
        run.dedup_by_key(|p| p.0);
        if !run.is_empty() {
            self.runs.push(Run::Listed(run));
        }
    }

    /// Adds a run that stays in the file.
    pub(crate) fn add_in_file(&mut self, entries: Stretch, find: Find) {
        self.runs.push(Run::InFile(entries, find));
    }

    /// The value that a slot will hold.
    pub(crate) fn at(&self, slot: u64) -> Option<u64> {
        self.runs.iter().find_map(|run| match run {
            Run::Listed(list) => {
                let found = list.binary_search_by_key(&slot, |p| p.0).ok()?;
                Some(list[found].1)
            }
            Run::InFile(entries, find) => find(entries, slot),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_slot_holds_is_found_in_the_file_and_in_lists() {
        let find: Find = |entries, slot| {
            let found = entries.iter().position(|entry| u64::from(*entry) == slot)?;
            Some(100 * (found as u64 + 1))
        };
        let mut pointers = Pointers::default();
        pointers.add_in_file(Stretch::owned(vec![16, 24, 48]), find);
        pointers.add(vec![(40, 5), (24, 6), (8, 4)]);
        let found = [8, 16, 24, 32, 40, 48, 56].map(|slot| pointers.at(slot));
        let expected = [
            Some(4),
            Some(100),
            Some(200),
            None,
            Some(5),
            Some(300),
            None,
        ];
        assert_eq!(found, expected, "what comes first stays");
    }
}
