//! Traces of small C programs, each of which does one thing.
#![expect(
    clippy::unwrap_used,
    reason = "a test that meets the unexpected should stop there and then"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use proofmark_measure::trace::{
    Change, TraceLimits, Traced, Untraceable, WaitKind, trace as trace_launch, trace_stretched,
};
use proofmark_measure::{End, Interrupt, Launch, MeasureError, Stretch};
use support::LONG;

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
#include <sys/shm.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/select.h>
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

#[test]
fn threads_and_processes_are_told_apart() {
    let threads = traced(
        "void *nothing(void *x) { pause(); return 0; }
        ----
        pthread_t all[3];
        for (int i = 0; i < 3; i++) pthread_create(all + i, 0, nothing, 0);",
    );
    assert_eq!((threads.family.threads, threads.family.processes), (3, 0));
    assert_eq!(threads.family.most_at_once, 4);
    let processes = traced("for (int i = 0; i < 3; i++) { if (!fork()) _exit(0); wait(0); }");
    assert_eq!(
        (processes.family.threads, processes.family.processes),
        (0, 3)
    );
    assert_eq!(processes.family.most_at_once, 2);
    assert_eq!(processes.reaping.waited, 3);
    assert_eq!(processes.unwaited(), 0);
    assert_eq!(processes.reaping.orphans, 0);
}

/// Whatever else the machine does, of two threads on one core one waits while the other runs.
#[test]
fn threads_that_share_a_core_wait_for_it() {
    let shared = traced(
        "void *spin(void *x) {
            struct timespec now;
            do clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); while (now.tv_nsec < 40000000);
            return 0;
        }
        ----
        cpu_set_t mine, one;
        sched_getaffinity(0, sizeof mine, &mine);
        CPU_ZERO(&one);
        for (int core = 0; core < CPU_SETSIZE; core++)
            if (CPU_ISSET(core, &mine)) { CPU_SET(core, &one); break; }
        sched_setaffinity(0, sizeof one, &one);
        pthread_t other;
        pthread_create(&other, 0, spin, 0);
        spin(0);
        pthread_join(other, 0);",
    );
    let queue = shared.queue;
    assert!(queue.ran >= Duration::from_millis(80), "{queue:?}");
    assert!(queue.waited >= Duration::from_millis(30), "{queue:?}");
}

#[test]
fn what_a_child_program_does_counts_too() {
    let program = program("system(\"exec cat input\");");
    let input = program.write("input");
    let found = program.trace();
    assert_eq!(found.stdout.text(), "text\n");
    assert_eq!(found.family.processes, 1);
    assert_eq!(found.reaping.waited, 1);
    assert!(found.inputs().any(|path| path == input));
    assert!(
        found.code.iter().any(|path| path.ends_with("cat")),
        "{:?}",
        found.code
    );
}

#[test]
fn children_that_the_kernel_reaps_are_waited_for_by_nobody() {
    let found = traced(
        "int ends[2]; char x; pipe(ends); signal(SIGCHLD, SIG_IGN);
        if (!fork()) { write(ends[1], \"x\", 1); _exit(0); }
        read(ends[0], &x, 1);",
    );
    assert!(found.reaping.ignored);
    assert_eq!(found.reaping.waited, 0);
    assert_eq!(found.unwaited(), 1);
    let found =
        traced("struct sigaction a = {.sa_flags = SA_NOCLDWAIT}; sigaction(SIGCHLD, &a, 0);");
    assert!(found.reaping.ignored);
    assert!(!traced("signal(SIGCHLD, SIG_DFL);").reaping.ignored);
}

#[test]
fn children_that_outlive_their_parent_are_orphans() {
    let found = traced(
        "int ends[2], gone[2]; char x; pipe(ends); pipe(gone);
        if (!fork()) {
            if (!fork()) { close(gone[1]); read(gone[0], &x, 1); write(ends[1], \"x\", 1); _exit(0); }
            _exit(0);
        }
        wait(0); close(gone[1]); read(ends[0], &x, 1);",
    );
    assert_eq!(found.family.processes, 2);
    assert_eq!(found.reaping.waited, 1);
    assert_eq!(found.unwaited(), 1);
    // It may be heard of before or after the end of the run.
    assert!(found.reaping.orphans + found.family.left_behind >= 1);
}

#[test]
fn waits_are_told_by_what_ended() {
    let by_id = "siginfo_t told; waitid(P_ALL, 0, &told, WEXITED);";
    let looked = "siginfo_t told; waitid(P_ALL, 0, &told, WEXITED | WNOWAIT);";
    let stopped = "int s; waitpid(-1, &s, WUNTRACED); kill(child, SIGKILL);";
    for (wait, waited, child) in [
        (by_id, 1, ""),
        (looked, 0, ""),
        (stopped, 0, "raise(SIGSTOP);"),
        ("", 0, ""),
    ] {
        let found = traced(&format!(
            "pid_t child = fork(); if (!child) {{ {child} _exit(0); }} {wait}"
        ));
        assert_eq!(found.end, End::Exited(0), "{wait}");
        assert_eq!(found.reaping.waited, waited, "{wait}");
    }
}

#[test]
fn a_process_left_behind_is_ended_and_counted() {
    let found = traced("if (!fork()) { setsid(); for (;;) pause(); }");
    assert_eq!(found.end, End::Exited(0));
    assert_eq!(found.family.left_behind, 1);
}

fn only(found: &Traced, kind: WaitKind) -> (u64, Duration, Duration) {
    assert_eq!(found.timed.len(), 1, "{:?}", found.timed);
    let spans = found.timed.get(&kind).unwrap();
    (spans.times, spans.shortest, spans.longest)
}

const MS: Duration = Duration::from_millis(1);

#[test]
fn timers_of_real_time_are_seen_and_those_of_cpu_time_are_not() {
    let interval = "struct itimerval t = {{0, 60000}, {0, 70000}};";
    let found = traced(&format!(
        "signal(SIGALRM, SIG_IGN); {interval} setitimer(ITIMER_REAL, &t, 0);"
    ));
    assert_eq!(only(&found, WaitKind::IntervalTimer), (2, 60 * MS, 70 * MS));
    assert_eq!(found.shortest_timer(), Some(60 * MS));
    let found = traced(&format!(
        "{interval} setitimer(ITIMER_VIRTUAL, &t, 0); setitimer(ITIMER_PROF, &t, 0);"
    ));
    assert!(found.timed.is_empty());
    let stop =
        "struct itimerval t = {{0, 60000}, {0, 0}}; setitimer(ITIMER_REAL, &t, 0); alarm(0);";
    assert!(traced(stop).timed.is_empty());
    let found = traced("alarm(5);");
    assert_eq!(
        only(&found, WaitKind::IntervalTimer),
        (1, 5000 * MS, 5000 * MS)
    );
}

/// A timer of 400 ms goes off in no run that takes some milliseconds, and in every one that is held
/// for longer than that.
#[test]
fn a_timer_goes_off_when_the_run_is_stretched() {
    let program = program(
        "void hear(int s) {}
        ----
        struct itimerval t = {{0, 400000}, {0, 400000}}; signal(SIGALRM, hear);
        setitimer(ITIMER_REAL, &t, 0);
        struct timespec now; do clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
        while (now.tv_nsec < 20000000); puts(\"done\");",
    );
    assert_eq!(program.trace().alarms, 0);
    let stretch = Stretch {
        slice: 2 * MS,
        times: 100.0,
    };
    let limits = TraceLimits {
        time: LONG,
        ..TraceLimits::default()
    };
    let found = trace_stretched(&program.launch, &limits, &Interrupt::new(), &stretch).unwrap();
    assert!(found.alarms >= 2, "{}", found.alarms);
    assert_eq!(found.stdout.text(), "done\n");
    assert_eq!(found.end, End::Exited(0));
}

#[test]
fn posix_timers_go_by_their_clock() {
    let timer = |clock: &str, flags: &str, base: &str| {
        traced(&format!(
            "timer_t t; struct sigevent e = {{.sigev_notify = SIGEV_NONE}};
            struct timespec n = {{0, 0}}; {base}
            struct itimerspec s = {{{{0, 0}}, {{n.tv_sec + 90, 0}}}};
            if (timer_create({clock}, &e, &t) || timer_settime(t, {flags}, &s, 0)) return 1;"
        ))
    };
    let found = timer("CLOCK_MONOTONIC", "0", "");
    assert_eq!(
        only(&found, WaitKind::PosixTimer),
        (1, 90_000 * MS, 90_000 * MS)
    );
    for clock in ["CLOCK_PROCESS_CPUTIME_ID", "CLOCK_THREAD_CPUTIME_ID"] {
        let found = timer(clock, "0", "");
        assert_eq!(found.end, End::Exited(0));
        assert!(found.timed.is_empty());
    }
    // By a time of the clock: counted from now.
    let found = timer(
        "CLOCK_REALTIME",
        "TIMER_ABSTIME",
        "clock_gettime(CLOCK_REALTIME, &n);",
    );
    let (_, _, longest) = only(&found, WaitKind::PosixTimer);
    assert!(
        (Duration::from_secs(20)..=Duration::from_secs(90)).contains(&longest),
        "{longest:?}"
    );
}

#[test]
fn files_that_are_timers_are_timers() {
    let found = traced(
        "struct itimerspec s = {{0, 30000000}, {1, 0}}; int t = timerfd_create(CLOCK_MONOTONIC, 0);
        timerfd_settime(t, 0, &s, 0);",
    );
    assert_eq!(only(&found, WaitKind::TimerFile), (2, 30 * MS, 1000 * MS));
    assert_eq!(found.longest_timer(), Some(1000 * MS));
}

#[test]
fn waits_with_a_limit_are_seen_and_those_without_are_not() {
    // Everything is ready at once, so that no time passes.
    let ready = "int ends[2]; pipe(ends); write(ends[1], \"x\", 1);
        struct pollfd p = {ends[0], POLLIN}; struct timespec ts = {7, 0}; struct timeval tv = {7, 0};
        fd_set f; FD_ZERO(&f); FD_SET(ends[0], &f);
        struct epoll_event e = {.events = EPOLLIN}; int ep = epoll_create1(0);
        epoll_ctl(ep, EPOLL_CTL_ADD, ends[0], &e);";
    for (call, kind) in [
        ("poll(&p, 1, 7000);", WaitKind::Poll),
        ("ppoll(&p, 1, &ts, 0);", WaitKind::Poll),
        ("select(ends[0] + 1, &f, 0, 0, &tv);", WaitKind::Select),
        ("pselect(ends[0] + 1, &f, 0, 0, &ts, 0);", WaitKind::Select),
        ("epoll_wait(ep, &e, 1, 7000);", WaitKind::Epoll),
        (
            "raise(SIGUSR1); sigtimedwait(&s, 0, &ts);",
            WaitKind::Message,
        ),
    ] {
        let blocked =
            "sigset_t s; sigemptyset(&s); sigaddset(&s, SIGUSR1); sigprocmask(SIG_BLOCK, &s, 0);";
        let found = traced(&format!("{ready} {blocked} {call}"));
        assert_eq!(only(&found, kind), (1, 7000 * MS, 7000 * MS), "{call}");
        assert!(!kind.is_timer());
    }
    for call in [
        "poll(&p, 1, -1);",
        "poll(&p, 1, 0);",
        "ppoll(&p, 1, 0, 0);",
        "select(ends[0] + 1, &f, 0, 0, 0);",
        "epoll_wait(ep, &e, 1, -1);",
    ] {
        let found = traced(&format!("{ready} {call}"));
        assert!(found.timed.is_empty(), "{call} {:?}", found.timed);
    }
}

#[test]
fn a_condition_with_a_limit_is_a_wait() {
    let found = traced(
        "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER;
        struct timespec t; clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += 50000000; if (t.tv_nsec >= 1000000000) { t.tv_nsec -= 1000000000; t.tv_sec++; }
        pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &t);",
    );
    let (_, _, longest) = only(&found, WaitKind::Lock);
    assert!(
        longest > Duration::ZERO && longest <= 50 * MS,
        "{longest:?}"
    );
}

#[test]
fn sleeps_are_told_apart_from_waits() {
    let found = traced(
        "struct timespec t = {0, 2000000}; nanosleep(&t, 0); clock_nanosleep(CLOCK_MONOTONIC, 0, &t, 0);
        poll(0, 0, 2); struct timeval v = {0, 2000}; select(0, 0, 0, 0, &v);",
    );
    assert!(found.timed.is_empty(), "{:?}", found.timed);
    assert_eq!(found.sleeps.times, 4);
    assert_eq!(found.sleeps.asked, 8 * MS);
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

#[test]
fn signals_arrive_and_stops_hold() {
    // A real-time signal as well, which wrappers of ptrace often do not know.
    let found = traced(
        "int got; void hear(int s) { got += s; }
        ----
        signal(SIGUSR1, hear); signal(SIGRTMIN + 3, hear); raise(SIGUSR1); raise(SIGRTMIN + 3);
        pid_t child = fork();
        if (!child) { raise(SIGSTOP); _exit(7); }
        int s; waitpid(child, &s, WUNTRACED); if (!WIFSTOPPED(s)) return 1;
        kill(child, SIGCONT); waitpid(child, &s, 0);
        printf(\"%d %d\\n\", got == SIGUSR1 + SIGRTMIN + 3, WEXITSTATUS(s));",
    );
    assert_eq!(found.stdout.text(), "1 7\n");
    assert_eq!(found.end, End::Exited(0));
}

#[test]
fn an_exec_by_another_thread_is_followed() {
    let found = traced(
        "void *other(void *words) { execv(\"/bin/echo\", words); return 0; }
        ----
        char *args[] = {\"echo\", \"here\", 0}; pthread_t t;
        if (count == 1) { pthread_create(&t, 0, other, args); pause(); }",
    );
    assert_eq!(found.stdout.text(), "here\n");
    assert_eq!(found.end, End::Exited(0));
    assert_eq!(found.family.threads, 1);
}

#[test]
fn ends_are_told_apart() {
    assert_eq!(traced("return 3;").end, End::Exited(3));
    assert_eq!(traced("abort();").end, End::Signalled(libc::SIGABRT));
}

#[test]
fn limits_hold_and_what_was_seen_is_kept() {
    let program =
        program("open(\"missing\", O_RDONLY); if (!fork()) for (;;) pause(); for (;;) pause();");
    let found = program
        .within(TraceLimits {
            time: Duration::from_millis(300),
            ..TraceLimits::default()
        })
        .unwrap();
    assert_eq!(found.end, End::TimedOut);
    assert_eq!(found.family.processes, 1);
    assert!(found.read.contains_key(&program.at("missing")));
}

#[test]
fn lists_have_an_end() {
    let program = program(
        "char n[20]; for (int i = 0; i < 50; i++) { sprintf(n, \"file%d\", i); open(n, O_RDONLY); open(n, O_RDONLY); }",
    );
    let found = program
        .within(TraceLimits {
            entries: 10,
            ..TraceLimits::default()
        })
        .unwrap();
    assert_eq!(found.read.len(), 10);
    assert!(found.left_off >= 40);
}

#[test]
fn too_much_output_ends_the_run() {
    let limits = TraceLimits {
        output: 1 << 16,
        ..TraceLimits::default()
    };
    let error = program("for (;;) puts(\"more\");")
        .within(limits)
        .unwrap_err();
    assert!(matches!(
        error,
        Untraceable::Run(MeasureError::TooMuchOutput {
            limit: 0x1_0000,
            ..
        })
    ));
}

#[test]
fn a_raised_flag_ends_the_run() {
    let program = program("for (;;) pause();");
    let stop = Interrupt::new();
    stop.request();
    let error = trace_launch(&program.launch, &TraceLimits::default(), &stop).unwrap_err();
    assert!(matches!(error, Untraceable::Run(MeasureError::Interrupted)));
}

#[test]
fn a_program_that_traces_is_named() {
    let found = traced(
        "if (!fork()) { _exit(ptrace(PTRACE_TRACEME, 0, 0, 0) != 0); } int s; wait(&s); return WEXITSTATUS(s);",
    );
    assert!(found.traces);
    assert_eq!(found.end, End::Exited(1), "it fails under a tracer");
}

#[test]
fn a_program_that_hides_a_process_is_refused_by_name() {
    let error = program(
        "if (!syscall(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0)) _exit(0); wait(0);",
    )
    .within(TraceLimits::default())
    .unwrap_err();
    assert!(matches!(error, Untraceable::Hidden), "{error}");
}

#[test]
fn what_cannot_be_traced_is_refused_by_name() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut program = program("");
    let mode = std::fs::Permissions::from_mode(0o4755);
    std::fs::set_permissions(&program.launch.program, mode).unwrap();
    let error = program.within(TraceLimits::default()).unwrap_err();
    assert!(matches!(error, Untraceable::Privileged { .. }), "{error}");
    program.launch.program = program.at("no such program");
    let error = program.within(TraceLimits::default()).unwrap_err();
    assert!(
        matches!(error, Untraceable::Run(MeasureError::NotFound { .. })),
        "{error}"
    );
    program.launch.program = "/bin/true".into();
    program.launch.cwd = "/no/such/folder".into();
    let error = program.within(TraceLimits::default()).unwrap_err();
    assert!(
        matches!(error, Untraceable::Run(MeasureError::Folder { .. })),
        "{error}"
    );
    let script = program.write("script");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&script, mode).unwrap();
    program.launch.cwd = "/".into();
    program.launch.program = script;
    let error = program.within(TraceLimits::default()).unwrap_err();
    assert!(
        matches!(error, Untraceable::Run(MeasureError::NotAProgram { .. })),
        "{error}"
    );
}

/// The inner half of the next test.
#[test]
#[ignore = "only under a tracer"]
fn under_a_tracer() {
    let error = program("").within(TraceLimits::default()).unwrap_err();
    assert!(
        matches!(error, Untraceable::AlreadyTraced { .. }),
        "{error}"
    );
}

#[test]
fn a_program_that_is_traced_already_is_refused_by_name() {
    let mut launch = Launch::new(std::env::current_exe().unwrap(), LONG);
    launch.args = vec![
        "under_a_tracer".into(),
        "--exact".into(),
        "--ignored".into(),
    ];
    launch.env = vec![("PATH".into(), std::env::var_os("PATH").unwrap())];
    let limits = TraceLimits {
        time: LONG,
        ..TraceLimits::default()
    };
    let found = trace_launch(&launch, &limits, &Interrupt::new()).unwrap();
    assert!(
        found.stdout.text().contains("1 passed"),
        "{}",
        found.stdout.text()
    );
    assert!(found.traces);
}

#[test]
fn children_of_this_process_are_left_alone() {
    let mut own = Command::new("sleep").arg("60").spawn().unwrap();
    let found = traced("if (!fork()) _exit(0); wait(0);");
    assert_eq!(found.family.processes, 1);
    assert_eq!(own.try_wait().unwrap(), None);
    own.kill().unwrap();
    own.wait().unwrap();
}

#[test]
fn several_traces_at_a_time_do_not_meet() {
    let program = program("for (int i = 0; i < 20; i++) { if (!fork()) _exit(0); wait(0); }");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let found = program.trace();
                assert_eq!((found.family.processes, found.reaping.waited), (20, 20));
                assert_eq!(found.end, End::Exited(0));
            });
        }
    });
}
