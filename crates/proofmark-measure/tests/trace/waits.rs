//! Waits, sleeps and timers.

use std::time::Duration;

use proofmark_measure::trace::{Haste, TraceLimits, WaitKind, trace_hurried, trace_stretched};
use proofmark_measure::{End, Interrupt, Stretch};

use super::{only, program, traced};
use crate::support::LONG;

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
        while (now.tv_nsec < 60000000); puts(\"done\");",
    );
    // One of them at least gets its time at once, however busy the machine is.
    let quiet = (0..10).any(|_| program.trace().alarms == 0);
    assert!(quiet);
    let stretch = Stretch {
        slice: 2 * MS,
        times: 30.0,
    };
    let limits = TraceLimits {
        time: LONG,
        ..TraceLimits::default()
    };
    // It may be over before whoever holds it gets a turn.
    let goes_off = (0..10).any(|_| {
        let found = trace_stretched(&program.launch, &limits, &Interrupt::new(), &stretch).unwrap();
        assert_eq!(found.stdout.text(), "done\n");
        assert_eq!(found.end, End::Exited(0));
        found.alarms >= 2
    });
    assert!(goes_off);
}

/// However they are read.
#[test]
fn clocks_go_as_fast_as_asked() {
    let of = |clock: &str| {
        format!(
            "struct timespec now; clock_gettime({clock}, &now);
            long used = now.tv_sec * 1000 + now.tv_nsec / 1000000;"
        )
    };
    let usage = "struct rusage now; getrusage(RUSAGE_SELF, &now); long used = now.ru_utime.tv_sec *
        1000 + now.ru_utime.tv_usec / 1000 + now.ru_stime.tv_usec / 1000;";
    let day = "struct timeval now; gettimeofday(&now, 0);
        long used = now.tv_sec * 1000 + now.tv_usec / 1000;";
    let ticks = "struct tms now; times(&now); long used = (now.tms_utime + now.tms_stime) * 10;";
    let result = "struct tms now; long used = times(&now) * 10;";
    // Of seconds one begins at any time within the first.
    #[cfg(target_arch = "x86_64")]
    let seconds = "static long from; long now = time(0); if (!from) from = now;
        long used = now > from + 1 ? 200 : 0;";
    // Half of it is over when the timer says so.
    let by_timer = |set: &str| {
        format!(
            "static volatile int over; void tell(int signal) {{ over = 1; }}
            long used() {{ static int is_set; if (!is_set) {{ is_set = 1; signal(SIGPROF, tell);
                signal(SIGVTALRM, tell); signal(SIGUSR1, tell); signal(SIGALRM, tell); {set} }}
                return over * 200; }}"
        )
    };
    let interval = |kind: &str| {
        by_timer(&format!(
            "struct itimerval t = {{{{0, 0}}, {{0, 200000}}}}; setitimer({kind}, &t, 0);
            if (t.it_value.tv_usec != 200000) exit(4);"
        ))
    };
    let posix = |clock: &str| {
        by_timer(&format!(
            "timer_t t; struct sigevent e = {{.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1}};
            timer_create({clock}, &e, &t);
            struct itimerspec s = {{{{0, 0}}, {{0, 200000000}}}}; timer_settime(t, 0, &s, 0);
            if (s.it_value.tv_nsec != 200000000) exit(4);"
        ))
    };
    // Somebody else says that it is over.
    let by_sleep = |sleep: &str| {
        format!(
            "#include <pthread.h>
            #include <sys/timerfd.h>
            static volatile int over; void *tell(void *nothing) {{ struct timespec t; {sleep}
                over = 1; return nothing; }}
            long used() {{ static pthread_t other; if (!other) pthread_create(&other, 0, tell, 0);
                return over * 200; }}"
        )
    };
    let until = "clock_gettime(CLOCK_MONOTONIC, &t); t.tv_nsec += 200000000;
        if (t.tv_nsec >= 1000000000) { t.tv_sec++; t.tv_nsec -= 1000000000; }";
    let by_call = |reads: &str| format!("long used() {{ {reads} return used; }}");
    for reads in [
        by_call(&of("CLOCK_PROCESS_CPUTIME_ID")),
        by_call(&of("CLOCK_MONOTONIC")),
        by_call(usage),
        by_call(day),
        by_call(ticks),
        by_call(result),
        #[cfg(target_arch = "x86_64")]
        by_call(seconds),
        interval("ITIMER_PROF"),
        interval("ITIMER_VIRTUAL"),
        interval("ITIMER_REAL"),
        posix("CLOCK_PROCESS_CPUTIME_ID"),
        posix("CLOCK_REALTIME"),
        by_sleep("t.tv_sec = 0; t.tv_nsec = 200000000; nanosleep(&t, 0);"),
        by_sleep(&format!(
            "{until} clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, 0);"
        )),
        by_sleep(&format!(
            "{until}
            pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c;
            pthread_condattr_t a; pthread_condattr_init(&a);
            pthread_condattr_setclock(&a, CLOCK_MONOTONIC); pthread_cond_init(&c, &a);
            pthread_mutex_lock(&m); while (!pthread_cond_timedwait(&c, &m, &t));"
        )),
        by_sleep(&format!(
            "{until} int f = timerfd_create(CLOCK_MONOTONIC, 0); struct itimerspec s = {{{{0, 0}}, t}};
            timerfd_settime(f, TFD_TIMER_ABSTIME, &s, 0); long n; read(f, &n, 8);"
        )),
    ] {
        // Asks until it is told of 200 ms more.
        let program = program(&format!(
            "#include <sys/resource.h>
            #include <sys/times.h>
            {reads}
            ----
            volatile long work = 0; long first = used();
            while (used() - first < 200) for (int i = 0; i < 1000000; i++) work++;
            puts(\"done\");"
        ));
        let traced = |times| {
            let (launch, stop) = (&program.launch, &Interrupt::new());
            let haste = Haste {
                times,
                longest: LONG,
            };
            trace_hurried(launch, &TraceLimits::default(), stop, haste).unwrap()
        };
        let goes_faster = || {
            let [plain, hurried] = [1.0, 4.0].map(&traced);
            for found in [&plain, &hurried] {
                assert_eq!(found.end, End::Exited(0));
                assert_eq!(found.stdout.text(), "done\n");
                assert!(found.clocks > 1, "{reads}: {}", found.clocks);
            }
            let [plain, hurried] = [plain, hurried].map(|found| found.queue.ran);
            let most = if reads.contains("time(0)") { 900 } else { 90 };
            plain > 20 * MS && hurried < plain * 2 / 3 && hurried < most * MS
        };
        // Of real time others take their part, now and then most of it.
        assert!((0..8).any(|_| goes_faster()), "{reads}");
    }
    assert_eq!(traced("").clocks, 0);
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
