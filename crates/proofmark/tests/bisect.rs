//! `proofmark bisect`: programs that print a number, so that nothing is timed, and scripts.

#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;
use support::{Project, Said, has};

const BUILD: &str = "cc -O1 -c main.c value.c extra.c && cc -no-pie -o prog main.o value.o extra.o";

/// Prints the value that `value.c` has.
const MAIN: &str = r#"
#include <stdio.h>
int value(void);
int extra(int);
int main(int argc, char **argv) {
    (void)argv;
    printf("took %d\n", value());
    return extra(argc) == 1000;
}
"#;

/// A repository in a folder of its own.
struct Repository {
    project: Project,
}

impl Repository {
    fn new() -> Self {
        let project = Project::new();
        fs::create_dir(project.path("repository")).unwrap();
        let repository = Repository { project };
        repository.git(&["init", "--quiet", "--initial-branch", "main"]);
        repository
    }

    fn folder(&self) -> PathBuf {
        self.project.path("repository")
    }

    fn write(&self, file: &str, content: &str) {
        fs::write(self.folder().join(file), content).unwrap();
    }

    /// git, with nothing of this user's configuration.
    fn git(&self, arguments: &[&str]) -> String {
        let said: Said = Command::new("git")
            .args([
                "-c",
                "user.name=Tester",
                "-c",
                "user.email=tester@example.org",
            ])
            .args(arguments)
            .current_dir(self.folder())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .output()
            .unwrap()
            .into();
        assert_eq!(said.code, Some(0), "git {arguments:?}: {said:#?}");
        said.out.trim().to_owned()
    }

    /// Commits everything under a tag.
    fn commit(&self, tag: &str) {
        self.git(&["add", "--all", "."]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", tag]);
        self.git(&["tag", tag]);
    }

    /// A file `state` with these words, commit by commit, each tagged with its word.
    fn states(&self, words: &[&str]) {
        for word in words {
            self.write("state", word);
            self.commit(word);
        }
    }

    fn bisect(&self, arguments: &[&str]) -> Said {
        let words = [&["bisect"], arguments].concat();
        let mut command = self.project.command(&words);
        command
            .current_dir(self.folder())
            .env("XDG_CACHE_HOME", self.project.path("cache"))
            .env("COUNT", self.project.path("count"))
            .env("GIT_CONFIG_GLOBAL", self.project.path("gitconfig"));
        command.output().unwrap().into()
    }

    /// The same with a program that prints a number.
    fn measured(&self, arguments: &[&str]) -> Said {
        self.built_by(BUILD, arguments)
    }

    fn built_by(&self, build: &str, arguments: &[&str]) -> Said {
        let fixed = ["--build", build, "--blocks", "2", "--rounds", "2", "--json"];
        let metric = ["--metric", "stdout[s,lower]:took ([0-9]+)"];
        self.bisect(&[arguments, &fixed, &metric, &["--", "{}"]].concat())
    }

    fn name(&self, tag: &str) -> String {
        self.git(&["rev-parse", &format!("{tag}^{{commit}}")])
    }

    /// What git makes of a log.
    fn replayed(&self, log: &str) -> String {
        let said = self.git(&["bisect", "replay", log]);
        self.git(&["bisect", "reset"]);
        said
    }
}

fn document(said: &Said) -> Value {
    assert_eq!(said.code, Some(0), "{said:#?}");
    serde_json::from_str(&said.out).unwrap()
}

/// Another program with the same value.
fn extra(more: u32) -> String {
    format!("int extra(int n) {{ return n + {more}; }}\n")
}

/// What came of each commit that was tried, by its tag.
fn tried(document: &Value, repository: &Repository, tags: &[&str]) -> Vec<(String, String)> {
    let steps = document["steps"].as_array().unwrap();
    let pair = |step: &Value| {
        let name = step["commit"].as_str()?;
        let tag = tags.iter().find(|tag| repository.name(tag) == name)?;
        Some(((*tag).to_owned(), step["kind"].as_str()?.to_owned()))
    };
    steps.iter().filter_map(pair).collect()
}

#[test]
fn the_commit_is_found_and_known_when_asked_again() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("value.c", "int value(void) { return 100; }\n");
    repository.write("extra.c", &extra(0));
    repository.commit("start");
    repository.write("extra.c", &extra(4));
    repository.commit("other");
    repository.write("extra.c", "int extra(\n");
    repository.commit("broken");
    repository.write("extra.c", &extra(0));
    repository.write("README", "a remark\n");
    repository.commit("mended");
    repository.write("value.c", "int value(void) { return 103; }\n");
    repository.commit("slower");
    repository.write("extra.c", &extra(5));
    repository.commit("end");

    let log = repository.project.path("log");
    let log = log.to_str().unwrap();
    let found = document(&repository.measured(&["--good", "start", "--bad", "end", "--log", log]));
    assert_eq!(found["answer"], "found", "{found:#}");
    assert_eq!(
        found["commits"][0]["id"],
        repository.name("slower"),
        "{found:#}"
    );
    assert_eq!(found["files"], serde_json::json!(["M value.c"]));
    assert_eq!(found["code"]["changed"][0]["name"], "value");
    assert_eq!(found["code"]["changed"][0]["runs"], true);
    assert_eq!(found["effect"]["against"], repository.name("mended"));
    let effect = found["effect"]["ratio"]["estimate"].as_f64().unwrap();
    assert!((effect - 1.03).abs() < 1e-9, "{effect}");
    // The broken one is named, and a commit that changes no byte is not measured.
    let tags = ["other", "broken", "mended", "slower"];
    let expected = [
        ("broken", "skipped"),
        ("mended", "same-program"),
        ("slower", "measured"),
    ];
    let expected = expected.map(|(tag, kind)| (tag.to_owned(), kind.to_owned()));
    assert_eq!(tried(&found, &repository, &tags), expected);
    // git comes to the same end by the log.
    let replayed = repository.replayed(log);
    let name = repository.name("slower");
    assert!(
        replayed.contains(&format!("{name} is the first bad commit")),
        "{replayed}"
    );

    let again = repository.measured(&["--good", "start", "--bad", "end"]);
    assert!(again.err.contains("asked before"), "{again:#?}");
    assert!(!again.err.contains("pilot"), "{again:#?}");
    assert_eq!(document(&again), found);
    let shown = repository.bisect(&["--show", "latest"]);
    let begin = format!("{} made it slower: ", &name[..12]);
    assert!(shown.out.starts_with(&begin), "{shown:#?}");
    assert!(
        shown.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        shown.out
    );
    let markdown = repository.bisect(&["--show", "latest", "--format", "markdown"]);
    assert!(
        markdown.out.starts_with(&format!("**{begin}")),
        "{markdown:#?}"
    );
}

/// Prints a number that goes by where the linker put a function, so that a function before it
/// changes the number as shipped, and over matched layouts nothing does.
const PLACED: &str = r#"
#include <stdio.h>
int value(void);
int extra(int);
int main(int argc, char **argv) {
    (void)argv;
    printf("took %d\n", 100 + (int)(((unsigned long)&value >> 4) & 15));
    return extra(argc) == 1000;
}
"#;

#[test]
fn placement_is_no_commits_fault() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", PLACED);
    repository.write("value.c", "int value(void) { return 1; }\n");
    repository.write("extra.c", "int extra(int n) { return n; }\n");
    repository.commit("start");
    repository.write("README", "a remark\n");
    repository.commit("remark");
    // More than 16 bytes before `value`, and less than 256.
    let stores = "sink = n; sink = n + 1; ".repeat(4);
    let more = format!("volatile int sink;\nvoid more(int n) {{ {stores} }}\n");
    repository.write("main.c", &format!("{more}{PLACED}"));
    repository.commit("moved");
    let asked = ["--good", "start", "--bad", "moved", "--layouts", "matched"];
    let found = document(&repository.measured(&asked));
    assert_eq!(found["answer"], "placement", "{found:#}");
    let said = found["said"].as_str().unwrap();
    assert!(
        said.starts_with("placement; no commit is to blame: as shipped "),
        "{said}"
    );
    assert_eq!(found["ends"]["ratio"]["estimate"], 1.0);
    let found = document(&repository.measured(&[&asked[..], &["--as-shipped"]].concat()));
    assert_eq!(found["answer"], "found", "{found:#}");
    assert_eq!(found["commits"][0]["id"], repository.name("moved"));
    // What is new there never runs.
    let new = &found["code"]["changed"][0];
    assert_eq!(
        (&new["name"], &new["runs"]),
        (&"more".into(), &false.into())
    );
}

/// Both edges of a peak whose ends are alike.
#[test]
fn every_change_of_a_range_is_found() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    for (value, more, tag) in [(100, 0, "start"), (110, 0, "up"), (100, 1, "down")] {
        let value = format!("int value(void) {{ return {value}; }}\n");
        repository.write("value.c", &value);
        repository.write("extra.c", &extra(more));
        repository.commit(tag);
    }
    let asked = ["--good", "start", "--bad", "down", "--all"];
    let found = document(&repository.measured(&asked));
    assert_eq!(found["answer"], "changes", "{found:#}");
    let survey = &found["survey"];
    let changes = survey["changes"].as_array().unwrap().iter();
    let changes: Vec<(&str, f64)> = changes
        .map(|change| {
            let effect = change["effect"]["ratio"]["estimate"].as_f64().unwrap();
            let name = change["commits"][0]["subject"].as_str().unwrap();
            (name, (effect * 1e6).round() / 1e6)
        })
        .collect();
    assert_eq!(changes, [("up", 1.1), ("down", 0.909_091)]);
    let files = &survey["changes"][0]["files"];
    assert_eq!(*files, serde_json::json!(["M value.c"]));
    assert_eq!(
        (&survey["unseen"], &survey["gradual"]),
        (&0.into(), &serde_json::json!([]))
    );
    let shown = repository.bisect(&["--show", "latest"]).out;
    assert!(shown.starts_with("2 changes: "), "{shown}");
    assert!(
        shown.lines().all(|line| line.chars().count() <= 80),
        "{shown}"
    );
    let svg = repository.project.path("bisection.svg");
    let plotted = repository.bisect(&["--show", "latest", "--plot", svg.to_str().unwrap()]);
    assert_eq!(plotted.code, Some(0), "{plotted:#?}");
    let svg = fs::read_to_string(svg).unwrap();
    for (tag, size) in [("up", "+10.0"), ("down", "−9.0")] {
        let name = &repository.name(tag)[..12];
        assert!(
            svg.contains(&format!("{name} {size}")),
            "no mark at {tag}: {svg}"
        );
    }
    assert_eq!(svg.matches("<circle").count(), 3, "{svg}");
    // Of the ends alone the peak is not seen, and that is said.
    let found = document(&repository.measured(&[&asked[..], &["--peaks", "1"]].concat()));
    assert_eq!(
        found["survey"]["changes"],
        serde_json::json!([]),
        "{found:#}"
    );
    assert_eq!(found["survey"]["unseen"], 1);
    let shown = repository.bisect(&["--show", "latest"]).out;
    assert!(
        shown.contains("at most a peak of 1 commit in a row"),
        "{shown}"
    );
    let none = repository.bisect(&["--good", "start", "--run", "true", "--plot", "x.svg"]);
    assert_eq!(none.code, Some(2), "{none:#?}");
    // A log is of a search for one.
    let log = repository.bisect(&["--show", "latest", "--log", "log"]);
    assert_eq!(log.code, Some(2), "{log:#?}");
}

#[test]
fn a_build_that_comes_out_different_each_time_is_told() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", MAIN);
    repository.write("extra.c", &extra(0));
    for (tag, value) in [("start", 100), ("slower", 103)] {
        repository.write(
            "value.c",
            &format!("int value(void) {{ return {value}; }}\n"),
        );
        repository.commit(tag);
    }
    let draw = "od -An -N4 -tu4 /dev/urandom";
    let build = format!("echo \"unsigned drawn = $({draw})u;\" >> extra.c && {BUILD}");
    let asked = ["--good", "start", "--layouts", "as-shipped"];
    let once = repository.built_by(&build, &asked);
    assert!(once.err.contains("came out different"), "{}", once.err);
    let once = document(&once);
    assert_eq!(
        (&once["repeat"], &once["rebuilt"]),
        (&1.into(), &"differs".into())
    );
    let text = repository.bisect(&["--show", "latest"]).out;
    let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
    assert!(text.contains("--repeat 4 has each block draw"), "{text}");
    assert!(text.contains("1.0300] as shipped; against"), "{text}");
    assert!(text.contains("placement was not varied"), "{text}");
    assert!(
        text.contains("as long as a rebuild alone changes nothing"),
        "{text}"
    );

    let often = repository.built_by(&build, &[&asked[..], &["--repeat", "2"]].concat());
    assert!(!often.err.contains("came out different"), "{}", often.err);
    let often = document(&often);
    assert_eq!(
        (&often["repeat"], &often["rebuilt"]),
        (&2.into(), &"differs".into())
    );
    assert_eq!(
        often["commits"][0]["id"],
        repository.name("slower"),
        "{often:#}"
    );
    // One of two of each commit is the build that was there before.
    let mut builds = repository.project.command(&["builds", "--json"]);
    let builds: Said = builds
        .current_dir(repository.folder())
        .output()
        .unwrap()
        .into();
    let builds = document(&builds);
    assert_eq!(builds["builds"].as_array().unwrap().len(), 4, "{builds:#}");
    let text = repository.bisect(&["--show", "latest"]).out;
    assert!(
        text.contains("2 of each, which differ at the older end"),
        "{text}"
    );
    assert!(!text.contains("a rebuild alone"), "{text}");
}

/// Toolchains and sets of flags in place of commits: one compiler that is told another value.
#[test]
fn every_change_from_toolchain_to_toolchain_is_named() {
    if !has(&["gcc"]) {
        return;
    }
    let project = Project::new();
    fs::create_dir(project.path("prog")).unwrap();
    project.write(
        "prog/main.c",
        "#include <stdio.h>\nint main(void) { printf(\"took %d\\n\", VALUE); return 0; }\n",
    );
    let toolchain = |name: &str, flags: &str| {
        format!("[toolchain.{name}]\ncommand = \"gcc\"\nflags = \"{flags}\"\n")
    };
    let toolchains = [
        toolchain("old", "-DVALUE=100"),
        toolchain("mid", "-DVALUE=110"),
        toolchain("lost", "-DVALUE=nothing"),
        toolchain("new", "-DVALUE=100 -DOTHER"),
    ];
    let rest = r#"
[source.prog]
path = "prog"
build = "{cc} -O1 {flags} -c main.c && {cc} -no-pie -o prog main.o"
image = "prog"
[flags.dup]
add = "-UVALUE -DVALUE=120"
only = "mid"
[matrix]
flags = ["", "dup"]
[benchmark.number]
command = "{}"
metric = "stdout[s,lower]:took ([0-9]+)"
"#;
    project.write("proofmark.toml", &(toolchains.concat() + rest));
    let fixed = [
        "bisect",
        "--blocks",
        "2",
        "--rounds",
        "2",
        "--layouts",
        "as-shipped",
    ];
    let searched = |more: &[&str]| {
        let said = project.run(&[&fixed[..], more, &["--json"]].concat());
        document(&said)
    };
    let found = searched(&["--over", "toolchains", "--plot", "over.svg"]);
    assert_eq!(
        (&found["axis"], &found["answer"]),
        (&"toolchains".into(), &"changes".into())
    );
    let changes = |found: &Value| {
        let changes = found["survey"]["changes"].as_array().unwrap().clone();
        let one = |change: &Value| {
            let states = change["commits"].as_array().unwrap().iter();
            let states: Vec<&str> = states.map(|one| one["id"].as_str().unwrap()).collect();
            let size = change["effect"]["ratio"]["estimate"].as_f64().unwrap();
            (states.join(" "), (size * 1e6).round() / 1e6)
        };
        changes.iter().map(one).collect::<Vec<(String, f64)>>()
    };
    let expected = [("mid", 1.1), ("lost new", 0.909_091)];
    let expected = expected.map(|(name, size)| (name.to_owned(), size));
    assert_eq!(changes(&found), expected, "{found:#}");
    assert_eq!(found["survey"]["unseen"], 0);
    let svg = fs::read_to_string(project.path("over.svg")).unwrap();
    assert!(
        svg.contains("mid +10.0") && svg.contains("4 toolchains from old"),
        "{svg}"
    );
    let shown = project.done(&["bisect", "--show", "latest"]).out;
    assert!(shown.contains("every toolchain was looked at"), "{shown}");
    assert!(shown.contains("\n  toolchain mid "), "{shown}");
    // Flags of one toolchain.
    let found = searched(&["--over", "flags", "--cell", "mid"]);
    assert_eq!(
        changes(&found),
        [("dup".to_owned(), 1.090_909)],
        "{found:#}"
    );
    assert_eq!(found["older"]["id"], "no flags");
    for (asked, code, expected) in [
        (
            &["--good", "mid", "--bad", "old"][..],
            2,
            "the other way round",
        ),
        (
            &["--good", "nothing"],
            2,
            "there is `old`, `mid`, `lost`, `new`",
        ),
        (&["--cell", "dup"], 2, "no two cells with the words `dup`"),
        (&["--bad", "lost"], 3, "`lost` is an end and has no build"),
        (&["--benchmark", "other"], 2, "there is `number`"),
    ] {
        let said = project.run(&[&fixed[..], &["--over", "toolchains"], asked].concat());
        assert_eq!(said.code, Some(code), "{asked:?}: {said:#?}");
        assert!(said.err.contains(expected), "{asked:?}: {said:#?}");
    }
}

/// A script as the judge, in a history with a merge.
#[test]
fn a_script_judges_by_its_exit_code() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two"]);
    repository.git(&["checkout", "--quiet", "-b", "side"]);
    repository.write("other", "");
    repository.commit("side-one");
    repository.write("new", "");
    repository.commit("side-two");
    repository.git(&["checkout", "--quiet", "main"]);
    repository.states(&["three", "four"]);
    repository.git(&["merge", "--quiet", "--no-ff", "--message", "merge", "side"]);
    repository.git(&["tag", "merged"]);
    repository.states(&["five", "six"]);
    let run = |script: &str, more: &[&str]| {
        let log = repository.project.path("log");
        let log = log.to_str().unwrap().to_owned();
        let fixed = ["--good", "one", "--bad", "six", "--json", "--log", &log];
        let said = repository.bisect(&[&fixed[..], &["--run", script], more].concat());
        (document(&said), log)
    };
    let (found, log) = run("! test -e new", &[]);
    assert_eq!(
        found["commits"][0]["id"],
        repository.name("side-two"),
        "{found:#}"
    );
    assert_eq!(found["files"], serde_json::json!(["A new"]));
    let name = repository.name("side-two");
    assert!(
        repository
            .replayed(&log)
            .contains(&format!("{name} is the first bad commit"))
    );
    // By first parents it is the merge, and git says so too.
    let (found, log) = run("! test -e new", &["--first-parent"]);
    assert_eq!(
        found["commits"][0]["id"],
        repository.name("merged"),
        "{found:#}"
    );
    let name = repository.name("merged");
    assert!(
        repository
            .replayed(&log)
            .contains(&format!("{name} is the first bad commit"))
    );
    // By first parents nothing leads to a commit that a merge brought in.
    let asked = [
        "--good",
        "side-one",
        "--bad",
        "six",
        "--first-parent",
        "--run",
        "true",
    ];
    let said = repository.bisect(&asked);
    assert_eq!(said.code, Some(2), "{said:#?}");
    let two = repository.name("two");
    assert!(
        said.err
            .contains(&format!("lead from `six` to {}", &two[..12])),
        "{said:#?}"
    );
    // What cannot be judged leaves a range.
    let script = "case $(cat state) in three|four) exit 125;; five|six) exit 3;; esac";
    let (found, _) = run(script, &["--first-parent"]);
    assert_eq!(found["answer"], "among", "{found:#}");
    let names = found["commits"].as_array().unwrap().iter();
    let names: Vec<&str> = names.map(|one| one["subject"].as_str().unwrap()).collect();
    assert_eq!(names, ["three", "four", "merge", "five"]);
}

#[test]
fn what_was_judged_is_not_judged_again() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    let states = ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "s7"];
    repository.states(&states);
    // Fails in a way that ends a bisection until the file `mended` is there.
    let script = "s=$(cat state); echo $s >> \"$COUNT\"; test -e \"$COUNT.mended\" || [ $s != s4 ] || exit 127; case $s in s5|s6|s7) exit 1;; esac";
    let asked = ["--good", "s0", "--bad", "s7", "--json", "--run", script];
    let said = repository.bisect(&asked);
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains("exit code 127"), "{said:#?}");
    let count = repository.project.path("count");
    let judged = || {
        fs::read_to_string(&count)
            .unwrap()
            .lines()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let before = judged();
    fs::write(repository.project.path("count.mended"), "").unwrap();
    let found = document(&repository.bisect(&asked));
    assert_eq!(found["commits"][0]["subject"], "s5");
    let after = judged();
    let again: Vec<&String> = after[before.len()..]
        .iter()
        .filter(|one| before.contains(one))
        .collect();
    assert_eq!(again, ["s4"], "{after:?}");
    document(&repository.bisect(&asked));
    assert_eq!(judged(), after);
}

/// Killed in the middle of each of its steps in turn, it ends with the same answer, and judges no
/// commit again but the one that it was at.
#[test]
fn killed_at_every_step_it_ends_with_the_same_answer() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    let states: Vec<String> = (0..20).map(|number| format!("k{number:02}")).collect();
    let words: Vec<&str> = states.iter().map(String::as_str).collect();
    repository.states(&words);
    // Kills the bisection the first time that it judges a commit.
    let script = "s=$(cat state); echo $s >> \"$COUNT\"; [ $(grep -c $s \"$COUNT\") -gt 1 ] || kill -9 $PPID; test ${s#k} -lt 13";
    let asked = ["--good", "k00", "--bad", "k19", "--json", "--run", script];
    let mut killed = 0;
    let found = loop {
        let said = repository.bisect(&asked);
        if said.code == Some(0) {
            break document(&said);
        }
        assert_eq!(said.code, None, "{said:#?}");
        killed += 1;
        assert!(killed < 20);
    };
    assert_eq!(found["commits"][0]["subject"], "k13", "{found:#}");
    let judged = fs::read_to_string(repository.project.path("count")).unwrap();
    let of = |state: &&String| judged.lines().filter(|line| line == state).count();
    // The ends are one step: the older one is judged again with the newer.
    assert_eq!(of(&&states[0]), 3);
    let twice = states[1..]
        .iter()
        .filter(|state| of(state) > 0)
        .map(|state| of(&state));
    assert!(
        twice.clone().count() >= 5 && { twice }.all(|times| times == 2),
        "{judged}"
    );
}

#[test]
fn two_at_once_are_refused() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two", "three"]);
    let go = repository.project.path("go");
    let script = format!(
        "touch {0}.begun; while ! test -e {0}; do sleep 0.05; done; grep -q one state",
        go.display()
    );
    let mut first = repository
        .project
        .command(&["bisect", "--good", "one", "--run", &script]);
    let first = first
        .current_dir(repository.folder())
        .env("XDG_CACHE_HOME", repository.project.path("cache"))
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let begun = repository.project.path("go.begun");
    while !begun.exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let second = repository.bisect(&["--good", "one", "--run", "true"]);
    fs::write(&go, "").unwrap();
    let first = Said::from(first.wait_with_output().unwrap());
    assert_eq!(first.code, Some(0), "{first:#?}");
    assert_eq!(second.code, Some(4), "{second:#?}");
    assert!(second.err.contains("process"), "{second:#?}");
}

#[test]
fn ends_that_are_none_are_refused_by_name() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two", "three"]);
    repository.git(&["checkout", "--quiet", "-b", "side", "one"]);
    repository.states(&["beside"]);
    repository.git(&["checkout", "--quiet", "main"]);
    let refused = |good: &str, bad: &str, script: &str| {
        let said = repository.bisect(&["--good", good, "--bad", bad, "--run", script]);
        assert!(matches!(said.code, Some(2..=4)), "{said:#?}");
        said.err
    };
    let is_new = "! grep -q three state";
    let base = repository.name("one")[..12].to_owned();
    let cases = [
        (
            refused("three", "one", is_new),
            "give them the other way round",
        ),
        (refused("one", "one", is_new), "are one commit"),
        (
            refused("beside", "three", is_new),
            &*format!("they parted at {base}"),
        ),
        (
            refused("nothing", "three", is_new),
            "`nothing` is no revision",
        ),
        (refused("one", "WORK", is_new), "WORK is no commit"),
        // The ends are judged first.
        (
            refused("one", "two", is_new),
            "of the end that was called bad, where it has to say 1 to 124",
        ),
        (
            refused("one", "three", "exit 1"),
            "of the end that was called good, where it has to say 0",
        ),
        (
            refused("one", "three", "kill -9 $$"),
            "was ended by a signal",
        ),
        (refused("one", "three", "exit 125"), "exit code 125"),
    ];
    for (said, expected) in cases {
        assert!(said.contains(expected), "{expected}: {said}");
    }
    let nowhere = repository
        .project
        .command(&["bisect", "--good", "one", "--run", "true"])
        .output();
    let nowhere = Said::from(nowhere.unwrap());
    assert!(
        nowhere.code == Some(2) && nowhere.err.contains("git repository"),
        "{nowhere:#?}"
    );
    // The commits at both ends are there, and not what lies between them.
    let clone = format!("file://{}", repository.folder().display());
    repository.git(&["clone", "--quiet", "--depth", "1", &clone, "../shallow"]);
    let shallow = repository.project.path("shallow");
    let folder = shallow.to_str().unwrap();
    let fetch = ["-C", folder, "fetch", "--quiet", "--depth", "1", "origin"];
    repository.git(&[&fetch[..], &["tag", "one"]].concat());
    let mut command = repository.project.command(&["bisect", "--good", "one"]);
    let output = command
        .args(["--run", "true"])
        .current_dir(&shallow)
        .output();
    let said = Said::from(output.unwrap());
    let cut = "the clone is shallow: the parents of ";
    assert_eq!(said.code, Some(4), "{said:#?}");
    assert!(
        said.err.contains(cut) && said.err.contains("`git fetch --unshallow` gets them"),
        "{said:#?}"
    );
}

#[test]
fn names_of_several_commits_are_refused_with_all_of_them() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    repository.states(&["one", "two", "three"]);
    let [one, two, three] = ["one", "two", "three"].map(|tag| repository.name(tag));
    // A tag and a branch; git takes the tag.
    repository.git(&["branch", "two", "one"]);
    // A branch that is called as a commit begins.
    repository.git(&["branch", &three[..7], "one"]);
    repository.git(&["update-ref", "refs/heads/HEAD", "one"]);
    // One commit under two names is one commit.
    repository.git(&["branch", "one", "one"]);
    let said = |good: &str| repository.bisect(&["--good", good, "--run", "! grep -q three state"]);
    for (name, ways) in [
        ("two", [("refs/tags/two", &two), ("refs/heads/two", &one)]),
        ("two~1", [("refs/tags/two", &two), ("refs/heads/two", &one)]),
        (&three[..7], [("refs/heads/", &one), ("a commit", &three)]),
        ("HEAD", [("refs/heads/HEAD", &one), ("HEAD", &three)]),
    ] {
        let refused = said(name);
        assert_eq!(refused.code, Some(2), "{name}: {refused:#?}");
        for (way, commit) in ways {
            let said = refused
                .err
                .split(['\n', ' '])
                .collect::<Vec<&str>>()
                .join(" ");
            assert!(
                said.contains(way) && said.contains(commit),
                "{name}: {said}"
            );
        }
    }
    let known = ["--bad", "main", "--run", "! grep -q three state", "--json"];
    let known = [&["bisect", "--good", "one"], &known[..]].concat();
    let found = document(&repository.bisect(&known[1..]));
    assert_eq!(found["commits"][0]["id"], three, "{found:#}");

    // Commits enough for two of them to begin alike.
    let commit = |number: usize| {
        format!(
            "commit refs/heads/many\ncommitter T <t@example.org> {number} +0000\ndata 0\nfrom {three}\n\n"
        )
    };
    let stream: String = (1..1500).map(commit).collect();
    repository.write("stream", &stream);
    repository.git(&[
        "-c",
        "alias.import=!git fast-import --quiet --force < stream",
        "import",
    ]);
    let check = "--batch-check=%(objectname) %(objecttype)";
    let all = repository.git(&["cat-file", "--batch-all-objects", check]);
    let commits = all.lines().filter_map(|line| line.strip_suffix(" commit"));
    let names: Vec<&str> = commits.collect();
    let pair = names
        .windows(2)
        .find(|two| two[0][..4] == two[1][..4])
        .unwrap();
    let refused = said(&pair[0][..4]);
    assert!(
        refused.code == Some(2) && pair.iter().all(|name| refused.err.contains(name)),
        "{refused:#?}"
    );
}

#[test]
fn builds_that_fail_at_an_end_are_refused() {
    if !has(&["cc", "git"]) {
        return;
    }
    let repository = Repository::new();
    repository.write("main.c", "int main(void) { return 0; }\n");
    repository.commit("one");
    repository.git(&["mv", "main.c", "start.c"]);
    repository.commit("two");
    let refused = |build: &str| {
        let asked = [
            "--good", "one", "--bad", "two", "--build", build, "--", "{}",
        ];
        let said = repository.bisect(&asked);
        assert_eq!(said.code, Some(3), "{said:#?}");
        said.err
    };
    let said = refused("false");
    assert!(said.contains("the older end cannot be built"), "{said}");
    let said = refused("cc -c main.c && cc -o prog main.o");
    assert!(said.contains("works at the older end and not at"), "{said}");
}

/// Nothing of the repository's or the user's own runs: neither hooks nor a monitor nor what a
/// configuration names; and names do not colour the terminal.
#[test]
fn a_hostile_repository_runs_nothing() {
    if !has(&["git"]) {
        return;
    }
    let repository = Repository::new();
    let trap = repository.project.path("trap");
    repository.write("state", "one");
    repository.commit("one");
    repository.write("state", "two");
    repository.git(&["add", "--all"]);
    repository.git(&[
        "commit",
        "--quiet",
        "--author",
        "\u{1b}[31mred <e@e.org>",
        "--message",
        "\u{1b}[2Jgone",
    ]);
    repository.git(&["tag", "two"]);
    let hook = format!("#!/bin/sh\ntouch {}\n", trap.display());
    for name in [
        "post-checkout",
        "pre-commit",
        "reference-transaction",
        "fsmonitor",
    ] {
        let path = repository.folder().join(".git/hooks").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &hook).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
        fs::set_permissions(&path, mode).unwrap();
    }
    let monitor = repository.folder().join(".git/hooks/fsmonitor");
    for (key, value) in [
        ("core.fsmonitor", monitor.to_str().unwrap()),
        ("log.showSignature", "true"),
        ("core.pager", monitor.to_str().unwrap()),
    ] {
        let config = repository.folder().join(".git/config");
        let status = Command::new("git")
            .args(["config", "--file"])
            .arg(config)
            .args([key, value])
            .status();
        assert!(status.unwrap().success());
    }
    let said = repository.bisect(&[
        "--good",
        "one",
        "--bad",
        "two",
        "--run",
        "grep -q one state",
    ]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert!(!trap.exists());
    assert!(
        !said.out.contains('\u{1b}') && !said.err.contains('\u{1b}'),
        "{said:#?}"
    );
}
