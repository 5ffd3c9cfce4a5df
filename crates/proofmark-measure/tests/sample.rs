//! Where a program spends its time, by a program of which it is known.

use std::process::Command;

use crate::support::LONG;
use proofmark_measure::sample::{Place, Sampler, sample};
use proofmark_measure::{Interrupt, Launch, Unavailable};

/// Nearly all of its time is in `busy`, in the process and in a child of it.
const SOURCE: &str = r#"
#include <unistd.h>
#include <sys/wait.h>
__attribute__((noinline)) long busy(long n) { volatile long i = 0; while (i < n) i++; return i; }
__attribute__((noinline)) long idle(long n) { return n + 1; }
int main(void) { int child = fork(); long n = idle(busy(20000000)); if (child) wait(0); return n < 0; }
"#;

#[test]
fn the_function_that_takes_the_time_is_found() {
    let tool = |name: &str| Command::new(name).arg("--version").output().is_ok();
    if !tool("gcc") || !tool("nm") {
        println!("skipped: needs gcc and nm");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (folder.path().join("a.c"), folder.path().join("a"));
    std::fs::write(&source, SOURCE).unwrap();
    for flags in [["-O1", "-pie"], ["-O1", "-no-pie"]] {
        let compiled = Command::new("gcc")
            .args(flags)
            .args(["-fPIE", "-o"])
            .arg(&program)
            .arg(&source)
            .status()
            .unwrap();
        assert!(compiled.success());
        let listed = Command::new("nm").arg("-S").arg(&program).output().unwrap();
        let listed = String::from_utf8(listed.stdout).unwrap();
        let busy = listed.lines().find(|line| line.ends_with(" busy")).unwrap();
        let numbers: Vec<u64> = busy
            .split(' ')
            .take(2)
            .map(|number| u64::from_str_radix(number, 16).unwrap())
            .collect();
        let launch = Launch::new(&program, LONG);
        let profile = match sample(&launch, (&program, &program), &Interrupt::new()) {
            Err(Unavailable::NotInstalled { .. }) => {
                println!("skipped: needs perf events or valgrind");
                return;
            }
            other => other.unwrap(),
        };
        let own: u64 = profile
            .places
            .iter()
            .filter(|(place, _)| match place {
                Place::Address(at) => (numbers[0]..numbers[0] + numbers[1]).contains(at),
                Place::Symbol(symbol) => symbol == "busy",
            })
            .map(|(_, count)| count)
            .sum();
        let enough = if profile.by == Sampler::Clock {
            40
        } else {
            1_000_000
        };
        assert!(profile.total > enough, "{profile:?}");
        assert!(own * 10 > profile.total * 8, "{own}: {profile:?}");
    }
}
