//! What runs read while they are measured: it stays as it is, or is named.

use std::process::Stdio;
use std::thread::sleep;

use super::{NUMBER, compare, comparison, ratio, two_builds};
use crate::interrupted::{BETWEEN, recorded};
use crate::support::Project;

/// A program that prints the number in a file that no argument names.
const READER: &str = "#include <stdio.h>\nint main(void) {\n\
         FILE *file = fopen(\"input\", \"r\");\n    int number = -1;\n\
         if (!file || fscanf(file, \"%d\", &number) != 1) return 1;\n\
     #ifdef NEW\n    if (number > 100) number *= 2;\n#endif\n\
         printf(\"n=%d\\n\", number);\n}\n";

#[test]
fn an_input_that_changes_ends_the_experiment_and_is_named() {
    let project = two_builds(READER);
    project.write("input", "100\n");
    let mut how = NUMBER.to_vec();
    // The traced run, the pilot and perhaps a block see the file as it was.
    let prepare = "echo >> count; if [ $(wc -l < count) -eq 12 ]; then echo 200 > input; fi";
    how.extend(["--prepare", prepare]);
    let said = compare(&project, &how);
    assert_eq!(said.code, Some(5), "{said:#?}");
    assert!(
        said.err.contains("input, which the runs read"),
        "{}",
        said.err
    );
}

#[test]
fn an_interrupted_experiment_does_not_go_on_with_another_input() {
    let project = two_builds(READER);
    project.write("input", "100\n");
    let mut how = NUMBER.to_vec();
    // So many that it is stopped before its last, however busy the machine is.
    how.extend(["--blocks", "40", "--prepare", "[ ! -e stop ]"]);
    stopped(&project, &how);
    project.write("input", "200\n");
    let said = compare(&project, &how);
    assert!(said.err.contains("a new experiment begins"), "{}", said.err);
    assert_eq!(ratio(&said), [2.0; 3]);
    // The same content in a new file is the same input.
    stopped(&project, &how);
    project.write("input", "200\n");
    let said = compare(&project, &how);
    assert!(said.err.contains("going on after block"), "{}", said.err);
}

/// Begins a comparison whose preparation fails as soon as it has a block.
fn stopped(project: &Project, how: &[&str]) {
    let mut command = project.command(&comparison(how));
    let log = std::fs::File::create(project.path("stopped.log")).unwrap();
    let command = command.stdout(Stdio::null()).stderr(log);
    let mut child = command.spawn().unwrap();
    let under_way = || recorded(project).filter(|one| one.conclusion.is_none());
    while under_way().is_none_or(|one| one.blocks.is_empty()) && child.try_wait().unwrap().is_none()
    {
        sleep(BETWEEN);
    }
    project.write("stop", "");
    let code = child.wait().unwrap().code();
    let said = std::fs::read_to_string(project.path("stopped.log")).unwrap();
    // 5 where the file is seen before a preparation: they looked for it in vain so far.
    assert!(matches!(code, Some(3 | 5)), "{said}");
    std::fs::remove_file(project.path("stop")).unwrap();
}

#[test]
fn what_runs_write_and_read_again_is_named_and_may_change() {
    let project = two_builds(
        "#include <stdio.h>\nint main(void) {\n\
             FILE *file = fopen(\"state\", \"r+\");\n    int number;\n\
             if (!file || fscanf(file, \"%d\", &number) != 1) return 1;\n\
             rewind(file);\n    fprintf(file, \"%d\\n\", number + 1);\n\
             puts(\"n=7\");\n}\n",
    );
    project.write("state", "1\n");
    let said = compare(&project, &NUMBER);
    assert_eq!(ratio(&said), [1.0; 3]);
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let warnings = report["warnings"].as_array().unwrap();
    let state = warnings
        .iter()
        .find(|each| each["code"] == "state")
        .unwrap();
    let found = state["found"].as_str().unwrap();
    assert!(found.contains("state"), "{found}");
}
