//! The files of a source: links, revisions, and what lies above it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use proofmark_capture::hash_bytes;
use proofmark_project::{BuildObserver, BuiltCell, FlagSet, Names, ShellWords, SourceDefinition};

use super::{Bench, PLAIN, PROGRAM, bench, prints, project, why, with, without_header};
use crate::support::{Project, has};

/// Edits a file when the first build begins.
struct Edits {
    file: PathBuf,
    text: &'static str,
    done: Mutex<bool>,
}

impl Edits {
    fn of(bench: &Bench, file: &str, text: &'static str) -> Edits {
        Edits {
            file: bench.project.root.join(file),
            text,
            done: Mutex::new(false),
        }
    }
}

impl BuildObserver for Edits {
    fn ends(&self, _cell: &BuiltCell) {
        let mut done = self.done.lock().unwrap();
        if !*done {
            fs::write(&self.file, self.text).unwrap();
            *done = true;
        }
    }
}

#[test]
fn a_source_that_is_edited_between_builds_is_built_as_it_was_hashed() {
    if !has("gcc") {
        return;
    }
    let bench = with(project(), PLAIN, |definitions| {
        let set = |text: &str| FlagSet {
            add: ShellWords(vec![text.to_owned()]),
            ..FlagSet::default()
        };
        definitions.flags.insert("x".to_owned(), set("-DX"));
        definitions.matrix.flags = Some(vec![String::new(), "x".to_owned()]);
    });
    let edits = Edits::of(&bench, "src/cost.h", "#define COST 2\n");
    let built = bench.build_watched(&edits);
    // What was built is of one state, and filed under it: after the edit nothing is there.
    let found: Vec<String> = built.iter().map(prints).collect();
    assert_eq!(found, ["1", "1"]);
    assert!(!bench.is_there());
    let found: Vec<String> = bench.build().iter().map(prints).collect();
    assert_eq!(found, ["2", "2"]);
}

#[test]
fn what_lies_above_the_source_is_looked_for_in_vain_above_its_copy() {
    if !has("gcc") {
        return;
    }
    let project = project();
    project.file("conf", "-DCOST=3");
    let build = "{cc} -O1 $(cat ../conf 2>/dev/null) main.c -o program";
    let bench = bench(project, build);
    let built = bench.build();
    // Where nothing can be traced, this is what the line about it warns of.
    if let Some(made) = built[0].made() {
        assert!(made.unseen.is_some());
        return;
    }
    let why = why(&built[0]);
    assert!(
        why.contains("looks for ../conf, which lies above the source"),
        "{why}"
    );
}

const PATCH: &str = "--- a/cost.h\n+++ b/cost.h\n@@ -1,3 +1,3 @@\n #ifndef COST\n-#define COST 1\n\
                     +#define COST 4\n #endif\n";

/// The program as it is, and with a patch.
fn patched(build: &str) -> Bench {
    let project = project();
    project.file("fix.patch", PATCH);
    with(project, build, |definitions| {
        let patched = SourceDefinition {
            from: Some("program".to_owned()),
            patch: Some(Names(vec!["fix.patch".to_owned()])),
            ..SourceDefinition::default()
        };
        definitions.sources.insert("patched".to_owned(), patched);
    })
}

#[test]
fn a_patch_that_is_edited_between_builds_is_recorded_as_it_went_in() {
    if !has("gcc") {
        return;
    }
    let bench = patched(PLAIN);
    let edits = Edits::of(&bench, "fix.patch", "none\n");
    let built = bench.build_watched(&edits);
    assert_eq!(prints(&built[1]), "4");
    let patches = |cell: usize| built[cell].made().unwrap().patches.clone();
    assert!(patches(0).is_empty());
    assert_eq!(patches(1), [hash_bytes(PATCH.as_bytes())]);
}

/// Also where an earlier command made the build.
#[test]
fn a_patch_that_lands_elsewhere_is_said_each_time() {
    if !has("gcc") {
        return;
    }
    let bench = patched(PLAIN);
    let header = fs::read_to_string(bench.project.root.join("src/cost.h")).unwrap();
    let patch = PATCH.replace("@@ -1,3 +1,3 @@", "@@ -2,3 +2,3 @@");
    bench.project.file("fix.patch", &patch);
    let displaced = |above: &str| -> [Vec<String>; 2] {
        let text = format!("{above}{header}");
        bench.project.file("src/cost.h", &text);
        let built = bench.build();
        [0, 1].map(|cell| built[cell].made().unwrap().displaced.clone())
    };
    assert_eq!(displaced("\n"), [const { Vec::<String>::new() }; 2]);
    for _ in 0..2 {
        let [plain, patched] = displaced("\n\n\n");
        assert!(plain.is_empty());
        let said = "fix.patch: hunk 1 of cost.h went in 2 lines below";
        assert!(patched[0].contains(said), "{patched:?}");
    }
}

#[test]
fn a_patched_copy_is_not_built_from_the_original() {
    if !has("gcc") {
        return;
    }
    let build = "{cc} -O1 -include ROOT/src/cost.h main.c -o program";
    let bench = patched(build);
    let built = bench.build();
    // What both have alike may be read there.
    assert_eq!(prints(&built[0]), "1");
    if let Some(made) = built[1].made() {
        assert!(made.unseen.is_some());
        return;
    }
    let why = why(&built[1]);
    assert!(
        why.contains("src/cost.h, which is another file in the copy"),
        "{why}"
    );
}

#[test]
fn what_a_patch_removes_is_not_found_in_the_original() {
    if !has("gcc") {
        return;
    }
    let project = without_header();
    project
        .file("src/cost.h", "")
        .file("src/parts/a", "a\n")
        .file("src/parts/b", "b\n")
        .file(
            "fix.patch",
            "--- a/parts/b\n+++ /dev/null\n@@ -1 +0,0 @@\n-b\n",
        );
    let build = "{cc} -O1 -DCOST=$(ls ROOT/src/parts | wc -l) main.c -o program";
    let bench = with(project, build, |definitions| {
        let patched = SourceDefinition {
            from: Some("program".to_owned()),
            patch: Some(Names(vec!["fix.patch".to_owned()])),
            ..SourceDefinition::default()
        };
        definitions.sources.insert("patched".to_owned(), patched);
    });
    let built = bench.build();
    assert_eq!(prints(&built[0]), "2");
    if let Some(made) = built[1].made() {
        assert!(made.unseen.is_some());
        return;
    }
    let why = why(&built[1]);
    assert!(
        why.contains("src/parts, where other files are in the copy"),
        "{why}"
    );
}

#[test]
fn a_file_that_git_ignores_is_missed_by_name() {
    if !has("gcc") || !has("git") {
        return;
    }
    let project = project();
    let source = project.root.join("src");
    project
        .file("src/.gitignore", "*.mk\nprogram\n")
        .file("src/local.mk", "OPT = -DLOCAL\n")
        .file("src/unasked.mk", "")
        .file(
            "src/Makefile",
            "-include local.mk\nprogram: main.c\n\t$(CC) $(OPT) -o $@ main.c\n",
        );
    git(&source, &["init", "-q"]);
    git(&source, &["add", "."]);
    let built = bench(project, "make").build();
    let made = built[0].made().unwrap();
    if made.unseen.is_none() {
        assert_eq!(made.not_copied, ["local.mk".into()]);
    }
}

#[test]
fn who_looks_in_every_folder_above_finds_the_same_above_a_copy() {
    if !has("gcc") {
        return;
    }
    let project = project();
    project.file("conf", "");
    // Nothing is opened: a folder is chosen by what is there.
    let build = "d=$PWD; until [ $d = / ] || [ -e $d/conf ]; do d=${d%/*}; d=${d:-/}; done; \
        [ $d != / ] && {cc} -O1 -DCOST=7 main.c -o program";
    assert_eq!(prints(&bench(project, build).build()[0]), "7");
}

#[test]
fn links_lead_to_what_is_hashed() {
    if !has("gcc") {
        return;
    }
    // Into the source, by an absolute way: it leads into the copy, where a patch changes what it
    // leads to.
    let project = without_header();
    project.file("src/real.h", "#define COST 17\n");
    project.file(
        "fix.patch",
        "--- a/real.h\n+++ b/real.h\n@@ -1 +1 @@\n-#define COST 17\n+#define COST 18\n",
    );
    symlink(
        project.root.join("src/real.h"),
        project.root.join("src/cost.h"),
    )
    .unwrap();
    let bench = with(project, PLAIN, |definitions| {
        let patched = SourceDefinition {
            from: Some("program".to_owned()),
            patch: Some(Names(vec!["fix.patch".to_owned()])),
            ..SourceDefinition::default()
        };
        definitions.sources.insert("patched".to_owned(), patched);
    });
    let found: Vec<String> = bench.build().iter().map(prints).collect();
    assert_eq!(found, ["17", "18"]);

    // To a file outside, by both ways.
    for target in ["ROOT/shared/cost.h", "../shared/cost.h"] {
        let project = without_header();
        project.file("shared/cost.h", "x");
        let target = target.replace("ROOT", &project.root.display().to_string());
        symlink(target, project.root.join("src/cost.h")).unwrap();
        let texts = ["#define COST 19\n", "#define COST 20\n"];
        self::bench(project, PLAIN).changes("shared/cost.h", texts, ["19", "20"]);
    }

    // To a folder outside: refused, unless it is an input.
    let project = Project::new();
    project.file("src/main.c", &PROGRAM.replace("cost.h", "sub/cost.h"));
    project.file("shared/cost.h", "#define COST 21\n");
    symlink(project.root.join("shared"), project.root.join("src/sub")).unwrap();
    let mut bench = self::bench(project, PLAIN);
    let built = bench.build();
    assert!(
        why(&built[0]).contains("name it in `inputs`"),
        "{}",
        why(&built[0])
    );
    bench.definitions.sources["program"].inputs = Some(Names(vec!["shared".to_owned()]));
    let texts = ["#define COST 21\n", "#define COST 22\n"];
    bench.changes("shared/cost.h", texts, ["21", "22"]);
}

fn git(folder: &Path, words: &[&str]) {
    let mut command = std::process::Command::new("git");
    command.arg("-C").arg(folder).args([
        "-c",
        "user.name=n",
        "-c",
        "user.email=e",
        "-c",
        "init.defaultBranch=main",
    ]);
    let output = command.args(words).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn a_revision_is_all_of_its_files_and_an_error_of_git_is_one() {
    if !has("gcc") || !has("git") {
        return;
    }
    let project = project();
    project
        .file("src/.gitattributes", "cost.h export-ignore\n")
        .file("src/.gitignore", "fast.h\n")
        .file(
            "src/main.c",
            &format!("#if __has_include(\"fast.h\")\n#define COST 23\n#endif\n{PROGRAM}"),
        )
        .file("src/fast.h", "");
    let source = project.root.join("src");
    symlink(source.join("main.c"), source.join("absolute.c")).unwrap();
    git(&source, &["init", "-q"]);
    git(&source, &["add", "."]);
    git(&source, &["commit", "-qm", "first"]);
    let bench = with(project, PLAIN, |definitions| {
        let head = SourceDefinition {
            from: Some("program".to_owned()),
            rev: Some("HEAD".to_owned()),
            ..SourceDefinition::default()
        };
        definitions.sources.insert("head".to_owned(), head);
    });
    let found: Vec<String> = bench.build().iter().map(prints).collect();
    assert_eq!(found, ["1", "1"]);
    // Where git cannot say what is ignored, nothing is taken instead.
    fs::write(source.join(".git/HEAD"), "nonsense").unwrap();
    let built = bench.build();
    for cell in &built {
        assert!(why(cell).contains("git"), "{}", why(cell));
    }
}
