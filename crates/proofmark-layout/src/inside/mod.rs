//! Code moved within its function: the object is assembled again from its compiler's text, with
//! other padding where loops begin and jumps lead to.
//!
//! What the text is assembled to has to be the object that was captured, to the byte, before
//! anything in it is changed.

mod drawn;
mod find;
mod flow;
mod line;
mod region;
mod replaced;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use object::{Object as _, ObjectSection as _, ObjectSymbol as _, SectionFlags};

use crate::LayoutError;
use crate::assembly::Assembly;
use crate::elf::Machine;
use crate::elf::archive::Archive;
use crate::units::Units;
pub use drawn::Within;
use region::Region;
pub(crate) use replaced::replaced;
use text::{Edit, Text, mark};

/// Most bytes of an assembler's complaint that an error carries.
const SAID: usize = 1024;

/// Why an object has no text, and the next step.
const WITHOUT_TEXT: &str = "a compiler that assembles within itself (clang, rustc) leaves none, \
    and assembly by hand is left alone\n  \
    next: capture it again, built by gcc, or by clang with -fno-integrated-as -ffunction-sections";

/// A function whose code can be moved within it.
pub struct Inner {
    pub(crate) unit: u32,
    name: String,
    assembly: Assembly,
    text: Text,
    region: Region,
    points: Vec<Point>,
    pub(crate) shipped: Measured,
}

/// A place within a function where padding may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Bytes from the function's start to what stands behind the padding, as shipped.
    pub offset: u64,
    /// Bytes of padding as shipped.
    pub padding: u64,
    /// A loop begins there.
    pub is_head: bool,
    /// The code before it goes on to it, so that padding is run through.
    pub falls: bool,
}

/// What is measured of an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Measured {
    /// Bytes of the function's section.
    pub(crate) code: u64,
    /// Of each spot, the bytes from the function's start to its padding and to what stands behind.
    pub(crate) spots: Vec<[u64; 2]>,
    /// Bytes of unwinding information.
    pub(crate) unwinding: u64,
    /// Bytes of every other section that is loaded, by its index and name.
    others: BTreeMap<(usize, String), u64>,
}

impl Inner {
    /// The function of a unit, by its symbol. `scratch` is a folder for files of the assembler.
    ///
    /// # Errors
    /// [`LayoutError::Inside`] with the reason and the next step.
    pub(crate) fn new(
        units: &Units,
        unit: u32,
        (name, symbol): (&str, &str),
        texts: &[Assembly],
        scratch: &Path,
    ) -> Result<Inner, LayoutError> {
        let refused = |why: String| LayoutError::Inside {
            function: name.to_string(),
            why,
        };
        if units.machine != Machine::X86_64 {
            return Err(refused(
                "padding is made for x86-64 alone\n  next: leave --inside out, and its start moves"
                    .to_string(),
            ));
        }
        let object = object_of(units, unit)?;
        let label = &units.unit(unit).1.label;
        let assembly = known(texts, &object, label).map_err(refused)?.clone();
        let whole = String::from_utf8(assembly.text()?)
            .map_err(|_| refused(format!("the assembler text of {label} is no UTF-8")))?;
        let text = Text::new(&whole);
        let region = text.region(symbol).ok_or_else(|| {
            refused(format!(
                "the assembler text of {label} has no function {symbol} that ends with its size"
            ))
        })?;
        let mut inner = Inner {
            unit,
            name: name.to_string(),
            assembly,
            text,
            region,
            points: Vec::new(),
            shipped: Measured::default(),
        };
        let again = assemble(&inner.assembly, &whole, scratch)?;
        if again != object {
            return Err(refused(format!(
                "what its text is assembled to is another object than {label}: the assembler or a \
                 file that the text includes has changed\n  next: capture the build again"
            )));
        }
        inner.measure(&object, scratch)?;
        Ok(inner)
    }

    /// Looks where everything is as shipped, and whether it is there too when the directives of
    /// alignment are replaced by what they came to.
    fn measure(&mut self, object: &[u8], scratch: &Path) -> Result<(), LayoutError> {
        let marked = self.edited(None, 0, true, scratch)?;
        self.shipped = self.look(&marked)?;
        let plain = self.look(object)?;
        if plain.code != self.shipped.code || plain.others != self.shipped.others {
            return Err(self.refused("the assembler makes other code of it where labels are added"));
        }
        let pads = self.pads();
        let frozen = self.look(&self.edited(Some(pads), 0, true, scratch)?)?;
        if frozen != self.shipped {
            return Err(self.refused("its padding cannot be given in bytes"));
        }
        let spots = self.region.spots.iter().zip(&self.shipped.spots);
        self.points = spots
            .map(|(spot, [before, behind])| Point {
                offset: *behind,
                padding: behind - before,
                is_head: spot.is_head,
                falls: spot.falls,
            })
            .collect();
        Ok(())
    }

    /// Places for padding, in the order of addresses as shipped.
    #[must_use]
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Bytes of padding at each point as shipped.
    pub(crate) fn pads(&self) -> Vec<u64> {
        let spots = self.shipped.spots.iter();
        spots.map(|[before, behind]| behind - before).collect()
    }

    /// Whether its unwinding information can be made longer.
    pub(crate) fn unwinds(&self) -> bool {
        self.region.unwinds()
    }

    /// The object with other padding, and so many bytes more of unwinding information that mean
    /// nothing; `marked` ones can be measured, and are not to be linked.
    pub(crate) fn edited(
        &self,
        pads: Option<Vec<u64>>,
        unwinding: u64,
        marked: bool,
        scratch: &Path,
    ) -> Result<Vec<u8>, LayoutError> {
        let edit = Edit {
            pads,
            unwinding,
            marked,
        };
        assemble(
            &self.assembly,
            &self.text.with(&[(&self.region, &edit)]),
            scratch,
        )
    }

    /// Measures an object that was made here.
    pub(crate) fn look(&self, object: &[u8]) -> Result<Measured, LayoutError> {
        let spots = self.region.spots.len();
        measured(object, self.region.symbol(), spots)
            .ok_or_else(|| self.refused("the assembler gives an object that cannot be read"))
    }

    pub(crate) fn refused(&self, why: impl Into<String>) -> LayoutError {
        LayoutError::Inside {
            function: self.name.clone(),
            why: why.into(),
        }
    }
}

impl Measured {
    /// The first section but the function's and the unwinding information that has another size.
    pub(crate) fn other<'m>(&'m self, shipped: &'m Measured) -> Option<&'m str> {
        let all = self.others.keys().chain(shipped.others.keys());
        let mut differ = all.filter(|key| self.others.get(key) != shipped.others.get(key));
        differ.next().map(|(_, name)| name.as_str())
    }
}

/// The object that holds a unit.
fn object_of(units: &Units, unit: u32) -> Result<Vec<u8>, LayoutError> {
    let (source, part) = units.home(unit);
    let data = std::fs::read(&source.blob).map_err(LayoutError::file("read", &source.blob))?;
    let Some(entry) = part.entry else {
        return Ok(data);
    };
    let wrong = |problem| LayoutError::Object {
        file: part.label.clone(),
        problem,
    };
    let archive = Archive::parse(&data).map_err(wrong)?;
    let content = archive
        .entries
        .get(entry)
        .map(|entry| entry.content.clone());
    let content = content.and_then(|range| data.get(range));
    content
        .map(<[u8]>::to_vec)
        .ok_or_else(|| wrong("a member is gone".to_string()))
}

/// The text of an object, or why there is none and what to do.
fn known<'a>(texts: &'a [Assembly], object: &[u8], label: &str) -> Result<&'a Assembly, String> {
    let hash = blake3::hash(object).to_hex().to_string();
    let known = texts.iter().find(|one| one.object.as_str() == hash);
    known.ok_or_else(|| format!("the assembler text of {label} was not kept: {WITHOUT_TEXT}"))
}

/// Assembles a text as its object was assembled.
fn assemble(assembly: &Assembly, text: &str, scratch: &Path) -> Result<Vec<u8>, LayoutError> {
    let folder = tempfile::Builder::new()
        .prefix("assemble")
        .tempdir_in(scratch)
        .map_err(LayoutError::file("create a folder in", scratch))?;
    let (input, output) = (folder.path().join("text.s"), folder.path().join("object.o"));
    std::fs::write(&input, text).map_err(LayoutError::file("write", &input))?;
    // Where the build's folder is gone, the text includes nothing from there.
    let cwd: PathBuf = match assembly.cwd.is_dir() {
        true => assembly.cwd.clone(),
        false => folder.path().to_path_buf(),
    };
    let ended = Command::new(&assembly.assembler)
        .args(&assembly.arguments)
        .arg("-o")
        .arg(&output)
        .arg(&input)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .output()
        .map_err(LayoutError::file("start", &assembly.assembler))?;
    if !ended.status.success() {
        let said = &ended.stderr[..ended.stderr.len().min(SAID)];
        return Err(LayoutError::Assembler {
            assembler: assembly.assembler.clone(),
            said: String::from_utf8_lossy(said).trim_end().to_string(),
        });
    }
    std::fs::read(&output).map_err(LayoutError::file("read", &output))
}

/// What there is to be measured of an object; marks that are not there are at its function's start.
fn measured(object: &[u8], symbol: &str, spots: usize) -> Option<Measured> {
    let file = object::File::parse(object).ok()?;
    let own = file.symbols().find(|one| one.name() == Ok(symbol))?;
    let home = own.section_index()?;
    let marks: BTreeMap<&str, u64> = file
        .symbols()
        .filter_map(|one| Some((one.name().ok()?, one.address())))
        .filter(|(name, _)| name.starts_with("pmi."))
        .collect();
    let at = |spot: usize, end: char| {
        let mark = marks.get(mark(0, spot, end).as_str()).copied();
        mark.unwrap_or(own.address()).wrapping_sub(own.address())
    };
    let mut found = Measured {
        spots: (0..spots)
            .map(|spot| [at(spot, 'a'), at(spot, 'b')])
            .collect(),
        ..Measured::default()
    };
    for section in file.sections() {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else {
            continue;
        };
        let name = section.name().ok()?;
        if section.index() == home {
            found.code = section.size();
        } else if name == ".eh_frame" {
            found.unwinding = section.size();
        } else if sh_flags.0 & object::elf::SHF_ALLOC.0 != 0 {
            let key = (section.index().0, name.to_string());
            found.others.insert(key, section.size());
        }
    }
    Some(found)
}
