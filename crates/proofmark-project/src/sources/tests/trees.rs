//! The files that runs read, apart from those that are built.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use super::Bench;
use crate::definition::{SourceTree, TreeInstead};

#[test]
fn patches_go_to_what_runs_read_and_to_what_is_built_each_for_its_part() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: needs git");
        return;
    }
    let mut bench = Bench::new("src");
    for file in ["src/main.c", "src/lib/a", "other/a", "other/b"] {
        bench.write(file, "1\n");
    }
    bench.git(&["init", "-q", "."]);
    bench.git(&["add", "."]);
    bench.git(&["commit", "-qm", "x"]);
    bench.write("src/lib/new", "");
    let hunk = |file: &str| format!("--- a/{file}\n+++ b/{file}\n@@ -1 +1 @@\n-1\n+2\n");
    bench.write("tree.patch", &hunk("lib/a"));
    bench.write("both.patch", &(hunk("main.c") + &hunk("lib/a")));
    bench.source.tree = Some(SourceTree {
        folder: "lib".into(),
        at: None,
        instead: None,
    });
    let place = bench.root.join(".proofmark/matrix");
    let read = |file: PathBuf| fs::read_to_string(file).unwrap();
    let mut of = |rev: Option<&str>, patch: &str, instead: Option<&str>| {
        bench.source.rev = rev.map(str::to_owned);
        bench.source.patches = vec![patch.to_owned()];
        if let Some(tree) = &mut bench.source.tree {
            tree.instead = instead.map(|folder| TreeInstead {
                folder: folder.into(),
                after: 0,
            });
        }
        let snapshot = bench.snapshot(&[]).unwrap();
        let (_, built) = bench.copied("main.c");
        let copied = read(bench.root.join(".proofmark/copy/lib/a"));
        let tree = snapshot.keep_tree(&place).unwrap().unwrap();
        let own = read(tree.folder.join("a"));
        assert_eq!(tree.folder.join("new").exists(), rev.is_none());
        let changed: Vec<_> = tree.changed.into_iter().collect();
        let with_tree = snapshot.with_tree().unwrap();
        let frozen = with_tree.freeze(&place).unwrap();
        let copy = tempfile::tempdir().unwrap();
        frozen.copy_to(copy.path()).unwrap();
        assert_eq!(read(copy.path().join("lib/a")), own);
        assert_eq!(read(copy.path().join("main.c")), built);
        (snapshot.hash, [built, copied, own], changed)
    };
    let (plain, files, changed) = of(Some("HEAD"), "tree.patch", None);
    assert_eq!(files, ["1\n", "1\n", "2\n"]);
    assert_eq!(changed, [PathBuf::from("a")]);
    // What only runs read is none of the build.
    let (other, files, changed) = of(Some("HEAD"), "tree.patch", Some("other"));
    assert_eq!(
        (other, files),
        (plain.clone(), ["1\n", "1\n", "2\n"].map(str::to_owned))
    );
    assert_eq!(changed, ["a", "b"].map(PathBuf::from));
    let (both, files, _) = of(Some("HEAD"), "both.patch", None);
    assert_ne!(both, plain);
    assert_eq!(files, ["2\n", "1\n", "2\n"]);
    let (_, files, _) = of(None, "tree.patch", None);
    assert_eq!(files, ["1\n", "1\n", "2\n"], "as it lies there");
    fs::remove_dir_all(bench.root.join("src/lib")).unwrap();
    let error = bench.snapshot(&[]).unwrap().keep_tree(&place).unwrap_err();
    assert!(error.contains("has no folder lib"), "{error}");
}

/// Python's cache of modules knows a file by its time and size.
#[test]
fn another_content_of_the_same_size_has_another_time_in_a_tree() {
    if Command::new("git").arg("--version").output().is_err() {
        println!("skipped: needs git");
        return;
    }
    let mut bench = Bench::new("src");
    for file in ["src/main.c", "src/lib/a", "src/lib/b"] {
        bench.write(file, "1\n");
    }
    bench.git(&["init", "-q", "."]);
    bench.git(&["add", "."]);
    bench.git(&["commit", "-qm", "x"]);
    bench.source.tree = Some(SourceTree {
        folder: "lib".into(),
        at: None,
        instead: None,
    });
    let place = bench.root.join(".proofmark/matrix");
    let mut times = |rev: Option<&str>, content: u32| {
        let patch = format!("--- a/lib/a\n+++ b/lib/a\n@@ -1 +1 @@\n-1\n+{content}\n");
        bench.write("a.patch", &patch);
        bench.source.rev = rev.map(str::to_owned);
        bench.source.patches = vec!["a.patch".to_owned()];
        let tree = bench.snapshot(&[]).unwrap().keep_tree(&place);
        let folder = tree.unwrap().unwrap().folder;
        ["a", "b"].map(|file| folder.join(file).metadata().unwrap().modified().unwrap())
    };
    for rev in [None, Some("HEAD")] {
        let ([two, kept], [three, same]) = (times(rev, 2), times(rev, 3));
        assert_ne!(two, three, "{rev:?}");
        // None is the moment in which it was written.
        let day = Duration::from_secs(86_400);
        assert!(two.elapsed().unwrap() > day && three.elapsed().unwrap() > day);
        assert_eq!(kept, same, "{rev:?}");
    }
}

#[test]
fn no_link_of_a_tree_leads_out_of_it() {
    use std::os::unix::fs::symlink;

    let mut bench = Bench::new("src");
    for file in ["src/main.c", "src/lib/deep/a", "src/shared/s"] {
        bench.write(file, "1\n");
    }
    bench.source.tree = Some(SourceTree {
        folder: "lib".into(),
        at: None,
        instead: None,
    });
    let place = bench.root.join(".proofmark/matrix");
    let lib = bench.root.join("src/lib");
    symlink("../lib/deep/a", lib.join("way_round")).unwrap();
    symlink("../deep/a", lib.join("deep/stays")).unwrap();
    let told = |bench: &mut Bench| bench.snapshot(&[]).unwrap().keep_tree(&place);
    let error = told(&mut bench).unwrap_err();
    assert!(error.contains("`way_round` of the tree `lib`"), "{error}");
    fs::remove_file(lib.join("way_round")).unwrap();
    assert!(told(&mut bench).unwrap().is_some());
    symlink("lib", bench.root.join("src/current")).unwrap();
    bench.source.tree.as_mut().unwrap().folder = "current".into();
    let error = bench.snapshot(&[]).map(|_| ()).unwrap_err();
    assert!(
        error.contains("`current` is reached through a link, and is `lib`"),
        "{error}"
    );
    bench.source.tree.as_mut().unwrap().folder = "lib".into();
    symlink("../../shared/s", lib.join("deep/leaves")).unwrap();
    let error = told(&mut bench).unwrap_err();
    assert!(error.contains("to `shared/s`"), "{error}");
}
