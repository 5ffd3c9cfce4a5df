//! What a cell is made from, one ingredient after the other as `docs/matrix.md` lists them: each is
//! changed, and the cell is built again; when the change is taken back, the build from before it is
//! there again. What is no ingredient builds nothing.

#![expect(
    clippy::panic,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod bench;

use std::fs;
use std::path::PathBuf;

use crate::support::has;
use bench::Bench;
use bench::Change::{Link, Mode, Name, Text, Variable, Words};

#[test]
fn the_sources_and_what_is_said_of_them() {
    let Some(bench) = Bench::new() else { return };
    bench.are_ingredients(&[
        ("a source", Text("src/helper", Some("#!/bin/sh\ntrue\n"))),
        ("a new file", Text("src/new.txt", Some("x"))),
        ("the name of a file", Name("src/two.h", "src/three.h")),
        ("an executable bit", Mode("src/helper", 0o755)),
        ("the target of a link", Link("src/chosen.h", "two.h")),
        (
            "a file that a link leads to",
            Text("shared/linked.h", Some("#define LINKED 2\n")),
        ),
        (
            "a patch",
            Text(
                "fix.patch",
                Some(
                    "--- a/own.h\n+++ b/own.h\n@@ -1 +1,2 @@\n #define OWN 1\n+#define PATCHED 2\n",
                ),
            ),
        ),
        ("patches", Words("patch = \"fix.patch\"\n", "")),
        ("an input", Text("data/made", Some("2\n"))),
        ("a new input", Text("data/more", Some("x"))),
        (
            "an input that a link to a folder leads to",
            Text("further/made", Some("2\n")),
        ),
        (
            "the inputs",
            Words("inputs = [\"data\"]", "inputs = [\"data\", \"lib\"]"),
        ),
        ("the command", Words("{cc} -O1", "{cc} -O2")),
        (
            "a variable of the source",
            Words("MODE = \"a\"", "MODE = \"b\""),
        ),
        ("the image", Words("image = \"program\"\n", "")),
    ]);
}

#[test]
fn the_words_the_toolchain_and_the_environment() {
    let Some(bench) = Bench::new() else { return };
    bench.are_ingredients(&[
        ("a word of {flags}", Words("-DX=1 -DY=1", "-DX=1 -DY=2")),
        ("the order of words", Words("-DX=1 -DY=1", "-DY=1 -DX=1")),
        (
            "a word of {ldflags}",
            Words("--build-id=none", "--build-id=sha1"),
        ),
        (
            "an option of the toolchain",
            Words("-DOF_TOOLCHAIN", "-DOF_TOOLCHAIN=2"),
        ),
        (
            "the driver",
            Text(
                "tools/own-gcc",
                Some("#!/bin/sh\n# another one\nexec gcc $(cat ROOT/tools/words) \"$@\"\n"),
            ),
        ),
        (
            "what the driver adds",
            Text("tools/words", Some("-DTOLD=2\n")),
        ),
        (
            "the linker",
            Text(
                "bin/ld.lld",
                Some("#!/bin/sh\n# another one\nexec ld.lld-19 \"$@\"\n"),
            ),
        ),
        (
            "a variable that is passed on",
            Variable("TZ", "Europe/Zurich"),
        ),
    ]);
    bench.are_none(&[
        ("a variable of nobody's", Variable("OF_NOBODY", "1")),
        ("a variable that compilers would read", Variable("CPATH", "/usr/include")),
        (
            "the name of a flag set",
            Words(
                "[matrix]\nflags = [\"set\"]",
                "[flags.tes]\nadd = \"-DX=1 -DY=1\"\nlink = \"-Wl,--build-id=none\"\n\n[matrix]\nflags = [\"tes\"]",
            ),
        ),
        ("how it is run", Words("command = \"{}\"", "command = \"{} 1\"")),
    ]);
}

/// All variables that builds get.
const PASSED: [&str; 20] = [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TMPDIR",
    "TZ",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "CARGO_HOME",
    "RUSTUP_HOME",
    "RUSTUP_TOOLCHAIN",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
];

#[test]
fn what_builds_get_is_in_the_key_and_no_other_variable() {
    let Some(bench) = Bench::new() else { return };
    let first = bench.key(None);
    assert_eq!(bench.key(None), first);
    assert_eq!(bench.key(Some(("OF_NOBODY", "1"))), first);
    let documented = include_str!("../../../../docs/matrix.md");
    for variable in PASSED {
        let value = match variable {
            "PATH" => format!(
                "{}:{}",
                bench.project.path("bin").display(),
                "/usr/bin:/bin"
            ),
            "TMPDIR" => bench.project.path("data").display().to_string(),
            // The loader says nothing of an empty one.
            "LD_PRELOAD" | "LD_LIBRARY_PATH" => String::new(),
            _ => "/nowhere".to_owned(),
        };
        assert_ne!(bench.key(Some((variable, &value))), first, "{variable}");
        let named = documented.contains(&format!("`{variable}`"));
        assert!(
            named || variable.to_lowercase().ends_with("proxy"),
            "{variable}"
        );
    }
    // What builds inherit beside variables, as far as anybody may change it.
    assert_eq!(bench.key_after("true"), first);
    let few = [
        "umask 077",
        "ulimit -n 200",
        "ulimit -f 99999",
        "ulimit -s 4096",
        "ulimit -t 9999",
        "ulimit -v 99999999",
        "ulimit -d 99999999",
    ];
    for changed in few {
        assert_ne!(bench.key_after(changed), first, "{changed}");
    }
    if has(&["setarch"]) {
        let other = bench.key_after("exec setarch i686 \"$@\"");
        assert_ne!(other, first, "on another kind of processor");
    }
    let cores = std::thread::available_parallelism().unwrap();
    if has(&["taskset"]) && cores.get() > 1 {
        let one = bench.key_after("taskset -pc 0 $$ >/dev/null");
        assert_ne!(one, first, "on one core");
    }
}

#[test]
fn what_compilers_and_the_link_read_or_look_for_in_vain() {
    let Some(bench) = Bench::new() else { return };
    bench.are_ingredients(&[
        (
            "a header outside",
            Text("inc/outer.h", Some("#define OUTER 2\n")),
        ),
        (
            "an earlier header",
            Text("early/outer.h", Some("#define OUTER 3\n")),
        ),
        (
            "a precompiled header",
            Text("inc/outer.h.gch", Some("none\n")),
        ),
        ("what assembly takes in", Text("taken.bin", Some("2"))),
        (
            "a header that is asked for",
            Text("inc/asked.h", Some("\n")),
        ),
        ("a file of options", Text("options", Some("-DOF_FILE=2\n"))),
        (
            "a file that an option of the compiler names",
            Text("own.specs", Some("\n\n")),
        ),
        (
            "a file that an option of the link names",
            Text("names.map", Some("{ local: another*; };\n")),
        ),
    ]);
    let first = bench.built(None);
    // A library, and one that comes to stand before it.
    bench
        .project
        .write("kept.c", "int kept(void) { return 2; }\n");
    let library = bench.project.path("lib/libkept.so");
    let before = fs::read(&library).unwrap();
    bench.library();
    let after = fs::read(&library).unwrap();
    assert_ne!(bench.built(None), first, "a library");
    fs::write(&library, before).unwrap();
    assert_eq!(bench.built(None), first);
    let early: PathBuf = bench.project.path("before/libkept.so");
    fs::write(&early, after).unwrap();
    assert_ne!(bench.built(None), first, "an earlier library");
    fs::remove_file(&early).unwrap();
    assert_eq!(bench.built(None), first);
    // What is touched only is what it was.
    bench.project.write("inc/outer.h", "#define OUTER 1\n");
    assert_eq!(bench.built(None), first);
}
