//! Builds whose layouts would not be what the user has: no verdict, but the name of the feature and
//! what to do.

use std::process::Command;

use crate::support::{Project, has};

/// Function sections that only the capture asked for let the linker fold what it does not fold in
/// the user's file.
#[test]
fn folding_that_the_capture_made_possible_is_refused() {
    if !has(&["cc", "ld.gold"]) {
        return;
    }
    let project = Project::new();
    let build = |icf: &str| {
        format!(
            "cc -O2 -c work.c && cc -O2 -DBOUND=1000 -c bound.c && cc -fuse-ld=gold -Wl,--icf={icf} -o work work.o bound.o"
        )
    };
    for name in ["none", "all"] {
        let once = ["capture", name, "--compile", "once", "--", "sh", "-c"];
        project.done(&[&once[..], &[&build(name)]].concat());
    }
    let said = project.run(&["compare", "none", "all", "--measure-equal", "--", "{}"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    for word in ["all", "--icf", "-ffunction-sections", "--compile once"] {
        assert!(said.err.contains(word), "{said:#?}");
    }
}

/// The same without sections of the capture's: the two files are one, and come out so. Layouts of
/// whole objects hold no folding that the files lack.
#[test]
fn files_that_are_the_same_come_out_equal_whatever_sections_would_fold() {
    if !has(&["cc", "ld.gold"]) {
        return;
    }
    let project = Project::new();
    let mut text = "#include <stdio.h>\n".to_owned();
    for number in 0..9 {
        text += &format!(
            "__attribute__((noinline)) static unsigned f{number}(unsigned x) {{ for (unsigned k = 0; k < 2; k++) {{ x ^= x * 7u; x += x >> 3; }} return x; }}\n"
        );
    }
    text += "static unsigned (*volatile h[9])(unsigned) = {f0,f1,f2,f3,f4,f5,f6,f7,f8};\nint main(void) { unsigned s = 1; for (int r = 0; r < 200000; r++) for (int i = 0; i < 9; i++) s = h[i](s); printf(\"%u\\n\", s); }\n";
    project.write("folds.c", &text);
    for name in ["none", "all"] {
        let build =
            format!("cc -O1 -c folds.c && cc -fuse-ld=gold -Wl,--icf={name} -o folds folds.o");
        project.done(&["capture", name, "--", "sh", "-c", &build]);
    }
    let said = project.run(&["compare", "none", "all", "--", "{}"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("same"), "{said:#?}");
    let few = ["--blocks", "2", "--measure-equal", "--", "{}"];
    let said = project.run(&[&["compare", "none", "all"][..], &few].concat());
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("whole objects"), "{said:#?}");
}

/// An edit behind the link is in no layout.
#[test]
fn an_edited_image_is_refused() {
    if !has(&["cc", "objcopy"]) {
        return;
    }
    let project = Project::new();
    project.write(
        "tuned.c",
        "__attribute__((section(\"tuning\"))) const int values[2] = {7, 8}; int main(void) { return ((const volatile int *)values)[0] == 0; }",
    );
    let build = "cc -O2 -ffunction-sections -c tuned.c && cc -o tuned tuned.o && printf '\\001\\000\\000\\000\\002\\000\\000\\000' > t.bin && objcopy --update-section tuning=t.bin tuned";
    project.done(&["capture", "base", "--", "sh", "-c", build]);
    let said = project.run(&["compare", "base", "base", "--measure-equal", "--", "{}"]);
    assert_eq!(said.code, Some(4), "{said:#?}");
    for word in ["tuning", "objcopy", "--layouts as-shipped"] {
        assert!(said.err.contains(word), "{said:#?}");
    }
}

/// Matched layouts enlarge the data of one build to that of the other, and it looks through all of
/// it. By itself each build keeps its own.
#[test]
fn as_much_data_for_all_is_refused_where_the_program_asks_where_it_ends() {
    if !has(&["cc"]) {
        return;
    }
    let project = Project::new();
    project.write(
        "marks.c",
        "extern char __data_start[], _end[];\n\
         int main(void) {\n\
             unsigned n = 0;\n\
             for (char *p = __data_start; p < _end; p++) n += *p & 255;\n\
             return n > 1u << 30;\n}\n",
    );
    project.done(&[
        "capture", "base", "--", "cc", "-O1", "-o", "marks", "marks.c",
    ]);
    let compared = |more: &[&str]| {
        let few = ["--measure-equal", "--blocks", "2", "--rounds", "1"];
        let words = [
            &["compare", "base", "base", "--skip", "instructions"],
            more,
            &few[..],
        ];
        project.run(&[&words.concat()[..], &["--", "{}"]].concat())
    };
    for layouts in ["matched", "jittered"] {
        let said = compared(&["--layouts", layouts]);
        assert_eq!(said.code, Some(2), "{said:#?}");
        for word in ["where its data ends (`_end`)", "leave --layouts out"] {
            assert!(said.err.contains(word), "{said:#?}");
        }
    }
    let said = compared(&[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("independent layouts"), "{said:#?}");
}

/// The only change puts words together. Matched layouts leave room between them where the base
/// has a table, and would take it back.
#[test]
fn where_data_lies_is_measured_with_each_build_on_its_own() {
    if !has(&["cc", "valgrind"]) {
        return;
    }
    let project = Project::new();
    for (name, data) in [
        (
            "base",
            "long a = 1; char table[8192] = {1}; long b = 2, c = 3;",
        ),
        (
            "new",
            "long a = 1; long b = 2, c = 3; char table[8192] = {1};",
        ),
    ] {
        let text = format!(
            "#include <stdio.h>\n{data}\nint main(void) {{ long pages = (&b - &a) / 512; \
             printf(\"took %ld\\n\", 500 + table[0] + 100 * pages + c); }}\n"
        );
        project.write("lies.c", &text);
        let build = "cc -O1 -fno-toplevel-reorder -fdata-sections -o lies lies.c";
        project.done(&["capture", name, "--", "sh", "-c", build]);
    }
    let compared = |more: &[&str]| {
        let metric = ["--metric", "stdout[steps,lower]:took ([0-9]+)"];
        let few = ["--blocks", "2", "--rounds", "1", "--json"];
        let words = [&["compare", "base", "new"], more, &metric, &few[..]].concat();
        let said = project.done(&[&words[..], &["--", "{}"]].concat());
        let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
        let one = &report["conclusion"]["comparisons"][0];
        let ratio = one["ratio"]["estimate"].as_f64().unwrap();
        (
            said.err.contains("each build laid out on its own"),
            ratio,
            one["drawn"].clone(),
        )
    };
    let (again, ratio, _) = compared(&[]);
    assert!(again);
    assert!((ratio - 504.0 / 704.0).abs() < 1e-9, "{ratio}");
    // Who asks for matched layouts gets them, and no verdict.
    let (again, ratio, drawn) = compared(&["--layouts", "matched"]);
    assert!(!again);
    assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    assert_eq!(drawn["kind"], "reordered", "{drawn:#}");
}

/// As well in a matrix, which measures nothing as shipped that would show it.
#[test]
fn where_data_lies_is_measured_in_a_matrix_too() {
    if !has(&["cc"]) {
        return;
    }
    let project = Project::new();
    project.write(
        "lies.c",
        "#include <stdio.h>\nlong a = 1;\n#ifndef TOGETHER\nchar table[8192] = {1};\n#endif\n\
         long b = 2, c = 3;\n#ifdef TOGETHER\nchar table[8192] = {1};\n#endif\n\
         int main(void) { printf(\"took %ld\\n\", 500 + table[0] + c + (&b - &a) / 512 * 100); }\n",
    );
    project.write(
        "proofmark.toml",
        r#"
[toolchain.cc]
command = "cc"

[source.here]
path = "."
build = "{cc} -O1 {flags} -fno-toplevel-reorder -fdata-sections -o lies lies.c"
image = "lies"

[flags.together]
add = "-DTOGETHER"

[matrix]
toolchains = ["cc"]
sources = ["here"]
flags = ["", "together"]

[benchmark.pages]
command = "{}"
metric = "stdout[steps,lower]:took ([0-9]+)"
"#,
    );
    let few = ["--blocks", "2", "--rounds", "1"];
    let said = project.done(&[&["matrix", "run"], &few[..]].concat());
    assert!(said.out.contains("1.39683×"), "{said:#?}");
}

/// A build asks `nm` where its functions are, and writes a file for its runs.
#[test]
fn a_file_of_addresses_that_runs_read_is_named() {
    if !has(&["cc", "nm"]) {
        return;
    }
    let project = Project::new();
    let text = r#"
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline, used)) int zero(int n) { return n; }
__attribute__((noinline, used)) int one(int n) { return n * 10 + 1; }
__attribute__((noinline, used)) int two(int n) { return n * 35 + 2; }
int main(int argc, char **argv) {
    unsigned long at[4] = {0};
    FILE *table = fopen(argv[1], "r");
    for (int i = 0; i < 4; i++)
        if (fscanf(table, "%lx", &at[i]) != 1)
            return 1;
    int (*chosen)(int) = (int (*)(int))(at[1] + ((unsigned long)main - at[3]));
    printf("%d\n", argc > 9 ? chosen(3) : 1);
    return 0;
}
"#;
    project.write("table.c", text);
    let build = "cc -O1 -c table.c && cc -o table table.o";
    for name in ["base", "new"] {
        project.done(&["capture", name, "--", "sh", "-c", build]);
    }
    let write =
        "for f in zero one two main; do nm table | grep \" [Tt] $f\\$\" | cut -d ' ' -f 1; done";
    let write = format!("({write}) > text && echo 1 2 3 4096 8192 > numbers");
    let wrote = Command::new("sh")
        .args(["-ec", &write])
        .current_dir(project.path("."))
        .status();
    assert!(wrote.unwrap().success());
    let compared = |file: &str, more: &[&str]| {
        let fixed = ["compare", "base", "new", "--measure-equal", "--blocks", "2"];
        let run = [
            "--rounds",
            "1",
            "--schedule",
            "interleaved",
            "--",
            "{}",
            file,
        ];
        project.run(&[&fixed[..], more, &run].concat())
    };
    let said = compared("text", &[]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    for word in ["text, which holds addresses", "--layouts as-shipped"] {
        assert!(said.err.contains(word), "{said:#?}");
    }
    assert_eq!(compared("numbers", &[]).code, Some(0));
    let said = compared("text", &["--layouts", "as-shipped"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
}
