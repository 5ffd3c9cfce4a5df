//! A matrix of builds of a small C program: gcc and clang, flag sets, sources and patches, and what
//! goes wrong.

mod made;
mod options;
mod toolchains;

use std::fs;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::support::{Project, has, shim};
use indexmap::IndexMap;
use proofmark_project::{
    BuildObserver, BuildOutcome, BuildPlan, BuiltCell, Cell, CellState, Cells, Definitions,
    FlagSet, MatrixDefinition, ShellWords, SourceDefinition, Unwatched, Workshop, cells, identical,
};

const PROGRAM: &str = "#include <stdio.h>\n#include \"table.h\"\n\
    int main(void) { int sum = 0; for (int i = 0; i < N; i++) sum += table(i); printf(\"%d\\n\", sum); return 0; }\n";

const TABLE: &str = "#include \"table.h\"\nint table(int i) {\n    return i * 3;\n}\n";

const BUILD: &str = "make CC={cc} CFLAGS='-O2 {flags}' program";

const MAKEFILE: &str = "program: main.o table.o\n\t$(CC) $(CFLAGS) -o $@ main.o table.o\n%.o: %.c table.h\n\t$(CC) $(CFLAGS) -c -o $@ $<\n";

/// The same with one of the objects in an archive.
fn from_archive(makefile: &str) -> String {
    makefile.replace("main.o table.o", "main.o libtable.a")
        + "libtable.a: table.o\n\trm -f $@; ar rc $@ table.o\n"
}

fn project() -> Project {
    let project = Project::new();
    project
        .file("src/main.c", PROGRAM)
        .file("src/table.c", TABLE)
        .file(
            "src/table.h",
            "int table(int i);\n#ifndef N\n#define N 10\n#endif\n",
        )
        .file("src/Makefile", MAKEFILE);
    project
}

/// One source, `program`, built by [`BUILD`].
fn definitions(toolchains: &[&str], flags: &[(&str, &str)]) -> Definitions {
    let source = SourceDefinition {
        path: Some("src".into()),
        build: Some(BUILD.to_owned()),
        image: Some("program".into()),
        ..SourceDefinition::default()
    };
    let set = |text: &str| FlagSet {
        add: ShellWords(text.split(' ').map(str::to_owned).collect()),
        ..FlagSet::default()
    };
    let mut entries = vec![String::new()];
    entries.extend(flags.iter().map(|(name, _)| (*name).to_owned()));
    Definitions {
        sources: IndexMap::from([("program".to_owned(), source)]),
        flags: flags
            .iter()
            .map(|(name, text)| ((*name).to_owned(), set(text)))
            .collect(),
        matrix: MatrixDefinition {
            toolchains: Some(toolchains.iter().map(|name| (*name).to_owned()).collect()),
            flags: Some(entries),
            ..MatrixDefinition::default()
        },
        ..Definitions::default()
    }
}

struct Bench {
    project: Project,
    definitions: Definitions,
    cells: Cells,
}

impl Bench {
    fn new(project: Project, definitions: Definitions) -> Bench {
        let cells = cells(&definitions).unwrap();
        Bench {
            project,
            definitions,
            cells,
        }
    }

    fn workshop(&self) -> Workshop<'_> {
        let root = &self.project.root;
        Workshop::open(
            &self.definitions,
            &self.cells,
            root,
            &root.join(".proofmark"),
        )
        .unwrap()
        .with_shims(shim())
    }

    fn build(&self) -> Vec<BuiltCell> {
        let workshop = self.workshop();
        workshop.build(&workshop.plan(), None, &Unwatched).unwrap()
    }

    fn plan(&self) -> BuildPlan {
        self.workshop().plan()
    }
}

fn why(cell: &BuiltCell) -> &str {
    match &cell.outcome {
        BuildOutcome::Failed(failure) => &failure.why,
        BuildOutcome::Made(_) => panic!("{} was built", cell.cell),
    }
}

fn missing(plan: &BuildPlan) -> Vec<&str> {
    let missing = |state: &CellState| !matches!(state, CellState::Built { .. });
    plan.cells
        .iter()
        .filter(|of| missing(&of.state))
        .map(|of| of.cell.name.as_str())
        .collect()
}

/// What each image prints.
fn prints(cell: &BuiltCell) -> String {
    let image = &cell
        .made()
        .unwrap_or_else(|| panic!("{}", why(cell)))
        .links()
        .unwrap()[0]
        .image;
    let out = std::process::Command::new(image).output().unwrap();
    String::from_utf8(out.stdout).unwrap()
}

/// Notes the builds that were begun, and stops once so many have ended.
#[derive(Default)]
struct Begun {
    names: Mutex<Vec<String>>,
    most: Option<usize>,
    ended: AtomicUsize,
}

impl BuildObserver for Begun {
    fn begins(&self, cell: &Cell) {
        self.names.lock().unwrap().push(cell.name.clone());
    }

    fn ends(&self, _cell: &BuiltCell) {
        self.ended.fetch_add(1, Ordering::SeqCst);
    }

    fn stopped(&self) -> bool {
        self.most
            .is_some_and(|most| self.ended.load(Ordering::SeqCst) >= most)
    }
}

#[test]
fn each_cell_is_built_once_and_is_what_its_name_says() {
    if !has("gcc") || !has("clang-19") {
        return;
    }
    let bench = Bench::new(
        project(),
        definitions(&["gcc", "clang-19"], &[("large", "-DN=20")]),
    );
    let plan = bench.plan();
    assert_eq!(
        missing(&plan),
        ["gcc", "gcc large", "clang-19", "clang-19 large"]
    );
    let built = bench.build();
    assert_eq!(
        built.iter().map(prints).collect::<Vec<_>>(),
        ["135\n", "570\n", "135\n", "570\n"]
    );
    for cell in &built {
        let made = cell.made().unwrap();
        let comments = made.links().unwrap()[0].comments.join(" ");
        assert_eq!(
            comments.contains("clang"),
            cell.cell.axes.toolchain == "clang-19",
            "{comments}"
        );
        assert_eq!(made.flags.missing, [], "{}", cell.cell);
        assert!(fs::read_to_string(&cell.log).unwrap().contains("-O2"));
    }
    assert!(identical(&built).is_empty());

    // Nothing to do, and still nothing after the same content was written again.
    let begun = Begun::default();
    fs::write(bench.project.root.join("src/table.c"), TABLE).unwrap();
    let workshop = bench.workshop();
    workshop.build(&workshop.plan(), None, &begun).unwrap();
    assert_eq!(*begun.names.lock().unwrap(), [""; 0]);
    // Sources are never touched.
    assert!(!bench.project.root.join("src/program").exists());

    fs::write(
        bench.project.root.join("src/table.c"),
        TABLE.replace('3', "4"),
    )
    .unwrap();
    assert_eq!(missing(&bench.plan()).len(), 4);
    assert_eq!(prints(&bench.build()[0]), "180\n");
}

#[test]
fn a_build_that_fails_stops_no_other() {
    if !has("gcc") {
        return;
    }
    let bench = Bench::new(
        project(),
        definitions(
            &["gcc"],
            &[
                ("broken", "-Dtable=1"),
                ("rejected", "-fno-such-thing-at-all"),
            ],
        ),
    );
    let built = bench.build();
    assert_eq!(prints(&built[0]), "135\n");
    assert!(
        why(&built[1]).contains("the build failed"),
        "{}",
        why(&built[1])
    );
    assert!(fs::read_to_string(&built[1].log).unwrap().contains("error"));
    assert!(
        why(&built[2]).contains("the toolchain rejects its flags"),
        "{}",
        why(&built[2])
    );
    let plan = bench.plan();
    assert_eq!(missing(&plan), ["gcc broken", "gcc rejected"]);
    assert!(
        matches!(&plan.cells[1].state, CellState::Missing { failed_before: Some(why) } if why.contains("failed"))
    );
}

#[test]
fn an_interrupted_matrix_goes_on_where_it_ended() {
    if !has("gcc") {
        return;
    }
    let bench = Bench::new(
        project(),
        definitions(&["gcc"], &[("a", "-DN=1"), ("b", "-DN=2")]),
    );
    let workshop = bench.workshop();
    let first = Begun {
        most: Some(1),
        ..Begun::default()
    };
    let built = workshop.build(&workshop.plan(), Some(1), &first).unwrap();
    assert_eq!(built.iter().filter(|cell| cell.made().is_some()).count(), 1);
    // What a killed build leaves in its folder is not taken for sources.
    let key = bench.plan().cells[1].key.clone().unwrap();
    let left = bench
        .project
        .root
        .join(".proofmark/matrix/work")
        .join(&key[..16]);
    fs::create_dir_all(&left).unwrap();
    fs::write(left.join("main.o"), "half an object").unwrap();
    let second = Begun::default();
    let built = workshop.build(&workshop.plan(), None, &second).unwrap();
    assert_eq!(
        built.iter().map(prints).collect::<Vec<_>>(),
        ["135\n", "0\n", "3\n"]
    );
    assert_eq!(second.names.lock().unwrap().len(), 2);
}

#[test]
fn revisions_and_patches_are_sources() {
    if !has("gcc") || !has("git") {
        return;
    }
    let project = project();
    let git = |arguments: &[&str]| {
        let done = std::process::Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .current_dir(&project.root)
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "first"]);
    project
        .file("src/table.c", &TABLE.replace('3', "5"))
        .file("five.patch", "--- a/table.c\n+++ b/table.c\n@@ -1,4 +1,4 @@\n #include \"table.h\"\n int table(int i) {\n-    return i * 3;\n+    return i * 7;\n }\n");
    let mut definitions = definitions(&["gcc"], &[]);
    let from = |rev: Option<&str>, patch: bool| SourceDefinition {
        from: Some("program".to_owned()),
        rev: rev.map(str::to_owned),
        patch: patch.then(|| proofmark_project::Names(vec!["five.patch".to_owned()])),
        ..SourceDefinition::default()
    };
    for (name, source) in [
        ("old", from(Some("HEAD"), false)),
        ("patched", from(Some("HEAD"), true)),
        ("clash", from(None, true)),
        ("nowhere", from(Some("no-such-revision"), false)),
    ] {
        definitions.sources.insert(name.to_owned(), source);
    }
    let bench = Bench::new(project, definitions);
    let built = bench.build();
    assert_eq!(
        built[..3].iter().map(prints).collect::<Vec<_>>(),
        ["225\n", "135\n", "315\n"]
    );
    assert!(
        why(&built[3]).contains("five.patch does not apply: error: patch failed: table.c:1"),
        "{}",
        why(&built[3])
    );
    assert!(
        why(&built[4]).contains("`no-such-revision` is no revision"),
        "{}",
        why(&built[4])
    );
}

#[test]
fn compiled_files_are_no_sources() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let built = std::process::Command::new("make")
        .arg("program")
        .current_dir(project.root.join("src"))
        .output()
        .unwrap();
    assert!(built.status.success());
    let bench = Bench::new(project, definitions(&["gcc"], &[]));
    assert_eq!(prints(&bench.build()[0]), "135\n");
}
