//! What a capture keeps as the image is what the build left, and what it says of other flags is
//! true.

use std::fs;

use crate::support::{Project, c_program, has};
use proofmark_capture::{Builds, Companion, CompanionKind, Compile, Modified, capture};

/// Steps behind the link change the image; the user has what they made of it.
#[test]
fn an_image_that_was_changed_after_its_link_is_kept_as_it_was_left() {
    if !has("gcc") || !has("objcopy") {
        return;
    }
    for (step, edited) in [
        ("strip prog", None),
        ("mv prog other; cp other prog", None),
        (
            "printf 'tuned\\000' > note; objcopy --add-section .tuned=note prog",
            Some("the section .tuned of 6 bytes"),
        ),
        ("printf appended >> prog", Some("8 bytes are appended")),
        // What it says has no name: only the linker's own file tells that it was something else.
        (
            "sed -i 's/%d %.3f/%d %.1f/' prog",
            Some(".rodata has another content"),
        ),
    ] {
        let project = Project::new();
        c_program(&project);
        let script = format!("gcc -c main.c twice.c && gcc main.o twice.o -lm -o prog && {step}");
        let captured = project.capture(&["sh", "-c", &script]);
        let left = fs::read(project.root.join("prog")).unwrap();
        let link = captured.image(None).unwrap();
        assert!(fs::read(&link.image).unwrap() == left, "{step}");
        assert_eq!(
            blake3::hash(&left).to_hex().as_str(),
            link.image_hash.as_str(),
            "{step}"
        );
        let found = link.edited.as_deref().unwrap_or_default();
        assert_eq!(link.edited.is_some(), edited.is_some(), "{step}: {found}");
        assert!(
            found.contains(edited.unwrap_or_default()),
            "{step}: {found}"
        );
        assert_eq!(link.for_layouts().edited, link.edited.as_deref());
    }
}

/// Objects that are up to date are the ones with function sections.
#[test]
fn a_pristine_build_that_compiled_nothing_is_none() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    let script = "[ -f main.o ] || gcc -c main.c twice.c; gcc main.o twice.o -lm -o prog";
    let mut request = project.request("base", &["sh", "-c", script]);
    request.compile = Compile::Once;
    request.pristine = true;
    let captured = capture(&project.builds(), &request).unwrap();
    let link = captured.image(None).unwrap();
    assert!(link.pristine.is_none());
    let said = captured.warnings.join("\n");
    assert!(
        said.contains("2 of its objects") && said.contains("main.o"),
        "{said}"
    );
    let script = "gcc -c main.c twice.c; gcc main.o twice.o -lm -o prog";
    let mut request = project.request("again", &["sh", "-c", script]);
    request.compile = Compile::Once;
    request.pristine = true;
    let captured = capture(&project.builds(), &request).unwrap();
    let pristine = captured.image(None).unwrap().pristine.clone().unwrap();
    assert!(
        pristine.text_bytes <= pristine.sectioned_text_bytes,
        "{pristine:?}"
    );
    assert!(
        pristine.sectioned_text_bytes < pristine.text_bytes + 64,
        "{pristine:?}"
    );
}

/// Function sections that only the capture asked for are told from those of the build's own.
#[test]
fn whose_function_sections_they_are_is_known() {
    if !has("gcc") {
        return;
    }
    for (flags, added) in [("-O1", true), ("-O1 -ffunction-sections", false)] {
        let project = Project::new();
        c_program(&project);
        let script = format!("gcc {flags} -c main.c twice.c && gcc main.o twice.o -lm -o prog");
        let mut request = project.request("base", &["sh", "-c", &script]);
        request.compile = Compile::Once;
        let captured = capture(&project.builds(), &request).unwrap();
        assert_eq!(
            captured.image(None).unwrap().sections_added,
            added,
            "{flags}"
        );
    }
}

/// What a capture keeps is new as well, and is none of the build's.
#[test]
fn a_store_of_any_name_in_the_folder_of_the_build_is_no_part_of_it() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    c_program(&project);
    let builds = Builds::open(&project.root.join("kept")).unwrap();
    let script = "gcc -c main.c twice.c && gcc main.o twice.o -lm -o prog";
    let request = project.request("base", &["sh", "-c", script]);
    let captured = capture(&builds, &request).unwrap();
    assert_eq!(captured.warnings, [""; 0]);
    let link = captured.image(None).unwrap();
    assert_eq!(link.companions, []);
}

/// A program may go through a link, ask for a folder, and compare the times of two files. A file
/// that came with its folder has the time that it had before the build.
#[test]
fn what_lies_beside_an_image_is_known_by_links_folders_and_times() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    c_program(&project)
        .file("bin/before/notes", "no part of it")
        .file("from/inner/table", "moved with its folder");
    let script = "set -e; mkdir bin/flag; ln -s ../elsewhere bin/link; mv from bin/data
        echo 1 > bin/index; touch -d '2020-01-01 00:00:00.000000005 UTC' bin/index
        gcc -c main.c twice.c; gcc main.o twice.o -lm -o bin/prog";
    let captured = project.capture(&["sh", "-c", script]);
    let link = captured.image(None).unwrap();
    let image = fs::metadata(project.root.join("bin/prog")).unwrap();
    assert_eq!(link.image_modified, Modified::of(&image));
    let bin = project.root.join("bin").canonicalize().unwrap();
    let name = |one: &Companion| {
        let name = one.path.strip_prefix(&bin).unwrap();
        name.to_str().unwrap().to_owned()
    };
    let kinds: Vec<(String, CompanionKind, bool)> = (link.companions.iter())
        .map(|one| (name(one), one.kind, one.blob.is_some()))
        .collect();
    let expected = [
        ("before", CompanionKind::FoundFolder, false),
        ("data", CompanionKind::MadeFolder, false),
        ("data/inner", CompanionKind::FoundFolder, false),
        ("data/inner/table", CompanionKind::File, true),
        ("flag", CompanionKind::MadeFolder, false),
        ("index", CompanionKind::File, true),
        ("link", CompanionKind::Link, false),
    ];
    assert_eq!(
        kinds,
        expected.map(|(name, kind, kept)| (name.to_owned(), kind, kept))
    );
    let index = link
        .companions
        .iter()
        .find(|one| one.path.ends_with("index"));
    let old = Modified {
        seconds: 1_577_836_800,
        nanoseconds: 5,
    };
    assert_eq!(index.unwrap().modified, old);
}
