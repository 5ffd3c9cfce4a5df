//! What code the bytes of a file hold, by their beginning.

use object::elf;

use super::raw::{File, intermediate};

/// Whether the bytes begin as an ELF file does.
pub(crate) fn is_elf(data: &[u8]) -> bool {
    data.starts_with(&elf::ELFMAG)
}

/// What code the bytes hold that is not read: another format's, or none of a machine.
pub(crate) fn unread(data: &[u8]) -> Option<&'static str> {
    if is_elf(data) {
        let file = File::parse(data).ok()?;
        return intermediate::place(&file).map(|_| intermediate::GCC);
    }
    match data {
        [0xcf, 0xfa, 0xed, 0xfe, ..] | [0xca, 0xfe, 0xba, 0xbe, ..] => Some("a Mach-O file"),
        [b'M', b'Z', ..] => Some("a PE file"),
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => {
            Some("LLVM bitcode, not machine code (was it compiled with -flto?)")
        }
        _ => None,
    }
}
