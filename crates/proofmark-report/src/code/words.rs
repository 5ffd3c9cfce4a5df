//! What the documents of machine code have in common: images, addresses, lines of source.

use proofmark_code::{Address, Format, Image, Kind, SourceLine};
use schemars::JsonSchema;
use serde::Serialize;

/// An image: an executable, a library, or an object file of an archive.
#[derive(Serialize, JsonSchema)]
pub(super) struct ImageView {
    /// The file.
    path: String,
    /// The member of an archive.
    member: Option<String>,
    /// `x86-64` or `aarch64`.
    architecture: &'static str,
    /// What sort of file it is.
    kind: KindWord,
    /// Its file format.
    format: FormatWord,
    /// Bytes of code.
    code_bytes: u64,
    /// Its build id, in hexadecimal.
    build_id: Option<String>,
    /// What its compilers wrote about themselves.
    producers: Vec<String>,
}

/// What sort of file an image is.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum KindWord {
    /// Linked to run at a fixed address.
    Executable,
    /// A shared library, or an executable that can be loaded anywhere.
    Shared,
    /// An object file, not linked yet.
    Object,
}

/// The file format of an image.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum FormatWord {
    /// ELF.
    Elf,
}

/// An address as `0x…`: JSON's numbers lose bits above 2⁵³.
#[derive(Serialize, JsonSchema)]
#[serde(transparent)]
pub(super) struct AddressView(String);

/// A line of source.
#[derive(Serialize, JsonSchema)]
pub(super) struct SourceView {
    /// The file, as the compiler was given it.
    file: String,
    /// The line, from 1.
    line: u32,
}

impl From<&Image> for ImageView {
    fn from(image: &Image) -> Self {
        ImageView {
            path: image.path().to_string_lossy().into_owned(),
            member: image.member().map(str::to_owned),
            architecture: image.arch().name(),
            kind: match image.kind() {
                Kind::Executable => KindWord::Executable,
                Kind::Shared => KindWord::Shared,
                Kind::Object => KindWord::Object,
            },
            format: match image.format() {
                Format::Elf => FormatWord::Elf,
            },
            code_bytes: image.code_bytes(),
            build_id: Some(hexadecimal(image.build_id())).filter(|id| !id.is_empty()),
            producers: image.producers().to_vec(),
        }
    }
}

impl From<Address> for AddressView {
    fn from(address: Address) -> Self {
        AddressView(address.to_string())
    }
}

impl From<&SourceLine> for SourceView {
    fn from(line: &SourceLine) -> Self {
        SourceView {
            file: line.file.clone(),
            line: line.line,
        }
    }
}

/// Bytes as digits.
pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
