//! What the runs of a matrix read without being told: an answer of the store is given only as long
//! as all of it is as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::support::{Project, Said, has};
use serde_json::Value;

/// Prints the number in `data.txt`, or that in `more.txt` where there is one, four times with
/// `-DSLOW`.
const PROGRAM: &str = r#"
#include <stdio.h>
#ifdef SLOW
#define TIMES 4
#else
#define TIMES 1
#endif
int main(void) {
    int number = 0;
    FILE *file = fopen("more.txt", "r");
    if (!file) file = fopen("data.txt", "r");
    if (!file || fscanf(file, "%d", &number) != 1) return 1;
    return printf("v %d.0\n", number * TIMES) < 0;
}
"#;

const FILE: &str = r#"
[source.tiny]
path = "tiny"
build = "{cc} -O1 {flags} -o tiny tiny.c"
image = "tiny"

[toolchain.gcc]
command = "gcc"

[flags.slow]
add = "-DSLOW"

[matrix]
flags = ["", "slow"]

[benchmark]
command = "{}"
metric = "stdout[steps,lower]:v ([0-9.]+)"
allow_output_difference = true
"#;

pub(crate) fn project(file: &str) -> Option<Project> {
    if !has(&["gcc"]) {
        return None;
    }
    let project = Project::new();
    fs::create_dir(project.path("tiny")).unwrap();
    project.write("tiny/tiny.c", PROGRAM);
    project.write("data.txt", "10");
    project.write("proofmark.toml", file);
    Some(project)
}

pub(crate) const RUN: [&str; 8] = [
    "matrix",
    "run",
    "--layouts",
    "as-shipped",
    "--blocks",
    "2..2",
    "--rounds",
    "2",
];

pub(crate) fn run(project: &Project) -> (Said, Value) {
    let said = project.done(&[&RUN[..], &["--json"]].concat());
    let matrix = serde_json::from_str(&said.out).unwrap();
    (said, matrix)
}

fn was_measured(said: &Said) -> bool {
    !said.err.contains("nothing was measured")
}

#[test]
fn a_file_that_the_program_opens_by_itself_is_an_input() {
    let Some(project) = project(FILE) else { return };
    let (said, first) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    let (said, same) = run(&project);
    assert!(!was_measured(&said), "{said:#?}");
    assert_eq!(same["id"], first["id"]);

    project.write("data.txt", "20");
    let plan = project.done(&[&["matrix", "plan"], &RUN[2..], &["--json"]].concat());
    let plan: Value = serde_json::from_str(&plan.out).unwrap();
    assert_eq!(plan["measuring"]["begun"], Value::Null, "{plan:#}");
    let (said, other) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    assert_ne!(other["id"], first["id"]);

    // One that it looks for first, and that was not there.
    project.write("more.txt", "30");
    let (said, third) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    assert_ne!(third["id"], other["id"]);

    // Taken back: what was measured then is the answer, and the numbers are those of that input.
    fs::remove_file(project.path("more.txt")).unwrap();
    project.write("data.txt", "10");
    let (said, back) = run(&project);
    assert!(!was_measured(&said), "{said:#?}");
    assert_eq!(back, first);
    let shown = project.done(&["matrix", "show", "--json"]);
    let shown: Value = serde_json::from_str(&shown.out).unwrap();
    assert_eq!(shown["id"], first["id"], "what was asked for last is shown");
}

#[test]
fn a_benchmark_that_fails_in_all_cells_is_no_success() {
    let Some(project) = project(FILE) else { return };
    fs::remove_file(project.path("data.txt")).unwrap();
    for _ in ["measured", "answered by the store"] {
        let said = project.run(&RUN);
        assert_eq!(said.code, Some(3), "{said:#?}");
        assert!(said.err.contains("nothing was measured of "), "{said:#?}");
    }
    project.write(
        "proofmark.toml",
        &format!("{FILE}setup = \"cat --setup\"\n"),
    );
    let said = project.run(&RUN);
    assert_eq!(said.code, Some(3), "{said:#?}");
    let words = "`setup` `cat --setup` failed";
    assert!(said.err.contains(words), "{said:#?}");
}

/// Numbers of several sizes are put on one line.
#[test]
fn a_unit_that_goes_with_the_size_is_refused() {
    let scale = "command = \"{} {N}\"\nscale = \"N\"\nvalues = [5, 20]\n";
    let Some(project) = project(&FILE.replace("command = \"{}\"\n", scale)) else {
        return;
    };
    let program = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    double us = atof(words[count - 1]) * 100;
    return printf(us < 1000 ? "v %.1f us\n" : "v %.1f ms\n", us < 1000 ? us : us / 1000) < 0;
}
"#;
    project.write("tiny/tiny.c", program);
    let said = project.run(&RUN);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(
        said.err.contains("at N = 20") && said.err.contains("in one unit"),
        "{said:#?}"
    );
}

#[test]
fn a_cell_with_program_options_is_compared_without_them_and_called_so() {
    let options = "flags = [\"\", \"slow\"]\noptions = [\"more\"]\n\n[options.more]\nenv = { MORE = \"1\" }\n";
    let Some(project) = project(&FILE.replace("flags = [\"\", \"slow\"]\n", options)) else {
        return;
    };
    project.done(&["matrix", "build"]);
    let metric = ["--metric", "stdout[steps,lower]:v ([0-9.]+)", "--json"];
    let few = ["--blocks", "3", "--layouts", "as-shipped", "--", "{}"];
    let said =
        project.done(&[&["compare", "gcc more", "gcc slow more"], &metric[..], &few].concat());
    let found: Value = serde_json::from_str(&said.out).unwrap();
    assert_eq!(found["builds"][1]["name"], "gcc slow", "{found:#}");
    assert!(said.err.contains("[options.more]"), "{said:#?}");
}

/// The image is there for runs alone, whoever starts it.
#[test]
fn a_program_that_another_one_starts_is_measured() {
    for command in ["sh -c '{} y'", "env {} y", "./start {} y"] {
        let file = FILE.replace("\"{}\"", &format!("\"\"\"{command}\"\"\""));
        let Some(project) = project(&file) else {
            return;
        };
        project.write("start", "#!/bin/sh\nexec \"$@\"\n");
        fs::set_permissions(project.path("start"), fs::Permissions::from_mode(0o755)).unwrap();
        let (said, matrix) = run(&project);
        assert!(was_measured(&said), "{said:#?}");
        assert_eq!(
            matrix["conclusion"]["cells"][1]["out"],
            Value::Null,
            "{matrix}"
        );
    }
}

/// The run of one cell leaves them otherwise, and that of another only asks.
#[test]
fn rights_and_folders_that_another_cell_leaves_are_told() {
    let Some(project) = project(FILE) else { return };
    // Names in a folder for temporary files are nobody's business unless somebody asks for them.
    let folder = format!(
        "{}-left",
        project.path(".").canonicalize().unwrap().display()
    );
    let program = format!(
        "#include <stdio.h>\n#include <sys/stat.h>\n#include <unistd.h>\n\
         int main(void) {{\n#ifdef SLOW\n\
           chmod(\"data.txt\", 0600); mkdir(\"{folder}\", 0700);\n#else\n\
           struct stat told; stat(\"data.txt\", &told); access(\"{folder}\", F_OK);\n#endif\n\
           return puts(\"v 1.0\") < 0;\n}}\n"
    );
    project.write("tiny/tiny.c", &program);
    let said = project.done(&RUN);
    fs::remove_dir(&folder).unwrap();
    let told = said.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let told = told.split_once("runs leave ").unwrap_or_default().1;
    // One is named, and the other counted.
    let is_named = told.starts_with(project.path("data.txt").to_str().unwrap());
    assert!(
        is_named && told.contains("and 1 more otherwise"),
        "{said:#?}"
    );
}

#[test]
fn a_file_that_the_program_only_asks_about_is_an_input() {
    let Some(project) = project(FILE) else { return };
    // Where a link leads, and what is read from a file that is opened for appending before.
    let asks = "#include <sys/stat.h>\n#include <unistd.h>\n#include <stdlib.h>\n\
        static int times(void) { struct stat of; return stat(\"sized\", &of) ? 0 : (int)of.st_size; }\n\
        static int leads(void) { char to[9] = {0}; return readlink(\"current\", to, 8) < 0 ? 0 : atoi(to); }\n\
        static int holds(void) { char is[9] = {0}; fclose(fopen(\"log\", \"a\")); \
        FILE *log = fopen(\"log\", \"r\"); return fgets(is, 8, log) ? atoi(is) : 0; }\n\
        int main(void) { return printf(\"v %d.0\\n\", (access(\"flag\", F_OK) ? 1 : 3) * TIMES * times() * leads() * holds()) < 0; }\n";
    let link = |leads: &str| {
        let _ = fs::remove_file(project.path("current"));
        std::os::unix::fs::symlink(leads, project.path("current")).unwrap();
    };
    for folder in ["10", "20"] {
        fs::create_dir(project.path(folder)).unwrap();
    }
    link("10");
    project.write("log", "1");
    let (head, _) = PROGRAM.split_once("int main").unwrap();
    project.write("tiny/tiny.c", &format!("{head}{asks}"));
    project.write("sized", "12345");
    project.write("flag", "");
    let (_, first) = run(&project);
    let (said, _) = run(&project);
    assert!(!was_measured(&said), "{said:#?}");
    project.write("sized", "1234567890");
    let (said, _) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    project.write("sized", "12345");
    fs::remove_file(project.path("flag")).unwrap();
    let (said, other) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    assert_ne!(other["id"], first["id"]);
    project.write("flag", "");
    link("20");
    let (said, _) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    link("10");
    project.write("log", "2");
    let (said, _) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    project.write("log", "1");
    let (said, back) = run(&project);
    assert!(!was_measured(&said), "{said:#?}");
    assert_eq!(back["id"], first["id"]);
}

#[test]
fn what_the_commands_around_a_run_read_is_an_input() {
    let prepared = FILE.replace(
        "allow_output_difference = true",
        "prepare = \"cp conf.txt data.txt\"\noutput_filter = \"sh filter.sh\"",
    );
    let Some(project) = project(&prepared) else {
        return;
    };
    project.write("conf.txt", "10");
    project.write("filter.sh", "cat >/dev/null\n");
    let (_, first) = run(&project);
    let (said, _) = run(&project);
    assert!(!was_measured(&said), "{said:#?}");
    // The copy that the last run read is still there.
    project.write("conf.txt", "20");
    let (said, _) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    project.write("conf.txt", "10");
    project.write("filter.sh", "cat >/dev/null; echo the same\n");
    let (said, _) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    project.write("filter.sh", "cat >/dev/null\n");
    let (said, back) = run(&project);
    assert!(!was_measured(&said), "{said:#?}");
    assert_eq!(back["id"], first["id"]);
}

#[test]
fn a_file_shows_the_matrix_that_it_asked_for() {
    let Some(project) = project(FILE) else { return };
    let (_, first) = run(&project);
    project.write("other.toml", &FILE.replace("-DSLOW", "-DNOTHING"));
    let of_other = ["--file", "other.toml"];
    let none = project.run(&[&["matrix", "show"][..], &of_other].concat());
    assert_eq!(none.code, Some(2), "{none:#?}");
    assert!(
        none.err.contains("other.toml has asked for no matrix"),
        "{none:#?}"
    );
    let other = project.done(&[&RUN[..], &["--json"], &of_other].concat());
    let other: Value = serde_json::from_str(&other.out).unwrap();
    assert_ne!(other["id"], first["id"]);
    let shown = |more: &[&str]| -> Value {
        let said = project.done(&[&["matrix", "show", "--json"], more].concat());
        serde_json::from_str(&said.out).unwrap()
    };
    assert_eq!(shown(&[])["id"], first["id"]);
    assert_eq!(shown(&of_other)["id"], other["id"]);
}

#[test]
fn one_size_does_not_read_what_another_has_put_there() {
    let with = |line: &str| {
        let scale = format!("[benchmark]\nscale = \"N\"\nvalues = [10, 20, 30]\n{line}");
        FILE.replace("[benchmark]", &scale)
            .replace("command = \"{}\"", "command = \"{} {N}\"")
    };
    // All are set up before any is measured.
    let Some(project) = project(&with("setup = \"echo {N} >data.txt\"")) else {
        return;
    };
    let said = project.run(&RUN);
    assert_eq!(said.code, Some(2), "{said:#?}");
    for part in ["`benchmark` at N = 10", "data.txt", "prepare"] {
        assert!(said.err.contains(part), "{part}: {said:#?}");
    }
    project.write("proofmark.toml", &with("prepare = \"echo {N} >data.txt\""));
    let (said, first) = run(&project);
    assert!(was_measured(&said), "{said:#?}");
    let (said, same) = run(&project);
    assert!(!was_measured(&said), "{said:#?}");
    assert_eq!(first, same);
    // T = N, and not the same three times.
    let text = first.to_string();
    let slope = first
        .pointer("/lines/0/slope/estimate")
        .and_then(Value::as_f64);
    assert!(
        slope.is_some_and(|slope| (slope - 1.0).abs() < 1e-9),
        "{text}"
    );
}

#[test]
fn a_program_that_reads_its_own_file_is_not_drawn_in_a_matrix() {
    let Some(project) = project(FILE) else {
        return;
    };
    // It would go by a sum over its file, which is another one in each layout.
    let reader = PROGRAM
        .replace("\"more.txt\"", "\"/proc/self/exe\"")
        .replace(
            "if (!file)",
            "if (file && fgetc(file) == 127) fclose(file), file = 0;\n    if (!file)",
        );
    project.write("tiny/tiny.c", &reader);
    let said = project.run(&["matrix", "run", "--blocks", "2..2"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    let plain = said.err.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        plain.contains("read the executable file that they run"),
        "{plain}"
    );
    let said = project.run(&[
        "matrix",
        "run",
        "--blocks",
        "2..2",
        "--layouts",
        "as-shipped",
    ]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(said.out.contains("4.00"), "{}", said.out);
}

#[test]
fn what_is_prepared_for_the_runs_of_an_option_is_an_input() {
    let file = r#"[source.small]
path = "tiny"
build = "{cc} {flags} -o prog main.c"
image = "prog"
[toolchain.gcc]
command = "gcc"
[options.b]
env = { MODE = "b" }
[matrix]
options = ["", "b"]
[benchmark]
command = "{}"
metric = "stdout[n,lower]:([0-9]+)"
allow_output_difference = true
prepare = "cp $MODE.txt now.$MODE"
env = { MODE = "a" }
"#;
    // To a file of its own, and to one for all.
    for place in ["now.$MODE", "now.a"] {
        let file = file.replace("now.$MODE", place);
        let letter = match place {
            "now.a" => "'a'",
            _ => "*getenv(\"MODE\")",
        };
        let Some(project) = project(&file) else {
            return;
        };
        project.write(
            "tiny/main.c",
            &"#include <stdio.h>\n#include <stdlib.h>\n\
         int main(void) { char name[9] = \"now.\", c; name[4] = LETTER;\n\
         FILE *file = fopen(name, \"r\"); while (fread(&c, 1, 1, file) == 1) putchar(c); }\n"
                .replace("LETTER", letter),
        );
        project.write("a.txt", "100\n");
        for number in ["50\n", "200\n"] {
            project.write("b.txt", number);
            let said = project.done(&["matrix", "run", "--blocks", "2", "--rounds", "1"]);
            let ratio = if number == "50\n" {
                "2.00000× lower"
            } else {
                "2.00000× higher"
            };
            assert!(said.out.contains(ratio), "{number}: {said:#?}");
        }
    }
}
