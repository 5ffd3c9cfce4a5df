//! What a cell is made from, one ingredient after the other as `docs/matrix.md` lists them: each is
//! changed, and the cell is built again; when the change is taken back, the build from before it is
//! there again. What is no ingredient builds nothing.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::{Project, has};

const MAIN: &str = r##"
#include <stdio.h>
#include "own.h"
#include "chosen.h"
#include "linked.h"
#include "outer.h"
#include "made.h"
#if __has_include(<asked.h>)
#define ASKED 1
#else
#define ASKED 0
#endif
__asm__(".pushsection .rodata\n.incbin \"ROOT/taken.bin\"\n.popsection");
int kept(void);
int main(void) { return printf("%d %s\n", OWN + CHOSEN + LINKED + OUTER + MADE + ASKED + kept(), ZONE) < 0; }
"##;

/// `ROOT` is the project's folder.
const FILE: &str = r##"
[source.program]
path = "src"
build = "echo \"#define MADE $(cat ROOT/data/made)\" >made.h && {cc} -O1 {flags} @ROOT/options -DZONE=\"\\\"$TZ\\\"\" -specs=ROOT/own.specs -IROOT/early -IROOT/inc main.c -o program {ldflags} -fuse-ld=lld -LROOT/before -LROOT/lib -lkept -Wl,--version-script=ROOT/names.map"
image = "program"
patch = "fix.patch"
inputs = ["data"]
env = { MODE = "a" }

[toolchain.own]
command = "tools/own-gcc"
flags = "-DOF_TOOLCHAIN"

[flags.set]
add = "-DX=1 -DY=1"
link = "-Wl,--build-id=none"

[matrix]
flags = ["set"]

[benchmark]
command = "{}"
"##;

const PATCH: &str = "--- a/own.h\n+++ b/own.h\n@@ -1 +1,2 @@\n #define OWN 1\n+#define PATCHED 1\n";

/// What becomes of an ingredient.
enum Change {
    /// A file has this text, or is gone.
    Text(&'static str, Option<&'static str>),
    /// A file has another mode.
    Mode(&'static str, u32),
    /// A link leads elsewhere.
    Link(&'static str, &'static str),
    /// Words of the project's file are others.
    Words(&'static str, &'static str),
    /// A variable has this value.
    Variable(&'static str, &'static str),
    /// A file of the source has another name.
    Name(&'static str, &'static str),
}

use Change::{Link, Mode, Name, Text, Variable, Words};

struct Bench {
    project: Project,
}

impl Bench {
    /// `None` where a tool is missing.
    fn new() -> Option<Bench> {
        if !has(&["gcc", "ld.lld-19"]) {
            return None;
        }
        let project = Project::new();
        let root = project.path("").canonicalize().unwrap();
        for folder in [
            "src", "inc", "early", "lib", "before", "data", "tools", "shared", "bin", "further",
        ] {
            fs::create_dir(project.path(folder)).unwrap();
        }
        let of_root = |text: &str| text.replace("ROOT", root.to_str().unwrap());
        let bench = Bench { project };
        for (file, text) in [
            ("src/main.c", &*of_root(MAIN)),
            ("src/own.h", "#define OWN 1\n"),
            ("src/one.h", "#define CHOSEN 1\n"),
            ("src/two.h", "#define CHOSEN 2\n"),
            ("src/helper", "#!/bin/sh\n"),
            ("shared/linked.h", "#define LINKED 1\n"),
            ("inc/outer.h", "#define OUTER 1\n"),
            ("data/made", "1\n"),
            ("further/made", "1\n"),
            ("options", "-DOF_FILE=1\n"),
            ("taken.bin", "1"),
            ("own.specs", "\n"),
            ("names.map", "{ local: nothing*; };\n"),
            ("fix.patch", PATCH),
            ("kept.c", "int kept(void) { return 1; }\n"),
            ("tools/words", "-DTOLD=1\n"),
        ] {
            bench.project.write(file, text);
        }
        bench.program(
            "tools/own-gcc",
            &of_root("#!/bin/sh\nexec gcc $(cat ROOT/tools/words) \"$@\"\n"),
        );
        bench.program("bin/ld.lld", "#!/bin/sh\nexec ld.lld-19 \"$@\"\n");
        bench.library();
        symlink("one.h", bench.project.path("src/chosen.h")).unwrap();
        symlink("../further", bench.project.path("data/through")).unwrap();
        symlink(".", bench.project.path("data/round")).unwrap();
        symlink(
            root.join("shared/linked.h"),
            bench.project.path("src/linked.h"),
        )
        .unwrap();
        bench.project.write("proofmark.toml", &of_root(FILE));
        Some(bench)
    }

    fn program(&self, file: &str, text: &str) {
        self.project.write(file, text);
        self.mode(file, 0o755);
    }

    fn mode(&self, file: &str, mode: u32) {
        fs::set_permissions(self.project.path(file), fs::Permissions::from_mode(mode)).unwrap();
    }

    fn run(&self, program: &str, words: &[&str]) {
        let mut command = Command::new(program);
        let status = command
            .args(words)
            .current_dir(self.project.path(""))
            .status();
        assert!(status.unwrap().success(), "{program} {words:?}");
    }

    /// Makes the library of `kept.c` anew.
    fn library(&self) {
        self.run(
            "gcc",
            &["-shared", "-fPIC", "kept.c", "-o", "lib/libkept.so"],
        );
    }

    fn command(&self, words: &[&str]) -> Command {
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.project.path("bin").display());
        let mut command = self.project.command(words);
        command.env("PATH", path).env("TZ", "UTC");
        for variable in ["LD_PRELOAD", "LD_LIBRARY_PATH", "OF_NOBODY", "CPATH"] {
            command.env_remove(variable);
        }
        command
    }

    /// The capture that is the only cell's build, made where it is missing.
    fn built(&self, variable: Option<(&str, &str)>) -> String {
        let said = self
            .command(&["matrix", "build", "--offline", "--json"])
            .envs(variable)
            .output()
            .unwrap();
        let cells: Value = serde_json::from_slice(&said.stdout).unwrap_or_default();
        let cell = &cells["cells"][0];
        let capture = cell["capture"].as_str();
        let capture = capture.unwrap_or_else(|| panic!("{variable:?}: {said:?}"));
        capture.to_owned()
    }

    /// The key before anything is built.
    fn key(&self, variable: Option<(&str, &str)>) -> String {
        let said = self
            .command(&["matrix", "plan", "--json"])
            .envs(variable)
            .output()
            .unwrap();
        let plan: Value = serde_json::from_slice(&said.stdout).unwrap();
        plan["cells"][0]["key"].as_str().unwrap().to_owned()
    }

    /// Builds with the change, and without it afterwards.
    fn with(&self, change: &Change) -> [String; 2] {
        match change {
            Variable(name, value) => [self.built(Some((name, value))), self.built(None)],
            Text(file, text) => {
                let place = self.project.path(file);
                let before = fs::read(&place).ok();
                let after = text.map(|text| text.replace("ROOT", &self.root()).into_bytes());
                put(&place, after.as_deref());
                let changed = self.built(None);
                put(&place, before.as_deref());
                [changed, self.built(None)]
            }
            Mode(file, mode) => {
                let before = fs::metadata(self.project.path(file)).unwrap().permissions();
                self.mode(file, *mode);
                let changed = self.built(None);
                self.mode(file, before.mode());
                [changed, self.built(None)]
            }
            Link(file, target) => {
                let place = self.project.path(file);
                let before = fs::read_link(&place).unwrap();
                led(&place, target.as_ref());
                let changed = self.built(None);
                led(&place, &before);
                [changed, self.built(None)]
            }
            Words(before, after) => {
                let place = self.project.path("proofmark.toml");
                let file = fs::read_to_string(&place).unwrap();
                assert!(file.contains(before), "{before}");
                fs::write(&place, file.replacen(before, after, 1)).unwrap();
                let changed = self.built(None);
                fs::write(&place, file).unwrap();
                [changed, self.built(None)]
            }
            Name(before, after) => {
                let (before, after) = (self.project.path(before), self.project.path(after));
                fs::rename(&before, &after).unwrap();
                let changed = self.built(None);
                fs::rename(&after, &before).unwrap();
                [changed, self.built(None)]
            }
        }
    }

    fn root(&self) -> String {
        let root = self.project.path("").canonicalize().unwrap();
        root.to_str().unwrap().to_owned()
    }

    /// Each of these is built again, and found again once it is taken back.
    fn are_ingredients(&self, all: &[(&str, Change)]) {
        let first = self.built(None);
        assert_eq!(self.built(None), first, "nothing changed");
        for (what, change) in all {
            let [changed, back] = self.with(change);
            assert_ne!(changed, first, "{what} changed, and nobody saw it");
            assert_eq!(back, first, "{what} as before");
        }
    }

    /// None of these builds anything.
    fn are_none(&self, all: &[(&str, Change)]) {
        let first = self.built(None);
        for (what, change) in all {
            let found = self.with(change);
            assert_eq!(found, [&*first; 2], "{what}");
        }
    }
}

fn put(place: &Path, text: Option<&[u8]>) {
    match text {
        Some(text) => {
            let mode = fs::metadata(place).map(|about| about.permissions());
            fs::write(place, text).unwrap();
            if let Ok(mode) = mode {
                fs::set_permissions(place, mode).unwrap();
            }
        }
        None => fs::remove_file(place).unwrap(),
    }
}

fn led(place: &Path, target: &Path) {
    fs::remove_file(place).unwrap();
    symlink(target, place).unwrap();
}

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
fn every_variable_that_builds_get_is_in_the_key_and_no_other() {
    let Some(bench) = Bench::new() else { return };
    let first = bench.key(None);
    assert_eq!(bench.key(None), first);
    assert_eq!(bench.key(Some(("OF_NOBODY", "1"))), first);
    let documented = include_str!("../../../docs/matrix.md");
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
