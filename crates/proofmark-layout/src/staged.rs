//! A build staged for layouts: patched copies of its inputs in a tree, and the arguments that link
//! them.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use crate::LayoutError;
use crate::elf::Machine;
use crate::elf::archive::Archive;
use crate::elf::block::Block;
use crate::elf::pad;
use crate::elf::patch::{Edits, Handle, patch};
use crate::elf::relocatable::{Object, Section};
use crate::link::argv::{self, Role, Word};
use crate::link::stage::{self, Tree};
use crate::link::{folder, lto, run};
use crate::recipe::{Lto, Recipe};
use crate::shared_texts::SharedTexts;
use crate::sorted::{DIGITS, SORTED, handle};
use crate::sources::{Part, Place, Source};
use crate::strip::{Holds, Seat, Spot, Strip, Striped};
use crate::units::Units;

/// How inputs are patched.
#[derive(Clone, Copy, Default)]
pub(crate) struct Style<'g> {
    /// Sections of code get names that sort.
    pub(crate) sorted: bool,
    /// Sections of code have room behind them for a gap of up to `SLACK` bytes.
    pub(crate) slack: bool,
    /// Data is kept in step too: mergeable constants go to sections of their own, empty sections
    /// lose their alignment.
    pub(crate) data: bool,
    /// What is defined is taken, whatever other objects define.
    pub(crate) prevails: bool,
    /// Texts and constants are not merged: each object's stand with the other constants, and all
    /// references to a text lead to one copy of it. Otherwise they are left alone.
    pub(crate) unmerged: Option<&'g SharedTexts>,
    /// The linker makes one of equal constants of unlike alignments.
    pub(crate) across_alignments: bool,
    /// Units that keep their names, places and sizes.
    pub(crate) held: Option<&'g HashSet<u32>>,
    /// Units of data that a layout may enlarge: the most bytes that they take up, and their
    /// alignments.
    pub(crate) sizes: Option<&'g HashMap<u32, (u64, u64)>>,
    /// Units of code that get another alignment.
    pub(crate) loose: Option<&'g HashMap<u32, u64>>,
}

impl Style<'_> {
    fn holds(&self, unit: u32) -> bool {
        self.held.is_some_and(|held| held.contains(&unit))
    }
}

/// A build staged.
pub(crate) struct Staged {
    tree: Tree,
    side: PathBuf,
    words: Vec<Word>,
    lto: Vec<PathBuf>,
    striped: Vec<Striped>,
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
        let written: Vec<Striped> = units
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
            .map(|(_, striped)| striped.file.clone())
            .collect();
        if matches!(recipe.lto, Some(Lto::Clang { .. })) {
            lto::replace_bitcode(&mut words, recipe, &tree, &lto);
            words.splice(0..0, claims(units, &side)?.iter().map(Word::input));
        }
        Ok(Staged {
            tree,
            side,
            words,
            lto,
            striped: written,
        })
    }

    /// Writes into the copies what one layout decides.
    pub(crate) fn seat(&mut self, seats: &[Option<Seat>]) -> Result<(), LayoutError> {
        self.striped
            .par_iter_mut()
            .try_for_each(|file| file.set(seats))
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

/// Writes the patched copy of one file; says where it is and what in it layouts decide.
fn write_source(
    recipe: &Recipe,
    tree: &Tree,
    side: &Path,
    source: &Source,
    machine: Machine,
    style: Style<'_>,
) -> Result<Striped, LayoutError> {
    let data = std::fs::read(&source.blob).map_err(LayoutError::file("read", &source.blob))?;
    let (bytes, spots) = match source.parts.as_slice() {
        [part] if part.entry.is_none() => {
            let optimised = matches!(recipe.lto, Some(Lto::Clang { .. }))
                && matches!(source.place, Place::Lto(_));
            let style = Style {
                prevails: optimised,
                ..style
            };
            let (bytes, spots) = patch_part(&data, part, machine, style)?;
            (bytes, vec![spots])
        }
        parts => patch_archive(&data, parts, machine, style)?,
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
    let mut strips = Vec::new();
    for spots in spots {
        let (places, sizes) = spots
            .into_iter()
            .partition(|spot| spot.holds == Holds::Place);
        strips.extend(
            [places, sizes]
                .into_iter()
                .filter_map(|spots| Strip::of(&bytes, spots)),
        );
    }
    Ok(Striped { file, strips })
}

/// The archive with its members patched, and the spots of each member.
fn patch_archive(
    data: &[u8],
    parts: &[Part],
    machine: Machine,
    style: Style<'_>,
) -> Result<(Vec<u8>, Vec<Vec<Spot>>), LayoutError> {
    let file = parts
        .first()
        .map_or_else(String::new, |part| part.label.clone());
    let wrong = |problem| LayoutError::Object {
        file: file.clone(),
        problem,
    };
    let archive = Archive::parse(data).map_err(wrong)?;
    let mut changed = HashMap::new();
    let mut spots_of = Vec::new();
    for part in parts {
        let Some(entry) = part.entry else { continue };
        let (bytes, spots) = patch_part(
            &data[archive.entries[entry].content.clone()],
            part,
            machine,
            style,
        )?;
        changed.insert(entry, bytes);
        spots_of.push((entry, spots));
    }
    let (bytes, starts) = archive.rewrite(&changed).map_err(wrong)?;
    let shifted = |(entry, spots): (usize, Vec<Spot>)| {
        spots
            .into_iter()
            .map(|spot| Spot {
                at: spot.at + starts[entry],
                ..spot
            })
            .collect()
    };
    Ok((bytes, spots_of.into_iter().map(shifted).collect()))
}

fn patch_part(
    data: &[u8],
    part: &Part,
    machine: Machine,
    style: Style<'_>,
) -> Result<(Vec<u8>, Vec<Spot>), LayoutError> {
    let wrong = |problem: String| LayoutError::Object {
        file: part.label.clone(),
        problem,
    };
    if part.bitcode {
        // Its code is in the objects of link-time optimisation; an object without anything stands
        // in its place in an archive.
        return Ok((pad::write(machine, &[], pad::Manner::default()), Vec::new()));
    }
    let object = Object::parse(data)
        .map_err(|error| wrong(error.to_string()))?
        .ok_or_else(|| wrong("changed while it was read".to_string()))?;
    let edits = edits(&object, part, style).map_err(|error| wrong(error.to_string()))?;
    let patched = patch(&object, &edits).map_err(wrong)?;
    let code = || {
        (part.first..)
            .zip(&part.units)
            .filter(|(number, unit)| unit.block == Block::Text && !style.holds(*number))
    };
    let mut spots = Vec::new();
    if style.sorted {
        let names = code().zip(&patched.names_at);
        spots.extend(names.map(|((number, _), at)| Spot {
            at: at + SORTED.len(),
            unit: number,
            holds: Holds::Place,
        }));
    }
    if style.slack {
        spots.extend(code().map(|(number, unit)| Spot {
            at: patched.size_field(unit.index),
            unit: number,
            holds: Holds::Size(unit.size),
        }));
    }
    let enlarged = |(number, _): &(u32, &Section)| {
        let sizes = style.sizes.filter(|_| !style.holds(*number));
        sizes.is_some_and(|sizes| sizes.contains_key(number))
    };
    let data = (part.first..).zip(&part.units).filter(enlarged);
    spots.extend(data.map(|(number, unit)| Spot {
        at: patched.size_field(unit.index),
        unit: number,
        holds: Holds::Size(unit.size),
    }));
    Ok((patched.bytes, spots))
}

/// The edits of one object; sortable names come first and in the order of units.
fn edits(object: &Object<'_>, part: &Part, style: Style<'_>) -> Result<Edits, object::Error> {
    let mut edits = Edits {
        prevails: style.prevails,
        ..Edits::default()
    };
    if let Some(shared) = style.unmerged {
        edits.redirects = shared.redirects(object, part)?;
    }
    for (number, unit) in (part.first..).zip(&part.units) {
        if unit.merged && style.unmerged.is_none() {
            continue;
        }
        if unit.merged {
            edits.unmerged.push(unit.index);
        }
        edits.handles.push(Handle {
            section: unit.index,
            name: handle(number),
            thread_local: unit.block.is_thread_local(),
        });
        let code = unit.block == Block::Text;
        if style.holds(number) {
            continue;
        }
        if code && style.sorted {
            edits
                .names
                .push((unit.index, format!("{SORTED}{:0DIGITS$}", 0)));
        }
        if code && style.slack {
            edits.slack.push(unit.index);
        }
        if let Some((size, alignment)) = style.sizes.and_then(|sizes| sizes.get(&number)) {
            edits.sizes.push((unit.index, *size, *alignment));
        }
        if let Some(alignment) = style.loose.and_then(|loose| loose.get(&number)) {
            edits.alignments.push((unit.index, *alignment));
        }
    }
    if style.data {
        if style.unmerged.is_none() {
            let merged = object.mergeable(style.across_alignments)?.into_iter();
            let names = merged.map(|section| (section.index, section.common_name));
            edits.names.extend(names);
        }
        let empty = object.empty()?;
        edits
            .alignments
            .extend(empty.into_iter().map(|section| (section, 1)));
    }
    Ok(edits)
}

/// Of a function that link-time optimisation made and another object holds too, the linker takes
/// the one that it made, wherever it stands: objects that the compiler wrote itself lose what is
/// claimed here. None where it made no such function.
fn claims(units: &Units, side: &Path) -> Result<Option<PathBuf>, LayoutError> {
    let mut names = Vec::new();
    for source in &units.sources {
        if !matches!(source.place, Place::Lto(_)) {
            continue;
        }
        let data = std::fs::read(&source.blob).map_err(LayoutError::file("read", &source.blob))?;
        let wrong = |error: object::Error| LayoutError::Object {
            file: source.blob.display().to_string(),
            problem: error.to_string(),
        };
        if let Some(object) = Object::parse(&data).map_err(wrong)? {
            names.extend(object.group_names().map_err(wrong)?);
        }
    }
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Ok(None);
    }
    let path = side.join("claims.o");
    std::fs::write(&path, pad::claims(units.machine, &names))
        .map_err(LayoutError::file("write", &path))?;
    Ok(Some(path))
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
