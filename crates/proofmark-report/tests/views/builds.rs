//! Captured builds: what is said of one, and in how few lines.

use proofmark_report::builds::{
    BuildView, ImageView, ImmovableView, LinkWord, ObjectView, RelinkView, RevisionView, SeenView,
    StaleView, ToolView, WholeView, json, one, shown, terminal,
};
use proofmark_report::{Style, Text, schema};

const STYLE: Style = Style {
    colour: false,
    width: 80,
    terminal: true,
};

fn image(place: &str) -> ImageView {
    let whole = |at: u32| WholeView {
        object: format!("o{at}.o"),
        why: "it is instrumented for coverage".to_owned(),
    };
    ImageView {
        label: place.into(),
        kind: LinkWord::Executable,
        output: Text::of(format!("/p/{place}")),
        aliases: Vec::new(),
        image: "3f9a0c11".repeat(8),
        linker: "GNU ld (GNU Binutils for Debian) 2.40".to_owned(),
        linker_kind: "GNU ld".to_owned(),
        relink: RelinkView::Identical,
        movable: Some(0.972),
        text_bytes: Some(2000),
        immovable: vec![ImmovableView {
            why: "assembly".to_owned(),
            bytes: Some(56),
        }],
        sections_added: false,
        compiled_twice: true,
        refused_twice: None,
        pristine_bytes: Some((1990, 2000)),
        whole_objects: (0..5).map(whole).collect(),
        problems: Vec::new(),
        companions: Vec::new(),
    }
}

fn build() -> BuildView {
    let tool = |role: &str, path: &str| ToolView {
        role: role.to_owned(),
        path: Text::of(path),
        version: "12.2.0".to_owned(),
        hash: String::new(),
    };
    BuildView {
        name: "base".to_owned(),
        id: "5ce51885".repeat(8),
        created_ms: 1_763_900_000_000,
        proofmark: "0.1.0".to_owned(),
        command: vec![Text::of("make")],
        cwd: Text::of("/p"),
        revision: Some(RevisionView {
            commit: "0123456789abcdef".to_owned(),
            modified: true,
            patch: Some(Text::of("objects/5c/e518")),
        }),
        images: vec![image("bin/prog")],
        chosen: Some(0),
        runs: 2,
        toolchain: vec![
            tool("driver", "/usr/bin/gcc"),
            tool("compiler", "/usr/lib/cc1"),
            tool("linker", "/usr/bin/ld"),
        ],
        objects: vec![ObjectView {
            file: Text::of("old.o"),
            member: None,
            hash: String::new(),
            seen: SeenView::Unseen {
                guess: "an earlier build".to_owned(),
            },
            compiler: None,
            flags: Vec::new(),
            source: None,
        }],
        stale: vec![StaleView {
            capture: "older".to_owned(),
            objects: 1,
            of: 3,
            differs: vec!["`-O0` against `-O2`".to_owned()],
        }],
        environment: Vec::new(),
        warnings: vec!["a name that colours: \u{1b}[31m".to_owned()],
    }
}

#[test]
fn a_build_for_people() {
    insta::assert_snapshot!(shown(&build()));
}

#[test]
fn what_cannot_be_moved_at_all_is_said_with_why() {
    let mut build = build();
    let image = &mut build.images[0];
    image.movable = None;
    image.text_bytes = None;
    image.immovable = vec![ImmovableView {
        why: "layouts cannot be made with mold".to_owned(),
        bytes: None,
    }];
    let said = shown(&build);
    assert!(said.contains("  nothing of it can be moved: layouts cannot be made with mold\n"));
    assert!(terminal(&[build], &STYLE).contains("not known"));
}

#[test]
fn what_the_capture_changed_or_could_not_is_said() {
    let mut build = build();
    let image = &mut build.images[0];
    image.sections_added = true;
    image.refused_twice = Some("identical code is folded".to_owned());
    let said = shown(&build);
    assert!(said.contains("which the build's own flags do not ask for"));
    assert!(said.contains("it is another program (identical code is folded)"));
    assert!(!said.contains("the build is as it was"));
}

#[test]
fn of_several_images_each_is_listed() {
    let mut build = build();
    build.chosen = None;
    build.images.push(image("bin/other"));
    let said = shown(&build);
    assert!(said.contains("  executable bin/prog\n  executable bin/other\n"));
    assert!(terminal(&[build], &STYLE).contains("2 images"));
}

#[test]
fn documents_are_valid_by_their_schemas() {
    for document in [one(&build()), json(vec![build()])] {
        let schema = schema(document["schema"].as_str().unwrap()).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        assert!(validator.is_valid(&document), "{document}");
    }
    let document = one(&build());
    assert_eq!(document["captured"], "2025-11-23T12:13:20Z");
    assert_eq!(document["images"][0]["movable"], 0.972);
    let for_people = ["label", "linker_kind", "text_bytes", "compiled_twice"];
    let image = document["images"][0].as_object().unwrap();
    assert!(for_people.iter().all(|key| !image.contains_key(*key)));
}
