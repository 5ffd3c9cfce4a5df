//! Files of the sources that a build makes anew where they are older than others: which of them it
//! makes goes by times, and the cells of one table must not differ in it.

#![expect(
    clippy::panic,
    reason = "a test that meets the unexpected should stop there and then"
)]

use std::fs::{File, FileTimes};
use std::time::{Duration, SystemTime};

use crate::support::{Project, has};
use serde_json::Value;

/// A header beside what it is made from, as both may stand in a repository.
const MAKEFILE: &str = "
program: main.c made.h
\t$(CC) -O1 $(FLAGS) -o program main.c
made.h: made.txt
\techo '#define MADE 5' >made.h
";

fn file(flags: &str) -> String {
    format!(
        r#"
[source.program]
path = "src"
build = "make CC={{cc}} FLAGS='{{flags}}'"
image = "program"

[toolchain.gcc]
command = "gcc"

[flags.other]
add = "-DOTHER"

[matrix]
flags = [{flags}]

[benchmark]
command = "{{}}"
"#
    )
}

/// The captures of the cells, in order.
fn captures(project: &Project) -> Vec<String> {
    let said = project
        .command(&["matrix", "build", "--offline", "--json"])
        .output()
        .unwrap();
    let built: Value = serde_json::from_slice(&said.stdout).unwrap_or_default();
    let cells = built["cells"].as_array();
    let cells = cells.unwrap_or_else(|| panic!("{said:?}"));
    let name = |cell: &Value| cell["capture"].as_str().unwrap().to_owned();
    cells.iter().map(name).collect()
}

fn aged(project: &Project, file: &str, hours: u64) {
    let time = SystemTime::now() - Duration::from_secs(3600 * hours);
    let times = FileTimes::new().set_modified(time);
    let file = File::options().append(true).open(project.path(file));
    file.unwrap().set_times(times).unwrap();
}

#[test]
fn what_goes_by_the_times_of_files_is_the_same_in_all_cells() {
    if !has(&["gcc", "make"]) {
        return;
    }
    let project = Project::new();
    std::fs::create_dir(project.path("src")).unwrap();
    project.write("src/Makefile", MAKEFILE);
    project.write(
        "src/main.c",
        "#include <stdio.h>\n#include \"made.h\"\nint main(void) { return printf(\"%d\\n\", MADE) < 0; }\n",
    );
    project.write("src/made.txt", "5\n");
    project.write("src/made.h", "#define MADE 1\n");
    aged(&project, "src/made.txt", 2);
    aged(&project, "src/made.h", 1);
    project.write("proofmark.toml", &file("\"\""));
    let first = captures(&project);
    assert_eq!(captures(&project), first, "it is there");

    // Not a byte has changed, and yet the header is made anew from now on.
    aged(&project, "src/made.txt", 0);
    assert_eq!(captures(&project), first, "nothing has to be built");
    project.write("proofmark.toml", &file("\"\", \"other\""));
    let both = captures(&project);
    assert_eq!(both.len(), 2);
    assert_ne!(both[0], first[0], "a build of before beside one of now");
    assert_eq!(captures(&project), both, "they are there");
}
