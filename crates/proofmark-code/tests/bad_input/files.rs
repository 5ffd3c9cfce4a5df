//! Archives that go round in circles, pipes, and files that cannot be opened.

use std::path::Path;

use proofmark_code::{CodeError, Program};

use crate::support::made::minimal;

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
    crate::support::run("mkfifo", &[&path.display().to_string()]);
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
