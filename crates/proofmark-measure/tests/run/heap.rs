//! Where the heap of a program begins.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use proofmark_measure::{End, Launch, MeasureError, Turns, moves_heaps};

use super::seen;
use crate::support::{LONG, core, instruments};

/// Tells where its first allocation lies in its page, and who traces it.
const TELLS: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char line[256];
    printf("at %d\n", (int)((uintptr_t)malloc(24) % 4096));
    FILE *status = fopen("/proc/self/status", "r");
    while (fgets(line, sizeof line, status))
        if (strncmp(line, "TracerPid:", 10) == 0) printf("tracer %s", line + 10);
    return 0;
}
"#;

fn compiled(folder: &Path, how: &[&str]) -> Launch {
    let (source, program) = (folder.join("tells.c"), folder.join("tells"));
    std::fs::write(&source, TELLS).unwrap();
    let mut cc = Command::new("cc");
    cc.args(how).arg(&source).arg("-o").arg(&program);
    assert!(cc.status().unwrap().success());
    Launch::new(&program, LONG)
}

fn can_be_moved() -> bool {
    let Err(why) = moves_heaps() else {
        return true;
    };
    let required = std::env::var_os("PROOFMARK_TESTS_REQUIRE_TOOLS").is_some();
    assert!(!required, "needs heaps that can be moved: {why}");
    println!("skipped: needs heaps that can be moved ({why})");
    false
}

/// Places in pages, of the C library's allocator, are the oracle.
#[test]
fn a_heap_begins_where_it_is_asked_to() {
    if !can_be_moved() {
        return;
    }
    for how in [&[][..], &["-static"]] {
        let folder = tempfile::tempdir().unwrap();
        let mut launch = compiled(folder.path(), how);
        for instrument in instruments() {
            launch.heap = None;
            let place = |launch: &Launch| -> u64 {
                let outcome = instrument.run(launch).unwrap();
                assert_eq!(seen(&outcome, "tracer"), "0");
                seen(&outcome, "at").parse().unwrap()
            };
            let usual = place(&launch);
            for bytes in [0, 16, 1040, 4080] {
                launch.heap = Some(bytes);
                assert_eq!(place(&launch), (usual + bytes) % 4096, "{how:?}");
            }
            // Side by side, each its own.
            launch.core = Some(core());
            let launches = [0, 16, 1040, 4080].map(|bytes| {
                let mut launch = launch.clone();
                launch.heap = Some(bytes);
                launch
            });
            let turns = Turns::Sliced {
                slices: vec![Duration::from_micros(200); 4],
                order_seed: 1,
            };
            let outcomes = instrument.round(&launches, &turns).unwrap();
            for (outcome, launch) in outcomes.iter().zip(&launches) {
                let at: u64 = seen(outcome, "at").parse().unwrap();
                assert_eq!(at, (usual + launch.heap.unwrap()) % 4096);
            }
        }
    }
}

#[test]
fn what_cannot_be_started_or_ends_at_once_is_told_as_ever() {
    if !can_be_moved() {
        return;
    }
    for instrument in instruments() {
        let mut lacking = Launch::new("/there/is/none", LONG);
        lacking.heap = Some(16);
        let refused = instrument.run(&lacking);
        assert!(
            matches!(refused, Err(MeasureError::NotFound { .. })),
            "{refused:?}"
        );
        let mut shell = Launch::new("/bin/sh", LONG);
        shell.heap = Some(32);
        shell.args = vec!["-c".into(), "kill -TERM $$".into()];
        assert_eq!(instrument.run(&shell).unwrap().end, End::Signalled(15));
        shell.args = vec!["-c".into(), "sleep 100".into()];
        shell.timeout = Duration::from_millis(50);
        assert_eq!(instrument.run(&shell).unwrap().end, End::TimedOut);
    }
}
