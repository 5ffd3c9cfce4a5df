//! The kind of system calls that this build makes.

/// How the kernel calls this build's kind of system calls (`AUDIT_ARCH_…` of linux/audit.h: the
/// number of the machine in ELF, 64 bits, little-endian).
#[cfg(target_arch = "x86_64")]
pub(crate) const NATIVE: u32 = 0xC000_003E;
/// As above.
#[cfg(target_arch = "aarch64")]
pub(crate) const NATIVE: u32 = 0xC000_00B7;
/// As above.
#[cfg(target_arch = "riscv64")]
pub(crate) const NATIVE: u32 = 0xC000_00F3;
