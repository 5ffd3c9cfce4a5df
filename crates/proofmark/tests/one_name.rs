//! `proofmark attribute` and `sweep` where functions share a name: each has a name of its own in
//! the answer, and `--function` takes it.

use crate::support::{Project, has};
use serde_json::Value;

const METRIC: &str = "stdout[steps,lower]:steps ([0-9]+)";

/// Two functions called `hot`, of which that of `b.c` takes more steps in every second class of 64
/// bytes. With sections of their own the linker puts functions of that name in front of others.
fn project(options: &str) -> Project {
    let project = Project::new();
    let main = "#include <stdio.h>\n\
        unsigned long first(unsigned long), other(unsigned long);\n\
        int main(void) { printf(\"steps %lu\\n\", first(1000) + other(1000)); return 0; }\n";
    project.write("main.c", main);
    let one = "__attribute__((noinline)) static unsigned long hot(unsigned long s) { return s * 3; }\n\
        unsigned long first(unsigned long s) { return hot(s) + 1; }\n";
    project.write("a.c", one);
    let other = "__attribute__((noinline)) static unsigned long hot(unsigned long s) {\n\
        if ((unsigned long)&hot & 64) s += 400;\nreturn s * 5; }\n\
        unsigned long other(unsigned long s) { return hot(s) + 2; }\n";
    project.write("b.c", other);
    let build = format!("cc -O1 {options} -c main.c a.c b.c && cc -o app main.o a.o b.o");
    project.done(&["capture", "base", "--", "sh", "-c", &build]);
    project
}

fn sweep<'a>(function: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["sweep", "base", "--function", function, "--metric", METRIC];
    words.extend([
        "--blocks", "2..2", "--seed", "5", "--range", "256", "--step", "64",
    ]);
    words.extend(more);
    words.extend(["--", "{}"]);
    words
}

fn attribute<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut words = vec!["attribute", "base", "--metric", METRIC, "--seed", "5"];
    words.extend(["--blocks", "14", "--rounds", "1", "--function", "hot*"]);
    words.extend(more);
    words.extend(["--", "{}"]);
    words
}

/// Where the functions called `hot` are in the build's own file, that of `a.c` first.
fn shipped(project: &Project) -> Vec<u64> {
    let listed = std::process::Command::new("nm")
        .args(["-p", "--defined-only"])
        .arg(project.path("app"))
        .output()
        .unwrap();
    let text = String::from_utf8(listed.stdout).unwrap();
    let of_it = text.lines().filter(|line| line.ends_with(" t hot"));
    let address = |line: &str| u64::from_str_radix(line.split(' ').next().unwrap(), 16).unwrap();
    of_it.map(address).collect()
}

/// The command that an answer ends with, without `proofmark`.
fn advised(text: &str) -> Vec<String> {
    let command = text.split('`').find(|part| part.starts_with("proofmark"));
    let command = command.unwrap();
    let echoed = std::process::Command::new("sh")
        .args(["-c", &format!("printf '%s\\n' {command}")])
        .output()
        .unwrap();
    let words = String::from_utf8(echoed.stdout).unwrap();
    words.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn functions_of_one_name_are_told_apart_by_their_files() {
    if !has(&["cc", "nm"]) {
        return;
    }
    let project = project("-g1");
    let text = project.done(&attribute(&[])).out;
    let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(flat.contains("the place of hot (b.c) explains"), "{text}");
    assert!(!flat.contains("explains 0 %"), "{text}");
    assert!(flat.contains("hot (a.c)"), "{text}");
    // What it advises is done.
    let mut words = advised(&text);
    assert!(words.contains(&"hot (b.c)".to_owned()), "{words:?}");
    let at = words.iter().position(|word| word == "--").unwrap();
    let more = [
        "--metric", METRIC, "--blocks", "2..2", "--range", "256", "--step", "16",
    ];
    words.splice(at..at, more.map(str::to_owned));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let said = project.done(&words).out;
    assert!(
        said.starts_with("hot (b.c): where it starts changes"),
        "{said}"
    );

    // Each is moved from where it was shipped.
    let shipped = shipped(&project);
    assert_eq!(shipped.len(), 2);
    for (name, at, is_flat) in [
        ("hot (a.c)", shipped[0], true),
        ("hot (b.c)", shipped[1], false),
    ] {
        let found: Value =
            serde_json::from_str(&project.done(&sweep(name, &["--json"])).out).unwrap();
        assert_eq!(found["functions"][0]["name"], name, "{found:#}");
        assert_eq!(found["functions"][0]["symbol"], "hot");
        let moved = found["as_shipped"].as_u64().unwrap();
        assert_eq!(
            moved % 4096,
            at % 4096,
            "{name}: {moved:#x}, shipped {at:#x}"
        );
        let steps = found["conclusion"]["range"]["found"].as_f64().unwrap();
        assert_eq!(steps == 1.0, is_flat, "{name}: {steps}");
    }
    let refused = project.run(&sweep("hot", &[]));
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    for said in ["hot (a.c), hot (b.c)", "--function 'hot (a.c)'"] {
        assert!(refused.err.contains(said), "{}", refused.err);
    }
    let refused = project.run(&sweep("hot (c.c)", &[]));
    assert_eq!(refused.code, Some(2), "{refused:#?}");
    assert!(
        refused.err.contains("no function hot (c.c)"),
        "{}",
        refused.err
    );
}

#[test]
fn functions_of_one_name_are_told_apart_by_their_addresses_without_debug_information() {
    if !has(&["cc"]) {
        return;
    }
    let project = project("-g0");
    let refused = project.run(&sweep("hot", &[])).err;
    let name = refused.split('\'').nth(1).unwrap_or_default().to_owned();
    assert!(name.starts_with("hot at 0x"), "{refused}");
    let found: Value = serde_json::from_str(&project.done(&sweep(&name, &["--json"])).out).unwrap();
    assert_eq!(found["functions"][0]["name"], name.as_str(), "{found:#}");
    let text = project.done(&attribute(&[])).out;
    assert!(
        advised(&text)
            .iter()
            .any(|word| word.starts_with("hot at 0x")),
        "{text}"
    );
}
