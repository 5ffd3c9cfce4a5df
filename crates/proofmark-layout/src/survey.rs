//! What can be said of a captured build before any layout: how much of its code can be moved.

use std::collections::BTreeMap;
use std::path::Path;

use crate::LayoutError;
use crate::elf::block::Block;
use crate::elf::image::Linked;
use crate::elf::relocatable::Section;
use crate::faithful::held::{Held, held};
use crate::link::argv;
use crate::linker::backend;
use crate::recipe::Recipe;
use crate::seen::Seen;
use crate::staged::{Staged, Style};
use crate::units::{Live, Units};

/// How much of an image's code can be moved.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Movability {
    /// Bytes of code in the image: of all executable sections, without what fills the space in
    /// front of aligned functions.
    pub text_bytes: u64,
    /// Bytes of it in pieces of one function each, which move one by one.
    pub movable_bytes: u64,
    /// Why the rest does not, most bytes first.
    pub reasons: Vec<Reason>,
}

/// Why some bytes of code do not move one function at a time.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Reason {
    /// What it is about.
    pub what: String,
    /// Bytes.
    pub bytes: u64,
}

impl Movability {
    /// Share of the code that can be moved, 0 to 1; 1 of an image without code.
    #[must_use]
    pub fn share(&self) -> f64 {
        ratio(self.movable_bytes, self.text_bytes).unwrap_or(1.0)
    }
}

/// Why several functions stay together.
const WHOLE: &str = "moves as a whole: built without -ffunction-sections, or assembly";

/// The sections of an archive that hold several functions each.
#[derive(Default)]
struct Whole {
    sections: usize,
    functions: u64,
    bytes: u64,
}

impl Whole {
    fn add(&mut self, section: &Section) {
        self.sections += 1;
        self.functions += u64::from(section.functions);
        self.bytes += section.size;
    }

    /// In words, of an archive of this name.
    fn of(&self, archive: &str) -> String {
        let functions = self.functions;
        match self.sections {
            1 => format!("{functions} functions of {archive} in one section, which {WHOLE}"),
            many => {
                format!(
                    "{functions} functions of {archive} in {many} sections, of which each {WHOLE}"
                )
            }
        }
    }
}

/// How much of the code of a recipe's image can be moved. Links it once, in a folder for temporary
/// files.
///
/// # Errors
/// When no layouts can be made with this linker, an input cannot be read or the link fails.
pub fn movability(recipe: &Recipe) -> Result<Movability, LayoutError> {
    let look = Look::at(recipe)?;
    let filling = look.filling();
    let text_bytes: u64 = look.linked.executable.iter().map(|(_, size)| size).sum();
    let text_bytes = text_bytes.saturating_sub(filling);
    let mut movable_bytes = 0;
    let mut pieces = 0;
    for unit in look.code() {
        let section = look.units.unit(unit).0;
        pieces += section.size;
        if section.functions <= 1 {
            movable_bytes += section.size;
        }
    }
    let mut rest = together(&look);
    let held = look.held_code();
    if held > 0 {
        pieces += held;
        let what = "code between labels of assembly or of a linker script, or that runs on into the code behind it";
        rest.insert(what.to_string(), held);
    }
    for (name, size) in look
        .linked
        .executable
        .iter()
        .filter(|(name, _)| !name.starts_with(".text"))
    {
        *rest
            .entry(format!(
                "{name}, whose order has a meaning or which the linker makes itself"
            ))
            .or_default() += size;
    }
    let text: u64 = look
        .linked
        .executable
        .iter()
        .filter(|(name, _)| name.starts_with(".text"))
        .map(|(_, size)| size)
        .sum();
    let text = text.saturating_sub(filling);
    if text > pieces {
        rest.insert(
            "code that the linker makes itself or brings along".to_string(),
            text - pieces,
        );
    }
    let mut reasons: Vec<Reason> = rest
        .into_iter()
        .map(|(what, bytes)| Reason { what, bytes })
        .collect();
    reasons.sort_by_key(|reason| std::cmp::Reverse(reason.bytes));
    Ok(Movability {
        text_bytes,
        movable_bytes,
        reasons,
    })
}

/// The bytes of functions that stay together, by what holds them: objects by themselves, archives
/// as one.
fn together(look: &Look) -> BTreeMap<String, u64> {
    let mut rest: BTreeMap<String, u64> = BTreeMap::new();
    let mut archives: BTreeMap<&str, Whole> = BTreeMap::new();
    let units = look.code().into_iter().map(|unit| look.units.unit(unit));
    for (section, part) in units.filter(|(section, _)| section.functions > 1) {
        if let Some((archive, _)) = part.label.split_once('(') {
            archives.entry(archive).or_default().add(section);
            continue;
        }
        let what = format!(
            "{} functions of {} in one section ({}), which {WHOLE}",
            section.functions, part.label, section.name
        );
        *rest.entry(what).or_default() += section.size;
    }
    for (archive, whole) in archives {
        let name = Path::new(archive).file_name().unwrap_or(archive.as_ref());
        *rest.entry(whole.of(&name.to_string_lossy())).or_default() += whole.bytes;
    }
    rest
}

/// A build, linked once as shipped but for handles.
pub(crate) struct Look {
    pub(crate) units: Units,
    pub(crate) live: Live,
    linked: Linked,
    /// What stays as it is.
    held: Held,
}

impl Look {
    /// What could not be laid out is not counted either: a share of what can be moved is a promise.
    pub(crate) fn at(recipe: &Recipe) -> Result<Look, LayoutError> {
        backend(recipe, &argv::parse(&recipe.argv))?;
        let temporary = std::env::temp_dir();
        let folder = tempfile::Builder::new()
            .prefix("proofmark-look")
            .tempdir()
            .map_err(LayoutError::file("create a folder in", &temporary))?;
        let units = Units::read(recipe)?;
        let staged = Staged::new(recipe, &units, folder.path(), Style::default())?;
        let image = folder.path().join("image");
        staged.link(
            recipe,
            &[],
            &image,
            "the image in its own order",
            crate::linker::keep_symbols,
        )?;
        let linked = Linked::read(Path::new(&image), false)?;
        Ok(Look {
            held: held(recipe, &units, &linked)?,
            live: linked.handles.clone(),
            units,
            linked,
        })
    }

    /// Bytes of code in the image that stay where they are.
    fn held_code(&self) -> u64 {
        let held = self
            .held
            .units
            .iter()
            .map(|unit| (*unit, self.units.unit(*unit).0));
        held.filter(|(unit, section)| section.block == Block::Text && self.live.contains_key(unit))
            .map(|(_, section)| section.size)
            .sum()
    }

    /// Bytes between pieces of code, where there are fewer than the alignment of the one behind
    /// them: they are no code.
    fn filling(&self) -> u64 {
        let units = self.live.iter().map(|(unit, address)| {
            let section = self.units.unit(*unit).0;
            (*address, section)
        });
        let mut code: Vec<_> = units
            .filter(|(_, section)| section.block == Block::Text)
            .collect();
        code.sort_by_key(|(address, _)| *address);
        let gaps = code.windows(2).map(|two| match two {
            [(address, section), (next, behind)] => {
                let gap = next.saturating_sub(address + section.size);
                if gap < behind.alignment { gap } else { 0 }
            }
            _ => 0,
        });
        gaps.sum()
    }

    /// The build as layouts see it.
    pub(crate) fn seen(&self) -> Seen<'_> {
        Seen::new(&self.units, &self.live, &self.held.units)
    }

    /// Units of code in the image, in the order of addresses.
    pub(crate) fn code(&self) -> Vec<u32> {
        let order = self.seen().order;
        order
            .into_iter()
            .filter(|unit| self.units.unit(*unit).0.block == Block::Text)
            .collect()
    }
}

pub(crate) fn ratio(part: u64, whole: u64) -> Option<f64> {
    #[expect(
        clippy::cast_precision_loss,
        reason = "sizes of code are far below 2^53"
    )]
    (whole > 0).then(|| part as f64 / whole as f64)
}
