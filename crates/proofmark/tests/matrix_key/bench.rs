//! A project of which one thing is changed at a time, and what its cells are known by.

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use self::Change::{Link, Mode, Name, Text, Variable, Words};
use crate::support::{Project, has};

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
pub(super) enum Change {
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

pub(super) struct Bench {
    pub(super) project: Project,
}

impl Bench {
    /// `None` where a tool is missing.
    pub(super) fn new() -> Option<Bench> {
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

    pub(super) fn program(&self, file: &str, text: &str) {
        self.project.write(file, text);
        self.mode(file, 0o755);
    }

    pub(super) fn mode(&self, file: &str, mode: u32) {
        fs::set_permissions(self.project.path(file), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(super) fn run(&self, program: &str, words: &[&str]) {
        let mut command = Command::new(program);
        let status = command
            .args(words)
            .current_dir(self.project.path(""))
            .status();
        assert!(status.unwrap().success(), "{program} {words:?}");
    }

    /// Makes the library of `kept.c` anew.
    pub(super) fn library(&self) {
        self.run(
            "gcc",
            &["-shared", "-fPIC", "kept.c", "-o", "lib/libkept.so"],
        );
    }

    pub(super) fn command(&self, words: &[&str]) -> Command {
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
    pub(super) fn built(&self, variable: Option<(&str, &str)>) -> String {
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
    pub(super) fn key(&self, variable: Option<(&str, &str)>) -> String {
        let mut plan = self.command(&["matrix", "plan", "--json"]);
        Self::key_of(plan.envs(variable))
    }

    /// The same of a plan that a shell starts when it has done this.
    pub(super) fn key_after(&self, said: &str) -> String {
        let plan = self.command(&["matrix", "plan", "--json"]);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{said}; exec \"$@\""), "sh"]);
        shell.arg(plan.get_program()).args(plan.get_args());
        for (name, value) in plan.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        Self::key_of(shell.current_dir(plan.get_current_dir().unwrap()))
    }

    fn key_of(plan: &mut Command) -> String {
        let said = plan.output().unwrap();
        let plan: Value = serde_json::from_slice(&said.stdout).unwrap();
        plan["cells"][0]["key"].as_str().unwrap().to_owned()
    }

    /// Builds with the change, and without it afterwards.
    pub(super) fn with(&self, change: &Change) -> [String; 2] {
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

    pub(super) fn root(&self) -> String {
        let root = self.project.path("").canonicalize().unwrap();
        root.to_str().unwrap().to_owned()
    }

    /// Each of these is built again, and found again once it is taken back.
    pub(super) fn are_ingredients(&self, all: &[(&str, Change)]) {
        let first = self.built(None);
        assert_eq!(self.built(None), first, "nothing changed");
        for (what, change) in all {
            let [changed, back] = self.with(change);
            assert_ne!(changed, first, "{what} changed, and nobody saw it");
            assert_eq!(back, first, "{what} as before");
        }
    }

    /// None of these builds anything.
    pub(super) fn are_none(&self, all: &[(&str, Change)]) {
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
