//! Peak memory.

use std::process::Command;

use proofmark_measure::{Launch, Outcome, Peak};

use crate::support::{LONG, instruments, launch};

#[test]
fn peak_memory_is_of_that_very_child_even_after_a_large_neighbour() {
    // This process itself is large as well.
    let ballast = std::hint::black_box(vec![1_u8; 200 << 20]);
    for instrument in instruments() {
        // A small one may need less than the launcher, which keeps what lies around its stack: a
        // part of the ballast, where that is next to it.
        let small_before = instrument
            .run(&launch(&["touch", "0"]))
            .unwrap()
            .peak
            .or_bound();
        let large = bytes(&instrument.run(&launch(&["touch", "300"])).unwrap());
        let small_after = instrument
            .run(&launch(&["touch", "0"]))
            .unwrap()
            .peak
            .or_bound();
        assert!((300 << 20..340 << 20).contains(&large), "{large}");
        assert!(small_before < 20 << 20, "{small_before}");
        assert!(small_after < 20 << 20, "{small_after}");
        let middle = bytes(&instrument.run(&launch(&["touch", "30"])).unwrap());
        assert!((30 << 20..50 << 20).contains(&middle), "{middle}");
    }
    assert_eq!(ballast.len(), 200 << 20);
}

fn bytes(outcome: &Outcome) -> u64 {
    match outcome.peak {
        Peak::Bytes(bytes) => bytes,
        Peak::AtMost(floor) => panic!("below the launcher's own {floor} bytes"),
        Peak::AtLeast(_) => panic!("not all of its processes were seen to end"),
    }
}

#[test]
fn peak_memory_below_the_launchers_own_is_no_number() {
    // It does nothing, and has next to no memory.
    const NOTHING: &str = "void _start(void) { __builtin_trap(); }";
    let folder = tempfile::tempdir().unwrap();
    let (source, program) = (
        folder.path().join("nothing.c"),
        folder.path().join("nothing"),
    );
    std::fs::write(&source, NOTHING).unwrap();
    let mut cc = Command::new("cc");
    cc.args(["-static", "-nostdlib"]).arg(&source);
    assert!(cc.arg("-o").arg(&program).status().unwrap().success());
    for instrument in instruments() {
        // The launcher grows by what it does.
        for _ in 0..20 {
            let outcome = instrument.run(&Launch::new(&program, LONG)).unwrap();
            assert!(
                matches!(outcome.peak, Peak::AtMost(_)),
                "{:?}",
                outcome.peak
            );
        }
    }
}
