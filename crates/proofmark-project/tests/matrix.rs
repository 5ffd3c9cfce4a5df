//! A matrix of builds of a small C program: gcc and clang, flag sets, sources and patches, and what
//! goes wrong.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's own functions fail as its assertions do"
)]

mod support;

use std::fs;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use indexmap::IndexMap;
use proofmark_project::{
    BuildObserver, BuildOutcome, BuildPlan, BuiltCell, Cell, CellState, Cells, Definitions,
    FlagSet, MatrixDefinition, ShellWords, SourceDefinition, Unwatched, Workshop, cells, identical,
    uneven,
};
use proofmark_project::{ToolchainDefinition, ToolchainError, Toolchains};
use proofmark_terms::Feature;
use support::{Project, has, shim};

const PROGRAM: &str = "#include <stdio.h>\n#include \"table.h\"\n\
    int main(void) { int sum = 0; for (int i = 0; i < N; i++) sum += table(i); printf(\"%d\\n\", sum); return 0; }\n";
const TABLE: &str = "#include \"table.h\"\nint table(int i) {\n    return i * 3;\n}\n";
const BUILD: &str = "make CC={cc} CFLAGS='-O2 {flags}' program";
const MAKEFILE: &str = "program: main.o table.o\n\t$(CC) $(CFLAGS) -o $@ main.o table.o\n%.o: %.c table.h\n\t$(CC) $(CFLAGS) -c -o $@ $<\n";

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
fn options_that_do_not_arrive_are_named() {
    if !has("clang-19") {
        return;
    }
    let project = project();
    // One object has options of its own, and behind all of them -O1.
    let makefile = MAKEFILE.replace("-c -o $@ $<", "-c -o $@ $< -O1")
        + "table.o: table.c\n\t$(CC) -O1 -c table.c\n";
    project.file("src/Makefile", &makefile);
    let bench = Bench::new(
        project,
        definitions(
            &["clang-19"],
            &[
                ("asked", "-DX=1 -O3"),
                ("ignored", "-fno-tree-vectorize-slp-x -fgcse"),
            ],
        ),
    );
    let built = bench.build();
    let made = built[1]
        .made()
        .unwrap_or_else(|| panic!("{}", why(&built[1])));
    let said: Vec<String> = made
        .flags
        .missing
        .iter()
        .map(|of| format!("{} {}", of.flag, of.why))
        .collect();
    assert_eq!(
        said,
        [
            "-DX=1 did not reach 1 of 2 objects (table.c)",
            "-O3 did not reach 1 of 2 objects (table.c)"
        ]
    );
    assert!(
        why(&built[2]).contains("unknown argument: '-fno-tree-vectorize-slp-x'"),
        "{}",
        why(&built[2])
    );
}

#[test]
fn an_ignored_option_is_named() {
    if !has("clang-19") {
        return;
    }
    let bench = Bench::new(project(), definitions(&["clang-19"], &[("pta", "-fgcse")]));
    let built = bench.build();
    let made = built[1]
        .made()
        .unwrap_or_else(|| panic!("{}", why(&built[1])));
    assert_eq!(made.flags.missing.len(), 1, "{:?}", made.flags);
    assert!(
        made.flags.missing[0].why.starts_with("is ignored: "),
        "{:?}",
        made.flags
    );
    // The option changes nothing: the two images are the same bytes, and that is said.
    let same = identical(&built);
    assert_eq!(same.len(), 1);
    assert_eq!(
        same[0]
            .iter()
            .map(|cell| cell.name.as_str())
            .collect::<Vec<_>>(),
        ["clang-19", "clang-19 pta"]
    );
}

#[test]
fn what_nobody_asked_for_is_named_where_it_differs() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let hardened = project.root.join("gcc-hardened");
    let script = "#!/bin/sh\nexec gcc -fstack-protector-all -fcf-protection=full -fzero-call-used-regs=used-gpr \"$@\"\n";
    fs::write(&hardened, script).unwrap();
    fs::set_permissions(
        &hardened,
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let mut definitions = definitions(&["gcc", "hard"], &[("guard", "-fstack-protector-all")]);
    definitions.toolchains.insert(
        "hard".to_owned(),
        ToolchainDefinition {
            command: Some(hardened.to_string_lossy().into_owned()),
            ..ToolchainDefinition::default()
        },
    );
    let built = Bench::new(project, definitions).build();
    let unasked = |at: usize| -> Vec<Feature> {
        let made = built[at]
            .made()
            .unwrap_or_else(|| panic!("{}", why(&built[at])));
        made.flags
            .unasked()
            .map(|finding| finding.feature)
            .filter(|of| *of != Feature::Pie)
            .collect()
    };
    assert_eq!(unasked(0), []);
    assert_eq!(unasked(1), []);
    if cfg!(target_arch = "x86_64") {
        assert_eq!(
            unasked(2),
            [
                Feature::Cet,
                Feature::StackProtector,
                Feature::ZeroedRegisters
            ]
        );
    }
    let named: Vec<(Feature, Vec<String>)> = uneven(&built)
        .into_iter()
        .map(|of| (of.feature, of.without))
        .collect();
    assert!(
        named.contains(&(Feature::StackProtector, vec!["gcc".to_owned()])),
        "{named:?}"
    );
    assert!(
        named.iter().all(|(feature, _)| *feature != Feature::Pie),
        "{named:?}"
    );
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

#[test]
fn a_build_by_another_compiler_is_not_taken() {
    if !has("gcc") || !has("clang-19") {
        return;
    }
    let mut definitions = definitions(&["clang-19"], &[]);
    definitions.sources["program"].build = Some("make CC=gcc program".to_owned());
    let built = Bench::new(project(), definitions).build();
    assert!(
        why(&built[0]).contains("not by toolchain `clang-19`: does its build use {cc}?"),
        "{}",
        why(&built[0])
    );
}

#[test]
fn a_toolchain_that_is_not_what_is_written_is_an_error() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    let toolchains = Toolchains::open(&project.root.join(".proofmark"));
    let definition = |command: &str, version: Option<&str>, flags: &str| ToolchainDefinition {
        command: Some(command.to_owned()),
        version: version.map(str::to_owned),
        flags: ShellWords(flags.split_whitespace().map(str::to_owned).collect()),
        ..ToolchainDefinition::default()
    };
    let found = toolchains
        .find("gcc", &definition("gcc", None, ""))
        .unwrap();
    assert!(
        !found.version.is_empty() && found.linker.contains("ld"),
        "{found:?}"
    );
    let again = toolchains
        .find("gcc", &definition("gcc", Some(&found.version), ""))
        .unwrap();
    assert_eq!(again.hash, found.hash);

    let error = toolchains
        .find("gcc", &definition("gcc", Some("3.4"), ""))
        .unwrap_err();
    assert!(
        matches!(&error, ToolchainError::Version { wanted, found: is, .. } if wanted == "3.4" && *is == found.version)
    );
    let error = toolchains
        .find("x", &definition("no-such-compiler", None, ""))
        .unwrap_err();
    assert!(matches!(error, ToolchainError::Missing { .. }), "{error}");
    let error = toolchains
        .find("x", &definition("gcc", None, "-Wl,--no-such-option"))
        .unwrap_err();
    assert!(
        matches!(error, ToolchainError::Broken { doing: "link", .. }),
        "{error}"
    );
    let bad = ToolchainDefinition {
        provider: Some("npm:gcc".to_owned()),
        ..ToolchainDefinition::default()
    };
    assert!(matches!(
        toolchains.find("x", &bad),
        Err(ToolchainError::Provider { .. })
    ));
}

#[test]
fn another_library_behind_the_same_version_is_another_toolchain() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    let toolchains = Toolchains::open(&project.root.join(".proofmark"));
    let script = |word: &str| -> PathBuf {
        let place = project.root.join("my-gcc");
        fs::write(&place, format!("#!/bin/sh\n# {word}\nexec gcc \"$@\"\n")).unwrap();
        fs::set_permissions(&place, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        place
    };
    let definition = ToolchainDefinition {
        command: Some(script("one").to_string_lossy().into_owned()),
        ..ToolchainDefinition::default()
    };
    let one = toolchains.find("mine", &definition).unwrap();
    script("other");
    let other = toolchains.find("mine", &definition).unwrap();
    assert_eq!(one.version, other.version);
    assert_ne!(one.hash, other.hash);
}
