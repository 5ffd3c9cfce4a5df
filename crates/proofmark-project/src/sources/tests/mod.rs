//! What a source holds, looked at in the copy that is built.

mod trees;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use indexmap::IndexMap;
use tempfile::TempDir;

use super::{Ours, Snapshot};
use crate::definition::Source;
use crate::memory::Memory;

struct Bench {
    _folder: TempDir,
    /// The project's folder.
    root: PathBuf,
    source: Source,
}

impl Bench {
    /// A project whose source is this folder of it.
    fn new(path: &str) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(path)).unwrap();
        let source = Source {
            path: path.into(),
            rev: None,
            patches: Vec::new(),
            build: String::new(),
            image: None,
            inputs: Vec::new(),
            env: IndexMap::new(),
            tree: None,
        };
        Bench {
            _folder: folder,
            root,
            source,
        }
    }

    fn write(&self, file: &str, text: &str) {
        let place = self.root.join(file);
        fs::create_dir_all(place.parent().unwrap()).unwrap();
        fs::write(place, text).unwrap();
    }

    /// The source without these files of the project.
    fn snapshot(&self, ours: &[&str]) -> Result<Snapshot, String> {
        let memory = Memory::new(self.root.join(".proofmark/known"));
        let ours: Vec<PathBuf> = ours.iter().map(|name| self.root.join(name)).collect();
        let ours = Ours::new(ours.iter().map(PathBuf::as_path));
        Snapshot::of(&self.source, &self.root, &ours, &memory)
    }

    /// What the copy holds, and what a file of it says.
    fn copied(&self, file: &str) -> (Vec<String>, String) {
        let frozen = self.snapshot(&[]).unwrap();
        let frozen = frozen.freeze(&self.root.join(".proofmark/frozen")).unwrap();
        let copy = self.root.join(".proofmark/copy");
        let _ = fs::remove_dir_all(&copy);
        fs::create_dir_all(&copy).unwrap();
        frozen.copy_to(&copy).unwrap();
        let entries = fs::read_dir(&copy).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        (names, fs::read_to_string(copy.join(file)).unwrap())
    }

    fn git(&self, words: &[&str]) -> Vec<u8> {
        let output = Command::new("git")
            .arg("-C")
            .arg(self.root.join(&self.source.path))
            .args(["-c", "user.name=n", "-c", "user.email=e"])
            .args(words)
            .output()
            .unwrap();
        assert!(output.status.success(), "{output:?}");
        output.stdout
    }
}

#[test]
fn a_store_and_a_project_s_file_are_no_part_of_a_source() {
    let bench = Bench::new(".");
    bench.write("main.c", "int main(void) { return 0; }");
    bench.write("other.toml", "[matrix]");
    let ours = ["other.toml", "kept/here"];
    let hash = |ours: &[&str]| bench.snapshot(ours).unwrap().hash;
    let before = hash(&ours);
    // The folder that the store makes for itself stays; what it keeps does not count.
    fs::create_dir_all(bench.root.join("kept")).unwrap();
    let with_folder = hash(&ours);
    bench.write("kept/here/evidence", "1");
    bench.write("other.toml", "[matrix]\n[claim.x]");
    assert_eq!(hash(&ours), with_folder);
    assert_ne!(before, with_folder);
    assert_ne!(hash(&["kept/here"]), with_folder);
    let refused = bench.snapshot(&["."]).unwrap_err();
    assert!(refused.contains("is the store itself"), "{refused}");
    // A store around the source takes nothing from it.
    let within = Bench::new("store/src");
    within.write("store/src/main.c", "");
    let all = within.snapshot(&["store"]).unwrap().hash;
    assert_eq!(all, within.snapshot(&[]).unwrap().hash);
}

#[test]
fn a_folder_that_holds_nothing_is_part_of_a_source() {
    let bench = Bench::new("src");
    bench.write("src/main.c", "x");
    fs::create_dir(bench.root.join("src/obj")).unwrap();
    assert_eq!(bench.copied("main.c").0, ["main.c", "obj"]);
    let hash = || bench.snapshot(&[]).unwrap().hash;
    let before = hash();
    fs::create_dir(bench.root.join("src/plug")).unwrap();
    assert_ne!(hash(), before);
}

#[test]
fn a_link_to_a_link_leads_where_that_leads_in_a_revision_and_after_a_patch() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let mut bench = Bench::new("src");
    bench.write("src/a.h", "a");
    bench.write("src/b.h", "b");
    let leads = |bench: &Bench, to: &str| {
        let link = bench.root.join("src/sel.h");
        let _ = fs::remove_file(&link);
        symlink(to, link).unwrap();
    };
    leads(&bench, "a.h");
    symlink("../src/sel.h", bench.root.join("src/cur.h")).unwrap();
    symlink(bench.root.join("src/sel.h"), bench.root.join("src/abs.h")).unwrap();
    bench.git(&["init", "-q"]);
    bench.git(&["add", "."]);
    bench.git(&["commit", "-qm", "one"]);
    leads(&bench, "b.h");
    let says = |bench: &Bench| ["cur.h", "abs.h"].map(|file| bench.copied(file).1);
    assert_eq!(says(&bench), ["b", "b"]);
    let patch = bench.git(&["diff"]);
    fs::write(bench.root.join("sel.patch"), patch).unwrap();
    bench.source.rev = Some("HEAD".to_owned());
    assert_eq!(says(&bench), ["a", "a"]);
    bench.source.patches = vec!["sel.patch".to_owned()];
    assert_eq!(says(&bench), ["b", "b"]);
    leads(&bench, "a.h");
    bench.source.rev = None;
    assert_eq!(says(&bench), ["b", "b"]);
}

#[test]
fn of_the_rights_of_files_a_copy_has_what_counts() {
    let bench = Bench::new("src");
    let hash = || bench.snapshot(&[]).unwrap().hash;
    let copied = |rights: u32| {
        let mode = fs::Permissions::from_mode(rights);
        fs::set_permissions(bench.root.join("src/main.c"), mode).unwrap();
        let _ = bench.copied("main.c");
        let copy = bench.root.join(".proofmark/copy/main.c");
        (hash(), copy.metadata().unwrap().permissions().mode())
    };
    bench.write("src/main.c", "int main(void) { return 0; }");
    let plain = copied(0o644);
    for rights in [0o600, 0o666, 0o444] {
        assert_eq!(copied(rights), plain, "{rights:o}");
    }
    let program = copied(0o755);
    assert_eq!(copied(0o700), program);
    assert_ne!(program.0, plain.0);
    assert_ne!(program.1, plain.1);
}

#[test]
fn a_clean_work_tree_and_its_head_have_files_of_one_time() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: needs git");
        return;
    }
    let bench = Bench::new("src");
    bench.write("src/made.h", "1\n");
    bench.write("src/made.in", "2\n");
    bench.git(&["init", "-q", "."]);
    bench.git(&["add", "."]);
    bench.git(&["commit", "-qm", "x"]);
    // The project's own files lie there as well, and are no change.
    bench.write("src/proofmark.toml", "");
    let aged = |file: &str, seconds: u64| {
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        let file = fs::File::options().append(true).open(bench.root.join(file));
        file.unwrap().set_modified(time).unwrap();
    };
    aged("src/made.h", 1_500_000_000);
    aged("src/made.in", 1_600_000_000);
    let times = |source: &Source| {
        let memory = Memory::new(bench.root.join(".proofmark/known"));
        let file = bench.root.join("src/proofmark.toml");
        let snapshot = Snapshot::of(source, &bench.root, &Ours::new([file.as_path()]), &memory);
        let place = bench.root.join(".proofmark/frozen");
        let frozen = snapshot.unwrap().freeze(&place).unwrap();
        let copy = tempfile::tempdir().unwrap();
        frozen.copy_to(copy.path()).unwrap();
        ["made.h", "made.in"].map(|name| {
            let about = copy.path().join(name).metadata().unwrap();
            about.modified().unwrap()
        })
    };
    let work = times(&bench.source);
    let head = Source {
        rev: Some("HEAD".to_owned()),
        ..bench.source.clone()
    };
    assert_eq!(work[0], work[1]);
    assert_eq!(work, times(&head));
    // What is edited is made anew from, whatever time an edit leaves, and nothing else is.
    bench.write("src/made.in", "3\n");
    aged("src/made.in", 1_000);
    let [made, from] = times(&bench.source);
    assert!(made < from, "{made:?} {from:?}");
    bench.git(&["commit", "-qam", "x"]);
    bench.write("src/other", "4\n");
    aged("src/made.in", 1_600_000_000);
    assert_eq!(times(&bench.source), work);
    // The order of two edits is that of their times.
    bench.write("src/made.h", "5\n");
    bench.write("src/made.in", "6\n");
    aged("src/made.h", 1_500_000_000);
    let [made, from] = times(&bench.source);
    assert!(made < from, "{made:?} {from:?}");
}

#[test]
fn a_file_outside_that_a_link_leads_to_is_of_no_commit() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: needs git");
        return;
    }
    let mut bench = Bench::new("src");
    bench.write("shared.in", "1\n");
    bench.write("src/made.h", "1\n");
    symlink("../shared.in", bench.root.join("src/made.in")).unwrap();
    bench.git(&["init", "-q", "."]);
    bench.git(&["add", "."]);
    bench.git(&["commit", "-qm", "x"]);
    for rev in [None, Some("HEAD".to_owned())] {
        bench.source.rev = rev;
        let frozen = bench.snapshot(&[]).unwrap();
        let place = bench.root.join(".proofmark/frozen");
        let frozen = frozen.freeze(&place).unwrap();
        let copy = tempfile::tempdir().unwrap();
        frozen.copy_to(copy.path()).unwrap();
        let [made, from] = ["made.h", "made.in"].map(|name| {
            let about = copy.path().join(name).symlink_metadata().unwrap();
            assert!(about.is_file());
            about.modified().unwrap()
        });
        assert!(made < from, "{made:?} {from:?}");
    }
}

#[test]
fn what_a_repository_in_the_source_ignores_is_no_part_of_it() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: needs git");
        return;
    }
    let mut bench = Bench::new("src/lib/deep");
    for inner in ["src/lib/deep", "src/lib", "src"] {
        bench.source.path = inner.into();
        for (file, text) in [
            ("gen.in", "2\n"),
            (".gitignore", "gen.h\n"),
            ("gen.h", "1\n"),
        ] {
            bench.write(&format!("{inner}/{file}"), text);
        }
        bench.git(&["init", "-q", "."]);
        bench.git(&["add", "."]);
        bench.git(&["commit", "-qm", "x"]);
    }
    let _ = bench.copied("gen.in");
    for inner in ["", "lib", "lib/deep"] {
        let copy = bench.root.join(".proofmark/copy").join(inner);
        assert!(
            copy.join("gen.in").exists() && !copy.join("gen.h").exists(),
            "{inner}"
        );
    }
}

#[test]
fn what_patches_change_is_later_than_all_else_and_none_of_it_than_another() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: needs git");
        return;
    }
    let mut bench = Bench::new("src");
    let names = ["a.c", "z.in", "moved", "left"];
    for name in ["a.c", "z.in", "old name", "left"] {
        bench.write(&format!("src/{name}"), "1\n");
    }
    let change = |file: &str| {
        format!("diff --git a/{file} b/{file}\n--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-1\n+2\n")
    };
    bench.write("first.patch", &change("a.c"));
    let moved = "diff --git a/old name b/moved\nrename from old name\nrename to moved\n";
    bench.write("second.patch", &(change("z.in") + moved));
    bench.source.patches = ["first.patch", "second.patch"].map(str::to_owned).into();
    // One lies there with a time in the future.
    let future = SystemTime::now() + Duration::from_secs(3600);
    let left = fs::File::options()
        .append(true)
        .open(bench.root.join("src/left"));
    left.unwrap().set_modified(future).unwrap();
    let frozen = bench.snapshot(&[]).unwrap();
    let frozen = frozen
        .freeze(&bench.root.join(".proofmark/frozen"))
        .unwrap();
    let copy = tempfile::tempdir().unwrap();
    frozen.copy_to(copy.path()).unwrap();
    let [one, other, moved, left] = names.map(|name| {
        let about = copy.path().join(name).metadata().unwrap();
        about.modified().unwrap()
    });
    assert!(
        one == other && other == moved && left < one,
        "{one:?} {left:?}"
    );
}
