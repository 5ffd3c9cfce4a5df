//! `gc` and `pin`, as a user gives them.

use std::fs;
use std::path::Path;

use crate::support::Project;
use proofmark_evidence::LockedStore;

/// A project with a build by name, a file that no build needs, and what a killed run left.
fn project() -> Project {
    let project = Project::new();
    project.capture("base", 1000);
    let folder = project.path(".proofmark");
    let stray = folder.join("objects/ab").join("cd".repeat(31));
    fs::create_dir_all(stray.parent().unwrap()).unwrap();
    fs::write(stray, "of nobody").unwrap();
    fs::create_dir_all(folder.join("work/run-0")).unwrap();
    fs::write(folder.join("work/run-0/image"), "12345").unwrap();
    fs::create_dir_all(folder.join("cache")).unwrap();
    fs::write(folder.join("cache/image"), "1234567").unwrap();
    project
}

/// How many files there are below a folder.
fn files(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|entry| entry.unwrap().path())
        .map(|path| if path.is_dir() { files(&path) } else { 1 })
        .sum()
}

#[test]
fn it_says_what_would_go_and_then_removes_just_that() {
    let project = project();
    let folder = project.path(".proofmark");
    let before = files(&folder);
    let told = project.done(&["gc", "--dry-run"]);
    assert!(told.out.contains("would be removed: 14 B"), "{told:#?}");
    assert!(told.out.contains("would stay"), "{told:#?}");
    assert!(told.out.contains("1 by name"), "{told:#?}");
    assert_eq!(files(&folder), before, "nothing is removed");
    let json = project.done(&["gc", "--dry-run", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json.out).unwrap();
    assert_eq!((&json["schema"], &json["files"]), (&"gc".into(), &1.into()));
    assert_eq!(json["left_bytes"], 5);
    let done = project.done(&["gc"]);
    assert!(done.out.contains("removed: 14 B"), "{done:#?}");
    assert!(!folder.join("work").exists());
    assert!(folder.join("cache/image").exists(), "there is room for it");
    let builds = project.done(&["builds", "show", "base"]);
    assert!(builds.out.contains("base"), "{builds:#?}");
    let again = project.done(&["gc"]);
    assert!(again.out.contains("nothing to remove"), "{again:#?}");
}

#[test]
fn what_a_build_read_is_forgotten_with_it() {
    let project = project();
    let read = |name: &str| project.path(&format!(".proofmark/revisions/{name}.json"));
    fs::create_dir_all(read("x").parent().unwrap()).unwrap();
    for name in ["base", "rev-gone"] {
        fs::write(read(name), "{}").unwrap();
    }
    project.done(&["gc", "--dry-run"]);
    assert!(read("rev-gone").exists());
    project.done(&["gc"]);
    assert!(!read("rev-gone").exists() && read("base").exists());
}

#[test]
fn what_a_record_of_a_later_kind_names_is_not_removed() {
    let project = project();
    let folder = project.path(".proofmark");
    let named = format!("ab{}", "cd".repeat(31));
    drop(LockedStore::open(&folder).unwrap());
    let body = format!(r#"{{"kind":"gazette","record":{{"profile":"{named}"}}}}"#);
    let id = "1f".repeat(32);
    rusqlite::Connection::open(folder.join("evidence.db"))
        .unwrap()
        .execute(
            "INSERT INTO record (id, chain, kind, body) VALUES (?1, ?1, 'gazette', ?2)",
            (&id, &body),
        )
        .unwrap();
    project.done(&["gc"]);
    assert!(folder.join("objects/ab").join("cd".repeat(31)).exists());
}

#[test]
fn the_projects_file_limits_the_store_and_what_cannot_go_is_said() {
    let project = project();
    project.write(
        "proofmark.toml",
        "[store]\nmax_size = \"1 kB\"\nkeep = \"1 day\"\n",
    );
    let done = project.done(&["gc"]);
    assert!(!project.path(".proofmark/cache/image").exists());
    assert!(done.out.contains("of at most 1.0 kB"), "{done:#?}");
    assert!(done.err.contains("builds remove"), "{done:#?}");
    project.done(&["builds", "show", "base"]);
    project.write("proofmark.toml", "[store]\nmax_size = \"much\"\n");
    let wrong = project.run(&["gc"]);
    assert_eq!(wrong.code, Some(2), "{wrong:#?}");
    assert!(wrong.err.contains("20 GB"), "{wrong:#?}");
}

#[test]
fn nothing_goes_while_another_command_measures() {
    let project = project();
    let folder = project.path(".proofmark");
    let measuring = LockedStore::open(&folder).unwrap();
    let before = files(&folder);
    let held = project.run(&["gc"]);
    assert_eq!(held.code, Some(4), "{held:#?}");
    assert!(held.err.contains("measuring into this store"), "{held:#?}");
    assert!(files(&folder) >= before);
    project.done(&["gc", "--dry-run"]);
    drop(measuring);
    project.done(&["gc"]);
}

#[test]
fn where_nothing_was_measured_there_is_nothing_to_pin_or_to_remove() {
    let project = Project::new();
    let gc = project.done(&["gc"]);
    assert!(gc.err.contains("nothing to remove"), "{gc:#?}");
    assert!(!project.path(".proofmark").exists());
    let pin = project.run(&["pin", "latest"]);
    assert_eq!(pin.code, Some(2), "{pin:#?}");
    assert!(!project.path(".proofmark").exists());
}
