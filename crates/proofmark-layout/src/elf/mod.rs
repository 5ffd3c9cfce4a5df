//! ELF files, 64-bit and little-endian: relocatable inputs read and patched, archives rewritten,
//! the pad object written, linked images read, and what a section says.

pub(crate) mod archive;
pub(crate) mod block;
pub(crate) mod image;
pub(crate) mod own;
pub(crate) mod pad;
pub(crate) mod patch;
pub(crate) mod relocatable;
pub(crate) mod said;

/// The machines whose linkers leave the size of a section alone. RISC-V and LoongArch shorten code
/// while linking, so that nothing is known before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Machine {
    /// x86-64.
    X86_64,
    /// AArch64.
    Aarch64,
}

impl Machine {
    /// The machine of an ELF header's `e_machine`.
    pub(crate) fn of(machine: object::elf::Machine) -> Option<Machine> {
        match machine {
            object::elf::EM_X86_64 => Some(Machine::X86_64),
            object::elf::EM_AARCH64 => Some(Machine::Aarch64),
            _ => None,
        }
    }

    /// The header's `e_machine`.
    pub(crate) fn code(self) -> u16 {
        match self {
            Machine::X86_64 => object::elf::EM_X86_64.0,
            Machine::Aarch64 => object::elf::EM_AARCH64.0,
        }
    }
}
