//! Threads, processes and their ends.

use std::time::Duration;

use proofmark_measure::End;

use super::{program, traced};

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
fn who_stops_the_counters_of_perf_is_seen() {
    let found = traced("if (!fork()) { prctl(PR_TASK_PERF_EVENTS_DISABLE); _exit(0); } wait(0);");
    assert!(found.stops_counters);
    let found = traced("prctl(PR_SET_NAME, \"x\"); prctl(PR_TASK_PERF_EVENTS_ENABLE);");
    assert!(!found.stops_counters);
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
fn a_process_left_behind_is_ended_and_counted() {
    let found = traced("if (!fork()) { setsid(); for (;;) pause(); }");
    assert_eq!(found.end, End::Exited(0));
    assert_eq!(found.family.left_behind, 1);
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
fn a_trap_that_a_child_comes_to_is_seen_whatever_its_parent_makes_of_it() {
    let trapped = traced("if (!fork()) { __builtin_trap(); } wait(0);");
    assert_eq!(
        (trapped.end, trapped.traps),
        (End::Exited(0), 0),
        "an illegal instruction"
    );
    let trapped = traced("if (!fork()) { __asm__(\"int3\"); _exit(0); } wait(0);");
    assert_eq!((trapped.end, trapped.traps), (End::Exited(0), 1));
    let sent = traced("if (!fork()) { raise(SIGTRAP); _exit(0); } wait(0);");
    assert_eq!((sent.end, sent.traps), (End::Exited(0), 0));
}

/// Some programs ask for a call of no number, to learn whether a filter lets them.
#[test]
fn a_number_that_is_no_call_is_none_of_another_architecture() {
    let found = traced("return syscall(-1) != -1 || syscall(0x7fffffffL) != -1;");
    assert_eq!(found.end, End::Exited(0));
}
