//! What goes wrong around a capture: tools that die, disks that fill up, captures that are killed.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::{Project, c_program, has, shim};
use proofmark_capture::{BuildError, Builds, Capture, RelinkCheck, capture};

fn project() -> Project {
    let project = Project::new();
    c_program(&project);
    project
}

/// Runs a script with another `as` in the compilers' way, with and without a capture, and returns
/// what the compiler said.
fn said_with_assembler(assembler: &str) -> (String, String) {
    let project = project();
    project.file("tools/as", assembler);
    project.run(&["chmod", "+x", "tools/as"]);
    let script = "gcc main.c -c 2>said; echo $? >>said; exit 0";
    let plain = Command::new("sh")
        .args(["-c", script])
        .env("COMPILER_PATH", project.root.join("tools"))
        .current_dir(&project.root)
        .status();
    assert!(plain.is_ok_and(|status| status.success()));
    let said =
        |project: &Project| fs::read_to_string(project.root.join("said")).unwrap_or_default();
    let plain = said(&project);
    let mut request = project.request("base", &["sh", "-c", script]);
    request
        .env
        .push(("COMPILER_PATH".into(), project.root.join("tools").into()));
    let error = capture(&project.builds(), &request);
    assert!(
        matches!(error, Err(BuildError::NothingLinked { .. })),
        "{error:?}"
    );
    (plain, said(&project))
}

#[test]
fn a_tool_that_is_killed_looks_killed_to_the_compiler() {
    if !has("gcc") {
        return;
    }
    let (plain, captured) = said_with_assembler("#!/bin/sh\nkill -TERM $$\n");
    assert!(plain.contains("signal terminated program as"), "{plain}");
    assert_eq!(captured, plain);
}

/// The compiler passes its start-up objects with the question, so that it looks like a link.
#[test]
fn a_question_to_the_linker_is_no_link() {
    if !has("gcc") {
        return;
    }
    let project = project();
    project.file("m.c", "int main(void) { return 0; }\n");
    let script = "gcc -Wl,--version >said && gcc m.c -o p";
    let request = project.request("base", &["sh", "-c", script]);
    let captured = capture(&project.builds(), &request).unwrap();
    assert!(captured.warnings.is_empty(), "{:?}", captured.warnings);
    assert_eq!(captured.links.len(), 1);
}

#[test]
fn a_pipe_that_a_linker_reads_is_named() {
    if !has("gcc") || !has("bash") {
        return;
    }
    let project = project();
    project.file("m.c", "int main(void) { return 0; }\n");
    let script = "gcc m.c -o p -Wl,--version-script=<(echo '{ global: main; local: *; };')";
    let request = project.request("base", &["bash", "-ec", script]);
    let error = capture(&project.builds(), &request).expect_err("nobody has what was read");
    let said = error.to_string();
    assert!(
        said.contains("/dev/fd/") && said.contains("is a pipe"),
        "{said}"
    );
}

#[test]
fn the_exit_of_a_tool_is_its_own() {
    if !has("gcc") {
        return;
    }
    let (plain, captured) = said_with_assembler("#!/bin/sh\necho no >&2\nexit 3\n");
    assert!(plain.contains("no\n"), "{plain}");
    assert_eq!(captured, plain);
}

#[test]
fn a_folder_of_shims_outlives_its_capture() {
    if !has("gcc") {
        return;
    }
    let project = project();
    project.file(
        "build.sh",
        "gcc -print-prog-name=ld > linker; gcc main.c twice.c -lm -o prog\n",
    );
    project.capture(&["sh", "-ec", ". ./build.sh"]);
    let linker = fs::read_to_string(project.root.join("linker")).unwrap_or_default();
    assert!(linker.contains(".proofmark"), "{linker}");
    // libtool and cmake write such names down; they must go on working without a capture.
    let version = Command::new(linker.trim())
        .arg("--version")
        .output()
        .unwrap_or_else(|error| panic!("{error}"));
    assert!(String::from_utf8_lossy(&version.stdout).contains("GNU ld"));
    project.run(&[linker.trim(), "--version"]);
}

/// What a capture into a store of so many KiB comes to: the capture or why there is none, how many
/// are listed, and bytes that are left.
#[expect(
    clippy::panic,
    clippy::print_stdout,
    reason = "a part of the test below, which stops or says that it does nothing"
)]
fn captured_into(kib: u32) -> Option<(Result<Capture, BuildError>, usize, u64)> {
    let project = project();
    let store = project.root.join("small");
    fs::create_dir(&store).unwrap_or_else(|error| panic!("{error}"));
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", &format!("size={kib}k"), "tmpfs"])
        .arg(&store)
        .stderr(Stdio::null())
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("skipped: needs the right to mount");
        return None;
    }
    let build = ["gcc", "-static", "main.c", "twice.c", "-lm", "-o", "prog"];
    let made = Builds::open(&store).map(|builds| {
        let captured = capture(&builds, &project.request("base", &build));
        let listed = builds.list().map_or(0, |list| list.builds.len());
        let objects = walkdir::WalkDir::new(store.join("objects"));
        let left = objects.into_iter().filter_map(Result::ok);
        let bytes = left
            .filter_map(|entry| entry.metadata().ok().filter(fs::Metadata::is_file))
            .map(|about| about.len());
        (captured, listed, bytes.sum())
    });
    let unmounted = Command::new("umount").arg("--lazy").arg(&store).status();
    assert!(unmounted.is_ok_and(|status| status.success()));
    assert!(project.root.join("prog").is_file(), "the build went on");
    Some(made.unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn a_full_disk_is_reported_and_leaves_nothing() {
    if !has("gcc") || !has("mount") {
        return;
    }
    let mut whole = 0;
    // From a store that holds hardly more than the shims to one that holds everything.
    for kib in (600..=16_000).step_by(1_400) {
        let Some((captured, listed, left)) = captured_into(kib) else {
            return;
        };
        match captured {
            Ok(capture) => {
                let link = &capture.links[0];
                assert_eq!(link.problems, [] as [String; 0], "{kib} KiB");
                assert_eq!(link.relink, RelinkCheck::Identical, "{kib} KiB");
                assert_eq!(listed, 1);
                whole += 1;
            }
            Err(error) => {
                let BuildError::NoRoom { needed, .. } = error else {
                    panic!("{kib} KiB: {error}");
                };
                assert!(needed > 0 && whole == 0, "{kib} KiB");
                assert_eq!((listed, left), (0, 0), "{kib} KiB: something was left");
            }
        }
    }
    assert!(whole > 0, "the largest store holds it");
}

#[test]
fn a_killed_capture_leaves_no_build_and_is_swept() {
    if !has("gcc") || !has("mkfifo") {
        return;
    }
    let project = project();
    project.run(&["mkfifo", "reached", "go-on"]);
    let script = "gcc main.c twice.c -lm -o prog; echo > reached; read line < go-on";
    let mut running = Command::new(shim())
        .args([".proofmark", "base", "sh", "-c", script])
        .current_dir(&project.root)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("{error}"));
    let mut line = String::new();
    let reached = fs::File::open(project.root.join("reached"))
        .and_then(|mut pipe| pipe.read_to_string(&mut line));
    assert!(reached.is_ok());

    let builds = project.builds();
    assert!(
        project.root.join(".proofmark/capturing").is_dir(),
        "a capture that runs is not swept"
    );
    assert!(matches!(
        builds.remove("other"),
        Err(BuildError::Busy { .. })
    ));

    assert!(running.kill().is_ok() && running.wait().is_ok());
    assert!(fs::write(project.root.join("go-on"), "\n").is_ok());
    let builds = project.builds();
    assert!(builds.list().is_ok_and(|list| list.builds.is_empty()));
    assert!(!project.root.join(".proofmark/capturing").exists());
    assert!(Path::new(&project.root).join("prog").is_file());
}

#[test]
fn two_captures_at_once_do_not_harm_each_other() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let spawn = |name: &str| {
        Command::new(shim())
            .args([
                ".proofmark",
                name,
                "gcc",
                "-O2",
                "main.c",
                "twice.c",
                "-lm",
                "-o",
            ])
            .arg(format!("prog-{name}"))
            .current_dir(&project.root)
            .stdout(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let mut both = [spawn("one"), spawn("two")];
    assert!(
        both.iter_mut()
            .all(|child| child.wait().is_ok_and(|status| status.success()))
    );
    for name in ["one", "two"] {
        let found = project.builds().find(name).map(|capture| capture.name);
        assert!(found.is_ok(), "{name}: {found:?}");
    }
}
