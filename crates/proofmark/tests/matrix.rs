//! A project's file from toolchains to builds, as a user would.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{Project, Said, has};
use rustix::process::{Pid, Signal, kill_process};

const FILE: &str = r#"[source.small]
path = "src"
build = "{cc} {flags} -c main.c && {cc} -o prog main.o"
image = "prog"
[toolchain.gcc]
command = "gcc"
[flags.fast]
add = "-O2"
[flags.broken]
add = "-DBROKEN"
[matrix]
flags = ["", "fast", "broken"]
baselines = ["gcc"]
[benchmark.run]
command = "{} {N}"
scale = "N"
values = [1, 2]
"#;

fn project(file: &str) -> Project {
    let project = Project::new();
    fs::create_dir(project.path("src")).unwrap();
    project.write(
        "src/main.c",
        "#include <stdio.h>\n#ifdef BROKEN\n#error broken on purpose\n#endif\n\
         int main(int count, char **words) { (void)words; int sum = 0; for (int i = 0; i < 100; i++) sum += i * count; printf(\"%d\\n\", sum); return 0; }\n",
    );
    project.write("proofmark.toml", file);
    project
}

/// Longer than it takes to end a build; only a failure waits for it.
const LONG: Duration = Duration::from_secs(60);

/// Waits until something is there.
fn wait_for<T>(mut what: impl FnMut() -> Option<T>) -> T {
    let began = Instant::now();
    loop {
        if let Some(found) = what() {
            return found;
        }
        assert!(began.elapsed() < LONG, "it did not come");
        sleep(Duration::from_millis(5));
    }
}

/// Stops `matrix build` once the script that builds has written the file `told`, and gives what
/// that file says. `proofmark` alone is told to end, not its group: a terminal's Ctrl-C would reach
/// the build by itself.
fn stopped_while_building(script: &str) -> (Project, String) {
    let file = FILE.replace(
        "{cc} {flags} -c main.c && {cc} -o prog main.o",
        "exec env CC={cc} sh build.sh {flags}",
    );
    let project = project(&file);
    let told = project.path("told");
    let script = script.replace("TOLD", &told.display().to_string());
    project.write("src/build.sh", &script);
    let mut child = project
        .command(&["matrix", "build", "--jobs", "1"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let said = wait_for(|| fs::read_to_string(&told).ok());
    let process = Pid::from_child(&child);
    kill_process(process, Signal::TERM).unwrap();
    let status = wait_for(|| child.try_wait().unwrap());
    assert_eq!(status.code(), Some(130), "{status}");
    (project, said)
}

/// An ended build is neither there nor failed.
fn assert_nothing_was_built(project: &Project) {
    let plan = project.done(&["matrix", "plan"]);
    assert!(flat(&plan.out).contains("3 to be made"), "{}", plan.out);
    assert!(!plan.out.contains("failed"), "{}", plan.out);
}

#[test]
fn a_stopped_matrix_ends_its_builds_and_all_that_they_started() {
    if !has(&["gcc"]) {
        return;
    }
    let (project, started) = stopped_while_building(
        "sh -c 'echo $$ >TOLD.new && mv TOLD.new TOLD && exec sleep 1000'\n",
    );
    let grandchild = Path::new("/proc").join(started.trim()).join("exe");
    wait_for(|| fs::read_link(&grandchild).is_err().then_some(()));
    assert_nothing_was_built(&project);
}

#[test]
fn a_stopped_build_is_not_kept_although_it_says_that_all_is_well() {
    if !has(&["gcc"]) {
        return;
    }
    let script = "$CC -c main.c && $CC -o prog main.o\ntrap 'exit 0' TERM\n\
         echo linked >TOLD.new && mv TOLD.new TOLD\nsleep 1000 & wait\n";
    let (project, _) = stopped_while_building(script);
    assert_nothing_was_built(&project);
}

/// The lines of a text, as one each: where the terminal breaks them is not the point.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn from_the_plan_to_the_builds() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project(FILE);
    let plan = project.done(&["matrix", "plan"]);
    let said = flat(&plan.out);
    assert!(said.contains("gcc (baseline)"), "{said}");
    assert!(
        said.contains("3 cells, 3 builds; 3 to be made") && said.contains("1 benchmark in 2 sizes"),
        "{said}"
    );
    assert!(
        said.contains("how long is not known: none of them"),
        "{said}"
    );
    assert!(
        said.contains("layouts: pad, matched where at most 5 % of the code differs"),
        "{said}"
    );
    assert!(
        said.contains(
            "blocks: 8 to 60 blocks of each benchmark and size, with one image of each of 3 cells"
        ),
        "{said}"
    );
    assert!(
        said.contains("measuring: not known before the first block (nothing of it was measured here); no limit"),
        "{said}"
    );
    let limited = project.done(&["matrix", "plan", "--budget", "10m", "--blocks", "2..3"]);
    let limited = flat(&limited.out);
    assert!(
        limited.contains("at most 10 min 0 s (--budget)")
            && limited.contains("blocks: 2 to 3 blocks"),
        "{limited}"
    );
    assert!(
        plan.out.lines().all(|line| line.chars().count() <= 80),
        "{}",
        plan.out
    );

    let built = project.run(&["matrix", "build"]);
    assert_eq!(built.code, Some(3), "{built:?}");
    let said = flat(&built.out);
    assert!(
        said.contains("no build: gcc broken: the build failed"),
        "{said}"
    );
    assert!(
        said.contains("`proofmark matrix log 'gcc broken'` shows its output"),
        "{said}"
    );
    let log = project.done(&["matrix", "log", "broken", "gcc"]);
    assert!(
        log.out.contains("broken on purpose") && log.out.contains("-DBROKEN"),
        "{}",
        log.out
    );

    let json = project.done(&["matrix", "plan", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    let states: Vec<&str> = document["cells"]
        .as_array()
        .unwrap()
        .iter()
        .map(|cell| cell["state"].as_str().unwrap())
        .collect();
    assert_eq!(states, ["built", "built", "missing"]);
    assert_eq!(document["missing"], 1);

    // The captures go by their cells' words and can be used like any other.
    let builds = project.done(&["builds"]);
    assert!(builds.out.contains("gcc+small+fast@"), "{}", builds.out);
    // A build keeps the name of the cell that it was first made for; who asks for a cell is told
    // of the cell, whose words may have meant another build then.
    project.write("proofmark.toml", &FILE.replace("fast", "quick"));
    let shown = project.done(&["builds", "show", "gcc quick"]);
    let told = "cell `gcc quick` has the build gcc+small+fast@";
    assert!(shown.err.contains(told), "{shown:?}");
    let words = ["compare", "gcc quick", "gcc quick", "--", "{}"];
    let compared = project.done(&words).out;
    assert!(
        compared.contains("gcc quick") && !compared.contains("fast@"),
        "{compared}"
    );
}

#[test]
fn toolchains_are_shown_and_what_is_missing_is_an_error() {
    if !has(&["gcc"]) {
        return;
    }
    let file = format!(
        "{FILE}[toolchain.other]\ncommand = \"gcc\"\nversion = \"3.4\"\n[toolchain.gone]\ncommand = \"no-such-cc\"\n"
    );
    let project = project(&file);
    let said = project.run(&["toolchains"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    let out = flat(&said.out);
    assert!(out.contains("GNU ld") || out.contains("LLD"), "{out}");
    assert!(out.contains("other has to be version 3.4, and"), "{out}");
    assert!(
        out.contains("gone is missing: there is no `no-such-cc` in PATH"),
        "{out}"
    );
    let json = project.run(&["toolchains", "--json", "gcc"]);
    assert_eq!(json.code, Some(0), "{json:?}");
    let document: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!(
        document["toolchains"][0]["found"]["hash"]
            .as_str()
            .unwrap()
            .len(),
        64
    );
    let unknown = project.run(&["toolchains", "gonne"]);
    assert_eq!(unknown.code, Some(2));
    assert!(
        unknown.err.contains("did you mean `gone`?"),
        "{}",
        unknown.err
    );

    // The cells of a toolchain that is not there say so; the others are built.
    let built: Said = project.run(&["matrix", "build"]);
    assert_eq!(built.code, Some(3));
    let out = flat(&built.out);
    assert!(
        out.contains("no build: gone, gone fast, gone broken: toolchain `gone` is missing"),
        "{out}"
    );
    assert!(out.contains("gcc fast made in"), "{out}");
}

#[test]
fn a_typo_is_named_with_its_place() {
    let project = project(&FILE.replace("baselines", "baselinse"));
    let said = project.run(&["matrix", "plan"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(
        said.err
            .contains("proofmark.toml:13:1: unknown key `baselinse`; did you mean `baselines`?"),
        "{}",
        said.err
    );
    project.write(
        "proofmark.toml",
        &FILE.replace("baselines = [\"gcc\"]", "baselines = [\"gcc12\"]"),
    );
    let said = project.run(&["matrix", "plan"]);
    assert!(
        said.err
            .contains("proofmark.toml:13:14: the baseline `gcc12` is not in the matrix"),
        "{}",
        said.err
    );
    fs::remove_file(project.path("proofmark.toml")).unwrap();
    let said = project.run(&["matrix", "plan"]);
    assert_eq!(said.code, Some(2));
    assert!(
        said.err.contains("there is no proofmark.toml"),
        "{}",
        said.err
    );
}

#[test]
fn a_matrix_belongs_to_the_folder_of_its_file_wherever_the_command_is_given() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project(&FILE.replace(", \"broken\"]", "]"));
    let below = project.path("src");
    let inside = |words: &[&str]| {
        let output = project.command(words).current_dir(&below).output().unwrap();
        let said = Said::from(output);
        assert_eq!(said.code, Some(0), "{words:?}: {said:#?}");
        said
    };
    inside(&["matrix", "build"]);
    assert!(project.path(".proofmark").is_dir());
    assert!(!below.join(".proofmark").exists());
    assert!(project.done(&["matrix", "build"]).out.contains("there"));
    // Also where the folder below has one of its own.
    fs::create_dir(below.join(".proofmark")).unwrap();
    assert!(inside(&["matrix", "build"]).out.contains("there"));
    assert!(
        inside(&["matrix", "plan", "--json"])
            .out
            .contains("\"built\"")
    );
    assert_eq!(fs::read_dir(below.join(".proofmark")).unwrap().count(), 0);
    // Other commands go by the nearest of the two.
    fs::remove_dir(below.join(".proofmark")).unwrap();
    assert!(inside(&["builds"]).out.contains("gcc"));
    // From elsewhere, by the file's name.
    let elsewhere = tempfile::tempdir().unwrap();
    let file = project.path("proofmark.toml");
    let output = project
        .command(&["matrix", "build", "--file", file.to_str().unwrap()])
        .current_dir(elsewhere.path())
        .output();
    let said = Said::from(output.unwrap());
    assert!(said.out.contains("there"), "{said:#?}");
    assert!(!elsewhere.path().join(".proofmark").exists());
}

/// The table has the names of cells, and whoever reads it believes them.
#[test]
fn a_flag_that_did_not_arrive_is_said_beside_the_table() {
    if !has(&["gcc"]) {
        return;
    }
    let file = FILE
        .replace("{cc} {flags} -c", "true {flags}; {cc} -c")
        .replace(", \"broken\"]", "]")
        .replace(
            "values = [1, 2]",
            "values = [1]\nmetric = \"stdout[n,lower]:([0-9]+)\"",
        );
    let project = project(&file);
    let said = project.run(&["matrix", "run", "--blocks", "2", "--rounds", "1"]);
    let note = "proofmark: gcc fast: -O2 did not reach";
    assert!(said.err.contains(note), "{said:#?}");
}

/// Options of the program set variables, and the command that prepares a run sees them.
#[test]
fn why_there_are_too_few_builds_is_said() {
    if !has(&["gcc"]) {
        return;
    }
    let project = project(
        "[source.gone]\npath = \"src\"\nbuild = \"{cc} {flags} -o prog main.c && exit 7\"\nimage = \"prog\"\n\
         [toolchain.gcc]\ncommand = \"gcc\"\n[flags.O1]\nadd = \"-O1\"\n[matrix]\n\
         flags = [\"\", \"O1\"]\n[benchmark]\ncommand = \"{}\"\n",
    );
    project.write("src/main.c", "int main(void) { return 0; }\n");
    let said = project.run(&["matrix", "run"]);
    assert_eq!(said.code, Some(2), "{said:#?}");
    let told = said.err.split_whitespace().collect::<Vec<&str>>().join(" ");
    for expected in ["fewer than two builds", "`gcc` has none: ", "7"] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
}
