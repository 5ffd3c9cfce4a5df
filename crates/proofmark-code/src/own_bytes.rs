//! Whether code holds data that it reads itself.

use iced_x86::{Decoder, DecoderOptions, FlowControl, Mnemonic};

/// Whether x86-64 code that starts at `address` reads or writes bytes of its own, relative to the
/// instruction pointer: constants between or behind the instructions. Jumps, calls and addresses
/// that are only calculated (`lea`) are none.
///
/// `code` is as linked: before that, what relocations fill in is not there.
#[must_use]
pub fn reads_own_bytes(code: &[u8], address: u64) -> bool {
    let end = address.saturating_add(code.len() as u64);
    let decoder = Decoder::with_ip(64, code, address, DecoderOptions::NONE);
    decoder.into_iter().any(|instruction| {
        instruction.is_ip_rel_memory_operand()
            && instruction.mnemonic() != Mnemonic::Lea
            && instruction.flow_control() == FlowControl::Next
            && (address..end).contains(&instruction.ip_rel_memory_address())
    })
}

#[cfg(test)]
mod tests {
    use super::reads_own_bytes;

    #[test]
    fn a_load_from_its_own_bytes_is_told_from_one_from_elsewhere() {
        // movaps 9(%rip),%xmm0 (to 0x1010); ret
        let own = [&[0x0f, 0x28, 0x05, 9, 0, 0, 0, 0xc3][..], &[0; 24]].concat();
        assert!(reads_own_bytes(&own, 0x1000));
        assert!(!reads_own_bytes(&own[..8], 0x1000));
        // lea 9(%rip),%rax; jmp *9(%rip)
        let address = [&[0x48, 0x8d, 0x05, 9, 0, 0, 0, 0xc3][..], &[0; 24]].concat();
        assert!(!reads_own_bytes(&address, 0x1000));
        let jump = [&[0xff, 0x25, 9, 0, 0, 0, 0xcc, 0xcc][..], &[0; 24]].concat();
        assert!(!reads_own_bytes(&jump, 0x1000));
    }
}
