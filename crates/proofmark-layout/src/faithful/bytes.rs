//! Everything of an image that is loaded, compared byte for byte.

use std::path::Path;

use object::LittleEndian as LE;
use object::elf;
use object::read::elf::{FileHeader, SectionHeader};

use crate::LayoutError;
use crate::recipe::LinkerKind;

type Header = elf::FileHeader64<LE>;

/// The hash of the whole file that a linker writes into it: it covers the table of symbols, which is not loaded.
const BUILD_ID: &str = ".note.gnu.build-id";

/// Tables of the loader's that gold orders by what is in the table of symbols, which is not loaded and has handles in it.
const OF_THE_LOADER: [&str; 9] = [
    ".dynsym",
    ".dynstr",
    ".hash",
    ".gnu.hash",
    ".gnu.version",
    ".gnu.version_r",
    ".dynamic",
    ".rela.dyn",
    ".rela.plt",
];

/// The loaded sections of an image.
pub(super) struct Loaded {
    sections: Vec<Loadable>,
    /// It has a table of symbols.
    pub(super) has_symbols: bool,
}

struct Loadable {
    name: String,
    address: u64,
    size: u64,
    kind: elf::SectionType,
    bytes: Vec<u8>,
}

impl Loaded {
    pub(super) fn read(path: &Path) -> Result<Loaded, LayoutError> {
        let data = std::fs::read(path).map_err(LayoutError::file("read", path))?;
        Loaded::parse(&data).map_err(|error| LayoutError::Image {
            path: path.to_path_buf(),
            problem: error.to_string(),
        })
    }

    fn parse(data: &[u8]) -> object::read::Result<Loaded> {
        let header = Header::parse(data)?;
        let table = header.sections(LE, data)?;
        let mut loaded = Loaded {
            sections: Vec::new(),
            has_symbols: false,
        };
        for section in table.iter() {
            loaded.has_symbols |= section.sh_type(LE) == elf::SHT_SYMTAB;
            if section.sh_flags(LE).0 & elf::SHF_ALLOC.0 == 0 {
                continue;
            }
            loaded.sections.push(Loadable {
                name: String::from_utf8_lossy(table.section_name(LE, section)?).into_owned(),
                address: section.sh_addr(LE),
                size: section.sh_size(LE),
                kind: section.sh_type(LE),
                bytes: section.data(LE, data)?.to_vec(),
            });
        }
        Ok(loaded)
    }

    /// The first difference, in words; none where everything that is loaded is the same.
    pub(super) fn differs(&self, other: &Loaded, linker: LinkerKind) -> Option<String> {
        let gold = linker == LinkerKind::Gold;
        for (own, other) in self.sections.iter().zip(&other.sections) {
            let name = &own.name;
            if *name != other.name {
                return Some(format!(
                    "the section {name} stands where {} should",
                    other.name
                ));
            }
            if (own.address, own.size, own.kind) != (other.address, other.size, other.kind) {
                return Some(format!(
                    "the section {name} has {} bytes at {:#x} in the file and {} at {:#x} when it is linked again",
                    own.size, own.address, other.size, other.address
                ));
            }
            let told_by_symbols = gold && OF_THE_LOADER.contains(&name.as_str());
            if own.bytes != other.bytes && name != BUILD_ID && !told_by_symbols {
                return Some(format!("the section {name} has another content"));
            }
        }
        let (own, other) = (self.sections.len(), other.sections.len());
        (own != other).then(|| {
            format!("the section count is {own} in the file and {other} when it is linked again")
        })
    }
}
