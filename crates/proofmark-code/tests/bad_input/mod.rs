//! Damaged and hostile files: an error with its place, or facts; never a panic, a hang, or memory
//! out of proportion.

mod files;
mod tables;

use std::path::Path;

use crate::support::made::minimal;
use crate::support::{compile, has};
use proofmark_code::listing::listing;
use proofmark_code::{CodeError, Facts, Program, Sources, diff};
use proptest::prelude::*;

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
    crate::support::run(
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
