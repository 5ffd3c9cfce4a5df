//! Which unit of one build is which unit of another: by name, because functions move between
//! objects (codegen units, partitions of link-time optimisation), and by place where names do not
//! tell. Data without a lasting name is told by its content, and then by its size.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::elf::block::Block;
use crate::name::{constant_name, normalised, object_name, static_name};
use crate::units::Units;

/// What is asked of a unit to find its like.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    pub(crate) block: Block,
    /// The symbol at its lowest offset.
    pub(crate) symbol: Option<String>,
    pub(crate) section: String,
    /// The object that it is in.
    pub(crate) label: String,
    /// Bytes.
    pub(crate) size: u64,
    /// What it says, of data.
    pub(crate) content: Option<blake3::Hash>,
    /// A linker merges it with others.
    pub(crate) merged: bool,
}

impl Identity {
    /// Of a unit of a build.
    pub(crate) fn of(units: &Units, number: u32) -> Identity {
        let (unit, part) = units.unit(number);
        Identity {
            block: unit.block,
            symbol: unit.symbol.clone(),
            section: unit.name.clone(),
            label: part.label.clone(),
            size: unit.size,
            content: unit.content,
            merged: unit.merged,
        }
    }

    /// What people would call it.
    pub(crate) fn name(&self) -> Cow<'_, str> {
        match &self.symbol {
            Some(symbol) if !self.whole() => normalised(symbol),
            _ => Cow::Owned(format!("{} of {}", self.section, self.label)),
        }
    }

    /// A section that holds all of an object's code or data of one kind: the object names it better
    /// than its first symbol does.
    fn whole(&self) -> bool {
        self.merged || self.section == self.block.section_name()
    }

    /// Data whose name is a number, which changes with whatever stands before it in the source:
    /// rustc's constants, and gcc's local statics.
    fn numbered(&self) -> bool {
        match &self.symbol {
            Some(symbol) => static_name(symbol) != symbol,
            None => !self.whole(),
        }
    }

    /// What stays of the symbol, or of the section, from build to build.
    fn lasting(&self) -> &str {
        match &self.symbol {
            Some(symbol) => static_name(symbol),
            None => constant_name(&self.section),
        }
    }

    /// A name of data that stays where those of its constants and objects change.
    pub(crate) fn lasting_name(&self) -> Cow<'_, str> {
        match &self.symbol {
            Some(symbol) if !self.whole() => normalised(static_name(symbol)),
            _ => Cow::Owned(format!(
                "{} of {}",
                constant_name(&self.section),
                object_name(&self.label)
            )),
        }
    }

    /// What two units must have in common to be taken for one, from the surest sign to the weakest.
    fn sign(&self, pass: usize) -> Option<[Cow<'_, str>; 3]> {
        let none = Cow::Borrowed("");
        let symbol = self.symbol.as_deref();
        let says = || match self.content {
            Some(content) => Some(content.to_hex().to_string().into()),
            // Of zeros there is nothing else to tell them by.
            None => self.block.is_zeroed().then(|| self.size.to_string().into()),
        };
        let is_data = self.block != Block::Text;
        Some(match pass {
            0 if is_data && self.numbered() => {
                [says()?, self.lasting().into(), object_name(&self.label)]
            }
            1 if is_data && self.numbered() => [says()?, self.lasting().into(), none],
            2 => [
                symbol.unwrap_or("").into(),
                self.label.as_str().into(),
                self.section.as_str().into(),
            ],
            3 if self.whole() || symbol.is_none() => [
                self.label.as_str().into(),
                self.section.as_str().into(),
                none,
            ],
            4 => [symbol?.into(), none.clone(), none],
            5 => [normalised(symbol?), self.label.as_str().into(), none],
            6 => [normalised(symbol?), none.clone(), none],
            // The names of objects change with their folder, with the version of a package, and
            // with each run where they are temporary files.
            7 if is_data && symbol.is_none() => [says()?, self.lasting().into(), none],
            8 if is_data && self.whole() => {
                [self.section.as_str().into(), object_name(&self.label), none]
            }
            9 if is_data => [
                self.lasting().into(),
                object_name(&self.label),
                self.size.to_string().into(),
            ],
            10 if is_data && symbol.is_none() => {
                [self.lasting().into(), none, self.size.to_string().into()]
            }
            _ => return None,
        })
    }
}

/// The units that two builds both have: one of the first, and its like in the second.
pub(crate) fn shared(units: &[Units; 2]) -> Vec<[u32; 2]> {
    let numbers = units
        .each_ref()
        .map(|units| 0..u32::try_from(units.count()).unwrap_or(u32::MAX));
    let identities: Vec<Vec<Identity>> = units
        .iter()
        .zip(numbers.clone())
        .map(|(units, numbers)| numbers.map(|unit| Identity::of(units, unit)).collect())
        .collect();
    let (rows, _) = pair(&identities);
    let [own, other] = numbers;
    let first: HashMap<usize, u32> = rows[0].iter().copied().zip(own).collect();
    let second = rows[1].iter().zip(other);
    second
        .filter_map(|(row, unit)| Some([*first.get(row)?, unit]))
        .collect()
}

const PASSES: usize = 11;

/// For each build, for each of its units, the row it shares with its like in other builds. Rows are
/// numbered from 0, those of the first build first and in its order.
pub(crate) fn pair(builds: &[Vec<Identity>]) -> (Vec<Vec<usize>>, usize) {
    let mut rows: Vec<&Identity> = Vec::new();
    let mut assigned = Vec::with_capacity(builds.len());
    for build in builds {
        let mut row_of: Vec<Option<usize>> = vec![None; build.len()];
        let mut taken: HashSet<usize> = HashSet::new();
        for pass in 0..PASSES {
            match_pass(&rows, build, pass, &mut row_of, &mut taken);
        }
        let numbers = build.iter().zip(row_of).map(|(identity, row)| {
            row.unwrap_or_else(|| {
                rows.push(identity);
                rows.len() - 1
            })
        });
        assigned.push(numbers.collect());
    }
    (assigned, rows.len())
}

/// Units that share a sign are paired in their order.
fn match_pass(
    rows: &[&Identity],
    build: &[Identity],
    pass: usize,
    row_of: &mut [Option<usize>],
    taken: &mut HashSet<usize>,
) {
    let mut free: HashMap<(Block, [Cow<'_, str>; 3]), std::collections::VecDeque<usize>> =
        HashMap::new();
    for (number, row) in rows
        .iter()
        .enumerate()
        .filter(|(number, _)| !taken.contains(number))
    {
        if let Some(sign) = row.sign(pass) {
            free.entry((row.block, sign)).or_default().push_back(number);
        }
    }
    for (identity, row) in build.iter().zip(row_of).filter(|(_, row)| row.is_none()) {
        let Some(sign) = identity.sign(pass) else {
            continue;
        };
        if let Some(number) = free
            .get_mut(&(identity.block, sign))
            .and_then(std::collections::VecDeque::pop_front)
        {
            *row = Some(number);
            taken.insert(number);
        }
    }
}

/// The names of rows so that no two are equal: rows of one name get numbers in their order.
pub(crate) fn keys<'i>(names: impl Iterator<Item = Cow<'i, str>>) -> Vec<String> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    names
        .map(|name| {
            let name = name.into_owned();
            let count = seen.entry(name.clone()).or_insert(0);
            *count += 1;
            if *count == 1 {
                name
            } else {
                format!("{name}#{count}")
            }
        })
        .collect()
}

/// The rows in one order for all builds: the first build's, with what only others have behind what
/// precedes it there.
pub(crate) fn merge(orders: &[Vec<usize>]) -> Vec<usize> {
    let mut merged: Vec<usize> = Vec::new();
    for order in orders {
        let known: HashSet<usize> = merged.iter().copied().collect();
        let mut behind: HashMap<Option<usize>, Vec<usize>> = HashMap::new();
        let mut anchor = None;
        for row in order {
            if known.contains(row) {
                anchor = Some(*row);
            } else {
                behind.entry(anchor).or_default().push(*row);
            }
        }
        let mut next = behind.remove(&None).unwrap_or_default();
        for row in merged {
            next.push(row);
            next.extend(behind.remove(&Some(row)).unwrap_or_default());
        }
        merged = next;
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(symbol: &str, label: &str) -> Identity {
        let section = if symbol.is_empty() {
            ".text".to_string()
        } else {
            format!(".text.{symbol}")
        };
        Identity {
            block: Block::Text,
            symbol: (!symbol.is_empty()).then(|| symbol.to_string()),
            section,
            label: label.to_string(),
            size: 1,
            content: None,
            merged: false,
        }
    }

    fn datum(symbol: &str, section: &str, label: &str, size: u64) -> Identity {
        Identity {
            block: Block::Rodata,
            section: section.to_owned(),
            size,
            ..unit(symbol, label)
        }
    }

    /// Another version of a package, another folder, a temporary object, and a static before it.
    #[test]
    fn data_without_a_lasting_name_is_told_by_what_lasts() {
        let [one, two] = ["0123456789abcdef", "fedcba9876543210"];
        let rust = |hash: &str, size| {
            datum(
                "",
                &format!(".rodata..Lanon.{hash}.{size}"),
                &format!("/w/deps/prog-{hash}.prog.{hash}-cgu.0.rcgu.o"),
                size,
            )
        };
        let base = vec![
            rust(one, 5),
            rust(one, 4096),
            datum("", ".rodata", "out.base/table.o", 64),
            datum("", ".rodata.cst16", "/tmp/ccAbCdEf.o", 16),
            datum("t.0", ".rodata.t.0", "a.o", 512),
        ];
        let new = vec![
            datum("n.0", ".rodata.n.0", "a.o", 4),
            datum("t.1", ".rodata.t.1", "a.o", 512),
            datum("", ".rodata.cst16", "/tmp/ccGhIjKl.o", 16),
            datum("", ".rodata", "out.new/table.o", 64),
            rust(two, 4096),
            rust(two, 6),
        ];
        let (rows, count) = pair(&[base, new]);
        // A string of another length is another datum.
        assert_eq!((rows[1].clone(), count), (vec![5, 4, 3, 2, 1, 6], 7));
    }

    /// A constant and a static more, of the size of the others, and each number is another one.
    #[test]
    fn numbered_data_is_told_by_what_it_says() {
        let says = |text: &str, symbol: &str, number: u32| Identity {
            content: Some(blake3::hash(text.as_bytes())),
            ..datum(
                if symbol.is_empty() { "" } else { symbol },
                &if symbol.is_empty() {
                    format!(".rodata..Lanon.0123456789abcdef.{number}")
                } else {
                    format!(".rodata.{symbol}")
                },
                "a.o",
                64,
            )
        };
        let base = vec![
            says("one", "", 0),
            says("two", "", 1),
            says("three", "t.0", 0),
            says("four", "t.1", 0),
            says("five", "", 2),
        ];
        let new = vec![
            says("zero", "", 0),
            says("one", "", 1),
            says("two", "", 2),
            says("none", "t.0", 0),
            says("three", "t.1", 0),
            says("four", "t.2", 0),
            says("six", "", 3),
        ];
        let (rows, count) = pair(&[base, new]);
        // What says something else takes what is left, by name and then by place.
        assert_eq!((rows[1].clone(), count), (vec![4, 0, 1, 5, 2, 3, 6], 7));
    }

    /// A static of nothing but zeros more, in front of the others.
    #[test]
    fn numbered_zeros_are_told_by_their_size() {
        let zeros = |symbol: &str, size| Identity {
            block: Block::Bss,
            ..datum(symbol, &format!(".bss.{symbol}"), "a.o", size)
        };
        let base = vec![zeros("buffer.0", 64), zeros("buffer.1", 4096)];
        let new = vec![
            zeros("buffer.0", 8),
            zeros("buffer.1", 64),
            zeros("buffer.2", 4096),
        ];
        assert_eq!(pair(&[base, new]).0[1], [2, 0, 1]);
    }

    /// A longer message, in another folder.
    #[test]
    fn the_texts_of_an_object_are_told_by_it() {
        let texts = |label: &str, size| Identity {
            merged: true,
            content: Some(blake3::hash(label.as_bytes())),
            ..datum("", ".rodata.str1.1", label, size)
        };
        let base = vec![texts("out.base/a.o", 40), texts("out.base/b.o", 48)];
        let new = vec![texts("out.new/b.o", 56), texts("out.new/a.o", 48)];
        assert_eq!(pair(&[base, new]), (vec![vec![0, 1], vec![1, 0]], 2));
    }

    #[test]
    fn a_function_that_moved_to_another_object_is_the_same() {
        let (rows, count) = pair(&[
            vec![unit("f", "a.o"), unit("g", "a.o")],
            vec![unit("g", "b.o"), unit("f", "a.o")],
        ]);
        assert_eq!((rows, count), (vec![vec![0, 1], vec![1, 0]], 2));
    }

    #[test]
    fn statics_of_one_name_are_told_apart_by_their_objects() {
        let base = vec![
            unit("helper", "a.o"),
            unit("helper", "b.o"),
            unit("helper", "c.o"),
        ];
        let new = vec![
            unit("helper", "a.o"),
            unit("helper", "added.o"),
            unit("helper", "b.o"),
            unit("helper", "c.o"),
        ];
        let (rows, count) = pair(&[base.clone(), new]);
        assert_eq!((rows[1].clone(), count), (vec![0, 3, 1, 2], 4));
        assert_eq!(
            keys(base.iter().map(Identity::name)),
            ["helper", "helper#2", "helper#3"]
        );
    }

    #[test]
    fn hashes_and_clone_numbers_do_not_part_what_belongs_together() {
        let base = vec![
            unit("_ZN1a1b17h0123456789abcdefE", "x"),
            unit("f.constprop.0", "x"),
            unit("", "asm.o"),
        ];
        let new = vec![
            unit("f.constprop.1", "y"),
            unit("_ZN1a1b17hfedcba9876543210E", "y"),
            unit("", "asm.o"),
        ];
        assert_eq!(pair(&[base, new]).0[1], [1, 0, 2]);
    }

    #[test]
    fn what_only_one_build_has_follows_what_precedes_it_there() {
        assert_eq!(
            merge(&[vec![0, 1, 2], vec![3, 0, 4, 5, 2, 1, 6]]),
            [3, 0, 4, 5, 1, 6, 2]
        );
        assert_eq!(merge(&[vec![], vec![1, 0]]), [1, 0]);
    }
}
