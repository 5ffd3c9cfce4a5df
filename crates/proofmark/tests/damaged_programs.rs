//! `inspect`, `expect` and `diff` on files that are damaged or of a kind that is not read: exit
//! code 5, and the file and the offset.

use std::fs;
use std::process::Command;

use crate::support::{Project, has};

/// The file is refused by every command that reads one, with this offset.
fn is_refused(project: &Project, file: &str, offset: &str) {
    let place = format!("./{file}");
    for arguments in [
        vec!["inspect", &place],
        vec!["inspect", &place, "--function", "main", "--json"],
        vec!["expect", &place],
        vec!["expect", &place, "--learn"],
        vec!["diff", &place, "./sound"],
        vec!["diff", "./sound", &place, "--summary"],
    ] {
        let said = project.run(&arguments);
        assert_eq!(said.code, Some(5), "{arguments:?}: {said:#?}");
        for word in [file, &format!("offset {offset}")] {
            assert!(said.err.contains(word), "{arguments:?}: {said:#?}");
        }
        assert!(!said.err.contains("panicked"), "{arguments:?}: {said:#?}");
        assert_eq!(said.out, "", "{arguments:?}");
    }
}

/// A project with a sound executable, its bytes, and an expectation that would hold.
fn project() -> (Project, Vec<u8>) {
    let project = Project::new();
    project.compile("behave.c", "sound");
    project.write(
        "expectations.toml",
        "version = 1\n[[expect]]\nfunction = \"main\"\nholds = \"exists\"\n",
    );
    project.done(&["expect", "./sound"]);
    let bytes = fs::read(project.path("sound")).unwrap();
    (project, bytes)
}

#[test]
fn an_empty_file_is_refused_at_its_beginning() {
    let (project, _) = project();
    project.write("empty", "");
    is_refused(&project, "empty", "0x0");
}

#[test]
fn a_cut_executable_is_refused_where_it_leads_out_of_the_file() {
    let (project, bytes) = project();
    // In the header; and behind it, so that the place of the section table (offset 0x28) lies
    // outside.
    fs::write(project.path("header"), &bytes[..40]).unwrap();
    is_refused(&project, "header", "0x");
    fs::write(project.path("cut"), &bytes[..bytes.len() / 2]).unwrap();
    is_refused(&project, "cut", "0x28");
}

#[test]
fn a_file_of_32_bits_is_refused_at_the_field_that_says_so() {
    let (project, mut bytes) = project();
    // EI_CLASS: ELFCLASS32.
    bytes[4] = 1;
    fs::write(project.path("small"), &bytes).unwrap();
    is_refused(&project, "small", "0x4");
}

#[test]
fn a_damaged_archive_is_refused_by_name_and_place() {
    if !has(&["ar"]) {
        return;
    }
    let (project, _) = project();
    let made = Command::new("sh")
        .args(["-c", "cc -O2 -c work.c && ar rc whole.a work.o"])
        .current_dir(project.path("."))
        .status();
    assert!(made.unwrap().success());
    project.done(&["inspect", "./whole.a"]);
    let mut archive = fs::read(project.path("whole.a")).unwrap();
    let name = b"work.o/";
    let member = archive.windows(name.len()).position(|w| w == name).unwrap();
    // A member's header has its size at 48, in ten digits.
    archive[member + 48..member + 58].copy_from_slice(b"99999999x ");
    fs::write(project.path("damaged.a"), &archive).unwrap();
    is_refused(&project, "damaged.a", "0x");
}
