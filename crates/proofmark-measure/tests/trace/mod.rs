//! Traces of small C programs, each of which does one thing.

mod files;
mod limits;
mod processes;
mod waits;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::support::LONG;
use proofmark_measure::trace::{TraceLimits, Traced, Untraceable, WaitKind, trace as trace_launch};
use proofmark_measure::{End, Interrupt, Launch};

/// A folder with a program in it.
struct Program {
    folder: tempfile::TempDir,
    launch: Launch,
}

const HEAD: &str = r#"
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <mqueue.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
"#;

/// Compiles the body of a `main`, behind other functions where there is a `----`.
fn program(text: &str) -> Program {
    let folder = tempfile::tempdir().unwrap();
    let (functions, body) = text.split_once("----").unwrap_or(("", text));
    let source = folder.path().join("program.c");
    let whole =
        format!("{HEAD}{functions}\nint main(int count, char **words) {{ {body}\n return 0; }}\n");
    std::fs::write(&source, whole).unwrap();
    let out = folder.path().join("program");
    let status = Command::new("cc")
        .args(["-O1", "-w", "-pthread", "-o"])
        .args([&out, &source])
        .status()
        .expect("a C compiler, which the linker of this test is as well");
    assert!(status.success());
    let mut launch = Launch::new(out, LONG);
    launch.cwd = folder.path().to_owned();
    launch.env = vec![("PATH".into(), "/usr/bin:/bin".into())];
    Program { folder, launch }
}

impl Program {
    fn trace(&self) -> Traced {
        self.within(TraceLimits::default()).unwrap()
    }

    fn within(&self, limits: TraceLimits) -> Result<Traced, Untraceable> {
        trace_launch(&self.launch, &limits, &Interrupt::new())
    }

    /// Where a file of its folder is.
    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str) -> PathBuf {
        std::fs::write(self.at(name), "text\n").unwrap();
        self.at(name)
    }
}

fn traced(text: &str) -> Traced {
    program(text).trace()
}

#[test]
fn a_program_that_does_nothing_shows_its_own_files_and_nothing_else() {
    let program = program("puts(\"hello\");");
    let found = program.trace();
    assert_eq!(found.end, End::Exited(0));
    assert_eq!(found.stdout.text(), "hello\n");
    assert_eq!(found.stderr.length, 0);
    assert_eq!(found.family.threads, 0);
    assert_eq!(found.family.processes, 0);
    assert_eq!(found.family.most_at_once, 1);
    assert_eq!(found.family.left_behind, 0);
    assert!(found.timed.is_empty(), "{:?}", found.timed);
    assert_eq!(found.sleeps.times, 0);
    assert!(!found.cores.any());
    assert!(found.written.is_empty(), "{:?}", found.written);
    assert!(found.listed.is_empty());
    assert_eq!((found.left_off, found.rings), (0, 0));
    assert!(!found.traces && !found.elsewhere);
    let code: Vec<String> = found
        .code
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(
        found
            .code
            .contains(&program.at("program").canonicalize().unwrap())
    );
    assert!(code.iter().any(|name| name.starts_with("libc")), "{code:?}");
    assert!(code.iter().any(|name| name.starts_with("ld")), "{code:?}");
}

fn only(found: &Traced, kind: WaitKind) -> (u64, Duration, Duration) {
    assert_eq!(found.timed.len(), 1, "{:?}", found.timed);
    let spans = found.timed.get(&kind).unwrap();
    (spans.times, spans.shortest, spans.longest)
}

#[test]
fn asking_for_cores_is_seen() {
    let found = traced("cpu_set_t s; sched_getaffinity(0, sizeof s, &s);");
    assert_eq!((found.cores.asked, found.cores.set), (1, 0));
    let found =
        traced("cpu_set_t s; CPU_ZERO(&s); CPU_SET(0, &s); sched_setaffinity(0, sizeof s, &s);");
    assert_eq!((found.cores.asked, found.cores.set), (0, 1));
    let found = traced("fopen(\"/proc/cpuinfo\", \"r\");");
    assert!(found.cores.files.contains(Path::new("/proc/cpuinfo")));
    let found = traced("open(\"/sys/devices/system/cpu/online\", O_RDONLY);");
    assert!(found.cores.any());
    assert!(!traced("open(\"/proc/self/stat\", O_RDONLY);").cores.any());
}
