//! cargo, rustc, and a linker of the project's own.

use std::fs;
use std::path::Path;

use proofmark_capture::{BuildError, LinkKind, RelinkCheck, Seen, capture};
use proofmark_layout::LinkerKind;

use crate::support::{Project, has};

fn cargo_project() -> Project {
    let project = Project::new();
    project
        .file("Cargo.toml", "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ndep = { path = \"dep\" }\n[workspace]\n")
        .file("build.rs", "fn main() { println!(\"cargo:rerun-if-changed=build.rs\"); }\n")
        .file("src/main.rs", "fn main() { println!(\"{}\", dep::twice(std::env::args().count())); }\n")
        .file("dep/Cargo.toml", "[package]\nname = \"dep\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .file("dep/src/lib.rs", "#[inline(never)]\npub fn twice(x: usize) -> usize { x * 2 }\n");
    project
}

#[test]
fn cargo_is_captured_through_its_own_variables() {
    if !has("cargo") || !has("cc") {
        return;
    }
    let project = cargo_project();
    let capture = project.capture(&[
        "cargo",
        "build",
        "--release",
        "--offline",
        "--target-dir",
        "out",
    ]);
    assert_eq!(capture.links.len(), 1, "{capture:?}");
    let link = capture.image(None).unwrap();
    assert_eq!(
        capture
            .image(Some(Path::new("out/release/app")))
            .unwrap()
            .output,
        link.output
    );
    assert_eq!(link.relink, RelinkCheck::Identical);
    assert_eq!(link.problems, [] as [String; 0]);
    assert_eq!(capture.unseen().count(), 0, "{:?}", capture.objects);
    let dep = capture
        .objects
        .iter()
        .find(|object| object.file.to_string_lossy().contains("libdep"))
        .unwrap();
    assert_eq!(dep.seen, Seen::Compiled);
    assert!(
        dep.flags.iter().any(|flag| flag == "--crate-name"),
        "{dep:?}"
    );
    assert!(
        !capture
            .objects
            .iter()
            .any(|object| object.file.to_string_lossy().contains("libstd")),
        "the standard library is no build's own"
    );

    // What did not change is not compiled again, and is known all the same.
    project.file(
        "src/main.rs",
        "fn main() { println!(\"{}\", dep::twice(7)); }\n",
    );
    let again = project.capture(&[
        "cargo",
        "build",
        "--release",
        "--offline",
        "--target-dir",
        "out",
    ]);
    let dep = again
        .objects
        .iter()
        .find(|object| object.file.to_string_lossy().contains("libdep"))
        .unwrap();
    assert_eq!(
        dep.seen,
        Seen::Earlier {
            capture: "base".to_owned()
        }
    );
    let error = project
        .try_capture(&[
            "cargo",
            "build",
            "--release",
            "--offline",
            "--target-dir",
            "out",
        ])
        .unwrap_err();
    assert!(matches!(error, BuildError::NothingLinked { .. }), "{error}");
}

#[test]
fn a_linker_of_the_projects_own_is_chained_to() {
    if !has("cargo") || !has("clang-19") || !has("ld.lld-19") {
        return;
    }
    let project = cargo_project();
    let host = std::process::Command::new("rustc")
        .arg("-vV")
        .output()
        .unwrap();
    let host = String::from_utf8(host.stdout).unwrap();
    let host = host
        .lines()
        .find_map(|line| line.strip_prefix("host: "))
        .unwrap();
    project.file(
        ".cargo/config.toml",
        &format!("[target.{host}]\nlinker = \"tools/my-linker\"\nrustflags = [\"-Clink-arg=-fuse-ld=bfd\", \"-Clinker-features=-lld\"]\n[build]\nrustc-wrapper = \"tools/wrap\"\n"),
    );
    project
        .file(
            "tools/my-linker",
            "#!/bin/sh\necho \"$@\" >> linker.log\nexec clang-19 \"$@\"\n",
        )
        .file(
            "tools/wrap",
            "#!/bin/sh\necho wrapped >> \"$WRAP_LOG\"\nexec \"$@\"\n",
        );
    project.run(&["chmod", "+x", "tools/my-linker", "tools/wrap"]);
    let mut request = project.request("base", &["cargo", "build", "--offline"]);
    request
        .env
        .push(("WRAP_LOG".into(), project.root.join("wrap.log").into()));
    let capture = capture(&project.builds(), &request)
        .unwrap_or_else(|error| panic!("{error}\n{}", project.log()));
    assert!(
        project.root.join("linker.log").is_file(),
        "the project's linker was used"
    );
    assert!(
        project.root.join("wrap.log").is_file(),
        "the project's wrapper was used"
    );
    let link = capture.image(None).unwrap();
    assert_eq!(link.recipe.linker.kind, LinkerKind::GnuLd);
    assert_eq!(link.relink, RelinkCheck::Identical);
}

/// A linker of the project's own that leaves a mark in the image and a line in a log.
const MARKING: &str = "#!/bin/sh\necho ran >> \"$LINKER_LOG\"\nexec cc \"$@\" -Wl,--defsym=made_by_own_linker=1 -Wl,-z,max-page-size=0x200000\n";

/// Captures a cargo build after it was built without a capture: the file that is left is the same.
fn captured_with_own_linker(config: &str, more: &[&str]) {
    let project = Project::new();
    let linker = project.root.join("marking.sh");
    let linker = linker.to_str().unwrap();
    project
        .file("Cargo.toml", "[package]\nname = \"prog\"\nversion = \"0.1.0\"\nedition = \"2021\"\n")
        .file("src/main.rs", "unsafe extern \"C\" { fn getenv(n: *const u8) -> *const u8; }\nfn main() { println!(\"{}\", unsafe { getenv(b\"NOPE\\0\".as_ptr()) }.is_null()); }\n")
        .file("marking.sh", MARKING)
        .file(".cargo/config.toml", &config.replace("LINKER", linker));
    project.run(&["chmod", "+x", "marking.sh"]);
    let more: Vec<String> = more
        .iter()
        .map(|word| word.replace("LINKER", linker))
        .collect();
    let mut command = vec!["cargo", "build", "--release", "--offline"];
    command.extend(more.iter().map(String::as_str));
    let log = |name: &str| project.root.join(name);
    let plain = std::process::Command::new("cargo")
        .args(&command[1..])
        .current_dir(&project.root)
        .env_remove("CARGO_TARGET_DIR")
        .env("LINKER_LOG", log("plain.log"))
        .output()
        .unwrap();
    assert!(plain.status.success(), "{plain:?}");
    let program = project.root.join("target/release/prog");
    let own = fs::read(&program).unwrap();
    project.run(&["touch", "src/main.rs"]);
    let mut request = project.request("base", &command);
    request
        .env
        .push(("LINKER_LOG".into(), log("captured.log").into()));
    request.unset.push("CARGO_TARGET_DIR".into());
    let capture = capture(&project.builds(), &request).unwrap();
    assert_eq!(
        fs::read_to_string(log("captured.log")).ok(),
        fs::read_to_string(log("plain.log")).ok(),
        "{config}: the project's linker was used"
    );
    assert!(log("plain.log").is_file(), "{config}");
    assert!(
        fs::read(&program).unwrap() == own,
        "{config}: another file was left"
    );
    let link = capture
        .image(Some(Path::new("target/release/prog")))
        .unwrap();
    assert!(fs::read(&link.image).unwrap() == own, "{config}");
    assert_eq!(link.relink, RelinkCheck::Identical);
}

#[test]
fn a_linker_of_the_projects_own_stays_in_force_however_it_is_named() {
    if !has("cargo") || !has("cc") {
        return;
    }
    for (config, more) in [
        (
            "[target.\"cfg(target_os = \\\"linux\\\")\"]\nlinker = \"./marking.sh\"\n[target.'cfg(windows)']\nlinker = \"none\"\n",
            &[][..],
        ),
        ("[build]\nrustflags = [\"-C\", \"linker=LINKER\"]\n", &[]),
        (
            "",
            &[
                "--config",
                "target.'cfg(unix)'.rustflags=['-Clinker=LINKER']",
            ],
        ),
    ] {
        captured_with_own_linker(config, more);
    }
}

#[test]
fn rustc_alone() {
    if !has("rustc") || !has("cc") {
        return;
    }
    let project = Project::new();
    project.file(
        "p.rs",
        "fn main() { println!(\"{}\", std::env::args().count()); }\n",
    );
    let capture = project.capture(&["rustc", "-O", "p.rs"]);
    let link = capture.image(None).unwrap();
    assert_eq!(link.kind, LinkKind::Executable);
    assert_eq!(link.relink, RelinkCheck::Identical);
    assert_eq!(capture.unseen().count(), 0, "{:?}", capture.objects);
    assert!(
        capture
            .objects
            .iter()
            .all(|object| object.compiler.as_ref().unwrap().ends_with("rustc"))
    );
}
