//! Ideas on files that runs read and nobody builds. The program prints a number that it makes of a
//! script and of its own code.

use super::toy::{SHORT, figure, near, ran};
use crate::support::{Project, Said, has, skipped};
use serde_json::Value;

const TOY: &str = r#"
#include <stdio.h>
#include <string.h>
static double code = 1.0;

int main(int argc, char **argv) {
    char line[256], name[512];
    double cost = 0.0, factor = 1.0;
    long answer = 0;
    snprintf(name, sizeof name, "%s/main", argc > 1 ? argv[1] : "");
    FILE *script = fopen(name, "r");
    if (!script)
        return 3;
    while (fgets(line, sizeof line, script)) {
        sscanf(line, "cost %lf", &cost);
        sscanf(line, "factor %lf", &factor);
        sscanf(line, "answer %ld", &answer);
    }
    if (argc > 2 && strcmp(argv[2], "answer") == 0)
        return printf("%ld\n", answer) > 0 ? 0 : 1;
    return printf("%.9f ms\n", cost * factor * code) > 0 ? 0 : 1;
}
"#;

const SCRIPT: &str = "cost 123.456789\nanswer 42\n";

/// A fifth less work, in the script alone.
const LESS: &str = "--- a/scripts/main\n+++ b/scripts/main\n@@ -1,2 +1,2 @@\n\
-cost 123.456789\n+cost 98.7654312\n answer 42\n";

/// A tenth less, in the code alone.
const CODE: &str = "--- a/toy.c\n+++ b/toy.c\n@@ -3,3 +3,3 @@\n #include <string.h>\n\
-static double code = 1.0;\n+static double code = 0.9;\n \n";

const FILE: &str = r#"
[source.toy]
path = "toy"
build = "{cc} -O1 {flags} -o toy toy.c"
image = "toy"
tree = "scripts"

[toolchain.gcc]
command = "gcc"

[ledger]
name = "scripts"

[benchmark]
command = "{} corpus/../toy/scripts"
metric = "stdout[made_ms,lower]:([0-9.]+) ms"
allow_output_difference = true

[gate.answers]
command = "{} toy/scripts answer"
inputs = "corpus"

[idea.less]
patch = "less.patch"

[idea.code]
patch = "code.patch"

[idea.both]
patch = "both.patch"

[idea.other]
tree = "other"

[idea.wrong]
tree = "wrong"

[idea.same]
tree = "same"

[stack.all]
ideas = ["less", "code"]

[stack.moved]
ideas = ["other", "less"]
"#;

fn project() -> Project {
    let project = Project::new();
    let folders = ["toy/scripts", "corpus", "other", "wrong", "same"];
    for folder in folders {
        std::fs::create_dir_all(project.path(folder)).unwrap();
    }
    project.write("toy/toy.c", TOY);
    project.write("toy/scripts/main", SCRIPT);
    project.write("corpus/input", "1");
    project.write("less.patch", LESS);
    project.write("code.patch", CODE);
    project.write("both.patch", &format!("{CODE}{LESS}"));
    project.write("other/main", &format!("{SCRIPT}factor 0.9\n"));
    project.write("other/more", "");
    project.write("wrong/main", "cost 12.3\nanswer 41\n");
    project.write("same/main", SCRIPT);
    project.write("proofmark.toml", FILE);
    project
}

fn usable() -> bool {
    if let Err(why) = proofmark_measure::View::usable() {
        skipped(&format!("private mount namespaces ({why})"));
        return false;
    }
    has(&["gcc"])
}

fn run(project: &Project, name: &str) -> Said {
    project.run(&[&["ledger", "run", name], &SHORT[..]].concat())
}

/// Builds that were made.
fn builds(project: &Project) -> usize {
    let cells = std::fs::read_dir(project.path(".proofmark/matrix/cells"));
    cells.unwrap().count()
}

#[test]
fn ideas_on_files_that_runs_read() {
    if !usable() {
        return;
    }
    let project = project();
    let names = ["all", "moved", "both", "wrong"];
    let stopped = project.run(&[&["ledger", "run"], &names[..], &SHORT, &["--json"]].concat());
    // One of them fails its gate.
    assert_eq!(stopped.code, Some(1), "{stopped:#?}");
    assert!(
        stopped.err.contains("wrong is not timed: gate `answers`"),
        "{stopped:#?}"
    );
    let document: Value = serde_json::from_str(&stopped.out).unwrap();
    let measured = &document["entries"][0];
    for (of, idea, truth) in [
        ("null", "", 1.0),
        ("alone", "less", 0.8),
        ("alone", "code", 0.9),
        ("alone", "both", 0.72),
        ("alone", "other", 0.9),
        ("added", "code", 0.9),
        ("left-out", "other", 0.9),
        ("interaction", "less", 1.0),
    ] {
        near(figure(measured, [of, idea]), truth, &format!("{of} {idea}"));
    }
    let found = measured["ideas"].as_array().unwrap().iter();
    let found: Vec<&str> = found
        .filter(|idea| idea["test"]["found"] == true)
        .map(|idea| idea["name"].as_str().unwrap())
        .collect();
    assert_eq!(found, ["less", "code", "both", "other"], "{measured:#}");
    // Base, `code` and `both` are three programs, of which the last two are one by content.
    assert_eq!(builds(&project), 3);
    let files = |name: &str| {
        let mut builds = measured["builds"].as_array().unwrap().iter();
        let build = builds.find(|build| build["name"] == name).unwrap();
        let files = build["files"].as_array().unwrap().iter();
        let files = files.map(|file| format!("{} {}", file["path"], file["how"]));
        files.collect::<Vec<String>>().join(", ")
    };
    assert_eq!(files("base again"), "");
    assert_eq!(files("code"), "");
    assert_eq!(files("less"), r#""main" "changed""#);
    assert_eq!(files("other"), r#""main" "changed", "more" "added""#);
    shown(&project, &document);
    refused(&project);
    // A script that changes in place is another question.
    let again = ran(&project, &["ledger", "run", "less"]);
    let asked = again["budget"]["asked"].as_u64();
    project.write("toy/scripts/main", &format!("{SCRIPT}factor 0.5\n"));
    let after = ran(&project, &["ledger", "run", "less"]);
    assert_eq!(
        after["budget"]["asked"].as_u64(),
        asked.map(|asked| asked + 1)
    );
}

/// A text without the ends of its lines.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shown(project: &Project, document: &Value) {
    let text = words(&project.done(&["ledger", "show"]).out);
    assert!(
        text.contains("its runs read other files than those of base: 1 file differs: main"),
        "{text}"
    );
    let id = document["entries"][0]["matrix"].as_str().unwrap();
    let matrix = words(&project.done(&["matrix", "show", id]).out);
    assert!(
        matrix.contains("less: 1 file differs: main; the program and"),
        "{matrix}"
    );
    let matrix: Value =
        serde_json::from_str(&project.done(&["matrix", "show", id, "--json"]).out).unwrap();
    assert_eq!(matrix["trees"].as_array().unwrap().len(), 8, "{matrix:#}");
    let ledger = document["id"].as_str().unwrap();
    project.done(&["bundle", ledger, "-o", "file.pmb"]);
    let verified = project.run(&["verify", "file.pmb", "--json"]);
    assert_eq!(verified.code, Some(0), "{verified:#?}");
    // What nobody has cannot be measured again.
    let replay = words(&project.done(&["replay", "file.pmb"]).out);
    assert!(
        replay.contains("its runs read a folder of files that is not in the bundle"),
        "{replay}"
    );
}

fn refused(project: &Project) {
    let same = run(project, "same");
    assert_eq!(same.code, Some(2), "{same:#?}");
    assert!(
        same.err.contains("idea `same` changes nothing"),
        "{same:#?}"
    );
    let with = |text: &str, name: &str| {
        project.write("proofmark.toml", text);
        let said = run(project, name);
        project.write("proofmark.toml", FILE);
        said
    };
    // What lies where the tree was made from is the same for all.
    let elsewhere = FILE.replace(
        "tree = \"scripts\"",
        "tree = \"scripts\"\ntree_at = \"none\"",
    );
    let said = with(&elsewhere, "less");
    assert!(
        said.err.contains("which is where its tree was copied from"),
        "{said:#?}"
    );
    let said = with(&FILE.replace("{} corpus/../toy/scripts", "{} same"), "less");
    assert!(said.err.contains("no run looks into"), "{said:#?}");
    assert!(said.err.contains("with `tree_at = \"DIR\"`"), "{said:#?}");
    // A build that reads what an idea changes is made with that, and only then by itself.
    let before = builds(project);
    let reads = FILE.replace("build = \"", "build = \"cp scripts/main seen && ");
    let said = with(&reads, "less");
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert_eq!(builds(project), before + 2);
    assert!(said.out.contains("−20.0"), "{said:#?}");
    project.write(
        "moves.patch",
        "diff --git a/toy.c b/scripts/toy.c\nsimilarity index 100%\n\
         rename from toy.c\nrename to scripts/toy.c\n",
    );
    let said = with(&FILE.replace("less.patch", "moves.patch"), "less");
    assert!(
        said.err.contains("across the border of the tree"),
        "{said:#?}"
    );
}

#[test]
fn cells_of_a_matrix_see_the_files_of_their_source() {
    if !usable() {
        return;
    }
    let project = project();
    let start = FILE.split("[ledger]").next().unwrap();
    let benchmark = &FILE[FILE.find("[benchmark]").unwrap()..FILE.find("[gate.").unwrap()];
    let less = "[source.less]\nfrom = \"toy\"\npatch = \"less.patch\"\n";
    project.write("proofmark.toml", &format!("{start}{less}{benchmark}"));
    let all = [&["matrix", "run"], &SHORT[..], &["--json"]].concat();
    let matrix: Value = serde_json::from_str(&project.done(&all).out).unwrap();
    let ratio = &matrix["effects"][0]["ratio"]["estimate"];
    near(ratio.as_f64().unwrap(), 0.8, "less");
    assert_eq!(
        matrix["trees"][1]["changes"][0]["path"], "main",
        "{matrix:#}"
    );
    assert_eq!(builds(&project), 1);
    let compare = ["compare", "toy gcc", "less gcc", "--", "{}", "toy/scripts"];
    let said = project.run(&compare);
    assert_eq!(said.code, Some(2), "{said:#?}");
    assert!(
        said.err
            .contains("read other files than lie in its sources"),
        "{said:#?}"
    );
}
