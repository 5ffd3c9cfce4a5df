//! Which pairs of instructions an Intel processor takes as one: a comparison and the conditional
//! jump behind it (Intel 64 and IA-32 Architectures Optimization Reference Manual, "Macro-fusion").
//! With the limits that assemblers and compilers heed when they pad for the erratum: none through
//! an address relative to the instruction, none that writes memory, none of memory and a number.

use iced_x86::{ConditionCode, Instruction, Mnemonic, OpKind, Register};

use super::{MEMORY, X86};

/// Bytes of a line of the instruction cache: no pair is made of what two lines hold apart.
const LINE: u64 = 64;

impl X86<'_> {
    /// The address of the instruction that makes one with the conditional jump read last.
    pub(super) fn fused_here(&self) -> Option<u64> {
        let before = &self.past[self.count.checked_sub(2)? % MEMORY];
        let jump = self.last();
        let adjoin = before.next_ip() == jump.ip() && !jump.ip().is_multiple_of(LINE);
        (adjoin && fuses(before, jump.condition_code())).then(|| before.ip())
    }
}

/// Whether an instruction can be the first of a pair with a jump on this condition.
fn fuses(first: &Instruction, condition: ConditionCode) -> bool {
    use ConditionCode::{a, ae, b, be, e, g, ge, l, le, ne};
    let equal_or_signed = matches!(condition, e | ne | l | ge | le | g);
    let unsigned = matches!(condition, b | ae | be | a);
    let of_flags = match first.mnemonic() {
        Mnemonic::Test | Mnemonic::And => condition != ConditionCode::None,
        Mnemonic::Cmp | Mnemonic::Add | Mnemonic::Sub => equal_or_signed || unsigned,
        Mnemonic::Inc | Mnemonic::Dec => equal_or_signed,
        _ => return false,
    };
    of_flags && operands_allow(first)
}

fn operands_allow(first: &Instruction) -> bool {
    let is_memory = |i| first.op_kind(i) == OpKind::Memory;
    if !(0..first.op_count()).any(is_memory) {
        return true;
    }
    let only_reads = matches!(first.mnemonic(), Mnemonic::Cmp | Mnemonic::Test);
    let is_register = |i| first.op_kind(i) == OpKind::Register;
    let with_register = (0..first.op_count()).any(is_register);
    let relative = matches!(first.memory_base(), Register::RIP | Register::EIP);
    with_register && !relative && (only_reads || !is_memory(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(bytes: &[u8], at: u64) -> Option<u64> {
        let space = crate::space::Space::of(
            crate::Arch::X86_64,
            crate::kind::Kind::Shared,
            std::sync::Arc::default(),
            Vec::new(),
        );
        let mut x86 = X86::new(bytes, at, &space);
        while x86.read_one().is_some() {}
        x86.fused_here()
    }

    /// Rows of the manual's table "Macro-Fusible Instructions".
    #[test]
    fn pairs_are_those_of_the_manual() {
        for (bytes, fused) in [
            (&b"\x48\x39\xc8\x74\x00"[..], true),             // cmp, je
            (b"\x48\x39\xc8\x70\x00", false),                 // cmp, jo
            (b"\x48\x39\xc8\x78\x00", false),                 // cmp, js
            (b"\x48\x39\xc8\x77\x00", true),                  // cmp, ja
            (b"\x48\x85\xc0\x78\x00", true),                  // test, js
            (b"\x48\x21\xc8\x7a\x00", true),                  // and, jp
            (b"\x48\xff\xc8\x75\x00", true),                  // dec, jne
            (b"\x48\xff\xc8\x72\x00", false),                 // dec, jb
            (b"\x48\x01\xc8\x72\x00", true),                  // add, jb
            (b"\x48\x31\xc8\x74\x00", false),                 // xor, je
            (b"\x48\x3b\x07\x74\x00", true),                  // cmp (%rdi), %rax
            (b"\x48\x39\x07\x74\x00", true),                  // cmp %rax, (%rdi)
            (b"\x48\x83\x3f\x05\x74\x00", false),             // cmpq $5, (%rdi)
            (b"\x48\x01\x07\x74\x00", false),                 // add %rax, (%rdi)
            (b"\x48\x03\x07\x74\x00", true),                  // add (%rdi), %rax
            (b"\x48\xff\x0f\x74\x00", false),                 // decq (%rdi)
            (b"\x48\x3b\x05\x00\x00\x00\x00\x74\x00", false), // cmp 0(%rip), %rax
            (b"\x48\x39\xc8\xeb\x00", false),                 // cmp, jmp
            (b"\x74\x00", false),                             // je alone
        ] {
            assert_eq!(pair(bytes, 0x1000), fused.then_some(0x1000), "{bytes:x?}");
        }
        // Held by two lines of the cache, one each.
        assert_eq!(pair(b"\x48\x39\xc8\x74\x00", 0x103d), None);
        assert_eq!(pair(b"\x48\x39\xc8\x74\x00", 0x101d), Some(0x101d));
    }
}
