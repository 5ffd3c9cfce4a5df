//! What any tool of a cell's build reads outside of the sources is part of the cell: linkers that
//! make objects of files, scripts, generators, compilers past the wrapper.
mod elsewhere;

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::support::{Project, has, shim};
use indexmap::IndexMap;
use proofmark_project::{
    BuildOutcome, BuiltCell, CellState, Cells, Definitions, FlagSet, MatrixDefinition, ShellWords,
    SourceDefinition, Unwatched, Workshop, cells,
};

const PROGRAM: &str = "#include <stdio.h>\n#include \"cost.h\"\n\
    int main(void) { printf(\"%d\\n\", COST); return 0; }\n";

const PLAIN: &str = "{cc} -O1 {flags} main.c -o program {ldflags}";

struct Bench {
    project: Project,
    definitions: Definitions,
    cells: Cells,
}

/// A source in `src`, built by gcc and a command, whose `ROOT` is the project's folder.
fn bench(project: Project, build: &str) -> Bench {
    let root = project.root.display().to_string();
    let source = SourceDefinition {
        path: Some("src".into()),
        build: Some(build.replace("ROOT", &root)),
        image: Some("program".into()),
        ..SourceDefinition::default()
    };
    let definitions = Definitions {
        sources: IndexMap::from([("program".to_owned(), source)]),
        matrix: MatrixDefinition {
            toolchains: Some(vec!["gcc".to_owned()]),
            ..MatrixDefinition::default()
        },
        ..Definitions::default()
    };
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

    fn build(&self) -> BuiltCell {
        let workshop = self.workshop();
        let built = workshop.build(&workshop.plan(), Some(1), &Unwatched);
        built.unwrap().remove(0)
    }

    /// A cell for each of these flag sets.
    fn with_flags(&mut self, sets: &[(&str, &str)]) {
        let set = |add: &str| FlagSet {
            add: ShellWords(vec![add.to_owned()]),
            ..FlagSet::default()
        };
        let named = sets
            .iter()
            .map(|(name, add)| ((*name).to_owned(), set(add)));
        self.definitions.flags = named.collect();
        let names = sets.iter().map(|(name, _)| (*name).to_owned());
        self.definitions.matrix.flags = Some(names.collect());
        self.cells = cells(&self.definitions).unwrap();
    }

    /// All cells, built so many at a time where they are missing.
    fn all(&self, at_once: usize) -> Vec<BuiltCell> {
        let workshop = self.workshop();
        let built = workshop.build(&workshop.plan(), Some(at_once), &Unwatched);
        built.unwrap()
    }

    /// What all cells print, built two at a time where they are missing.
    fn all_print(&self) -> Vec<String> {
        self.all(2).iter().map(printed).collect()
    }

    /// What the only cell prints, built where it is missing.
    fn prints(&self) -> String {
        printed(&self.build())
    }

    fn is_there(&self) -> bool {
        let plan = self.workshop().plan();
        let there = |state: &CellState| matches!(state, CellState::Built { .. });
        plan.cells.iter().all(|of| there(&of.state))
    }

    fn path(&self, name: &str) -> PathBuf {
        self.project.root.join(name)
    }

    /// Says that a change is seen, and that what was built before is found again.
    fn sees(&self, what: &str, change: impl Fn(bool)) {
        change(true);
        assert!(!self.is_there(), "{what} changed, and nobody saw it");
        change(false);
        assert!(self.is_there(), "{what} as before again");
    }

    /// The same for a file; an empty text is none.
    fn sees_file(&self, file: &str, [before, after]: [&str; 2]) {
        self.sees(file, |changed| match if changed { after } else { before } {
            "" => drop(fs::remove_file(self.path(file))),
            text => drop(self.project.file(file, text)),
        });
    }
}

fn printed(cell: &BuiltCell) -> String {
    let made = cell.made().unwrap_or_else(|| panic!("{}", why(cell)));
    assert_eq!(made.unseen, None);
    let image = &made.links().unwrap()[0].image;
    let out = std::process::Command::new(image).output().unwrap();
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}

fn why(cell: &BuiltCell) -> &str {
    match &cell.outcome {
        BuildOutcome::Failed(failure) => &failure.why,
        BuildOutcome::Made(_) => panic!("{} was built", cell.cell),
    }
}

/// Prints the first letter of an object that somebody made of a file.
fn of_data() -> Project {
    let project = Project::new();
    project.file(
        "src/main.c",
        "#include <stdio.h>\nextern const char _binary_cost_start[];\n\
         int main(void) { putchar(_binary_cost_start[0]); return 0; }\n",
    );
    project
}

/// Prints what a header says that somebody makes.
fn of_header() -> Project {
    let project = Project::new();
    project.file("src/main.c", PROGRAM);
    project
}

#[test]
fn a_file_that_a_linker_or_objcopy_makes_an_object_of_is_part_of_a_cell() {
    if !has("gcc") {
        return;
    }
    let rename = "--redefine-sym $(nm data.o | sed -n 's/.* \\(_binary_.*_start\\)/\\1/p')=_binary_cost_start";
    for made in [
        "ld -r -b binary -o data.o ROOT/cost",
        "objcopy -I binary -O elf64-x86-64 ROOT/cost data.o",
    ] {
        let project = of_data();
        project.file("cost", "A");
        let build = format!("{made} && objcopy {rename} data.o && {PLAIN} data.o");
        let bench = bench(project, &build);
        assert_eq!(bench.prints(), "A");
        bench.sees_file("cost", ["A", "B"]);
        bench.project.file("cost", "B");
        assert_eq!(bench.prints(), "B");
    }
}

#[test]
fn what_scripts_and_generators_read_is_part_of_a_cell() {
    if !has("gcc") {
        return;
    }
    let project = of_header();
    let root = project.root.display().to_string();
    let rule = "h6: ROOT/made; cp ROOT/made $@\n".replace("ROOT", &root);
    let files = ["shown", "copied", "linked", "looped", "detour", "made"];
    for file in files {
        project.file(format!("data/{file}"), "// before\n");
    }
    project
        .file("make", &rule)
        .file("made", "// before\n")
        .file("unread/one", "")
        .file("other", "// other\n");
    symlink(project.root.join("made"), project.root.join("link")).unwrap();
    let build = [
        "cat ROOT/data/shown >h1",
        "cp ROOT/data/copied h2",
        "ln ROOT/data/linked h3",
        "while read line; do echo \"$line\"; done <ROOT/data/looped >h4",
        "here=$PWD; (cd / && cat ROOT/data/../data/detour >$here/h5)",
        "make -sf ROOT/data/../make",
        "cat ROOT/link >h7",
        "echo \"// $(test -e ROOT/flag; echo $?) $(ls ROOT/data | wc -l)\" >h8",
        "(echo '#define COST 1'; cat h?) >cost.h",
        PLAIN,
    ];
    let bench = bench(project, &build.join(" && "));
    assert_eq!(bench.prints(), "1");
    assert!(bench.is_there());
    let texts = ["// before\n", "// after\n"];
    for file in &files[..5] {
        bench.sees_file(&format!("data/{file}"), texts);
    }
    bench.sees_file("made", texts);
    bench.sees_file("make", [&rule, "h6: ; echo >$@\n"]);
    // What decides is that it is there, or how many there are, or where a link leads.
    bench.sees_file("flag", ["", "x"]);
    bench.sees_file("data/more", ["", "x"]);
    bench.sees("a link", |changed| {
        let _ = fs::remove_file(bench.path("link"));
        let leads = if changed { "other" } else { "made" };
        symlink(bench.path(leads), bench.path("link")).unwrap();
    });
    bench.project.file("unread/two", "x");
    assert!(bench.is_there(), "what nobody read does not count");
}

#[test]
fn what_a_build_asks_about_a_name_is_part_of_a_cell() {
    if !has("gcc") {
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let mode = |place: PathBuf, mode| fs::set_permissions(place, fs::Permissions::from_mode(mode));
    let project = of_header();
    for folder in ["v1", "v2", "kinds", "sticky"] {
        fs::create_dir_all(project.root.join(folder)).unwrap();
    }
    let texts = ["// before\n", "// after, and longer\n"];
    for file in [
        "sized", "tool", "v1/x", "v2/x", "touched", "locked", "shown",
    ] {
        project.file(file, texts[0]);
    }
    mode(project.root.join("sticky"), 0o1777).unwrap();
    for link in ["read", "entered"] {
        symlink("v1", project.root.join(link)).unwrap();
    }
    let build = [
        "echo \"// $(stat -c %s ROOT/sized) $(test -x ROOT/tool; echo $?)\" >h1",
        "echo \"// $(readlink ROOT/read) $(make -sC ROOT/entered -f /dev/null 2>&1)\" >h2",
        "echo \"// $(find ROOT/kinds -type f | wc -l) $(ls ROOT/sticky | wc -l)\" >h3",
        // Opened for writing and left as it was, it is only read.
        "touch ROOT/touched; cat ROOT/touched ROOT/shown >h4",
        "(flock 9; read line <&9; echo \"$line\" >h5) 9<>ROOT/locked",
        "(echo '#define COST 1'; cat h?) >cost.h",
        PLAIN,
    ];
    let bench = bench(project, &build.join(" && "));
    assert_eq!(bench.prints(), "1");
    assert!(bench.is_there());
    for file in ["sized", "touched", "locked"] {
        bench.sees_file(file, texts);
    }
    for file in ["tool", "sized", "shown"] {
        bench.sees("a file's rights", |changed| {
            mode(bench.path(file), if changed { 0o755 } else { 0o644 }).unwrap();
        });
    }
    for link in ["read", "entered"] {
        bench.sees(link, |changed| {
            fs::remove_file(bench.path(link)).unwrap();
            symlink(if changed { "v2" } else { "v1" }, bench.path(link)).unwrap();
        });
    }
    bench.sees_file("sticky/more", ["", "x"]);
    bench.project.file("kinds/one", "x");
    assert_eq!(bench.prints(), "1");
    bench.sees("what an entry is", |changed| {
        let one = bench.path("kinds/one");
        if changed {
            fs::remove_file(&one).unwrap();
            fs::create_dir(&one).unwrap();
        } else {
            fs::remove_dir(&one).unwrap();
            bench.project.file("kinds/one", "x");
        }
    });
}

#[test]
fn whether_a_change_works_is_part_of_a_cell() {
    if !has("gcc") {
        return;
    }
    let goes_by = [
        "mkdir ROOT/mark1",
        "rm ROOT/mark2",
        "rmdir ROOT/mark3",
        "ln -s x ROOT/mark4",
        "ln ROOT/mark5 copy",
        "dd conv=excl if=/dev/null of=ROOT/mark6",
        "(ls ROOT/folder | grep -q two; r=$?; touch ROOT/folder/two; exit $r)",
    ];
    let digits = goes_by.map(|by| format!("if {by}; then c=${{c}}1; else c=${{c}}3; fi"));
    let build = format!(
        "c=1; {} 2>/dev/null; echo \"#define COST $c\" >cost.h; {PLAIN}",
        digits.join(" 2>/dev/null; ")
    );
    let mut bench = bench(of_header(), &build);
    for file in ["folder/one", "mark2", "mark5"] {
        bench.project.file(file, "");
    }
    fs::create_dir(bench.path("mark3")).unwrap();
    bench.with_flags(&[("a", "-DX1"), ("b", "-DX2")]);
    assert_eq!(
        bench.all(1).iter().map(printed).collect::<Vec<_>>(),
        ["13333131"; 2]
    );
    assert!(bench.is_there());
    // The user may do what the build would have done.
    bench.sees("a folder that it cannot make", |changed| {
        let mark = bench.path("mark1");
        if changed {
            fs::remove_dir(mark)
        } else {
            fs::create_dir(mark)
        }
        .unwrap();
    });
}

#[test]
fn a_program_that_a_build_runs_is_part_of_a_cell() {
    if !has("gcc") {
        return;
    }
    use std::os::unix::fs::PermissionsExt;
    let project = of_header();
    let generator = |project: &Project, place: &str, cost: u32| {
        project.file(place, &format!("#!/bin/sh\necho '#define COST {cost}'\n"));
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(project.root.join(place), mode).unwrap();
    };
    generator(&project, "late/generate", 1);
    fs::create_dir_all(project.root.join("early")).unwrap();
    let build = format!("PATH=ROOT/early:ROOT/late:$PATH; generate >cost.h && {PLAIN}");
    let bench = bench(project, &build);
    assert_eq!(bench.prints(), "1");
    bench.sees("a program", |changed| {
        generator(&bench.project, "late/generate", if changed { 2 } else { 1 });
    });
    // So is one that comes to stand before it.
    bench.sees("an earlier program", |changed| {
        let _ = fs::remove_file(bench.path("early/generate"));
        if changed {
            generator(&bench.project, "early/generate", 3);
        }
    });
}

#[test]
fn what_a_compiler_reads_past_the_wrapper_is_part_of_a_cell() {
    if !has("gcc") {
        return;
    }
    // The same file was compiled through the wrapper before, with another header.
    let build = "{cc} -O1 -IROOT/one -c main.c -o main.o && gcc -O1 -IROOT/two -c main.c -o main.o && {cc} main.o -o program";
    let project = of_header();
    project
        .file("one/cost.h", "#define COST 1\n")
        .file("two/cost.h", "#define COST 2\n");
    let bench = bench(project, build);
    assert_eq!(bench.prints(), "2");
    bench.sees_file("two/cost.h", ["#define COST 2\n", "#define COST 3\n"]);
}

#[test]
fn a_build_that_bears_no_tracer_is_built_without_and_says_so() {
    if !has("gcc") || !has("strace") {
        return;
    }
    let project = of_header();
    project.file("cost", "#define COST 1\n");
    let build = format!("strace -o /dev/null cat ROOT/cost >cost.h && {PLAIN}");
    let built = bench(project, &build).build();
    let made = built.made().unwrap_or_else(|| panic!("{}", why(&built)));
    let said = made.unseen.as_deref().unwrap_or_default();
    assert!(said.contains("traces processes itself"), "{said}");
}
