//! Headers, libraries and files of options outside of the sources are a part of a cell.

use std::fs;
use std::path::PathBuf;

use super::{PLAIN, PROGRAM, bench, project, with, without_header};
use crate::support::{Project, has};

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
