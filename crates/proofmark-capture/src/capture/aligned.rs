//! Whether a second object is aligned as its first one is.
//!
//! Which function asked for an alignment is not told in an object without function sections: there
//! the section as a whole has the most of it. So has a section of each kind in the second object.

use std::collections::BTreeMap;

use object::{Object, ObjectSection, SectionFlags, elf};

/// The kind of section, by name, that is aligned to less in the second object: with the bytes there
/// and in the first.
pub(super) fn lost(own: &[u8], second: &[u8]) -> Option<(String, [u64; 2])> {
    less(alignments(own)?, &alignments(second)?)
}

fn less(own: BTreeMap<String, u64>, second: &BTreeMap<String, u64>) -> Option<(String, [u64; 2])> {
    own.into_iter().find_map(|(kind, own)| {
        let other = second.get(&kind).copied().filter(|other| *other < own)?;
        Some((kind, [other, own]))
    })
}

/// The largest alignment among the sections of each kind, in bytes: `.text.f` is of the kind
/// `.text`. `None` when it is no object that can be read.
fn alignments(object: &[u8]) -> Option<BTreeMap<String, u64>> {
    let file = object::File::parse(object).ok()?;
    let mut found = BTreeMap::new();
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            continue;
        };
        if sh_flags.0 & elf::SHF_ALLOC.0 == 0 || section.size() == 0 {
            continue;
        }
        let kind = kind(section.name().unwrap_or_default());
        let most: &mut u64 = found.entry(kind).or_default();
        *most = section.align().max(*most);
    }
    Some(found)
}

/// What all sections are of whose names begin with the same word.
fn kind(name: &str) -> String {
    let word = name.split('.').nth(1);
    word.map_or_else(|| name.to_owned(), |word| format!(".{word}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_of_a_kind_stays() {
        let of = |all: &[(&str, u64)]| -> BTreeMap<String, u64> {
            let all = all.iter();
            all.map(|(name, align)| (kind(name), *align)).collect()
        };
        let own = || of(&[(".text", 64), (".data", 32), ("set", 8)]);
        let same = of(&[(".text.g", 64), (".data", 32), ("set", 8)]);
        assert_eq!(less(own(), &same), None);
        let other = of(&[(".text.g", 16), (".data", 32), ("set", 8)]);
        assert_eq!(less(own(), &other), Some((".text".to_owned(), [16, 64])));
    }
}
