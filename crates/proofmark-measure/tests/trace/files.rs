//! Files that are read, listed and changed, and memory that stays.

use std::path::{Path, PathBuf};

use proofmark_measure::trace::{Change, Entry, Outliving};

use super::program;

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

/// By which names programs are found: of links, of interpreters, and where there is none.
#[test]
fn programs_and_folders_have_the_names_by_which_they_are_found() {
    let program = program(
        "char *const none[] = {\"x\", 0}; execv(\"missing\", none);
        if (!fork()) { execv(\"linked\", none); _exit(1); } wait(0);
        if (!fork()) { execv(\"script\", none); _exit(1); } wait(0);
        openat(open(\"folder\", O_RDONLY | O_DIRECTORY), \"inner\", O_RDONLY);
        char *handle[64] = {0}; int mount; *(int *)handle = 128;
        syscall(SYS_name_to_handle_at, AT_FDCWD, \"handled\", handle, &mount, 0);
        chmod(\"unchanged\", 0600);",
    );
    let link = |to: &str, at: &str| std::os::unix::fs::symlink(to, program.at(at)).unwrap();
    std::fs::create_dir(program.at("target")).unwrap();
    std::fs::write(program.at("target/inner"), "").unwrap();
    link("target", "folder");
    link("/bin/true", "linked");
    link("/bin/true", "by");
    let line = format!("#! {} -x\n", program.at("by").display());
    std::fs::write(program.at("script"), line).unwrap();
    let rights = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(program.at("script"), rights).unwrap();
    let found = program.trace();
    for (name, there) in [
        ("missing", false),
        ("linked", true),
        ("script", true),
        ("by", true),
        ("folder", true),
        ("handled", false),
        ("unchanged", false),
        ("", true),
    ] {
        let path: PathBuf = program.at(name).components().collect();
        assert_eq!(found.looked_at.get(&path), Some(&there), "{name}");
    }
}

#[test]
fn what_the_kernel_keeps_longer_than_the_run_is_told_by_its_key() {
    let program = program(
        "int own = shmget(IPC_PRIVATE, 4096, 0600); shmctl(own, IPC_RMID, 0); shmget(0x70726f66, \
         4096, 0); semget(0x70726f67, 1, 0); msgget(0x70726f68, 0);
        int made = semget(0x70726f69, 1, IPC_CREAT | 0600); semctl(made, 0, IPC_RMID);
        mq_open(\"/proofmark-asked\", O_RDONLY);
        syscall(SYS_add_key, \"user\", \"proofmark\", \"x\", 1, -2);",
    );
    let found = program.trace();
    let expected = [
        Outliving::SharedMemory(0x7072_6f66),
        Outliving::Semaphores(0x7072_6f67),
        Outliving::Messages(0x7072_6f68),
        Outliving::Queue("proofmark-asked".into()),
    ];
    // What it made and took away, and keys of its own, are found by no other.
    assert_eq!(found.outliving, expected.into());
}

#[test]
fn a_socket_has_the_name_of_a_file_and_a_forgotten_file_is_told() {
    let program = program(
        "struct sockaddr_un to = {AF_UNIX, \"socket\"}, no = {AF_UNIX, \"nobody\"};
        int s = socket(AF_UNIX, SOCK_STREAM, 0); bind(s, (void *)&to, sizeof to);
        connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&to, sizeof to);
        connect(socket(AF_UNIX, SOCK_STREAM, 0), (void *)&no, sizeof no);
        int d = open(\"input\", O_RDONLY); posix_fadvise(d, 0, 0, POSIX_FADV_WILLNEED);
        posix_fadvise(d, 0, 0, POSIX_FADV_DONTNEED);
        int m = open(\"mapped\", O_RDONLY), k = open(\"kept\", O_RDONLY);
        madvise(mmap(0, 4, PROT_READ, MAP_SHARED, m, 0), 4, 21 /* MADV_PAGEOUT */);
        madvise(mmap(0, 4, PROT_READ, MAP_SHARED, k, 0), 4, MADV_WILLNEED);
        madvise(mmap(0, 4, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), 4, 21);",
    );
    for name in ["input", "mapped", "kept"] {
        std::fs::write(program.at(name), "text").unwrap();
    }
    let found = program.trace();
    let made = &found.written[&program.at("socket")];
    assert!(made.changes.contains(&Change::Created) && made.told);
    assert_eq!(found.looked_at.get(&program.at("socket")), Some(&true));
    assert_eq!(found.looked_at.get(&program.at("nobody")), Some(&false));
    let forgotten = ["input", "mapped"].map(|name| Outliving::Forgotten(program.at(name)));
    assert_eq!(found.outliving, forgotten.into());
}

#[test]
fn what_is_done_without_names_is_told() {
    let none = program("open(\"input\", O_RDONLY);").trace();
    assert!(!none.listens && !none.reaping.namespaces && none.by_handle == 0);
    let found = program(
        "syscall(SYS_seccomp, 1, 8, 0); unshare(CLONE_NEWPID); open_by_handle_at(-1, 0, 0);",
    )
    .trace();
    assert!(found.listens && found.reaping.namespaces);
    assert_eq!(found.by_handle, 1);
}

#[test]
fn what_a_run_sets_of_a_file_beside_its_content_is_told() {
    let program = program(
        "struct stat s; struct timespec at[2] = {{77, 0}, {77, 0}}; stat(\"rights\", &s);
        chmod(\"rights\", 0640); stat(\"time\", &s); utimensat(AT_FDCWD, \"time\", at, 0);
        int d = open(\"open\", O_RDONLY); fchmod(d, 0640); futimens(d, at);
        chmod(\"unasked\", 0640); stat(\"same\", &s); chmod(\"same\", 0600);
        int made = open(\"made\", O_WRONLY | O_CREAT, 0644); fchmod(made, 0640);
        open(\"by path\", O_PATH);",
    );
    for name in ["rights", "time", "open", "unasked", "same", "by path"] {
        let path = program.write(name);
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(path, mode).unwrap();
    }
    let found = program.trace();
    let place = |name: &str| program.at(name).canonicalize().unwrap();
    let told: Vec<_> = found.told_otherwise().collect();
    for (name, asked) in [
        ("rights", true),
        ("time", true),
        ("open", true),
        ("unasked", false),
    ] {
        let place = place(name);
        assert!(told.contains(&(place.as_path(), asked)), "{name}: {told:?}");
    }
    assert_eq!(told.len(), 4, "{told:?}");
    // It may be opened again by its descriptor.
    assert_eq!(found.looked_at.get(&program.at("by path")), Some(&true));
}

#[test]
fn whether_a_change_works_tells_what_was_there() {
    let program = program(
        "mkdir(\"made\", 0755); mkdir(\"there\", 0755); rmdir(\"full\"); rmdir(\"empty\");
        unlink(\"gone\"); unlink(\"never\"); open(\"first\", O_WRONLY | O_CREAT | O_EXCL, 0644);
        open(\"taken\", O_WRONLY | O_CREAT | O_EXCL, 0644); symlink(\"x\", \"points\");
        link(\"cache\", \"other\"); link(\"lost\", \"another\"); rename(\"old\", \"new\");
        rename(\"missing\", \"nowhere\"); mkdir(\"no/no\", 0755);
        open(\"own\", O_WRONLY | O_CREAT | O_TRUNC, 0644); unlink(\"own\");",
    );
    for name in ["there", "empty", "full"] {
        std::fs::create_dir(program.at(name)).unwrap();
    }
    for name in ["full/inner", "gone", "taken", "cache", "old"] {
        program.write(name);
    }
    let found = program.trace();
    let before = |name: &str| found.written[&program.at(name)].found_before();
    for name in ["made", "first", "points", "other"] {
        assert_eq!(before(name), Some(Entry::Nothing), "{name}");
    }
    assert_eq!(before("empty"), Some(Entry::Folder));
    assert_eq!(before("gone"), Some(Entry::File));
    assert_eq!(before("old"), Some(Entry::File));
    assert_eq!(before("new"), None);
    assert_eq!(before("own"), None, "what it made it knows");
    let asked = |name: &str| found.looked_at.get(&program.at(name)).copied();
    for name in ["there", "full", "taken", "cache"] {
        assert_eq!(asked(name), Some(true), "{name}");
    }
    for name in ["never", "lost", "missing", "no", "no/no"] {
        assert_eq!(asked(name), Some(false), "{name}");
    }
    assert_eq!((asked("nowhere"), asked("another")), (None, None));
    assert!(found.listed.contains(&program.at("full")));
    // Their content may be read by the other name.
    let inputs: Vec<&Path> = found.inputs().collect();
    for name in ["cache", "old"] {
        assert!(inputs.contains(&program.at(name).as_path()), "{name}");
    }
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
    let before = |name: &str| found.written[&program.at(name)].found_before();
    assert_eq!(before("cache"), Some(Entry::Nothing));
    assert_eq!(before("new"), None, "it works as well where there is one");
    assert!(found.read[&program.at("new")].own, "made by the run itself");
    assert!(!found.inputs().any(|path| path == program.at("new")));
    assert!(found.inputs().any(|path| path == program.at("both")));
}
