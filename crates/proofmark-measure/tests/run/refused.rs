//! What cannot be run, and what an instrument that cannot be had says.

use std::os::unix::fs::PermissionsExt;

use proofmark_measure::{End, Grouping, Instrument, InstrumentOptions, Launch, MeasureError};

use crate::support::{LONG, instruments, known, launch};

fn refused(program: &std::path::Path) -> MeasureError {
    let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
    let error = instrument.run(&Launch::new(program, LONG)).unwrap_err();
    assert_eq!(
        instrument.run(&launch(&["exit", "3"])).unwrap().end,
        End::Exited(3),
        "a refusal spoils nothing"
    );
    error
}

fn file(folder: &tempfile::TempDir, content: &[u8], mode: u32) -> std::path::PathBuf {
    let path = folder.path().join("a program");
    std::fs::write(&path, content).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    path
}

#[test]
fn what_cannot_be_run_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(
        refused(&folder.path().join("missing")),
        MeasureError::NotFound { .. }
    ));
    assert!(matches!(
        refused(folder.path()),
        MeasureError::NotAFile { .. }
    ));
    assert!(matches!(
        refused(&file(&folder, b"\x7fELF", 0o644)),
        MeasureError::NotExecutable { .. }
    ));
    assert!(matches!(
        refused(&file(&folder, b"echo no first line\n", 0o755)),
        MeasureError::NotAProgram { .. }
    ));
    assert!(matches!(
        refused(&file(&folder, b"", 0o755)),
        MeasureError::NotAProgram { .. }
    ));
    let elf = std::fs::read(known()).unwrap();
    assert!(matches!(
        refused(&file(&folder, &elf[..100], 0o755)),
        MeasureError::NotAProgram { .. } | MeasureError::System { .. }
    ));
    let error = refused(&file(&folder, b"#!/no/such/interpreter -x\n", 0o755));
    assert!(
        matches!(&error, MeasureError::NoInterpreter { interpreter, .. } if interpreter == "/no/such/interpreter"),
        "{error}"
    );
}

#[test]
fn a_script_runs() {
    let folder = tempfile::tempdir().unwrap();
    let script = file(&folder, b"#!/bin/sh\necho from a script\n", 0o755);
    let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
    let outcome = instrument.run(&Launch::new(script, LONG)).unwrap();
    assert_eq!(outcome.stdout.text(), "from a script\n");
}

#[test]
fn a_bad_launch_is_refused() {
    let instrument = Instrument::new(InstrumentOptions::default()).unwrap();
    let change = |edit: &dyn Fn(&mut Launch)| {
        let mut launch = launch(&["exit", "0"]);
        edit(&mut launch);
        instrument.run(&launch).unwrap_err()
    };
    assert!(matches!(
        change(&|launch| launch.cwd = "/no/such/folder".into()),
        MeasureError::Folder { .. }
    ));
    assert!(matches!(
        change(&|launch| launch.stdin = Some("/no/such/file".into())),
        MeasureError::Stdin { .. }
    ));
    assert!(matches!(
        change(&|launch| launch.core = Some(1023)),
        MeasureError::Core { core: 1023, .. }
    ));
    assert!(matches!(
        change(&|launch| launch.core = Some(1_000_000)),
        MeasureError::Core { .. }
    ));
    assert!(matches!(
        change(&|launch| launch.args.push("a\0b".into())),
        MeasureError::BadText(_)
    ));
    assert!(matches!(
        change(&|launch| launch.env.push(("a=b".into(), "c".into()))),
        MeasureError::BadText(_)
    ));
    assert!(matches!(
        change(&|launch| launch.args.push("x".repeat(4 << 20).into())),
        MeasureError::TooLong {
            bytes: 0x10_0000..,
            limit: 1..
        }
    ));
    assert!(matches!(
        change(&|launch| launch.args.push("x".repeat(1 << 20).into())),
        MeasureError::TooLong {
            bytes: 0x10_0000..,
            limit: 1..
        }
    ));
    assert_eq!(
        instrument.run(&launch(&["exit", "0"])).unwrap().end,
        End::Exited(0)
    );
}

#[test]
fn without_cgroups_the_instrument_says_why() {
    let instruments = instruments();
    assert!(matches!(instruments[1].grouping(), Grouping::Signals { why } if why == "not wanted"));
    match instruments[0].grouping() {
        Grouping::CgroupV2 => {}
        Grouping::CgroupV1 { why } | Grouping::Signals { why } => assert!(!why.is_empty()),
    }
}
