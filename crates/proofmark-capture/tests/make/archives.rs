//! Archives and their members.

use std::path::Path;

use proofmark_capture::Seen;
use proofmark_layout::InputKind;

use super::{assert_whole, project};
use crate::support::has;

#[test]
fn archives_are_kept_with_their_members() {
    let linkers = [
        ("gcc", "bfd", "ld.bfd"),
        ("gcc", "gold", "ld.gold"),
        ("clang-19", "lld", "ld.lld-19"),
    ];
    for (compiler, linker, tool) in linkers {
        if !has("make") || !has(compiler) || !has(tool) {
            continue;
        }
        for (kind, flags) in [(InputKind::Archive, "rc"), (InputKind::ThinArchive, "rcT")] {
            archive_of(kind, flags, compiler, linker);
        }
    }
}

fn archive_of(kind: InputKind, flags: &str, compiler: &str, linker: &str) {
    let project = project();
    project.file(
        "Makefile",
        &format!(
            "prog: main.o lib/libtwice.a\n\t{compiler} -fuse-ld={linker} -o $@ main.o -Llib/../lib -ltwice -lm\nlib/libtwice.a: lib/twice.o\n\tar {flags} $@ $<\n\
             lib/twice.o: twice.c\n\tmkdir -p lib\n\t{compiler} -O2 -c -o $@ $<\nmain.o: main.c\n\t{compiler} -O2 -c $<\n"
        ),
    );
    let capture = project.capture(&["make"]);
    assert_whole(&capture);
    let recipe = &capture.image(None).unwrap().recipe;
    let archive = recipe
        .inputs
        .iter()
        .find(|input| input.given.ends_with("libtwice.a"))
        .unwrap();
    assert_eq!(
        archive.given,
        Path::new("lib/../lib/libtwice.a"),
        "as the linker opened it, with {linker}"
    );
    assert_eq!(archive.kind, kind);
    let members: Vec<_> = archive
        .members
        .iter()
        .map(|member| member.given.clone())
        .collect();
    assert_eq!(members.is_empty(), kind == InputKind::Archive);
    let member = capture
        .objects
        .iter()
        .find(|object| object.member.is_some())
        .unwrap();
    assert_eq!(member.seen, Seen::Compiled);
    assert!(
        member.source.as_ref().unwrap().ends_with("twice.c"),
        "{member:?}"
    );
}

#[test]
fn a_member_of_an_archive_made_by_clang_is_known_after_its_object_is_gone() {
    if !has("make") || !has("clang-19") {
        return;
    }
    let project = project();
    project.file("build.sh", "set -e\nclang-19 -c twice.c -o renamed.tmp\nmv renamed.tmp t.o\nar rc libt.a t.o\nrm t.o\nclang-19 -c main.c\nclang-19 main.o libt.a -lm -o prog\n");
    let capture = project.capture(&["sh", "build.sh"]);
    assert_whole(&capture);
    let member = capture
        .objects
        .iter()
        .find(|object| object.member.is_some())
        .unwrap();
    assert!(
        member.source.as_ref().unwrap().ends_with("twice.c"),
        "{member:?}"
    );
}
