//! A program whose cost and output are known beforehand, for the tests of the instrument.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that is measured prints"
)]

use std::io::{Read, Write};
use std::process::exit;

fn main() {
    let arguments: Vec<String> = std::env::args_os()
        .skip(1)
        .map(|argument| argument.to_string_lossy().into_owned())
        .collect();
    let number = |at: usize| {
        arguments
            .get(at)
            .and_then(|text| text.parse::<u64>().ok())
            .unwrap_or(0)
    };
    match arguments.first().map(String::as_str) {
        Some("burn") => burn(number(1)),
        Some("touch") => touch(number(1)),
        Some("print") => print(number(1)),
        Some("exit") => exit(i32::try_from(number(1)).unwrap_or(1)),
        Some("signal") => signal(number(1)),
        Some("hang") => loop {
            std::thread::sleep(std::time::Duration::from_secs(3600));
        },
        Some("spin") => loop {
            std::hint::spin_loop();
        },
        Some("flood") => loop {
            let _ = std::io::stdout().write_all(&[b'x'; 65536]);
        },
        Some("orphan") => orphan(false),
        Some("escape") => orphan(true),
        Some("caught") => caught(),
        Some("follow") => follow(),
        Some("parallel") => parallel(number(1)),
        Some("ignored") => unreaped(number(1), number(2), Unreaped::Ignored),
        Some("unwanted") => unreaped(number(1), number(2), Unreaped::Unwanted),
        Some("detached") => unreaped(number(1), number(2), Unreaped::Detached),
        Some("estranged") => unreaped(number(1), number(2), Unreaped::Estranged),
        Some("deeper") => waited(|| unreaped(number(1), number(2), Unreaped::Ignored)),
        Some("deeper-unwanted") => waited(|| unreaped(number(1), number(2), Unreaped::Unwanted)),
        Some("waited") => waited(|| burn(number(1))),
        Some("alone") => {
            // SAFETY: a setting of this process.
            unsafe { libc::signal(libc::SIGCHLD, libc::SIG_IGN) };
            burn(number(1));
        }
        Some("without") => without(&arguments[1..]),
        Some("hold") => hold(arguments.get(1).map_or("", String::as_str)),
        Some("echo") => echo(),
        Some("show") => show(),
        Some("wait") => wait(number(1)),
        _ => {
            eprintln!("known: no such part");
            exit(2);
        }
    }
}

fn own_cpu_us() -> u64 {
    // SAFETY: fills the structure.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_SELF, &mut usage);
        usage
    };
    let micros = |time: libc::timeval| {
        time.tv_sec.cast_unsigned() * 1_000_000 + time.tv_usec.cast_unsigned()
    };
    micros(usage.ru_utime) + micros(usage.ru_stime)
}

/// Works until the kernel says that this many milliseconds of CPU time are gone, and prints what it
/// says, in microseconds.
fn burn(milliseconds: u64) {
    let mut sum = 0_u64;
    while own_cpu_us() < milliseconds * 1000 {
        for value in 0..20_000_u64 {
            sum = std::hint::black_box(sum.wrapping_mul(31) ^ value);
        }
    }
    println!("cpu {}", own_cpu_us());
}

/// Makes this many mebibytes resident at once.
fn touch(mebibytes: u64) {
    let bytes = usize::try_from(mebibytes).unwrap_or(0) << 20;
    let memory = std::hint::black_box(vec![1_u8; bytes]);
    println!("touched {}", memory.len());
}

fn print(bytes: u64) {
    let line = b"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde\n";
    let text: Vec<u8> = line
        .iter()
        .copied()
        .cycle()
        .take(usize::try_from(bytes).unwrap_or(0))
        .collect();
    let _ = std::io::stdout().write_all(&text);
}

fn signal(number: u64) {
    // SAFETY: sends a signal to this process.
    unsafe { libc::raise(i32::try_from(number).unwrap_or(0)) };
}

/// Leaves two generations behind.
fn orphan(escape: bool) {
    // SAFETY: the children only make system calls.
    unsafe {
        if libc::fork() == 0 {
            if escape {
                libc::setsid();
            }
            libc::fork();
            loop {
                libc::pause();
            }
        }
    }
    println!("left");
}

/// A child that a stop catches as it leaves its process group: it is held there, and waited for.
fn caught() {
    // SAFETY: the child only makes system calls.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            libc::setsid();
            libc::raise(libc::SIGSTOP);
            libc::_exit(0);
        }
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    println!("went on");
}

/// A child that ends by itself as soon as this process has ended.
fn follow() {
    let mut ends = [0; 2];
    // SAFETY: a fork of a process with one thread; the child only makes system calls.
    unsafe {
        libc::pipe(ends.as_mut_ptr());
        if libc::fork() == 0 {
            libc::close(ends[1]);
            libc::read(ends[0], std::ptr::from_mut(&mut [0_u8; 1]).cast(), 1);
            libc::usleep(1000);
            libc::_exit(0);
        }
    }
    println!("followed");
}

/// Two children that burn at once; waited for only when the argument is 0.
fn parallel(milliseconds: u64) {
    for _ in 0..2 {
        // SAFETY: a fork of a process with one thread.
        if unsafe { libc::fork() } == 0 {
            burn(milliseconds);
            exit(0);
        }
    }
    // SAFETY: waits for both.
    unsafe {
        libc::wait(std::ptr::null_mut());
        libc::wait(std::ptr::null_mut());
    }
}

/// Becomes another program, to which the kernel refuses what the first word names, between commas,
/// as containers do.
fn without(words: &[String]) {
    use std::os::unix::process::CommandExt;
    let refused = words.first().map_or("", String::as_str);
    // The one that refuses filters comes last.
    let calls = [
        ("perf", libc::SYS_perf_event_open),
        ("ptrace", libc::SYS_ptrace),
        ("filters", libc::SYS_seccomp),
    ];
    for (name, number) in calls {
        if refused.split(',').any(|word| word == name) {
            refuse(number);
        }
    }
    if let Some((program, arguments)) = words.get(1..).and_then(<[String]>::split_first) {
        let error = std::process::Command::new(program).args(arguments).exec();
        eprintln!("{program}: {error}");
        exit(127);
    }
}

/// From now on a system call fails, here and in all that is started.
fn refuse(number: libc::c_long) {
    let code = |code: u32| u16::try_from(code).unwrap_or(0);
    let number = u32::try_from(number).unwrap_or(0);
    // The first word that a filter sees is the system call's number.
    let statements = [
        (libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        (libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, 0, 1, number),
        (
            libc::BPF_RET | libc::BPF_K,
            0,
            0,
            libc::SECCOMP_RET_ERRNO | libc::EPERM.unsigned_abs(),
        ),
        (libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let mut filter = statements.map(|(what, jt, jf, k)| libc::sock_filter {
        code: code(what),
        jt,
        jf,
        k,
    });
    let program = libc::sock_fprog {
        len: 4,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: a filter of four statements, which the kernel copies.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
        let mode = libc::SECCOMP_MODE_FILTER;
        assert!(libc::prctl(libc::PR_SET_SECCOMP, mode, &program) == 0);
    }
}

/// A child that does this, and is waited for.
fn waited(body: impl FnOnce()) {
    // SAFETY: a fork of a process with one thread, which waits.
    unsafe {
        let child = libc::fork();
        if child == 0 {
            body();
            libc::_exit(0);
        }
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
}

/// How a child goes without being waited for.
#[derive(Clone, Copy, PartialEq)]
enum Unreaped {
    /// SIGCHLD is ignored.
    Ignored,
    /// SIGCHLD has a handler, and the kernel is told to keep no dead children (`SA_NOCLDWAIT`).
    Unwanted,
    /// Its parent ends at once.
    Detached,
    /// The same, and it has a session of its own.
    Estranged,
}

/// A child that holds so many mebibytes, burns for so many milliseconds, and that nobody waits for;
/// this process goes on until the child is about to end.
fn unreaped(milliseconds: u64, mebibytes: u64, how: Unreaped) {
    let mut ends = [0; 2];
    // SAFETY: forks of a process with one thread.
    unsafe {
        libc::pipe(ends.as_mut_ptr());
        let mut action: libc::sigaction = std::mem::zeroed();
        match how {
            Unreaped::Ignored => action.sa_sigaction = libc::SIG_IGN,
            Unreaped::Unwanted => action.sa_flags = libc::SA_NOCLDWAIT,
            Unreaped::Detached | Unreaped::Estranged => {}
        }
        libc::sigaction(libc::SIGCHLD, &action, std::ptr::null_mut());
        let first = libc::fork();
        if first == 0 {
            let twice = matches!(how, Unreaped::Detached | Unreaped::Estranged);
            if twice && libc::fork() != 0 {
                libc::_exit(0);
            }
            if how == Unreaped::Estranged {
                libc::setsid();
            }
            touch(mebibytes);
            burn(milliseconds);
            libc::_exit(0);
        }
        if matches!(how, Unreaped::Detached | Unreaped::Estranged) {
            libc::waitpid(first, std::ptr::null_mut(), 0);
        }
        libc::close(ends[1]);
        // Comes back when the last writer has ended, or is about to.
        libc::read(ends[0], std::ptr::from_mut(&mut [0_u8; 1]).cast(), 1);
        // What closed its descriptors is not quite dead yet.
        libc::usleep(20_000);
    }
}

/// Opens a file for writing and keeps it open for ever, as does a child in a session of its own.
fn hold(path: &str) {
    let file = std::fs::OpenOptions::new().write(true).open(path);
    // SAFETY: a fork of a process with one thread; the child only makes system calls.
    unsafe {
        if libc::fork() == 0 {
            libc::setsid();
        }
        if let Ok(mut file) = file {
            let _ = file.write_all(b".");
        }
        loop {
            libc::pause();
        }
    }
}

fn echo() {
    let mut text = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut text);
    let _ = std::io::stdout().write_all(&text);
    eprintln!("read {} bytes", text.len());
}

/// What the program sees of itself.
fn show() {
    println!("name {:?}", std::env::args_os().next());
    println!(
        "arguments {:?}",
        std::env::args_os().skip(2).collect::<Vec<_>>()
    );
    println!("environment {:?}", std::env::vars_os().collect::<Vec<_>>());
    println!("folder {:?}", std::env::current_dir());
    // SAFETY: questions only.
    unsafe {
        println!("leader {}", libc::getpgrp() == libc::getpid());
        println!(
            "randomised {}",
            libc::personality(0xffff_ffff) & libc::ADDR_NO_RANDOMIZE == 0
        );
        println!(
            "terminal {}",
            libc::isatty(0) + libc::isatty(1) + libc::isatty(2)
        );
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set);
        println!(
            "cores {:?}",
            (0..1024)
                .filter(|&core| libc::CPU_ISSET(core, &set))
                .collect::<Vec<_>>()
        );
        let mut mask: libc::sigset_t = std::mem::zeroed();
        libc::sigprocmask(libc::SIG_BLOCK, std::ptr::null(), &mut mask);
        println!(
            "blocked {:?}",
            (1..32)
                .filter(|&signal| libc::sigismember(&mask, signal) == 1)
                .collect::<Vec<_>>()
        );
        let open = (0..1024)
            .filter(|&fd| libc::fcntl(fd, libc::F_GETFD) >= 0)
            .collect::<Vec<_>>();
        println!("open {open:?}");
        println!("slack {}", libc::prctl(libc::PR_GET_TIMERSLACK, 0, 0, 0, 0));
    }
}

/// Sleeps in one system call for this many milliseconds and prints how it came back.
fn wait(milliseconds: u64) {
    // SAFETY: waits on nothing.
    let result = unsafe {
        libc::poll(
            std::ptr::null_mut(),
            0,
            i32::try_from(milliseconds).unwrap_or(0),
        )
    };
    println!(
        "poll {result} {}",
        std::io::Error::last_os_error().raw_os_error().unwrap_or(0)
    );
}
