//! Revisions of a Mercurial repository: the same small history gives the same answers as in git.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use crate::support::repository::DESIGN;
use crate::support::{Project, Said, has};
use proofmark_capture::states::{RevisionError, Tree, TreeLink, files};
use serde_json::Value;

/// A history: files with their content, by the word of the commit.
const HISTORY: [(&str, &[(&str, &str)]); 6] = [
    ("start", &[("main.c", MAIN), ("value", "100"), ("old", "")]),
    ("other", &[("other", "x")]),
    ("broken", &[("main.c", "int main(")]),
    ("mended", &[("main.c", MAIN), ("sub/file", "x")]),
    ("slower", &[("value", "103")]),
    ("end", &[("main.c", ENDING)]),
];

/// Prints the value that the build gives it.
const MAIN: &str = "#include <stdio.h>\nint main(void) { printf(\"took %d000000\\n\", VALUE); }\n";
const ENDING: &str =
    "#include <stdio.h>\nint end;\nint main(void) { printf(\"took %d000000\\n\", VALUE + end); }\n";

const BUILD: &str = "cc -O1 -DVALUE=$(cat value) -c main.c && cc -no-pie -o prog main.o";

/// The same history in a repository of either kind.
struct Repository {
    project: Project,
    program: &'static str,
}

impl Repository {
    fn new(program: &'static str) -> Self {
        let project = Project::new();
        fs::create_dir(project.path("repository")).unwrap();
        let repository = Repository { project, program };
        repository.ask(&["init", "--quiet"]);
        for (word, files) in HISTORY {
            for (file, content) in files {
                let place = repository.folder().join(file);
                fs::create_dir_all(place.parent().unwrap()).unwrap();
                fs::write(place, content).unwrap();
            }
            repository.commit(word);
        }
        repository.name_all();
        repository
    }

    /// Names each changeset by its message, all of them at once: hg takes its time to start.
    fn name_all(&self) {
        if self.program == "hg" {
            let tags = self.ask(&["log", "--template", "{node} {desc}\n"]);
            fs::write(self.folder().join(".hg/localtags"), tags + "\n").unwrap();
        }
    }

    fn commit(&self, word: &str) {
        if self.program == "git" {
            self.ask(&["add", "--all", "."]);
            self.ask(&["commit", "--quiet", "--message", word]);
            self.ask(&["tag", word]);
        } else {
            self.ask(&["commit", "--quiet", "--addremove", "--message", word]);
        }
    }

    fn folder(&self) -> PathBuf {
        self.project.path("repository")
    }

    fn ask(&self, arguments: &[&str]) -> String {
        let mut command = Command::new(self.program);
        if self.program == "git" {
            command.args(["-c", "user.name=Tester", "-c", "user.email=t@e.org"]);
        }
        let said: Said = command
            .args(arguments)
            .current_dir(self.folder())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HGRCPATH", "")
            .env("HGUSER", "Tester <t@e.org>")
            .env("HGPLAIN", "1")
            .output()
            .unwrap()
            .into();
        assert_eq!(said.code, Some(0), "{arguments:?}: {said:#?}");
        said.out.trim().to_owned()
    }

    fn proofmark(&self, arguments: &[&str]) -> Said {
        let mut command = self.project.command(arguments);
        command
            .current_dir(self.folder())
            .env("XDG_CACHE_HOME", self.project.path("cache"));
        command.output().unwrap().into()
    }
}

fn document(said: &Said) -> Value {
    assert_eq!(said.code, Some(0), "{said:#?}");
    serde_json::from_str(&said.out).unwrap()
}

/// What a bisection answered, without what belongs to the kind of repository: its names.
fn answer(document: &Value) -> Value {
    let subjects = document["commits"].as_array().unwrap().iter();
    let subjects: Vec<&Value> = subjects.map(|one| &one["subject"]).collect();
    let steps = document["steps"].as_array().unwrap().iter();
    let steps: Vec<[&Value; 2]> = steps.map(|one| [&one["kind"], &one["like"]]).collect();
    let author = &document["older"]["author"];
    serde_json::json!({
        "answer": document["answer"], "commits": subjects, "files": document["files"],
        "range": document["range"], "steps": steps, "author": author,
        "effect": document["effect"]["ratio"]["estimate"],
    })
}

#[test]
fn the_same_history_gives_the_same_answers() {
    if !has(&["cc", "git", "hg"]) {
        return;
    }
    let [git, hg] = ["git", "hg"].map(Repository::new);
    let measured = |repository: &Repository| {
        let metric = "stdout[steps,lower]:took ([0-9]+)";
        let ends = ["bisect", "--good", "start", "--bad", "end", "--json"];
        let build = ["--build", BUILD];
        let run = ["--layouts", "as-shipped", "--metric", metric, "--", "{}"];
        document(&repository.proofmark(&[&ends[..], &build, &DESIGN, &run].concat()))
    };
    let (by_git, by_hg) = (measured(&git), measured(&hg));
    assert_eq!(answer(&by_git), answer(&by_hg));
    assert_eq!(
        (&by_git["vcs"], &by_hg["vcs"]),
        (&"git".into(), &"mercurial".into())
    );
    assert_eq!(by_hg["commits"][0]["subject"], "slower");
    assert_eq!(by_hg["files"], serde_json::json!(["M value"]));
    // What is refused is refused in the same words.
    let refused = |good: &str, bad: &str, expected: &str| {
        let asked = [
            "bisect",
            "--good",
            good,
            "--bad",
            bad,
            "--first-parent",
            "--run",
            "true",
        ];
        let said = hg.proofmark(&asked);
        assert_eq!(said.code, Some(2), "{said:#?}");
        assert!(said.err.contains(expected), "{expected}: {said:#?}");
    };
    refused("end", "start", "give them the other way round");
    refused("nothing", "end", "`nothing` is no revision");
    refused("start:end", "end", "it stands for 6 changesets");
    // A merge, by all parents and by the first ones.
    let write = |file: &str| fs::write(hg.folder().join(file), "x").unwrap();
    hg.ask(&["update", "--quiet", "mended"]);
    write("beside");
    hg.commit("beside");
    write("new");
    hg.commit("wanted");
    hg.ask(&["update", "--quiet", "end"]);
    hg.ask(&["merge", "--quiet", "--rev", "tip"]);
    hg.commit("merged");
    hg.name_all();
    let found = |more: &[&str]| {
        let fixed = ["bisect", "--good", "slower", "--bad", "merged", "--json"];
        let run = ["--run", "! test -e new"];
        document(&hg.proofmark(&[&fixed[..], &run, more].concat()))
    };
    let all = found(&[]);
    assert_eq!(all["commits"][0]["subject"], "wanted", "{all:#}");
    let first = found(&["--first-parent"]);
    assert_eq!(first["commits"][0]["subject"], "merged", "{first:#}");
    refused("beside", "end", "they parted at ");
    refused("beside", "merged", "first parents lead from `merged`");
    // A bookmark with the name of another changeset's tag; Mercurial takes the bookmark.
    let end = hg.ask(&["log", "--rev", "end", "--template", "{node}"]);
    fs::write(hg.folder().join(".hg/bookmarks"), format!("{end} start\n")).unwrap();
    refused(
        "start",
        "end",
        &format!("the bookmark is {end}, the tag is "),
    );
    // What Mercurial gives to no copy.
    fs::remove_file(hg.folder().join(".hg/bookmarks")).unwrap();
    fs::write(hg.folder().join("value"), "107").unwrap();
    hg.commit("hidden");
    hg.ask(&["phase", "--secret", "--force", "--rev", "."]);
    hg.name_all();
    let pair = ["compare", "--rev", "mended..hidden", "--build", BUILD];
    let said = hg.proofmark(&[&pair[..], &["--", "{}"]].concat());
    assert_eq!(said.code, Some(4), "{said:#?}");
    for told in ["is secret", "`hg phase --draft --rev "] {
        assert!(said.err.contains(told), "{told}: {said:#?}");
    }
}

/// `rev` of a matrix: the files of a changeset, below a folder of the repository.
#[test]
fn a_changeset_is_a_source() {
    if !has(&["hg"]) {
        return;
    }
    let project = Project::new();
    let folder = project.path("repository");
    fs::create_dir_all(folder.join("sub/deep")).unwrap();
    let hg = |arguments: &[&str]| {
        let mut command = Command::new("hg");
        command.args(arguments).current_dir(&folder);
        let said = command
            .env("HGRCPATH", "")
            .env("HGUSER", "T")
            .output()
            .unwrap();
        assert!(said.status.success(), "{arguments:?}: {said:?}");
    };
    hg(&["init"]);
    fs::write(folder.join("outside"), "x").unwrap();
    fs::write(folder.join("sub/deep/file"), "one").unwrap();
    std::os::unix::fs::symlink("deep/file", folder.join("sub/link")).unwrap();
    hg(&["commit", "--quiet", "--addremove", "--message", "one"]);
    fs::write(folder.join("sub/deep/file"), "two").unwrap();
    fs::write(folder.join("sub/new"), "").unwrap();
    let sub = folder.join("sub");
    let tree = Tree::of(&sub, "0").unwrap();
    assert_eq!(tree.id(), Tree::of(&sub, "HEAD").unwrap().id());
    assert_ne!(tree.id(), Tree::of(&folder, "0").unwrap().id());
    let link = TreeLink {
        file: "link".into(),
        target: "deep/file".into(),
    };
    assert_eq!(tree.links().unwrap(), [link]);
    let place = project.path("place");
    fs::create_dir(&place).unwrap();
    tree.write(&place).unwrap();
    assert_eq!(fs::read(place.join("link")).unwrap(), b"one");
    let mut names: Vec<_> = fs::read_dir(&place)
        .unwrap()
        .map(|one| one.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["deep", "link"]);
    assert!(matches!(
        Tree::of(&sub, "none"),
        Err(RevisionError::NotOf { .. })
    ));
    // Without a revision its files are what Mercurial lists.
    let listed = files(&sub).unwrap().unwrap();
    assert_eq!(listed, ["deep/file", "link", "new"].map(PathBuf::from));
}

/// Neither hooks nor extensions of the repository or the user run; the work tree and its state stay
/// as they are; and what was changed there is a state of its own.
#[test]
fn nothing_of_a_mercurial_repository_runs() {
    if !has(&["cc", "hg"]) {
        return;
    }
    let repository = Repository::new("hg");
    // Mercurial notes when an unchanged file was written as soon as that is long enough ago, also
    // for `hg status`. So all of it is noted before.
    let folder = repository.folder();
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    for name in repository.ask(&["files"]).lines() {
        let file = fs::File::options()
            .write(true)
            .open(folder.join(name))
            .unwrap();
        file.set_modified(long_ago).unwrap();
    }
    repository.ask(&["status"]);
    let trap = repository.project.path("trap");
    let extension = repository.project.path("extension.py");
    fs::write(
        &extension,
        format!("open({:?}, 'w').close()\n", trap.display().to_string()),
    )
    .unwrap();
    let hooks = [
        "pre-log",
        "pre-clone",
        "pre-update",
        "post-update",
        "outgoing",
        "pre-status",
    ];
    let hooks: String = hooks
        .map(|hook| format!("{hook} = touch {}\n", trap.display()))
        .concat();
    let extension = extension.display();
    let settings = format!("[hooks]\n{hooks}[extensions]\nown = {extension}\n");
    let home = repository.project.path("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join(".hgrc"), &settings).unwrap();
    fs::write(repository.folder().join(".hg/hgrc"), &settings).unwrap();
    // Files that differ from the last commit, one that is new, and one that is gone.
    fs::write(folder.join("value"), "110").unwrap();
    fs::write(folder.join("main.c"), format!("#include \"new.h\"\n{MAIN}")).unwrap();
    fs::write(folder.join("new.h"), "#define END\n").unwrap();
    fs::remove_file(folder.join("old")).unwrap();
    let before = fs::read(folder.join(".hg/dirstate")).unwrap();
    let gone = "$(cat value)+$(test -e old && echo 0 || echo 7)";
    let build = BUILD.replace("$(cat value)", gone);
    let metric = "stdout[steps,lower]:took ([0-9]+)";
    let mut command = repository
        .project
        .command(&["compare", "--rev", "end..WORK"]);
    command
        .args(["--build", &build, "--repeat", "1", "--json"])
        .args(DESIGN)
        .args(["--metric", metric, "--", "{}"])
        .current_dir(&folder)
        .env("HOME", &home)
        .env_remove("HGRCPATH")
        .env("XDG_CACHE_HOME", repository.project.path("cache"));
    let compared = document(&command.output().unwrap().into());
    assert!(!trap.exists());
    let comparison = &compared["conclusion"]["comparisons"][0];
    let estimate = comparison["ratio"]["estimate"].as_f64().unwrap();
    assert!((estimate - 117.0 / 103.0).abs() < 1e-9, "{compared:#}");
    let revision = &compared["builds"][1]["revision"];
    assert_eq!(revision["vcs"], "mercurial", "{compared:#}");
    assert_eq!(revision["dirty"], true, "{compared:#}");
    assert_eq!(fs::read(folder.join(".hg/dirstate")).unwrap(), before);
    let mode = fs::metadata(folder.join("value"))
        .unwrap()
        .permissions()
        .mode();
    assert_ne!(mode & 0o200, 0);
    // A list of changesets that is lost is no repository in which nothing was committed.
    fs::write(folder.join(".hg/store/00changelog.i"), "").unwrap();
    let said = repository.proofmark(&["bisect", "--good", "0", "--bad", "1", "--run", "true"]);
    assert_eq!(said.code, Some(5), "{said:#?}");
    assert!(
        said.err.contains("its list of changesets is empty"),
        "{said:#?}"
    );
}
