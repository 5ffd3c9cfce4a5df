//! A user without rights: no cgroup, and perhaps neither perf nor a tracer nor filters. Processes
//! that nobody waits for are counted all the same, or the number is refused with the reason.

use std::os::unix::fs::{PermissionsExt, chown};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use crate::support::{Project, Said};

/// Burns CPU time in a process that the program does not wait for: the truth is 3, less what starts
/// and ends.
const SOURCE: &str = r#"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef NEW
#define TURNS 60000000
#else
#define TURNS 20000000
#endif
static void burn(void) {
    for (volatile int turn = 0; turn < TURNS; turn++) {}
}
static void leave(int twice) {
    int ends[2];
    char byte;
    if (pipe(ends)) _exit(1);
    pid_t child = fork();
    if (child == 0) {
        if (!twice || fork() == 0) burn();
        _exit(0);
    }
    if (twice) waitpid(child, 0, 0);
    close(ends[1]);
    if (read(ends[0], &byte, 1) != 0) _exit(1);
    /* What closed its descriptors is not quite dead yet. */
    usleep(20000);
}
int main(int count, char **words) {
    int how = count > 1 ? words[1][0] : 0;
    if (how == 'd' && fork() == 0) {
        signal(SIGCHLD, SIG_IGN);
        leave(0);
        _exit(0);
    }
    if (how == 'd') wait(0);
    if (how == 'i') signal(SIGCHLD, SIG_IGN);
    if (how == 'r') return system("./lent");
    if (how != 'd') leave(how == 'o');
    puts("done");
}
"#;

/// Becomes another program, to which the kernel refuses perf (`p`), tracing (`t`) and filters
/// (`f`), as containers do.
const WITHOUT: &str = r#"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static void refuse(int number) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {4, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) _exit(99);
}
int main(int count, char **words) {
    if (count < 3) return 99;
    if (strchr(words[1], 'p')) refuse(SYS_perf_event_open);
    if (strchr(words[1], 't')) refuse(SYS_ptrace);
    if (strchr(words[1], 'f')) refuse(SYS_seccomp);
    /* A child of the other test may still have the copy open, as it was written. */
    while (execv(words[2], words + 2) && errno == ETXTBSY) usleep(1000);
    return 99;
}
"#;

/// A project that belongs to a user without rights, with a copy of the command that this user may
/// run.
fn project() -> Project {
    let project = Project::new();
    project.write("base.c", SOURCE);
    project.write("new.c", &format!("#define NEW 1\n{SOURCE}"));
    project.write("without.c", WITHOUT);
    for name in ["base", "new", "without"] {
        project.compile(&format!("{name}.c"), name);
    }
    let own = project.path("proofmark");
    std::fs::copy(env!("CARGO_BIN_EXE_proofmark"), &own).unwrap();
    let everybody = PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(project.path(""), everybody).unwrap();
    if is_root() {
        chown(project.path(""), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    project
}

const NOBODY: u32 = 65534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Compares what the program does with this word, without these rights.
fn compare(project: &Project, word: &str, refused: &str) -> Said {
    let mut command = Command::new(project.path("without"));
    command.args(["-".to_owned() + refused]);
    command.arg(project.path("proofmark"));
    command.args(["compare", "./base", "./new", "--json", "--blocks", "2"]);
    command.args(["--rounds", "2", "--schedule", "interleaved"]);
    command.args(["--skip", "instructions", "--", "{}", word]);
    command.current_dir(project.path("")).env("NO_COLOR", "1");
    command.env_remove("PROOFMARK_DIR").env("HOME", "/");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.output().unwrap().into()
}

fn is_whole(said: &Said) {
    assert_eq!(said.code, Some(0), "{said:#?}");
    let report: serde_json::Value = serde_json::from_str(&said.out).unwrap();
    let ratio = &report["conclusion"]["comparisons"][0]["ratio"]["estimate"];
    let ratio = ratio.as_f64().unwrap();
    // What is lost on both sides is a ratio of 1.
    assert!((2.0..4.0).contains(&ratio), "{ratio}");
}

fn is_refused(said: &Said, why: &str) {
    assert_eq!(said.code, Some(3), "{said:#?}");
    assert!(said.err.contains(why), "{}", said.err);
}

/// Orphans (`o`) come to the launcher.
#[test]
fn orphans_are_counted_whatever_is_refused() {
    let project = project();
    for refused in ["", "p", "pt"] {
        is_whole(&compare(&project, "o", refused));
    }
}

/// Ignored by the program itself (`i`), and deeper in the tree (`d`).
#[test]
fn what_the_kernel_reaps_is_counted_or_refused() {
    let project = project();
    for word in ["i", "d"] {
        let said = compare(&project, word, "");
        // Where perf is forbidden to all.
        if said.code == Some(0) {
            is_whole(&said);
        } else {
            is_refused(&said, "ignores SIGCHLD");
        }
        is_refused(&compare(&project, word, "p"), "ignores SIGCHLD");
        is_refused(&compare(&project, word, "pt"), "ignores SIGCHLD");
    }
    is_refused(&compare(&project, "d", "ptf"), "it cannot be seen whether");
}

/// Runs are in a namespace of their own, where nobody gets the rights of a file (`r`).
#[test]
fn a_run_that_starts_a_program_with_rights_of_its_own_is_refused_by_name() {
    // A file of another user's takes root to make.
    if !is_root() {
        return;
    }
    let project = project();
    let lent = project.path("lent");
    std::fs::copy("/bin/true", &lent).unwrap();
    std::fs::set_permissions(&lent, PermissionsExt::from_mode(0o4755)).unwrap();
    let said = compare(&project, "r", "");
    assert_eq!(said.code, Some(2), "{said:#?}");
    let refused = "/lent, which runs with the rights of its owner or group (setuid, setgid): runs \
                   that are measured get no such rights";
    assert!(said.err.contains(refused), "{}", said.err);
    // What lends the rights of this very user lends nothing.
    chown(&lent, Some(NOBODY), Some(NOBODY)).unwrap();
    std::fs::set_permissions(&lent, PermissionsExt::from_mode(0o4755)).unwrap();
    let said = compare(&project, "r", "");
    assert!(!said.err.contains("get no such rights"), "{}", said.err);
}
