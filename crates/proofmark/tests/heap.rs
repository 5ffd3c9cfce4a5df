//! Where runs' heaps begin: drawn with the layouts, so that what one build allocates more, in front
//! of what matters, is no change by itself.

use crate::support::{Project, has};
use serde_json::Value;

const METRIC: &str = "stdout[steps,lower]:steps ([0-9]+)";

/// Takes 1.4 times as many steps where its second object lies in the last quarter of a line of the
/// cache. The first one is so many bytes long.
fn project() -> Project {
    let project = Project::new();
    project.write(
        "early.c",
        "#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n\
         int main(void) {\n    char *first = malloc(FIRST), *second = malloc(256);\n    \
         int crosses = (uintptr_t)second % 64 >= 48;\n    \
         if (!first || !second) return 1;\n    first[0] = 1;\n    \
         printf(\"steps %d\\n\", crosses ? 1400 : 1000);\n    return 0;\n}\n",
    );
    for (name, first) in [("small", 24), ("larger", 40)] {
        let build = format!("cc -O1 -DFIRST={first} -c early.c && cc -o app early.o");
        project.done(&["capture", name, "--", "sh", "-c", &build]);
    }
    project
}

fn compared<'a>(run: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["compare", "small", "larger", "--metric", METRIC];
    words.extend([
        "--blocks", "8..8", "--rounds", "4", "--seed", "5", "--json", "--",
    ]);
    words.extend(run);
    words
}

#[test]
fn an_object_that_is_longer_in_front_of_others_is_no_change() {
    if !has(&["cc"]) {
        return;
    }
    let project = project();
    let drawn = project.run(&compared(&["{}"]));
    let document: Value = serde_json::from_str(&drawn.out).unwrap();
    assert_eq!(document["heap"]["kind"], "drawn", "{drawn:#?}");
    let ratio = &document["conclusion"]["comparisons"][0]["ratio"];
    let [low, high] = ["low", "high"].map(|end| ratio[end].as_f64().unwrap());
    assert!(low < 1.0 && 1.0 < high, "{ratio}");
    // The second object is in the last quarter of a line in some rounds, and not in others.
    let id = document["id"].as_str().unwrap();
    let rows = project.done(&["report", id, "--format", "csv"]).out;
    for steps in [",1000", ",1400"] {
        assert!(rows.contains(steps), "{steps}: {rows}");
    }
    let text = project.done(&["report", id]).out;
    assert!(text.contains("another allocator than"), "{text}");

    // What a shell starts begins where the kernel has it begin.
    let started = project.run(&compared(&["sh", "-c", "exec {}"]));
    let document: Value = serde_json::from_str(&started.out).unwrap();
    assert_eq!(document["heap"]["kind"], "at-page", "{started:#?}");
    let reason = document["heap"]["reason"].as_str().unwrap();
    assert_eq!(reason, "the command starts sh, not the build");
    assert!(started.out.contains("data-not-drawn"), "{started:#?}");
}
