//! What a cell of a matrix is made from: each of these changed, and the cell is built again;
//! nothing that was built is taken for something else.

mod hashed;
mod sources;

use std::fs;

use crate::support::{Project, has, shim};
use indexmap::IndexMap;
use proofmark_project::{
    BuildObserver, BuildOutcome, BuiltCell, CellState, Cells, Definitions, FlagSet,
    MatrixDefinition, Names, ShellWords, SourceDefinition, Unwatched, Workshop, cells,
};

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
fn a_build_of_which_a_stored_file_is_another_one_is_made_again() {
    if !has("gcc") {
        println!("skipped: needs gcc");
        return;
    }
    let bench = bench(project(), "{cc} -O1 main.c -o program");
    let built = bench.build();
    assert_eq!(prints(&built[0]), "1");
    assert!(bench.is_there());
    let image = built[0].made().unwrap().links().unwrap()[0].image.clone();
    let stored = fs::read(&image).unwrap();
    fs::remove_file(&image).unwrap();
    fs::write(&image, &stored[..stored.len() - 1]).unwrap();
    assert!(!bench.is_there());
    assert_eq!(bench.prints(), "1");
    assert_eq!(fs::read(&image).unwrap(), stored);
    assert!(bench.is_there());
}
