//! Functions of shared libraries, of stripped programs, and of programs that the loader does not
//! touch.

use serde_json::Value;

use super::{METRIC, number};
use crate::support::{Project, has};

/// `work` takes its steps by bit 4 of its own address.
const WORK: &str = "__attribute__((noinline)) static unsigned long work(unsigned long steps) {\n\
    unsigned long at = (unsigned long)&work;\n\
    __asm__ volatile(\"\" : \"+r\"(steps));\n\
    return at & 16 ? steps + 20 : steps;\n}\n\
    unsigned long steps(unsigned long a) { return work(a); }\n";
const MAIN: &str = "#include <stdio.h>\nunsigned long steps(unsigned long);\n\
    int main(void) { printf(\"steps %lu\\n\", steps(100)); return 0; }\n";

fn captured(link: &str) -> Project {
    let project = Project::new();
    project.write("work.c", WORK);
    project.write("main.c", MAIN);
    project.write("build.sh", link);
    project.done(&["capture", "base", "--image", "prog", "--", "sh", "build.sh"]);
    project
}

/// The map has the planted classes.
fn holds(project: &Project, image: &[&str], command: &str) {
    let design = [
        "--function",
        "work",
        "--metric",
        METRIC,
        "--range",
        "32",
        "--step",
        "8",
    ];
    let rest = ["--blocks", "2..2", "--seed", "5", "--json"];
    let words = [&["sweep", "base"], image, &design, &rest, &["--", command]].concat();
    let found: Value = serde_json::from_str(&project.done(&words).out).unwrap();
    let steps = |at: u64| if at & 16 == 0 { 100.0 } else { 120.0 };
    let shipped = steps(found["as_shipped"].as_u64().unwrap());
    let addresses = found["addresses"].as_array().unwrap();
    assert_eq!(addresses.len(), 4);
    for address in addresses {
        let expected = steps(address["address"].as_u64().unwrap()) / shipped;
        let off = number(&address["ratio"]) / expected - 1.0;
        assert!(off.abs() < 1e-9, "{command}: {address}");
    }
    assert_eq!(found["is_run"], true, "{command}");
}

#[test]
fn a_function_of_a_library_is_moved_in_the_program_that_loads_it() {
    if !has(&["cc"]) {
        return;
    }
    let project = captured(
        "cc -O1 -fPIC -shared -o libwork.so work.c\n\
         cc -O1 -o prog main.c -L. -lwork -Wl,-rpath,'$ORIGIN'\n",
    );
    holds(&project, &["--image", "libwork.so"], "./prog");
    let told = project.run(&["sweep", "base", "--function", "steps", "--", "{}"]);
    assert_eq!(told.code, Some(2), "{told:#?}");
    assert!(told.err.contains("name it with --image"), "{}", told.err);
    // Its place is told by itself too.
    let words = [
        "attribute",
        "base",
        "--image",
        "libwork.so",
        "--function",
        "work",
    ];
    let design = [
        "--metric", METRIC, "--blocks", "16", "--rounds", "1", "--seed", "5", "--json",
    ];
    let said = project.done(&[&words[..], &design, &["--", "./prog"]].concat());
    let found: Value = serde_json::from_str(&said.out).unwrap();
    let part = &found["conclusion"]["functions"][0];
    assert_eq!(
        (&part["symbol"], &part["named"]),
        (&"work".into(), &true.into())
    );
}

#[test]
fn a_function_of_a_stripped_program_is_moved_whatever_loads_it() {
    if !has(&["cc"]) {
        return;
    }
    for flags in ["-s", "-s -static-pie -fPIE"] {
        let project = captured(&format!("cc -O1 {flags} -o prog main.c work.c\n"));
        holds(&project, &[], "{}");
    }
}
