//! A build is its program, the libraries that it loads and the files that it finds beside itself:
//! each is measured with its own, at its own place, or not at all.

mod captured;
mod executables;
mod trees;

use std::process::Command;

use crate::support::{Project, Said, skipped};

/// Whether arms can see their own files at their own places here.
fn views() -> bool {
    let usable = proofmark_measure::View::usable();
    if let Err(why) = &usable {
        skipped(&format!("private mount namespaces ({why})"));
    }
    usable.is_ok()
}

/// A program, the library that does its work, and a build with an absolute RPATH, as CMake's own
/// builds have. The answer tells which library was loaded; the second argument is how much work it
/// does.
fn with_library(project: &Project) {
    project.write(
        "main.c",
        "#include <stdio.h>\nint answer(void);\nint main(void) { printf(\"%d\\n\", answer()); }\n",
    );
    project.write(
        "build.sh",
        "set -e
echo \"int answer(void) { for (volatile long i = 0; i < ${2:-1}; i++); return $1; }\" > answer.c
cc -O2 -fPIC -c answer.c
cc -shared -o libanswer.so answer.o
cc -O2 -c main.c
cc -o prog main.o -L. -lanswer -Wl,-rpath,\"$PWD\"
",
    );
}

fn build(project: &Project, answer: &str) {
    let status = Command::new("sh")
        .args(["build.sh", answer])
        .current_dir(project.path("."))
        .status()
        .unwrap();
    assert!(status.success());
}

fn compare(project: &Project, image: &str, command: &[&str]) -> Said {
    compare_with(project, image, &[], command)
}

fn compare_with(project: &Project, image: &str, how: &[&str], command: &[&str]) -> Said {
    let first = [
        "compare",
        "base",
        "new",
        "--image",
        image,
        "--blocks",
        "3",
        "--skip",
        "instructions",
    ];
    project.run(&[&first[..], how, &["--"], command].concat())
}

/// Both ran, and each printed what its own files say.
fn own_answers(said: &Said, base: &str, new: &str) {
    assert_eq!(said.code, Some(3), "{said:#?}");
    let parted = format!("“{new}”, and not “{base}”");
    assert!(said.err.contains(&parted), "{said:#?}");
}
