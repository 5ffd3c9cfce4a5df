//! What somebody else's code can do in a sandbox, and what it cannot.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use proofmark_measure::Interrupt;
use proofmark_measure::sandbox::{
    Ended, Excess, Sandbox, SandboxEnd, SandboxError, SandboxLimits, Shown, system,
};
use tempfile::TempDir;

const GENEROUS: SandboxLimits = SandboxLimits {
    time: Duration::from_secs(60),
    memory: 1 << 30,
    processes: 64,
    disk_left: 0,
};

/// A folder that the sandbox's user may write to, and a sandbox in which a script runs there.
fn sandbox(script: &str, limits: SandboxLimits) -> (TempDir, Sandbox) {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().join("work");
    fs::create_dir(&work).unwrap();
    Sandbox::give(&work).unwrap();
    let own = Shown {
        file: work,
        at: PathBuf::from("/work"),
        writable: true,
    };
    let sandbox = Sandbox {
        scratch: folder.path().to_owned(),
        shown: system().into_iter().chain([own]).collect(),
        command: ["/bin/sh", "-c", script].map(Into::into).into(),
        env: vec![
            ("PATH".into(), "/usr/bin:/bin".into()),
            ("HOME".into(), "/home".into()),
        ],
        cwd: PathBuf::from("/work"),
        limits,
    };
    (folder, sandbox)
}

/// What comes of a script, and what it wrote to `said`; nothing where there are no sandboxes.
fn ran(script: &str, limits: SandboxLimits) -> Option<(SandboxEnd, String)> {
    ran_in(sandbox(script, limits))
}

fn ran_in((folder, sandbox): (TempDir, Sandbox)) -> Option<(SandboxEnd, String)> {
    match sandbox.run(&Interrupt::new()) {
        Ok(end) => {
            let said = fs::read_to_string(folder.path().join("work/said"));
            Some((end, said.unwrap_or_default()))
        }
        Err(SandboxError::Forbidden { what, source }) => {
            let required = std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS");
            assert!(
                required.is_none_or(|value| value != "1"),
                "this test needs namespaces: {what}: {source}"
            );
            println!("skipped: needs namespaces");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn what_runs_in_it_sees_its_own_files_and_nobody_elses() {
    let home = tempfile::tempdir_in("/var/tmp").unwrap();
    fs::write(home.path().join("secret"), "secret").unwrap();
    let secret = home.path().join("secret");
    let script = format!(
        "exec >said 2>&1; cat {0} && echo READ; ls -a /home /root; cat /etc/shadow && echo READ; \
         echo x >/usr/bin/x && echo WROTE; echo x >/x && echo WROTE; \
         mount -o remount,rw /usr && echo REMOUNTED; unshare -r true; \
         unshare -rm mount -o remount,bind,rw /usr && echo REMOUNTED; \
         cat /proc/1/cmdline && echo READ; cat /proc/1/environ && echo READ; hostname; \
         env; test $$ -lt 9 && echo alone; cat /proc/net/dev | wc -l; exit 7",
        secret.display()
    );
    let Some((end, said)) = ran(&script, GENEROUS) else {
        return;
    };
    assert_eq!(end.how, Ended::Exited(7), "{said}");
    assert_eq!(end.network, 0, "{said}");
    for cannot in ["READ", "WROTE", "REMOUNTED", "secret\n"] {
        assert!(!said.contains(cannot), "{cannot}: {said}");
    }
    assert!(said.contains("alone"), "{said}");
    assert!(said.contains("\nsandbox\n"), "{said}");
    assert!(!said.contains("USER=") && !said.contains("CARGO"), "{said}");
    assert!(!Path::new("/usr/bin/x").exists());
}

/// As a program that is installed is shown at its place, below a folder that is shown.
#[test]
fn a_file_of_a_folder_that_is_shown_may_be_shown_by_itself() {
    let (folder, mut sandbox) = sandbox("echo yes >said", GENEROUS);
    sandbox.shown.push(Shown {
        file: "/usr/bin/env".into(),
        at: "/usr/bin/env".into(),
        writable: false,
    });
    if let Some((_, said)) = ran_in((folder, sandbox)) {
        assert_eq!(said, "yes\n");
    }
}

#[test]
fn whoever_looks_for_the_network_is_counted() {
    let script = "bash -c 'exec 3<>/dev/tcp/192.0.2.1/80'; bash -c 'exec 3<>/dev/udp/192.0.2.1/53'";
    if let Some((end, _)) = ran(script, GENEROUS) {
        assert_eq!(
            end,
            SandboxEnd {
                how: Ended::Exited(1),
                network: 2
            }
        );
    }
}

#[test]
fn memory_of_whoever_begins_it_does_not_count() {
    let held = vec![1_u8; 1 << 28];
    let few = SandboxLimits {
        memory: 1 << 27,
        ..GENEROUS
    };
    // Long enough to be looked at while it runs.
    if let Some((end, _)) = ran("sleep 0.3", few) {
        assert_eq!(end.how, Ended::Exited(0));
    }
    assert!(held.iter().all(|byte| *byte == 1));
}

#[test]
fn what_is_used_beyond_a_limit_is_named_and_nothing_of_it_lives_on() {
    let memory = "exec python3 -c 'import time; a = bytearray(1 << 29); time.sleep(60)'";
    let few = SandboxLimits {
        time: Duration::from_secs(30),
        memory: 1 << 27,
        processes: 20,
        ..GENEROUS
    };
    if let Some((end, _)) = ran(memory, few) {
        let Ended::Stopped(Excess::Memory { used, limit }) = end.how else {
            panic!("{end:?}");
        };
        assert!(used > limit && limit == few.memory, "{used}");
    }
    let began = Instant::now();
    let many = "for each in $(seq 60); do sleep 60 & done; wait";
    if let Some((end, _)) = ran(many, few) {
        let Ended::Stopped(Excess::Processes { seen, limit }) = end.how else {
            panic!("{end:?}");
        };
        assert!(limit == 20 && (21..200).contains(&seen), "{seen}");
    }
    let short = SandboxLimits {
        time: Duration::from_millis(300),
        ..GENEROUS
    };
    // A child that leaves its group and its parent behind.
    if let Some((end, _)) = ran("setsid -f sleep 987; sleep 60", short) {
        assert_eq!(end.how, Ended::Stopped(Excess::Time(short.time)));
    }
    let full = SandboxLimits {
        disk_left: u64::MAX,
        ..GENEROUS
    };
    if let Some((end, _)) = ran("sleep 60", full) {
        assert!(
            matches!(end.how, Ended::Stopped(Excess::Disk { .. })),
            "{end:?}"
        );
    }
    assert!(began.elapsed() < Duration::from_secs(30));
    let left = std::process::Command::new("pgrep")
        .args(["-f", "^sleep 987"])
        .output();
    assert!(left.is_ok_and(|left| left.stdout.is_empty()), "it lives on");
}

#[test]
fn who_is_interrupted_may_finish_and_who_does_not_is_ended() {
    let script = "trap 'echo done >said; exit 3' INT; touch here; while :; do sleep 0.05; done";
    let (folder, sandbox) = sandbox(script, GENEROUS);
    // As a shell leaves it for what it puts into the background.
    // SAFETY: a signal that nothing in these tests waits for.
    unsafe { libc::signal(libc::SIGINT, libc::SIG_IGN) };
    let stop = Interrupt::new();
    let ended = std::thread::scope(|scope| {
        let run = scope.spawn(|| sandbox.run(&stop));
        while !folder.path().join("work/here").exists() && !run.is_finished() {
            std::thread::sleep(Duration::from_millis(10));
        }
        stop.request();
        run.join().unwrap()
    });
    let Ok(end) = ended else {
        println!("skipped: needs namespaces");
        return;
    };
    assert_eq!(end.how, Ended::Interrupted);
    let said = fs::read_to_string(folder.path().join("work/said"));
    assert_eq!(said.unwrap(), "done\n");
}

#[test]
fn a_command_that_is_not_there_is_named() {
    let (_folder, mut sandbox) = sandbox("", GENEROUS);
    sandbox.command = vec!["/usr/bin/no-such-program".into()];
    match sandbox.run(&Interrupt::new()) {
        Err(SandboxError::Forbidden { .. }) => println!("skipped: needs namespaces"),
        Err(error) => assert!(error.to_string().contains("no-such-program"), "{error}"),
        Ok(end) => panic!("{end:?}"),
    }
}
