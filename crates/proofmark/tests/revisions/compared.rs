//! Two revisions are built, each once, and compared.

use std::fs;

use serde_json::Value;

use super::{BUILD, builds, clean, commit, compare, git, inside, noted, repository, with};
use crate::support::{Said, has};

#[test]
fn two_revisions_are_built_once_and_compared() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let said = compare(&project, "fast..slow", BUILD, &["--layouts", "auto"]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    // What the build prints goes elsewhere: standard output is one document.
    let report: Value = serde_json::from_str(&said.out).unwrap();
    let names: Vec<&str> = report["builds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|build| build["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["fast", "slow"]);
    for name in names {
        let builds = report["builds"].as_array().unwrap();
        let build = builds.iter().find(|build| build["name"] == name);
        let commit = git(&project, &["rev-parse", name]);
        let revision = &build.unwrap()["revision"];
        assert_eq!(revision["vcs"], "git");
        assert_eq!(revision["id"], commit.trim());
        assert_eq!(revision["dirty"], false);
    }
    // The folder in which a revision is built is the same for all, so that nothing differs but the
    // change.
    assert_eq!(
        report["layouts"]["kind"], "matched",
        "{}",
        report["layouts"]
    );
    assert!(
        report["conclusion"]["comparisons"][0]["ratio"]["estimate"]
            .as_f64()
            .unwrap()
            > 1.0
    );
    assert_eq!(builds(&project), 2);
    clean(&project);

    // By another name of the same commit, too; and while the copies of the repository go, as they
    // do where another command builds a revision of it.
    let copies = project.path("cache/proofmark/revisions");
    let build_meanwhile = format!("rm -rf '{}'/*", copies.display());
    let more = ["--prepare", &build_meanwhile];
    let again = compare(&project, "fast..broken~1", BUILD, &more);
    assert_eq!(again.code, Some(0), "{again:#?}");
    assert_eq!(builds(&project), 2, "captures are kept by revision");
    let other = compare(&project, "fast..slow", &format!("true; {BUILD}"), &[]);
    assert_eq!(other.code, Some(0), "{other:#?}");
    assert_eq!(
        builds(&project),
        4,
        "another way to build makes another build"
    );
    clean(&project);
}

#[test]
fn what_a_build_reads_outside_of_the_repository_is_looked_at_again() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    fs::write(project.path("outer/cost.h"), "#define COST 1\n").unwrap();
    fs::write(project.path("outer/words"), "-O1").unwrap();
    let outer = project.path("outer");
    let words = format!("$(cat {}/words) -I{}", outer.display(), outer.display());
    let build = BUILD
        .replace("-O1", &words)
        .replace("-c work.c", "-include cost.h -c work.c");
    let built = |times: usize, what: &str| {
        let said = compare(&project, "fast..slow", &build, &[]);
        assert_eq!(said.code, Some(0), "{said:#?}");
        assert_eq!(builds(&project), times, "{what}: {said:#?}");
        said.err
    };
    built(2, "both are built");
    built(2, "nothing has changed");
    for (at, file) in ["cost.h", "words"].into_iter().enumerate() {
        let mut text = fs::read_to_string(outer.join(file)).unwrap();
        text.push(' ');
        fs::write(outer.join(file), text).unwrap();
        let said = built(4 + 2 * at, file);
        let why = format!("fast is built again, for {}", outer.join(file).display());
        assert!(said.contains(&why), "{said}");
    }
    clean(&project);
}

#[test]
fn changes_that_are_not_committed_stay_out_of_it_and_stay() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let file = inside(&project, "bench/work.c");
    fs::write(&file, "this is being worked on\n").unwrap();
    let said = compare(&project, "fast..slow", BUILD, &[]);
    assert_eq!(said.code, Some(0), "{said:#?}");
    assert_eq!(
        fs::read_to_string(file).unwrap(),
        "this is being worked on\n"
    );
    for part in ["1 file(s)", "not committed", "--rev fast..WORK"] {
        assert!(said.err.contains(part), "{}", said.err);
    }
}

#[test]
fn everything_that_goes_in_is_in_the_key() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let other = inside(&project, "other");
    fs::create_dir(&other).unwrap();
    for file in ["work.c", "bound.c"] {
        let source = fs::read_to_string(inside(&project, "bench").join(file)).unwrap();
        fs::write(other.join(file), source.replace("many", "7000000")).unwrap();
    }
    fs::write(
        inside(&project, "bench/bound.c"),
        "const volatile unsigned long bound = 1000000;\n",
    )
    .unwrap();
    commit(&project, "both");
    fs::write(inside(&project, "README"), "\n").unwrap();
    commit(&project, "more");
    let built = |expected: usize, said: &Said, what: &str| {
        assert_eq!(said.code, Some(0), "{what}: {said:#?}");
        assert_eq!(builds(&project), expected, "{what}");
    };
    let base = compare(&project, "both..more", BUILD, &[]);
    built(2, &base, "first");
    built(
        2,
        &compare(&project, "both..more", BUILD, &[]),
        "the same again",
    );
    for (at, env) in [
        ("CFLAGS", "-O3"),
        ("ROUNDS", "15"),
        ("CPATH", "/usr/include"),
    ]
    .into_iter()
    .enumerate()
    {
        let said = with(&project, "both..more", BUILD, &[], &[env]);
        built(4 + 2 * at, &said, env.0);
    }
    built(
        8,
        &with(&project, "both..more", BUILD, &[], &[("TERM", "other")]),
        "TERM",
    );
    // Another subfolder, into the same store.
    let store = inside(&project, "bench/.proofmark");
    let arguments = [
        "--store",
        store.to_str().unwrap(),
        "compare",
        "--rev",
        "both..more",
        "--repeat",
        "1",
        "--build",
        BUILD,
        "--blocks",
        "3",
        "--rounds",
        "2",
        "--skip",
        "instructions",
        "--schedule",
        "interleaved",
        "--",
        "{}",
    ];
    let mut command = project.command(&arguments);
    command
        .current_dir(&other)
        .env("BUILDS", project.path("builds"))
        .env("XDG_CACHE_HOME", project.path("cache"))
        .env("GIT_CONFIG_GLOBAL", project.path("gitconfig"));
    built(10, &command.output().unwrap().into(), "another subfolder");
    // A tag that `git describe` tells builds of.
    git(
        &project,
        &["tag", "--annotate", "--message", "v9", "v9", "both"],
    );
    built(12, &compare(&project, "both..more", BUILD, &[]), "a tag");
    clean(&project);
}

/// What a service calls its job is another word in each, and leads to the work tree. What lets a
/// build fetch something is passed on.
#[test]
fn a_build_does_not_get_what_a_service_calls_its_job() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let shows = "${BUILD_NUMBER-none} ${GITHUB_WORKSPACE-none} ${GITHUB_TOKEN-none}";
    let build = BUILD.replacen("built", shows, 1);
    let built = |number: &str, token: &str| {
        let env = [
            ("BUILD_NUMBER", number),
            ("GITHUB_WORKSPACE", "/somewhere"),
            ("GITHUB_TOKEN", token),
        ];
        let said = with(&project, "fast..slow", &build, &[], &env);
        assert_eq!(said.code, Some(0), "{said:#?}");
        noted(&project)
    };
    assert_eq!(built("7", "one"), ["none none one"; 2]);
    assert_eq!(built("8", "two").len(), 2);
    clean(&project);
}

/// The programs of both are the same, so that nothing is measured.
#[test]
fn what_git_is_told_and_the_tags_that_a_build_asks_for_count() {
    if !has(&["git"]) {
        return;
    }
    let project = repository();
    let bound = "const volatile unsigned long bound = 1000000;\n";
    fs::write(inside(&project, "bench/bound.c"), bound).unwrap();
    commit(&project, "one");
    fs::write(inside(&project, "README"), "\n").unwrap();
    commit(&project, "two");
    // What `git describe` says is this from now on.
    for (name, of) in [("first", "one"), ("second", "two")] {
        git(
            &project,
            &["tag", "--annotate", "--message", "it", name, of],
        );
    }
    let asks = format!("git tag --list >tags; {BUILD}");
    let compared = |build: &str| {
        let said = compare(&project, "one..two", build, &[]);
        assert_eq!(said.code, Some(0), "{said:#?}");
        (builds(&project), said.err)
    };
    assert_eq!(compared(&asks).0, 2);
    assert_eq!(compared(BUILD).0, 4);
    git(&project, &["tag", "v1", "one"]);
    let (made, said) = compared(&asks);
    let expected = "the tags of the repository have changed";
    assert!(made == 6 && said.contains(expected), "{made}: {said}");
    assert_eq!(compared(BUILD).0, 6);
    git(&project, &["config", "core.autocrlf", "input"]);
    assert_eq!(compared(BUILD).0, 8);
    git(&project, &["replace", "two", "one"]);
    assert_eq!(compared(BUILD).0, 10);
}

#[test]
fn each_revision_reads_what_its_own_build_wrote_elsewhere() {
    if let Err(why) = proofmark_measure::View::usable() {
        crate::support::skipped(&format!("private mount namespaces ({why})"));
        return;
    }
    let project = repository();
    let source = "#include <stdio.h>
const volatile int state = STATE;
int main(int c, char **v) {
    int n = 0;
    FILE *f = fopen(v[1], \"r\");
    if (!f || fscanf(f, \"%d\", &n) != 1) return 2;
    printf(\"%d\\n\", n);
}
";
    for state in ["1", "2"] {
        fs::write(inside(&project, "bench/table"), state).unwrap();
        let source = source.replace("STATE", state);
        fs::write(inside(&project, "bench/read.c"), source).unwrap();
        commit(&project, &format!("table{state}"));
    }
    // Nothing of it lies in the folder of everybody's files, where what builds leave is theirs.
    let table = project.path("made/table");
    let build = format!(
        "mkdir -p {}; cp table {}; cc -O1 -c read.c && cc -o read read.o",
        project.path("made").display(),
        table.display()
    );
    let table = table.to_str().unwrap();
    // The second time no build is made, and no table lies there.
    for gone in [false, true] {
        if gone {
            fs::remove_file(table).unwrap();
        }
        let mut arguments = vec!["compare", "--rev", "table1..table2", "--build", &build];
        arguments.extend([
            "--blocks",
            "3",
            "--rounds",
            "2",
            "--schedule",
            "interleaved",
        ]);
        arguments.extend(["--repeat", "1", "--skip", "instructions", "--", "{}", table]);
        let mut command = project.command(&arguments);
        command
            .current_dir(inside(&project, "bench"))
            .env("XDG_CACHE_HOME", project.path("cache"))
            .env("GIT_CONFIG_GLOBAL", project.path("gitconfig"));
        let said = Said::from(command.output().unwrap());
        assert_eq!(said.code, Some(3), "{said:#?}");
        assert!(said.err.contains("“2”, and not “1”"), "{said:#?}");
    }
}
