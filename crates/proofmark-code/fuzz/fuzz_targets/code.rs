//! Instructions: the first byte chooses the machine, the others are its code.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;
use proofmark_code::listing::listing;
use proofmark_code::{Facts, Program};

fuzz_target!(|bytes: &[u8]| {
    let Some((machine, code)) = bytes.split_first() else { return };
    if code.is_empty() {
        return;
    }
    let machine = if machine % 2 == 0 { 62u16 } else { 183 };
    let mut file = vec![0u8; 120];
    let size = (code.len() as u64).to_le_bytes();
    let parts: [(usize, &[u8]); 12] = [
        (0, b"\x7fELF\x02\x01\x01"),
        (16, &2u16.to_le_bytes()),
        (18, &machine.to_le_bytes()),
        (20, &1u32.to_le_bytes()),
        (32, &64u64.to_le_bytes()),
        (52, &64u16.to_le_bytes()),
        (54, &56u16.to_le_bytes()),
        (56, &1u16.to_le_bytes()),
        (64, &[1, 0, 0, 0, 5, 0, 0, 0, 120]),
        (80, &0x40_0078u64.to_le_bytes()),
        (96, &size),
        (104, &size),
    ];
    for (at, part) in parts {
        file[at..at + part.len()].copy_from_slice(part);
    }
    file.extend_from_slice(code);
    let program = Program::parse(Path::new("fuzz"), file).expect("a header and one segment");
    let image = &program.images()[0];
    assert_eq!(Facts::of(image, 0).get(proofmark_code::Fact::Bytes), code.len() as u64);
    let _ = listing(image, 0, None);
});
