//! The program of these tests, its ideas, and what is asked of a ledger of them.

use crate::support::Project;
use serde_json::Value;

/// Times in ms by construction. `raw` is a gain of 10 %; `flag` one of 5 % that vanishes on it;
/// `pays` one of 20 % on it, and none alone; `noise` is none; `top` stands on raw.
pub(super) const TOY: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static double raw = 1.0;
static double top = 1.0;

int main(int argc, char **argv) {
    double time = (argc > 1 ? atoi(argv[1]) : 1) * 123.456789 * raw * top;
#ifdef FLAG
    time *= raw < 1.0 ? 1.0 : 0.95;
#endif
#ifdef PAYS
    time *= raw < 1.0 ? 0.8 : 1.0;
#endif
    return printf("%.9f ms\n", time) > 0 ? 0 : 1;
}
"#;

pub(super) const RAW: &str = "--- a/toy.c\n+++ b/toy.c\n@@ -3,3 +3,3 @@\n #include <stdlib.h>\n\
-static double raw = 1.0;\n+static double raw = 0.9;\n static double top = 1.0;\n";

const TOP: &str = "--- a/toy.c\n+++ b/toy.c\n@@ -4,3 +4,3 @@\n static double raw = 0.9;\n\
-static double top = 1.0;\n+static double top = 0.97;\n \n";

pub(super) const FILE: &str = r#"
[source.toy]
path = "toy"
build = "{cc} -O1 {flags} -o toy toy.c"
image = "toy"

[toolchain.gcc]
command = "gcc"

[ledger]
name = "toys"

[benchmark.small]
command = "{} 1"
group = "micro"
metric = "stdout[made_ms,lower]:([0-9.]+) ms"
allow_output_difference = true

[benchmark.large]
command = "{} 2"
metric = "stdout[made_ms,lower]:([0-9.]+) ms"
allow_output_difference = true

[idea.raw]
hypothesis = "a raw array in place of a list"
patch = "raw.patch"
expected = "10%"

[idea.flag]
defines = "FLAG"

[idea.noise]
defines = "NOISE"

[idea.pays.c1]
defines = "PAYS"

[idea.top]
patch = "top.patch"
on = "raw"

[stack.all]
ideas = ["raw", "flag", "pays.c1"]
"#;

pub(super) const SHORT: [&str; 6] = ["--blocks", "3", "--rounds", "1", "--layouts", "as-shipped"];

pub(super) fn project() -> Project {
    let project = Project::new();
    std::fs::create_dir(project.path("toy")).unwrap();
    project.write("toy/toy.c", TOY);
    project.write("raw.patch", RAW);
    project.write("top.patch", TOP);
    project.write("proofmark.toml", FILE);
    project
}

pub(super) fn ran(project: &Project, arguments: &[&str]) -> Value {
    let all: Vec<&str> = arguments
        .iter()
        .chain(&SHORT)
        .copied()
        .chain(["--json"])
        .collect();
    serde_json::from_str(&project.done(&all).out).unwrap()
}

/// The ratio of a figure over the suite, with the width of its interval.
pub(super) fn figure(run: &Value, of: [&str; 2]) -> f64 {
    let mut figures = run["figures"].as_array().unwrap().iter();
    let found = figures.find(|one| {
        [one["figure"].as_str(), one["idea"].as_str()] == of.map(Some) && one["over"] == "suite"
    });
    let ratio = &found.unwrap_or_else(|| panic!("no {of:?} in {run:#}"))["ratio"];
    let [low, high] = ["low", "high"].map(|bound| ratio[bound].as_f64().unwrap());
    assert!(high - low < 1e-6, "{of:?}: {ratio:#}");
    ratio["estimate"].as_f64().unwrap()
}

/// Text without its line breaks.
pub(super) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

pub(super) fn near(found: f64, truth: f64, of: &str) {
    assert!((found - truth).abs() < 1e-6, "{of}: {found} for {truth}");
}
