//! Every command that has `--json`: what it prints is one document, and valid by its published
//! schema.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::support::{Project, has};
use serde_json::Value;

/// Commands with what makes them short, the schema of what they print, and their exit code. `{}`
/// runs the image.
const RUNS: &[(&str, &str, i32)] = &[
    ("capture base -- sh -c CC", "build", 0),
    ("capture new -- sh -c DD", "build", 0),
    ("builds", "builds", 0),
    ("builds list", "builds", 0),
    ("builds show new", "build", 0),
    ("inspect base", "functions", 0),
    (
        "inspect base --function churn --disassemble",
        "functions",
        0,
    ),
    ("diff base new", "difference", 0),
    ("expect new", "expectations", 1),
    ("doctor --quick", "machine", 0),
    ("tune --dry-run", "tune", 0),
    ("toolchains gcc", "toolchains", 0),
    ("compare base new SHORT -- {}", "experiment", 0),
    ("compare base base -- {}", "equal", 0),
    ("null base SHORT -- {}", "experiment", 0),
    ("report", "experiment", 0),
    ("report --list", "experiments", 0),
    ("matrix plan", "matrix-plan", 0),
    ("matrix build", "matrix-builds", 0),
    ("matrix log gcc", "matrix-log", 0),
    ("matrix gates", "gates", 0),
    ("matrix run SHORT", "matrix", 0),
    ("matrix show", "matrix", 0),
    ("ledger run tried --blocks 3 --rounds 1", "ledger", 0),
    (
        "ledger decide tried.c1 again --because undecided",
        "ledger",
        0,
    ),
    ("ledger screen tried SHORT", "ledger", 0),
    // Nothing was changed, so that it is not confirmed.
    ("confirm tried.c1 --at-least 90% SHORT", "ledger", 1),
    ("ledger show", "ledger", 0),
    (
        "sweep base --function churn --step 64 --blocks 2..2 --precision 50% -- {}",
        "sweep",
        0,
    ),
    ("history import points.csv", "history", 0),
    ("bisect --good HEAD~1 --run JUDGE", "bisect", 0),
    ("bisect --show latest", "bisect", 0),
    (
        "history run --rev HEAD~1..HEAD --build NOTHING -- {}",
        "series",
        0,
    ),
    ("history add --build NOTHING -- {}", "series", 0),
    ("history check --build NOTHING -- {}", "series", 0),
    ("history show", "series", 0),
    (
        "attribute base --function churn --blocks 8 --rounds 1 -- {}",
        "attribution",
        0,
    ),
    (
        "explain base new SHORT --sampled-blocks 4 --sampled-runs 1 --flame calls.svg \
         --folded calls.txt --profile calls.json -- {}",
        "explanation",
        0,
    ),
    ("explain --show latest", "explanation", 0),
    ("bundle latest -o latest.pmb", "bundle", 0),
    ("verify latest.pmb", "verification", 0),
    ("replay latest.pmb", "replay-plan", 0),
    // All that was recorded so far.
    ("verify", "verification", 0),
    ("gc --dry-run", "gc", 0),
    ("builds remove new", "removed", 0),
];

/// Commands that print what another does, and take long.
const LIKE_OTHERS: [&str; 1] = ["demo"];

const SHORT: [&str; 4] = ["--blocks", "2", "--rounds", "2"];

const MATRIX: &str = r#"
[source.work]
path = "source"
build = "{cc} -O2 {flags} -DBOUND=300000 -o work work.c bound.c"
image = "work"

[toolchain.gcc]
command = "gcc"

[flags.slow]
add = "-O1"

[matrix]
flags = ["", "slow"]

[benchmark.only]
command = "{}"

[gate.runs]
command = "{}"

[idea.tried.c1]
defines = "TRIED"

[idea.tried.c2]
defines = "TRIED=2"
"#;

const EXPECTATIONS: &str = r#"
[[expect]]
function = "churn"
holds = "returns == 7"
because = "it is broken on purpose"

[[expect]]
function = "churn"
build = "base"
holds = "loops == 1"

[[expect]]
function = "churn"
holds = "loops == 1"
"#;

/// The words of a command line.
fn words(line: &str) -> Vec<String> {
    let build = |bound: u32| {
        format!(
            "rm -f *.o work && cc -O2 -g -c work.c && cc -O2 -DBOUND={bound} -c bound.c && cc -o work work.o bound.o"
        )
    };
    let each = line.split(' ').flat_map(|word| match word {
        "CC" => vec![build(300_000)],
        "DD" => vec![build(330_000)],
        // The same program whatever is committed.
        "NOTHING" => {
            vec!["echo 'int main(void) { return 0; }' > m.c && cc -c m.c && cc -o m m.o".to_owned()]
        }
        "JUDGE" => vec!["! test -e new".to_owned()],
        "SHORT" => SHORT.map(str::to_owned).to_vec(),
        word => vec![word.to_owned()],
    });
    let mut words: Vec<String> = each.collect();
    let end = words.iter().position(|word| word == "--");
    words.insert(end.unwrap_or(words.len()), "--json".to_owned());
    words
}

fn published(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema");
    let text = fs::read(folder.join(format!("{name}.schema.json"))).unwrap();
    serde_json::from_slice(&text).unwrap()
}

#[test]
fn what_every_command_prints_is_valid_by_its_schema() {
    if !has(&["cc", "gcc", "git"]) {
        return;
    }
    let project = Project::new();
    project.write("proofmark.toml", MATRIX);
    fs::create_dir(project.path("source")).unwrap();
    for file in ["work.c", "bound.c"] {
        fs::copy(project.path(file), project.path("source").join(file)).unwrap();
    }
    project.write("expectations.toml", EXPECTATIONS);
    project.write("points.csv", "commit,seconds\na,1.5\nb,1.6\n");
    for (line, schema, code) in RUNS {
        if line.starts_with("bisect --good") {
            two_commits(&project);
        }
        let words = words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let said = project.run(&words);
        assert_eq!(said.code, Some(*code), "{line}: {said:#?}");
        let document: Value = serde_json::from_str(&said.out)
            .unwrap_or_else(|error| panic!("{line}: {error}: {}", said.out));
        assert_eq!(document["schema"], *schema, "{line}");
        assert_eq!(document["schema_version"], 1, "{line}");
        let validator = jsonschema::validator_for(&published(schema)).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&document)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{line}: {errors:#?}");
    }
    calls_are_drawn(&project);
}

/// Of the explanation: pictures of both builds and of the difference, and an entry in the list.
fn calls_are_drawn(project: &Project) {
    let read = |name: &str| fs::read_to_string(project.path(name)).unwrap();
    for name in ["calls.svg", "calls.base.svg", "calls.new.svg"] {
        let svg = read(name);
        assert!(svg.contains("<svg") && svg.contains("churn"), "{name}");
    }
    for (name, weights) in [
        ("calls.txt", 2),
        ("calls.base.txt", 1),
        ("calls.new.txt", 1),
    ] {
        let text = read(name);
        let churn = text.lines().find(|line| line.contains("churn")).unwrap();
        let numbers = churn
            .rsplit(' ')
            .take_while(|word| word.parse::<u64>().is_ok());
        assert_eq!(numbers.count(), weights, "{name}: {churn}");
    }
    let profile: Value = serde_json::from_str(&read("calls.json")).unwrap();
    assert_eq!(profile["threads"].as_array().unwrap().len(), 2);
    let list = project.done(&["report", "--list"]).out;
    assert!(list.contains("explanation of new"), "{list}");
}

/// Makes the project a repository of two commits, of which the second has the file `new`.
fn two_commits(project: &Project) {
    let git = |arguments: &[&str]| {
        let status = std::process::Command::new("git")
            .args([
                "-c",
                "user.name=Tester",
                "-c",
                "user.email=tester@example.org",
            ])
            .args(arguments)
            .current_dir(project.path("."))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .status();
        assert!(status.unwrap().success(), "git {arguments:?}");
    };
    git(&["init", "--quiet", "."]);
    for file in ["work.c", "new"] {
        project.write("new", "");
        git(&["add", file]);
        git(&["commit", "--quiet", "--message", file]);
    }
}

/// The commands that a help text lists, without `help` itself.
fn listed(help: &str) -> Vec<String> {
    let rest = help.split_once("Commands:\n").map_or("", |(_, rest)| rest);
    let lines = rest.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let named = names.filter(|name| !name.is_empty() && *name != "help");
    named.map(str::to_owned).collect()
}

#[test]
fn no_command_with_json_is_left_out() {
    let project = Project::new();
    let mut with_json = BTreeSet::new();
    for command in listed(&project.done(&["--help"]).out) {
        let help = project.done(&[&command, "-h"]).out;
        let inner = listed(&help);
        if inner.is_empty() && help.contains("--json") {
            with_json.insert(command.clone());
        }
        for action in inner {
            if project
                .done(&[&command, &action, "-h"])
                .out
                .contains("--json")
            {
                with_json.insert(format!("{command} {action}"));
            }
        }
    }
    assert!(with_json.len() > 10, "{with_json:?}");
    let tried = |name: &String| {
        let mut all = RUNS.iter().map(|(line, ..)| *line).chain(LIKE_OTHERS);
        all.any(|line| line == name || line.starts_with(&format!("{name} ")))
    };
    let left_out: Vec<&String> = with_json.iter().filter(|name| !tried(name)).collect();
    assert!(left_out.is_empty(), "{left_out:?}");
}
