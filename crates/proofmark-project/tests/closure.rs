//! What a cell of a matrix is made from: each of these changed, and the cell is built again;
//! nothing that was built is taken for something else.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test's own functions fail as its assertions do"
)]

mod support;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use indexmap::IndexMap;
use proofmark_project::{
    BuildObserver, BuildOutcome, BuiltCell, CellState, Cells, Definitions, FlagSet,
    MatrixDefinition, Names, ShellWords, SourceDefinition, Unwatched, Workshop, cells,
};
use support::{Project, has, shim};

/// Prints `COST`, which a header may define.
const PROGRAM: &str = "#include <stdio.h>\n#include \"cost.h\"\n\
    int main(void) { printf(\"%d\\n\", COST); return 0; }\n";

struct Bench {
    project: Project,
    definitions: Definitions,
    cells: Cells,
}

/// A source in `src`, built by gcc and a command, whose `ROOT` is the project's folder.
fn bench(project: Project, build: &str) -> Bench {
    with(project, build, |_| {})
}

fn with(project: Project, build: &str, change: impl FnOnce(&mut Definitions)) -> Bench {
    let root = project.root.display().to_string();
    let source = SourceDefinition {
        path: Some("src".into()),
        build: Some(build.replace("ROOT", &root)),
        image: Some("program".into()),
        ..SourceDefinition::default()
    };
    let mut definitions = Definitions {
        sources: IndexMap::from([("program".to_owned(), source)]),
        matrix: MatrixDefinition {
            toolchains: Some(vec!["gcc".to_owned()]),
            ..MatrixDefinition::default()
        },
        ..Definitions::default()
    };
    change(&mut definitions);
    Bench {
        cells: cells(&definitions).unwrap(),
        project,
        definitions,
    }
}

impl Bench {
    fn workshop(&self) -> Workshop<'_> {
        let root = &self.project.root;
        let folder = root.join(".proofmark");
        let workshop = Workshop::open(&self.definitions, &self.cells, root, &folder);
        workshop.unwrap().with_shims(shim())
    }

    fn build(&self) -> Vec<BuiltCell> {
        self.build_watched(&Unwatched)
    }

    fn build_watched(&self, observer: &dyn BuildObserver) -> Vec<BuiltCell> {
        let workshop = self.workshop();
        workshop.build(&workshop.plan(), Some(1), observer).unwrap()
    }

    /// What the only cell prints, built where it is missing.
    fn prints(&self) -> String {
        prints(&self.build()[0])
    }

    fn is_there(&self) -> bool {
        let plan = self.workshop().plan();
        let there = |state: &CellState| matches!(state, CellState::Built { .. });
        plan.cells.iter().all(|of| there(&of.state))
    }

    /// Says that a change is seen, what is built then, and that what was built before is found
    /// again.
    fn changes(&self, file: &str, [before, after]: [&str; 2], prints: [&str; 2]) {
        let place = self.project.root.join(file);
        let write = |text: &str| {
            if text.is_empty() {
                let _ = fs::remove_file(&place);
            } else {
                self.project.file(file, text);
            }
        };
        write(before);
        assert_eq!(self.prints(), prints[0]);
        assert!(self.is_there(), "{file} as before");
        write(after);
        assert!(!self.is_there(), "{file} changed, and nobody saw it");
        assert_eq!(self.prints(), prints[1]);
        assert!(self.is_there(), "{file} as after");
        write(before);
        assert!(self.is_there(), "{file} as before again");
        assert_eq!(self.prints(), prints[0]);
    }
}

fn why(cell: &BuiltCell) -> &str {
    match &cell.outcome {
        BuildOutcome::Failed(failure) => &failure.why,
        BuildOutcome::Made(_) => panic!("{} was built", cell.cell),
    }
}

fn prints(cell: &BuiltCell) -> String {
    let made = cell.made().unwrap_or_else(|| panic!("{}", why(cell)));
    let image = &made.links().unwrap()[0].image;
    let out = std::process::Command::new(image).output().unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn project() -> Project {
    let project = Project::new();
    project
        .file("src/main.c", PROGRAM)
        .file("src/cost.h", "#ifndef COST\n#define COST 1\n#endif\n");
    project
}

/// Of a project whose header is elsewhere.
fn without_header() -> Project {
    let project = Project::new();
    project.file("src/main.c", PROGRAM);
    project
}

const PLAIN: &str = "{cc} -O1 {flags} main.c -o program {ldflags}";

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
fn a_header_outside_of_the_sources_is_hashed() {
    if !has("gcc") {
        return;
    }
    let build = PLAIN.replace("{flags}", "{flags} -IROOT/inc");
    let texts = ["#define COST 3\n", "#define COST 4\n"];
    bench(without_header(), &build).changes("inc/cost.h", texts, ["3", "4"]);
}

#[test]
fn a_header_outside_of_the_sources_is_hashed_with_clang_and_its_own_dependencies() {
    if !has("clang-19") {
        return;
    }
    let build = "{cc} -O1 -IROOT/inc -MMD -MF main.d -c main.c -o main.o && grep -q cost.h main.d && {cc} main.o -o program";
    let texts = ["#define COST 3\n", "#define COST 4\n"];
    let bench = with(without_header(), build, |definitions| {
        definitions.matrix.toolchains = Some(vec!["clang-19".to_owned()]);
    });
    bench.changes("inc/cost.h", texts, ["3", "4"]);
}

#[test]
fn a_header_that_comes_to_stand_before_another_is_seen() {
    if !has("gcc") {
        return;
    }
    let project = without_header();
    fs::create_dir_all(project.root.join("first")).unwrap();
    project.file("second/cost.h", "#define COST 5\n");
    let build = PLAIN.replace("{flags}", "-IROOT/first -IROOT/second");
    bench(project, &build).changes("first/cost.h", ["", "#define COST 6\n"], ["5", "6"]);
    // So is one in a folder that was not there.
    let project = without_header();
    project.file("second/cost.h", "#define COST 5\n");
    let bench = bench(project, &build);
    assert_eq!(bench.prints(), "5");
    assert!(bench.is_there());
    bench.project.file("first/cost.h", "#define COST 6\n");
    assert!(!bench.is_there());
    assert_eq!(bench.prints(), "6");
}

#[test]
fn a_header_that_is_only_asked_for_is_seen() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    let asks = PROGRAM.replace(
        "#include \"cost.h\"",
        "#if __has_include(<cost.h>)\n#define COST 7\n#else\n#define COST 8\n#endif",
    );
    project.file("src/main.c", &asks);
    fs::create_dir_all(project.root.join("inc")).unwrap();
    let build = PLAIN.replace("{flags}", "-IROOT/inc");
    bench(project, &build).changes("inc/cost.h", ["", "\n"], ["8", "7"]);
}

#[test]
fn a_library_outside_of_the_sources_is_hashed() {
    if !has("gcc") {
        return;
    }
    let project = Project::new();
    project.file(
        "src/main.c",
        &PROGRAM.replace(
            "#include \"cost.h\"",
            "int cost(void);\n#define COST cost()",
        ),
    );
    let library = |cost: u32| {
        project.file("cost.c", &format!("int cost(void) {{ return {cost}; }}\n"));
        project.run(&[
            "gcc",
            "-O1",
            "-shared",
            "-fPIC",
            "cost.c",
            "-o",
            "lib/libcost.so",
        ]);
        fs::read(project.root.join("lib/libcost.so")).unwrap()
    };
    fs::create_dir_all(project.root.join("lib")).unwrap();
    fs::create_dir_all(project.root.join("early")).unwrap();
    let (nine, ten) = (library(9), library(10));
    let root = project.root.clone();
    let build = format!("{PLAIN} -LROOT/early -LROOT/lib -lcost -Wl,-rpath,ROOT/lib");
    let bench = bench(project, &build);
    assert_eq!(bench.prints(), "10");
    assert!(bench.is_there());
    let place = root.join("lib/libcost.so");
    fs::write(&place, nine).unwrap();
    assert!(!bench.is_there());
    fs::write(&place, &ten).unwrap();
    assert!(bench.is_there());
    // One that comes to stand before it.
    fs::write(root.join("early/libcost.so"), ten).unwrap();
    assert!(!bench.is_there());
}

#[test]
fn options_from_a_file_outside_of_the_sources_are_hashed() {
    if !has("gcc") {
        return;
    }
    let build = PLAIN.replace("{flags}", "@ROOT/options");
    bench(project(), &build).changes("options", ["-DCOST=11\n", "-DCOST=12\n"], ["11", "12"]);
}

#[test]
fn options_that_pass_through_the_driver_from_a_file_are_hashed() {
    if !has("gcc") {
        return;
    }
    let program = PROGRAM.replace(
        "#include \"cost.h\"",
        "extern char cost[];\n#define COST ((int)(long)cost)",
    );
    for (what, words) in [
        ("linker", ["--defsym=cost=21\n", "--defsym=cost=22\n"]),
        ("assembler", ["--defsym N=21\n", "--defsym N=22\n"]),
    ] {
        let project = Project::new();
        project.file("src/main.c", &program);
        let build = if what == "linker" {
            format!("{PLAIN} -no-pie -Wl,@ROOT/words")
        } else {
            project.file("src/cost.s", ".globl cost\n.set cost, N\n");
            format!("{PLAIN} -no-pie cost.s -Wa,@ROOT/words")
        };
        bench(project, &build).changes("words", words, ["21", "22"]);
    }
}

#[test]
fn what_assembly_takes_in_is_hashed_be_it_a_file_of_its_own() {
    if !has("gcc") {
        return;
    }
    let program = PROGRAM.replace(
        "#include \"cost.h\"",
        "extern const int cost;\n#define COST cost",
    );
    let assembly = ".section .rodata\n.globl cost\ncost: .include \"first.inc\"\n\
        .section .note.GNU-stack,\"\",@progbits\n";
    for found in ["{cc} -O1 -Wa,-IROOT/inc", "{cc} -O1 -I ROOT/inc"] {
        let project = Project::new();
        project
            .file("src/main.c", &program)
            .file("src/cost.s", &assembly.replace("cost: ", "cost:\n"))
            .file("inc/first.inc", ".include \"second.inc\"\n");
        let build = format!("{found} {{flags}} main.c cost.s -o program");
        let texts = [".long 23\n", ".long 24\n"];
        bench(project, &build).changes("inc/second.inc", texts, ["23", "24"]);
    }
}

#[test]
fn files_that_a_file_of_options_takes_in_are_hashed() {
    if has("gcc") {
        let project = project();
        let second = project.root.join("second");
        let first = format!("%include <{}>\n", second.display());
        project.file("first", &first);
        let build = PLAIN.replace("{flags}", "-specs=ROOT/first");
        let said = |cost: &str| format!("*cpp_unique_options:\n+ -DCOST={cost}\n\n");
        let texts = [said("25"), said("26")];
        bench(project, &build).changes("second", [&texts[0], &texts[1]], ["25", "26"]);
    }
    if has("clang-19") {
        let project = project();
        project.file("first", "@second\n");
        let build = PLAIN.replace("{flags}", "--config=ROOT/first");
        let bench = with(project, &build, |definitions| {
            definitions.matrix.toolchains = Some(vec!["clang-19".to_owned()]);
        });
        bench.changes("second", ["-DCOST=27\n", "-DCOST=28\n"], ["27", "28"]);
    }
}

#[test]
fn what_is_embedded_from_an_earlier_folder_is_seen() {
    if !has("clang-19") {
        return;
    }
    let project = Project::new();
    let program = PROGRAM.replace(
        "#include \"cost.h\"",
        "static const char cost[] = {\n#embed <cost.txt>\n};\n#define COST cost[0]",
    );
    project
        .file("src/main.c", &program)
        .file("second/cost.txt", "A");
    fs::create_dir_all(project.root.join("first")).unwrap();
    let flags = "-std=c23 --embed-dir=ROOT/first --embed-dir=ROOT/second";
    let bench = with(project, &PLAIN.replace("{flags}", flags), |definitions| {
        definitions.matrix.toolchains = Some(vec!["clang-19".to_owned()]);
    });
    bench.changes("first/cost.txt", ["", "B"], ["65", "66"]);
}

#[test]
fn profiles_in_a_folder_are_hashed_also_where_only_compilations_name_it() {
    if !has("gcc") {
        return;
    }
    let project = project();
    let profiles = project.root.join("profiles");
    fs::create_dir_all(&profiles).unwrap();
    let build = "{cc} -O1 -fprofile-use=ROOT/profiles -c main.c && {cc} main.o -o program";
    let bench = bench(project, build);
    assert_eq!(bench.prints(), "1");
    assert!(bench.is_there());
    // Where gcc looked for it: the folder of the build is in the name.
    let log = fs::read_dir(bench.project.root.join(".proofmark/matrix/logs"));
    let log = fs::read_to_string(log.unwrap().next().unwrap().unwrap().path()).unwrap();
    let sought = log.split('\'').find(|word| word.ends_with(".gcda"));
    let sought = sought.map_or_else(|| panic!("{log}"), PathBuf::from);
    fs::write(sought, "no profile").unwrap();
    assert!(!bench.is_there());
}

#[test]
fn of_several_images_the_file_says_which() {
    if !has("gcc") {
        return;
    }
    let build = format!("{PLAIN} && {{cc}} -DCOST=2 main.c -o other");
    let bench = with(project(), &build, |definitions| {
        definitions.sources["program"].image = None;
    });
    let built = bench.build();
    let said = why(&built[0]);
    let which = "2 images: say by `image` in [source.program] which one benchmarks run: ";
    assert!(said.contains(which), "{said}");
}

#[test]
fn a_file_is_known_by_its_whole_name() {
    if !has("gcc") {
        return;
    }
    // An object may be called otherwise than its source.
    let build = "{cc} -O1 -c main.c -o called.o && {cc} called.o -o program";
    assert_eq!(bench(project(), build).prints(), "1");
    // Another file of that name went through {cc}; the headers of this one nobody knows.
    let project = without_header();
    project
        .file("src/other/main.c", "int other;\n")
        .file("inc/cost.h", "#define COST 29\n");
    let build = "{cc} -c other/main.c -o one.o && gcc -IROOT/inc -c main.c -o two.o && {cc} one.o two.o -o program";
    let built = bench(project, build).build();
    let said = why(&built[0]);
    assert!(
        said.contains("/main.c was not compiled through {cc}") && !said.contains("other/"),
        "{said}"
    );
}

#[test]
fn what_a_generator_reads_is_named_and_hashed() {
    if !has("gcc") {
        return;
    }
    let build = format!("echo \"#define COST $(cat ROOT/data/cost)\" >cost.h && {PLAIN}");
    let bench = with(without_header(), &build, |definitions| {
        definitions.sources["program"].inputs = Some(Names(vec!["data".to_owned()]));
    });
    bench.changes("data/cost", ["13\n", "14\n"], ["13", "14"]);
}

#[test]
fn a_header_that_changes_while_it_is_read_is_no_build() {
    if !has("gcc") {
        return;
    }
    let project = without_header();
    project.file("inc/cost.h", "#define COST 15\n");
    let build = format!(
        "{} && echo '#define COST 16' >ROOT/inc/cost.h",
        PLAIN.replace("{flags}", "-IROOT/inc")
    );
    let built = bench(project, &build).build();
    let why = why(&built[0]);
    assert!(
        why.contains("inc/cost.h was read and then changed by the build"),
        "{why}"
    );
}

#[test]
fn what_is_compiled_past_the_cell_s_compiler_is_no_build() {
    if !has("gcc") {
        return;
    }
    let built = bench(project(), &PLAIN.replace("{cc}", "gcc")).build();
    assert!(
        why(&built[0]).contains("not compiled through {cc}"),
        "{}",
        why(&built[0])
    );
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

#[test]
fn an_option_of_the_link_among_the_flags_arrives_at_the_link_or_is_named() {
    if !has("gcc") {
        return;
    }
    let build = "{cc} -O1 {flags} -c main.c && {cc} main.o -o program";
    let bench = with(project(), build, |definitions| {
        let set = FlagSet {
            add: ShellWords(vec!["-Wl,-z,now".to_owned(), "-DX".to_owned()]),
            ..FlagSet::default()
        };
        definitions.flags.insert("now".to_owned(), set);
        definitions.matrix.flags = Some(vec!["now".to_owned()]);
    });
    let built = bench.build();
    let made = built[0]
        .made()
        .unwrap_or_else(|| panic!("{}", why(&built[0])));
    let missing = made.flags.missing.iter();
    let missing: Vec<String> = missing
        .map(|of| format!("{} {}", of.flag, of.why))
        .collect();
    assert_eq!(missing, ["-Wl,-z,now did not reach the link"]);
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
