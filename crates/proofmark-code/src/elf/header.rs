//! What the header of an ELF file says of it.

use std::path::Path;

use object::Endianness;
use object::elf;
use object::read::elf::FileHeader;

use super::content::{is_elf, unread};
use crate::arch::Arch;
use crate::error::CodeError;
use crate::kind::Kind;

/// The instruction set and sort of file, from the header alone.
pub(super) fn identify(path: &Path, base: u64, bytes: &[u8]) -> Result<(Arch, Kind), CodeError> {
    let unsupported = |offset: u64, what: String| CodeError::Unsupported {
        path: path.to_path_buf(),
        offset: base + offset,
        what,
    };
    if !is_elf(bytes) {
        let script = bytes.starts_with(b"#!").then_some("a script");
        let Some(what) = unread(bytes).or(script) else {
            return Err(CodeError::damaged(
                path,
                base,
                "not an ELF file: it does not begin with \\x7fELF",
            ));
        };
        return Err(unsupported(0, what.to_string()));
    }
    match (bytes.get(4), bytes.get(5)) {
        (Some(2), Some(1)) => {}
        (Some(1), _) => return Err(unsupported(4, "a 32-bit ELF file".to_string())),
        (Some(2), Some(2)) => return Err(unsupported(5, "a big-endian ELF file".to_string())),
        (Some(_), Some(_)) => {
            return Err(CodeError::damaged(
                path,
                base + 4,
                "damaged ELF header: neither 32- nor 64-bit, or no byte order",
            ));
        }
        _ => {
            return Err(CodeError::damaged(
                path,
                base + bytes.len() as u64,
                "the file ends inside its ELF header",
            ));
        }
    }
    let header = elf::FileHeader64::<Endianness>::parse(bytes).map_err(|_| {
        let end = if bytes.len() < 64 {
            bytes.len() as u64
        } else {
            6
        };
        CodeError::damaged(
            path,
            base + end,
            "damaged ELF header, or the file ends inside it",
        )
    })?;
    let arch = match header.e_machine(Endianness::Little) {
        elf::EM_X86_64 => Arch::X86_64,
        elf::EM_AARCH64 => Arch::Aarch64,
        other => {
            return Err(unsupported(
                18,
                format!("an ELF file for machine number {}", other.0),
            ));
        }
    };
    let kind = match header.e_type(Endianness::Little) {
        elf::ET_REL => Kind::Object,
        elf::ET_EXEC => Kind::Executable,
        elf::ET_DYN => Kind::Shared,
        other => {
            return Err(unsupported(
                16,
                format!("an ELF file of type {} (a core file?)", other.0),
            ));
        }
    };
    Ok((arch, kind))
}

/// Which header field is most likely at fault when the section or program table cannot be read.
pub(super) fn fault(bytes: &[u8]) -> u64 {
    let field = |at: usize| {
        bytes
            .get(at..at + 8)
            .and_then(|b| b.try_into().ok())
            .map_or(0, u64::from_le_bytes)
    };
    let len = bytes.len() as u64;
    if field(0x28) > len {
        0x28
    } else if field(0x20) > len {
        0x20
    } else {
        field(0x28)
    }
}
