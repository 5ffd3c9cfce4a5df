//! A revision as a source of a matrix: all of its files as they are in it, or a refusal by name.

#![expect(
    clippy::panic,
    reason = "a test that meets the unexpected should stop there and then"
)]

use std::fs;
use std::process::Command;

use crate::support::{Project, has};
use serde_json::Value;

const FILE: &str = r#"
[source.program]
path = "part"
rev = "HEAD"
build = "if git rev-parse HEAD; then exit 1; fi; {cc} -O1 main.c -o program && ./program; echo cost=$?"
image = "program"

[toolchain.gcc]
command = "gcc"

[benchmark]
command = "{}"
"#;

/// A repository, and a source in a folder of it.
struct Bench {
    project: Project,
}

impl Bench {
    fn new() -> Option<Bench> {
        if !has(&["gcc", "git"]) {
            return None;
        }
        let bench = Bench {
            project: Project::new(),
        };
        fs::create_dir(bench.project.path("part")).unwrap();
        bench.project.write("proofmark.toml", FILE);
        bench.project.write(
            "part/main.c",
            "#include \"cost.h\"\nint main(void) { return COST; }\n",
        );
        bench.project.write("part/cost.h", "#define COST 0\n");
        bench.git(&["init", "-q", "."]);
        bench.commit();
        Some(bench)
    }

    fn git(&self, words: &[&str]) {
        let mut command = Command::new("git");
        for setting in ["user.name=n", "user.email=e", "protocol.file.allow=always"] {
            command.args(["-c", setting]);
        }
        let output = command
            .args(words)
            .current_dir(self.project.path(""))
            .output()
            .unwrap();
        assert!(output.status.success(), "{words:?}: {output:?}");
    }

    fn commit(&self) {
        self.git(&["add", "part"]);
        self.git(&["commit", "-qm", "x"]);
    }

    fn build(&self) -> Value {
        let said = self.project.run(&["matrix", "build", "--json"]);
        let cells: Value = serde_json::from_str(&said.out).unwrap();
        cells["cells"][0].clone()
    }

    /// What the built program ended with, as the build's own output says.
    fn cost(&self) -> String {
        let cell = self.build();
        assert!(cell["capture"].is_string(), "{cell:#}");
        let log = fs::read_to_string(cell["log"].as_str().unwrap()).unwrap();
        let said = log.lines().find_map(|line| line.strip_prefix("cost="));
        said.unwrap_or_else(|| panic!("{log}")).to_owned()
    }

    fn refused(&self, parts: &[&str]) {
        let cell = self.build();
        let why = cell["problem"]
            .as_str()
            .unwrap_or_else(|| panic!("{cell:#}"));
        for part in parts {
            assert!(why.contains(part), "{part}: {why}");
        }
    }
}

#[test]
fn files_of_git_lfs_are_filled_in_or_named() {
    let Some(bench) = Bench::new() else { return };
    let content = "#define COST 7\n";
    let id = format!("abab{}", "0".repeat(60));
    let pointer = format!(
        "version https://git-lfs.github.com/spec/v1\noid sha256:{id}\nsize {}\n",
        content.len()
    );
    bench.project.write("part/cost.h", &pointer);
    // The attribute stands above the source, where its own tree does not show it.
    bench
        .project
        .write(".gitattributes", "part/cost.h filter=lfs\n");
    bench.git(&["add", ".gitattributes"]);
    bench.commit();
    bench.refused(&["part/cost.h", "git LFS", "git lfs fetch"]);
    let kept = bench.project.path(&format!(".git/lfs/objects/ab/ab/{id}"));
    fs::create_dir_all(kept.parent().unwrap()).unwrap();
    fs::write(kept, content).unwrap();
    assert_eq!(bench.cost(), "7");
}

#[test]
fn a_patch_writes_the_lines_that_it_has() {
    let Some(bench) = Bench::new() else { return };
    let patched = "#define COST 0\n// more  \n";
    bench.project.write(
        "fix.patch",
        "--- a/cost.h\n+++ b/cost.h\n@@ -1 +1,2 @@\n #define COST 0\n+// more  \n",
    );
    let file = FILE
        .replace("rev = \"HEAD\"", "patch = \"fix.patch\"")
        .replace("cost=$?", "cost=$(wc -c <cost.h)");
    bench.project.write("proofmark.toml", &file);
    // The user's own settings, which are in no key.
    let home = tempfile::tempdir().unwrap();
    let settings = "[core]\n\tautocrlf = true\n[apply]\n\twhitespace = fix\n";
    fs::write(home.path().join(".gitconfig"), settings).unwrap();
    let said = bench
        .project
        .command(&["matrix", "build"])
        .env("HOME", home.path())
        .output()
        .unwrap();
    assert!(said.status.success(), "{said:?}");
    let log = bench
        .project
        .command(&["matrix", "log", "gcc"])
        .env("HOME", home.path())
        .output()
        .unwrap();
    let log = String::from_utf8(log.stdout).unwrap();
    let cost = format!("cost={}", patched.len());
    assert!(log.lines().any(|line| line == cost), "{log}");
}

#[test]
fn a_patch_that_lands_elsewhere_is_said() {
    let Some(bench) = Bench::new() else { return };
    let patch = "--- a/cost.h\n+++ b/cost.h\n@@ -2 +2,2 @@\n #define COST 0\n+// more\n";
    bench.project.write("fix.patch", patch);
    bench.project.write("part/cost.h", "\n\n#define COST 0\n");
    let file = FILE.replace("rev = \"HEAD\"", "patch = \"fix.patch\"");
    bench.project.write("proofmark.toml", &file);
    let said = bench.project.done(&["matrix", "build"]).err;
    let told = "fix.patch: hunk 1 of cost.h went in 1 line below the place that it was made for";
    assert!(said.contains(told), "{said}");
}

#[test]
fn a_repository_inside_of_the_revision_is_named() {
    let Some(bench) = Bench::new() else { return };
    let inner = tempfile::tempdir().unwrap();
    let place = inner.path().to_str().unwrap().to_owned();
    bench.git(&["init", "-q", &place]);
    fs::write(inner.path().join("x.h"), "").unwrap();
    bench.git(&["-C", &place, "add", "."]);
    bench.git(&["-C", &place, "commit", "-qm", "x"]);
    bench.git(&["submodule", "--quiet", "add", &place, "part/inner"]);
    bench.commit();
    bench.refused(&["`inner`", "repository of its own", "leave `rev` out"]);
}

#[test]
fn a_filter_of_the_user_s_is_named_and_settings_change_nothing() {
    let Some(bench) = Bench::new() else { return };
    let first = bench.build()["capture"].clone();
    assert!(first.is_string());
    // These make another file of the same revision in a checkout.
    bench.git(&["config", "core.autocrlf", "true"]);
    bench.git(&["config", "filter.twice.smudge", "sed s/0/3/"]);
    assert_eq!(bench.build()["capture"], first);
    bench.project.write(
        "part/main.c",
        "#include \"cost.h\"\nint main(void) { return COST + 1; }\n",
    );
    bench.commit();
    assert_eq!(bench.cost(), "1");
    bench
        .project
        .write(".gitattributes", "part/cost.h filter=twice\n");
    bench.git(&["add", ".gitattributes"]);
    bench.project.write(
        "part/main.c",
        "#include \"cost.h\"\nint main(void) { return COST + 2; }\n",
    );
    bench.commit();
    bench.refused(&["part/cost.h", "`twice`", "leave `rev` out"]);
}
