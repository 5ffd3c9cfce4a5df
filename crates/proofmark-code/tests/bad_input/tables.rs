//! Tables of an executable that lie.

use std::path::Path;

use proofmark_code::{Address, Program};

use super::{damage, exercise, samples};
use crate::support::has;
use crate::support::made::{CODE, Header, Made, PROGBITS, RELA};

fn word(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Where the header of each section of a 64-bit file stands, the empty first one left out.
fn section_headers(bytes: &[u8]) -> Vec<usize> {
    let table = usize::try_from(word(bytes, 0x28)).unwrap();
    let count = usize::from(u16::from_le_bytes(bytes[0x3c..0x3e].try_into().unwrap()));
    (1..count).map(|number| table + number * 64).collect()
}

#[test]
fn sections_all_at_one_address_are_read_in_no_time() {
    if !has("gcc") {
        return;
    }
    for mut bytes in samples().into_iter().take(2) {
        let headers = section_headers(&bytes);
        let lowest = headers.iter().map(|h| word(&bytes, h + 16));
        let lowest = lowest.filter(|a| *a > 0).min().unwrap_or(0x1000);
        for header in &headers {
            bytes[header + 16..header + 24].copy_from_slice(&lowest.to_le_bytes());
        }
        let _ = exercise(bytes.clone());
        // And a symbol table of 2^32 entries, in the file that has one.
        let symbols = headers.iter().find(|h| bytes[**h + 4] == 2);
        if let Some(header) = symbols {
            bytes[header + 32..header + 40].copy_from_slice(&(24u64 << 32).to_le_bytes());
            assert!(damage(&bytes).1.contains("symbol"));
        }
    }
}

#[test]
fn section_tables_that_lie_are_caught() {
    if !has("gcc") {
        return;
    }
    let good = samples().remove(1);
    for section in section_headers(&good) {
        // Address, offset, size and entry size of each section, made as large as they go, or all
        // alike.
        for field in [16, 24, 32, 40, 56] {
            for value in [u64::MAX, 1 << 32, 1 << 62, 1, 0x1000] {
                let mut bytes = good.clone();
                let at = section + field;
                bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
                let _ = exercise(bytes);
            }
        }
    }
    let mut bytes = good;
    bytes[0x28..0x30].copy_from_slice(&(1u64 << 40).to_le_bytes());
    assert_eq!(damage(&bytes).0, 0x28);
}

#[test]
fn symbols_as_large_as_all_memory_take_no_time() {
    if !has("gcc") {
        return;
    }
    let good = samples().remove(0);
    let program = Program::parse(Path::new("good"), good.clone()).unwrap();
    let before = program.images()[0].functions().len();
    // Every eight bytes that hold a plausible size of a symbol become 2^63: the symbol table is
    // among them.
    let mut bytes = good;
    let mut at = 64;
    while at + 24 <= bytes.len() {
        if bytes[at + 4] & 0xf == 2 && bytes[at + 5] == 0 {
            bytes[at + 16..at + 24].copy_from_slice(&(1u64 << 63).to_le_bytes());
        }
        at += 8;
    }
    if let Ok(program) = Program::parse(Path::new("bad"), bytes) {
        let image = &program.images()[0];
        assert!(image.functions().len() <= before * 2);
        let total: u64 = image
            .functions()
            .iter()
            .map(proofmark_code::Function::size)
            .sum();
        assert!(total <= image.code_bytes() * 3, "{total}");
    }
}

/// Executable sections without bytes, of a size that is free to claim: what is claimed must not
/// cost memory.
#[test]
fn code_that_is_not_in_the_file_is_not_counted() {
    if !has("gcc") {
        return;
    }
    let good = samples().remove(1);
    let mut code = section_headers(&good);
    code.retain(|&section| good[section + 8] & 4 != 0);
    assert!(code.len() > 1);
    let without = |sections: &[usize]| {
        let mut bytes = good.clone();
        for &section in sections {
            bytes[section + 4..section + 8].copy_from_slice(&8_u32.to_le_bytes());
            bytes[section + 32..section + 40].copy_from_slice(&(1_u64 << 44).to_le_bytes());
        }
        bytes
    };
    for &section in &code {
        let _ = exercise(without(&[section]));
    }
    let (offset, what) = damage(&without(&code));
    assert_eq!(offset, code[0] as u64);
    assert!(what.contains("debug information"), "{what}");
}

/// A stub with its landing pad behind the instruction that it would begin with.
#[test]
fn a_stub_in_disorder_is_read() {
    let mut made = Made::new(true);
    // adrp x16, 0x2000; bti c; ldr x17, [x16]; br x17
    let code = [0xb000_0010_u32, 0xd503_245f, 0xf940_0211, 0xd61f_0220];
    let place = made.put(&code.map(u32::to_le_bytes).concat());
    made.section(Header {
        name: ".plt",
        kind: PROGBITS,
        flags: CODE,
        address: 0x1000,
        place,
        ..Header::default()
    });
    let link = made.dynamic_symbols(&["f"]);
    // R_AARCH64_JUMP_SLOT of the first symbol.
    let fields = [0x2000_u64, 1 << 32 | 1026, 0];
    let place = made.put(&fields.map(u64::to_le_bytes).concat());
    made.section(Header {
        kind: RELA,
        place,
        link,
        entry: 24,
        ..Header::default()
    });
    let program = Program::parse(Path::new("made"), made.finish()).unwrap();
    let image = &program.images()[0];
    let name = |at| image.name_at(Address::new(at));
    assert_eq!(name(0x1000), Some("f".to_string()));
    assert_eq!(name(0x1004), None);
}
