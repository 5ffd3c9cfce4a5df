//! Files that are read, listed and changed, and memory that stays.

use proofmark_measure::trace::Change;

use crate::program;

#[test]
fn files_read_are_listed_with_their_whole_path() {
    let program = program(
        "int d = open(\"folder\", O_RDONLY | O_DIRECTORY); fopen(\"./input\", \"r\"); fopen(\"missing\", \"r\");
        openat(d, \"inner\", O_RDONLY); access(\"asked\", R_OK); struct stat s; stat(\"no\", &s);",
    );
    std::fs::create_dir(program.at("folder")).unwrap();
    for name in ["input", "folder/inner", "asked"] {
        program.write(name);
    }
    let found = program.trace();
    let read = |name: &str| found.read.get(&program.at(name)).copied();
    for name in ["input", "folder/inner"] {
        let file = read(name).unwrap();
        assert!(file.found && !file.own, "{name}");
    }
    assert!(!read("missing").unwrap().found);
    assert_eq!(found.looked_at.get(&program.at("asked")), Some(&true));
    assert_eq!(found.looked_at.get(&program.at("no")), Some(&false));
    assert!(found.inputs().any(|path| path == program.at("input")));
    assert!(!found.inputs().any(|path| path == program.at("missing")));
    assert!(found.written.is_empty());
    assert!(found.listed.is_empty(), "opened, and not listed");
}

#[test]
fn memory_that_outlives_the_run_is_told_by_its_key() {
    let program = program(
        "int own = shmget(IPC_PRIVATE, 4096, 0600); shmctl(own, IPC_RMID, 0); shmget(0x70726f66, \
         4096, 0);",
    );
    let found = program.trace();
    assert_eq!(found.shared_memory, [0x7072_6f66].into());
}

#[test]
fn folders_are_listed_when_their_entries_are_read() {
    let program = program("DIR *d = opendir(\".\"); while (readdir(d)); ");
    let found = program.trace();
    let folder = program.folder.path().canonicalize().unwrap();
    assert!(found.listed.contains(&folder), "{:?}", found.listed);
}

#[test]
fn files_that_are_changed_say_how() {
    let program = program(
        "int n = open(\"new\", O_WRONLY | O_CREAT, 0644); open(\"old\", O_WRONLY | O_APPEND | O_CREAT, 0644);
        open(\"new\", O_RDONLY); open(\"both\", O_RDWR); open(\"read\", O_RDONLY); open(\"read\", O_WRONLY);
        open(\"cache\", O_RDONLY); open(\"cache\", O_WRONLY | O_CREAT, 0644); open(\"cache\", O_RDONLY);
        unlink(\"gone\"); rename(\"from\", \"to\"); mkdir(\"made\", 0755); unlink(\"never\"); open(\"no/no\", O_WRONLY | O_CREAT, 0644);",
    );
    for name in ["old", "both", "read", "gone", "from"] {
        program.write(name);
    }
    let found = program.trace();
    let how = |name: &str| -> Vec<Change> {
        let file = found.written.get(&program.at(name));
        file.map(|file| file.changes.iter().copied().collect())
            .unwrap_or_default()
    };
    assert_eq!(how("new"), [Change::Created]);
    assert_eq!(how("old"), [Change::Written]);
    assert_eq!(how("both"), [Change::Written]);
    assert_eq!(how("gone"), [Change::Removed]);
    assert_eq!(how("from"), [Change::RenamedFrom]);
    assert_eq!(how("to"), [Change::RenamedTo]);
    assert_eq!(how("made"), [Change::Created]);
    assert_eq!(how("never"), []);
    assert_eq!(how("no/no"), []);
    assert!(found.written[&program.at("read")].read_before);
    assert!(found.written[&program.at("both")].read_before);
    assert!(!found.written[&program.at("old")].read_before);
    assert!(found.written[&program.at("cache")].sought_before);
    assert!(!found.written[&program.at("new")].sought_before);
    assert!(found.read[&program.at("new")].own, "made by the run itself");
    assert!(!found.inputs().any(|path| path == program.at("new")));
    assert!(found.inputs().any(|path| path == program.at("both")));
}
