//! The units of a build: every section of every input that a layout moves or keeps in step,
//! numbered over the whole link.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use rayon::prelude::*;

use crate::LayoutError;
use crate::elf::Machine;
use crate::elf::archive::{Archive, is_archive};
use crate::elf::own::OwnSections;
use crate::elf::relocatable::{Object, Section, Symbols};
use crate::elf::said::describe_data;
use crate::labels::taken;
use crate::recipe::{InputKind, Lto, Recipe};
use crate::sources::{Part, Place, Source};

/// All units of a build.
#[derive(Clone, Debug)]
pub(crate) struct Units {
    pub(crate) sources: Vec<Source>,
    /// Where each unit is: source and part.
    owners: Vec<(usize, usize)>,
    pub(crate) machine: Machine,
    /// Symbols that inputs refer to and none defines: the linker's own, a script's, and those of
    /// shared libraries.
    pub(crate) edges: HashSet<Vec<u8>>,
    /// Names without a size that other inputs refer to, among data, and among code where they ask
    /// for the address: where something begins or ends that may reach over several inputs.
    pub(crate) labels: HashSet<Vec<u8>>,
    /// Of those, the ones with which something ends: nothing of their section stands behind them.
    pub(crate) ends: HashSet<Vec<u8>>,
    /// Common symbols, the largest of each name: bytes and alignment.
    pub(crate) commons: HashMap<Vec<u8>, (u64, u64)>,
    /// Units that a linker merges with others.
    pub(crate) merged: HashSet<u32>,
}

impl Units {
    /// Reads all inputs of a link.
    pub(crate) fn read(recipe: &Recipe) -> Result<Units, LayoutError> {
        let read: Vec<Read> = files(recipe)
            .into_par_iter()
            .map(|file| file.read(recipe))
            .collect::<Result<Vec<_>, LayoutError>>()?
            .into_iter()
            .flatten()
            .collect();
        let mut sources = Vec::with_capacity(read.len());
        let mut owners = Vec::new();
        let mut machine = None;
        let (mut edges, mut defined) = (HashSet::new(), HashSet::new());
        let (mut labels, mut code_labels) = (HashSet::new(), HashSet::new());
        let mut ends = HashSet::new();
        let mut commons: HashMap<Vec<u8>, (u64, u64)> = HashMap::new();
        for Read {
            mut source,
            machine: of,
            symbols,
        } in read
        {
            machine = machine.or(of);
            edges.extend(symbols.wanted);
            defined.extend(symbols.defined);
            labels.extend(symbols.labels);
            code_labels.extend(symbols.code_labels);
            ends.extend(symbols.ends);
            for (name, (size, alignment)) in symbols.commons {
                let known = commons.entry(name).or_default();
                *known = (known.0.max(size), known.1.max(alignment));
            }
            for (index, part) in source.parts.iter_mut().enumerate() {
                part.first = u32::try_from(owners.len()).unwrap_or(u32::MAX);
                owners.extend(std::iter::repeat_n(
                    (sources.len(), index),
                    part.units.len(),
                ));
            }
            sources.push(source);
        }
        let machine = machine.ok_or_else(|| unsupported(recipe, "no input is a 64-bit little-endian ELF object for x86-64 or AArch64, the machines whose linkers keep the size of a section"))?;
        labels.retain(|name| edges.contains(name));
        code_labels.retain(|name| edges.contains(name));
        labels.extend(taken(&sources, &code_labels)?);
        ends.retain(|name| labels.contains(name));
        edges.retain(|name| !defined.contains(name));
        let parts = sources.iter().flat_map(|source| &source.parts);
        let units = parts.flat_map(|part| (part.first..).zip(&part.units));
        let merged = units.filter(|(_, unit)| unit.merged);
        Ok(Units {
            merged: merged.map(|(number, _)| number).collect(),
            sources,
            owners,
            machine,
            edges,
            labels,
            ends,
            commons,
        })
    }

    /// Kinds of sections with names of their own that are in the image, with the largest alignment
    /// of each in bytes.
    pub(crate) fn own_sections(&self, live: &Live) -> BTreeMap<OwnSections, u64> {
        let mut found = BTreeMap::new();
        for source in &self.sources {
            let linked = source.parts.iter();
            for part in linked.filter(|part| is_linked(source, part, live)) {
                for (kind, alignment) in &part.own_sections {
                    let known = found.entry(*kind).or_insert(1);
                    *known = (*alignment).max(*known);
                }
            }
        }
        found
    }

    /// How many units there are; their numbers are below.
    pub(crate) fn count(&self) -> usize {
        self.owners.len()
    }

    /// The file and the object that hold a unit.
    pub(crate) fn home(&self, number: u32) -> (&Source, &Part) {
        let (source, part) = self.owners[number as usize];
        (&self.sources[source], &self.sources[source].parts[part])
    }

    /// The file that holds a unit, as an index, and the member of an archive.
    pub(crate) fn part(&self, number: u32) -> (usize, Option<usize>) {
        let (source, part) = self.owners[number as usize];
        (source, self.sources[source].parts[part].entry)
    }

    /// Whether other units have the same sections in the same places, but for one's size.
    pub(crate) fn same_but_for(&self, other: &Units, unit: u32) -> bool {
        let same = |number: u32| {
            let (one, two) = (self.unit(number).0, other.unit(number).0);
            let size = if number == unit { two.size } else { one.size };
            // What is aligned within it is no longer aligned.
            let alignment = if number == unit {
                two.alignment
            } else {
                one.alignment
            };
            let expected = Section {
                size,
                alignment,
                ..one.clone()
            };
            *two == expected
        };
        let count = u32::try_from(self.count()).unwrap_or(u32::MAX);
        self.count() == other.count() && self.owners == other.owners && (0..count).all(same)
    }

    /// A unit by its number.
    pub(crate) fn unit(&self, number: u32) -> (&Section, &Part) {
        let (source, part) = self.owners[number as usize];
        let part = &self.sources[source].parts[part];
        (&part.units[(number - part.first) as usize], part)
    }
}

pub(crate) fn unsupported(recipe: &Recipe, why: &str) -> LayoutError {
    LayoutError::Unsupported {
        linker: recipe.linker.kind,
        version: recipe.linker.version.clone(),
        why: why.to_string(),
    }
}

/// What is read of a file.
struct Read {
    source: Source,
    machine: Option<Machine>,
    symbols: Symbols,
}

struct File<'r> {
    place: Place,
    blob: &'r Path,
    label: String,
}

/// The files of a link that may hold units.
fn files(recipe: &Recipe) -> Vec<File<'_>> {
    let label = |given: &Path| {
        given
            .strip_prefix(&recipe.cwd)
            .unwrap_or(given)
            .to_string_lossy()
            .into_owned()
    };
    let mut files = Vec::new();
    for (index, input) in recipe.inputs.iter().enumerate() {
        match input.kind {
            InputKind::Object | InputKind::Archive | InputKind::Bitcode | InputKind::GccLto => {
                files.push(File {
                    place: Place::Input(index),
                    blob: &input.blob,
                    label: label(&input.given),
                });
            }
            InputKind::ThinArchive => {
                files.extend(input.members.iter().enumerate().map(|(at, member)| File {
                    place: Place::Member(index, at),
                    blob: &member.blob,
                    label: label(&member.given),
                }));
            }
            InputKind::SharedLibrary | InputKind::Script | InputKind::Other => {}
        }
    }
    let (Some(Lto::Gcc { objects }) | Some(Lto::Clang { objects })) = &recipe.lto else {
        return files;
    };
    files.extend(objects.iter().enumerate().map(|(index, blob)| File {
        place: Place::Lto(index),
        blob,
        label: "link-time optimisation".to_string(),
    }));
    files
}

impl File<'_> {
    fn read(&self, recipe: &Recipe) -> Result<Option<Read>, LayoutError> {
        let data = std::fs::read(self.blob).map_err(LayoutError::file("read", self.blob))?;
        let mut machine = None;
        let mut symbols = Symbols::default();
        let mut parts = Vec::new();
        if is_archive(&data) {
            let archive = Archive::parse(&data).map_err(|problem| LayoutError::Object {
                file: self.label.clone(),
                problem,
            })?;
            for (position, entry) in archive
                .entries
                .iter()
                .enumerate()
                .filter(|(_, entry)| entry.is_member())
            {
                let label = format!("{}({})", self.label, String::from_utf8_lossy(&entry.name));
                parts.extend(part(
                    recipe,
                    &data[entry.content.clone()],
                    Some(position),
                    label,
                    (&mut machine, &mut symbols),
                )?);
            }
        } else {
            let found = (&mut machine, &mut symbols);
            parts.extend(part(recipe, &data, None, self.label.clone(), found)?);
        }
        Ok((!parts.is_empty()).then(|| Read {
            source: Source {
                place: self.place,
                blob: self.blob.to_path_buf(),
                parts,
            },
            machine,
            symbols,
        }))
    }
}

fn part(
    recipe: &Recipe,
    data: &[u8],
    entry: Option<usize>,
    label: String,
    (machine, symbols): (&mut Option<Machine>, &mut Symbols),
) -> Result<Option<Part>, LayoutError> {
    let bitcode = matches!(recipe.lto, Some(Lto::Clang { .. })) && is_bitcode(data);
    if bitcode {
        return Ok(Some(Part {
            entry,
            label,
            first: 0,
            units: Vec::new(),
            own_sections: BTreeMap::new(),
            bitcode,
        }));
    }
    let damaged = |error: object::Error| LayoutError::Object {
        file: label.clone(),
        problem: format!("{error}; build it again"),
    };
    let Some(object) = Object::parse(data).map_err(damaged)? else {
        return Ok(None);
    };
    let replaced = object.gcc_lto && matches!(recipe.lto, Some(Lto::Gcc { .. }));
    if object.machine.is_none() || replaced {
        return Ok(None);
    }
    *machine = object.machine;
    let mut units = object.units().map_err(damaged)?;
    describe_data(&object, &mut units).map_err(damaged)?;
    object.add_symbols(symbols).map_err(damaged)?;
    let own_sections = object.own_sections().map_err(damaged)?;
    Ok(Some(Part {
        entry,
        label,
        first: 0,
        units,
        own_sections,
        bitcode,
    }))
}

/// Whether this is LLVM bitcode, bare or wrapped.
fn is_bitcode(data: &[u8]) -> bool {
    data.starts_with(b"BC\xc0\xde") || data.starts_with(&0x0b17_c0de_u32.to_le_bytes())
}

/// Whether an object is in the image: by what of it is there. One with nothing else than sections
/// with names of their own is, where no archive holds it.
pub(crate) fn is_linked(source: &Source, part: &Part, live: &Live) -> bool {
    let given = part.entry.is_none() && !matches!(source.place, Place::Member(..));
    let mut numbers = (part.first..).zip(&part.units);
    numbers.any(|(unit, _)| live.contains_key(&unit)) || (given && part.units.is_empty())
}

/// Units of one build that are in its image, with their addresses there.
pub(crate) type Live = HashMap<u32, u64>;
