//! A build staged for layouts: patched copies of its inputs in a tree, and the arguments that link them.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::LayoutError;
use crate::elf::Machine;
use crate::elf::archive::Archive;
use crate::elf::pad;
use crate::elf::patch::{Edits, Handle, patch};
use crate::elf::relocatable::{Block, Object};
use crate::link::argv::{self, Role, Word};
use crate::link::stage::{self, Tree};
use crate::link::{folder, lto, run};
use crate::recipe::{Lto, Recipe};
use crate::units::{Part, Place, Source, Units};

/// What a section of code is called where the linker sorts by name; digits follow.
pub(crate) const SORTED: &str = ".text.sorted.";
/// Digits behind it.
pub(crate) const DIGITS: usize = 7;

/// How inputs are patched.
#[derive(Clone, Copy, Default)]
pub(crate) struct Style<'g> {
    /// Sections of code get names that sort.
    pub(crate) sorted: bool,
    /// Data is kept in step too: it gets handles, mergeable constants go to sections of their own, empty sections lose their alignment.
    pub(crate) data: bool,
    /// New sizes and alignments of units of data.
    pub(crate) sizes: Option<&'g HashMap<u32, (u64, u64)>>,
}

/// A build staged.
pub(crate) struct Staged {
    tree: Tree,
    side: PathBuf,
    words: Vec<Word>,
    lto: Vec<PathBuf>,
    digits: Vec<Digits>,
}

/// The stretch of a staged file that holds the sortable names of one object.
struct Digits {
    file: PathBuf,
    at: u64,
    names: Vec<u8>,
    /// Where in `names` the digits of which unit are.
    spots: Vec<(usize, u32)>,
}

impl Staged {
    /// Stages a build under `root`.
    pub(crate) fn new(
        recipe: &Recipe,
        units: &Units,
        root: &Path,
        style: Style<'_>,
    ) -> Result<Staged, LayoutError> {
        let tree = Tree::new(&root.join("tree"), recipe)?;
        let side = folder(root, "side")?;
        stage::stage_stored(&tree, recipe)?;
        let written: Vec<(PathBuf, Vec<Digits>)> = units
            .sources
            .par_iter()
            .map(|source| write_source(recipe, &tree, &side, source, units.machine, style))
            .collect::<Result<_, LayoutError>>()?;
        write_thin(recipe, &tree, units)?;
        let mut words = argv::parse(&recipe.argv);
        stage::lead(&tree, recipe, &mut words, &side, Path::new("unset"))?;
        words.retain(|word| word.role != Role::SideOutput);
        let lto: Vec<PathBuf> = units
            .sources
            .iter()
            .zip(&written)
            .filter(|(source, _)| matches!(source.place, Place::Lto(_)))
            .map(|(_, (path, _))| path.clone())
            .collect();
        if matches!(recipe.lto, Some(Lto::Clang { .. })) {
            lto::replace_bitcode(&mut words, recipe, &tree, &lto);
        }
        let digits = written.into_iter().flat_map(|(_, digits)| digits).collect();
        Ok(Staged {
            tree,
            side,
            words,
            lto,
            digits,
        })
    }

    /// Gives each unit its place in the order by name; `position` says it.
    pub(crate) fn sort(&mut self, position: &HashMap<u32, usize>) -> Result<(), LayoutError> {
        self.digits.par_iter_mut().try_for_each(|digits| {
            for (at, unit) in &digits.spots {
                let place = position
                    .get(unit)
                    .map_or_else(|| "9".repeat(DIGITS), |place| format!("{place:0DIGITS$}"));
                digits.names[*at..*at + DIGITS].copy_from_slice(place.as_bytes());
            }
            let file = OpenOptions::new()
                .write(true)
                .open(&digits.file)
                .map_err(LayoutError::file("open", &digits.file))?;
            file.write_all_at(&digits.names, digits.at)
                .map_err(LayoutError::file("write", &digits.file))
        })
    }

    /// Links: `adapt` changes the arguments, which have `pads` in front and `output` set.
    pub(crate) fn link(
        &self,
        recipe: &Recipe,
        pads: &[PathBuf],
        output: &Path,
        what: &str,
        adapt: impl FnOnce(&mut Vec<Word>),
    ) -> Result<(), LayoutError> {
        let mut words: Vec<Word> = pads.iter().map(Word::input).collect();
        words.extend(self.words.iter().cloned());
        for word in words.iter_mut().filter(|word| word.role == Role::Output) {
            word.value = output.as_os_str().to_os_string();
        }
        if let Some(Lto::Gcc { .. }) = recipe.lto {
            lto::replay_gcc(&mut words, &self.lto, &self.side)?;
        }
        adapt(&mut words);
        run::run(
            recipe,
            &argv::render(&words),
            self.tree.cwd(),
            &self.side,
            what,
        )
    }
}

/// Writes the patched copy of one file; says where it is and where its names are.
fn write_source(
    recipe: &Recipe,
    tree: &Tree,
    side: &Path,
    source: &Source,
    machine: Machine,
    style: Style<'_>,
) -> Result<(PathBuf, Vec<Digits>), LayoutError> {
    let data = std::fs::read(&source.blob).map_err(LayoutError::file("read", &source.blob))?;
    let mut named = Vec::new();
    let bytes = match source.parts.as_slice() {
        [part] if part.entry.is_none() => {
            let (bytes, names) = patch_part(&data, part, machine, style)?;
            named.extend(names.map(|names| (0, names)));
            bytes
        }
        parts => {
            let file = parts
                .first()
                .map_or_else(String::new, |part| part.label.clone());
            let wrong = |problem| LayoutError::Object {
                file: file.clone(),
                problem,
            };
            let archive = Archive::parse(&data).map_err(wrong)?;
            let mut changed = HashMap::new();
            let mut names_of = Vec::new();
            for part in parts {
                let Some(entry) = part.entry else { continue };
                let (bytes, names) = patch_part(
                    &data[archive.entries[entry].content.clone()],
                    part,
                    machine,
                    style,
                )?;
                changed.insert(entry, bytes);
                names_of.extend(names.map(|names| (entry, names)));
            }
            let (bytes, starts) = archive.rewrite(&changed).map_err(wrong)?;
            named.extend(
                names_of
                    .into_iter()
                    .map(|(entry, names)| (starts[entry], names)),
            );
            bytes
        }
    };
    let file = match source.place {
        Place::Input(index) => tree.write(&recipe.inputs[index].given, &bytes)?,
        Place::Member(index, member) => {
            tree.write(&recipe.inputs[index].members[member].given, &bytes)?
        }
        Place::Lto(index) => {
            let path = side.join(format!("lto{index}.o"));
            std::fs::write(&path, &bytes).map_err(LayoutError::file("write", &path))?;
            path
        }
    };
    let digits = named.into_iter().map(|(start, (spots, range))| Digits {
        file: file.clone(),
        at: (start + range.start) as u64,
        names: bytes[start + range.start..start + range.end].to_vec(),
        spots,
    });
    let digits = digits.collect();
    Ok((file, digits))
}

/// Where the digits of which unit are, and the stretch of the object that holds them.
type Names = (Vec<(usize, u32)>, std::ops::Range<usize>);

fn patch_part(
    data: &[u8],
    part: &Part,
    machine: Machine,
    style: Style<'_>,
) -> Result<(Vec<u8>, Option<Names>), LayoutError> {
    let wrong = |problem: String| LayoutError::Object {
        file: part.label.clone(),
        problem,
    };
    if part.bitcode {
        // Its code is in the objects of link-time optimisation; an object without anything stands in its place in an archive.
        return Ok((pad::write(machine, &[]), None));
    }
    let object = Object::parse(data)
        .map_err(|error| wrong(error.to_string()))?
        .ok_or_else(|| wrong("changed while it was read".to_string()))?;
    let edits = edits(&object, part, style).map_err(|error| wrong(error.to_string()))?;
    let patched = patch(&object, &edits.0).map_err(wrong)?;
    let names: Vec<(usize, u32)> = edits
        .1
        .iter()
        .zip(&patched.names_at)
        .map(|(unit, at)| (at + SORTED.len(), *unit))
        .collect();
    let range = names
        .first()
        .zip(names.last())
        .map(|(first, last)| first.0..last.0 + DIGITS);
    let spots = range.map(|range| {
        (
            names
                .iter()
                .map(|(at, unit)| (at - range.start, *unit))
                .collect(),
            range,
        )
    });
    Ok((patched.bytes, spots))
}

/// The edits of one object, and the units that get sortable names, in the order of the first names.
fn edits(
    object: &Object<'_>,
    part: &Part,
    style: Style<'_>,
) -> Result<(Edits, Vec<u32>), object::Error> {
    let mut edits = Edits::default();
    let mut sorted = Vec::new();
    for (number, unit) in (part.first..).zip(&part.units) {
        let code = unit.block == Block::Text;
        if !code && !style.data {
            continue;
        }
        edits.handles.push(Handle {
            section: unit.index,
            name: handle(number),
            thread_local: unit.block.is_thread_local(),
        });
        if code && style.sorted {
            edits
                .names
                .push((unit.index, format!("{SORTED}{:0DIGITS$}", 0)));
            sorted.push(number);
        }
        if let Some((size, alignment)) = style.sizes.and_then(|sizes| sizes.get(&number)) {
            edits.sizes.push((unit.index, *size, *alignment));
        }
    }
    if style.data {
        edits.names.extend(
            object
                .mergeable()?
                .into_iter()
                .map(|section| (section.index, section.common_name)),
        );
        edits.loosened = object.empty()?;
    }
    Ok((edits, sorted))
}

/// The name of a unit's handle.
pub(crate) fn handle(number: u32) -> String {
    format!("pm.{number:0DIGITS$}")
}

/// Writes thin archives anew: the sizes of the members that they name have changed.
fn write_thin(recipe: &Recipe, tree: &Tree, units: &Units) -> Result<(), LayoutError> {
    for (index, input) in recipe.inputs.iter().enumerate() {
        if input.members.is_empty() {
            continue;
        }
        let wrong = |problem| LayoutError::Object {
            file: input.given.display().to_string(),
            problem,
        };
        let data = std::fs::read(&input.blob).map_err(LayoutError::file("read", &input.blob))?;
        let archive = Archive::parse(&data).map_err(wrong)?;
        let folder = input.given.parent().unwrap_or(Path::new(""));
        let mut sizes = HashMap::new();
        for (position, entry) in archive
            .entries
            .iter()
            .enumerate()
            .filter(|(_, entry)| entry.is_member())
        {
            let named = folder.join(OsStr::from_bytes(&entry.name));
            let Some(at) = input
                .members
                .iter()
                .position(|member| same_file(tree, &member.given, &named))
            else {
                continue;
            };
            let patched = units
                .sources
                .iter()
                .any(|source| source.place == Place::Member(index, at));
            if patched {
                let path = tree.place(&input.members[at].given)?;
                sizes.insert(
                    position,
                    std::fs::metadata(&path)
                        .map_err(LayoutError::file("look at", &path))?
                        .len(),
                );
            }
        }
        tree.write(&input.given, &archive.resize(&sizes).map_err(wrong)?)?;
    }
    Ok(())
}

fn same_file(tree: &Tree, one: &Path, other: &Path) -> bool {
    let real = |path: &Path| {
        tree.place(path)
            .ok()
            .and_then(|path| std::fs::canonicalize(path).ok())
    };
    real(one).is_some_and(|path| real(other) == Some(path))
}
