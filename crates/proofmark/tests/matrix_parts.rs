//! What a build of a matrix is made of, and builds that cannot take part.

use std::fs;

use crate::matrix_inputs::{RUN, project, run};

/// A program whose work is in a library that its build makes, in a shared one or in an archive.
const LIBRARY: &str = r#"
[source.tiny]
path = "tiny"
build = "make --silent CC={cc} FLAGS='{flags}'"
image = "tiny"

[toolchain.gcc]
command = "gcc"

[flags.twice]
add = "-DSTEPS=2"

[matrix]
flags = ["", "twice"]

[benchmark]
command = "{}"
metric = "stdout[steps,lower]:v ([0-9.]+)"
allow_output_difference = true
"#;

#[test]
fn the_objects_of_a_builds_libraries_are_its_own() {
    for (name, made) in [
        ("libwork.so", "$(CC) -shared -o $@ work.o"),
        ("libwork.a", "rm -f $@; ar rc $@ work.o"),
    ] {
        let Some(project) = project(LIBRARY) else {
            return;
        };
        project.write(
            "tiny/main.c",
            "#include <stdio.h>\nint work(void);\n\
             int main(void) { return printf(\"v %d\\n\", work()) < 0; }\n",
        );
        project.write(
            "tiny/work.c",
            "#ifndef STEPS\n#define STEPS 1\n#endif\nint work(void) { return STEPS * 1000; }\n",
        );
        let makefile = |main: &str, work: &str| {
            format!(
                "tiny: main.o {name}\n\t$(CC) -o $@ main.o {name} -Wl,-rpath,'$$ORIGIN'\n\
                 {name}: work.o\n\t{made}\n\
                 main.o: main.c\n\t$(CC) -O1 {main} -c main.c\n\
                 work.o: work.c\n\t$(CC) -O1 -fPIC {work} -c work.c\n"
            )
        };
        // The option does not reach the library, in which it would have done something.
        project.write("tiny/Makefile", &makefile("$(FLAGS)", ""));
        let built = project.done(&["matrix", "build"]);
        let told = built
            .out
            .split_whitespace()
            .collect::<Vec<&str>>()
            .join(" ");
        assert!(
            told.contains("did not reach 1 of 2 objects (work.c)"),
            "{name}: {told}"
        );
        // It reaches the library alone: the programs are the same bytes, and what runs is not.
        project.write("tiny/Makefile", &makefile("", "$(FLAGS)"));
        let built = project.done(&["matrix", "build"]);
        let told = built
            .out
            .split_whitespace()
            .collect::<Vec<&str>>()
            .join(" ");
        assert!(!told.contains("same bytes"), "{name}: {told}");
        let (_, matrix) = run(&project);
        let ratio = matrix["suite"][0]["ratio"]["estimate"].as_f64();
        assert_eq!(ratio.map(f64::round), Some(2.0), "{name}: {matrix:#}");
        // Another compiler made the library.
        let by_hand = makefile("", "").replace("$(CC) -O1 -fPIC", "clang-19 -O1 -fPIC");
        project.write("tiny/Makefile", &by_hand);
        let refused = project.run(&["matrix", "build"]);
        let told = "objects were compiled by";
        assert!(
            refused.out.contains(told) || refused.err.contains(told),
            "{name}: {refused:#?}"
        );
    }
}

/// One build is another program behind its link than that gave. The others are compared.
const CHANGED: &str = r#"
[source.one]
path = "tiny"
build = "{cc} -O1 -o tiny tiny.c"
image = "tiny"

[source.two]
path = "tiny"
build = "{cc} -O1 -DSTEPS=2000 -o tiny tiny.c"
image = "tiny"

[source.changed]
path = "tiny"
build = "{cc} -O1 -o tiny tiny.c && printf '\\006\\007\\000\\000' >number && objcopy --update-section .number=number tiny"
image = "tiny"

[toolchain.gcc]
command = "gcc"

[matrix]

[benchmark]
command = "{}"
metric = "stdout[steps,lower]:v ([0-9.]+)"
allow_output_difference = true
"#;

#[test]
fn a_build_that_cannot_be_laid_out_is_out_alone() {
    let Some(project) = project(CHANGED) else {
        return;
    };
    let program = "#include <stdio.h>\n#ifndef STEPS\n#define STEPS 1000\n#endif\n\
        __attribute__((section(\".number\"))) volatile const int number[1] = {STEPS};\n\
        int main(void) { return printf(\"v %d\\n\", number[0]) < 0; }\n";
    fs::write(project.path("tiny/tiny.c"), program).unwrap();
    let ran = project.run(&["matrix", "run", "--blocks", "2..2", "--rounds", "2"]);
    for told in [
        "gcc two      2.00000× higher (worse)",
        "gcc changed  —",
        "gcc changed is out of benchmark: no layout of it can be made",
    ] {
        assert!(ran.out.contains(told), "{told}: {ran:#?}");
    }
}

#[test]
fn more_cells_than_run_side_by_side_are_refused_before_they_are_built() {
    let Some(project) = project(LIBRARY) else {
        return;
    };
    let names: Vec<String> = (0..70).map(|set| format!("\"x{set}\"")).collect();
    let sets = (0..70).map(|set| format!("[flags.x{set}]\nadd = \"-DX={set}\"\n"));
    let many = LIBRARY.replace("\"twice\"]", &format!("{}]", names.join(", ")));
    let many = many + &sets.collect::<String>();
    project.write("proofmark.toml", &many);
    for command in [&["matrix", "plan"][..], &RUN] {
        let refused = project.run(command);
        assert_eq!(refused.code, Some(2), "{refused:#?}");
        assert!(
            refused.err.contains("71 cells, and at most 64"),
            "{refused:#?}"
        );
    }
}
