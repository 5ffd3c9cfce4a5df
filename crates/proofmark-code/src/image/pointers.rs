//! Pointers that the dynamic linker writes into an image.

use object::LittleEndian;
use object::elf::Rela64;
use object::read::elf::Rela;

use super::Stretch;

type Entry = Rela64<LittleEndian>;

/// Slots and the values that they will hold, in runs: a linker writes relocations of one kind in order, and to merge tens of thousands
/// of one kind with those of another takes longer than to look for a slot in each.
#[derive(Debug, Default)]
pub(crate) struct Pointers {
    runs: Vec<Run>,
}

/// Pointers in order of slots.
#[derive(Debug)]
enum Run {
    /// Each a slot and a value.
    Listed(Vec<(u64, u64)>),
    /// Where the file has them: relocations whose addend is the value.
    InFile(Stretch),
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

    /// Adds relocations that are in order of slots, no two of the same.
    pub(crate) fn add_relocations(&mut self, entries: Stretch) {
        self.runs.push(Run::InFile(entries));
    }

    /// The value that a slot will hold.
    pub(crate) fn at(&self, slot: u64) -> Option<u64> {
        self.runs.iter().find_map(|run| match run {
            Run::Listed(list) => {
                let found = list.binary_search_by_key(&slot, |p| p.0).ok()?;
                Some(list[found].1)
            }
            Run::InFile(entries) => {
                let count = entries.len() / size_of::<Entry>();
                let (entries, _) = object::slice_from_bytes::<Entry>(entries, count).ok()?;
                let found = entries.binary_search_by_key(&slot, |e| e.r_offset(LittleEndian));
                Some(entries[found.ok()?].r_addend(LittleEndian).cast_unsigned())
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_slot_holds_is_found_in_the_file_and_in_lists() {
        let entry = |slot: u64, addend: u64| [slot, 8, addend].map(u64::to_le_bytes).concat();
        let entries = [entry(16, 100), entry(24, 200), entry(48, 300)].concat();
        let mut pointers = Pointers::default();
        pointers.add_relocations(Stretch::owned(entries));
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
