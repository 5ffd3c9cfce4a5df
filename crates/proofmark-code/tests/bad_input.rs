//! Damaged and hostile files: an error with its place, or facts; never a panic, a hang, or memory
//! out of proportion.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test that meets the unexpected stops there"
)]

mod support;

use std::path::Path;

use proofmark_code::listing::listing;
use proofmark_code::{Address, CodeError, Facts, Program, Sources, diff};
use proptest::prelude::*;
use support::made::{CODE, Header, Made, PROGBITS, RELA, minimal};
use support::{compile, has};

/// Everything that is done with a file, so that a fault anywhere shows.
fn exercise(bytes: Vec<u8>) -> Result<(), CodeError> {
    let program = Program::parse(Path::new("test"), bytes)?;
    for image in program.images() {
        let all = Facts::all(image);
        for (index, facts) in all.iter().enumerate() {
            let _ = facts.callees(image);
            let _ = image.functions()[index].name();
        }
        for index in 0..image.functions().len().min(8) {
            let _ = listing(image, index, None);
        }
        if let Some(sources) = Sources::open(image) {
            for function in image.functions().iter().take(8) {
                let _ = (
                    sources.line(function.address()),
                    sources.inlined_at(function.address()),
                );
            }
        }
        let _ = diff::compare(image, image);
    }
    Ok(())
}

/// Small files of every kind that is read.
fn samples() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().unwrap();
    let object = ["-O1", "-c", "-ffreestanding"];
    let mut files = vec![compile(
        "gcc",
        &[&object[..], &["-g1"]].concat(),
        &["facts.c"],
        folder.path(),
        "x86.o",
    )];
    let library = [
        "-O1",
        "-shared",
        "-fPIC",
        "-nostdlib",
        "-s",
        "-Wl,-z,noseparate-code",
        "-Wl,--no-warn-execstack",
    ];
    files.push(compile(
        "gcc",
        &library,
        &["facts.c"],
        folder.path(),
        "stripped.so",
    ));
    let archive = folder.path().join("lib.a");
    support::run(
        "ar",
        &[
            "rc",
            &archive.display().to_string(),
            &files[0].display().to_string(),
        ],
    );
    files.push(archive);
    if has("clang-19") {
        let arm = [&object[..], &["--target=aarch64-linux-gnu"]].concat();
        files.push(compile(
            "clang-19",
            &arm,
            &["facts.c"],
            folder.path(),
            "arm.o",
        ));
    }
    files.iter().map(|f| std::fs::read(f).unwrap()).collect()
}

fn damage(bytes: &[u8]) -> (u64, String) {
    match Program::parse(Path::new("dir/file"), bytes.to_vec()) {
        Err(
            CodeError::Damaged { path, offset, what }
            | CodeError::Unsupported { path, offset, what },
        ) => {
            assert_eq!(path, Path::new("dir/file"));
            (offset, what)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_no_executable_is_said_to_be_none() {
    assert_eq!(damage(b"").1, "the file is empty");
    assert_eq!(damage(b"hello world, this is text").0, 0);
    assert!(damage(b"#!/bin/sh\n").1.contains("script"));
    assert!(damage(b"MZ\x90\0").1.contains("PE"));
    assert!(
        damage(&[0xcf, 0xfa, 0xed, 0xfe, 7, 0, 0, 1])
            .1
            .contains("Mach-O")
    );
    assert_eq!(damage(b"\x7fELF").0, 4);
    assert_eq!(damage(b"!<arch>\n").0, 0);
}

#[test]
fn other_word_sizes_and_byte_orders_are_named_with_their_field() {
    if !has("gcc") {
        return;
    }
    let good = samples().remove(0);
    let with = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        damage(&bytes)
    };
    assert_eq!(with(4, 1), (4, "a 32-bit ELF file".to_string()));
    assert_eq!(with(5, 2), (5, "a big-endian ELF file".to_string()));
    assert_eq!(with(18, 243).0, 18);
    assert_eq!(with(16, 4).0, 16);
}

#[test]
fn a_file_cut_anywhere_is_an_error_or_is_read() {
    if !has("gcc") {
        return;
    }
    for bytes in samples() {
        let mut errors = 0;
        // Every place in the headers, then in steps that share no factor with any table's.
        for len in (1..bytes.len().min(1200)).chain((1200..bytes.len()).step_by(37)) {
            errors += usize::from(exercise(bytes[..len].to_vec()).is_err());
        }
        assert!(
            errors > 100,
            "a file without its tables must not pass for whole"
        );
        exercise(bytes).unwrap();
    }
}

#[test]
fn the_smallest_file_cut_at_every_byte_is_an_error() {
    for arm in [false, true] {
        let whole = minimal(&[0xc0; 64], arm);
        for len in 0..whole.len() {
            let (offset, what) = damage(&whole[..len]);
            assert!(offset <= 120, "{len}: {what} at {offset}");
        }
        exercise(whole).unwrap();
    }
}

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

#[test]
fn a_sparse_file_of_four_gigabytes_is_refused_from_its_first_page() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse");
    let file = std::fs::File::create(&path).unwrap();
    if file.set_len(4 << 30).is_err() {
        println!("skipped: needs a file system with sparse files");
        return;
    }
    assert!(matches!(
        Program::open(&path),
        Err(CodeError::Damaged { offset: 0, .. })
    ));
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

#[test]
fn archives_that_name_themselves_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("self.a");
    let header = |name: &str, size: usize| {
        format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644)
    };
    let refused = || Program::open(&path).is_err_and(|error| error.is_damage());
    std::fs::write(&path, format!("!<thin>\n{}", header("self.a/", 8))).unwrap();
    assert!(refused());
    let inner = format!("!<arch>\n{}", header("x/", 0));
    let outer = format!("!<arch>\n{}{inner}", header("inner.a/", inner.len()));
    std::fs::write(&path, outer).unwrap();
    assert!(refused());
    let long = format!("!<arch>\n{}", header("big.o/", 999_999_999));
    std::fs::write(&path, long).unwrap();
    assert!(Program::open(&path).is_err());
}

/// By one name, by another that leads to it as well, and by a path out of the folder, as `ar`
/// writes them.
#[test]
fn a_file_that_a_thin_archive_names_again_and_again_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    let lib = folder.path().join("lib");
    std::fs::create_dir(&lib).unwrap();
    for name in ["one.o", "lib/two.o"] {
        std::fs::write(folder.path().join(name), minimal(&[0xc3], false)).unwrap();
    }
    let names = "../one.o/\n.//two.o/\n";
    let pad = |name: &str, size: usize| format!("{name:<48}{size:<10}`\n");
    let mut archive = format!("!<thin>\n{}{names}", pad("//", names.len()));
    for name in ["/0", "two.o/", "/10", "two.o/", "/0"] {
        archive.push_str(&pad(name, 121));
    }
    let path = lib.join("thin.a");
    std::fs::write(&path, archive).unwrap();
    let program = Program::open(&path).unwrap();
    let members = program.images().iter().map(|i| i.member().unwrap());
    assert_eq!(members.collect::<Vec<_>>(), ["../one.o", "two.o"]);
}

#[test]
fn a_pipe_is_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    support::run("mkfifo", &[&path.display().to_string()]);
    let error = Program::open(&path).unwrap_err();
    assert!(error.to_string().contains("not a regular file"), "{error}");
}

#[test]
fn what_cannot_be_opened_says_which_file() {
    let error = Program::open(Path::new("/nonexistent/file")).unwrap_err();
    assert!(matches!(error, CodeError::Read { .. }));
    assert!(error.to_string().contains("/nonexistent/file"));
    assert!(
        Program::open(Path::new("/tmp"))
            .unwrap_err()
            .to_string()
            .contains("folder")
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn bytes_changed_at_random_never_bring_the_reader_down(which in 0usize..4, edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..24)) {
        thread_local!(static SAMPLES: Vec<Vec<u8>> = if has("gcc") { samples() } else { Vec::new() });
        let sample = SAMPLES.with(|s| s.get(which % s.len().max(1)).cloned());
        if let Some(mut bytes) = sample {
            for (at, value) in edits {
                // Half of the edits go to the headers, where they do most harm.
                let at = if value % 2 == 0 { at.index(bytes.len()) } else { at.index(bytes.len().min(64)) };
                bytes[at] = value;
            }
            let _ = exercise(bytes);
        }
    }

    #[test]
    fn random_code_is_decoded_to_the_end(code in prop::collection::vec(any::<u8>(), 4..4096), arm in any::<bool>()) {
        let code_len = code.len();
        let bytes = minimal(&code, arm);
        let program = Program::parse(Path::new("random"), bytes).unwrap();
        let image = &program.images()[0];
        prop_assert_eq!(image.functions().len(), 1);
        let lines = listing(image, 0, None);
        let covered: usize = lines.iter().map(|l| l.bytes.len()).sum();
        // AArch64 leaves a rest shorter than an instruction.
        prop_assert!(covered + 3 >= code_len && covered <= code_len);
        prop_assert_eq!(Facts::of(image, 0).get(proofmark_code::Fact::Instructions), lines.len() as u64);
    }
}
